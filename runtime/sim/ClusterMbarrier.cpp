// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barrier objects in shared memory, and the fences between proxies.
//
// A phase completes when no arrival is missing and all bytes it expects have landed. Arriving
// publishes what the warp knows into the phase, waiting takes it over; a thread that waits is
// suspended until the phase completes, so that a wait that cannot end is a deadlock found at once.
// The object's memory is not used: the state is kept aside and its cells only say that it is there.
#include "runtime/sim/Cluster.h"

namespace tilecrt::sim {
namespace {

constexpr uint32_t mbarrierBytes = 8;
constexpr int32_t maxCount = (1 << 20) - 1;

} // namespace

std::string Cluster::objectText(uint32_t mbar) const {
  return "the barrier object at offset " + std::to_string(offsetOf(mbar)) + ofCta(ctaAt(mbar));
}

/// The object at an offset in a CTA, which `what` is applied to; null after a finding.
Mbarrier *Cluster::mbarrierAt(Thread &t, Cta &cta, uint32_t offset, int32_t site,
                              const char *what) {
  uint32_t mbar = cta.window + offset;
  auto found =
      offset < launch.config.sharedBytes ? async.mbarriers.find(mbar) : async.mbarriers.end();
  if (found == async.mbarriers.end()) {
    report(t, FindingKind::InvalidMbarrier, site,
           std::string(what) + " at offset " + std::to_string(offset) +
               (&cta == t.cta ? "" : ofCta(cta)) +
               ", where no barrier object has been initialised");
    return nullptr;
  }
  Mbarrier &object = found->second;
  if (&cta != t.cta && !isRunning(t, cta, what, site))
    return nullptr;
  if (shadow && object.init.thread != t.index) {
    unsigned initWarp = object.init.thread / warpSize;
    WarpClock &clock = clocks[t.warp->index];
    bool ordered =
        initWarp != t.warp->index
            ? clock.warpOrdered(initWarp, object.init.warpClock)
            : clock.laneOrdered(t.lane, object.init.thread % warpSize, object.init.laneClock);
    // The fence makes do with a cluster barrier that orders nothing else.
    ordered |= object.initFenced && t.warp->clusterWaits > object.fencePhase;
    if (!ordered) {
      Finding finding = findingAt(t, FindingKind::SharedRaceRAW, site);
      finding.access = {AccessKind::SharedAtomic, offset, mbarrierBytes};
      finding.otherSite = object.initSite;
      finding.hasOther = true;
      finding.otherThread = refOf(object.init.thread);
      finding.otherAccess = {AccessKind::SharedStore, offset, mbarrierBytes};
      add(finding, [&] {
        return std::string(what) + ": " + objectText(mbar) + " was initialised by " +
               threadText(object.init.thread, t) + ", with no " +
               (&cta == t.cta ? "barrier" : "cluster barrier") + " between";
      });
    }
  }
  return &object;
}

void Cluster::mbarrierInit(Thread &t, uint32_t offset, int32_t count, int32_t site) {
  step(t, site);
  if (count < 1 || count > maxCount)
    return report(t, FindingKind::InvalidMbarrier, site,
                  "barrier object for " + std::to_string(count) + " arrivals, expected 1 to " +
                      std::to_string(maxCount));
  if (!checkShared(t, offset, mbarrierBytes, AccessKind::SharedStore, site))
    return;
  uint32_t mbar = t.cta->window + offset;
  if (async.mbarriers.count(mbar))
    return report(t, FindingKind::InvalidMbarrier, site,
                  objectText(mbar) + " is initialised again without having been invalidated");
  if (shadow) {
    SharedConflicts found = shadow->write(mbar, mbarrierBytes, stamp(t, site));
    if (found.any())
      reportShared(t, found, {AccessKind::SharedStore, mbar, mbarrierBytes}, site, false);
    shadow->setMbarrier(mbar, mbarrierBytes, /*alive=*/true);
  }
  Mbarrier &object = async.mbarriers[mbar];
  object.expected = object.pending = static_cast<uint32_t>(count);
  object.initSite = object.lastArrival = site;
  object.init = stamp(t, site);
}

void Cluster::mbarrierInval(Thread &t, uint32_t offset, int32_t site) {
  step(t, site);
  Mbarrier *object = mbarrierAt(t, *t.cta, offset, site, "mbarrier.inval");
  if (!object)
    return;
  uint32_t mbar = t.cta->window + offset;
  for (const Warp &warp : warps)
    for (uint32_t lanes = warp.atMbarrier; lanes != 0; lanes &= lanes - 1) {
      const Thread &other = thread(warp, lowestLane(lanes));
      if (async.waits[other.index].mbar != mbar)
        continue;
      Finding finding = findingAt(t, FindingKind::InvalidMbarrier, site);
      finding.otherSite = async.waits[other.index].site;
      finding.hasOther = true;
      finding.otherThread = refOf(other.index);
      return add(finding, [&] {
        return objectText(mbar) + " is invalidated while " + threadText(other.index, t) +
               " waits at it";
      });
    }
  bool isBusy = !object->copyArrivals.empty();
  for (const BulkLoad &load : async.bulkLoads)
    isBusy |= load.mbar == mbar;
  if (isBusy)
    report(t, FindingKind::InvalidMbarrier, site,
           objectText(mbar) + " is invalidated while copies that arrive at it are in flight");
  async.mbarriers.erase(mbar);
  if (shadow)
    shadow->setMbarrier(mbar, mbarrierBytes, /*alive=*/false);
}

/// Completes the phase if nothing is missing, and wakes those who wait for it.
void Cluster::completePhase(uint32_t mbar, Mbarrier &object) {
  if (object.pending != 0 || object.tx != 0)
    return;
  ++object.phase;
  object.pending = object.expected;
  object.completed.join(object.meeting);
  object.meeting.clear();
  if (async.waitingLanes == 0)
    return;
  for (Warp &warp : warps)
    for (uint32_t lanes = warp.atMbarrier; lanes != 0; lanes &= lanes - 1) {
      uint32_t bit = lanes & (~lanes + 1);
      const MbarrierWait &wait = async.waits[thread(warp, lowestLane(lanes)).index];
      if (wait.mbar != mbar || !wait.isOver(object))
        continue;
      if (!wait.relaxed)
        acquireKnowledge(warp, object.completed);
      warp.atMbarrier &= ~bit;
      warp.ready |= bit;
      --async.waitingLanes;
    }
}

void Cluster::acquireKnowledge(Warp &warp, const WarpKnowledge &knowledge) {
  WarpClock &clock = clocks[warp.index];
  bool isNews = false;
  for (unsigned w = 0; w < knowledge.warps(); ++w)
    isNews |= knowledge.at(w, OwnPart) > clock.knowledge().at(w, OwnPart);
  clock.acquire(knowledge);
  if (isNews && launch.raceGlobal)
    takeSnapshot(warp);
}

uint64_t Cluster::mbarrierArrive(Thread &t, uint32_t address, int32_t count, int32_t txBytes,
                                 int32_t flags, int32_t site) {
  step(t, site);
  const char *what = "mbarrier.arrive";
  Cta *cta = ctaOf(t, address, what, site);
  Mbarrier *object = cta ? mbarrierAt(t, *cta, address, site, what) : nullptr;
  if (!object)
    return 0;
  uint32_t mbar = cta->window + address;
  if (cta != t.cta)
    noteVisit(t, *cta, what, site);
  if (Counters *counters = countersOf(site))
    ++counters->mbarrierArrivals;
  uint64_t state = object->phase;
  if (count < 1 || static_cast<uint32_t>(count) > object->pending) {
    report(t, FindingKind::InvalidMbarrier, site,
           std::to_string(count) + " arrivals at " + objectText(mbar) + ", which lacks " +
               std::to_string(object->pending));
    return state;
  }
  if (txBytes > 0)
    object->tx += txBytes;
  object->pending -= static_cast<uint32_t>(count);
  if (flags & abi::ArriveDrop)
    object->expected -= std::min(object->expected, static_cast<uint32_t>(count));
  object->lastArrival = site;
  // An arrival of the CTA's scope at an object of another one comes behind what its warp has read,
  // as any; what the warp has written may be seen later. It counts as one of the cluster's all the
  // same: slots are handed back so, and a fence in each step of a loop would double its time.
  if (!(flags & abi::ArriveRelaxed))
    clocks[t.warp->index].release(t.warp->index, object->meeting);
  if ((flags & abi::ArriveNoComplete) && object->pending == 0 && object->tx == 0)
    report(t, FindingKind::InvalidMbarrier, site,
           "an arrival that must not complete the phase of " + objectText(mbar) + " completes it");
  completePhase(mbar, *object);
  return state;
}

void Cluster::mbarrierTx(Thread &t, uint32_t address, int32_t txBytes, int32_t site) {
  step(t, site);
  const char *what = txBytes < 0 ? "mbarrier.complete_tx" : "mbarrier.expect_tx";
  Cta *cta = ctaOf(t, address, what, site);
  Mbarrier *object = cta ? mbarrierAt(t, *cta, address, site, what) : nullptr;
  if (!object)
    return;
  if (cta != t.cta)
    noteVisit(t, *cta, what, site);
  object->tx += txBytes;
  completePhase(cta->window + address, *object);
}

bool Cluster::mbarrierWait(Thread &t, MbarrierWait wait, int32_t mode) {
  step(t, wait.site);
  Mbarrier *object = mbarrierAt(t, *t.cta, wait.mbar, wait.site,
                                mode == abi::WaitTest ? "mbarrier.test_wait" : "mbarrier.try_wait");
  wait.mbar += t.cta->window;
  if (!object)
    return true; // Already a finding; waiting for ever would hide the rest.
  if (Counters *counters = countersOf(wait.site))
    ++counters->mbarrierWaits;
  if (wait.isOver(*object)) {
    if (!wait.relaxed)
      acquireKnowledge(*t.warp, object->completed);
    return true;
  }
  async.waits[t.index] = wait;
  uint32_t bit = 1u << t.lane;
  if (mode == abi::WaitTest) {
    t.warp->testing |= bit;
    yield(t, /*spins=*/true);
    return false;
  }
  t.warp->ready &= ~bit;
  t.warp->atMbarrier |= bit;
  ++async.waitingLanes;
  t.spins = 0;
  fibers.suspend(t.index);
  return true;
}

/// Nothing goes on while threads wait at a barrier object, or with `onlyTests` ask it again and
/// again: says what it lacks. False if none does.
bool Cluster::reportMbarrierStall(bool onlyTests) {
  auto waitingLanes = [&](const Warp &warp) { return onlyTests ? warp.testing : warp.atMbarrier; };
  // Of several CTAs, one that lacks bytes, or some arrivals, says more than one at which nobody is.
  auto urgency = [&](const Warp &warp) {
    const MbarrierWait &wait = async.waits[thread(warp, lowestLane(waitingLanes(warp))).index];
    auto found = async.mbarriers.find(wait.mbar);
    if (ctas.size() == 1 || found == async.mbarriers.end())
      return 0;
    const Mbarrier &object = found->second;
    return object.tx != 0 ? 2 : object.pending != object.expected ? 1 : 0;
  };
  const Warp *first = nullptr;
  for (const Warp &warp : warps)
    if (waitingLanes(warp) != 0 && (!first || urgency(warp) > urgency(*first)))
      first = &warp;
  if (first)
    reportMbarrierWait(*first, lowestLane(waitingLanes(*first)), onlyTests);
  return first != nullptr;
}

/// A lane waits at a barrier object for ever: says what that lacks.
void Cluster::reportMbarrierWait(const Warp &warp, unsigned lane, bool onlyTests) {
  const Thread &t = thread(warp, lane);
  const MbarrierWait &wait = async.waits[t.index];
  Finding finding = findingAt(t, FindingKind::Deadlock, wait.site);
  auto found = async.mbarriers.find(wait.mbar);
  finding.otherSite = found == async.mbarriers.end() ? -1 : found->second.initSite;
  std::string message = "waits for a phase of " + objectText(wait.mbar);
  if (found != async.mbarriers.end()) {
    const Mbarrier &object = found->second;
    message += " (for " + std::to_string(object.expected) + " arrivals, in phase " +
               std::to_string(object.phase) + ") that does not complete: ";
    if (object.pending == object.expected && object.tx == 0 && wait.parity)
      message += "nobody has arrived, and it waits for parity " + std::to_string(wait.phase & 1);
    else
      message += std::to_string(object.pending) + " arrivals and " + std::to_string(object.tx) +
                 " bytes are missing";
  }
  // Somebody else who waits elsewhere, who may be the one that should arrive.
  for (const Warp &other : warps) {
    uint32_t elsewhere = other.atBarrier | other.atCluster | other.atOp;
    if (elsewhere == 0 || &other == &warp)
      continue;
    Thread &o = thread(other, lowestLane(elsewhere));
    finding.otherSite = o.op.site;
    finding.hasOther = true;
    finding.otherThread = refOf(o.index);
    message += "; " + threadText(o.index, t) + " waits elsewhere";
    break;
  }
  // Or another CTA at an object of its own.
  for (const Warp &other : warps) {
    if (finding.hasOther || onlyTests || other.cta == warp.cta || other.atMbarrier == 0)
      continue;
    Thread &o = thread(other, lowestLane(other.atMbarrier));
    finding.otherSite = async.waits[o.index].site;
    finding.hasOther = true;
    finding.otherThread = refOf(o.index);
    message += "; " + threadText(o.index, t) + " waits at " + objectText(async.waits[o.index].mbar);
  }
  add(finding, [&] { return message; });
}

void Cluster::proxyFence(Thread &t, int32_t kind, int32_t site) {
  step(t, site);
  if (Counters *counters = countersOf(site))
    ++counters->fences;
  switch (kind) {
  case abi::FenceProxyAsync:
  case abi::FenceProxyAsyncShared:
    clocks[t.warp->index].proxyFence(t.warp->index);
    return;
  case abi::FenceMbarrierInit:
    for (auto &[mbar, object] : async.mbarriers)
      if (object.init.thread == t.index && !object.initFenced) {
        object.initFenced = true;
        object.fencePhase = t.warp->clusterArrivals;
      }
    return;
  case abi::FenceProxyAlias:
  case abi::FenceProxyAsyncGlobal:
  case abi::FenceProxyTensorMap:
    return;
  default:
    report(t, FindingKind::InvalidOperation, site,
           "proxy fence " + std::to_string(kind) + " does not exist");
  }
}

} // namespace tilecrt::sim
