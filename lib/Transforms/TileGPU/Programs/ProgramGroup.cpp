// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProgramGroup.h. Logarithms instead of quotients: a division takes a hundred cycles, which
// each program would wait for.

#include "ProgramGroup.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

/// What neighbouring programs may read together: a third of an H100's second cache, which holds
/// twice what both of its halves read.
static constexpr int64_t kSharedReads = int64_t(16) << 20;
/// More neighbours end no closer together, and their queries and results take the cache from what
/// is shared: docs/benchmarks/steps.md.
static constexpr int64_t kMostLog2 = 4;

int64_t tilec::bytesPerIteration(ArrayRef<LoopSchedule> schedules) {
  int64_t bytes = 0;
  for (const LoopSchedule &schedule : schedules)
    bytes = std::max(bytes, schedule.bytesPerStage());
  return bytes;
}

Value ProgramGroup::evaluate(Value value, Value index) {
  Operation *op = value.getDefiningOp();
  if (!op || isInFront(op))
    return value;
  if (Value known = evaluated.lookupOrNull(value))
    return known;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return id.getAxis() == *plan.longestAxis ? index : constant(0);
  if (auto number = dyn_cast<tile::NumProgramsOp>(op))
    return sizes[number.getAxis()];
  if (op->getNumRegions() != 0 || !isPure(op) || op->getNumResults() != 1)
    return nullptr;
  for (Value operand : op->getOperands()) {
    Value known = evaluate(operand, index);
    if (!known)
      return nullptr;
    evaluated.map(operand, known);
  }
  return builder.clone(*op, evaluated)->getResult(0);
}

Value ProgramGroup::makeIterations() {
  Value size = sizes[*plan.longestAxis];
  Value index =
      plan.isLongestFirst ? constant(0) : arith::SubIOp::create(builder, loc, size, constant(1));
  auto numberAt = [&](Value value) {
    Value known = evaluate(value, index);
    return known && known.getType().isInteger(32) ? known : Value();
  };
  scf::ForOp loop = plan.loop;
  Value extent = constant(0), step = numberAt(loop.getStep());
  if (!step)
    return nullptr;
  for (auto [value, factor] : plan.extent) {
    Value known = numberAt(value);
    if (!known)
      return nullptr;
    Value term = arith::MulIOp::create(builder, loc, known, constant(factor));
    extent = arith::AddIOp::create(builder, loc, extent, term);
  }
  return arith::DivSIOp::create(builder, loc, extent, step);
}

Value ProgramGroup::makeLog2(int64_t bytesPerIteration) {
  Value iterations = makeIterations();
  if (!iterations)
    return constant(0);
  int64_t fit = llvm::Log2_64_Ceil(
      std::max<int64_t>(1, kSharedReads / std::max<int64_t>(1, bytesPerIteration)));
  // clz(n) = 31 - log2(n)
  Value some = arith::MaxSIOp::create(builder, loc, iterations, constant(1));
  Value zeros = math::CountLeadingZerosOp::create(builder, loc, some);
  Value log2 = arith::AddIOp::create(builder, loc, zeros, constant(fit - 31));
  log2 = arith::MaxSIOp::create(builder, loc, log2, constant(0));
  return arith::MinSIOp::create(builder, loc, log2, constant(kMostLog2));
}
