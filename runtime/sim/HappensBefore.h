// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses of a CTA are ordered: vector clocks in two levels.
//
// Between warps, each warp has a clock that ticks at every CTA barrier it takes part in and a row
// that says how far it knows every other warp's clock; a barrier joins the rows of those that meet.
// Within a warp, each lane has a clock that ticks at bar.warp.sync and at CTA barriers; as long as
// only whole warps synchronise, an older lane clock is an ordered access, and only the first
// partial mask makes the warp keep the lane-by-lane matrix.
//
// What a warp knows has three parts. Besides the warps' own clocks there is a clock for each warp's
// asynchronous operations, which ticks when one lands and is learnt by waiting for it, and a copy
// of the warps' clocks of which it is known that a proxy fence came after: up to there the async
// proxy may touch what the generic proxy has accessed.
#ifndef TILEC_RUNTIME_SIM_HAPPENSBEFORE_H
#define TILEC_RUNTIME_SIM_HAPPENSBEFORE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace tilecrt::sim {

constexpr unsigned warpSize = 32;
constexpr unsigned maxWarps = 32;

/// How far a warp (or a barrier) knows the clocks of all warps of the CTA: the warps' own, their
/// asynchronous operations', and both as far as fenced.
using WarpKnowledge = std::array<uint32_t, 4 * maxWarps>;
constexpr unsigned fencedPart = 2 * maxWarps;

/// Takes into `into` what `from` knows.
inline void joinKnowledge(WarpKnowledge &into, const WarpKnowledge &from) {
  for (unsigned i = 0; i < into.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

inline uint32_t &asyncClockOf(WarpKnowledge &knowledge, unsigned warp) {
  return knowledge[maxWarps + warp];
}

/// The clocks of one warp and its lanes. All clocks start at 1; knowledge starts at 0.
class WarpClock {
public:
  void reset();

  uint32_t now() const { return warpNow; }
  uint32_t laneNow(unsigned lane) const { return lanes[lane]; }
  const WarpKnowledge &knowledge() const { return known; }

  /// The whole warp arrives at a barrier: publishes what it knows, itself included, into `meeting`.
  void release(unsigned self, WarpKnowledge &meeting);

  /// The warp leaves a barrier that collected `meeting`.
  void acquire(const WarpKnowledge &meeting);

  /// The lanes of `members` synchronise; `live` are the lanes that still run.
  void syncLanes(uint32_t members, uint32_t live);

  /// Whether an access of `otherLane` at lane clock `clock` is ordered before what `lane` does now.
  bool laneOrdered(unsigned lane, unsigned otherLane, uint32_t clock) const {
    if (!matrix)
      return clock < lanes[lane];
    return (*matrix)[lane][otherLane] >= clock;
  }

  /// Whether an access of warp `other` at its clock `clock` is ordered before what this warp does
  /// now.
  bool warpOrdered(unsigned other, uint32_t clock) const { return known[other] >= clock; }

  /// An asynchronous operation that warp `self` has issued lands: the time of its accesses.
  uint32_t landAsync() { return ++asyncNow; }
  uint32_t lastLanding() const { return asyncNow; }

  /// Whether an asynchronous access that warp `other` has issued and that landed at `clock` is
  /// ordered before what this warp does now.
  bool asyncOrdered(unsigned other, uint32_t clock) const {
    return known[maxWarps + other] >= clock;
  }

  /// The warp learns that what warp `other` had issued up to `clock` has landed.
  void acquireAsync(unsigned other, uint32_t clock) {
    known[maxWarps + other] = std::max(known[maxWarps + other], clock);
  }

  /// A lane executes a proxy fence: it covers all that the warp knows and did. Lanes run one after
  /// another, so what later lanes do before their own fence gets a later clock.
  void proxyFence(unsigned self);

  /// Whether a proxy fence lies between a generic access of warp `other` at `clock`, an
  /// asynchronous clock or one of its own, and now.
  bool fenced(unsigned other, uint32_t clock, bool isAsync = false) const {
    return known[fencedPart + (isAsync ? maxWarps : 0) + other] >= clock;
  }

private:
  using LaneMatrix = std::array<std::array<uint32_t, warpSize>, warpSize>;

  uint32_t warpNow = 1, asyncNow = 0;
  WarpKnowledge known = {};
  std::array<uint32_t, warpSize> lanes = {};
  std::unique_ptr<LaneMatrix>
      matrix; ///< [knower][known]; null while only whole warps synchronised.
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_HAPPENSBEFORE_H
