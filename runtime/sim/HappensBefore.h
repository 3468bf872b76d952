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
#ifndef TILEC_RUNTIME_SIM_HAPPENSBEFORE_H
#define TILEC_RUNTIME_SIM_HAPPENSBEFORE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace tilecrt::sim {

constexpr unsigned warpSize = 32;
constexpr unsigned maxWarps = 32;

/// How far a warp (or a barrier) knows the clocks of all warps of the CTA.
using WarpKnowledge = std::array<uint32_t, maxWarps>;

/// Takes into `into` what `from` knows.
inline void joinKnowledge(WarpKnowledge &into, const WarpKnowledge &from) {
  for (unsigned w = 0; w < maxWarps; ++w)
    into[w] = std::max(into[w], from[w]);
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

private:
  using LaneMatrix = std::array<std::array<uint32_t, warpSize>, warpSize>;

  uint32_t warpNow = 1;
  WarpKnowledge known = {};
  std::array<uint32_t, warpSize> lanes = {};
  std::unique_ptr<LaneMatrix>
      matrix; ///< [knower][known]; null while only whole warps synchronised.
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_HAPPENSBEFORE_H
