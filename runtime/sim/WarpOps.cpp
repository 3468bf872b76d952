// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lanes wait for: the warp-wide operations, CTA barriers, and what is reported when nothing
// can go on.
#include "runtime/sim/Cluster.h"
#include "runtime/sim/Float16.h"

#include <cstdio>

namespace tilecrt::sim {
namespace {

/// Operations that a cluster may go through without threads that have exited; so many are a loop
/// that never ends.
constexpr uint32_t maxMissedOps = 1024;

bool has(uint32_t lanes, unsigned lane) { return lanes >> lane & 1; }
std::string hex(uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", mask);
  return text;
}

const char *opName(OpKind kind) {
  switch (kind) {
  case OpKind::Shuffle:
    return "shuffle";
  case OpKind::Redux:
    return "warp reduction";
  case OpKind::Vote:
    return "vote";
  case OpKind::Match:
    return "match";
  case OpKind::WarpBarrier:
    return "warp barrier";
  case OpKind::CtaBarrier:
  case OpKind::CtaArrive:
    return "barrier";
  case OpKind::ClusterArrive:
  case OpKind::ClusterWait:
    return "cluster barrier";
  case OpKind::Mma:
    return "matrix product";
  case OpKind::LoadMatrix:
    return "matrix load";
  case OpKind::StoreMatrix:
    return "matrix store";
  case OpKind::WgmmaFence:
  case OpKind::Wgmma:
  case OpKind::WgmmaCommit:
  case OpKind::WgmmaWait:
    return "warpgroup operation";
  case OpKind::None:
    break;
  }
  return "operation";
}

bool isCtaBarrier(OpKind kind) { return kind == OpKind::CtaBarrier || kind == OpKind::CtaArrive; }

bool isClusterBarrier(OpKind kind) {
  return kind == OpKind::ClusterArrive || kind == OpKind::ClusterWait;
}

float reduceFloat(int32_t kind, float a, float b) {
  bool dropsNaN = kind == abi::ReduxFMin || kind == abi::ReduxFMax;
  if (!dropsNaN && (std::isnan(a) || std::isnan(b)))
    return floatFromBits(0x7fffffff);
  return kind == abi::ReduxFMin || kind == abi::ReduxFMinNaN ? std::fmin(a, b) : std::fmax(a, b);
}

uint32_t reduce(int32_t kind, uint32_t a, uint32_t b) {
  using namespace abi;
  int32_t sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  switch (kind) {
  case ReduxAdd:
    return a + b;
  case ReduxMin:
    return sa < sb ? a : b;
  case ReduxMax:
    return sa > sb ? a : b;
  case ReduxUMin:
    return a < b ? a : b;
  case ReduxUMax:
    return a > b ? a : b;
  case ReduxAnd:
    return a & b;
  case ReduxOr:
    return a | b;
  case ReduxXor:
    return a ^ b;
  default:
    return bitsFromFloat(reduceFloat(kind, floatFromBits(a), floatFromBits(b)));
  }
}

} // namespace

void Cluster::warpOp(Thread &t) {
  step(t, t.op.site);
  uint32_t bit = 1u << t.lane;
  if (!(t.op.mask & bit)) {
    report(t, FindingKind::WarpOpMissingLane, t.op.site,
           std::string("lane ") + std::to_string(t.lane) + " executes a " + opName(t.op.kind) +
               " whose mask " + hex(t.op.mask) + " does not name it");
    t.op.mask = bit;
  }
  t.warp->ready &= ~bit;
  t.warp->atOp |= bit;
  t.spins = 0;
  fibers.suspend(t.index);
}

/// Performs every operation whose lanes have all come. True if there was one.
bool Cluster::performOps(Warp &warp) {
  bool any = false;
  uint32_t pending = warp.atOp;
  while (pending != 0) {
    // A copy: performing may let the leader go on to its next operation later.
    WarpOp op = thread(warp, lowestLane(pending)).op;
    uint32_t members = 0;
    for (uint32_t lanes = pending; lanes != 0; lanes &= lanes - 1) {
      unsigned lane = lowestLane(lanes);
      if (thread(warp, lane).op.sameAs(op))
        members |= 1u << lane;
    }
    pending &= ~members;
    if ((op.mask & warp.live() & ~members) != 0)
      continue;
    perform(warp, members, op);
    any = true;
  }
  return any;
}

void Cluster::perform(Warp &warp, uint32_t members, const WarpOp &op) {
  Thread &leader = thread(warp, lowestLane(members));
  uint32_t exited = op.mask & warp.existing & warp.done;
  if (exited != 0 && !isClusterBarrier(op.kind)) { // Which is for those that run.
    report(leader,
           isCtaBarrier(op.kind) ? FindingKind::DivergentBarrier : FindingKind::WarpOpMissingLane,
           op.site,
           "lane " + std::to_string(lowestLane(exited)) +
               " of the warp has exited and misses the " + opName(op.kind));
    countMissed(leader, op.site, opName(op.kind));
  }
  if (members == warp.live())
    flushRequests(warp);

  warp.atOp &= ~members;
  warp.ready |= members;
  Counters *counters = countersOf(op.site);
  switch (op.kind) {
  case OpKind::Shuffle:
    if (counters)
      ++counters->shuffles;
    return shuffle(warp, members);
  case OpKind::Redux:
    if (counters)
      ++counters->reduxes;
    return redux(warp, members);
  case OpKind::Vote:
    if (counters)
      ++counters->votes;
    return vote(warp, members);
  case OpKind::Match:
    if (counters)
      ++counters->votes;
    return match(warp, members);
  case OpKind::WarpBarrier:
    if (counters)
      ++counters->warpBarriers;
    clocks[warp.index].syncLanes(members, warp.live());
    return;
  case OpKind::CtaBarrier:
  case OpKind::CtaArrive:
    if (counters)
      ++counters->barriers;
    return arrive(warp, members, op);
  case OpKind::ClusterArrive:
    if (counters)
      ++counters->barriers;
    return arriveAtCluster(warp, members, op);
  case OpKind::ClusterWait:
    return waitForCluster(warp, members, op);
  case OpKind::Mma:
    return mma(warp, members);
  case OpKind::LoadMatrix:
    return moveMatrices(warp, members, /*loads=*/true);
  case OpKind::StoreMatrix:
    return moveMatrices(warp, members, /*loads=*/false);
  case OpKind::WgmmaFence:
    wgmmaOf(warp).fenced = true;
    return;
  case OpKind::Wgmma:
    return issueProduct(warp, members);
  case OpKind::WgmmaCommit: {
    WgmmaState &state = wgmmaOf(warp);
    state.groups.push_back(state.first + state.products.size());
    return;
  }
  case OpKind::WgmmaWait:
    return waitProducts(warp, members);
  case OpKind::None:
    return;
  }
}

void Cluster::shuffle(Warp &warp, uint32_t members) {
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    unsigned lane = lowestLane(lanes);
    Thread &t = thread(warp, lane);
    WarpOp &op = t.op;
    uint32_t operand = op.lane & 31, clamp = op.clamp & 31, segment = op.clamp >> 8 & 31;
    uint32_t maxLane = (lane & segment) | (clamp & ~segment & 31);
    uint32_t minLane = lane & segment;
    // Wraps around for a negative lane, which then is out of range.
    int32_t source = 0;
    switch (op.mode) {
    case abi::ShuffleUp:
      source = static_cast<int32_t>(lane) - static_cast<int32_t>(operand);
      op.inRange = source >= static_cast<int32_t>(maxLane);
      break;
    case abi::ShuffleDown:
      source = static_cast<int32_t>(lane + operand);
      op.inRange = source <= static_cast<int32_t>(maxLane);
      break;
    case abi::ShuffleBfly:
      source = static_cast<int32_t>(lane ^ operand);
      op.inRange = source <= static_cast<int32_t>(maxLane);
      break;
    default:
      source = static_cast<int32_t>(minLane | (operand & ~segment & 31));
      op.inRange = source <= static_cast<int32_t>(maxLane);
      break;
    }
    if (!op.inRange)
      source = static_cast<int32_t>(lane);
    if (has(members, static_cast<unsigned>(source))) {
      op.result = thread(warp, static_cast<unsigned>(source)).op.value;
      continue;
    }
    op.result = 0;
    report(t, FindingKind::WarpOpMissingLane, op.site,
           "the shuffle reads from lane " + std::to_string(source) + ", which does not take part");
  }
}

