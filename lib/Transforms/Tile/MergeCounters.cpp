// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-merge-counters: a scalar that a loop carries and moves on by the loop's step is the loop's
// counter plus a constant. What is computed from both, as a tile's place for its loads and again
// for its stores, is the same then.

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilec/Analysis/IndexPolynomial.h"
#include "tilec/Transforms/Tile/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_TILEMERGECOUNTERSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// Whether the loop hands `value` on as the sum of what it carries in its place and its step.
static bool movesByStep(scf::ForOp loop, BlockArgument argument, Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum || (sum.getLhs() != argument && sum.getRhs() != argument))
    return false;
  Value step = sum.getLhs() == argument ? sum.getRhs() : sum.getLhs();
  std::optional<int64_t> constant = getConstantIntValue(step);
  return step == loop.getStep() || (constant && constant == getConstantIntValue(loop.getStep()));
}

/// How far a carried scalar is from the loop's counter in every iteration; none when it is no such
/// counter, or when the loop's users want its last value.
static std::optional<int64_t> distanceFromCounter(scf::ForOp loop, unsigned number) {
  BlockArgument argument = loop.getRegionIterArg(number);
  if (argument.getType() != loop.getInductionVar().getType() ||
      !loop.getResult(number).use_empty() ||
      !movesByStep(loop, argument, loop.getYieldedValues()[number]))
    return std::nullopt;
  auto [base, offset] = splitConstant(loop.getInitArgs()[number]);
  auto [lower, start] = splitConstant(loop.getLowerBound());
  return base == lower ? std::optional(offset - start) : std::nullopt;
}

/// The loop carries nothing in that place any more.
static void replaceByCounter(scf::ForOp loop, unsigned number, int64_t distance) {
  BlockArgument argument = loop.getRegionIterArg(number);
  OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
  Value counter = loop.getInductionVar();
  Value offset = arith::ConstantOp::create(builder, loop.getLoc(),
                                           builder.getIntegerAttr(argument.getType(), distance));
  Value value = arith::AddIOp::create(builder, loop.getLoc(), counter, offset);
  argument.replaceAllUsesWith(value);
  loop.getBody()->getTerminator()->setOperand(number, argument);
}

namespace {
struct MergeCounters final : tilec::impl::TileMergeCountersPassBase<MergeCounters> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        if (std::optional<int64_t> distance = distanceFromCounter(loop, i))
          replaceByCounter(loop, i, *distance);
    });
  }
};
} // namespace
