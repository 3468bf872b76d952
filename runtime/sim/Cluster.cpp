// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The life of a cluster and its scheduler: rounds over the warps, each warp run until its lanes
// wait.
#include "runtime/sim/Cluster.h"
#include "runtime/sim/FaultGuard.h"

#include <boost/context/detail/exception.hpp>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace tilecrt::sim {
namespace {

/// Stack that an ABI call may need; a thread with less left has overflowed its stack.
constexpr size_t stackReserve = 24 * 1024;
/// Rounds of pure spinning before other CTAs get their turn.
constexpr unsigned spinRoundsPerTurn = 64;
/// What the shared window holds when a CTA begins: NaN in every float type, so misuse shows.
constexpr int sharedFill = 0xff;
/// Of shared windows, as swizzled layouts need it.
constexpr uint32_t windowAlignment = 1024;

// A plain __thread variable: a C++ thread_local with external linkage costs a call at each use.
__thread Thread *runningThread = nullptr;

} // namespace

Thread *&currentThread() { return runningThread; }

Cluster::Cluster(Worker &owner) : launch(owner.launch), worker(owner) {}

bool Cluster::create() {
  const LaunchConfig &config = launch.config;
  if (!fibers.create(launch.clusterThreads, config.stackBytes, launch.guardPages))
    return false;
  ctas = std::vector<Cta>(launch.clusterSize);
  windowStride = (config.sharedBytes + windowAlignment - 1) / windowAlignment * windowAlignment;
  threads = std::vector<Thread>(launch.clusterThreads);
  clocks = std::vector<WarpClock>(size_t(launch.warps) * launch.clusterSize);
  warps.reserve(clocks.size());
  for (Cta &cta : ctas) {
    cta.rank = static_cast<uint32_t>(&cta - ctas.data());
    cta.window = cta.rank * windowStride;
    cta.firstWarp = cta.rank * launch.warps;
    cta.warpCount = launch.warps;
    createThreads(cta);
  }
  lastBuffer.assign(launch.siteCount, nullptr);
  size_t windowBytes = size_t(windowStride) * ctas.size();
  if (windowBytes != 0) {
    sharedMemory.reset(static_cast<char *>(std::aligned_alloc(windowAlignment, windowBytes)));
    if (!sharedMemory)
      return false;
  }
  if (config.check)
    shadow = std::make_unique<SharedShadow>(ctas.back().window + config.sharedBytes, clocks);
  return true;
}

void Cluster::createThreads(Cta &cta) {
  const LaunchConfig &config = launch.config;
  for (unsigned w = 0; w < cta.warpCount; ++w) {
    Warp &warp = warps.emplace_back(launch.track ? launch.siteCount : 0);
    warp.cta = &cta;
    warp.index = cta.firstWarp + w;
    warp.inCta = w;
    unsigned lanes = std::min(warpSize, launch.threads - w * warpSize);
    warp.existing = lanes == warpSize ? ~0u : (1u << lanes) - 1;
  }
  for (uint32_t i = 0; i < launch.threads; ++i) {
    uint32_t index = cta.firstWarp * warpSize + i;
    Thread &t = threads[index];
    t.cluster = this;
    t.cta = &cta;
    t.warp = &warps[index / warpSize];
    t.index = index;
    t.lane = i % warpSize;
    t.tid = {i % config.block[0], i / config.block[0] % config.block[1],
             i / config.block[0] / config.block[1]};
    t.stackLimit = fibers.stackFloor(index) + stackReserve;
  }
}