void Cluster::redux(Warp &warp, uint32_t members) {
  int32_t kind = thread(warp, lowestLane(members)).op.mode;
  uint32_t rest = members & (members - 1);
  uint32_t result = static_cast<uint32_t>(thread(warp, lowestLane(members)).op.value);
  for (; rest != 0; rest &= rest - 1)
    result = reduce(kind, result, static_cast<uint32_t>(thread(warp, lowestLane(rest)).op.value));
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1)
    thread(warp, lowestLane(lanes)).op.result = result;
}

void Cluster::vote(Warp &warp, uint32_t members) {
  uint32_t ballot = 0;
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1)
    if (thread(warp, lowestLane(lanes)).op.value != 0)
      ballot |= 1u << lowestLane(lanes);
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    WarpOp &op = thread(warp, lowestLane(lanes)).op;
    switch (op.mode) {
    case abi::VoteAny:
      op.result = ballot != 0;
      break;
    case abi::VoteAll:
      op.result = ballot == members;
      break;
    case abi::VoteUni:
      op.result = ballot == 0 || ballot == members;
      break;
    default:
      op.result = ballot;
      break;
    }
  }
}

void Cluster::match(Warp &warp, uint32_t members) {
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    WarpOp &op = thread(warp, lowestLane(lanes)).op;
    op.result = 0;
    for (uint32_t others = members; others != 0; others &= others - 1)
      if (thread(warp, lowestLane(others)).op.value == op.value)
        op.result |= 1u << lowestLane(others);
  }
}

