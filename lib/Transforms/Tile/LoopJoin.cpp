// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LoopJoin.h.

#include "LoopJoin.h"

#include "dialects/Tile/LoopCounter.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;

static bool isInside(Value value, scf::ForOp loop) {
  return loop.getRegion().isAncestor(value.getParentRegion());
}

bool LoopJoin::isSameOperation(Operation *a, Operation *b) {
  IRMapping inner;
  return OperationEquivalence::isEquivalentTo(
      a, b,
      [&](Value x, Value y) {
        Value ofInner = inner.lookupOrNull(x);
        return success(ofInner ? ofInner == y : matches(x, y));
      },
      [&](Value x, Value y) { inner.map(x, y); }, OperationEquivalence::IgnoreLocations);
}

bool LoopJoin::isSame(Value x, Value y) {
  if (x == y)
    return true;
  if (x.getType() != y.getType())
    return false;
  if (auto it = known.find({x, y}); it != known.end())
    return it->second;
  bool result = compare(x, y);
  known[{x, y}] = result;
  if (result && isInside(y, second)) {
    counterparts[x] = y;
    same.insert(y);
  }
  return result;
}

bool LoopJoin::compare(Value x, Value y) {
  bool isInFirst = isInside(x, first);
  if (isInFirst != isInside(y, second))
    return false;
  auto argument = dyn_cast<BlockArgument>(x), other = dyn_cast<BlockArgument>(y);
  if (argument || other)
    return isInFirst && argument && other && argument.getOwner() == first.getBody() &&
           other.getOwner() == second.getBody() && argument.getArgNumber() == other.getArgNumber();
  // What is computed outside of the loops may be computed alike.
  return (isInFirst || isPure(x.getDefiningOp())) &&
         cast<OpResult>(x).getResultNumber() == cast<OpResult>(y).getResultNumber() &&
         isSameOperation(x.getDefiningOp(), y.getDefiningOp());
}

bool LoopJoin::isMasked(Value x, Value y) {
  auto takenBy = [](Value value) -> SmallVector<Value> {
    auto select = value.getDefiningOp<arith::SelectOp>();
    return select ? SmallVector<Value>{select.getTrueValue(), select.getFalseValue()}
                  : SmallVector<Value>{};
  };
  Operation *def = y.getDefiningOp();
  if (!def || def->getBlock() != second.getBody())
    return false;
  if (llvm::any_of(takenBy(y), [&](Value taken) { return isSame(x, taken); }))
    return differs.insert({y, x}).first->second == x;
  bool isOfFirst =
      llvm::any_of(takenBy(x), [&](Value taken) { return taken.hasOneUse() && isSame(taken, y); });
  if (!isOfFirst)
    return false;
  onlyMasked.insert(y);
  return differs.insert({y, x}).first->second == x;
}

bool LoopJoin::matches(Value x, Value y) { return isSame(x, y) || isMasked(x, y); }

bool LoopJoin::mayTakeOver(Value x, Operation *place) const {
  if (Value counterpart = counterparts.lookup(x)) {
    Operation *def = counterpart.getDefiningOp();
    return !def || def == place || def->isBeforeInBlock(place);
  }
  if (!isInside(x, first))
    return true;
  Operation *op = x.getDefiningOp();
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value v) { return mayTakeOver(v, place); });
}

bool LoopJoin::match() {
  for (auto [x, y] : llvm::zip(first.getBody()->getArguments(), second.getBody()->getArguments()))
    counterparts[x] = y;
  for (auto [x, y] : llvm::zip(first.getYieldedValues(), second.getYieldedValues()))
    if (!matches(x, y))
      return false;
  // A value is the same everywhere, or another one everywhere. What one loop computes and the other
  // one does not may be computed in all iterations.
  return llvm::all_of(differs,
                      [&](const auto &difference) {
                        auto [y, x] = difference;
                        return (!same.contains(y) || onlyMasked.contains(y)) &&
                               mayTakeOver(x, y.getDefiningOp());
                      }) &&
         llvm::all_of(second.getBody()->without_terminator(), [&](Operation &op) {
           return isPure(&op) ||
                  llvm::all_of(op.getResults(), [&](Value v) { return same.contains(v); });
         });
}

Value LoopJoin::takeOver(OpBuilder &builder, Value x, IRMapping &mapping) {
  if (Value counterpart = counterparts.lookup(x))
    return mapping.lookupOrDefault(counterpart);
  if (Value made = mapping.lookupOrNull(x))
    return made;
  Operation *op = x.getDefiningOp();
  if (!isInside(x, first))
    return x;
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, takeOver(builder, operand, mapping));
  Operation *made = builder.clone(*op, operands);
  mapping.map(op->getResults(), made->getResults());
  return made->getResult(cast<OpResult>(x).getResultNumber());
}

Value LoopJoin::choose(OpBuilder &builder, Value made, Value x, Value inSecond,
                       IRMapping &mapping) {
  Location loc = made.getLoc();
  // One that chooses between the same two already.
  if (auto chosen = x.getDefiningOp<arith::SelectOp>();
      chosen && chosen.getCondition().getType().isInteger(1)) {
    Value condition = takeOver(builder, chosen.getCondition(), mapping);
    Value taken = takeOver(builder, chosen.getTrueValue(), mapping);
    Value other = takeOver(builder, chosen.getFalseValue(), mapping);
    if (taken == made) {
      Value either = arith::OrIOp::create(builder, loc, inSecond, condition);
      return arith::SelectOp::create(builder, loc, either, made, other);
    }
    if (other == made) {
      Value isTaken = arith::AndIOp::create(
          builder, loc, condition,
          arith::XOrIOp::create(
              builder, loc, inSecond,
              arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true))));
      return arith::SelectOp::create(builder, loc, isTaken, taken, made);
    }
  }
  return arith::SelectOp::create(builder, loc, inSecond, made, takeOver(builder, x, mapping));
}

scf::ForOp LoopJoin::join() {
  OpBuilder builder(second);
  Location loc = first.getLoc();
  // One of the loops may have no iteration.
  Value from = lesserOf(builder, first, first.getLowerBound(), second.getLowerBound());
  Value to = greaterOf(builder, first, second.getLowerBound(), second.getUpperBound());
  auto made = scf::ForOp::create(builder, loc, from, to, first.getStep(), first.getInitArgs(),
                                 nullptr, first.getUnsignedCmp());
  made->setDiscardableAttrs(first->getDiscardableAttrDictionary());
  if (!made.getBody()->empty())
    made.getBody()->back().erase();
  builder.setInsertionPointToEnd(made.getBody());
  IRMapping mapping;
  mapping.map(second.getBody()->getArguments(), made.getBody()->getArguments());
  Value inSecond;
  for (Operation &op : second.getBody()->without_terminator()) {
    builder.clone(op, mapping);
    for (Value result : op.getResults()) {
      auto it = differs.find(result);
      if (it == differs.end())
        continue;
      if (!inSecond)
        inSecond = arith::CmpIOp::create(builder, loc,
                                         first.getUnsignedCmp() ? arith::CmpIPredicate::uge
                                                                : arith::CmpIPredicate::sge,
                                         made.getInductionVar(), second.getLowerBound());
      mapping.map(result, choose(builder, mapping.lookup(result), it->second, inSecond, mapping));
    }
  }
  scf::YieldOp::create(builder, loc, llvm::map_to_vector(second.getYieldedValues(), [&](Value v) {
                         return mapping.lookupOrDefault(v);
                       }));
  return made;
}