void Cluster::begin(uint64_t newNumber) {
  const LaunchConfig &config = launch.config;
  number = newNumber;
  for (Cta &cta : ctas) {
    cta.ctaid = launch.ctaidOf(number, cta.rank);
    cta.number = launch.numberOf(cta.ctaid);
    cta.liveThreads = launch.threads;
    cta.ended = false;
    for (CtaBarrierState &barrier : cta.barriers)
      barrier.reset();
    cta.visits.clear();
    cta.encoded = EncodedMaps();
    if (sharedMemory)
      std::memset(sharedMemory.get() + cta.window, sharedFill, config.sharedBytes);
  }
  clusterBarrier = ClusterBarrierState();
  ticks = 0;
  for (Warp &warp : warps) {
    warp.ready = warp.existing;
    warp.yielded = warp.spinning = warp.testing = 0;
    warp.atOp = warp.atBarrier = warp.atCluster = warp.atMbarrier = warp.done = 0;
    warp.snapshot = 0;
    warp.clusterArrivals = warp.clusterWaits = 0;
  }
  for (WarpClock &clock : clocks)
    clock.reset(static_cast<unsigned>(clocks.size()));
  for (Thread &t : threads) {
    if (!t.cta)
      continue; // Behind the last thread of a CTA whose last warp is not whole.
    t.program = launch.programOf(t.cta->ctaid);
    t.steps = 0;
    t.spins = t.polls = 0;
    t.pollAddress = t.pollValue = t.pollWork = 0;
    t.op = WarpOp();
    fibers.prepare(t.index, threadBody, &t);
  }
  if (shadow)
    shadow->beginCluster();
  async.reset(launch.clusterThreads, static_cast<uint32_t>(warps.size()));
  stopped = false;
  liveCtas = ctaCount();
  linesPrinted = 0;
  idleRounds = 0;
  missedOps = 0;
  globalWork = 0;
  poller = nullptr;
  epochRanges.clear();
  pastRanges.clear();
  pastCompacted = 0;
  snapshots.assign(warps.size(), 0);
  syncEvents.clear();
  fenced = false;
  fencedEvents = 0;
}

Cluster::Outcome Cluster::run() {
  if (!launch.config.catchFaults)
    return runRounds();
  FaultFrame frame;
  frame.outer = armedFrame();
  if (sigsetjmp(frame.target, 0) != 0) {
    armedFrame() = frame.outer;
    onFault(frame.address);
    return Outcome::Finished;
  }
  armedFrame() = &frame;
  Outcome outcome = runRounds();
  armedFrame() = frame.outer;
  return outcome;
}

