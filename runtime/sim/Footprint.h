// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sectors of the registered buffers a launch has read and written: two bits for each, set by
// all host threads.
#ifndef TILEC_RUNTIME_SIM_FOOTPRINT_H
#define TILEC_RUNTIME_SIM_FOOTPRINT_H

#include "tilecrt/sim/Simulator.h"

#include <atomic>
#include <memory>

namespace tilecrt::sim {

class Footprint {
public:
  /// Of these buffers, which may overlap.
  explicit Footprint(const std::vector<Buffer> &buffers);

  /// Bytes of a buffer, or of a part that several have; others are left out.
  void touch(uint64_t address, uint64_t bytes, bool writes);

  uint64_t readBytes() const { return sectorBytes * count(read); }
  uint64_t writtenBytes() const { return sectorBytes * count(written); }

private:
  static constexpr uint64_t sectorBytes = 32;
  /// Memory without a gap, in whole sectors.
  struct Area {
    uint64_t begin = 0, end = 0;
    /// The number of its first sector.
    uint64_t first = 0;
  };
  using Bits = std::unique_ptr<std::atomic<uint64_t>[]>;
  uint64_t count(const Bits &bits) const;

  std::vector<Area> areas; ///< By address.
  uint64_t sectors = 0;
  Bits read, written;
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_FOOTPRINT_H
