// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LoopContinuation.h. With n iterations and copies that run d of them ahead,
//
//   for k iter_args(next) {
//     product of k
//     next' = k == first ? what the next tile's copies are computed from : next
//     k + d < n ? copies of k + d : copies of k + d - n of the next tile
//   }

#include "LoopContinuation.h"

#include "CarryMore.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/IndexPolynomial.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

bool LoopContinuation::isBoundOf(TmaLoadOp copy) {
  auto bound = copy.getPredicate() ? copy.getPredicate().getDefiningOp<arith::CmpIOp>() : nullptr;
  return bound && bound.getPredicate() == lessOf(loop) && bound.getRhs() == loop.getUpperBound();
}

bool LoopContinuation::add(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == loop.getBody())
    return argument == loop.getInductionVar();
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return during.add(value);
  if (inside.contains(op))
    return true;
  if (op->getNumRegions() > 0 || !isPure(op) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); }))
    return false;
  inside.insert(op);
  return true;
}

bool LoopContinuation::find(Value barriers) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step <= 0)
    return false;
  for (Operation *user : barriers.getUsers()) {
    auto copy = dyn_cast<TmaLoadOp>(user);
    if (!copy || copy->getBlock() == tiles.getBody())
      continue;
    if (copy->getBlock() != loop.getBody() || copy.getCtas())
      return false;
    copies.push_back(copy);
  }
  llvm::sort(copies, [](TmaLoadOp a, TmaLoadOp b) { return a->isBeforeInBlock(b); });
  for (TmaLoadOp copy : copies) {
    if (!isBoundOf(copy))
      return false;
    Value iteration = copy.getPredicate().getDefiningOp<arith::CmpIOp>().getLhs();
    auto [counter, offset] = splitConstant(iteration);
    if (counter != loop.getInductionVar() || offset <= 0 || (distance && offset != distance))
      return false;
    distance = offset;
  }
  for (TmaLoadOp copy : copies)
    if (!add(copy.getPredicate()) ||
        !llvm::all_of(copy.getOffsets(), [&](Value offset) { return add(offset); }))
      return false;
  if (copies.empty() || !during.add(loop.getLowerBound()) || !during.add(loop.getUpperBound()))
    return false;
  values = during.results();
  return true;
}

Value LoopContinuation::endOfLoop(OpBuilder &builder) {
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  Value most = greaterOf(builder, loop, lower, upper);
  int64_t size = *getConstantIntValue(step);
  if (size == 1)
    return most;
  Value rest =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(step.getType(), size - 1));
  Value length = arith::SubIOp::create(builder, loc, most, lower);
  Value count =
      arith::DivUIOp::create(builder, loc, arith::AddIOp::create(builder, loc, length, rest), step);
  return arith::AddIOp::create(builder, loc, lower,
                               arith::MulIOp::create(builder, loc, count, step));
}

SmallVector<Value> LoopContinuation::computeFor(OpBuilder &builder, Value tile,
                                                ValueRange carried) {
  IRMapping mapping;
  mapping.map(tiles.getInductionVar(), tile);
  mapping.map(tiles.getRegionIterArgs(), carried);
  during.clone(builder, mapping);
  return llvm::map_to_vector(values, [&](Value value) { return mapping.lookup(value); });
}

ValueRange LoopContinuation::computeNext(OpBuilder &builder, IRMapping mapping) {
  if (values.empty())
    return {};
  Location loc = loop.getLoc();
  Operation *product = nullptr;
  for (auto op : loop.getBody()->getOps<WgmmaOp>())
    if (op->isBeforeInBlock(copies.front()))
      product = op;
  if (product)
    builder.setInsertionPointAfter(product);
  else
    builder.setInsertionPoint(copies.front());
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        loop.getInductionVar(), loop.getLowerBound());
  auto branch = scf::IfOp::create(builder, loc, types(), isFirst, /*withElseRegion=*/true);
  OpBuilder then = branch.getThenBodyBuilder(), other = branch.getElseBodyBuilder();
  during.clone(then, mapping);
  scf::YieldOp::create(
      then, loc, llvm::map_to_vector(values, [&](Value value) { return mapping.lookup(value); }));
  scf::YieldOp::create(other, loc, loop.getRegionIterArgs().take_back(values.size()));
  Operation *yield = loop.getBody()->getTerminator();
  yield->setOperands(yield->getNumOperands() - values.size(), values.size(), branch.getResults());
  return branch.getResults();
}

