// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion over definitions; a value that is computed from itself has the range of its type.

#include "tilec/Analysis/IntegerRanges.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

unsigned tilec::integerWidth(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  auto type = dyn_cast<IntegerType>(element);
  return type ? type.getWidth() : element.isIndex() ? 64 : 0;
}

Interval Interval::ofWidth(unsigned width) {
  if (width <= 1)
    return {0, 1, true};
  return {llvm::minIntN(std::min(width, 64u)), llvm::maxIntN(std::min(width, 64u)), width < 32};
}

static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t result = 0;
  if (!llvm::AddOverflow(a, b, result))
    return result;
  return a > 0 ? INT64_MAX : INT64_MIN;
}

static int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t result = 0;
  if (!llvm::MulOverflow(a, b, result))
    return result;
  return (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
}

static int64_t saturatingNegate(int64_t a) { return a == INT64_MIN ? INT64_MAX : -a; }

static Interval add(const Interval &a, const Interval &b) {
  return {saturatingAdd(a.low, b.low), saturatingAdd(a.high, b.high), a.isTight && b.isTight,
          a.takesLow && b.takesLow, a.takesHigh && b.takesHigh};
}

static Interval negate(const Interval &a) {
  return {saturatingNegate(a.high), saturatingNegate(a.low), a.isTight, a.takesHigh, a.takesLow};
}

static Interval multiply(const Interval &a, const Interval &b) {
  auto [low, high] = std::minmax({saturatingMul(a.low, b.low), saturatingMul(a.low, b.high),
                                  saturatingMul(a.high, b.low), saturatingMul(a.high, b.high)});
  // Scaled by a constant.
  bool scalesA = b.isConstant() && b.low >= 0, scalesB = a.isConstant() && a.low >= 0;
  return {low, high, a.isTight && b.isTight, (scalesA && a.takesLow) || (scalesB && b.takesLow),
          (scalesA && a.takesHigh) || (scalesB && b.takesHigh)};
}

static Interval join(const Interval &a, const Interval &b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.isTight && b.isTight};
}

void tilec::forEachPromise(tile::AssumeOp assume,
                           function_ref<void(Value, arith::CmpIPredicate, const APInt &)> visit) {
  using arith::CmpIPredicate;
  SmallVector<Value> conditions{assume.getCondition()};
  while (!conditions.empty()) {
    Operation *op = conditions.pop_back_val().getDefiningOp();
    if (isa_and_nonnull<arith::AndIOp>(op))
      llvm::append_range(conditions, op->getOperands());
    auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
    APInt constant;
    if (!compare)
      continue;
    CmpIPredicate predicate = compare.getPredicate();
    if (matchPattern(compare.getRhs(), m_ConstantInt(&constant)))
      visit(compare.getLhs(), predicate, constant);
    else if (matchPattern(compare.getLhs(), m_ConstantInt(&constant)))
      visit(compare.getRhs(),
            predicate == CmpIPredicate::slt   ? CmpIPredicate::sgt
            : predicate == CmpIPredicate::sle ? CmpIPredicate::sge
            : predicate == CmpIPredicate::sgt ? CmpIPredicate::slt
            : predicate == CmpIPredicate::sge ? CmpIPredicate::sle
                                              : predicate,
            constant);
  }
}

IntegerRanges::IntegerRanges(func::FuncOp func) {
  func.walk([&](tile::AssumeOp assume) {
    forEachPromise(assume, [&](Value value, arith::CmpIPredicate predicate, const APInt &bound) {
      promise(assume->getBlock(), value, predicate, bound);
    });
  });
}

/// A promise about a value that is defined in the block of the promise holds wherever it is used.
void IntegerRanges::promise(Block *block, Value value, arith::CmpIPredicate predicate,
                            const APInt &bound) {
  using arith::CmpIPredicate;
  if (bound.getBitWidth() > 64)
    return;
  while (isa_and_nonnull<arith::ExtSIOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  if (value.getParentBlock() != block)
    return;
  int64_t number = bound.getSExtValue();
  auto [entry, isNew] = promised.try_emplace(value, Interval::ofWidth(integerWidth(value)));
  Interval &range = entry->second;
  if (predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle)
    range.high = std::min(range.high, number - (predicate == CmpIPredicate::slt ? 1 : 0));
  if (predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge)
    range.low = std::max(range.low, number + (predicate == CmpIPredicate::sgt ? 1 : 0));
  if (predicate == CmpIPredicate::eq)
    range = {number, number, true};
}

Interval IntegerRanges::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Interval whole = Interval::ofWidth(integerWidth(value));
  constexpr unsigned kMaxDepth = 400;
  if (depth > kMaxDepth)
    return whole;
  ++depth;
  known[value] = whole; // for a value that is computed from itself
  Interval range = compute(value);
  --depth;
  if (!range.isWithin(whole))
    range = {std::max(range.low, whole.low), std::min(range.high, whole.high), false};
  if (auto promise = promised.find(value); promise != promised.end()) {
    range.takesLow &= range.low >= promise->second.low;
    range.takesHigh &= range.high <= promise->second.high;
    range.low = std::max(range.low, promise->second.low);
    range.high = std::min(range.high, promise->second.high);
    // Who promises an upper bound only means a size.
    if (promise->second.high < whole.high && promise->second.low == whole.low)
      range.low = std::max(range.low, saturatingNegate(std::max<int64_t>(range.high, 0)));
    range.isTight |= range.low > whole.low && range.high < whole.high;
  }
  if (range.low > range.high)
    range = whole;
  return known[value] = range;
}

