// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public entry: checks the configuration, spreads the grid over host threads, compares CTAs for
// races, and puts the workers' collections together.
#include "runtime/sim/Cluster.h"
#include "runtime/sim/Worker.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace tilecrt::sim {
namespace {

constexpr uint32_t maxGridX = 0x7fffffff, maxGridYZ = 65535;
constexpr uint32_t maxThreadsPerCta = 1024, maxBlockZ = 64;
constexpr uint32_t maxSharedBytes = 227 * 1024;
constexpr uint64_t maxCtas = uint64_t(1) << 32;
constexpr uint32_t maxClusterCtas = 16;
constexpr size_t minStackBytes = 64 * 1024, maxStackBytes = size_t(1) << 30;

std::string checkCluster(const LaunchConfig &config) {
  auto text = [](const std::array<uint32_t, 3> &size) {
    return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
           std::to_string(size[2]);
  };
  uint64_t ctas = 1;
  for (uint32_t size : config.cluster) {
    if (size == 0 || size > maxClusterCtas)
      return "cluster of " + text(config.cluster) + " CTAs, expected 1 to " +
             std::to_string(maxClusterCtas) + " in each dimension";
    ctas *= size;
  }
  if (ctas > maxClusterCtas)
    return "cluster of " + std::to_string(ctas) + " CTAs, expected at most " +
           std::to_string(maxClusterCtas);
  for (size_t axis = 0; axis < 3; ++axis)
    if (config.grid[axis] % config.cluster[axis] != 0)
      return "grid of " + text(config.grid) + " CTAs, not a multiple of the cluster " +
             text(config.cluster);
  return "";
}

/// What is wrong with the configuration, in words; empty if nothing.
std::string checkConfig(KernelEntry entry, const LaunchConfig &config) {
  const char axes[] = "xyz";
  auto dimension = [&](const char *what, size_t axis, uint32_t got, uint32_t most) {
    return std::string(what) + " size " + std::to_string(got) + " in " + axes[axis] +
           ", expected 1 to " + std::to_string(most);
  };
  if (!entry)
    return "no kernel to launch";
  for (size_t axis = 0; axis < 3; ++axis) {
    uint32_t most = axis == 0 ? maxGridX : maxGridYZ;
    if (config.grid[axis] == 0 || config.grid[axis] > most)
      return dimension("grid", axis, config.grid[axis], most);
    uint32_t mostThreads = axis == 2 ? maxBlockZ : maxThreadsPerCta;
    if (config.block[axis] == 0 || config.block[axis] > mostThreads)
      return dimension("block", axis, config.block[axis], mostThreads);
  }
  uint64_t threads = uint64_t(config.block[0]) * config.block[1] * config.block[2];
  if (threads > maxThreadsPerCta)
    return "block of " + std::to_string(threads) + " threads, expected at most " +
           std::to_string(maxThreadsPerCta);
  if (config.sharedBytes > maxSharedBytes)
    return "shared memory of " + std::to_string(config.sharedBytes) + " bytes, expected at most " +
           std::to_string(maxSharedBytes);
  // The product of three 32-bit sizes can wrap around in 64 bits; two cannot.
  uint64_t rows = uint64_t(config.grid[1]) * config.grid[2];
  if (rows > maxCtas / config.grid[0])
    return "grid of more than 2^32 CTAs, which the simulator cannot number";
  if (std::string problem = checkCluster(config); !problem.empty())
    return problem;
  if (config.programCtas == 0 || config.grid[0] % config.programCtas != 0)
    return "grid of " + std::to_string(config.grid[0]) + " CTAs in x, not a multiple of the " +
           std::to_string(config.programCtas) + " of a program";
  if (config.stackBytes < minStackBytes || config.stackBytes > maxStackBytes)
    return "stack of " + std::to_string(config.stackBytes) + " bytes, expected " +
           std::to_string(minStackBytes) + " to " + std::to_string(maxStackBytes);
  for (const Buffer &buffer : config.buffers)
    if (!buffer.base && buffer.bytes != 0)
      return "buffer '" + buffer.name + "' has " + std::to_string(buffer.bytes) +
             " bytes but no address";
  return "";
}

/// Runs all workers, the last on the calling thread; with fewer of them where threads cannot be
/// made.
void runWorkers(LaunchState &launch, std::vector<std::unique_ptr<Worker>> &workers) {
  std::vector<std::thread> threads;
  threads.reserve(workers.size());
  for (size_t i = 0; i + 1 < workers.size(); ++i) {
    try {
      threads.emplace_back([worker = workers[i].get()] { worker->run(); });
    } catch (const std::system_error &) {
      break;
    }
  }
  workers.back()->run();
  for (std::thread &thread : threads)
    thread.join();
}

/// Looks for races between clusters in all that the workers kept.
void compareCtas(LaunchState &launch, std::vector<std::unique_ptr<Worker>> &workers,
                 FindingSet &findings, std::string &incomplete) {
  if (rangesOverflowed(launch)) {
    incomplete = "too many scattered global accesses to look for races between CTAs";
    return;
  }
  if (launch.syncEvents > maxSyncEvents) {
    incomplete = "too many global atomics to look for races between CTAs";
    return;
  }
  std::vector<AccessRange> ranges;
  std::vector<CtaSyncHistory> histories;
  for (auto &worker : workers) {
    ranges.insert(ranges.end(), worker->ranges.begin(), worker->ranges.end());
    worker->ranges = std::vector<AccessRange>();
    std::move(worker->syncHistories.begin(), worker->syncHistories.end(),
              std::back_inserter(histories));
  }
  SyncOrder order(std::move(histories));
  auto races = [&](const AccessRange &a, const AccessRange &b, uint64_t &address) {
    if (a.cluster == b.cluster || order.ordered(a.cluster, a.syncBefore, b.cluster, b.syncAfter) ||
        order.ordered(b.cluster, b.syncBefore, a.cluster, a.syncAfter))
      return false;
    address = std::max(a.begin, b.begin);
    return true;
  };
  bool complete = findConflicts(ranges, races, [&](const RangeConflict &conflict) {
    Finding finding = raceFinding(conflict, launch);
    uint64_t cluster = std::min(conflict.first->cluster, conflict.second->cluster);
    findings.add(finding, launch.numberOf(launch.ctaidOf(cluster, 0)),
                 [&] { return describeRace(conflict, launch); });
  });
  if (!complete || launch.raceCheckCut)
    incomplete = "too many ordered accesses to the same places to look at all of them for races";
}

void collectPrinted(std::vector<std::unique_ptr<Worker>> &workers, uint64_t most,
                    LaunchResult &result) {
  std::vector<PrintRecord> records;
  for (auto &worker : workers) {
    std::move(worker->printed.begin(), worker->printed.end(), std::back_inserter(records));
    result.printedDropped += worker->printedDropped;
  }
  std::sort(records.begin(), records.end(), [](const PrintRecord &a, const PrintRecord &b) {
    return std::make_pair(a.cta, a.order) < std::make_pair(b.cta, b.order);
  });
  if (records.size() > most) {
    result.printedDropped += records.size() - most;
    records.resize(most);
  }
  for (PrintRecord &record : records)
    result.printed.push_back(std::move(record.line));
}

/// Counts the instructions of blocks at the places where they are. What is counted in front of a
/// block is a multiple of what the block has.
void spreadBlocks(const std::vector<Site> &sites, LaunchResult &result) {
  result.blockRuns.resize(result.siteCounters.size());
  for (size_t i = 0; i < sites.size(); ++i) {
    const std::vector<BlockInstructions> &block = sites[i].block;
    auto counted = result.siteCounters[i].instructions;
    uint64_t inBlock = 0, all = 0;
    for (const BlockInstructions &part : block)
      inBlock += static_cast<uint64_t>(part.amount);
    for (uint64_t count : counted)
      all += count;
    if (inBlock == 0)
      continue;
    uint64_t runs = result.blockRuns[i] = all / inBlock;
    result.siteCounters[i].instructions = {};
    for (const BlockInstructions &part : block)
      result.siteCounters[size_t(part.site)].instructions[size_t(part.instructionClass)] +=
          runs * static_cast<uint64_t>(part.amount);
  }
}

constexpr uint64_t lineBytes = 128;

/// Adds up by address what the workers have counted, of each site and of all.
void collectAtomics(const std::vector<std::unique_ptr<Worker>> &workers, LaunchResult &result) {
  std::unordered_map<uint32_t, std::unordered_map<uint64_t, SerialAtomics>> bySite;
  std::unordered_map<uint64_t, SerialAtomics> byAddress;
  std::unordered_map<uint64_t, uint64_t> byLine;
  for (auto &worker : workers)
    for (const auto &[site, places] : worker->atomicPlaces)
      for (auto [address, count] : places.counts)
        for (SerialAtomics *sum : {&bySite[site][address], &byAddress[address]})
          (places.isFloat ? sum->floats : sum->integers) += count;
  for (const auto &[site, counts] : bySite)
    for (const auto &place : counts)
      result.hottestAtomics[site].raiseTo(place.second);
  for (const auto &[address, sum] : byAddress) {
    result.hottestOfAll.raiseTo(sum);
    uint64_t around = byLine[address / lineBytes] += sum.all();
    result.hottestLineAtomics = std::max(result.hottestLineAtomics, around);
  }
}

/// The best sample of each site, with the buffer that it accesses.
void collectSamples(const LaunchState &launch, std::vector<std::unique_ptr<Worker>> &workers,
                    LaunchResult &result) {
  result.sampledRequests.resize(launch.siteCount);
  for (size_t i = 0; i < launch.siteCount; ++i) {
    auto best = std::min_element(workers.begin(), workers.end(), [&](const auto &a, const auto &b) {
      return a->samples[i].rank < b->samples[i].rank;
    });
    SampledRequest &request = (*best)->samples[i].request;
    uint64_t lowest = UINT64_MAX;
    for (size_t lane = 0; lane < request.address.size(); ++lane)
      if (request.active >> lane & 1)
        lowest = std::min(lowest, request.address[lane]);
    if (const BufferTable::Range *range = launch.buffers.find(lowest, 1)) {
      request.buffer = launch.config.buffers[range->name].name;
      request.bufferBegin = range->begin;
    }
    result.sampledRequests[i] = std::move(request);
  }
}

void collectCounters(LaunchState &launch, std::vector<std::unique_ptr<Worker>> &workers,
                     LaunchResult &result) {
  result.siteCounters.resize(launch.siteCount);
  result.hottestAtomics.resize(launch.siteCount);
  result.loadSpans.resize(launch.siteCount);
  result.loadsAgain.resize(launch.siteCount);
  result.atomicUpdates.resize(launch.siteCount);
  std::vector<std::pair<uint64_t, uint64_t>> spans(launch.siteCount, {UINT64_MAX, 0});
  for (auto &worker : workers) {
    for (size_t i = 0; i < worker->counters.size(); ++i) {
      result.siteCounters[i] += worker->counters[i];
      spans[i].first = std::min(spans[i].first, worker->loadSpans[i].first);
      spans[i].second = std::max(spans[i].second, worker->loadSpans[i].second);
      result.loadsAgain[i] += worker->loadsAgain[i];
      result.atomicUpdates[i] += worker->atomicUpdates[i];
    }
  }
  collectAtomics(workers, result);
  collectSamples(launch, workers, result);
  for (size_t i = 0; i < spans.size(); ++i)
    result.loadSpans[i] = spans[i].second > spans[i].first ? spans[i].second - spans[i].first : 0;
  if (launch.config.sites)
    spreadBlocks(*launch.config.sites, result);
  for (const Counters &counters : result.siteCounters)
    result.totals += counters;
  result.readFootprint = launch.footprint.readBytes();
  result.writtenFootprint = launch.footprint.writtenBytes();
}

LaunchResult runLaunch(KernelEntry entry, void **args, const LaunchConfig &config) {
  LaunchState launch(entry, args, config);
  uint64_t hostThreads = config.hostThreads != 0
                             ? config.hostThreads
                             : std::max(1u, std::thread::hardware_concurrency());
  hostThreads = std::min<uint64_t>({hostThreads, launch.clustersToRun, 1024});
  launch.guardPages = canGuard(hostThreads, launch.clusterThreads);
  std::vector<std::unique_ptr<Worker>> workers;
  for (uint64_t i = 0; i < hostThreads; ++i)
    workers.push_back(std::make_unique<Worker>(launch));
  runWorkers(launch, workers);

  LaunchResult result;
  result.clustersRun = launch.clustersToRun;
  FindingSet findings;
  uint64_t ctasStopped = 0;
  for (auto &worker : workers) {
    findings.merge(std::move(worker->findings));
    ctasStopped += worker->ctasStopped;
  }
  if (launch.raceGlobal)
    compareCtas(launch, workers, findings, result.incomplete);
  result.findings = std::move(findings).sorted();
  if (result.findings.size() > config.maxFindings) {
    result.findingsDropped = result.findings.size() - config.maxFindings;
    result.findings.resize(config.maxFindings);
  }
  if (config.counters)
    collectCounters(launch, workers, result);
  collectPrinted(workers, config.maxPrinted, result);
  if (launch.outOfMemory) {
    result.status = LaunchStatus::Stopped;
    result.error =
        "not enough memory for the stacks and shared memory of " +
        (launch.clusterSize == 1 ? std::string("a CTA") : "the CTAs of a cluster, each") + " of " +
        std::to_string(launch.threads) + " threads";
  } else if (ctasStopped != 0) {
    result.status = LaunchStatus::Stopped;
    result.error = std::to_string(ctasStopped) + " of " + std::to_string(launch.ctas) +
                   " CTAs were stopped before their end";
    if (launch.hung && launch.nextCluster < launch.clustersToRun)
      result.error += ", and the rest of the grid was not run";
  }
  return result;
}

} // namespace

LaunchResult launch(KernelEntry entry, void **args, const LaunchConfig &config) {
  LaunchResult result;
  if (currentThread()) {
    result.status = LaunchStatus::Invalid;
    result.error = "launch from inside a kernel";
    return result;
  }
  result.error = checkConfig(entry, config);
  if (!result.error.empty()) {
    result.status = LaunchStatus::Invalid;
    return result;
  }
  try {
    return runLaunch(entry, args, config);
  } catch (const std::bad_alloc &) {
    result = LaunchResult();
    result.status = LaunchStatus::Stopped;
    result.error = "not enough memory for the simulation";
  }
  return result;
}

} // namespace tilecrt::sim
