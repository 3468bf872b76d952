// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The asynchronous part of the ABI of SimAbi.h: copies between global and shared memory, barrier
// objects in shared memory, and the fences between proxies. Copies land as late as the program
// allows: when a thread waits for them, or when nothing else can go on.
//
// All functions act for one thread. `mbar` is the offset of a barrier object in the shared window,
// a multiple of 8; other offsets and pointers as in SimAbi.h. Where it says `address`, it may be in
// another CTA of the cluster (SimClusterAbi.h).
#ifndef TILECRT_SIM_SIMASYNCABI_H
#define TILECRT_SIM_SIMASYNCABI_H

#include <cstdint>

namespace tilecrt::sim::abi {

/// Bits of `flags` of tilec_sim_mbarrier_arrive.
enum ArriveFlag : int32_t {
  ArriveDrop = 1,        ///< Also lowers the count of all later phases.
  ArriveNoComplete = 2,  ///< It is promised not to complete the phase.
  ArriveRelaxed = 4,     ///< Orders no memory.
  ArriveClusterScope = 8 ///< Orders memory for the threads of other CTAs, too.
};

/// Values of `mode` of tilec_sim_mbarrier_wait.
enum MbarrierWaitMode : int32_t {
  WaitTest = 0, ///< mbarrier.test_wait: answers at once.
  WaitTry = 1   ///< mbarrier.try_wait: waits until the phase has completed.
};

/// Values of `kind` of tilec_sim_fence_proxy.
enum ProxyFence : int32_t {
  FenceProxyAlias = 0,
  FenceProxyAsync = 1,
  FenceProxyAsyncGlobal = 2,
  FenceProxyAsyncShared = 3,
  FenceProxyTensorMap = 4,
  FenceMbarrierInit = 5 ///< fence.mbarrier_init.
};

/// Values of `reduction` of tilec_sim_tensor_store.
enum BulkReduction : int32_t {
  ReduceNone = -1,
  ReduceAdd = 0,
  ReduceMin = 1,
  ReduceMax = 2,
  ReduceAnd = 3,
  ReduceOr = 4,
  ReduceXor = 5
};

} // namespace tilecrt::sim::abi

extern "C" {

/// cp.async: copies `bytes` (4, 8 or 16) to shared memory, of which the first `srcBytes` come from
/// `src` and the rest are zero. `bypassL1` (.cg) needs 16 bytes. With `pred` false nothing happens.
void tilec_sim_cp_async(uint32_t dst, const void *src, int32_t bytes, int32_t srcBytes,
                        int32_t bypassL1, int32_t pred, int32_t site);
void tilec_sim_cp_async_commit(int32_t site);
/// cp.async.wait_group: at most `pending` groups of the thread stay in flight; -1:
/// cp.async.wait_all.
void tilec_sim_cp_async_wait(int32_t pending, int32_t site);
/// cp.async.mbarrier.arrive: arrives when all earlier copies of the thread have landed; without
/// `noinc` the phase's count goes up by one first.
void tilec_sim_cp_async_mbarrier_arrive(uint32_t mbar, int32_t noinc, int32_t site);

void tilec_sim_mbarrier_init(uint32_t mbar, int32_t count, int32_t pred, int32_t site);
void tilec_sim_mbarrier_inval(uint32_t mbar, int32_t site);
/// Arrives with `count`; before that the phase expects `txBytes` more bytes when not negative.
/// Answers a state for tilec_sim_mbarrier_wait.
uint64_t tilec_sim_mbarrier_arrive(uint32_t address, int32_t count, int32_t txBytes, int32_t flags,
                                   int32_t pred, int32_t site);
/// mbarrier.expect_tx (positive) and complete_tx (negative `txBytes`).
void tilec_sim_mbarrier_tx(uint32_t address, int32_t txBytes, int32_t site);
/// Whether a phase has completed: the one that `phase`, a state, belongs to, or with `parity` the
/// last one with that parity.
int32_t tilec_sim_mbarrier_wait(uint32_t mbar, uint64_t phase, int32_t parity, int32_t mode,
                                int32_t relaxed, int32_t site);

void tilec_sim_fence_proxy(int32_t kind, int32_t site);

/// cp.async.bulk between global and shared memory; sizes and addresses are multiples of 16. Bit i
/// of `byteMask` says whether byte i of every 16 is copied. `dst` and `mbar` of loads may be
/// addresses in one other CTA.
void tilec_sim_bulk_load(uint32_t dst, const void *src, int32_t bytes, uint32_t mbar, int32_t pred,
                         int32_t site);
void tilec_sim_bulk_store(void *dst, uint32_t src, int32_t bytes, int32_t byteMask, int32_t pred,
                          int32_t site);

/// cp.async.bulk.tensor in tile mode: the box of the tensor map at `map` (TensorMap.h) at `coords`,
/// `rank` of them, the fastest first.
void tilec_sim_tensor_load(uint32_t dst, const void *map, int32_t rank, const int32_t *coords,
                           uint32_t mbar, int32_t pred, int32_t site);
void tilec_sim_tensor_store(const void *map, uint32_t src, int32_t rank, const int32_t *coords,
                            int32_t reduction, int32_t pred, int32_t site);

/// Memory for `count` tensor maps of the CTA, the same for all its threads.
uint64_t tilec_sim_tensor_maps(int32_t count, int32_t site);
/// That memory is another CTA's from now on: copies by its maps are over.
void tilec_sim_release_tensor_maps(int32_t site);
/// fence.proxy.tensormap::generic.acquire of a map: the thread may start copies by what was encoded there.
void tilec_sim_acquire_tensor_map(const void *map, int32_t site);
/// Writes a tensor map at `place`, as lane 0 of a warp; other lanes do nothing. Sizes, strides in bytes (of dimensions 1
/// and up) and the box begin with the fastest dimension; `type` and `swizzle` as in TensorMap.h. A tensor may be without
/// elements.
void tilec_sim_encode_tensor_map(uint64_t place, int32_t lane, uint64_t base, const int32_t *sizes,
                                 const int64_t *strides, const int32_t *box, int32_t rank,
                                 int32_t type, int32_t swizzle, int32_t site);

/// cp.async.bulk.commit_group and wait_group; `readOnly` (.read) waits for the reading of shared
/// memory only.
void tilec_sim_bulk_commit(int32_t site);
void tilec_sim_bulk_wait(int32_t pending, int32_t readOnly, int32_t site);

} // extern "C"

#endif // TILECRT_SIM_SIMASYNCABI_H
