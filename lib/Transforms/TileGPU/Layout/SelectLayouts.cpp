// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout selection pass:
//   1. LayoutProblem: which operations have a layout to choose, and from which ones;
//   2. LayoutSolver: the choice, by cost;
//   3. LayoutRewrite: the new types, the conversions that are left.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "LayoutRewrite.h"
#include "LayoutSolver.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUSELECTLAYOUTSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Only tensors with layouts can be given others.
static LogicalResult checkLayouts(func::FuncOp func) {
  auto isBare = [](Type type) { return isa<RankedTensorType>(type) && !hasLayout(type); };
  WalkResult result = func.walk([&](Operation *op) {
    bool isInBody = op != func.getOperation();
    auto arguments = isInBody ? TypeRange() : TypeRange(func.getArgumentTypes());
    if (llvm::none_of(op->getOperandTypes(), isBare) &&
        llvm::none_of(op->getResultTypes(), isBare) && llvm::none_of(arguments, isBare))
      return WalkResult::advance();
    op->emitError("expected tensors with layouts: run convert-tile-to-tilegpu first");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct SelectLayouts final : tilec::impl::TileGPUSelectLayoutsPassBase<SelectLayouts> {
  using Base::Base;
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (failed(checkLayouts(func)))
      return signalPassFailure();
    LayoutRules rules;
    LayoutCost cost(getAnalysis<AxisInfoAnalysis>());
    LayoutProblem problem(func, rules, cost);
    solveLayouts(problem);
    applyLayouts(func, problem);
  }
};
} // namespace
