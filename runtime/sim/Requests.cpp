// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The request queue's storage and the cost model of one request.
#include "runtime/sim/Requests.h"

#include <algorithm>

namespace tilecrt::sim {
namespace {

constexpr uint32_t sectorBytes = 32;
constexpr uint32_t bankBytes = 4;
constexpr uint32_t numBanks = 32;

/// Wavefronts of the lanes [first, last): the most distinct words that fall in one bank.
uint32_t phaseWavefronts(const Request &request, unsigned first, unsigned last,
                         uint32_t &distinctWords) {
  // At most 128 bytes a phase, unless 32-byte accesses: 4 lanes of 8 words.
  std::array<uint64_t, numBanks * 2> words;
  unsigned count = 0;
  for (unsigned lane = first; lane < last; ++lane) {
    if (!(request.active >> lane & 1))
      continue;
    uint64_t end = request.address[lane] + request.bytes[lane];
    for (uint64_t word = request.address[lane] / bankBytes; word * bankBytes < end; ++word)
      words[count++] = word;
  }
  if (!std::is_sorted(words.begin(), words.begin() + count))
    std::sort(words.begin(), words.begin() + count);
  count = static_cast<unsigned>(std::unique(words.begin(), words.begin() + count) - words.begin());
  distinctWords += count;
  std::array<uint8_t, numBanks> perBank = {};
  uint8_t most = 0;
  for (unsigned i = 0; i < count; ++i)
    most = std::max(most, ++perBank[words[i] % numBanks]);
  return most;
}

} // namespace

void RequestQueue::append() {
  if (pending == ring.size()) {
    std::vector<Request> larger(std::max<size_t>(4, ring.size() * 2));
    for (size_t i = 0; i < pending; ++i)
      larger[i] = ring[(head + i) & (ring.size() - 1)];
    ring = std::move(larger);
    head = 0;
  }
  Request &fresh = ring[(head + pending++) & (ring.size() - 1)];
  fresh.arrived = fresh.active = 0;
}

uint32_t atomicCost(const Request &request) {
  std::array<uint64_t, warpSize> addresses;
  unsigned count = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (request.active >> lane & 1)
      addresses[count++] = request.address[lane];
  std::sort(addresses.begin(), addresses.begin() + count);
  uint32_t updates = 0, mostHere = 0;
  for (unsigned i = 0, end = 0; i < count; i = end) {
    while (end < count && addresses[end] == addresses[i])
      ++end;
    bool isNewSector = i == 0 || addresses[i] / sectorBytes != addresses[i - 1] / sectorBytes;
    uint32_t met = end - i, before = isNewSector ? 0 : mostHere;
    mostHere = std::max(before, met);
    updates += mostHere - before;
  }
  return updates;
}

GlobalCost globalCost(const Request &request) {
  // (first byte, byte after the last) of each active lane, in address order.
  std::array<std::pair<uint64_t, uint64_t>, warpSize> spans;
  unsigned count = 0;
  GlobalCost cost;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(request.active >> lane & 1))
      continue;
    uint64_t begin = request.address[lane];
    spans[count++] = {begin, begin + request.bytes[lane]};
    cost.bytes += request.bytes[lane];
  }
  if (!std::is_sorted(spans.begin(), spans.begin() + count))
    std::sort(spans.begin(), spans.begin() + count);
  uint64_t covered = 0, distinct = 0, nextSector = 0;
  for (unsigned i = 0; i < count; ++i) {
    auto [begin, end] = spans[i];
    uint64_t firstSector = std::max(begin / sectorBytes, nextSector);
    uint64_t endSector = (end - 1) / sectorBytes + 1;
    if (endSector > firstSector)
      cost.sectors += static_cast<uint32_t>(endSector - firstSector);
    nextSector = std::max(nextSector, endSector);
    if (end > covered)
      distinct += end - std::max(begin, covered);
    covered = std::max(covered, end);
  }
  cost.idealSectors = static_cast<uint32_t>((distinct + sectorBytes - 1) / sectorBytes);
  return cost;
}

SharedCost sharedCost(const Request &request) {
  SharedCost cost;
  uint32_t widest = bankBytes;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (request.active >> lane & 1) {
      widest = std::max<uint32_t>(widest, request.bytes[lane]);
      cost.bytes += request.bytes[lane];
    }
  unsigned phases = 1;
  while (phases * bankBytes < widest)
    phases *= 2;
  unsigned lanes = warpSize / phases;
  for (unsigned first = 0; first < warpSize; first += lanes) {
    uint32_t distinctWords = 0;
    cost.wavefronts += phaseWavefronts(request, first, first + lanes, distinctWords);
    cost.idealWavefronts += (distinctWords + numBanks - 1) / numBanks;
  }
  return cost;
}

} // namespace tilecrt::sim