void LoopContinuation::startCopies(OpBuilder &builder, IRMapping mapping) {
  Location loc = loop.getLoc();
  builder.setInsertionPoint(copies.front());
  Value shift =
      arith::SubIOp::create(builder, loc, mapping.lookupOrDefault(loop.getLowerBound()), end);
  mapping.map(loop.getInductionVar(),
              arith::AddIOp::create(builder, loc, loop.getInductionVar(), shift));
  for (Operation *op : inside)
    builder.clone(*op, mapping);
  for (TmaLoadOp copy : copies) {
    builder.setInsertionPoint(copy);
    Value isOfThis = copy.getPredicate();
    Value isOfNext = arith::AndIOp::create(builder, loc, hasNext, mapping.lookup(isOfThis));
    copy.getPredicateMutable().assign(arith::OrIOp::create(builder, loc, isOfThis, isOfNext));
    for (OpOperand &offset : copy.getOffsetsMutable())
      if (Value other = mapping.lookupOrDefault(offset.get()); other != offset.get())
        offset.assign(arith::SelectOp::create(builder, loc, isOfThis, offset.get(), other));
  }
}

void LoopContinuation::make() {
  IRRewriter builder(loop.getContext());
  builder.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  end = endOfLoop(builder);
  Value next = arith::AddIOp::create(builder, loc, tiles.getInductionVar(), tiles.getStep());
  hasNext = isIteration(builder, tiles, next);
  // Behind the last tile there are the last one's again: no other divisors and addresses than those
  // of the program.
  auto orThis = [&](Value value, Value now) -> Value {
    return arith::SelectOp::create(builder, loc, hasNext, value, now);
  };
  IRMapping mapping;
  mapping.map(tiles.getInductionVar(), orThis(next, tiles.getInductionVar()));
  for (BlockArgument argument : during.carried())
    mapping.map(argument, orThis(tiles.getTiedLoopYieldedValue(argument)->get(), argument));
  SmallVector<Value> none = llvm::map_to_vector(
      types(), [&](Type type) -> Value { return ub::PoisonOp::create(builder, loc, type); });
  loop = carryMore(builder, loop, none);
  ValueRange ofNext = computeNext(builder, mapping);
  mapping.map(values, ofNext);
  startCopies(builder, mapping);
}

scf::ForOp LoopContinuation::handOver(ValueRange ofFirst, ValueRange ofNext) {
  SmallVector<Value> next(ofNext);
  IRRewriter rewriter(loop.getContext());
  tiles = carryMore(rewriter, tiles, ofFirst);
  Operation *yield = tiles.getBody()->getTerminator();
  yield->setOperands(yield->getNumOperands() - next.size(), next.size(), next);
  auto arguments = tiles.getRegionIterArgs().take_back(next.size());
  for (auto [value, argument] : llvm::zip_equal(values, arguments))
    value.replaceUsesWithIf(argument,
                            [&](OpOperand &use) { return !during.contains(use.getOwner()); });
  return tiles;
}

Value LoopContinuation::missing(OpBuilder &builder) {
  Location loc = loop.getLoc();
  Value length = arith::SubIOp::create(builder, loc, end, loop.getLowerBound());
  Value full =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(length.getType(), distance));
  Value rest = arith::SubIOp::create(builder, loc, full, length);
  Value isShort = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, length, full);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(length.getType(), 0));
  return arith::SelectOp::create(builder, loc, isShort, rest, zero);
}
