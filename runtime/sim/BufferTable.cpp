// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-up of registered allocations by address, and the wording of misses.
#include "runtime/sim/BufferTable.h"

#include <algorithm>

namespace tilecrt::sim {
namespace {

/// Beyond this distance a neighbouring buffer explains nothing.
constexpr uint64_t farAway = uint64_t(1) << 40;

std::string distanceText(uint64_t distance, uint32_t bytes) {
  if (distance == 0)
    return "directly";
  std::string text = std::to_string(distance) + (distance == 1 ? " byte" : " bytes");
  if (bytes > 1 && distance % bytes == 0)
    text += " (" + std::to_string(distance / bytes) +
            (distance == bytes ? " access of " : " accesses of ") + std::to_string(bytes) +
            " bytes)";
  return text;
}

} // namespace

BufferTable::BufferTable(const std::vector<Buffer> &all) : buffers(all) {
  for (size_t i = 0; i < all.size(); ++i) {
    uint64_t begin = reinterpret_cast<uint64_t>(all[i].base);
    if (all[i].bytes != 0 && all[i].bytes <= UINT64_MAX - begin)
      ranges.push_back({begin, begin + all[i].bytes, all[i].readOnly, static_cast<uint32_t>(i)});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) {
    return std::make_pair(a.begin, a.name) < std::make_pair(b.begin, b.name);
  });
  for (size_t i = 1; i < ranges.size(); ++i)
    overlapping |= ranges[i].begin < ranges[i - 1].end;
}

const BufferTable::Range *BufferTable::find(uint64_t address, uint32_t bytes) const {
  if (overlapping) {
    const Range *best = nullptr;
    for (const Range &range : ranges)
      if (range.holds(address, bytes) && (!best || (best->readOnly && !range.readOnly)))
        best = &range;
    return best;
  }
  auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                [](uint64_t a, const Range &range) { return a < range.begin; });
  if (after == ranges.begin() || !std::prev(after)->holds(address, bytes))
    return nullptr;
  return &*std::prev(after);
}

std::string BufferTable::explainMiss(uint64_t address, uint32_t bytes) const {
  if (ranges.empty())
    return "no buffer is registered";
  if (address < 4096)
    return "the address is " + std::to_string(address) + ", a null pointer";
  const Range *nearest = nullptr;
  uint64_t least = UINT64_MAX;
  for (const Range &range : ranges) {
    uint64_t distance = address < range.begin ? range.begin - address
                        : address < range.end ? 0
                                              : address - range.end;
    if (distance < least) {
      least = distance;
      nearest = &range;
    }
  }
  if (least > farAway)
    return "the address is in no buffer, nor near one";
  const Buffer &buffer = buffers[nearest->name];
  std::string whole = "'" + buffer.name + "' (" + std::to_string(buffer.bytes) + " bytes)";
  if (address < nearest->begin)
    return distanceText(least, bytes) + " before the start of " + whole;
  if (address >= nearest->end)
    return distanceText(least, bytes) + " past the end of " + whole;
  return "the last " + std::to_string(address + bytes - nearest->end) + " of " +
         std::to_string(bytes) + " bytes are past the end of " + whole;
}

std::string BufferTable::nameOf(uint64_t address) const {
  const Range *range = find(address, 1);
  if (!range)
    return "memory outside every buffer";
  return "byte " + std::to_string(address - range->begin) + " of '" + buffers[range->name].name +
         "'";
}

} // namespace tilecrt::sim
