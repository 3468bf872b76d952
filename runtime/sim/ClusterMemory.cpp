// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory accesses of simulated threads: the checks, the access itself, and the findings about
// shared memory.
#include "runtime/sim/Atomics.h"
#include "runtime/sim/Cluster.h"

#include <cstring>

namespace tilecrt::sim {
namespace {

constexpr uint32_t maxAccessBytes = 32;
/// Atomics a thread performs before others get their turn: it may spin on what they write.
constexpr uint32_t spinsPerTurn = 64;
/// Reads in a row that find the same before the thread is taken to wait for another value.
constexpr uint32_t pollsPerTurn = 64;

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

} // namespace

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

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

bool Cluster::checkGlobal(Thread &t, uint64_t address, uint32_t bytes, AccessKind kind,
                          int32_t site) {
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

bool Cluster::checkShared(Thread &t, uint32_t offset, uint32_t bytes, AccessKind kind, int32_t site,
                          const Cta *cta) {
  auto refuse = [&](FindingKind why, const std::string &text) {
    Finding finding = findingAt(t, why, site);
    finding.access = {kind, offset, bytes};
    add(finding, [&] {
      return accessText(kind, bytes) + " at offset " + std::to_string(offset) +
             (cta && cta != t.cta ? ofCta(*cta) : "") + " " + text;
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

static const char *accessName(AccessKind kind) {
  return kind == AccessKind::SharedLoad    ? "shared load"
         : kind == AccessKind::SharedStore ? "shared store"
                                           : "shared atomic";
}

bool Cluster::findShared(Thread &t, uint32_t address, bool inCluster, uint32_t bytes,
                         AccessKind kind, int32_t site, uint32_t &place) {
  Cta *cta = t.cta;
  if (inCluster && !(cta = ctaOf(t, address, accessName(kind), site)))
    return false;
  if (!checkShared(t, address, bytes, kind, site, cta))
    return false;
  place = cta->window + address;
  if (cta == t.cta)
    return true;
  if (!isRunning(t, *cta, accessName(kind), site))
    return false;
  checkBegun(t, *cta, accessName(kind), site);
  noteVisit(t, *cta, accessName(kind), site);
  return true;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static bool validSize(int32_t bytes) {
  return bytes > 0 && static_cast<uint32_t>(bytes) <= maxAccessBytes;
}

void Cluster::globalLoad(Thread &t, uint64_t address, void *dst, int32_t size, bool pred,
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
  if (active)
    noteRead(t, address, hashBytes(dst, bytes));
}

void Cluster::globalStore(Thread &t, uint64_t address, const void *src, int32_t size, bool pred,
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
  noteWork();
}

void Cluster::sharedLoad(Thread &t, uint32_t address, bool inCluster, void *dst, int32_t size,
                         bool pred, int32_t site) {
  step(t, site);
  if (!validSize(size))
    return report(t, FindingKind::InvalidOperation, site,
                  "shared load of " + std::to_string(size) + " bytes, expected 1 to 32");
  uint32_t bytes = static_cast<uint32_t>(size), place = 0;
  bool active =
      pred && findShared(t, address, inCluster, bytes, AccessKind::SharedLoad, site, place);
  if (active) {
    copyBytes(dst, sharedMemory.get() + place, bytes);
    if (shadow) {
      SharedConflicts found = shadow->read(place, bytes, stamp(t, site));
      if (found.any())
        reportShared(t, found, {AccessKind::SharedLoad, place, bytes}, site, false);
    }
  } else if (pred) {
    std::memset(dst, 0, bytes);
  }
  if (launch.track)
    record(t, RequestKind::SharedLoad, address, bytes, active, 0, site);
}

void Cluster::sharedStore(Thread &t, uint32_t address, bool inCluster, const void *src,
                          int32_t size, bool pred, int32_t site) {
  step(t, site);
  if (!validSize(size))
    return report(t, FindingKind::InvalidOperation, site,
                  "shared store of " + std::to_string(size) + " bytes, expected 1 to 32");
  uint32_t bytes = static_cast<uint32_t>(size), place = 0;
  bool active =
      pred && findShared(t, address, inCluster, bytes, AccessKind::SharedStore, site, place);
  if (active) {
    char *memory = sharedMemory.get() + place;
    if (shadow) {
      SharedConflicts found = shadow->write(place, bytes, stamp(t, site));
      if (found.any())
        reportShared(t, found, {AccessKind::SharedStore, place, bytes}, site,
                     std::memcmp(memory, src, bytes) == 0);
    }
    copyBytes(memory, src, bytes);
  }
  if (launch.track)
    record(t, RequestKind::SharedStore, address, bytes, active, 0, site);
}

void Cluster::atomic(Thread &t, int32_t op, int32_t type, int32_t space, uint64_t address,
                     const void *operand, const void *compare, void *result, int32_t order,
                     bool pred, int32_t site) {
  step(t, site);
  bool inCluster = space == abi::SpaceSharedCluster;
  bool shared = space == abi::SpaceShared || inCluster;
  if (!atomicSupported(op, type) || (!shared && space != abi::SpaceGlobal))
    return report(t, FindingKind::InvalidOperation, site,
                  "atomic with operation " + std::to_string(op) + ", type " + std::to_string(type) +
                      ", space " + std::to_string(space) + " does not exist");
  uint32_t bytes = atomicBytes(type);
  if (!pred) {
    if (!shared && countersOf(site))
      countAtomic(t, address, bytes, isFloatAtomic(type), /*active=*/false, site);
    return;
  }
  bool reads = op != abi::AtomicStore, writes = op != abi::AtomicLoad;
  uint64_t old = 0;
  if (shared) {
    uint32_t offset = static_cast<uint32_t>(std::min<uint64_t>(address, UINT32_MAX)), place = 0;
    if (findShared(t, offset, inCluster, bytes, AccessKind::SharedAtomic, site, place)) {
      if (shadow) {
        AccessStamp by = stamp(t, site);
        by.atomic = true;
        SharedConflicts found = shadow->readWrite(place, bytes, by, reads);
        if (found.any())
          reportShared(t, found, {AccessKind::SharedAtomic, place, bytes}, site, false);
      }
      performAtomic(op, type, sharedMemory.get() + place, operand, compare, &old);
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
      event.rank = static_cast<uint8_t>(t.cta->rank);
      event.sequence = launch.sequencer.perform(
          address, [&] { written = performAtomic(op, type, memory, operand, compare, &old); });
      event.acquires = reads && (order & abi::OrderAcquire);
      event.releases = written && (fenced || (order & abi::OrderRelease));
      recordAtomic(t, address, bytes, writes, site);
      logSync(event);
    }
    if (Counters *counters = countersOf(site)) {
      ++counters->globalAtomics;
      if (reads && writes)
        noteAtomic(op, type, address, siteIndex(site));
      countAtomic(t, address, bytes, isFloatAtomic(type), /*active=*/true, site);
      launch.footprint.touch(address, bytes, writes);
    }
  }
  if (result && reads)
    std::memcpy(result, &old, bytes);
  if (!shared && reads)
    noteRead(t, address, old);
  else if (!shared)
    noteWork();
  if (++t.spins >= spinsPerTurn) {
    t.spins = 0;
    yield(t, /*spins=*/true);
  }
}

/// A read of global memory. One that finds what the thread has found there before is a poll, which
/// may go on until another CTA writes. Compiled loops have barriers between their polls, so that a
/// CTA which waits in this way moves all the time.
void Cluster::noteRead(Thread &t, uint64_t address, uint64_t value) {
  if (t.pollAddress != address || t.pollValue != value) {
    noteWork();
    t.pollAddress = address;
    t.pollValue = value;
  }
  if (t.pollWork != globalWork) {
    t.pollWork = globalWork;
    t.polls = 0;
  }
  if (++t.polls < pollsPerTurn)
    return;
  t.polls = 0;
  poller = &t;
  yield(t, /*spins=*/true);
}

/// An access of global memory that is no poll: the CTA does not only wait.
void Cluster::noteWork() {
  ++globalWork;
  poller = nullptr;
}

/// Remembers an atomic in the cluster's history; a poll that repeats the last one only moves it on.
void Cluster::logSync(const SyncEvent &event) {
  if (launch.syncEvents.load(std::memory_order_relaxed) > maxSyncEvents)
    return;
  if (!syncEvents.empty() && syncEvents.size() > fencedEvents) {
    SyncEvent &last = syncEvents.back();
    if (last.address == event.address && last.rank == event.rank && !last.releases &&
        !event.releases) {
      last.sequence = event.sequence;
      last.acquires |= event.acquires;
      return;
    }
  }
  syncEvents.push_back(event);
  launch.syncEvents.fetch_add(1, std::memory_order_relaxed);
}

void Cluster::fence(Thread &t, int32_t, int32_t site) {
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

AccessStamp Cluster::stamp(const Thread &t, int32_t site) const {
  const WarpClock &clock = clocks[t.warp->index];
  AccessStamp by;
  by.site = site;
  by.laneClock = clock.laneNow(t.lane);
  by.warpClock = clock.now();
  by.thread = static_cast<uint16_t>(t.index);
  return by;
}

void Cluster::reportShared(Thread &t, const SharedConflicts &found, const Access &accessed,
                           int32_t site, bool sameValue, const char *operation) {
  Access access = accessed;
  access.address = offsetOf(static_cast<uint32_t>(accessed.address));
  std::string what =
      (operation ? std::string(operation) + " of " + std::to_string(access.bytes) + " bytes"
                 : accessText(access.kind, access.bytes)) +
      " at " + offsetText(static_cast<uint32_t>(accessed.address), t);
  auto conflict = [&](FindingKind kind, const AccessStamp &other, AccessKind otherKind,
                      const char *text) {
    Finding finding = findingAt(t, kind, site);
    finding.access = access;
    finding.otherSite = other.site;
    finding.hasOther = true;
    finding.otherThread = refOf(other.thread);
    finding.otherAccess = {otherKind, access.address, access.bytes};
    add(finding,
        [&] { return what + text + threadText(other.thread, t) + ", with no barrier between"; });
  };
  if (found.uninitialized) {
    Finding finding = findingAt(t, FindingKind::UninitializedShared, site);
    finding.access = access;
    add(finding, [&] {
      return what + " reads byte " + std::to_string(offsetOf(found.uninitializedByte)) +
             ", which was never written";
    });
  }
  bool reads = access.kind == AccessKind::SharedLoad;
  if (found.writeBefore.valid()) {
    AccessKind otherKind =
        found.writeBefore.atomic ? AccessKind::SharedAtomic : AccessKind::SharedStore;
    if (reads)
      conflict(FindingKind::SharedRaceRAW, found.writeBefore, otherKind,
               " reads what was written by ");
    else if (sameValue)
      conflict(FindingKind::SharedRaceSameValue, found.writeBefore, otherKind,
               " writes again the same value as ");
    else
      conflict(FindingKind::SharedRaceWAW, found.writeBefore, otherKind,
               " writes over what was written by ");
  }
  if (found.readBefore.valid())
    conflict(FindingKind::SharedRaceWAR, found.readBefore, AccessKind::SharedLoad,
             " writes over what was read by ");
  auto inFlight = [&](FindingKind kind, int32_t otherSite, uint32_t other, const char *verb,
                      const char *yet) {
    Finding finding = findingAt(t, kind, site);
    finding.access = access;
    finding.otherSite = otherSite;
    finding.hasOther = true;
    finding.otherThread = refOf(other);
    add(finding, [&] {
      return what + verb + " byte " + std::to_string(offsetOf(found.pendingByte)) +
             ", which an asynchronous operation of " + threadText(other, t) + " has yet to " + yet;
    });
  };
  if (found.pendingWrite == mbarrierMark) {
    add(findingAt(t, FindingKind::InvalidMbarrier, site),
        [&] { return what + " touches " + objectText(found.pendingByte / 8 * 8); });
  } else if (found.pendingWrite != 0) {
    const PendingWriter &writer = async.writers[found.pendingWrite];
    inFlight(reads ? FindingKind::AsyncReadEarly : FindingKind::AsyncOverwrite, writer.site,
             writer.thread, reads ? " reads" : " writes", "write");
  } else if (found.pendingRead) {
    int32_t readerSite = -1;
    uint32_t reader = t.index;
    findReader(found.pendingByte, readerSite, reader);
    inFlight(FindingKind::AsyncOverwrite, readerSite, reader, " writes", "read");
  }
  if (found.unfenced.valid()) {
    Finding finding = findingAt(t, FindingKind::ProxyFenceMissing, site);
    finding.access = access;
    finding.otherSite = found.unfenced.site;
    finding.hasOther = true;
    finding.otherThread = refOf(found.unfenced.thread);
    finding.otherAccess = {found.unfencedRead ? AccessKind::SharedLoad : AccessKind::SharedStore,
                           access.address, access.bytes};
    add(finding, [&] {
      return what + (reads ? " reads" : " writes over") + " what " +
             threadText(found.unfenced.thread, t) + (found.unfencedRead ? " read" : " wrote") +
             " through the generic proxy, with no fence.proxy.async between";
    });
  }
}

} // namespace tilecrt::sim
