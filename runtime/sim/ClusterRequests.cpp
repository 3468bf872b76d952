// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a cluster writes down about its memory accesses: requests for the counters, access ranges
// for the race check between its barriers and, at the end, between clusters.
#include "runtime/sim/Atomics.h"
#include "runtime/sim/Cluster.h"

#include <bitset>

namespace tilecrt::sim {
namespace {

/// How far one lane may run ahead of the slowest of its warp before the others get their turn, and
/// then before its requests go out without them.
constexpr uint32_t maxLanesAhead = 1024;
/// Ranges kept between two barriers; beyond, the check is made as if there were a barrier.
constexpr size_t maxEpochRanges = size_t(1) << 20;
/// Versions of what warps know that are kept between two barriers of the whole CTA, or of a cluster
/// of several. One that polls with barriers of some warps between would have ever more of them.
constexpr size_t maxSnapshots = size_t(1) << 13;
/// Past ranges are compacted when so many new ones have come.
constexpr size_t compactionStep = size_t(1) << 16;

unsigned countBits(uint32_t mask) {
  return static_cast<unsigned>(std::bitset<warpSize>(mask).count());
}

/// Makes the span hold all that the request accesses.
void widenSpan(const Request &request, std::pair<uint64_t, uint64_t> &span) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (request.active >> lane & 1) {
      span.first = std::min(span.first, request.address[lane]);
      span.second = std::max(span.second, request.address[lane] + request.bytes[lane]);
    }
}

/// The sectors of a request that the CTA has not loaded just before.
uint32_t noteLoads(const Request &request, uint64_t cta, Worker &worker) {
  constexpr uint64_t sectorBytes = 32;
  uint32_t fresh = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (request.active >> lane & 1)
      for (uint64_t sector = request.address[lane] / sectorBytes,
                    end = (request.address[lane] + request.bytes[lane] - 1) / sectorBytes;
           sector <= end; ++sector)
        fresh += !worker.recent.load(cta, sector);
  return fresh;
}

AccessKind globalAccessOf(RangeKind kind) {
  switch (kind) {
  case RangeKind::Read:
  case RangeKind::AtomicRead:
    return AccessKind::GlobalLoad;
  case RangeKind::Write:
    return AccessKind::GlobalStore;
  case RangeKind::Atomic:
    break;
  }
  return AccessKind::GlobalAtomic;
}

} // namespace

void Cluster::record(Thread &t, RequestKind kind, uint64_t address, uint32_t bytes, bool active,
                     uint32_t hash, int32_t site) {
  bool shared = kind == RequestKind::SharedLoad || kind == RequestKind::SharedStore;
  if (shared && worker.counters.empty())
    return; // Only counters want shared requests.
  Warp &warp = *t.warp;
  RequestQueue &queue = warp.requests.queue(siteIndex(site), kind);
  if (queue.ahead(t.lane) >= maxLanesAhead) {
    // Atomics have turns of their own.
    if (kind != RequestKind::GlobalAtomic)
      yield(t, /*spins=*/false);
    if (queue.ahead(t.lane) >= maxLanesAhead)
      for (uint32_t i = 0; i < maxLanesAhead / 2; ++i) {
        retire(warp, queue, queue.front());
        queue.pop();
      }
  }
  Request &request = queue.next(t.lane);
  uint32_t bit = 1u << t.lane;
  if (request.arrived == 0)
    request.syncEpoch = static_cast<uint32_t>(syncEvents.size());
  request.arrived |= bit;
  if (active) {
    request.active |= bit;
    request.address[t.lane] = address;
    request.bytes[t.lane] = static_cast<uint8_t>(bytes);
    request.laneClock[t.lane] = clocks[warp.index].laneNow(t.lane);
    request.valueHash[t.lane] = hash;
  }
  // Only the front can be complete: a lane that is in a later request is in all before.
  if (&request == &queue.front() && (warp.live() & ~request.arrived) == 0) {
    retire(warp, queue, request);
    queue.pop();
  }
}

/// What meets at the address. ptxas has one lane do what a warp adds to a uniform address.
void Cluster::noteAtomic(int32_t op, int32_t type, uint64_t address, uint32_t site) {
  Worker::AtomicPlaces &places = worker.atomicPlaces[site];
  if (places.counts.empty()) {
    const std::vector<Site> *sites = launch.config.sites;
    bool isUniform = sites && site < sites->size() && (*sites)[site].isUniform;
    places.isFloat = isFloatAtomic(type);
    places.isMerged = isUniform && type == abi::AtomicI32 && op < abi::AtomicXchg;
  }
  ++places.counts[address];
}

/// A vector of floats comes element by element, and is one instruction of up to 16 bytes.
void Cluster::countAtomic(Thread &t, uint64_t address, uint32_t bytes, bool isFloat, bool active,
                          int32_t site) {
  constexpr uint64_t mostBytes = 16;
  bool isSame = isFloat && address == t.vectorEnd && address + bytes - t.vectorBegin <= mostBytes;
  t.vectorEnd = address + bytes;
  if (isSame)
    return;
  t.vectorBegin = address;
  record(t, RequestKind::GlobalAtomic, address, bytes, active, 0, site);
}