Cluster::Outcome Cluster::runRounds() {
  while (true) {
    bool moved = false, yielded = false;
    for (Warp &warp : warps) {
      if (!(warp.ready | warp.yielded | warp.atOp))
        continue;
      moved |= runWarp(warp);
      yielded |= warp.yielded != 0;
      if (stopped)
        return Outcome::Finished;
      if (warp.live() == 0)
        warpEnded(warp);
    }
    if (liveCtas == 0)
      return Outcome::Finished;
    moved |= landForWaiters();
    if (moved && !poller) {
      idleRounds = 0;
      launch.progress.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    if (moved || yielded) {
      if (++idleRounds < spinRoundsPerTurn)
        continue;
      idleRounds = 0;
      return moved ? Outcome::Polling : Outcome::Spinning;
    }
    if (releaseAfterExits()) {
      if (stopped)
        return Outcome::Finished;
      continue;
    }
    reportStall();
    stopped = true;
    return Outcome::Finished;
  }
}

/// Runs the lanes and performs what they wait for until all wait for something outside the warp.
/// True if anything but spinning happened.
bool Cluster::runWarp(Warp &warp) {
  bool moved = false;
  warp.ready |= warp.yielded;
  warp.yielded = warp.spinning = warp.testing = 0;
  do {
    while (warp.ready != 0) {
      unsigned lane = lowestLane(warp.ready);
      resumeLane(warp, lane);
      if (stopped)
        return true;
      moved |= !(warp.spinning >> lane & 1);
    }
    if (warp.atOp != 0)
      moved |= performOps(warp);
  } while (warp.ready != 0);
  return moved;
}

void Cluster::resumeLane(Warp &warp, unsigned lane) {
  Thread &t = thread(warp, lane);
  runningThread = &t;
  fibers.resume(t.index);
  runningThread = nullptr;
}

/// After the fault handler has jumped out of the running thread.
void Cluster::onFault(uintptr_t address) {
  Thread &t = *runningThread;
  runningThread = nullptr;
  fibers.leftByJump(t.index);
  stopped = true;
  if (fibers.inGuardPage(address))
    report(t, FindingKind::StackOverflow, t.lastSite,
           "the thread needs more than " + std::to_string(launch.config.stackBytes) +
               " bytes of stack");
  else
    report(t, FindingKind::HostFault, t.lastSite,
           address < 4096 ? "memory fault at a null pointer in code that is not checked"
                          : "memory fault in code that is not checked");
}

void Cluster::threadBody(void *argument) {
  Thread &t = *static_cast<Thread *>(argument);
  t.cluster->runThread(t);
}

void Cluster::runThread(Thread &t) {
  std::string thrown;
  try {
    launch.entry(launch.args);
  } catch (const boost::context::detail::forced_unwind &) {
    throw;
  } catch (const std::exception &e) {
    thrown = std::string("the kernel threw an exception: ") + e.what();
  } catch (...) {
    thrown = "the kernel threw an exception";
  }
  uint32_t bit = 1u << t.lane;
  t.warp->ready &= ~bit;
  t.warp->done |= bit;
  --t.cta->liveThreads;
  t.cta->lastThread = t.index;
  if (!thrown.empty()) {
    report(t, FindingKind::KernelException, t.lastSite, thrown);
    stopped = true;
  }
}

void Cluster::yield(Thread &t, bool spins) {
  uint32_t bit = 1u << t.lane;
  t.warp->ready &= ~bit;
  t.warp->yielded |= bit;
  if (spins)
    t.warp->spinning |= bit;
  fibers.suspend(t.index);
}

void Cluster::stop(Thread &t, FindingKind kind, int32_t site, std::string message) {
  report(t, kind, site, message);
  stopped = true;
  // This frame is never left, so nothing else would free the text.
  std::string().swap(message);
  while (true)
    fibers.suspend(t.index);
}

void Cluster::step(Thread &t, int32_t site) {
  t.lastSite = site;
  ++ticks;
  if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < t.stackLimit)
    stop(t, FindingKind::StackOverflow, site,
         "the thread needs more than " + std::to_string(launch.config.stackBytes) +
             " bytes of stack");
  if (++t.steps > launch.config.maxStepsPerThread) {
    launch.hung = true;
    stop(t, FindingKind::Deadlock, site,
         "the thread did not finish within " + std::to_string(launch.config.maxStepsPerThread) +
             " steps");
  }
}

void Cluster::stopSpinning() {
  stopped = true;
  launch.hung = true;
  if (reportMbarrierStall(/*onlyTests=*/true))
    return;
  const char *text = "the thread waits in a loop for a value that no running thread writes";
  for (Warp &warp : warps) {
    if (warp.yielded == 0)
      continue;
    Thread &t = thread(warp, lowestLane(warp.yielded));
    return report(t, FindingKind::Deadlock, t.lastSite, text);
  }
  if (poller)
    report(*poller, FindingKind::Deadlock, poller->lastSite, text);
}

void Cluster::finish() {
  for (Warp &warp : warps)
    flushRequests(warp);
  endRaceEpoch();
  if (launch.raceGlobal) {
    compactRanges(pastRanges);
    worker.keepRanges(pastRanges);
    if (!syncEvents.empty())
      worker.syncHistories.push_back({static_cast<uint32_t>(number), std::move(syncEvents)});
  }
  if (!stopped)
    return;
  worker.ctasStopped += ctas.size();
  for (Warp &warp : warps)
    for (uint32_t lanes = warp.live(); lanes != 0; lanes &= lanes - 1)
      fibers.abandon(thread(warp, lowestLane(lanes)).index);
}

Finding Cluster::findingAt(const Thread &t, FindingKind kind, int32_t site) const {
  Finding finding;
  finding.kind = kind;
  finding.site = site;
  finding.thread = refOf(t.index);
  return finding;
}

void Cluster::report(Thread &t, FindingKind kind, int32_t site, const std::string &message) {
  add(findingAt(t, kind, site), [&] { return message; });
}

} // namespace tilecrt::sim
