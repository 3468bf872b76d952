// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses of a cluster are ordered: vector clocks in two levels.
//
// Between warps, each warp has a clock that ticks at every barrier it takes part in and a row
// that says how far it knows every other warp's clock; a barrier joins the rows of those that meet.
// Within a warp, each lane has a clock that ticks at bar.warp.sync and at CTA barriers; as long as
// only whole warps synchronise, an older lane clock is an ordered access, and only the first
// partial mask makes the warp keep the lane-by-lane matrix.
//
// What a warp knows has four parts. Besides the warps' own clocks there is a clock for each warp's
// asynchronous operations, which ticks when one lands and is learnt by waiting for it, and a copy
// of both of which it is known that a proxy fence came after: up to there the async proxy may touch
// what the generic proxy has accessed. Bulk copies to shared memory have a clock of their own for
// each warp: who waits for one at its barrier object learns nothing of what else the warp has
// started.
#ifndef TILEC_RUNTIME_SIM_HAPPENSBEFORE_H
#define TILEC_RUNTIME_SIM_HAPPENSBEFORE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilecrt::sim {

constexpr unsigned warpSize = 32;

/// The parts of what is known of a warp: its own clock, that of its asynchronous operations, both
/// as far as fenced, and that of its bulk copies to shared memory.
enum KnowledgePart : unsigned { OwnPart, AsyncPart, OwnFencedPart, AsyncFencedPart, BulkLoadPart };
constexpr unsigned knowledgeParts = 5;

/// How far a warp (or a barrier) knows the clocks of all warps of the cluster. As long as needed:
/// what is not there is not known.
class WarpKnowledge {
public:
  /// Forgets everything; room is kept.
  void clear() { clocks.clear(); }
  /// Makes room for `warps`, of which nothing is known.
  void reset(unsigned warps) { clocks.assign(size_t(knowledgeParts) * warps, 0); }

  /// The clock of a warp that there is room for.
  uint32_t at(unsigned warp, KnowledgePart part) const {
    return clocks[knowledgeParts * warp + part];
  }
  uint32_t &at(unsigned warp, KnowledgePart part) { return clocks[knowledgeParts * warp + part]; }

  /// Learns of a clock that it is at least `clock`.
  void raise(unsigned warp, KnowledgePart part, uint32_t clock) {
    if (warps() <= warp)
      clocks.resize(size_t(knowledgeParts) * (warp + 1));
    at(warp, part) = std::max(at(warp, part), clock);
  }

  /// Takes over what `from` knows.
  void join(const WarpKnowledge &from) {
    if (clocks.size() < from.clocks.size())
      clocks.resize(from.clocks.size());
    for (size_t i = 0; i < from.clocks.size(); ++i)
      clocks[i] = std::max(clocks[i], from.clocks[i]);
  }

  /// The warps that there is room for.
  unsigned warps() const { return static_cast<unsigned>(clocks.size() / knowledgeParts); }

private:
  std::vector<uint32_t> clocks; ///< [warp][part].
};

/// The clocks of one warp and its lanes. All clocks start at 1; knowledge starts at 0.
class WarpClock {
public:
  /// Begins anew, in a cluster of `warps`.
  void reset(unsigned warps);

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
  bool warpOrdered(unsigned other, uint32_t clock) const {
    return known.at(other, OwnPart) >= clock;
  }

  /// An asynchronous operation that warp `self` has issued lands: the time of its accesses.
  uint32_t landAsync() { return ++asyncNow; }
  uint32_t lastLanding() const { return asyncNow; }

  /// The same of a bulk copy to shared memory.
  uint32_t landBulkLoad() { return ++bulkLoadsNow; }

  /// Whether an asynchronous access that warp `other` has issued and that landed at `clock` is
  /// ordered before what this warp does now.
  bool asyncOrdered(unsigned other, uint32_t clock) const {
    return known.at(other, AsyncPart) >= clock;
  }

  /// The same of a bulk copy to shared memory.
  bool bulkLoadOrdered(unsigned other, uint32_t clock) const {
    return known.at(other, BulkLoadPart) >= clock;
  }

  /// The warp learns that what warp `other` had issued up to `clock` has landed.
  void acquireAsync(unsigned other, uint32_t clock) { known.raise(other, AsyncPart, clock); }

  /// A lane executes a proxy fence: it covers all that the warp knows and did. Lanes run one after
  /// another, so what later lanes do before their own fence gets a later clock.
  void proxyFence(unsigned self);

  /// Whether a proxy fence lies between a generic access of warp `other` at `clock`, an
  /// asynchronous clock or one of its own, and now.
  bool fenced(unsigned other, uint32_t clock, bool isAsync = false) const {
    return known.at(other, isAsync ? AsyncFencedPart : OwnFencedPart) >= clock;
  }

private:
  using LaneMatrix = std::array<std::array<uint32_t, warpSize>, warpSize>;

  uint32_t warpNow = 1, asyncNow = 0, bulkLoadsNow = 0;
  WarpKnowledge known; ///< Of all warps.
  std::array<uint32_t, warpSize> lanes = {};
  std::unique_ptr<LaneMatrix>
      matrix; ///< [knower][known]; null while only whole warps synchronised.
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_HAPPENSBEFORE_H