/// Counts a request and turns it into access ranges.
void Cluster::retire(Warp &warp, const RequestQueue &queue, const Request &request) {
  bool shared = queue.kind == RequestKind::SharedLoad || queue.kind == RequestKind::SharedStore;
  if (!shared && !worker.counters.empty() && request.active != 0)
    worker.sample(queue, request, number, warp.index * warpSize);
  if (queue.kind == RequestKind::GlobalAtomic) {
    auto places = worker.atomicPlaces.find(queue.site);
    if (places == worker.atomicPlaces.end() || !places->second.isMerged || request.active == 0) {
      worker.atomicUpdates[queue.site] += atomicCost(request);
      return;
    }
    worker.atomicUpdates[queue.site] += 1;
    uint64_t address = request.address[static_cast<size_t>(__builtin_ctz(request.active))];
    places->second.counts[address] -= countBits(request.active) - 1;
    return;
  }
  bool global = queue.kind == RequestKind::GlobalLoad || queue.kind == RequestKind::GlobalStore;
  bool load = queue.kind == RequestKind::GlobalLoad || queue.kind == RequestKind::SharedLoad;
  if (global && !worker.counters.empty()) {
    Counters &c = worker.counters[queue.site];
    (load ? c.globalLoadLanes : c.globalStoreLanes) += countBits(request.arrived);
    (load ? c.globalLoadMaskedLanes : c.globalStoreMaskedLanes) +=
        countBits(request.arrived & ~request.active);
  }
  if (request.active == 0)
    return;
  if (!worker.counters.empty()) {
    Counters &c = worker.counters[queue.site];
    if (global) {
      GlobalCost cost = globalCost(request);
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (request.active >> lane & 1)
          launch.footprint.touch(request.address[lane], request.bytes[lane], !load);
      if (load) {
        widenSpan(request, worker.loadSpans[queue.site]);
        worker.loadsAgain[queue.site] +=
            cost.sectors - noteLoads(request, warp.cta->number, worker);
      }
      (load ? c.globalLoadRequests : c.globalStoreRequests) += 1;
      (load ? c.globalLoadSectors : c.globalStoreSectors) += cost.sectors;
      (load ? c.globalLoadIdealSectors : c.globalStoreIdealSectors) += cost.idealSectors;
      (load ? c.globalLoadBytes : c.globalStoreBytes) += cost.bytes;
    } else {
      SharedCost cost = sharedCost(request);
      (load ? c.sharedLoadRequests : c.sharedStoreRequests) += 1;
      (load ? c.sharedLoadWavefronts : c.sharedStoreWavefronts) += cost.wavefronts;
      (load ? c.sharedLoadIdealWavefronts : c.sharedStoreIdealWavefronts) += cost.idealWavefronts;
      (load ? c.sharedLoadBytes : c.sharedStoreBytes) += cost.bytes;
    }
  }
  if (!global || !launch.raceGlobal)
    return;
  AccessRange prototype;
  prototype.site = queue.site;
  prototype.cluster = static_cast<uint32_t>(number);
  prototype.warpClock = clocks[warp.index].now();
  prototype.snapshot = warp.snapshot;
  prototype.syncBefore = request.syncEpoch;
  prototype.syncAfter = static_cast<uint32_t>(syncEvents.size());
  prototype.firstThread = static_cast<uint16_t>(warp.index * warpSize);
  prototype.kind = load ? RangeKind::Read : RangeKind::Write;
  appendRanges(request, prototype, epochRanges);
  if (epochRanges.size() >= maxEpochRanges)
    endRaceEpoch();
}

void Cluster::recordAtomic(Thread &t, uint64_t address, uint32_t bytes, bool writes, int32_t site) {
  AccessRange range;
  range.begin = address;
  range.length = bytes;
  range.site = siteIndex(site);
  range.cluster = static_cast<uint32_t>(number);
  range.warpClock = clocks[t.warp->index].now();
  range.laneClock = clocks[t.warp->index].laneNow(t.lane);
  range.snapshot = t.warp->snapshot;
  range.syncBefore = range.syncAfter = static_cast<uint32_t>(syncEvents.size());
  range.firstThread = static_cast<uint16_t>(t.index);
  range.laneBytes = static_cast<uint8_t>(bytes);
  range.kind = writes ? RangeKind::Atomic : RangeKind::AtomicRead;
  if (!epochRanges.empty() && epochRanges.back() == range)
    return; // A poll.
  epochRanges.push_back(range);
  if (epochRanges.size() >= maxEpochRanges)
    endRaceEpoch();
}

void Cluster::flushRequests(Warp &warp) {
  if (launch.track)
    warp.requests.flush(
        [&](const RequestQueue &queue, const Request &request) { retire(warp, queue, request); });
}

/// Looks for races among the accesses since the last barrier of the whole CTA and puts them aside.
void Cluster::endRaceEpoch() {
  if (epochRanges.empty())
    return;
  checkRacesInside();
  pastRanges.insert(pastRanges.end(), epochRanges.begin(), epochRanges.end());
  epochRanges.clear();
  if (pastRanges.size() >= 2 * pastCompacted + compactionStep) {
    compactRanges(pastRanges);
    pastCompacted = pastRanges.size();
  }
}

