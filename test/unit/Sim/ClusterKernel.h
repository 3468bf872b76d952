// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of clusters of several CTAs for tests.
#ifndef TILEC_TEST_UNIT_SIM_CLUSTERKERNEL_H
#define TILEC_TEST_UNIT_SIM_CLUSTERKERNEL_H

#include "SimKernel.h"
#include "tilecrt/sim/SimAsyncAbi.h"
#include "tilecrt/sim/SimClusterAbi.h"

namespace tilecrt::sim::test {

/// `clusters` clusters of `ctas` CTAs of `threads` threads, all in x.
inline LaunchConfig clusterShape(uint32_t ctas, uint32_t threads, uint32_t sharedBytes = 0,
                                 uint32_t clusters = 1) {
  LaunchConfig config = shape(ctas * clusters, threads, sharedBytes);
  config.cluster = {ctas, 1, 1};
  return config;
}

inline uint32_t rank() { return static_cast<uint32_t>(tilec_sim_cluster_ctarank()); }

inline uint32_t mapTo(uint32_t offset, uint32_t cta, int32_t site) {
  return tilec_sim_mapa(offset, static_cast<int32_t>(cta), site);
}

template <typename T> T remoteLoad(uint32_t address, int32_t site) {
  T value = {};
  tilec_sim_cluster_load(address, &value, sizeof(T), 1, site);
  return value;
}

template <typename T> void remoteStore(uint32_t address, T value, int32_t site) {
  tilec_sim_cluster_store(address, &value, sizeof(T), 1, site);
}

inline void clusterBarrier(int32_t site, bool isRelaxed = false) {
  tilec_sim_cluster_arrive(isRelaxed, site);
  tilec_sim_cluster_wait(site);
}

/// An arrival at an object of any CTA, with cluster scope.
inline void arriveAt(uint32_t address, int32_t site, int32_t txBytes = -1,
                     int32_t flags = abi::ArriveClusterScope) {
  tilec_sim_mbarrier_arrive(address, 1, txBytes, flags, 1, site);
}

inline void waitParity(uint32_t mbar, uint64_t parity, int32_t site) {
  tilec_sim_mbarrier_wait(mbar, parity, 1, abi::WaitTry, 0, site);
}

/// Thread 0 makes the object and fences it; the cluster knows behind a cluster barrier.
inline void makeObject(uint32_t mbar, int32_t count, int32_t site) {
  if (tid() != 0)
    return;
  tilec_sim_mbarrier_init(mbar, count, 1, site);
  tilec_sim_fence_proxy(abi::FenceMbarrierInit, site);
}

} // namespace tilecrt::sim::test

#endif // TILEC_TEST_UNIT_SIM_CLUSTERKERNEL_H
