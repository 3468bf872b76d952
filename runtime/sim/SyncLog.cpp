// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for release-acquire chains: a work list of (CTA, event) pairs, each address visited
// from its earliest reached release only.
#include "runtime/sim/SyncLog.h"

#include <algorithm>

namespace tilecrt::sim {

/// A search result can be as large as the number of CTAs, so not too many are kept.
static constexpr size_t maxRemembered = 1024;

SyncOrder::SyncOrder(std::vector<CtaSyncHistory> histories) {
  for (CtaSyncHistory &history : histories) {
    for (uint32_t i = 0; i < history.events.size(); ++i) {
      const SyncEvent &event = history.events[i];
      if (event.acquires)
        acquires[event.address].push_back({event.sequence, history.cta, i});
    }
    byCta[history.cta] = std::move(history.events);
  }
  for (auto &[address, list] : acquires)
    std::sort(list.begin(), list.end(),
              [](const Acquire &a, const Acquire &b) { return a.sequence < b.sequence; });
}

SyncOrder::Reach SyncOrder::search(uint32_t from, uint32_t fromEvent) const {
  Reach reach;
  std::unordered_map<uint64_t, uint32_t> releasedAt; // Earliest release reached, by address.
  std::vector<std::pair<uint32_t, uint32_t>> work = {{from, fromEvent}};
  while (!work.empty()) {
    auto [cta, firstEvent] = work.back();
    work.pop_back();
    auto history = byCta.find(cta);
    if (history == byCta.end())
      continue;
    const std::vector<SyncEvent> &events = history->second;
    for (uint32_t i = firstEvent; i < events.size(); ++i) {
      if (!events[i].releases)
        continue;
      auto [seen, isNew] = releasedAt.try_emplace(events[i].address, UINT32_MAX);
      if (seen->second <= events[i].sequence)
        continue;
      uint32_t known = seen->second;
      seen->second = events[i].sequence;
      auto list = acquires.find(events[i].address);
      if (list == acquires.end())
        continue;
      auto acquire = std::upper_bound(
          list->second.begin(), list->second.end(), events[i].sequence,
          [](uint32_t sequence, const Acquire &a) { return sequence < a.sequence; });
      for (; acquire != list->second.end() && acquire->sequence <= known; ++acquire) {
        auto [reached, first] = reach.try_emplace(acquire->cta, UINT32_MAX);
        if (acquire->index + 1 >= reached->second)
          continue;
        reached->second = acquire->index + 1;
        work.push_back({acquire->cta, acquire->index + 1});
      }
    }
  }
  return reach;
}

bool SyncOrder::ordered(uint32_t from, uint32_t fromEvent, uint32_t to, uint32_t toEvent) {
  if (byCta.empty())
    return false;
  if (searched.size() >= maxRemembered)
    searched.clear();
  auto [entry, isNew] = searched.try_emplace({from, fromEvent});
  if (isNew)
    entry->second = search(from, fromEvent);
  auto reached = entry->second.find(to);
  return reached != entry->second.end() && reached->second <= toEvent;
}

} // namespace tilecrt::sim
