// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extern "C" surface of clusters of several CTAs.
#include "runtime/sim/AbiThread.h"
#include "tilecrt/sim/SimClusterAbi.h"

using namespace tilecrt::sim;

static bool isAxis(int32_t axis) { return axis >= 0 && axis < 3; }

int32_t tilec_sim_cluster_ctaid(int32_t axis) {
  Thread *t = currentThread();
  if (!t || !isAxis(axis))
    return 0;
  size_t a = static_cast<size_t>(axis);
  return static_cast<int32_t>(t->cta->ctaid[a] % t->cluster->launch.config.cluster[a]);
}

int32_t tilec_sim_cluster_nctaid(int32_t axis) {
  Thread *t = currentThread();
  if (!t || !isAxis(axis))
    return 0;
  return static_cast<int32_t>(t->cluster->launch.config.cluster[static_cast<size_t>(axis)]);
}

int32_t tilec_sim_clusterid(int32_t axis) {
  Thread *t = currentThread();
  if (!t || !isAxis(axis))
    return 0;
  size_t a = static_cast<size_t>(axis);
  return static_cast<int32_t>(t->cta->ctaid[a] / t->cluster->launch.config.cluster[a]);
}

int32_t tilec_sim_nclusterid(int32_t axis) {
  Thread *t = currentThread();
  if (!t || !isAxis(axis))
    return 0;
  const LaunchConfig &config = t->cluster->launch.config;
  size_t a = static_cast<size_t>(axis);
  return static_cast<int32_t>(config.grid[a] / config.cluster[a]);
}

int32_t tilec_sim_cluster_ctarank(void) {
  Thread *t = currentThread();
  return t ? static_cast<int32_t>(t->cta->rank) : 0;
}

int32_t tilec_sim_cluster_nctarank(void) {
  Thread *t = currentThread();
  return t ? static_cast<int32_t>(t->cluster->ctaCount()) : 0;
}

uint32_t tilec_sim_mapa(uint32_t address, int32_t rank, int32_t site) {
  uint32_t mapped = address;
  inThread(site, [&](Thread &t) {
    mapped = t.cluster->mapShared(t, address, static_cast<uint32_t>(rank), site);
  });
  return mapped;
}

void tilec_sim_cluster_load(uint32_t address, void *dst, int32_t bytes, int32_t pred,
                            int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->sharedLoad(t, address, /*inCluster=*/true, dst, bytes, pred != 0, site);
  });
}

void tilec_sim_cluster_store(uint32_t address, const void *src, int32_t bytes, int32_t pred,
                             int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->sharedStore(t, address, /*inCluster=*/true, src, bytes, pred != 0, site);
  });
}

void tilec_sim_cluster_arrive(int32_t relaxed, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->clusterArrive(t, relaxed != 0, site); });
}

void tilec_sim_cluster_wait(int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->clusterWait(t, site); });
}

static BulkTarget multicastTo(uint32_t dst, uint32_t mbar, int32_t mask) {
  BulkTarget target;
  target.dst = dst;
  target.mbar = mbar;
  target.isMulticast = true;
  target.mask = static_cast<uint32_t>(mask);
  return target;
}

void tilec_sim_bulk_multicast(uint32_t dst, const void *src, int32_t bytes, uint32_t mbar,
                              int32_t mask, int32_t pred, int32_t site) {
  if (!pred)
    return;
  inThread(site, [&](Thread &t) {
    uint64_t address = reinterpret_cast<uint64_t>(src);
    if (bytes < 0 || address % 16 != 0)
      return t.cluster->report(t, FindingKind::MisalignedAccess, site,
                               "bulk copy from an address that is not a multiple of 16");
    t.cluster->bulkLoad(t, multicastTo(dst, mbar, mask),
                        TensorBox::piece(address, static_cast<uint32_t>(bytes)), site);
  });
}

void tilec_sim_tensor_multicast(uint32_t dst, const void *map, int32_t rank, const int32_t *coords,
                                uint32_t mbar, int32_t mask, int32_t pred, int32_t site) {
  if (!pred)
    return;
  inThread(site, [&](Thread &t) {
    TensorBox box;
    if (t.cluster->tensorBox(t, map, rank, coords, box, site))
      t.cluster->bulkLoad(t, multicastTo(dst, mbar, mask), std::move(box), site);
  });
}

void tilec_sim_bulk_shared(uint32_t dst, uint32_t src, int32_t bytes, uint32_t mbar, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->bulkSharedCopy(t, dst, src, bytes, mbar, site); });
}
