// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extern "C" surface: finds the running thread, checks arguments that select behaviour, and
// hands on to its cluster. Matrix and asynchronous operations and those of several CTAs have files
// of their own.
#include "runtime/sim/AbiThread.h"
#include "tilecrt/sim/SimAbi.h"
#include "tilecrt/sim/SimAsyncAbi.h"
#include "tilecrt/sim/SimClusterAbi.h"
#include "tilecrt/sim/SimMatrixAbi.h"

using namespace tilecrt::sim;

namespace {

constexpr int32_t numBarriers = 16;

/// Performs the warp operation and gives its result.
uint64_t performWarpOp(WarpOp op) {
  uint64_t result = 0;
  inThread(op.site, [&](Thread &t) {
    t.op = op;
    t.cluster->warpOp(t);
    result = t.op.result;
  });
  return result;
}

void invalid(int32_t site, const std::string &message) {
  inThread(site,
           [&](Thread &t) { t.cluster->report(t, FindingKind::InvalidOperation, site, message); });
}

void ctaBarrier(OpKind kind, int32_t id, int32_t nthreads, int32_t site) {
  inThread(site, [&](Thread &t) {
    bool whole = nthreads == 0 && kind == OpKind::CtaBarrier;
    if (id < 0 || id >= numBarriers)
      return invalid(site, "barrier " + std::to_string(id) + " does not exist, expected 0 to 15");
    if (!whole && (nthreads <= 0 || nthreads % 32 != 0))
      return invalid(site, "barrier for " + std::to_string(nthreads) +
                               " threads, expected a multiple of 32");
    t.op = WarpOp();
    t.op.kind = kind;
    t.op.mode = id;
    t.op.nthreads = nthreads;
    t.op.mask = t.warp->existing;
    t.op.site = site;
    t.cluster->warpOp(t);
  });
}

int32_t axisOf(const std::array<uint32_t, 3> &coordinates, int32_t axis) {
  return axis >= 0 && axis < 3 ? static_cast<int32_t>(coordinates[static_cast<size_t>(axis)]) : 0;
}

} // namespace

int32_t tilec_sim_tid(int32_t axis) {
  Thread *t = currentThread();
  return t ? axisOf(t->tid, axis) : 0;
}

int32_t tilec_sim_ctaid(int32_t axis) {
  Thread *t = currentThread();
  return t ? axisOf(t->cta->ctaid, axis) : 0;
}

void tilec_sim_enter_program(int32_t x, int32_t y, int32_t z) {
  if (Thread *t = currentThread())
    t->program = {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

int32_t tilec_sim_program(int32_t axis) {
  Thread *t = currentThread();
  return t ? axisOf(t->program, axis) : 0;
}

int32_t tilec_sim_ntid(int32_t axis) {
  Thread *t = currentThread();
  return t ? axisOf(t->cluster->launch.config.block, axis) : 0;
}

int32_t tilec_sim_nctaid(int32_t axis) {
  Thread *t = currentThread();
  return t ? axisOf(t->cluster->launch.config.grid, axis) : 0;
}

int32_t tilec_sim_laneid(void) {
  Thread *t = currentThread();
  return t ? static_cast<int32_t>(t->lane) : 0;
}

int32_t tilec_sim_warpid(void) {
  Thread *t = currentThread();
  return t ? static_cast<int32_t>(t->warp->inCta) : 0;
}

int64_t tilec_sim_clock(void) {
  Thread *t = currentThread();
  return t ? static_cast<int64_t>(t->cluster->tick()) : 0;
}

void tilec_sim_global_load(const void *addr, void *dst, int32_t bytes, int32_t pred, int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->globalLoad(t, reinterpret_cast<uint64_t>(addr), dst, bytes, pred != 0, site);
  });
}

void tilec_sim_global_store(void *addr, const void *src, int32_t bytes, int32_t pred,
                            int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->globalStore(t, reinterpret_cast<uint64_t>(addr), src, bytes, pred != 0, site);
  });
}

void tilec_sim_shared_load(uint32_t offset, void *dst, int32_t bytes, int32_t pred, int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->sharedLoad(t, offset, /*inCluster=*/false, dst, bytes, pred != 0, site);
  });
}

void tilec_sim_shared_store(uint32_t offset, const void *src, int32_t bytes, int32_t pred,
                            int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->sharedStore(t, offset, /*inCluster=*/false, src, bytes, pred != 0, site);
  });
}

uint64_t tilec_sim_shared_value(uint32_t offset, int32_t bytes, int32_t site) {
  uint64_t value = 0;
  inThread(site, [&](Thread &t) {
    int32_t size = std::min<int32_t>(bytes, sizeof value);
    t.cluster->sharedLoad(t, offset, /*inCluster=*/false, &value, size, /*pred=*/true, site);
  });
  return value;
}

void *tilec_sim_shared_base(void) {
  Thread *t = currentThread();
  return t ? t->cluster->sharedBase(*t) : nullptr;
}

void tilec_sim_barrier(int32_t id, int32_t nthreads, int32_t site) {
  ctaBarrier(OpKind::CtaBarrier, id, nthreads, site);
}

