// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the threads compute while a wgmma is in flight: a wgmma_wait moves down to the first
// use of its results, past arithmetic, loads, the starts of other products and releases of slots
// that its products do not read, and waits for no more than its own products and those before them.
// Products finish in the order in which they start.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/RingSlots.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUOVERLAPPRODUCTSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static bool usesResultsOf(Operation *op, WgmmaWaitOp wait) {
  return llvm::any_of(wait->getUsers(), [&](Operation *user) { return op->isAncestor(user); });
}

/// Adds the products that may be in flight where threads have `sum`.
static void collectInFlight(Value sum, DenseSet<Value> &seen, SmallVectorImpl<WgmmaOp> &products) {
  if (!seen.insert(sum).second)
    return;
  // What a loop carries.
  if (auto argument = dyn_cast<BlockArgument>(sum)) {
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    if (OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr) {
      collectInFlight(init->get(), seen, products);
      collectInFlight(loop.getTiedLoopYieldedValue(argument)->get(), seen, products);
    }
    return;
  }
  Operation *op = sum.getDefiningOp();
  if (auto product = dyn_cast<WgmmaOp>(op)) {
    products.push_back(product);
    collectInFlight(product.getAcc(), seen, products);
  } else if (auto wait = dyn_cast<WgmmaWaitOp>(op); wait && wait.getPending() > 0) {
    collectInFlight(wait->getOperand(cast<OpResult>(sum).getResultNumber()), seen, products);
  } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    if (BlockArgument argument = loop.getTiedLoopRegionIterArg(cast<OpResult>(sum)))
      collectInFlight(argument, seen, products);
  }
  // Other operations have registers, whose products have been waited for.
}

/// Whether a product that `wait` is for may read a slot that `release` lets be filled.
static bool mayReadReleased(WgmmaWaitOp wait, SlotReleaseOp release) {
  SmallVector<WgmmaOp> products;
  DenseSet<Value> seen;
  for (Value sum : wait.getValues())
    collectInFlight(sum, seen, products);
  // Without sums it may be for any.
  if (wait.getValues().empty())
    return true;
  return llvm::any_of(products, [&](WgmmaOp product) {
    return mayRelease(release, product.getRhs()) ||
           (isa<MemDescType>(product.getLhs().getType()) && mayRelease(release, product.getLhs()));
  });
}

/// Whether an operation may be done before the products that `wait` is for have finished: it does
/// not touch what they read, and does not need what they make.
static bool mayPass(WgmmaWaitOp wait, Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() || usesResultsOf(op, wait))
    return false;
  if (isa<WgmmaOp, tile::LoadOp, LocalLoadOp>(op))
    return true;
  if (auto release = dyn_cast<SlotReleaseOp>(op))
    return !mayReadReleased(wait, release);
  // What goes through shared memory says so by now; the conversions and reductions that are left
  // stay inside a warp.
  return isMemoryEffectFree(op) &&
         (op->getNumRegions() == 0 || isa<tile::ReduceOp, PartialReduceOp>(op));
}

static void sink(WgmmaWaitOp wait) {
  if (wait.getPending() != 0)
    return;
  // Groups in flight behind the products of the wait: those of f16 accumulators are waited for
  // where they are made.
  int32_t started = 0;
  Operation *target = wait->getNextNode();
  for (; mayPass(wait, target); target = target->getNextNode())
    if (auto product = dyn_cast<WgmmaOp>(target))
      started += int32_t(product.numGroups());
  if (!started && !llvm::any_of(wait->getResults(), [](Value v) { return !v.use_empty(); }))
    return;
  wait->moveBefore(target);
  wait.setPending(started);
}

namespace {
struct OverlapProducts final : tilec::impl::TileGPUOverlapProductsPassBase<OverlapProducts> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<WgmmaWaitOp> waits;
    getOperation().walk([&](WgmmaWaitOp wait) { waits.push_back(wait); });
    // The last ones first, so that they are out of the way.
    for (WgmmaWaitOp wait : llvm::reverse(waits))
      sink(wait);
  }
};
} // namespace
