// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts the barriers and proxy fences of the plan that the analysis makes (Synchronisation.h).
// Waits for tensor stores that order nothing go: now that buffers have their places that can be
// seen.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/BarrierKind.h"
#include "mlir/IR/Builders.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/Synchronisation.h"
#include "tilec/Analysis/WrittenMemory.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUINSERTSYNCHRONISATIONPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// Whether the kernel has tensor maps.
static bool copiesTensors(func::FuncOp func) {
  bool hasArgument = llvm::any_of(llvm::seq(func.getNumArguments()), [&](unsigned i) {
    return func.getArgAttr(i, tile::TileDialect::kTensorMapAttr) != nullptr;
  });
  return hasArgument ||
         func->walk([](tilegpu::EncodeTensorMapOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

static void insertBarrier(OpBuilder &builder, Location loc, const SyncPoint &point) {
  if (point.purpose == SyncPurpose::Atomics) {
    tile::BarrierOp::create(builder, loc);
    return;
  }
  Operation *barrier = nullptr;
  if (point.barrier == SyncThreads::Cta)
    barrier = NVVM::Barrier0Op::create(builder, loc);
  else if (point.barrier == SyncThreads::Warpgroup)
    barrier = tilegpu::WarpgroupBarrierOp::create(builder, loc);
  else
    barrier =
        NVVM::SyncWarpOp::create(builder, loc, arith::ConstantIntOp::create(builder, loc, -1, 32));
  if (point.purpose == SyncPurpose::GlobalAccesses)
    barrier->setAttr(tilegpu::kOrdersGlobalAttr, builder.getUnitAttr());
}

/// What an access to global memory goes through; null for any other operation.
static Value accessedThrough(Operation *op) {
  if (auto access = dyn_cast<tile::GlobalAccessOpInterface>(op))
    return access.getPointer();
  return isa<tilegpu::TmaLoadOp, tilegpu::TmaStoreOp>(op) ? op->getOperand(0) : Value();
}

/// Whether a tensor copy and another access may be to the same global memory, one of which writes
/// it. What other programs write is for atomics to order.
static bool sharesMemoryWithTensorCopies(func::FuncOp func) {
  SmallVector<Operation *> accesses;
  func.walk([&](Operation *op) {
    if (accessedThrough(op))
      accesses.push_back(op);
  });
  WrittenMemory written(func);
  return llvm::any_of(accesses, [&](Operation *copy) {
    if (isa<tilegpu::TmaLoadOp>(copy))
      return written.mayContain(accessedThrough(copy));
    if (!isa<tilegpu::TmaStoreOp>(copy))
      return false;
    if (copy->getParentOfType<LoopLikeOpInterface>())
      return true;
    WrittenMemory stored(copy);
    return llvm::any_of(accesses, [&](Operation *other) {
      return other != copy && stored.mayContain(accessedThrough(other));
    });
  });
}

/// In a barrier of the program, what was stored comes before tensor copies behind it, and the other
/// way round.
static void orderTensorCopies(tile::BarrierOp barrier, bool fences) {
  OpBuilder builder(barrier);
  Location loc = barrier.getLoc();
  if (fences) {
    tilegpu::TmaStoreWaitOp::create(builder, loc, 0);
    tilegpu::ProxyFenceOp::create(builder, loc, /*allMemory=*/true);
  }
  NVVM::Barrier0Op::create(builder, loc);
  barrier.erase();
}

static bool startsTensorCopies(Operation *root) {
  bool found = false;
  root->walk([&](Operation *op) { found |= isa<tilegpu::TmaLoadOp, tilegpu::TmaStoreOp>(op); });
  return found;
}

/// Whether tensor copies may come behind `op`, or are started by other warps while it runs.
static bool isFollowedByTensorCopy(Operation *op) {
  return op->getParentOfType<tilegpu::WarpRolesOp>() || mayComeAfter(op, startsTensorCopies);
}

/// What an atomic acquires was written by threads: behind a fence, tensor copies may read it, too.
/// A barrier of the program may have one.
static void orderTensorCopies(tile::GlobalAccessOpInterface access, bool barriersFence) {
  std::optional<tile::MemSemantic> order = access.getAtomicOrder();
  if (!order || !isAcquire(*order) || !isFollowedByTensorCopy(access) ||
      (barriersFence && isa_and_nonnull<tile::BarrierOp>(access->getNextNode())))
    return;
  OpBuilder builder(access);
  builder.setInsertionPointAfter(access);
  tilegpu::ProxyFenceOp::create(builder, access.getLoc(), /*allMemory=*/true);
}

namespace {
struct InsertSynchronisation final
    : tilec::impl::TileGPUInsertSynchronisationPassBase<InsertSynchronisation> {
  using Base::Base;
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SharedAllocation allocation = SharedAllocation::fromOffsets(func);
    for (tilegpu::TmaStoreWaitOp wait : findIdleStoreWaits(func, allocation))
      wait.erase();
    for (const SyncPoint &point : planSynchronisation(func, allocation)) {
      OpBuilder builder(point.op);
      if (point.isBehind)
        builder.setInsertionPointAfter(point.op);
      if (point.needsFence)
        tilegpu::ProxyFenceOp::create(builder, point.op->getLoc(), /*allMemory=*/false);
      if (point.barrier != SyncThreads::None)
        insertBarrier(builder, point.op->getLoc(), point);
    }
    if (!copiesTensors(func))
      return;
    bool fences = sharesMemoryWithTensorCopies(func);
    func.walk([&](tile::GlobalAccessOpInterface access) { orderTensorCopies(access, fences); });
    func.walk([&](tile::BarrierOp barrier) { orderTensorCopies(barrier, fences); });
  }
};
} // namespace
