// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Footprint.h. Buffers that overlap or meet in a sector are one area.
#include "runtime/sim/Footprint.h"

#include <algorithm>
#include <bitset>

namespace tilecrt::sim {

constexpr uint64_t bitsOfWord = 64;

Footprint::Footprint(const std::vector<Buffer> &buffers) {
  std::vector<Area> all;
  for (const Buffer &buffer : buffers) {
    uint64_t begin = reinterpret_cast<uint64_t>(buffer.base), end = begin + buffer.bytes;
    if (buffer.bytes != 0)
      all.push_back(
          {begin / sectorBytes * sectorBytes, (end + sectorBytes - 1) / sectorBytes * sectorBytes});
  }
  std::sort(all.begin(), all.end(), [](const Area &a, const Area &b) { return a.begin < b.begin; });
  for (const Area &area : all) {
    if (!areas.empty() && area.begin <= areas.back().end)
      areas.back().end = std::max(areas.back().end, area.end);
    else
      areas.push_back(area);
  }
  for (Area &area : areas) {
    area.first = sectors;
    sectors += (area.end - area.begin) / sectorBytes;
  }
  if (sectors == 0)
    return;
  uint64_t words = (sectors + bitsOfWord - 1) / bitsOfWord;
  read = Bits(new std::atomic<uint64_t>[words]());
  written = Bits(new std::atomic<uint64_t>[words]());
}

void Footprint::touch(uint64_t address, uint64_t bytes, bool writes) {
  if (sectors == 0 || bytes == 0)
    return;
  auto next = std::upper_bound(areas.begin(), areas.end(), address,
                               [](uint64_t value, const Area &area) { return value < area.begin; });
  if (next == areas.begin())
    return;
  const Area &area = *--next;
  if (address >= area.end)
    return;
  Bits &bits = writes ? written : read;
  uint64_t last = (std::min(address + bytes, area.end) - 1 - area.begin) / sectorBytes;
  for (uint64_t i = (address - area.begin) / sectorBytes; i <= last; ++i) {
    uint64_t sector = area.first + i, bit = uint64_t(1) << sector % bitsOfWord;
    std::atomic<uint64_t> &word = bits[sector / bitsOfWord];
    // Most of what is touched was touched before.
    if (!(word.load(std::memory_order_relaxed) & bit))
      word.fetch_or(bit, std::memory_order_relaxed);
  }
}

uint64_t Footprint::count(const Bits &bits) const {
  uint64_t sum = 0;
  for (uint64_t i = 0; i * bitsOfWord < sectors; ++i)
    sum += std::bitset<bitsOfWord>(bits[i].load(std::memory_order_relaxed)).count();
  return sum;
}

} // namespace tilecrt::sim
