// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PeerProgram.h.

#include "PeerProgram.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;

static bool isSame(Value value, DenseSet<Value> &seen);

static bool areSame(ValueRange values, DenseSet<Value> &seen) {
  return llvm::all_of(values, [&](Value value) { return isSame(value, seen); });
}

/// An argument of a loop's body: the number of the iteration, or what it carries.
static bool isSameArgument(BlockArgument argument, DenseSet<Value> &seen) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<FunctionOpInterface>(parent))
    return true;
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return false;
  if (argument == loop.getInductionVar())
    return areSame({loop.getLowerBound(), loop.getStep()}, seen);
  return areSame(
      {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()}, seen);
}

static bool isSameResult(OpResult result, DenseSet<Value> &seen) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return areSame({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, seen) &&
           areSame({loop.getInits()[number], loop.getYieldedValues()[number]}, seen);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return areSame({branch.getCondition(), branch.thenYield().getOperand(number),
                    branch.elseYield().getOperand(number)},
                   seen);
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return id.getAxis() != 0;
  // Assembly may ask which CTA it is in.
  if (isa<tilegpu::OrderedProgramOp, tile::InlineAsmOp>(op))
    return false;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && areSame(op->getOperands(), seen);
}

/// Values that are being looked at count as the same: what goes around a loop alone stays so.
static bool isSame(Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? isSameArgument(argument, seen) : isSameResult(cast<OpResult>(value), seen);
}

bool tilec::isSameForAll(Value value) {
  DenseSet<Value> seen;
  return isSame(value, seen);
}

Value PeerProgram::of(Value value) {
  if (isSameForAll(value))
    return value;
  if (Value made = known.lookupOrNull(value))
    return made;
  Location loc = value.getLoc();
  Value made;
  if (outer && value == outer.getInductionVar()) {
    Value start = of(outer.getLowerBound());
    if (!start || !isSameForAll(outer.getStep()))
      return nullptr;
    Value ahead = arith::SubIOp::create(builder, loc, start, outer.getLowerBound());
    made = arith::AddIOp::create(builder, loc, value, ahead);
  } else if (auto id = value.getDefiningOp<tile::ProgramIdOp>()) {
    Value bits = arith::ConstantIntOp::create(builder, loc, -ctas, 32);
    Value first = arith::AndIOp::create(builder, loc, id, bits);
    made = arith::OrIOp::create(builder, loc, first, rank);
  } else {
    Operation *op = value.getDefiningOp();
    if (!op || isa<tilegpu::OrderedProgramOp, tile::InlineAsmOp>(op) || op->getNumRegions() != 0 ||
        op->getNumResults() != 1 || !isMemoryEffectFree(op))
      return nullptr;
    for (Value operand : op->getOperands()) {
      Value peer = of(operand);
      if (!peer)
        return nullptr;
      known.map(operand, peer);
    }
    made = builder.clone(*op, known)->getResult(0);
  }
  known.map(value, made);
  return made;
}

Value PeerProgram::hasEnded() {
  Value index = of(outer.getInductionVar()), end = of(outer.getUpperBound());
  if (!index || !end)
    return nullptr;
  auto past = outer.getUnsignedCmp() ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  return arith::CmpIOp::create(builder, outer.getLoc(), past, index, end);
}
