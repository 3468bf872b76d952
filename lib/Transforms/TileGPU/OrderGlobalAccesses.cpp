// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program loads, then stores to the same place: in the source the load comes first. When several
// warps hold the loaded value each of them loads it, and a slow warp could load after a fast one
// has stored. A barrier before the store keeps the order. The walk carries one fact, "some warp may
// still be loading what others have", over structured control flow; a loop's body is walked again
// when the fact holds at its end.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "tilegpu-order-global-accesses"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUORDERGLOBALACCESSESPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Several warps load the same elements.
static bool isReplicatedLoad(Operation *op, int numWarps) {
  auto load = dyn_cast<tile::LoadOp>(op);
  if (!load || numWarps == 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(load.getPointer().getType());
  return !type || (hasLayout(type) && layoutOf(type).getFreeVariableMask(kWarp) != 0);
}

/// A write to global memory. Printing and assertions are not.
static bool writesGlobal(Operation *op) {
  if (isa<tile::AssertOp, tile::PrintOp, tile::AssumeOp, tile::BarrierOp>(op) ||
      !isa_and_nonnull<tile::TileDialect>(op->getDialect()))
    return false;
  return hasEffect<MemoryEffects::Write>(op);
}

static bool isBarrier(Operation *op) {
  return isa<NVVM::Barrier0Op, NVVM::BarrierOp, tile::BarrierOp>(op);
}

namespace {
class GlobalOrder {
public:
  explicit GlobalOrder(func::FuncOp function) : func(function), numWarps(numWarpsOf(function)) {}

  /// The operations that need a barrier in front.
  ArrayRef<Operation *> findBarriers() {
    bool loading = false;
    walk(func.getBody(), loading);
    return needed.getArrayRef();
  }

private:
  /// Walks a region's blocks; `loading` is the fact before and after.
  void walk(Region &region, bool &loading) {
    for (Block &block : region)
      for (Operation &op : block)
        visit(&op, loading);
  }

  void visit(Operation *op, bool &loading) {
    if (isBarrier(op)) {
      loading = false;
    } else if (writesGlobal(op)) {
      if (loading)
        needed.insert(op);
      loading = false;
    } else if (isReplicatedLoad(op, numWarps)) {
      loading = true;
    } else if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
      visitRegions(op, loading);
    }
  }

  /// Regions may run in any order and any number of times, or not at all.
  void visitRegions(Operation *op, bool &loading) {
    bool isLoop = !isa<scf::IfOp>(op);
    bool before = loading, after = loading;
    for (int round = 0; round < (isLoop ? 2 : 1); ++round) {
      for (Region &region : op->getRegions()) {
        bool inside = isLoop ? after : before;
        walk(region, inside);
        after |= inside;
      }
    }
    loading = after;
  }

  func::FuncOp func;
  int numWarps;
  llvm::SetVector<Operation *> needed;
};

struct OrderGlobalAccesses final
    : tilec::impl::TileGPUOrderGlobalAccessesPassBase<OrderGlobalAccesses> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp func) {
      GlobalOrder order(func);
      for (Operation *op : order.findBarriers()) {
        OpBuilder builder(op);
        NVVM::Barrier0Op::create(builder, op->getLoc());
      }
    });
  }
};
} // namespace
