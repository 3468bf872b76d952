// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-branch-selects: a select of two tensors by a scalar becomes a branch, with what is
// computed for one of them alone in it. Threads of all warps go the same way.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUBRANCHSELECTSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// Arithmetic of a thread that takes longer than a branch.
static constexpr int64_t kBranchOps = 32;

/// What is computed in the block of a select for one of its operands alone, the last operation
/// first.
static SmallVector<Operation *> collectOwn(arith::SelectOp select, Value operand) {
  auto mayMove = [&](Operation *op) {
    return op->getBlock() == select->getBlock() && op->getNumRegions() == 0 &&
           isMemoryEffectFree(op) && !op->hasTrait<OpTrait::ConstantLike>();
  };
  Operation *def = operand.getDefiningOp();
  if (!def || !def->hasOneUse() || !mayMove(def))
    return {};
  llvm::SetVector<Operation *> own;
  own.insert(def);
  // Users come before what they use.
  for (Operation *op = def->getPrevNode(); op; op = op->getPrevNode())
    if (!op->use_empty() && mayMove(op) &&
        llvm::all_of(op->getUsers(), [&](Operation *user) { return own.contains(user); }))
      own.insert(op);
  return own.takeVector();
}

static int64_t countOps(ArrayRef<Operation *> ops, int64_t threads) {
  int64_t count = 0;
  for (Operation *op : ops)
    if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
        type && isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      count += std::max<int64_t>(type.getNumElements() / threads, 1);
  return count;
}

static void branch(arith::SelectOp select, ArrayRef<Operation *> ifTrue,
                   ArrayRef<Operation *> ifFalse) {
  OpBuilder builder(select);
  Location loc = select.getLoc();
  auto made = scf::IfOp::create(builder, loc, select.getType(), select.getCondition(),
                                /*withElseRegion=*/true);
  auto fill = [&](Block *block, ArrayRef<Operation *> ops, Value value) {
    OpBuilder inside = OpBuilder::atBlockEnd(block);
    scf::YieldOp::create(inside, loc, value);
    for (Operation *op : ops)
      op->moveBefore(block, block->begin());
  };
  fill(made.thenBlock(), ifTrue, select.getTrueValue());
  fill(made.elseBlock(), ifFalse, select.getFalseValue());
  select.replaceAllUsesWith(made.getResult(0));
  select.erase();
}

namespace {
struct BranchSelects final : tilec::impl::TileGPUBranchSelectsPassBase<BranchSelects> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](arith::SelectOp select) {
      if (isa<RankedTensorType>(select.getType()) && select.getCondition().getType().isInteger(1))
        selects.push_back(select);
    });
    // What the last one computes may have others in it.
    for (arith::SelectOp select : llvm::reverse(selects)) {
      SmallVector<Operation *> ifTrue = collectOwn(select, select.getTrueValue());
      SmallVector<Operation *> ifFalse = collectOwn(select, select.getFalseValue());
      int64_t threads = int64_t(tilegpu::numWarpsOf(getOperation())) * Processor::kWarpSize;
      if (std::max(countOps(ifTrue, threads), countOps(ifFalse, threads)) >= kBranchOps)
        branch(select, ifTrue, ifFalse);
    }
  }
};
} // namespace
