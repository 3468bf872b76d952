// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extern "C" surface of the asynchronous operations.
#include "runtime/sim/AbiThread.h"
#include "runtime/sim/Cluster.h"
#include "tilecrt/sim/SimAsyncAbi.h"

#include <algorithm>

using namespace tilecrt::sim;

static uint64_t addressOf(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

void tilec_sim_cp_async(uint32_t dst, const void *src, int32_t bytes, int32_t srcBytes,
                        int32_t bypassL1, int32_t pred, int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->copyAsync(t, dst, addressOf(src), bytes, srcBytes, bypassL1 != 0, pred != 0, site);
  });
}

void tilec_sim_cp_async_commit(int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->copyCommit(t, site); });
}

void tilec_sim_cp_async_wait(int32_t pending, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->copyWait(t, pending, site); });
}

void tilec_sim_cp_async_mbarrier_arrive(uint32_t mbar, int32_t noinc, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->copyArrive(t, mbar, noinc != 0, site); });
}

void tilec_sim_mbarrier_init(uint32_t mbar, int32_t count, int32_t pred, int32_t site) {
  if (pred)
    inThread(site, [&](Thread &t) { t.cluster->mbarrierInit(t, mbar, count, site); });
}

void tilec_sim_mbarrier_inval(uint32_t mbar, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->mbarrierInval(t, mbar, site); });
}

uint64_t tilec_sim_mbarrier_arrive(uint32_t mbar, int32_t count, int32_t txBytes, int32_t flags,
                                   int32_t pred, int32_t site) {
  uint64_t state = 0;
  if (pred)
    inThread(site, [&](Thread &t) {
      state = t.cluster->mbarrierArrive(t, mbar, count, txBytes, flags, site);
    });
  return state;
}

void tilec_sim_mbarrier_tx(uint32_t mbar, int32_t txBytes, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->mbarrierTx(t, mbar, txBytes, site); });
}

int32_t tilec_sim_mbarrier_wait(uint32_t mbar, uint64_t phase, int32_t parity, int32_t mode,
                                int32_t relaxed, int32_t site) {
  bool over = true;
  inThread(site, [&](Thread &t) {
    MbarrierWait wait;
    wait.mbar = mbar;
    wait.parity = parity != 0;
    wait.relaxed = relaxed != 0;
    wait.phase = phase;
    wait.site = site;
    over = t.cluster->mbarrierWait(t, wait, mode);
  });
  return over;
}

void tilec_sim_fence_proxy(int32_t kind, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->proxyFence(t, kind, site); });
}

void tilec_sim_bulk_load(uint32_t dst, const void *src, int32_t bytes, uint32_t mbar, int32_t pred,
                         int32_t site) {
  if (!pred)
    return;
  inThread(site, [&](Thread &t) {
    if (bytes < 0 || addressOf(src) % 16 != 0)
      return t.cluster->report(t, FindingKind::MisalignedAccess, site,
                               "bulk copy from an address that is not a multiple of 16");
    BulkTarget target;
    target.dst = dst;
    target.mbar = mbar;
    t.cluster->bulkLoad(t, target, TensorBox::piece(addressOf(src), static_cast<uint32_t>(bytes)),
                        site);
  });
}

void tilec_sim_bulk_store(void *dst, uint32_t src, int32_t bytes, int32_t byteMask, int32_t pred,
                          int32_t site) {
  if (!pred)
    return;
  inThread(site, [&](Thread &t) {
    if (bytes < 0 || addressOf(dst) % 16 != 0)
      return t.cluster->report(t, FindingKind::MisalignedAccess, site,
                               "bulk copy to an address that is not a multiple of 16");
    t.cluster->bulkStore(t, TensorBox::piece(addressOf(dst), static_cast<uint32_t>(bytes)), src,
                         static_cast<uint32_t>(byteMask), tilecrt::sim::abi::ReduceNone, site);
  });
}

void tilec_sim_tensor_load(uint32_t dst, const void *map, int32_t rank, const int32_t *coords,
                           uint32_t mbar, int32_t pred, int32_t site) {
  if (!pred)
    return;
  inThread(site, [&](Thread &t) {
    TensorBox box;
    BulkTarget target;
    target.dst = dst;
    target.mbar = mbar;
    if (t.cluster->tensorBox(t, map, rank, coords, box, site))
      t.cluster->bulkLoad(t, target, std::move(box), site);
  });
}

void tilec_sim_tensor_store(const void *map, uint32_t src, int32_t rank, const int32_t *coords,
                            int32_t reduction, int32_t pred, int32_t site) {
  if (!pred)
    return;
  inThread(site, [&](Thread &t) {
    TensorBox box;
    if (t.cluster->tensorBox(t, map, rank, coords, box, site))
      t.cluster->bulkStore(t, box, src, 0xffff, reduction, site);
  });
}

uint64_t tilec_sim_tensor_maps(int32_t count, int32_t site) {
  uint64_t maps = 0;
  inThread(site, [&](Thread &t) { maps = addressOf(t.cluster->tensorMaps(t, count)); });
  return maps;
}

void tilec_sim_release_tensor_maps(int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->releaseTensorMaps(t, site); });
}

void tilec_sim_acquire_tensor_map(const void *map, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->acquireTensorMap(t, map, site); });
}

void tilec_sim_encode_tensor_map(uint64_t place, int32_t lane, uint64_t base, const int32_t *sizes,
                                 const int64_t *strides, const int32_t *box, int32_t rank,
                                 int32_t type, int32_t swizzle, int32_t site) {
  if (lane != 0)
    return;
  inThread(site, [&](Thread &t) {
    tilecrt::sim::TensorMapFields fields;
    fields.type = static_cast<tilecrt::sim::TensorMapType>(type);
    fields.swizzle = static_cast<tilecrt::sim::TensorMapSwizzle>(swizzle);
    fields.rank = static_cast<uint32_t>(rank);
    fields.address = base;
    for (size_t i = 0; i < fields.rank; ++i) {
      fields.dims[i] = static_cast<uint64_t>(std::max(sizes[i], 0));
      fields.box[i] = static_cast<uint32_t>(box[i]);
      if (i > 0)
        fields.strides[i - 1] = static_cast<uint64_t>(strides[i - 1]);
    }
    t.cluster->encodeTensorMap(t, place, fields, site);
  });
}

void tilec_sim_bulk_commit(int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->bulkCommit(t, site); });
}

void tilec_sim_bulk_wait(int32_t pending, int32_t readOnly, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->bulkWait(t, pending, readOnly != 0, site); });
}