/// The whole warp (as far as it still runs) has come to a CTA barrier.
void Cluster::arrive(Warp &warp, uint32_t members, const WarpOp &op) {
  Thread &leader = thread(warp, lowestLane(members));
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    Thread &t = thread(warp, lowestLane(lanes));
    if (t.op.site == op.site)
      continue;
    Finding finding = findingAt(leader, FindingKind::DivergentBarrier, op.site);
    finding.otherSite = t.op.site;
    finding.hasOther = true;
    finding.otherThread = refOf(t.index);
    add(finding, [] { return "lanes of one warp wait at different barriers"; });
    break;
  }
  Cta &cta = *warp.cta;
  CtaBarrierState &barrier = cta.barriers[static_cast<size_t>(op.mode)];
  if (!barrier.active) {
    barrier.active = true;
    barrier.nthreads = op.nthreads;
    barrier.site = op.site;
  } else if (barrier.nthreads != op.nthreads) {
    Finding finding = findingAt(leader, FindingKind::DivergentBarrier, op.site);
    finding.otherSite = barrier.site;
    add(finding, [&] {
      return "barrier " + std::to_string(op.mode) + " is for " + std::to_string(op.nthreads) +
             " threads here, but for " + std::to_string(barrier.nthreads) + " elsewhere";
    });
    barrier.nthreads = std::max(barrier.nthreads, op.nthreads);
  }
  WarpClock &clock = clocks[warp.index];
  clock.release(warp.index, barrier.meeting);
  clock.syncLanes(members, warp.live());
  barrier.arrivedThreads += warpSize;
  barrier.arrivedWarps |= 1u << warp.inCta;
  if (op.kind == OpKind::CtaBarrier) {
    warp.ready &= ~members;
    warp.atBarrier |= members;
    barrier.waitingWarps |= 1u << warp.inCta;
  }
  uint32_t expected =
      barrier.nthreads != 0 ? static_cast<uint32_t>(barrier.nthreads) : cta.warpCount * warpSize;
  if (barrier.arrivedThreads >= expected)
    release(cta, barrier);
}

/// Lets the waiting warps go, knowing all that the arrived ones did.
void Cluster::release(Cta &cta, CtaBarrierState &barrier) {
  uint32_t all = cta.warpCount == warpSize ? ~0u : (1u << cta.warpCount) - 1;
  bool whole = barrier.waitingWarps == all && ctas.size() == 1;
  if (whole)
    endRaceEpoch(); // With the knowledge from before the barrier.
  for (uint32_t waiting = barrier.waitingWarps; waiting != 0; waiting &= waiting - 1) {
    Warp &warp = warps[cta.firstWarp + lowestLane(waiting)];
    WarpClock &clock = clocks[warp.index];
    clock.acquire(barrier.meeting);
    if (launch.raceGlobal && !whole)
      takeSnapshot(warp);
    else
      warp.snapshot = 0;
    warp.ready |= warp.atBarrier;
    warp.atBarrier = 0;
  }
  if (whole) {
    snapshots.clear();
    addSnapshot(clocks[0].knowledge());
  }
  barrier.reset();
}

/// Threads that have exited miss an operation of others. Who waits for what they should have done,
/// with such operations in between, is stopped.
void Cluster::countMissed(Thread &t, int32_t site, const char *operation) {
  if (++missedOps != maxMissedOps)
    return;
  stopped = true;
  report(t, FindingKind::Deadlock, site,
         std::string("the thread waits in a loop for threads that have exited: the ") +
             std::to_string(maxMissedOps) + "th " + operation + " without them");
}