Interval IntegerRanges::compute(Value value) {
  Interval whole = Interval::ofWidth(integerWidth(value));
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return whole;
    Interval lower = of(loop.getLowerBound()), upper = of(loop.getUpperBound());
    return {lower.low, saturatingAdd(upper.high, -1), lower.isTight && upper.isTight};
  }
  return computeOp(value.getDefiningOp(), whole);
}

std::optional<Interval> IntegerRanges::exact(Operation *op) {
  auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
  if (isa<arith::AddIOp>(op))
    return add(operand(0), operand(1));
  if (isa<arith::SubIOp>(op))
    return add(operand(0), negate(operand(1)));
  if (isa<arith::MulIOp>(op))
    return multiply(operand(0), operand(1));
  if (isa<arith::ShLIOp>(op)) {
    Interval amount = operand(1);
    if (amount.low < 0 || amount.high > 62)
      return std::nullopt;
    return multiply(operand(0),
                    {int64_t(1) << amount.low, int64_t(1) << amount.high, amount.isTight});
  }
  return std::nullopt;
}

Interval IntegerRanges::computeOp(Operation *op, const Interval &whole) {
  if (op->getNumResults() != 1)
    return whole;
  DenseElementsAttr constants;
  APInt constant;
  if (matchPattern(op->getResult(0), m_ConstantInt(&constant)) && constant.getBitWidth() <= 64) {
    int64_t number =
        constant.getBitWidth() == 1 ? int64_t(constant.getZExtValue()) : constant.getSExtValue();
    return {number, number, true, true, true};
  }
  if (matchPattern(op, m_Constant(&constants)) && isa<IntegerType>(constants.getElementType())) {
    Interval range = {INT64_MAX, INT64_MIN, true};
    for (const APInt &element : constants.getValues<APInt>())
      if (element.getBitWidth() <= 64)
        range = join(range, {element.getSExtValue(), element.getSExtValue(), true});
    return range;
  }
  if (std::optional<Interval> result = exact(op))
    return *result;
  auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
  // The machine's limits: 2^31 - 1 programs along x, 65535 along y and z.
  auto programs = [](unsigned axis) { return axis == 0 ? int64_t(INT32_MAX) : 65535; };
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case([](tile::MakeRangeOp range) {
        return Interval{int32_t(range.getStart()), int64_t(int32_t(range.getEnd())) - 1, true, true,
                        true};
      })
      .Case([&](tile::ProgramIdOp id) {
        return Interval{0, programs(id.getAxis()) - 1, id.getAxis() != 0, /*takesLow=*/true};
      })
      .Case<tilegpu::ProgramOfTileOp, tilegpu::OrderedProgramOp>([&](auto id) {
        return Interval{0, programs(id.getAxis()) - 1, id.getAxis() != 0, /*takesLow=*/true};
      })
      .Case([&](tile::NumProgramsOp number) {
        return Interval{1, programs(number.getAxis()), number.getAxis() != 0};
      })
      .Case<tile::ShapeOpInterface, arith::ExtSIOp>([&](auto) { return operand(0); })
      .Case([&](arith::ExtUIOp) {
        Interval range = operand(0);
        int64_t all = int64_t(llvm::maxUIntN(std::min(integerWidth(op->getOperand(0)), 62u)));
        return range.low >= 0 ? range : Interval{0, all, range.isTight};
      })
      .Case([&](arith::TruncIOp) {
        Interval range = operand(0);
        return range.isWithin(whole) ? range : whole;
      })
      .Case([&](arith::SelectOp) { return join(operand(1), operand(2)); })
      .Case([&](arith::MinSIOp) {
        Interval a = operand(0), b = operand(1);
        Interval least{std::min(a.low, b.low), std::min(a.high, b.high), a.isTight && b.isTight};
        // One of the two may bound it above, and the other be known to go no lower than that.
        least.isTight |=
            (a.isTight || b.isTight) && least.low > whole.low && least.high < whole.high;
        return least;
      })
      .Case([&](arith::MaxSIOp) {
        Interval a = operand(0), b = operand(1);
        return Interval{std::max(a.low, b.low), std::max(a.high, b.high), a.isTight && b.isTight};
      })
      .Case([&](arith::RemSIOp) {
        Interval a = operand(0), b = operand(1);
        if (b.low <= 0)
          return Interval{std::min<int64_t>(a.low, 0), std::max<int64_t>(a.high, 0), false};
        int64_t most = b.high - 1;
        return Interval{a.low < 0 ? std::max(a.low, -most) : 0,
                        std::min(most, std::max<int64_t>(a.high, 0)), b.isTight};
      })
      .Case([&](arith::DivSIOp) {
        Interval a = operand(0), b = operand(1);
        int64_t by = b.low > 0 ? b.low : 1;
        return Interval{std::min<int64_t>(a.low, 0) / by, std::max<int64_t>(a.high, 0) / by,
                        a.isTight && b.isTight};
      })
      .Case([&](arith::AndIOp) {
        Interval a = operand(0), b = operand(1);
        // A non-negative operand bounds the result.
        if (a.low < 0 && b.low < 0)
          return whole;
        int64_t high = std::min(a.low >= 0 ? a.high : INT64_MAX, b.low >= 0 ? b.high : INT64_MAX);
        return Interval{0, high, a.isTight || b.isTight};
      })
      .Default([&](Operation *) { return whole; });
}
