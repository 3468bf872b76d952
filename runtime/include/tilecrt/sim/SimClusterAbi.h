// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the ABI of SimAbi.h for clusters of several CTAs: where a CTA is in its cluster,
// addresses in the shared memory of the others, the cluster barrier, and copies to several CTAs.
//
// An address in shared memory is an offset in the thread's own window, or one that tilec_sim_mapa
// has mapped to a CTA of the cluster. Functions that take an `address` take both, as do the
// arrivals and transactions at barrier objects in SimAsyncAbi.h; all others only take offsets.
#ifndef TILECRT_SIM_SIMCLUSTERABI_H
#define TILECRT_SIM_SIMCLUSTERABI_H

#include <cstdint>

namespace tilecrt::sim::abi {

/// A mapped address has the offset in the lower bits and the CTA's rank plus one above.
constexpr uint32_t sharedRankShift = 24;
constexpr uint32_t sharedOffsetMask = (uint32_t(1) << sharedRankShift) - 1;

/// The address of an offset in the window of the CTA with a rank.
constexpr uint32_t mapShared(uint32_t offset, uint32_t rank) {
  return (offset & sharedOffsetMask) | (rank + 1) << sharedRankShift;
}

} // namespace tilecrt::sim::abi

extern "C" {

/// Coordinates of the CTA in its cluster and of the cluster in the grid, and the sizes; `axis` as
/// in SimAbi.h. Ranks number the CTAs of a cluster, x fastest.
int32_t tilec_sim_cluster_ctaid(int32_t axis);
int32_t tilec_sim_cluster_nctaid(int32_t axis);
int32_t tilec_sim_clusterid(int32_t axis);
int32_t tilec_sim_nclusterid(int32_t axis);
int32_t tilec_sim_cluster_ctarank(void);
int32_t tilec_sim_cluster_nctarank(void);

/// mapa: the address in the CTA with a rank that is at the same offset as `address`.
uint32_t tilec_sim_mapa(uint32_t address, int32_t rank, int32_t site);

/// tilec_sim_shared_load and tilec_sim_shared_store in the shared memory of the cluster.
void tilec_sim_cluster_load(uint32_t address, void *dst, int32_t bytes, int32_t pred, int32_t site);
void tilec_sim_cluster_store(uint32_t address, const void *src, int32_t bytes, int32_t pred,
                             int32_t site);

/// barrier.cluster.arrive, `relaxed` without an order of memory, and barrier.cluster.wait, which
/// waits for the arrival of all threads of the cluster that run. The lanes of a warp come together.
void tilec_sim_cluster_arrive(int32_t relaxed, int32_t site);
void tilec_sim_cluster_wait(int32_t site);

/// tilec_sim_bulk_load and tilec_sim_tensor_load to each CTA whose rank has a bit in `mask`: the
/// bytes land at the same offset, and the barrier object at the same offset there gets them.
void tilec_sim_bulk_multicast(uint32_t dst, const void *src, int32_t bytes, uint32_t mbar,
                              int32_t mask, int32_t pred, int32_t site);
void tilec_sim_tensor_multicast(uint32_t dst, const void *map, int32_t rank, const int32_t *coords,
                                uint32_t mbar, int32_t mask, int32_t pred, int32_t site);

/// cp.async.bulk from the thread's own shared memory to that of the cluster; `mbar` is an address
/// in the CTA of `dst`.
void tilec_sim_bulk_shared(uint32_t dst, uint32_t src, int32_t bytes, uint32_t mbar, int32_t site);

} // extern "C"

#endif // TILECRT_SIM_SIMCLUSTERABI_H