/// Nothing can go on: if some barrier only lacks warps that have exited, says so and releases it.
bool Cluster::releaseAfterExits() {
  for (Cta &cta : ctas) {
    uint32_t liveWarps = 0;
    for (uint32_t w = 0; w < cta.warpCount; ++w)
      if (warps[cta.firstWarp + w].live() != 0)
        liveWarps |= 1u << w;
    for (CtaBarrierState &barrier : cta.barriers) {
      if (!barrier.active || barrier.nthreads != 0 || barrier.waitingWarps != liveWarps)
        continue;
      const Warp &waiting = warps[cta.firstWarp + lowestLane(barrier.waitingWarps)];
      Finding finding = findingAt(thread(waiting, lowestLane(waiting.live())),
                                  FindingKind::DivergentBarrier, barrier.site);
      add(finding, [&] {
        uint32_t gone =
            cta.warpCount - static_cast<uint32_t>(__builtin_popcount(barrier.arrivedWarps));
        return std::to_string(gone) + " of " + std::to_string(cta.warpCount) +
               " warps have exited without reaching the barrier";
      });
      countMissed(thread(waiting, lowestLane(waiting.live())), barrier.site, "barrier");
      release(cta, barrier);
      return true;
    }
  }
  return false;
}

/// Nothing can go on at all: finds two groups of threads that wait in different places.
void Cluster::reportStall() {
  if (!reportMbarrierStall(/*onlyTests=*/false) && !reportLaneStall())
    reportBarrierStall();
}

/// Lanes of one warp at different operations.
bool Cluster::reportLaneStall() {
  for (const Warp &warp : warps) {
    if (warp.atOp == 0)
      continue;
    Thread &t = thread(warp, lowestLane(warp.atOp));
    uint32_t others = 0;
    for (uint32_t lanes = warp.atOp; lanes != 0; lanes &= lanes - 1)
      if (!thread(warp, lowestLane(lanes)).op.sameAs(t.op))
        others |= 1u << lowestLane(lanes);
    others |= warp.atBarrier | warp.atCluster;
    bool barrier = isCtaBarrier(t.op.kind) || isClusterBarrier(t.op.kind);
    Finding finding = findingAt(t, FindingKind::WarpOpMissingLane, t.op.site);
    std::string message = std::string("lanes ") + hex(warp.atOp & ~others) +
                          " of the warp wait at a " + opName(t.op.kind);
    if (others != 0) {
      Thread &other = thread(warp, lowestLane(others));
      barrier |= isCtaBarrier(other.op.kind) || isClusterBarrier(other.op.kind);
      finding.otherSite = other.op.site;
      finding.hasOther = true;
      finding.otherThread = refOf(other.index);
      message += std::string(", lane ") + std::to_string(other.lane) + " waits at a " +
                 opName(other.op.kind) + " elsewhere";
    }
    if (barrier)
      finding.kind = FindingKind::DivergentBarrier;
    add(finding, [&] { return message; });
    return true;
  }
  return false;
}

/// Whole warps at barriers of their CTA that cannot complete.
void Cluster::reportBarrierStall() {
  for (const Cta &cta : ctas) {
    const CtaBarrierState *first = nullptr, *second = nullptr;
    for (const CtaBarrierState &barrier : cta.barriers)
      if (barrier.waitingWarps != 0)
        (!first ? first : second) = &barrier;
    if (!first)
      continue;
    auto waiter = [&](const CtaBarrierState &barrier) -> Thread & {
      const Warp &warp = warps[cta.firstWarp + lowestLane(barrier.waitingWarps)];
      return thread(warp, lowestLane(warp.atBarrier));
    };
    Thread &t = waiter(*first);
    Finding finding = findingAt(t, FindingKind::Deadlock, t.op.site);
    auto nameOther = [&](const Thread &other) {
      finding.otherSite = other.op.site;
      finding.hasOther = true;
      finding.otherThread = refOf(other.index);
    };
    uint32_t expected =
        first->nthreads != 0 ? static_cast<uint32_t>(first->nthreads) : cta.warpCount * warpSize;
    std::string message = "barrier " + std::to_string(first - cta.barriers.data()) + " waits for " +
                          std::to_string(expected) + " threads, but only " +
                          std::to_string(first->arrivedThreads) + " can arrive";
    if (second) {
      nameOther(waiter(*second));
      message += "; others wait at barrier " + std::to_string(second - cta.barriers.data());
      if (first->nthreads == 0 || second->nthreads == 0)
        finding.kind = FindingKind::DivergentBarrier;
    } else {
      for (const Warp &warp : warps)
        if (warp.atCluster != 0) {
          nameOther(thread(warp, lowestLane(warp.atCluster)));
          message += "; others wait at the cluster barrier";
          break;
        }
    }
    return add(finding, [&] { return message; });
  }
}

} // namespace tilecrt::sim