void tilec_sim_barrier_arrive(int32_t id, int32_t nthreads, int32_t site) {
  ctaBarrier(OpKind::CtaArrive, id, nthreads, site);
}

void tilec_sim_warp_barrier(uint32_t mask, int32_t site) {
  WarpOp op;
  op.kind = OpKind::WarpBarrier;
  op.mask = mask;
  op.site = site;
  performWarpOp(op);
}

uint32_t tilec_sim_shfl(int32_t mode, uint32_t mask, uint32_t value, uint32_t laneOrDelta,
                        uint32_t clampSegment, int32_t *inRange, int32_t site) {
  if (inRange)
    *inRange = 0;
  if (mode < tilecrt::sim::abi::ShuffleIdx || mode > tilecrt::sim::abi::ShuffleBfly) {
    invalid(site, "shuffle mode " + std::to_string(mode) + " does not exist");
    return 0;
  }
  uint32_t result = 0;
  inThread(site, [&](Thread &t) {
    t.op = WarpOp();
    t.op.kind = OpKind::Shuffle;
    t.op.mode = mode;
    t.op.mask = mask;
    t.op.value = value;
    t.op.lane = laneOrDelta;
    t.op.clamp = clampSegment;
    t.op.site = site;
    t.cluster->warpOp(t);
    result = static_cast<uint32_t>(t.op.result);
    if (inRange)
      *inRange = t.op.inRange;
  });
  return result;
}

uint32_t tilec_sim_redux(int32_t kind, uint32_t mask, uint32_t value, int32_t site) {
  if (kind < tilecrt::sim::abi::ReduxAdd || kind > tilecrt::sim::abi::ReduxFMaxNaN) {
    invalid(site, "redux kind " + std::to_string(kind) + " does not exist");
    return 0;
  }
  WarpOp op;
  op.kind = OpKind::Redux;
  op.mode = kind;
  op.mask = mask;
  op.value = value;
  op.site = site;
  return static_cast<uint32_t>(performWarpOp(op));
}

uint32_t tilec_sim_vote(int32_t kind, uint32_t mask, int32_t pred, int32_t site) {
  if (kind < tilecrt::sim::abi::VoteAny || kind > tilecrt::sim::abi::VoteUni) {
    invalid(site, "vote kind " + std::to_string(kind) + " does not exist");
    return 0;
  }
  WarpOp op;
  op.kind = OpKind::Vote;
  op.mode = kind;
  op.mask = mask;
  op.value = pred != 0;
  op.site = site;
  return static_cast<uint32_t>(performWarpOp(op));
}

uint32_t tilec_sim_match_any(uint32_t mask, uint64_t value, int32_t bits, int32_t site) {
  WarpOp op;
  op.kind = OpKind::Match;
  op.mode = bits;
  op.mask = mask;
  op.value = bits == 32 ? static_cast<uint32_t>(value) : value;
  op.site = site;
  return static_cast<uint32_t>(performWarpOp(op));
}

uint32_t tilec_sim_activemask(void) {
  Thread *t = currentThread();
  return t ? t->warp->live() : 0;
}

void tilec_sim_atomic(int32_t op, int32_t type, int32_t space, uint64_t address,
                      const void *operand, const void *compare, void *result, int32_t order,
                      int32_t pred, int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->atomic(t, op, type, space, address, operand, compare, result, order, pred != 0,
                      site);
  });
}

void tilec_sim_fence(int32_t scope, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->fence(t, scope, site); });
}

void tilec_sim_assert_fail(const char *message, int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->stop(t, FindingKind::AssertFailed, site,
                    message && *message ? message : "assertion failed");
  });
}

void tilec_sim_trap(int32_t site) {
  inThread(site, [&](Thread &t) {
    t.cluster->stop(t, FindingKind::Trap, site, "the thread executed a trap");
  });
}

void tilec_sim_print(const char *prefix, int32_t kind, uint64_t payload, int32_t site) {
  inThread(site,
           [&](Thread &t) { t.cluster->print(t, prefix ? prefix : "", kind, payload, site); });
}

void tilec_sim_count(int32_t instructionClass, int32_t amount, int32_t site) {
  inThread(site, [&](Thread &t) { t.cluster->count(t, instructionClass, amount, site); });
}