/// What the warp knows has changed: ranges from now on refer to another version.
void Cluster::takeSnapshot(Warp &warp) {
  if (snapshotCount() >= maxSnapshots) {
    dropSnapshots();
    // Ranges need most of them: the check is made as if there were a barrier.
    if (snapshotCount() > maxSnapshots / 2) {
      endRaceEpoch();
      dropSnapshots();
    }
  }
  const WarpKnowledge &knowledge = clocks[warp.index].knowledge();
  const uint32_t *last = snapshots.data() + snapshots.size() - warps.size();
  bool isNews = false;
  for (uint32_t w = 0; w < warps.size(); ++w)
    isNews |= knowledge.at(w, OwnPart) != last[w];
  // Those that leave a barrier together know the same.
  if (isNews)
    addSnapshot(knowledge);
  warp.snapshot = static_cast<uint32_t>(snapshotCount() - 1);
}

void Cluster::addSnapshot(const WarpKnowledge &knowledge) {
  for (uint32_t w = 0; w < warps.size(); ++w)
    snapshots.push_back(knowledge.at(w, OwnPart));
}

/// Keeps the versions that ranges since the last barrier or warps refer to, and the last one.
void Cluster::dropSnapshots() {
  std::vector<uint32_t> places(snapshotCount());
  places.back() = 1;
  for (const AccessRange &range : epochRanges)
    places[range.snapshot] = 1;
  for (const Warp &warp : warps)
    places[warp.snapshot] = 1;
  uint32_t kept = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == 0)
      continue;
    places[i] = kept;
    for (size_t w = 0; w < warps.size(); ++w)
      snapshots[kept * warps.size() + w] = snapshots[i * warps.size() + w];
    ++kept;
  }
  snapshots.resize(kept * warps.size());
  for (AccessRange &range : epochRanges)
    range.snapshot = places[range.snapshot];
  for (Warp &warp : warps)
    warp.snapshot = places[warp.snapshot];
}

void Cluster::checkRacesInside() {
  // With partial warp barriers, lanes of one warp with different clocks are taken to be ordered.
  auto races = [&](const AccessRange &a, const AccessRange &b, uint64_t &address) {
    uint32_t warpA = a.firstThread / warpSize, warpB = b.firstThread / warpSize;
    auto knows = [&](const AccessRange &later, uint32_t warp, uint32_t clock) {
      return snapshots[later.snapshot * warps.size() + warp] >= clock;
    };
    bool ordered = warpA == warpB ? a.laneClock != b.laneClock
                                  : knows(b, warpA, a.warpClock) || knows(a, warpB, b.warpClock);
    if (ordered || !differentThreads(a, b, address))
      return false;
    return warps[warpA].cta == warps[warpB].cta || (!isSynchronised(a, b) && !isSynchronised(b, a));
  };
  bool complete = findConflicts(epochRanges, races, [&](const RangeConflict &conflict) {
    add(raceFinding(conflict, launch), [&] { return describeRace(conflict, launch); });
  });
  if (!complete)
    launch.raceCheckCut = true;
}

Finding raceFinding(const RangeConflict &conflict, const LaunchState &launch) {
  const AccessRange &a = *conflict.first, &b = *conflict.second;
  auto refOf = [&](const AccessRange &range) {
    ThreadRef thread = launch.refOf(range.cluster, range.threadAt(conflict.address));
    thread.cta = launch.programOf(thread.cta);
    return thread;
  };
  auto siteOf = [&](const AccessRange &range) {
    return range.site == launch.siteCount - 1 ? -1 : static_cast<int32_t>(range.site);
  };
  bool reads = onlyReads(a.kind);
  Finding finding;
  finding.kind = reads                ? FindingKind::GlobalRaceReadWrite
                 : conflict.sameValue ? FindingKind::GlobalRaceSameValue
                                      : FindingKind::GlobalRaceWriteWrite;
  finding.site = siteOf(a);
  finding.thread = refOf(a);
  finding.access = {globalAccessOf(a.kind), conflict.address, a.laneBytes};
  finding.hasOther = true;
  finding.otherSite = siteOf(b);
  finding.otherThread = refOf(b);
  finding.otherAccess = {globalAccessOf(b.kind), conflict.address, b.laneBytes};
  return finding;
}

std::string describeRace(const RangeConflict &conflict, const LaunchState &launch) {
  const AccessRange &a = *conflict.first, &b = *conflict.second;
  auto ctaOf = [&](const AccessRange &range) {
    return launch.refOf(range.cluster, range.threadAt(conflict.address)).cta;
  };
  std::string text = accessText(globalAccessOf(a.kind), a.laneBytes) + " and " +
                     accessText(globalAccessOf(b.kind), b.laneBytes) + " at " +
                     launch.buffers.nameOf(conflict.address) + " by different " +
                     (ctaOf(a) == ctaOf(b) ? "threads" : "CTAs") + ", with nothing to order them";
  if (conflict.sameValue)
    text += ", though of the same value";
  return text;
}

} // namespace tilecrt::sim
