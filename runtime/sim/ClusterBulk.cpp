// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies: of one piece or of the box of a tensor map, to shared memory (of several CTAs at
// once, or of another one from the thread's own) with a barrier object, from shared memory with
// groups. They access shared memory through the async proxy.
#include "runtime/sim/Atomics.h"
#include "runtime/sim/Cluster.h"

#include <cstring>

namespace tilecrt::sim {
namespace {

constexpr uint32_t tensorAlignment = 128, pieceAlignment = 16;

/// The atomic type of a tensor map's elements; -1 when they cannot be reduced.
int32_t reductionType(TensorMapType type) {
  switch (type) {
  case TensorMapType::U32:
  case TensorMapType::I32:
    return abi::AtomicI32;
  case TensorMapType::U64:
  case TensorMapType::I64:
    return abi::AtomicI64;
  case TensorMapType::F16:
    return abi::AtomicF16;
  case TensorMapType::F32:
  case TensorMapType::F32Ftz:
    return abi::AtomicF32;
  case TensorMapType::F64:
    return abi::AtomicF64;
  case TensorMapType::BF16:
    return abi::AtomicBF16;
  default:
    return -1;
  }
}

int32_t reductionOp(int32_t reduction, TensorMapType type) {
  bool isUnsigned = type == TensorMapType::U32 || type == TensorMapType::U64;
  switch (reduction) {
  case abi::ReduceAdd:
    return abi::AtomicAdd;
  case abi::ReduceMin:
    return isUnsigned ? abi::AtomicUMin : abi::AtomicMin;
  case abi::ReduceMax:
    return isUnsigned ? abi::AtomicUMax : abi::AtomicMax;
  case abi::ReduceAnd:
    return abi::AtomicAnd;
  case abi::ReduceOr:
    return abi::AtomicOr;
  case abi::ReduceXor:
    return abi::AtomicXor;
  default:
    return -1;
  }
}

uint32_t hashOf(uint64_t address, const char *data, uint32_t bytes) {
  uint64_t hash = address * 0x9e3779b97f4a7c15u;
  for (uint32_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<unsigned char>(data[i])) * 0x100000001b3u;
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

} // namespace

bool Cluster::tensorBox(Thread &t, const void *map, int32_t rank, const int32_t *coords,
                        TensorBox &box, int32_t site) {
  TensorMapFields fields;
  if (reinterpret_cast<uint64_t>(map) % 64 != 0 || !decodeTensorMap(map, fields)) {
    report(t, FindingKind::InvalidOperation, site,
           "the address given for a tensor map does not hold one");
    return false;
  }
  if (fields.rank != static_cast<uint32_t>(rank)) {
    report(t, FindingKind::InvalidOperation, site,
           std::to_string(rank) + " coordinates for a tensor map of " +
               std::to_string(fields.rank) + " dimensions");
    return false;
  }
  useTensorMap(t, map, site);
  box = TensorBox::ofMap(fields, coords);
  box.map = map;
  return true;
}

/// Whether the part of the box inside the tensor is inside buffers.
bool Cluster::checkBox(Thread &t, const TensorBox &box, AccessKind kind, int32_t site) {
  if (launch.trustGlobal)
    return true;
  for (const TensorBox::Row &row : box.rows) {
    if (row.begin == row.end)
      continue;
    uint64_t begin = row.global + row.begin;
    uint32_t bytes = row.end - row.begin;
    const BufferTable::Range *&hint = lastBuffer[siteIndex(site)];
    if (!hint || !hint->holds(begin, bytes) || kind != AccessKind::GlobalLoad)
      hint = launch.buffers.find(begin, bytes);
    FindingKind why = !hint ? FindingKind::OutOfBoundsGlobal : FindingKind::ReadOnlyWrite;
    if (hint && (!hint->readOnly || kind == AccessKind::GlobalLoad))
      continue;
    Finding finding = findingAt(t, why, site);
    finding.access = {kind, begin, bytes};
    add(finding, [&] {
      return "row of " + std::to_string(bytes) + " bytes of a bulk copy: " +
             (why == FindingKind::ReadOnlyWrite ? launch.buffers.nameOf(begin) + " is read-only"
                                                : launch.buffers.explainMiss(begin, bytes));
    });
    return false;
  }
  return true;
}

/// Remembers a piece of global memory that a thread's copy accessed.
void Cluster::recordBulk(uint32_t threadIndex, uint64_t address, const char *data, uint32_t bytes,
                         RangeKind kind, int32_t site) {
  if (bytes != 0 && countersOf(site))
    launch.footprint.touch(address, bytes, kind != RangeKind::Read);
  if (!launch.raceGlobal || bytes == 0)
    return;
  const Thread &t = threads[threadIndex];
  AccessRange range;
  range.begin = address;
  range.length = range.laneBytes = bytes;
  range.site = siteIndex(site);
  range.cluster = static_cast<uint32_t>(number);
  range.warpClock = clocks[t.warp->index].now();
  range.laneClock = clocks[t.warp->index].laneNow(t.lane);
  range.snapshot = t.warp->snapshot;
  range.syncBefore = range.syncAfter = static_cast<uint32_t>(syncEvents.size());
  range.firstThread = static_cast<uint16_t>(threadIndex);
  range.valueHash = data ? hashOf(address, data, bytes) : 0;
  range.kind = kind;
  epochRanges.push_back(range);
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

/// The CTAs that a copy goes to; none after a finding.
std::vector<Cta *> Cluster::destinationsOf(Thread &t, const BulkTarget &target, int32_t site) {
  std::vector<Cta *> to;
  if (!target.isMulticast) {
    uint32_t dst = target.dst, mbar = target.mbar;
    Cta *cta = ctaOf(t, dst, "bulk copy", site), *signalled = ctaOf(t, mbar, "bulk copy", site);
    if (cta && signalled && cta != signalled)
      report(t, FindingKind::InvalidMbarrier, site,
             "bulk copy to the shared memory" + ofCta(*cta) + " with a barrier object" +
                 ofCta(*signalled));
    else if (cta && signalled)
      to.push_back(cta);
    return to;
  }
  if (target.mask == 0 || target.mask >> ctas.size() != 0)
    report(t, FindingKind::InvalidOperation, site,
           "multicast with the mask " + std::to_string(target.mask) + " in a cluster of " +
               std::to_string(ctas.size()) + " CTAs");
  for (Cta &cta : ctas)
    if (target.mask >> cta.rank & 1)
      to.push_back(&cta);
  return to;
}

/// Whether the copy may begin: barrier object and destination in the CTA are good.
bool Cluster::admitBulkLoad(Thread &t, Cta &to, const BulkTarget &target, uint32_t bytes,
                            int32_t site) {
  uint32_t dst = target.dst & abi::sharedOffsetMask, mbar = target.mbar & abi::sharedOffsetMask;
  Mbarrier *object = mbarrierAt(t, to, mbar, site, "bulk copy");
  if (!object)
    return false;
  if (shadow && !object->initFenced &&
      !clocks[t.warp->index].fenced(object->init.thread / warpSize, object->init.warpClock)) {
    Finding finding = findingAt(t, FindingKind::ProxyFenceMissing, site);
    finding.otherSite = object->initSite;
    add(finding, [&] {
      return "bulk copy with " + objectText(to.window + mbar) +
             ", which was initialised with no fence.mbarrier_init or fence.proxy.async since";
    });
  }
  uint32_t window = launch.config.sharedBytes;
  if (dst <= window && bytes <= window - dst)
    return true;
  Finding finding = findingAt(t, FindingKind::OutOfWindowShared, site);
  finding.access = {AccessKind::SharedStore, dst, bytes};
  add(finding, [&] {
    return "bulk copy of " + std::to_string(bytes) + " bytes to offset " + std::to_string(dst) +
           " is outside the shared window of " + std::to_string(window) + " bytes";
  });
  return false;
}

void Cluster::bulkLoad(Thread &t, const BulkTarget &target, TensorBox box, int32_t site) {
  step(t, site);
  noteWork();
  uint32_t alignment = box.isTensor ? tensorAlignment : pieceAlignment, bytes = box.bytes();
  if (target.dst % alignment != 0) {
    uint32_t dst = target.dst & abi::sharedOffsetMask;
    Finding finding = findingAt(t, FindingKind::MisalignedAccess, site);
    finding.access = {AccessKind::SharedStore, dst, bytes};
    return add(finding, [&] {
      return "bulk copy to offset " + std::to_string(dst) + ", which is not aligned to " +
             std::to_string(alignment) + " bytes";
    });
  }
  if (box.rowBytes % pieceAlignment != 0)
    return report(t, FindingKind::InvalidOperation, site,
                  "bulk copy of " + std::to_string(box.rowBytes) +
                      " bytes, expected a multiple of 16");
  std::vector<Cta *> admitted;
  for (Cta *cta : destinationsOf(t, target, site))
    if (admitBulkLoad(t, *cta, target, bytes, site))
      admitted.push_back(cta);
  if (admitted.empty())
    return;
  if (!target.isFromShared) {
    if (!checkBox(t, box, AccessKind::GlobalLoad, site))
      for (TensorBox::Row &row : box.rows)
        row.begin = row.end = 0; // Zeros land, so that those who wait go on.
    for (const TensorBox::Row &row : box.rows)
      recordBulk(t.index, row.global + row.begin, nullptr, row.end - row.begin, RangeKind::Read,
                 site);
  }
  for (const Cta *cta : admitted)
    startBulkLoad(t, *cta, target, box, site);
  if (Counters *counters = countersOf(site)) {
    ++counters->bulkLoads;
    counters->bulkLoadBytes += uint64_t(bytes) * admitted.size();
  }
}

/// The copy to one CTA is in flight from now on.
void Cluster::startBulkLoad(Thread &t, const Cta &to, const BulkTarget &target,
                            const TensorBox &box, int32_t site) {
  BulkLoad load;
  load.thread = t.index;
  load.site = site;
  load.mbar = to.window + (target.mbar & abi::sharedOffsetMask);
  load.dst = to.window + (target.dst & abi::sharedOffsetMask);
  load.bytes = box.bytes();
  load.isFromShared = target.isFromShared;
  load.src = t.cta->window + target.src;
  load.box = box;
  if (shadow && target.isFromShared) {
    SharedConflicts found = shadow->issueRead(load.src, load.bytes, stamp(t, site));
    if (found.any())
      reportShared(t, found, {AccessKind::SharedLoad, load.src, load.bytes}, site, false,
                   "bulk copy");
  }
  if (shadow) {
    load.mark = async.addWriter(site, t.index);
    SharedConflicts found = shadow->issueWrite(load.dst, load.bytes, stamp(t, site),
                                               /*asyncProxy=*/true, load.mark);
    if (found.any())
      reportShared(t, found, {AccessKind::SharedStore, load.dst, load.bytes}, site, false,
                   "bulk copy");
    if (!target.isFromShared)
      load.seen = load.box.gather();
  }
  async.bulkLoads.push_back(std::move(load));
}

void Cluster::bulkSharedCopy(Thread &t, uint32_t dst, uint32_t src, int32_t size, uint32_t mbar,
                             int32_t site) {
  uint32_t bytes = static_cast<uint32_t>(std::max(size, 0)), window = launch.config.sharedBytes;
  bool isAligned = src % pieceAlignment == 0;
  if (!isAligned || src > window || bytes > window - src) {
    step(t, site);
    Finding finding = findingAt(
        t, isAligned ? FindingKind::OutOfWindowShared : FindingKind::MisalignedAccess, site);
    finding.access = {AccessKind::SharedLoad, src, bytes};
    return add(finding, [&] {
      return "bulk copy of " + std::to_string(bytes) + " bytes from offset " + std::to_string(src) +
             (isAligned ? " is outside the shared window of " + std::to_string(window) + " bytes"
                        : ", which is not aligned to " + std::to_string(pieceAlignment) + " bytes");
    });
  }
  BulkTarget target;
  target.dst = dst;
  target.mbar = mbar;
  target.isFromShared = true;
  target.src = src;
  uint64_t from = reinterpret_cast<uint64_t>(sharedBase(t)) + src;
  bulkLoad(t, target, TensorBox::piece(from, bytes), site);
}

void Cluster::landBulkLoad(size_t index) {
  BulkLoad load = std::move(async.bulkLoads[index]);
  async.bulkLoads.erase(async.bulkLoads.begin() + static_cast<std::ptrdiff_t>(index));
  std::vector<char> data = load.box.gather();
  if (shadow && !load.isFromShared && data != load.seen)
    add(findingAt(threads[load.thread], FindingKind::AsyncSourceChanged, load.site), [&] {
      return std::string("the source of a bulk copy was written before the copy was waited for");
    });
  for (uint32_t at = 0; at < load.bytes; at += 16)
    std::memcpy(sharedMemory.get() + load.box.place(load.dst, at), data.data() + at, 16);
  uint32_t warp = load.thread / warpSize;
  AccessStamp by = landingStamp(load.thread, load.site);
  by.landed = AccessStamp::Landed::BulkLoad;
  by.warpClock = clocks[warp].landBulkLoad();
  if (shadow) {
    if (load.isFromShared)
      shadow->landRead(load.src, load.bytes, by);
    shadow->landWrite(load.dst, load.bytes, by, load.mark);
    async.dropWriter(load.mark);
  }
  auto found = async.mbarriers.find(load.mbar);
  if (found == async.mbarriers.end())
    return; // Invalidated in between, which has been reported.
  Mbarrier &object = found->second;
  object.tx -= load.bytes;
  object.meeting.raise(warp, BulkLoadPart, by.warpClock);
  completePhase(load.mbar, object);
}

//===----------------------------------------------------------------------===//
// From shared memory
//===----------------------------------------------------------------------===//

void Cluster::bulkStore(Thread &t, const TensorBox &box, uint32_t src, uint32_t byteMask,
                        int32_t reduction, int32_t site) {
  step(t, site);
  noteWork();
  uint32_t alignment = box.isTensor ? tensorAlignment : pieceAlignment, bytes = box.bytes();
  if (src % alignment != 0) {
    Finding finding = findingAt(t, FindingKind::MisalignedAccess, site);
    finding.access = {AccessKind::SharedLoad, src, bytes};
    return add(finding, [&] {
      return "bulk copy from offset " + std::to_string(src) + ", which is not aligned to " +
             std::to_string(alignment) + " bytes";
    });
  }
  if (box.rowBytes % pieceAlignment != 0)
    return report(t, FindingKind::InvalidOperation, site,
                  "bulk copy of " + std::to_string(box.rowBytes) +
                      " bytes, expected a multiple of 16");
  if (reduction != abi::ReduceNone &&
      !atomicSupported(reductionOp(reduction, box.type), reductionType(box.type)))
    return report(t, FindingKind::InvalidOperation, site,
                  "bulk reduction " + std::to_string(reduction) + " of tensor map type " +
                      std::to_string(static_cast<uint32_t>(box.type)) + " does not exist");
  uint32_t window = launch.config.sharedBytes;
  if (src > window || bytes > window - src) {
    Finding finding = findingAt(t, FindingKind::OutOfWindowShared, site);
    finding.access = {AccessKind::SharedLoad, src, bytes};
    return add(finding, [&] {
      return "bulk copy of " + std::to_string(bytes) + " bytes from offset " + std::to_string(src) +
             " is outside the shared window of " + std::to_string(window) + " bytes";
    });
  }
  if (!checkBox(t, box, AccessKind::GlobalStore, site))
    return;
  BulkStore store;
  store.thread = t.index;
  store.site = site;
  store.src = t.cta->window + src;
  store.bytes = bytes;
  store.byteMask = byteMask;
  store.reduction = reduction;
  store.box = box;
  store.marked = true;
  if (shadow) {
    SharedConflicts found = shadow->issueRead(store.src, bytes, stamp(t, site));
    if (found.any())
      reportShared(t, found, {AccessKind::SharedLoad, store.src, bytes}, site, false, "bulk copy");
  }
  if (Counters *counters = countersOf(site)) {
    ++counters->bulkStores;
    counters->bulkStoreBytes += bytes;
  }
  async.bulkStoresOf(t.index).stores.push_back(std::move(store));
}

/// Reads shared memory, in the order of the box's rows.
void Cluster::readBulkStore(BulkStore &store) {
  if (store.wasRead)
    return;
  store.wasRead = true;
  store.data.resize(store.bytes);
  for (uint32_t at = 0; at < store.bytes; at += 16)
    std::memcpy(store.data.data() + at, sharedMemory.get() + store.box.place(store.src, at), 16);
  AccessStamp by = landingStamp(store.thread, store.site);
  clocks[store.thread / warpSize].acquireAsync(store.thread / warpSize, by.warpClock);
  if (shadow)
    shadow->landRead(store.src, store.bytes, by);
}

/// Writes what was read to global memory.
void Cluster::writeBulkStore(BulkStore &store) {
  uint32_t elementBytes = tensorMapElementBytes(store.box.type);
  for (size_t r = 0; r < store.box.rows.size(); ++r) {
    const TensorBox::Row &row = store.box.rows[r];
    uint64_t begin = row.global + row.begin;
    const char *data = store.data.data() + r * store.box.rowBytes + row.begin;
    uint32_t bytes = row.end - row.begin;
    char *to = reinterpret_cast<char *>(begin);
    if (store.reduction != abi::ReduceNone) {
      int32_t op = reductionOp(store.reduction, store.box.type);
      int32_t type = reductionType(store.box.type);
      for (uint32_t at = 0; at < bytes; at += elementBytes) {
        uint64_t old = 0;
        performAtomic(op, type, to + at, data + at, nullptr, &old);
      }
      recordBulk(store.thread, begin, nullptr, bytes, RangeKind::Atomic, store.site);
      continue;
    }
    if (store.byteMask == 0xffff) {
      std::memcpy(to, data, bytes);
      recordBulk(store.thread, begin, data, bytes, RangeKind::Write, store.site);
      continue;
    }
    for (uint32_t at = 0; at < bytes; ++at)
      if (store.byteMask >> at % 16 & 1) {
        to[at] = data[at];
        recordBulk(store.thread, begin + at, data + at, 1, RangeKind::Write, store.site);
      }
  }
}

void Cluster::bulkCommit(Thread &t, int32_t site) {
  step(t, site);
  BulkQueue &queue = async.bulkStoresOf(t.index);
  queue.groups.push_back(queue.first + queue.stores.size());
}

void Cluster::bulkWait(Thread &t, int32_t pending, bool readOnly, int32_t site) {
  step(t, site);
  BulkQueue &queue = async.bulkStoresOf(t.index);
  size_t keep = static_cast<size_t>(std::max(pending, 0));
  if (queue.groups.size() <= keep)
    return;
  uint64_t upTo = queue.groups[queue.groups.size() - keep - 1];
  for (size_t i = 0; i < queue.stores.size() && queue.first + i < upTo; ++i)
    readBulkStore(queue.stores[i]);
  if (readOnly)
    return;
  for (; !queue.stores.empty() && queue.first < upTo; ++queue.first) {
    writeBulkStore(queue.stores.front());
    queue.stores.pop_front();
  }
  while (queue.groups.size() > keep)
    queue.groups.pop_front();
}

} // namespace tilecrt::sim
