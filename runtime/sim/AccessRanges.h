// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The footprint of global memory accesses as ranges, for finding races after the fact.
//
// Each request becomes a few ranges (one when it is coalesced) that still tell which lane touched
// which byte. Races inside a CTA are looked for at each CTA barrier among the ranges since the last
// one, inside a cluster of several at its end; then neighbouring ranges are merged and kept for the
// comparison between clusters at the end of
// the launch. Both are a sweep over the ranges in address order, so the outcome depends neither on
// host threads nor on the order in which CTAs ran.
#ifndef TILEC_RUNTIME_SIM_ACCESSRANGES_H
#define TILEC_RUNTIME_SIM_ACCESSRANGES_H

#include "runtime/sim/Requests.h"
#include <functional>

namespace tilecrt::sim {

enum class RangeKind : uint8_t { Read, Write, Atomic, AtomicRead };

inline bool onlyReads(RangeKind kind) {
  return kind == RangeKind::Read || kind == RangeKind::AtomicRead;
}

/// Bytes [begin, begin + length), touched by consecutive threads, `laneBytes` each, from
/// `firstThread` on.
struct AccessRange {
  uint64_t begin = 0;
  uint32_t length = 0;
  uint32_t site = 0;
  uint32_t cluster = 0;
  uint32_t warpClock = 0, laneClock = 0;
  uint32_t snapshot = 0;  ///< Which of the cluster's versions of warp knowledge held for the warp.
  uint32_t valueHash = 0; ///< Sum of a hash of value and address over the lanes.
  /// Synchronising atomics the cluster had performed before the first and before the last lane's
  /// access.
  uint32_t syncBefore = 0, syncAfter = 0;
  uint32_t laneBytes = 0;
  uint16_t firstThread = 0;
  RangeKind kind = RangeKind::Read;

  /// In every field; the order is by address.
  bool operator==(const AccessRange &other) const;
  bool operator<(const AccessRange &other) const;

  uint64_t end() const { return begin + length; }
  uint32_t threadAt(uint64_t address) const {
    return firstThread + static_cast<uint32_t>((address - begin) / laneBytes);
  }
};

/// Two ranges that conflict, and the first byte where they do.
struct RangeConflict {
  const AccessRange *first =
      nullptr; ///< The read, or the write with the lower site, cluster and thread.
  const AccessRange *second = nullptr; ///< The write.
  uint64_t address = 0;
  bool sameValue = false;
};

/// Splits a request into ranges and appends them to `out`; `prototype` gives all that is the same
/// for its lanes, with `firstThread` the number of lane 0.
void appendRanges(const Request &request, const AccessRange &prototype,
                  std::vector<AccessRange> &out);

/// Whether two ranges that share bytes, in any order, race, and at which address first.
using RaceTest = std::function<bool(const AccessRange &, const AccessRange &, uint64_t &address)>;

/// Sorts `ranges` and reports pairs of which at least one is a write and not both are atomic, that
/// share bytes and for which `races` says yes: for each range one conflict with each other site,
/// not all pairs.
/// False if it gave up, because too many pairs share bytes without racing.
bool findConflicts(std::vector<AccessRange> &ranges, const RaceTest &races,
                   const std::function<void(const RangeConflict &)> &report);

/// Sorts, drops repeated ranges and merges those that continue each other.
void compactRanges(std::vector<AccessRange> &ranges);

/// The first address that two ranges of one cluster share where different threads touch it; false
/// if none.
bool differentThreads(const AccessRange &a, const AccessRange &b, uint64_t &address);

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_ACCESSRANGES_H
