// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory accesses of simulated threads: checks, the access itself, and what is written down for
// counters and race checks.
#include "runtime/sim/Atomics.h"
#include "runtime/sim/Cta.h"

#include <cstring>

namespace tilecrt::sim {
namespace {

constexpr uint32_t maxAccessBytes = 32;
/// How far one lane may run ahead of the slowest of its warp before others get their turn, and then
/// before its requests go out without them.
constexpr uint32_t maxLanesAhead = 1024;
/// Atomics a thread performs before others get their turn: it may spin on what they write.
constexpr uint32_t spinsPerTurn = 64;
/// Bounds on what the global race check keeps: see LaunchResult::incomplete.
constexpr size_t maxEpochRanges = size_t(1) << 20;
constexpr uint64_t maxSyncEvents = uint64_t(1) << 22;
constexpr size_t compactionStep = size_t(1) << 16;

void copyBytes(void *dst, const void *src, uint32_t bytes) {
  switch (bytes) {
  case 1:
    std::memcpy(dst, src, 1);
    return;
  case 2:
    std::memcpy(dst, src, 2);
    return;
  case 4:
    std::memcpy(dst, src, 4);
    return;
  case 8:
    std::memcpy(dst, src, 8);
    return;
  case 16:
    std::memcpy(dst, src, 16);
    return;
  default:
    std::memcpy(dst, src, bytes);
    return;
  }
}

uint32_t hashBytes(const void *data, uint32_t bytes) {
  uint64_t hash = bytes;
  for (uint32_t at = 0; at < bytes; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, static_cast<const char *>(data) + at, std::min(8u, bytes - at));
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

/// The largest power of two that divides `bytes`.
uint32_t naturalAlignment(uint32_t bytes) { return bytes & (~bytes + 1); }

std::string accessText(AccessKind kind, uint32_t bytes) {
  const char *name = "access";
  switch (kind) {
  case AccessKind::GlobalLoad:
    name = "global load";
    break;
  case AccessKind::GlobalStore:
    name = "global store";
    break;
  case AccessKind::GlobalAtomic:
    name = "global atomic";
    break;
  case AccessKind::SharedLoad:
    name = "shared load";
    break;
  case AccessKind::SharedStore:
    name = "shared store";
    break;
  case AccessKind::SharedAtomic:
    name = "shared atomic";
    break;
  case AccessKind::None:
    break;
  }
  return std::string(name) + " of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

AccessKind globalAccessOf(RangeKind kind) {
  switch (kind) {
  case RangeKind::Read:
    return AccessKind::GlobalLoad;
  case RangeKind::Write:
    return AccessKind::GlobalStore;
  case RangeKind::Atomic:
    break;
  }
  return AccessKind::GlobalAtomic;
}

} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

bool Cta::checkGlobal(Thread &t, uint64_t address, uint32_t bytes, AccessKind kind, int32_t site) {
  Finding finding = {};
  auto refuse = [&](FindingKind why, auto &&describe) {
    finding = findingAt(t, why, site);
    finding.access = {kind, address, bytes};
    add(finding, [&] { return accessText(kind, bytes) + ": " + describe(); });
    return false;
  };
  uint32_t alignment = naturalAlignment(bytes);
  if (address & (alignment - 1))
    return refuse(FindingKind::MisalignedAccess, [&] {
      return launch.buffers.nameOf(address) + " is not aligned to " + std::to_string(alignment) +
             " bytes";
    });
  if (launch.trustGlobal)
    return true;
  const BufferTable::Range *&hint = lastBuffer[siteIndex(site)];
  if (!hint || !hint->holds(address, bytes)) {
    const BufferTable::Range *found = launch.buffers.find(address, bytes);
    if (!found)
      return refuse(FindingKind::OutOfBoundsGlobal,
                    [&] { return launch.buffers.explainMiss(address, bytes); });
    hint = found;
  }
  if (hint->readOnly && kind != AccessKind::GlobalLoad) {
    hint = launch.buffers.find(address, bytes); // Aliases: a writable one is good enough.
    if (hint->readOnly)
      return refuse(FindingKind::ReadOnlyWrite,
                    [&] { return launch.buffers.nameOf(address) + " is read-only"; });
  }
  return true;
}

bool Cta::checkShared(Thread &t, uint32_t offset, uint32_t bytes, AccessKind kind, int32_t site) {
  auto refuse = [&](FindingKind why, const std::string &text) {
    Finding finding = findingAt(t, why, site);
    finding.access = {kind, offset, bytes};
    add(finding, [&] {
      return accessText(kind, bytes) + " at offset " + std::to_string(offset) + " " + text;
    });
    return false;
  };
  uint32_t alignment = naturalAlignment(bytes);
  if (offset & (alignment - 1))
    return refuse(FindingKind::MisalignedAccess,
                  "is not aligned to " + std::to_string(alignment) + " bytes");
  uint32_t window = launch.config.sharedBytes;
  if (offset >= window || bytes > window - offset)
    return refuse(FindingKind::OutOfWindowShared,
                  "is outside the shared window of " + std::to_string(window) + " bytes");
  return true;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static bool validSize(int32_t bytes) {
  return bytes > 0 && static_cast<uint32_t>(bytes) <= maxAccessBytes;
}

void Cta::globalLoad(Thread &t, uint64_t address, void *dst, int32_t size, bool pred,
                     int32_t site) {
  step(t, site);
  if (!validSize(size))
    return report(t, FindingKind::InvalidOperation, site,
                  "global load of " + std::to_string(size) + " bytes, expected 1 to 32");
  uint32_t bytes = static_cast<uint32_t>(size);
  bool active = pred && checkGlobal(t, address, bytes, AccessKind::GlobalLoad, site);
  if (active)
    copyBytes(dst, reinterpret_cast<const void *>(address), bytes);
  else if (pred)
    std::memset(dst, 0, bytes);
  if (launch.track)
    record(t, RequestKind::GlobalLoad, address, bytes, active, 0, site);
}

void Cta::globalStore(Thread &t, uint64_t address, const void *src, int32_t size, bool pred,
                      int32_t site) {
  step(t, site);
  if (!validSize(size))
    return report(t, FindingKind::InvalidOperation, site,
                  "global store of " + std::to_string(size) + " bytes, expected 1 to 32");
  uint32_t bytes = static_cast<uint32_t>(size);
  bool active = pred && checkGlobal(t, address, bytes, AccessKind::GlobalStore, site);
  if (active)
    copyBytes(reinterpret_cast<void *>(address), src, bytes);
  if (launch.track)
    record(t, RequestKind::GlobalStore, address, bytes, active,
           launch.raceGlobal && active ? hashBytes(src, bytes) : 0, site);
}

void Cta::sharedLoad(Thread &t, uint32_t offset, void *dst, int32_t size, bool pred, int32_t site) {
  step(t, site);
  if (!validSize(size))
    return report(t, FindingKind::InvalidOperation, site,
                  "shared load of " + std::to_string(size) + " bytes, expected 1 to 32");
  uint32_t bytes = static_cast<uint32_t>(size);
  bool active = pred && checkShared(t, offset, bytes, AccessKind::SharedLoad, site);
  if (active) {
    copyBytes(dst, sharedMemory.get() + offset, bytes);
    if (shadow) {
      SharedConflicts found = shadow->read(offset, bytes, stamp(t, site));
      if (found.any())
        reportShared(t, found, {AccessKind::SharedLoad, offset, bytes}, site, false);
    }
  } else if (pred) {
    std::memset(dst, 0, bytes);
  }
  if (launch.track)
    record(t, RequestKind::SharedLoad, offset, bytes, active, 0, site);
}

void Cta::sharedStore(Thread &t, uint32_t offset, const void *src, int32_t size, bool pred,
                      int32_t site) {
  step(t, site);
  if (!validSize(size))
    return report(t, FindingKind::InvalidOperation, site,
                  "shared store of " + std::to_string(size) + " bytes, expected 1 to 32");
  uint32_t bytes = static_cast<uint32_t>(size);
  bool active = pred && checkShared(t, offset, bytes, AccessKind::SharedStore, site);
  if (active) {
    char *memory = sharedMemory.get() + offset;
    if (shadow) {
      SharedConflicts found = shadow->write(offset, bytes, stamp(t, site));
      if (found.any())
        reportShared(t, found, {AccessKind::SharedStore, offset, bytes}, site,
                     std::memcmp(memory, src, bytes) == 0);
    }
    copyBytes(memory, src, bytes);
  }
  if (launch.track)
    record(t, RequestKind::SharedStore, offset, bytes, active, 0, site);
}

void Cta::atomic(Thread &t, int32_t op, int32_t type, int32_t space, uint64_t address,
                 const void *operand, const void *compare, void *result, int32_t order, bool pred,
                 int32_t site) {
  step(t, site);
  bool shared = space == abi::SpaceShared;
  if (!atomicSupported(op, type) || (!shared && space != abi::SpaceGlobal))
    return report(t, FindingKind::InvalidOperation, site,
                  "atomic with operation " + std::to_string(op) + ", type " + std::to_string(type) +
                      ", space " + std::to_string(space) + " does not exist");
  if (!pred)
    return;
  uint32_t bytes = atomicBytes(type);
  bool reads = op != abi::AtomicStore, writes = op != abi::AtomicLoad;
  uint64_t old = 0;
  if (shared) {
    uint32_t offset = static_cast<uint32_t>(std::min<uint64_t>(address, UINT32_MAX));
    if (checkShared(t, offset, bytes, AccessKind::SharedAtomic, site)) {
      if (shadow) {
        AccessStamp by = stamp(t, site);
        by.atomic = true;
        SharedConflicts found = shadow->readWrite(offset, bytes, by, reads);
        if (found.any())
          reportShared(t, found, {AccessKind::SharedAtomic, offset, bytes}, site, false);
      }
      performAtomic(op, type, sharedMemory.get() + offset, operand, compare, &old);
      if (Counters *counters = countersOf(site))
        ++counters->sharedAtomics;
    }
  } else if (checkGlobal(t, address, bytes,
                         writes ? AccessKind::GlobalAtomic : AccessKind::GlobalLoad, site)) {
    void *memory = reinterpret_cast<void *>(address);
    if (!launch.raceGlobal) {
      performAtomic(op, type, memory, operand, compare, &old);
    } else {
      bool written = false;
      SyncEvent event;
      event.address = address;
      event.sequence = launch.sequencer.perform(
          address, [&] { written = performAtomic(op, type, memory, operand, compare, &old); });
      event.acquires = reads && (order & abi::OrderAcquire);
      event.releases = written && (fenced || (order & abi::OrderRelease));
      recordAtomic(t, address, bytes, site);
      logSync(event);
    }
    if (Counters *counters = countersOf(site))
      ++counters->globalAtomics;
  }
  if (result && reads)
    std::memcpy(result, &old, bytes);
  if (++t.spins >= spinsPerTurn) {
    t.spins = 0;
    yield(t, /*spins=*/true);
  }
}

/// Remembers an atomic in the CTA's history; a poll that repeats the last one only moves it on.
void Cta::logSync(const SyncEvent &event) {
  if (launch.syncEvents.load(std::memory_order_relaxed) > maxSyncEvents)
    return;
  if (!syncEvents.empty() && syncEvents.size() > fencedEvents) {
    SyncEvent &last = syncEvents.back();
    if (last.address == event.address && !last.releases && !event.releases) {
      last.sequence = event.sequence;
      last.acquires |= event.acquires;
      return;
    }
  }
  syncEvents.push_back(event);
  launch.syncEvents.fetch_add(1, std::memory_order_relaxed);
}

void Cta::fence(Thread &t, int32_t, int32_t site) {
  step(t, site);
  if (Counters *counters = countersOf(site))
    ++counters->fences;
  for (; fencedEvents < syncEvents.size(); ++fencedEvents)
    syncEvents[fencedEvents].acquires = true;
  fenced = true;
}

//===----------------------------------------------------------------------===//
// Shared-memory conflicts
//===----------------------------------------------------------------------===//

AccessStamp Cta::stamp(const Thread &t, int32_t site) const {
  const WarpClock &clock = clocks[t.warp->index];
  AccessStamp by;
  by.site = site;
  by.laneClock = clock.laneNow(t.lane);
  by.warpClock = clock.now();
  by.thread = static_cast<uint16_t>(t.index);
  return by;
}

void Cta::reportShared(Thread &t, const SharedConflicts &found, const Access &access, int32_t site,
                       bool sameValue) {
  std::string what =
      accessText(access.kind, access.bytes) + " at offset " + std::to_string(access.address);
  auto conflict = [&](FindingKind kind, const AccessStamp &other, AccessKind otherKind,
                      const char *text) {
    Finding finding = findingAt(t, kind, site);
    finding.access = access;
    finding.otherSite = other.site;
    finding.hasOther = true;
    finding.otherThread = refOf(other.thread);
    finding.otherAccess = {otherKind, access.address, access.bytes};
    add(finding,
        [&] { return what + text + std::to_string(other.thread) + ", with no barrier between"; });
  };
  if (found.uninitialized) {
    Finding finding = findingAt(t, FindingKind::UninitializedShared, site);
    finding.access = access;
    add(finding, [&] {
      return what + " reads byte " + std::to_string(found.uninitializedByte) +
             ", which was never written";
    });
  }
  bool reads = access.kind == AccessKind::SharedLoad;
  if (found.writeBefore.valid()) {
    AccessKind otherKind =
        found.writeBefore.atomic ? AccessKind::SharedAtomic : AccessKind::SharedStore;
    if (reads)
      conflict(FindingKind::SharedRaceRAW, found.writeBefore, otherKind,
               " reads what was written by thread ");
    else if (sameValue)
      conflict(FindingKind::SharedRaceSameValue, found.writeBefore, otherKind,
               " writes again the same value as thread ");
    else
      conflict(FindingKind::SharedRaceWAW, found.writeBefore, otherKind,
               " writes over what was written by thread ");
  }
  if (found.readBefore.valid())
    conflict(FindingKind::SharedRaceWAR, found.readBefore, AccessKind::SharedLoad,
             " writes over what was read by thread ");
}

//===----------------------------------------------------------------------===//
// Requests and access ranges
//===----------------------------------------------------------------------===//

void Cta::record(Thread &t, RequestKind kind, uint64_t address, uint32_t bytes, bool active,
                 uint32_t hash, int32_t site) {
  bool shared = kind == RequestKind::SharedLoad || kind == RequestKind::SharedStore;
  if (shared && worker.counters.empty())
    return; // Only counters want shared requests.
  Warp &warp = *t.warp;
  RequestQueue &queue = warp.requests.queue(siteIndex(site), kind);
  if (queue.ahead(t.lane) >= maxLanesAhead) {
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

/// Counts a request and turns it into access ranges.
void Cta::retire(Warp &warp, const RequestQueue &queue, const Request &request) {
  if (request.active == 0)
    return;
  bool global = queue.kind == RequestKind::GlobalLoad || queue.kind == RequestKind::GlobalStore;
  bool load = queue.kind == RequestKind::GlobalLoad || queue.kind == RequestKind::SharedLoad;
  if (!worker.counters.empty()) {
    Counters &c = worker.counters[queue.site];
    if (global) {
      GlobalCost cost = globalCost(request);
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
  prototype.cta = static_cast<uint32_t>(number);
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

void Cta::recordAtomic(Thread &t, uint64_t address, uint32_t bytes, int32_t site) {
  AccessRange range;
  range.begin = address;
  range.length = bytes;
  range.site = siteIndex(site);
  range.cta = static_cast<uint32_t>(number);
  range.warpClock = clocks[t.warp->index].now();
  range.laneClock = clocks[t.warp->index].laneNow(t.lane);
  range.snapshot = t.warp->snapshot;
  range.syncBefore = range.syncAfter = static_cast<uint32_t>(syncEvents.size());
  range.firstThread = static_cast<uint16_t>(t.index);
  range.laneBytes = static_cast<uint8_t>(bytes);
  range.kind = RangeKind::Atomic;
  if (!epochRanges.empty() && epochRanges.back() == range)
    return; // A poll.
  epochRanges.push_back(range);
  if (epochRanges.size() >= maxEpochRanges)
    endRaceEpoch();
}

void Cta::flushRequests(Warp &warp) {
  if (launch.track)
    warp.requests.flush(
        [&](const RequestQueue &queue, const Request &request) { retire(warp, queue, request); });
}

/// Looks for races among the accesses since the last barrier of the whole CTA and puts them aside.
void Cta::endRaceEpoch() {
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

void Cta::checkRacesInside() {
  // With partial warp barriers, lanes of one warp with different clocks are taken to be ordered.
  auto races = [&](const AccessRange &a, const AccessRange &b, uint64_t &address) {
    uint32_t warpA = a.firstThread / warpSize, warpB = b.firstThread / warpSize;
    bool ordered = warpA == warpB ? a.laneClock != b.laneClock
                                  : snapshots[b.snapshot][warpA] >= a.warpClock ||
                                        snapshots[a.snapshot][warpB] >= b.warpClock;
    return !ordered && differentThreads(a, b, address);
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
    uint64_t x = launch.config.grid[0], y = launch.config.grid[1], cta = range.cta;
    ThreadRef ref;
    ref.cta = {static_cast<uint32_t>(cta % x), static_cast<uint32_t>(cta / x % y),
               static_cast<uint32_t>(cta / x / y)};
    ref.thread = range.threadAt(conflict.address);
    return ref;
  };
  auto siteOf = [&](const AccessRange &range) {
    return range.site == launch.siteCount - 1 ? -1 : static_cast<int32_t>(range.site);
  };
  bool reads = a.kind == RangeKind::Read;
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
  std::string text = accessText(globalAccessOf(a.kind), a.laneBytes) + " and " +
                     accessText(globalAccessOf(b.kind), b.laneBytes) + " at " +
                     launch.buffers.nameOf(conflict.address) + " by different " +
                     (a.cta == b.cta ? "threads" : "CTAs") + ", with nothing to order them";
  if (conflict.sameValue)
    text += ", though of the same value";
  return text;
}

} // namespace tilecrt::sim
