// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program loads, then stores to the same place: in the source the load comes first. When several
// threads hold the loaded value each of them loads it, and a slow one could load after a fast one
// has stored. A barrier before the store keeps the order, one of the warp where only its lanes hold
// the same. The walk carries one fact, "some thread may still be loading what others have", over
// structured control flow; a loop's body is walked again when the fact holds at its end.

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

/// Who may still be loading what others have.
enum class Loading { None, Lanes, Warps };

/// Who loads the same elements.
static Loading replicasOf(Operation *op, int numWarps) {
  auto load = dyn_cast<tile::LoadOp>(op);
  if (!load)
    return Loading::None;
  auto type = dyn_cast<RankedTensorType>(load.getPointer().getType());
  if (type && !hasLayout(type))
    return Loading::None;
  if (numWarps > 1 && (!type || layoutOf(type).getFreeVariableMask(kWarp) != 0))
    return Loading::Warps;
  return !type || layoutOf(type).getFreeVariableMask(kLane) != 0 ? Loading::Lanes : Loading::None;
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

  /// The operations that need a barrier in front, and of whom.
  const llvm::MapVector<Operation *, Loading> &findBarriers() {
    Loading loading = Loading::None;
    walk(func.getBody(), loading);
    return needed;
  }

private:
  /// Walks a region's blocks; `loading` is the fact before and after.
  void walk(Region &region, Loading &loading) {
    for (Block &block : region)
      for (Operation &op : block)
        visit(&op, loading);
  }

  void visit(Operation *op, Loading &loading) {
    if (isBarrier(op)) {
      loading = Loading::None;
    } else if (writesGlobal(op)) {
      if (loading != Loading::None)
        needed[op] = std::max(needed.lookup(op), loading);
      loading = Loading::None;
    } else if (isa<tile::LoadOp>(op)) {
      loading = std::max(loading, replicasOf(op, numWarps));
    } else if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
      visitRegions(op, loading);
    }
  }

  /// Regions may run in any order and any number of times, or not at all.
  void visitRegions(Operation *op, Loading &loading) {
    bool isLoop = !isa<scf::IfOp>(op);
    Loading before = loading, after = loading;
    for (int round = 0; round < (isLoop ? 2 : 1); ++round) {
      for (Region &region : op->getRegions()) {
        Loading inside = isLoop ? after : before;
        walk(region, inside);
        after = std::max(after, inside);
      }
    }
    loading = after;
  }

  func::FuncOp func;
  int numWarps;
  llvm::MapVector<Operation *, Loading> needed;
};

struct OrderGlobalAccesses final
    : tilec::impl::TileGPUOrderGlobalAccessesPassBase<OrderGlobalAccesses> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp func) {
      GlobalOrder order(func);
      for (auto [op, loading] : order.findBarriers()) {
        OpBuilder builder(op);
        if (loading == Loading::Warps)
          NVVM::Barrier0Op::create(builder, op->getLoc());
        else
          NVVM::SyncWarpOp::create(builder, op->getLoc(),
                                   arith::ConstantIntOp::create(builder, op->getLoc(), -1, 32));
      }
    });
  }
};
} // namespace
