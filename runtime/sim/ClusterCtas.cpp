// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CTAs of a cluster do together: addresses in each other's shared memory, their barrier,
// and the check that a CTA runs while others use its memory.
//
// A CTA must have begun before another one touches its memory, and must not end before that was
// done. Both are questions of order and do not depend on who happens to run first here: something
// of the CTA has to be known when it is touched, and the touch when it ends.
#include "runtime/sim/Cluster.h"

namespace tilecrt::sim {

std::string Cluster::ofCta(const Cta &cta) const {
  return ctas.size() == 1 ? "" : " of CTA " + std::to_string(cta.rank) + " of the cluster";
}

std::string Cluster::offsetText(uint32_t place, const Thread &t) const {
  const Cta &cta = ctaAt(place);
  return "offset " + std::to_string(offsetOf(place)) + (&cta == t.cta ? "" : ofCta(cta));
}

std::string Cluster::threadText(uint32_t threadIndex, const Thread &t) const {
  const Thread &named = threads[threadIndex];
  return "thread " + std::to_string(numberInCta(named)) +
         (named.cta == t.cta ? "" : ofCta(*named.cta));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The CTA of an address, which becomes an offset there; null after a finding.
Cta *Cluster::ctaOf(Thread &t, uint32_t &address, const char *what, int32_t site) {
  uint32_t rank = address >> abi::sharedRankShift;
  if (rank == 0)
    return t.cta;
  uint32_t offset = address & abi::sharedOffsetMask;
  if (rank <= ctas.size()) {
    address = offset;
    return &ctas[rank - 1];
  }
  Finding finding = findingAt(t, FindingKind::OutOfWindowShared, site);
  add(finding, [&] {
    return std::string(what) + " at an address that is in no shared window of the cluster";
  });
  return nullptr;
}

uint32_t Cluster::mapShared(Thread &t, uint32_t address, uint32_t rank, int32_t site) {
  step(t, site);
  if (rank < ctas.size())
    return abi::mapShared(address, rank);
  report(t, FindingKind::InvalidOperation, site,
         "mapa to CTA " + std::to_string(rank) + " in a cluster of " + std::to_string(ctas.size()));
  return address;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

/// Whether another CTA, whose shared memory a thread touches, still runs; else a finding.
bool Cluster::isRunning(Thread &t, const Cta &cta, const char *what, int32_t site) {
  if (!cta.ended)
    return true;
  const Thread &last = threads[cta.lastThread];
  Finding finding = findingAt(t, FindingKind::CtaNotRunning, site);
  finding.otherSite = last.lastSite;
  finding.hasOther = true;
  finding.otherThread = refOf(last.index);
  add(finding, [&] {
    return std::string(what) + " in the shared memory" + ofCta(cta) + ", which has ended";
  });
  return false;
}

/// A thread touches another CTA's shared memory, of which nothing else tells that it has begun.
void Cluster::checkBegun(Thread &t, const Cta &cta, const char *what, int32_t site) {
  if (!shadow || t.warp->clusterWaits != 0)
    return;
  const WarpKnowledge &known = clocks[t.warp->index].knowledge();
  for (uint32_t w = cta.firstWarp; w < cta.firstWarp + cta.warpCount; ++w)
    if (known.at(w, OwnPart) != 0)
      return;
  report(t, FindingKind::CtaNotRunning, site,
         std::string(what) + " in the shared memory" + ofCta(cta) +
             ", which may not have begun: no cluster barrier before");
}

/// Remembers the touch for the end of the other CTA.
void Cluster::noteVisit(const Thread &t, Cta &cta, const char *what, int32_t site) {
  if (!shadow)
    return;
  if (cta.visits.empty())
    cta.visits.resize(warps.size());
  cta.visits[t.warp->index] = {clocks[t.warp->index].now(), t.index, site, what};
}

/// The CTA has ended: did it wait for all that others do in its memory?
void Cluster::checkVisits(const Cta &cta) {
  const Thread &last = threads[cta.lastThread];
  for (uint32_t visitor = 0; visitor < cta.visits.size(); ++visitor) {
    const RemoteAccess &access = cta.visits[visitor];
    if (access.warpClock == 0)
      continue;
    bool isKnown = false;
    for (uint32_t w = cta.firstWarp; w < cta.firstWarp + cta.warpCount; ++w)
      isKnown |= clocks[w].warpOrdered(visitor, access.warpClock);
    if (isKnown)
      continue;
    Finding finding = findingAt(threads[access.thread], FindingKind::CtaNotRunning, access.site);
    finding.otherSite = last.lastSite;
    finding.hasOther = true;
    finding.otherThread = refOf(last.index);
    add(finding, [&] {
      return std::string(access.what) + " in the shared memory" + ofCta(cta) +
             ", which may end before: none of its threads waits for it";
    });
  }
}

/// The last lane of a warp has ended.
void Cluster::warpEnded(Warp &warp) {
  Cta &cta = *warp.cta;
  if (cta.liveThreads == 0 && !cta.ended) {
    cta.ended = true;
    --liveCtas;
    finishAsync(cta);
    checkVisits(cta);
  }
  completeClusterBarrier();
}

//===----------------------------------------------------------------------===//
// The barrier
//===----------------------------------------------------------------------===//

void Cluster::clusterArrive(Thread &t, bool isRelaxed, int32_t site) {
  t.op = WarpOp();
  t.op.kind = OpKind::ClusterArrive;
  t.op.mode = isRelaxed;
  t.op.mask = t.warp->existing;
  t.op.site = site;
  warpOp(t);
}

void Cluster::clusterWait(Thread &t, int32_t site) {
  t.op = WarpOp();
  t.op.kind = OpKind::ClusterWait;
  t.op.mask = t.warp->existing;
  t.op.site = site;
  warpOp(t);
}

/// All lanes of the warp that run have come to the arrival.
void Cluster::arriveAtCluster(Warp &warp, uint32_t members, const WarpOp &op) {
  if (warp.clusterArrivals != warp.clusterWaits)
    return report(thread(warp, lowestLane(members)), FindingKind::InvalidOperation, op.site,
                  "arrives at the cluster barrier again before it has waited");
  ++warp.clusterArrivals;
  warp.clusterRelaxed = op.mode != 0;
  if (!warp.clusterRelaxed)
    clocks[warp.index].release(warp.index, clusterBarrier.meeting);
  completeClusterBarrier();
}

void Cluster::waitForCluster(Warp &warp, uint32_t members, const WarpOp &op) {
  if (warp.clusterArrivals == warp.clusterWaits)
    return report(thread(warp, lowestLane(members)), FindingKind::InvalidOperation, op.site,
                  "waits at the cluster barrier without having arrived");
  if (clusterBarrier.phase >= warp.clusterArrivals)
    return passClusterBarrier(warp, members);
  warp.ready &= ~members;
  warp.atCluster |= members;
}

/// The phase is over for a warp that has waited for it.
void Cluster::passClusterBarrier(Warp &warp, uint32_t lanes) {
  ++warp.clusterWaits;
  acquireKnowledge(warp, clusterBarrier.completed);
  if (!warp.clusterRelaxed)
    clocks[warp.index].syncLanes(lanes, warp.live());
}

/// Completes the phase if all warps that run have arrived, and wakes those who wait.
void Cluster::completeClusterBarrier() {
  bool isAnybodyThere = false;
  for (const Warp &warp : warps) {
    if (warp.live() == 0)
      continue;
    if (warp.clusterArrivals <= clusterBarrier.phase)
      return;
    isAnybodyThere = true;
  }
  if (!isAnybodyThere)
    return;
  ++clusterBarrier.phase;
  clusterBarrier.completed.join(clusterBarrier.meeting);
  clusterBarrier.meeting.clear();
  for (Warp &warp : warps) {
    if (warp.atCluster == 0)
      continue;
    passClusterBarrier(warp, warp.atCluster);
    warp.ready |= warp.atCluster;
    warp.atCluster = 0;
  }
}

//===----------------------------------------------------------------------===//
// Order by global atomics
//===----------------------------------------------------------------------===//

/// Whether the CTA of one access released something after it that another CTA of the cluster may
/// have acquired before the other one, wherever.
bool Cluster::isSynchronised(const AccessRange &from, const AccessRange &to) const {
  uint32_t releaser = warps[from.firstThread / warpSize].cta->rank;
  uint32_t acquirer = warps[to.firstThread / warpSize].cta->rank;
  bool isReleased = false;
  for (size_t i = from.syncBefore; i < to.syncAfter && i < syncEvents.size(); ++i) {
    if (isReleased && syncEvents[i].acquires && syncEvents[i].rank == acquirer)
      return true;
    isReleased |= syncEvents[i].releases && syncEvents[i].rank == releaser;
  }
  return false;
}

} // namespace tilecrt::sim