const std::vector<AbiSymbol> &tilecrt::sim::abiSymbols() {
#define TILEC_SIM_SYMBOL(name)                                                                     \
  {                                                                                                \
    #name, reinterpret_cast<void *>(&name)                                                         \
  }
  static const std::vector<AbiSymbol> symbols = {
      TILEC_SIM_SYMBOL(tilec_sim_tid),
      TILEC_SIM_SYMBOL(tilec_sim_ctaid),
      TILEC_SIM_SYMBOL(tilec_sim_enter_program),
      TILEC_SIM_SYMBOL(tilec_sim_program),
      TILEC_SIM_SYMBOL(tilec_sim_ntid),
      TILEC_SIM_SYMBOL(tilec_sim_nctaid),
      TILEC_SIM_SYMBOL(tilec_sim_laneid),
      TILEC_SIM_SYMBOL(tilec_sim_warpid),
      TILEC_SIM_SYMBOL(tilec_sim_clock),
      TILEC_SIM_SYMBOL(tilec_sim_global_load),
      TILEC_SIM_SYMBOL(tilec_sim_global_store),
      TILEC_SIM_SYMBOL(tilec_sim_shared_load),
      TILEC_SIM_SYMBOL(tilec_sim_shared_store),
      TILEC_SIM_SYMBOL(tilec_sim_shared_value),
      TILEC_SIM_SYMBOL(tilec_sim_shared_base),
      TILEC_SIM_SYMBOL(tilec_sim_barrier),
      TILEC_SIM_SYMBOL(tilec_sim_barrier_arrive),
      TILEC_SIM_SYMBOL(tilec_sim_warp_barrier),
      TILEC_SIM_SYMBOL(tilec_sim_shfl),
      TILEC_SIM_SYMBOL(tilec_sim_redux),
      TILEC_SIM_SYMBOL(tilec_sim_vote),
      TILEC_SIM_SYMBOL(tilec_sim_match_any),
      TILEC_SIM_SYMBOL(tilec_sim_activemask),
      TILEC_SIM_SYMBOL(tilec_sim_atomic),
      TILEC_SIM_SYMBOL(tilec_sim_fence),
      TILEC_SIM_SYMBOL(tilec_sim_assert_fail),
      TILEC_SIM_SYMBOL(tilec_sim_trap),
      TILEC_SIM_SYMBOL(tilec_sim_print),
      TILEC_SIM_SYMBOL(tilec_sim_count),
      TILEC_SIM_SYMBOL(tilec_sim_mma),
      TILEC_SIM_SYMBOL(tilec_sim_ldmatrix),
      TILEC_SIM_SYMBOL(tilec_sim_stmatrix),
      TILEC_SIM_SYMBOL(tilec_sim_wgmma_fence),
      TILEC_SIM_SYMBOL(tilec_sim_wgmma_commit),
      TILEC_SIM_SYMBOL(tilec_sim_wgmma),
      TILEC_SIM_SYMBOL(tilec_sim_wgmma_wait),
      TILEC_SIM_SYMBOL(tilec_sim_wgmma_read),
      TILEC_SIM_SYMBOL(tilec_sim_cp_async),
      TILEC_SIM_SYMBOL(tilec_sim_cp_async_commit),
      TILEC_SIM_SYMBOL(tilec_sim_cp_async_wait),
      TILEC_SIM_SYMBOL(tilec_sim_cp_async_mbarrier_arrive),
      TILEC_SIM_SYMBOL(tilec_sim_mbarrier_init),
      TILEC_SIM_SYMBOL(tilec_sim_mbarrier_inval),
      TILEC_SIM_SYMBOL(tilec_sim_mbarrier_arrive),
      TILEC_SIM_SYMBOL(tilec_sim_mbarrier_tx),
      TILEC_SIM_SYMBOL(tilec_sim_mbarrier_wait),
      TILEC_SIM_SYMBOL(tilec_sim_fence_proxy),
      TILEC_SIM_SYMBOL(tilec_sim_bulk_load),
      TILEC_SIM_SYMBOL(tilec_sim_bulk_store),
      TILEC_SIM_SYMBOL(tilec_sim_tensor_load),
      TILEC_SIM_SYMBOL(tilec_sim_tensor_store),
      TILEC_SIM_SYMBOL(tilec_sim_tensor_maps),
      TILEC_SIM_SYMBOL(tilec_sim_release_tensor_maps),
      TILEC_SIM_SYMBOL(tilec_sim_acquire_tensor_map),
      TILEC_SIM_SYMBOL(tilec_sim_encode_tensor_map),
      TILEC_SIM_SYMBOL(tilec_sim_bulk_commit),
      TILEC_SIM_SYMBOL(tilec_sim_bulk_wait),
      TILEC_SIM_SYMBOL(tilec_sim_cluster_ctaid),
      TILEC_SIM_SYMBOL(tilec_sim_cluster_nctaid),
      TILEC_SIM_SYMBOL(tilec_sim_clusterid),
      TILEC_SIM_SYMBOL(tilec_sim_nclusterid),
      TILEC_SIM_SYMBOL(tilec_sim_cluster_ctarank),
      TILEC_SIM_SYMBOL(tilec_sim_cluster_nctarank),
      TILEC_SIM_SYMBOL(tilec_sim_mapa),
      TILEC_SIM_SYMBOL(tilec_sim_cluster_load),
      TILEC_SIM_SYMBOL(tilec_sim_cluster_store),
      TILEC_SIM_SYMBOL(tilec_sim_cluster_arrive),
      TILEC_SIM_SYMBOL(tilec_sim_cluster_wait),
      TILEC_SIM_SYMBOL(tilec_sim_bulk_multicast),
      TILEC_SIM_SYMBOL(tilec_sim_tensor_multicast),
      TILEC_SIM_SYMBOL(tilec_sim_bulk_shared)};
#undef TILEC_SIM_SYMBOL
  return symbols;
}
