// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order between CTAs through global atomics: who released and acquired at which address, in the
// order in which it happened there. In a launch with clusters "CTA" is a cluster here.
//
// An access of CTA A comes before one of CTA B when a chain release -> later acquire at the same
// address leads from after the first to before the second. Events are only logged while the kernel
// runs; the chains are searched at the end, for the few pairs of accesses that would otherwise be
// races.
#ifndef TILEC_RUNTIME_SIM_SYNCLOG_H
#define TILEC_RUNTIME_SIM_SYNCLOG_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tilecrt::sim {

/// One atomic of a CTA, as the CTA remembers it.
struct SyncEvent {
  uint64_t address = 0;
  uint32_t sequence = 0; ///< Place among all events at the address.
  bool acquires = false;
  bool releases = false;
  uint8_t rank = 0; ///< Of the CTA in its cluster.
};

/// All atomics of one CTA in its own order.
struct CtaSyncHistory {
  uint32_t cta = 0;
  std::vector<SyncEvent> events;
};

/// Performs atomics one at a time per address and numbers them. Thread-safe.
class SyncSequencer {
public:
  /// Runs `perform` under the lock of the address and gives the event's number there.
  template <typename Perform> uint32_t perform(uint64_t address, const Perform &perform) {
    Shard &shard = shards[(address >> 2) * 0x9e3779b97f4a7c15u >> (64 - shardBits)];
    std::lock_guard<std::mutex> lock(shard.mutex);
    perform();
    return shard.counts[address]++;
  }

private:
  static constexpr unsigned shardBits = 8;
  struct Shard {
    std::mutex mutex;
    std::unordered_map<uint64_t, uint32_t> counts;
  };
  std::array<Shard, size_t(1) << shardBits> shards;
};

/// Answers order questions once all CTAs have finished.
class SyncOrder {
public:
  explicit SyncOrder(std::vector<CtaSyncHistory> histories);

  /// Whether all that CTA `from` did up to its event number `fromEvent` comes before what CTA `to`
  /// did after its event number `toEvent`. Remembers the search from (from, fromEvent).
  bool ordered(uint32_t from, uint32_t fromEvent, uint32_t to, uint32_t toEvent);

  bool empty() const { return byCta.empty(); }

private:
  /// For each CTA reached, the number of events it had when it was first reached.
  using Reach = std::map<uint32_t, uint32_t>;
  struct Acquire {
    uint32_t sequence, cta, index;
  };

  Reach search(uint32_t from, uint32_t fromEvent) const;

  std::map<uint32_t, std::vector<SyncEvent>> byCta;
  std::unordered_map<uint64_t, std::vector<Acquire>> acquires; ///< By address, then sequence.
  std::map<std::pair<uint32_t, uint32_t>, Reach> searched;
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_SYNCLOG_H
