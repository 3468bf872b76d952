// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barrier objects in shared memory, and the fences between proxies.

#include "SimBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilecrt/sim/SimAsyncAbi.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;

/// The object's offset, or its address in the cluster; null, with an error, when the pointer does
/// not say that it is in shared memory.
static Value objectOf(Operation *op, SimBuilder &b, Value address) {
  std::optional<unsigned> space = addressSpaceOf(address.getType());
  if (space == sharedSpace || space == sharedClusterSpace)
    return b.sharedOffset(op->getLoc(), address);
  reportUnsupported(op, "a generic pointer to shared memory");
  return {};
}

static Lowered lowerInit(NVVM::MBarrierInitOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  Value object = objectOf(op, b, op.getAddr());
  if (!object)
    return Lowered::Failed;
  b.call(loc, "tilec_sim_mbarrier_init",
         {object, op.getCount(), b.predicate(loc, op.getPredicate()), b.site(op, "mbarrier.init")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerInval(NVVM::MBarrierInvalOp op, SimBuilder &b) {
  Value object = objectOf(op, b, op.getAddr());
  if (!object)
    return Lowered::Failed;
  b.call(op.getLoc(), "tilec_sim_mbarrier_inval", {object, b.site(op, "mbarrier.inval")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

/// expect_tx and complete_tx.
static Lowered lowerTransaction(Operation *op, SimBuilder &b, Value address, Value bytes,
                                bool completes) {
  Location loc = op->getLoc();
  Value object = objectOf(op, b, address);
  if (!object)
    return Lowered::Failed;
  if (completes)
    bytes = LLVM::SubOp::create(b.rewriter, loc, b.constantI32(loc, 0), bytes);
  b.call(loc, "tilec_sim_mbarrier_tx",
         {object, bytes, b.site(op, completes ? "mbarrier.complete_tx" : "mbarrier.expect_tx")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

namespace {
struct Arrival {
  Value address;
  Value count = {};   ///< Null: one.
  Value txBytes = {}; ///< Null: none.
  Value predicate = {};
  bool isRelaxed = false;
  int flags = 0;
};
} // namespace

static Lowered lowerArrival(Operation *op, SimBuilder &b, const Arrival &arrival) {
  Location loc = op->getLoc();
  Value object = objectOf(op, b, arrival.address);
  if (!object)
    return Lowered::Failed;
  int flags = arrival.flags | (arrival.isRelaxed ? ArriveRelaxed : 0);
  Value state =
      b.call(loc, "tilec_sim_mbarrier_arrive",
             {object, arrival.count ? arrival.count : b.constantI32(loc, 1),
              arrival.txBytes ? arrival.txBytes : b.constantI32(loc, -1), b.constantI32(loc, flags),
              b.predicate(loc, arrival.predicate), b.site(op, "mbarrier.arrive")});
  if (op->getNumResults() != 0)
    b.rewriter.replaceOp(op, state);
  else
    b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

/// Waits for `phase`, a state (i64) or a parity (i32); whether it is over, null after an error.
static Value callWait(Operation *op, SimBuilder &b, Value address, Value phase,
                      MbarrierWaitMode mode, bool isRelaxed) {
  Location loc = op->getLoc();
  Value object = objectOf(op, b, address);
  if (!object)
    return {};
  bool isParity = phase.getType().isInteger(32);
  if (isParity)
    phase = LLVM::ZExtOp::create(b.rewriter, loc, b.i64(), phase);
  return b.call(loc, "tilec_sim_mbarrier_wait",
                {object, phase, b.constantI32(loc, isParity), b.constantI32(loc, mode),
                 b.constantI32(loc, isRelaxed),
                 b.site(op, mode == WaitTest ? "mbarrier.test_wait" : "mbarrier.try_wait")});
}

static Lowered lowerWait(Operation *op, SimBuilder &b, Value address, Value phase,
                         MbarrierWaitMode mode, bool isRelaxed) {
  Location loc = op->getLoc();
  Value over = callWait(op, b, address, phase, mode, isRelaxed);
  if (!over)
    return Lowered::Failed;
  if (op->getNumResults() == 0) {
    b.rewriter.eraseOp(op);
    return Lowered::Yes;
  }
  b.rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::ne, over,
                                              b.constantI32(loc, 0));
  return Lowered::Yes;
}

static Lowered emitFence(Operation *op, SimBuilder &b, ProxyFence kind) {
  b.call(op->getLoc(), "tilec_sim_fence_proxy",
         {b.constantI32(op->getLoc(), kind), b.site(op, "proxy fence")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerFence(NVVM::FenceProxyOp op, SimBuilder &b) {
  switch (op.getKind()) {
  case NVVM::ProxyKind::alias:
    return emitFence(op, b, FenceProxyAlias);
  case NVVM::ProxyKind::async:
    return emitFence(op, b, FenceProxyAsync);
  case NVVM::ProxyKind::async_global:
    return emitFence(op, b, FenceProxyAsyncGlobal);
  case NVVM::ProxyKind::async_shared:
    return emitFence(op, b, FenceProxyAsyncShared);
  default:
    return reportUnsupported(op, "expected kind 'alias' or one of the asynchronous ones");
  }
}

Lowered tilec::lowerMbarrier(Operation *op, SimBuilder &b) {
  auto arrive = [&](auto arrival, Value count, Value txBytes, int flags) {
    Arrival described;
    described.address = arrival.getAddr();
    described.count = count;
    described.txBytes = txBytes;
    described.flags = flags;
    if constexpr (!std::is_same_v<decltype(arrival), NVVM::MBarrierArriveNocompleteOp> &&
                  !std::is_same_v<decltype(arrival), NVVM::MBarrierArriveDropNocompleteOp>) {
      described.isRelaxed = arrival.getRelaxed();
      if (arrival.getScope() != NVVM::MemScopeKind::CTA)
        described.flags |= ArriveClusterScope;
    }
    if constexpr (std::is_same_v<decltype(arrival), NVVM::MBarrierArriveExpectTxOp>)
      described.predicate = arrival.getPredicate();
    return lowerArrival(op, b, described);
  };
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](NVVM::MBarrierInitOp init) { return lowerInit(init, b); })
      .Case([&](NVVM::MBarrierInvalOp inval) { return lowerInval(inval, b); })
      .Case([&](NVVM::MBarrierExpectTxOp expect) {
        return lowerTransaction(op, b, expect.getAddr(), expect.getTxcount(), false);
      })
      .Case([&](NVVM::MBarrierCompleteTxOp complete) {
        return lowerTransaction(op, b, complete.getAddr(), complete.getTxcount(), true);
      })
      .Case([&](NVVM::MBarrierArriveOp a) { return arrive(a, a.getCount(), Value(), 0); })
      .Case([&](NVVM::MBarrierArriveDropOp a) {
        return arrive(a, a.getCount(), Value(), ArriveDrop);
      })
      .Case([&](NVVM::MBarrierArriveNocompleteOp a) {
        return arrive(a, a.getCount(), Value(), ArriveNoComplete);
      })
      .Case([&](NVVM::MBarrierArriveDropNocompleteOp a) {
        return arrive(a, a.getCount(), Value(), ArriveDrop | ArriveNoComplete);
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp a) { return arrive(a, Value(), a.getTxcount(), 0); })
      .Case([&](NVVM::MBarrierArriveDropExpectTxOp a) {
        return arrive(a, Value(), a.getTxcount(), ArriveDrop);
      })
      .Case([&](NVVM::MBarrierTestWaitOp w) {
        return lowerWait(op, b, w.getAddr(), w.getStateOrPhase(), WaitTest, w.getRelaxed());
      })
      .Case([&](NVVM::MBarrierTryWaitOp w) {
        return lowerWait(op, b, w.getAddr(), w.getStateOrPhase(), WaitTry, w.getRelaxed());
      })
      .Case([&](NVVM::MBarrierTryWaitParityOp w) {
        return lowerWait(op, b, w.getAddr(), w.getPhase(), WaitTry, false);
      })
      .Case([&](NVVM::FenceProxyOp fence) { return lowerFence(fence, b); })
      .Case([&](NVVM::FenceMbarrierInitOp fence) { return emitFence(fence, b, FenceMbarrierInit); })
      .Case([&](NVVM::FenceProxyAcquireOp fence) {
        b.call(op->getLoc(), "tilec_sim_acquire_tensor_map",
               {fence.getAddr(), b.site(op, "fence of the tensor map proxy")});
        b.rewriter.eraseOp(op);
        return Lowered::Yes;
      })
      .Case([&](NVVM::FenceProxyReleaseOp) { return emitFence(op, b, FenceProxyTensorMap); })
      .Default([](Operation *) { return Lowered::No; });
}
