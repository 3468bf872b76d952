// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop of a host thread: one cluster after another, and several at a time only while all that
// run wait for global memory, because what they wait for may come from a CTA that has not begun.
#include "runtime/sim/Worker.h"
#include "runtime/sim/Cluster.h"
#include "runtime/sim/FaultGuard.h"
#include "tilecrt/sim/Sample.h"

#include <new>
#include <thread>

namespace tilecrt::sim {
namespace {

/// Simulated threads that one worker may hold at once: a bound on the stacks reserved.
constexpr size_t maxResidentThreads = size_t(1) << 15;
/// Access ranges that a launch may keep for the comparison of CTAs.
constexpr uint64_t maxKeptRanges = uint64_t(1) << 24;
/// Mappings that stacks with guard pages may take; the usual limit of a process is 65530.
constexpr uint64_t maxGuardMappings = 40000;
/// What a turn of a CTA that polls counts for in turns of one that spins: it takes so much longer.
constexpr uint64_t pollWeight = 8;

} // namespace

LaunchState::LaunchState(KernelEntry kernelEntry, void **kernelArgs,
                         const LaunchConfig &launchConfig)
    : config(launchConfig), entry(kernelEntry), args(kernelArgs), buffers(launchConfig.buffers),
      siteCount(static_cast<uint32_t>(launchConfig.sites ? launchConfig.sites->size() : 0) + 1),
      threads(launchConfig.block[0] * launchConfig.block[1] * launchConfig.block[2]),
      warps((threads + warpSize - 1) / warpSize),
      ctas(uint64_t(launchConfig.grid[0]) * launchConfig.grid[1] * launchConfig.grid[2]),
      clusterSize(launchConfig.cluster[0] * launchConfig.cluster[1] * launchConfig.cluster[2]),
      clusterThreads((clusterSize - 1) * warps * warpSize + threads), clusters(ctas / clusterSize),
      clustersToRun(launchConfig.sampledClusters != 0
                        ? std::min(launchConfig.sampledClusters, clusters)
                        : clusters),
      trustGlobal(!launchConfig.check && launchConfig.buffers.empty()),
      raceGlobal(launchConfig.check && launchConfig.checkGlobalRaces),
      track(raceGlobal || launchConfig.counters),
      footprint(launchConfig.counters ? launchConfig.buffers : std::vector<Buffer>()) {}

std::array<uint32_t, 3> LaunchState::clusterGrid() const {
  return {config.grid[0] / config.cluster[0], config.grid[1] / config.cluster[1],
          config.grid[2] / config.cluster[2]};
}

std::array<uint32_t, 3> LaunchState::ctaidOf(uint64_t cluster, uint32_t rank) const {
  const std::array<uint32_t, 3> &size = config.cluster;
  uint64_t x = config.grid[0] / size[0], y = config.grid[1] / size[1];
  return {static_cast<uint32_t>(cluster % x) * size[0] + rank % size[0],
          static_cast<uint32_t>(cluster / x % y) * size[1] + rank / size[0] % size[1],
          static_cast<uint32_t>(cluster / x / y) * size[2] + rank / size[0] / size[1]};
}

uint64_t LaunchState::numberOf(const std::array<uint32_t, 3> &ctaid) const {
  return ctaid[0] + config.grid[0] * (ctaid[1] + uint64_t(config.grid[1]) * ctaid[2]);
}

std::array<uint32_t, 3> LaunchState::programOf(const std::array<uint32_t, 3> &ctaid) const {
  return {ctaid[0] / config.programCtas, ctaid[1], ctaid[2]};
}

ThreadRef LaunchState::refOf(uint64_t cluster, uint32_t thread) const {
  uint32_t stride = warps * warpSize;
  return {ctaidOf(cluster, thread / stride), thread % stride};
}

Worker::Worker(LaunchState &launchState) : launch(launchState) {
  if (launch.config.counters) {
    counters.resize(launch.siteCount);
    loadSpans.resize(launch.siteCount, {UINT64_MAX, 0});
    loadsAgain.resize(launch.siteCount);
    atomicUpdates.resize(launch.siteCount);
    samples.resize(launch.siteCount);
  }
}

Worker::~Worker() = default;

bool Worker::startNext() {
  if (launch.outOfMemory.load(std::memory_order_relaxed) ||
      launch.hung.load(std::memory_order_relaxed))
    return false;
  uint64_t number = launch.nextCluster.fetch_add(1, std::memory_order_relaxed);
  if (number >= launch.clustersToRun)
    return false;
  if (idle.empty()) {
    auto fresh = std::make_unique<Cluster>(*this);
    if (!fresh->create())
      throw std::bad_alloc();
    idle.push_back(std::move(fresh));
  }
  running.push_back(std::move(idle.back()));
  idle.pop_back();
  running.back()->begin(sampledCluster(launch.clusterGrid(), launch.clustersToRun, number));
  return true;
}

void Worker::retire(size_t index) {
  running[index]->finish();
  idle.push_back(std::move(running[index]));
  running.erase(running.begin() + static_cast<std::ptrdiff_t>(index));
  launch.progress.fetch_add(1, std::memory_order_relaxed);
}

void Worker::setBusy(bool now) {
  if (now != busy)
    launch.busyWorkers.fetch_add(now ? 1 : -1);
  busy = now;
}

void Worker::run() {
  FaultGuard guard(launch.config.catchFaults);
  setBusy(true);
  try {
    runClusters();
  } catch (const std::bad_alloc &) {
    launch.outOfMemory = true;
  }
  setBusy(false);
}

void Worker::runClusters() {
  bool spinning = true; // All running CTAs spin; true when there are none.
  uint64_t spinRounds = 0, lastProgress = 0;
  while (true) {
    bool room = (running.size() + 1) * launch.clusterThreads <= maxResidentThreads;
    if (spinning && room && startNext())
      setBusy(true);
    if (running.empty())
      return;
    spinning = true;
    uint64_t weight = 1;
    for (size_t i = 0; i < running.size();) {
      Cluster::Outcome outcome = running[i]->run();
      if (outcome != Cluster::Outcome::Finished) {
        if (outcome == Cluster::Outcome::Polling)
          weight = pollWeight;
        ++i;
        continue;
      }
      spinning = running.size() == 1;
      retire(i);
    }
    if (!spinning || running.empty())
      continue;
    // Everything here spins: somebody else must move, or nobody ever will.
    setBusy(false);
    uint64_t progress = launch.progress.load(std::memory_order_relaxed);
    bool othersMove = progress != lastProgress || launch.busyWorkers.load() != 0;
    lastProgress = progress;
    spinRounds = othersMove ? 0 : spinRounds + weight;
    bool mayStartMore = room && launch.nextCluster.load() < launch.clusters && !launch.hung.load();
    if (spinRounds > launch.config.maxSpinRounds && !mayStartMore) {
      // None of them can wait for another one of these.
      while (!running.empty()) {
        running.front()->stopSpinning();
        retire(0);
      }
      spinRounds = 0;
    }
    std::this_thread::yield();
  }
}

void Worker::sample(const RequestQueue &queue, const Request &request, uint64_t cluster,
                    uint32_t firstThread) {
  Sample &kept = samples[queue.site];
  uint64_t middle = launch.clusters / 2;
  std::array<uint64_t, 3> rank = {warpSize -
                                      static_cast<uint64_t>(__builtin_popcount(request.active)),
                                  cluster > middle ? cluster - middle : middle - cluster, cluster};
  if (rank >= kept.rank)
    return;
  kept.rank = rank;
  SampledRequest &taken = kept.request;
  taken.kind = queue.kind == RequestKind::GlobalLoad    ? AccessKind::GlobalLoad
               : queue.kind == RequestKind::GlobalStore ? AccessKind::GlobalStore
                                                        : AccessKind::GlobalAtomic;
  taken.thread = launch.refOf(cluster, firstThread);
  taken.thread.cta = launch.programOf(taken.thread.cta);
  taken.active = request.active;
  taken.address = request.address;
  taken.bytes = request.bytes;
}

void Worker::keepRanges(std::vector<AccessRange> &clusterRanges) {
  uint64_t kept = launch.rangesKept.fetch_add(clusterRanges.size()) + clusterRanges.size();
  if (kept > maxKeptRanges)
    ranges = std::vector<AccessRange>(); // The comparison cannot be made; free what it would need.
  else
    ranges.insert(ranges.end(), clusterRanges.begin(), clusterRanges.end());
}

bool rangesOverflowed(const LaunchState &launch) { return launch.rangesKept > maxKeptRanges; }

bool canGuard(uint64_t workers, uint64_t threads) {
  return workers * threads * 2 <= maxGuardMappings;
}

} // namespace tilecrt::sim
