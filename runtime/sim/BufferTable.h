// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registered allocations, sorted, and the question every global access asks: which one contains
// these bytes? Immutable during a launch, so shared by all host threads.
#ifndef TILEC_RUNTIME_SIM_BUFFERTABLE_H
#define TILEC_RUNTIME_SIM_BUFFERTABLE_H

#include "tilecrt/sim/Simulator.h"

namespace tilecrt::sim {

class BufferTable {
public:
  struct Range {
    uint64_t begin = 0, end = 0;
    bool readOnly = false;
    uint32_t name = 0; ///< Index in LaunchConfig::buffers.

    bool holds(uint64_t address, uint32_t bytes) const {
      return address >= begin && address < end && bytes <= end - address;
    }
  };

  explicit BufferTable(const std::vector<Buffer> &buffers);

  /// The buffer that contains all the bytes, a writable one if there is a choice; null if none.
  /// Logarithmic, linear when registered buffers overlap.
  const Range *find(uint64_t address, uint32_t bytes) const;

  /// "12 bytes (3 elements of 4 bytes) past the end of 'x' (4096 bytes)": where an access outside
  /// every buffer lies, told from the nearest one.
  std::string explainMiss(uint64_t address, uint32_t bytes) const;

  /// "byte 12 of 'x'", for messages about an access inside a buffer.
  std::string nameOf(uint64_t address) const;

  bool empty() const { return ranges.empty(); }

private:
  const std::vector<Buffer> &buffers;
  std::vector<Range> ranges; ///< By begin address; empty buffers left out.
  bool overlapping = false;
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_BUFFERTABLE_H
