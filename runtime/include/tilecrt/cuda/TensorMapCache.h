// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensor maps of a kernel that is launched with one set of arguments after the other: the last
// ones are kept, so that a map is encoded only when what it is made from has a value that was not
// there lately.

#ifndef TILECRT_CUDA_TENSORMAPCACHE_H
#define TILECRT_CUDA_TENSORMAPCACHE_H

#include "tilecrt/KernelMetadata.h"
#include "tilecrt/Result.h"
#include "tilecrt/cuda/DriverTable.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tilecrt::cuda {

class TensorMapCache {
public:
  /// The metadata must live as long as this.
  explicit TensorMapCache(const KernelMetadata &kernel);

  /// Writes a map for each of the kernel's. `arguments` points to the values of its arguments; a
  /// context must be current. May be called from any thread: one that would have to wait encodes.
  Status get(const void *const *arguments, const DriverTable &driver, CUtensorMap *maps);

private:
  /// Values of arguments that a map is made from; a map of more is not kept.
  static constexpr size_t maxValues = 12;
  static constexpr size_t numWays = 4;
  using Key = std::array<uint64_t, maxValues>;

  struct Entry {
    Key key = {};
    /// When it was used last; 0: never.
    uint64_t used = 0;
    CUtensorMap map = {};
  };
  struct MapEntries {
    std::vector<size_t> arguments;
    std::array<Entry, numWays> entries;
  };

  Status getKept(MapEntries &kept, const TensorMapArgument &description,
                 const void *const *arguments, const DriverTable &driver, CUtensorMap &map);

  const KernelMetadata &metadata;
  std::mutex mutex;
  std::vector<MapEntries> maps;
  uint64_t clock = 0;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_TENSORMAPCACHE_H
