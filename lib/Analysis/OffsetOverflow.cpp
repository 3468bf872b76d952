// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of two values that are both unknown at compile time is reported whenever it may leave
// its type; a multiple by a constant only for a comparison in 64 bits; a sum only of tight ones,
// since `offset + 1` would always be one.

#include "tilec/Analysis/OffsetOverflow.h"

#include "tilec/Analysis/IntegerRanges.h"
#include "tilec/Analysis/SourceNames.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// What addresses are computed from
//===----------------------------------------------------------------------===//

/// Calls `visit` for the operations that an integer is computed from, up to what is loaded.
static void visitSources(Value root, llvm::SmallDenseSet<Value> &seen,
                         llvm::function_ref<void(Operation *)> visit) {
  SmallVector<Value> work{root};
  auto push = [&](ValueRange values) {
    for (Value value : values)
      if (integerWidth(value) > 1)
        work.push_back(value);
  };
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op) {
      auto argument = cast<BlockArgument>(value);
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument != loop.getInductionVar()) {
        unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
        push(loop.getInitArgs()[index]);
        push(loop.getYieldedValues()[index]);
      }
      continue;
    }
    unsigned result = cast<OpResult>(value).getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      push(branch.thenYield().getOperand(result));
      push(branch.elseYield().getOperand(result));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      push(loop.getInitArgs()[result]);
      push(loop.getYieldedValues()[result]);
    } else if (op->hasTrait<OpTrait::Elementwise>() || isa<tile::ShapeOpInterface>(op)) {
      visit(op);
      push(op->getOperands());
    }
  }
}

/// The narrower integer that `value` is a sign extension of; null when it is none.
static Value extensionSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<arith::ExtSIOp>(op))
      return op->getOperand(0);
    if (!isa<tile::ShapeOpInterface>(op))
      break;
    value = op->getOperand(0);
  }
  return Value();
}

static std::string nameOf(Value value) {
  if (std::string name = sourceName(value); !name.empty())
    return name;
  auto argument = dyn_cast_or_null<BlockArgument>(splatSource(value));
  if (argument && isa<scf::ForOp>(argument.getOwner()->getParentOp()) &&
      argument.getArgNumber() == 0)
    return "a loop counter";
  return isa<RankedTensorType>(value.getType()) ? "an index" : "a value";
}

/// Whether a value counts programs: indices and extents of the grid, their products and sums. A
/// grid of more than 2^31 programs is not to be expected.
static bool countsPrograms(Value value, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 8;
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return false;
  if (isa<tile::ProgramIdOp, tile::NumProgramsOp>(op))
    return true;
  return isa<arith::MulIOp, arith::AddIOp>(op) && countsPrograms(op->getOperand(0), depth + 1) &&
         countsPrograms(op->getOperand(1), depth + 1);
}

SmallVector<OffsetOverflow> tilec::findOffsetOverflows(func::FuncOp func) {
  IntegerRanges ranges(func);
  // Operations whose results are compared in 64 bits, with the other side.
  DenseMap<Operation *, Value> compared;
  func.walk([&](arith::CmpIOp compare) {
    for (unsigned side : {0, 1}) {
      Value narrow = extensionSource(compare->getOperand(side));
      Value bound = compare->getOperand(1 - side);
      if (!narrow || ranges.of(bound).high <= INT32_MAX)
        continue;
      llvm::SmallDenseSet<Value> seen;
      visitSources(narrow, seen, [&](Operation *op) { compared.try_emplace(op, bound); });
    }
  });

  llvm::SmallSetVector<Operation *, 8> inAddresses;
  llvm::SmallDenseSet<Value> seen;
  func.walk([&](tile::AddPtrOp op) {
    visitSources(op.getOffset(), seen, [&](Operation *source) { inAddresses.insert(source); });
  });

  SmallVector<OffsetOverflow> found;
  func.walk([&](Operation *op) {
    if (!inAddresses.contains(op))
      return;
    std::optional<Interval> exact = ranges.exact(op);
    unsigned width = integerWidth(op->getResult(0));
    if (!exact || width > 32 || exact->isWithin(Interval::ofWidth(width)) ||
        countsPrograms(op->getResult(0)))
      return;
    Interval left = ranges.of(op->getOperand(0)), right = ranges.of(op->getOperand(1));
    OffsetOverflow overflow;
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      if (!left.isTight || !right.isTight)
        return;
    } else if (left.isConstant() || right.isConstant()) {
      auto bound = compared.find(op);
      if (bound == compared.end())
        return;
      overflow.isCompared = true;
      overflow.bound = sourceName(bound->second);
    }
    overflow.op = op;
    overflow.isKnown = left.isTight && right.isTight;
    overflow.bits = width;
    overflow.left = nameOf(op->getOperand(0));
    overflow.right = nameOf(op->getOperand(1));
    overflow.low = exact->low;
    overflow.high = exact->high;
    found.push_back(std::move(overflow));
  });
  return found;
}
