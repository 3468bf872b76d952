// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async, and what all asynchronous operations share: their landing when nothing else can go on,
// and what is left of them when a CTA ends.
//
// A copy's source is looked at when it is issued and again when it lands; a difference means that
// somebody wrote there in between. cp.async belongs to the generic proxy: it needs no fence behind
// what threads have done, but one in front of what the async proxy reads.
#include "runtime/sim/Cluster.h"

#include <cstring>

namespace tilecrt::sim {

/// The time at which an operation of the thread lands, for those who will wait for it.
AccessStamp Cluster::landingStamp(uint32_t threadIndex, int32_t site) {
  AccessStamp by;
  by.site = site;
  by.laneClock = 1;
  by.warpClock = clocks[threadIndex / warpSize].landAsync();
  by.thread = static_cast<uint16_t>(threadIndex);
  by.landed = AccessStamp::Landed::ThroughAsyncProxy;
  return by;
}

/// Whether the source of a copy may be read: aligned, and inside a buffer.
bool Cluster::checkSource(Thread &t, uint64_t source, uint32_t bytes, uint32_t alignment,
                          int32_t site) {
  if (source % alignment != 0) {
    Finding finding = findingAt(t, FindingKind::MisalignedAccess, site);
    finding.access = {AccessKind::GlobalLoad, source, bytes};
    add(finding, [&] {
      return "asynchronous copy from " + launch.buffers.nameOf(source) +
             ", which is not aligned to " + std::to_string(alignment) + " bytes";
    });
    return false;
  }
  return bytes == 0 || checkGlobal(t, source, bytes, AccessKind::GlobalLoad, site);
}

void Cluster::copyAsync(Thread &t, uint32_t dst, uint64_t source, int32_t bytes,
                        int32_t sourceBytes, bool bypassL1, bool pred, int32_t site) {
  step(t, site);
  noteWork();
  bool sizeFits = bytes == 16 || (!bypassL1 && (bytes == 4 || bytes == 8));
  if (!sizeFits || sourceBytes < 0 || sourceBytes > bytes)
    return report(t, FindingKind::InvalidOperation, site,
                  "asynchronous copy of " + std::to_string(sourceBytes) + " of " +
                      std::to_string(bytes) + " bytes, expected " +
                      (bypassL1 ? "0 to 16 of 16" : "0 to 4, 8 or 16 of as many"));
  uint32_t size = static_cast<uint32_t>(bytes), given = static_cast<uint32_t>(sourceBytes);
  CopyAsync copy;
  copy.source = source;
  copy.dst = t.cta->window + dst;
  copy.site = site;
  copy.bytes = static_cast<uint8_t>(size);
  if (pred) {
    if (checkSource(t, source, given, size, site))
      copy.sourceBytes = static_cast<uint8_t>(given);
    if (copy.sourceBytes != 0) // The address may be null otherwise.
      std::memcpy(copy.seen.data(), reinterpret_cast<const void *>(source), copy.sourceBytes);
    copy.marked = checkShared(t, dst, size, AccessKind::SharedStore, site);
  }
  if (copy.marked) {
    if (shadow) {
      copy.mark = async.addWriter(site, t.index);
      SharedConflicts found =
          shadow->issueWrite(copy.dst, size, stamp(t, site), /*asyncProxy=*/false, copy.mark);
      if (found.any())
        reportShared(t, found, {AccessKind::SharedStore, copy.dst, size}, site, false,
                     "asynchronous copy");
    }
    async.copiesOf(t.index).copies.push_back(copy);
    if (Counters *counters = countersOf(site))
      ++counters->asyncCopies;
  }
  if (launch.track) {
    record(t, RequestKind::GlobalLoad, source, given, copy.sourceBytes != 0, 0, site);
    record(t, RequestKind::SharedStore, dst, size, copy.marked, 0, site);
  }
}

/// Performs the copy; for its owner, who waits for it, it is from now on like a store of its own.
void Cluster::landCopy(CopyAsync &copy, uint32_t threadIndex, bool byOwner) {
  if (copy.landed)
    return;
  copy.landed = true;
  Thread &t = threads[threadIndex];
  const void *source = reinterpret_cast<const void *>(copy.source);
  if (shadow && copy.sourceBytes != 0 &&
      std::memcmp(source, copy.seen.data(), copy.sourceBytes) != 0) {
    Finding finding = findingAt(t, FindingKind::AsyncSourceChanged, copy.site);
    finding.access = {AccessKind::GlobalLoad, copy.source, copy.sourceBytes};
    add(finding, [&] {
      return "the source of an asynchronous copy, " + launch.buffers.nameOf(copy.source) +
             ", was written before the copy was waited for";
    });
  }
  char *memory = sharedMemory.get() + copy.dst;
  if (copy.sourceBytes != 0)
    std::memcpy(memory, source, copy.sourceBytes);
  std::memset(memory + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  if (!shadow)
    return;
  AccessStamp by = byOwner ? stamp(t, copy.site) : landingStamp(threadIndex, copy.site);
  if (by.isAsync())
    by.landed = AccessStamp::Landed::ThroughGenericProxy;
  shadow->landWrite(copy.dst, copy.bytes, by, copy.mark);
  async.dropWriter(copy.mark);
}

/// Lands the thread's copies with numbers below `upTo`.
void Cluster::landCopies(uint32_t threadIndex, uint64_t upTo, bool byOwner) {
  CopyQueue &queue = async.copiesOf(threadIndex);
  while (!queue.copies.empty() && queue.first < upTo) {
    landCopy(queue.copies.front(), threadIndex, byOwner);
    queue.copies.pop_front();
    ++queue.first;
  }
}

void Cluster::copyCommit(Thread &t, int32_t site) {
  step(t, site);
  CopyQueue &queue = async.copiesOf(t.index);
  queue.groups.push_back(queue.issued());
}

void Cluster::copyWait(Thread &t, int32_t pending, int32_t site) {
  step(t, site);
  CopyQueue &queue = async.copiesOf(t.index);
  if (pending < 0) {
    queue.groups.push_back(queue.issued());
    pending = 0;
  }
  // Copies that a barrier object has made land already have asynchronous stamps.
  if (shadow) {
    WarpClock &clock = clocks[t.warp->index];
    clock.acquireAsync(t.warp->index, clock.lastLanding());
  }
  while (queue.groups.size() > static_cast<size_t>(pending)) {
    landCopies(t.index, queue.groups.front(), /*byOwner=*/true);
    queue.groups.pop_front();
  }
}

void Cluster::copyArrive(Thread &t, uint32_t mbar, bool noinc, int32_t site) {
  step(t, site);
  Mbarrier *object = mbarrierAt(t, *t.cta, mbar, site, "asynchronous arrival");
  if (!object)
    return;
  if (!noinc)
    ++object->pending;
  object->copyArrivals.push_back({t.index, async.copiesOf(t.index).issued(), site});
  object->lastArrival = site;
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

bool Cluster::findReader(uint32_t byte, int32_t &site, uint32_t &threadIndex) const {
  for (const BulkQueue &queue : async.bulkStores)
    for (const BulkStore &store : queue.stores)
      if (store.marked && !store.wasRead && byte >= store.src && byte - store.src < store.bytes) {
        site = store.site;
        threadIndex = store.thread;
        return true;
      }
  for (const BulkLoad &load : async.bulkLoads)
    if (load.isFromShared && byte >= load.src && byte - load.src < load.bytes) {
      site = load.site;
      threadIndex = load.thread;
      return true;
    }
  for (uint32_t w = 0; w < async.wgmma.size(); ++w) {
    if (!async.wgmma[w])
      continue;
    for (const WgmmaProduct &product : async.wgmma[w]->products)
      for (const std::vector<uint32_t> *rows : {&product.rowsA, &product.rowsB})
        for (uint32_t row : *rows)
          if (product.marked && byte >= row && byte - row < 16) {
            site = product.site;
            threadIndex = w * warpSize;
            return true;
          }
  }
  return false;
}

/// Nothing else can go on: lands one operation that some thread waits for. False if there is none.
bool Cluster::landForWaiters() {
  auto landFor = [&](const MbarrierWait &wait) {
    for (size_t i = 0; i < async.bulkLoads.size(); ++i)
      if (async.bulkLoads[i].mbar == wait.mbar) {
        landBulkLoad(i);
        return true;
      }
    auto found = async.mbarriers.find(wait.mbar);
    if (found == async.mbarriers.end() || found->second.copyArrivals.empty())
      return false;
    Mbarrier &object = found->second;
    Mbarrier::CopyArrival arrival = object.copyArrivals.front();
    object.copyArrivals.pop_front();
    landCopies(arrival.thread, arrival.upTo, /*byOwner=*/false);
    uint32_t warp = arrival.thread / warpSize;
    object.meeting.raise(warp, AsyncPart, clocks[warp].lastLanding());
    if (object.pending != 0)
      --object.pending;
    completePhase(wait.mbar, object);
    return true;
  };
  for (Warp &warp : warps)
    for (uint32_t lanes = warp.atMbarrier | warp.testing; lanes != 0; lanes &= lanes - 1)
      if (landFor(async.waits[thread(warp, lowestLane(lanes)).index]))
        return true;
  return false;
}

/// All threads of a CTA have finished: what nobody waited for lands now, if it may.
void Cluster::finishAsync(const Cta &cta) {
  auto unfinished = [&](uint32_t threadIndex, int32_t site, const std::string &what) {
    if (shadow)
      add(findingAt(threads[threadIndex], FindingKind::AsyncUnfinished, site),
          [&] { return "the CTA has ended while " + what + " is in flight"; });
  };
  uint32_t firstThread = cta.firstWarp * warpSize, endThread = firstThread + launch.threads;
  for (uint32_t i = firstThread; async.queuesUsed && i < endThread; ++i)
    for (const CopyAsync &copy : async.copies[i].copies)
      if (!copy.landed)
        unfinished(i, copy.site, "an asynchronous copy to its shared memory");
  for (size_t i = 0; i < async.bulkLoads.size();) {
    const BulkLoad &load = async.bulkLoads[i];
    bool isTarget = &ctaAt(load.dst) == &cta;
    if (!isTarget && !(load.isFromShared && &ctaAt(load.src) == &cta)) {
      ++i;
      continue;
    }
    const Thread &issuer = threads[load.thread];
    unfinished(load.thread, load.site,
               std::string(isTarget ? "a bulk copy to" : "a bulk copy from") +
                   (issuer.cta == &cta ? " its shared memory" : " the shared memory" + ofCta(cta)));
    async.bulkLoads.erase(async.bulkLoads.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (uint32_t i = firstThread; async.queuesUsed && i < endThread; ++i)
    for (BulkStore &store : async.bulkStores[i].stores) {
      if (!store.wasRead)
        unfinished(store.thread, store.site, "a bulk copy from its shared memory");
      readBulkStore(store);
      writeBulkStore(store);
    }
  for (uint32_t w = cta.firstWarp; w < cta.firstWarp + cta.warpCount; ++w) {
    if (async.wgmma[w] && !async.wgmma[w]->products.empty())
      unfinished(w * warpSize, async.wgmma[w]->products.front().site, "a wgmma");
    const WarpgroupLog &log = async.warpgroups[w];
    if (log.entries.empty() || !shadow)
      continue;
    const WarpgroupLog::Entry &entry = log.entries.front();
    add(findingAt(threads[entry.thread], FindingKind::WarpgroupDivergence, entry.site), [&] {
      return "only " + std::to_string(entry.warps) +
             " of the 4 warps of the warpgroup have issued the wgmma";
    });
  }
}

} // namespace tilecrt::sim
