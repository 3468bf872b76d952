// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One arena holds all arrays, with untouched (and so never allocated) pages between them.

#include "RunMemory.h"

#include <cstdlib>
#include <cstring>

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

constexpr size_t pageBytes = 4096;
/// Between two arrays, and before the first.
constexpr size_t gapBytes = size_t(1) << 20;
/// More programs than this would run for hours.
constexpr uint64_t mostPrograms = uint64_t(1) << 24;

Status checkHostGrid(const std::array<uint32_t, 3> &grid, const char *device) {
  uint64_t programs = 1;
  for (uint64_t extent : grid) {
    // Three extents may be too much for 64 bits.
    programs = extent > mostPrograms ? mostPrograms + 1 : programs * extent;
    if (programs > mostPrograms)
      return tilecrt::invalidArgument("the grid is " + std::to_string(grid[0]) + " x " +
                                      std::to_string(grid[1]) + " x " + std::to_string(grid[2]) +
                                      "; the " + device + " runs at most " +
                                      std::to_string(mostPrograms) + " programs");
  }
  return Status();
}

void RunMemory::Free::operator()(void *pointer) const { std::free(pointer); }

Result<RunMemory> RunMemory::create(const std::vector<RunArray> &arrays) {
  RunMemory result;
  size_t bytes = gapBytes;
  std::vector<size_t> offsets;
  for (const RunArray &array : arrays) {
    offsets.push_back(bytes);
    bytes += (array.data.byteSize() + pageBytes - 1) / pageBytes * pageBytes + gapBytes;
  }
  result.memory.reset(std::aligned_alloc(pageBytes, bytes));
  if (!result.memory)
    return tilecrt::outOfResources("cannot allocate " + std::to_string(bytes) +
                                   " bytes for the kernel's arrays");
  for (size_t offset : offsets)
    result.places.push_back(static_cast<char *>(result.memory.get()) + offset);
  return result;
}

std::vector<uint64_t> RunMemory::addresses() const {
  std::vector<uint64_t> result;
  for (char *place : places)
    result.push_back(reinterpret_cast<uintptr_t>(place));
  return result;
}

void RunMemory::copyIn(const std::vector<RunArray> &arrays) {
  for (size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].data.byteSize() != 0)
      std::memcpy(places[i], arrays[i].data.data(), arrays[i].data.byteSize());
}

void RunMemory::copyOut(std::vector<RunArray> &arrays) const {
  for (size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].data.byteSize() != 0)
      std::memcpy(arrays[i].data.data(), places[i], arrays[i].data.byteSize());
}

} // namespace tilec::tool
