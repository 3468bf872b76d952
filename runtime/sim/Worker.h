// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch shares between its host threads, and what each of them collects on its own until
// the end, so that simulated threads take no lock for bookkeeping.
#ifndef TILEC_RUNTIME_SIM_WORKER_H
#define TILEC_RUNTIME_SIM_WORKER_H

#include "runtime/sim/AccessRanges.h"
#include "runtime/sim/BufferTable.h"
#include "runtime/sim/Findings.h"
#include "runtime/sim/Footprint.h"
#include "runtime/sim/Requests.h"
#include "runtime/sim/SyncLog.h"
#include <atomic>
#include <memory>
#include <unordered_map>

namespace tilecrt::sim {

class Cluster;

/// Synchronising atomics that a launch remembers for the race check between CTAs.
constexpr uint64_t maxSyncEvents = uint64_t(1) << 22;

/// Shared by all host threads of one launch; immutable but for the atomics and the sequencer.
struct LaunchState {
  LaunchState(KernelEntry kernelEntry, void **kernelArgs, const LaunchConfig &launchConfig);

  const LaunchConfig &config;
  const KernelEntry entry;
  void **const args;
  const BufferTable buffers;
  const uint32_t siteCount; ///< Sites given, plus one for unknown places.
  const uint32_t threads;   ///< Of a CTA.
  const uint32_t warps;     ///< Of a CTA.
  const uint64_t ctas;
  const uint32_t clusterSize;    ///< CTAs of a cluster.
  const uint32_t clusterThreads; ///< Of a cluster; each CTA begins with a new warp.
  const uint64_t clusters;
  const uint64_t clustersToRun; ///< A sample of them, or all.
  const bool trustGlobal; ///< No buffers and no checking: every global access is taken as good.
  const bool raceGlobal;  ///< Look for races in global memory.
  const bool track;       ///< Requests are formed: for counters or races.
  bool guardPages = true;
  /// Of the buffers, with counters; nothing without.
  Footprint footprint;

  /// The coordinates in the grid of a CTA, by its cluster and its rank there, and its number, x
  /// fastest.
  std::array<uint32_t, 3> ctaidOf(uint64_t cluster, uint32_t rank) const;
  uint64_t numberOf(const std::array<uint32_t, 3> &ctaid) const;
  /// The program that a CTA runs, unless it is persistent.
  std::array<uint32_t, 3> programOf(const std::array<uint32_t, 3> &ctaid) const;
  /// A thread by its number in its cluster.
  ThreadRef refOf(uint64_t cluster, uint32_t thread) const;
  /// Clusters in x, y, z.
  std::array<uint32_t, 3> clusterGrid() const;

  std::atomic<uint64_t> nextCluster{0};
  std::atomic<int64_t> busyWorkers{0}; ///< Workers that run something other than spinning CTAs.
  std::atomic<uint64_t> progress{0};   ///< Moves while any CTA does something other than spin.
  std::atomic<uint64_t> rangesKept{0}; ///< Access ranges of all workers.
  std::atomic<uint64_t> syncEvents{0};
  std::atomic<bool> outOfMemory{false};
  std::atomic<bool> hung{false};         ///< A CTA does not end: no further ones are begun.
  std::atomic<bool> raceCheckCut{false}; ///< Some CTA gave up its own race check.
  SyncSequencer sequencer;
};

/// A line printed by the kernel, with what sorts it.
struct PrintRecord {
  uint64_t cta = 0;
  uint64_t order = 0; ///< Within the CTA.
  PrintedLine line;
};

/// The sectors that CTAs loaded last, as a cache of 64 kB for each CTA would have them: one place
/// for each sector.
class RecentSectors {
public:
  /// Notes a load; whether it is one of the last.
  bool load(uint64_t cta, uint64_t sector) {
    if (places.empty())
      places.resize(count);
    Place &place = places[(sector + cta * stride) % count];
    bool isKnown = place.sector == sector && place.cta == cta + 1;
    place = {sector, cta + 1};
    return isKnown;
  }

private:
  static constexpr uint64_t count = 2048, stride = 977;
  struct Place {
    uint64_t sector = 0, cta = 0;
  };
  std::vector<Place> places;
};

/// One host thread: runs clusters until there are none left.
class Worker {
public:
  explicit Worker(LaunchState &launchState);
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  /// Returns when no cluster is left. Running out of memory ends it early, with
  /// LaunchState::outOfMemory set.
  void run();

  /// Keeps a request of a warp, whose first thread has that number in its cluster, if it is a
  /// better sample of its site.
  void sample(const RequestQueue &queue, const Request &request, uint64_t cluster,
              uint32_t firstThread);

  /// Takes over the access ranges of a finished cluster.
  void keepRanges(std::vector<AccessRange> &clusterRanges);

  LaunchState &launch;
  FindingSet findings;
  std::vector<Counters> counters; ///< By site; empty without counters.
  /// Atomics of one site.
  struct AtomicPlaces {
    bool isFloat = false;
    /// The lanes of a warp are one.
    bool isMerged = false;
    /// How many each address of global memory got.
    std::unordered_map<uint64_t, uint64_t> counts;
  };
  /// With counters, by site.
  std::unordered_map<uint32_t, AtomicPlaces> atomicPlaces;
  /// With counters, by site: the lowest address that was loaded from, and the end of the highest.
  std::vector<std::pair<uint64_t, uint64_t>> loadSpans;
  /// With counters, by site: sectors of loads that the CTA had loaded not long before, and sectors
  /// that atomics have updated.
  std::vector<uint64_t> loadsAgain, atomicUpdates;
  RecentSectors recent;
  struct Sample {
    /// Lanes that are masked off, how far the cluster is from the middle of the grid, and its
    /// number: the least is kept, of equal ones the first.
    std::array<uint64_t, 3> rank = {UINT64_MAX, 0, 0};
    SampledRequest request;
  };
  /// With counters, by site.
  std::vector<Sample> samples;
  std::vector<AccessRange> ranges;
  std::vector<CtaSyncHistory> syncHistories;
  std::vector<PrintRecord> printed;
  uint64_t printedDropped = 0;
  uint64_t ctasStopped = 0;

private:
  void runClusters();
  bool startNext();
  void retire(size_t index);
  void setBusy(bool now);

  bool busy = false; ///< As counted in LaunchState::busyWorkers.
  std::vector<std::unique_ptr<Cluster>> idle;
  std::vector<std::unique_ptr<Cluster>> running;
};

/// Whether more access ranges came up than a launch keeps, so that CTAs cannot be compared.
bool rangesOverflowed(const LaunchState &launch);

/// Whether stacks of that many threads on that many workers can have guard pages.
bool canGuard(uint64_t workers, uint64_t threads);

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_WORKER_H
