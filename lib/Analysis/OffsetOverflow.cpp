// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An interval that rests on the width of a type, or on an assumption about sizes, is not tight. A
// product of two values that are both unknown at compile time is reported whenever it may leave its
// type; a multiple by a constant only for a comparison in 64 bits; a sum only of tight ones,
// since `offset + 1` would always be one.

#include "tilec/Analysis/OffsetOverflow.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/AddressSteps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

namespace {
struct Interval {
  int64_t low = 0;
  int64_t high = 0;
  /// Follows from constants, ranges and promises alone.
  bool isTight = false;

  bool isConstant() const { return low == high; }
  bool isWithin(const Interval &other) const { return low >= other.low && high <= other.high; }
};
} // namespace

static unsigned widthOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  auto type = dyn_cast<IntegerType>(element);
  return type ? type.getWidth() : element.isIndex() ? 64 : 0;
}

static Interval typeRange(unsigned width) {
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
  return {saturatingAdd(a.low, b.low), saturatingAdd(a.high, b.high), a.isTight && b.isTight};
}

static Interval negate(const Interval &a) {
  return {saturatingNegate(a.high), saturatingNegate(a.low), a.isTight};
}

static Interval multiply(const Interval &a, const Interval &b) {
  auto [low, high] = std::minmax({saturatingMul(a.low, b.low), saturatingMul(a.low, b.high),
                                  saturatingMul(a.high, b.low), saturatingMul(a.high, b.high)});
  return {low, high, a.isTight && b.isTight};
}

static Interval join(const Interval &a, const Interval &b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.isTight && b.isTight};
}

namespace {
class Intervals {
public:
  explicit Intervals(func::FuncOp func) {
    func.walk([&](tile::AssumeOp assume) { collect(assume); });
  }

  Interval of(Value value);

  /// The range of the result as if it had any number of bits; none for other operations.
  std::optional<Interval> exact(Operation *op);

private:
  void collect(tile::AssumeOp assume);
  void collect(Block *block, arith::CmpIOp compare);
  Interval compute(Value value);
  Interval computeOp(Operation *op, const Interval &whole);

  DenseMap<Value, Interval> known;
  DenseMap<Value, Interval> promised;
  unsigned depth = 0;
};
} // namespace

void Intervals::collect(tile::AssumeOp assume) {
  SmallVector<Value> conditions{assume.getCondition()};
  while (!conditions.empty()) {
    Operation *op = conditions.pop_back_val().getDefiningOp();
    if (isa_and_nonnull<arith::AndIOp>(op))
      llvm::append_range(conditions, op->getOperands());
    else if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
      collect(assume->getBlock(), compare);
  }
}

/// A promise about a value that is defined in the block of the promise holds wherever it is used.
void Intervals::collect(Block *block, arith::CmpIOp compare) {
  using arith::CmpIPredicate;
  Value value = compare.getLhs(), bound = compare.getRhs();
  CmpIPredicate predicate = compare.getPredicate();
  APInt constant;
  if (!matchPattern(bound, m_ConstantInt(&constant))) {
    std::swap(value, bound);
    if (!matchPattern(bound, m_ConstantInt(&constant)))
      return;
    switch (predicate) {
    case CmpIPredicate::slt:
      predicate = CmpIPredicate::sgt;
      break;
    case CmpIPredicate::sle:
      predicate = CmpIPredicate::sge;
      break;
    case CmpIPredicate::sgt:
      predicate = CmpIPredicate::slt;
      break;
    case CmpIPredicate::sge:
      predicate = CmpIPredicate::sle;
      break;
    default:
      break;
    }
  }
  if (constant.getBitWidth() > 64)
    return;
  while (isa_and_nonnull<arith::ExtSIOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  if (value.getParentBlock() != block)
    return;
  int64_t number = constant.getSExtValue();
  auto [entry, isNew] = promised.try_emplace(value, typeRange(widthOf(value)));
  Interval &range = entry->second;
  if (predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle)
    range.high = std::min(range.high, number - (predicate == CmpIPredicate::slt ? 1 : 0));
  if (predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge)
    range.low = std::max(range.low, number + (predicate == CmpIPredicate::sgt ? 1 : 0));
  if (predicate == CmpIPredicate::eq)
    range = {number, number, true};
}

Interval Intervals::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Interval whole = typeRange(widthOf(value));
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

Interval Intervals::compute(Value value) {
  Interval whole = typeRange(widthOf(value));
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return whole;
    Interval lower = of(loop.getLowerBound()), upper = of(loop.getUpperBound());
    return {lower.low, saturatingAdd(upper.high, -1), lower.isTight && upper.isTight};
  }
  return computeOp(value.getDefiningOp(), whole);
}

std::optional<Interval> Intervals::exact(Operation *op) {
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

Interval Intervals::computeOp(Operation *op, const Interval &whole) {
  if (op->getNumResults() != 1)
    return whole;
  DenseElementsAttr constants;
  APInt constant;
  if (matchPattern(op->getResult(0), m_ConstantInt(&constant)) && constant.getBitWidth() <= 64) {
    int64_t number =
        constant.getBitWidth() == 1 ? int64_t(constant.getZExtValue()) : constant.getSExtValue();
    return {number, number, true};
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
        return Interval{int32_t(range.getStart()), int64_t(int32_t(range.getEnd())) - 1, true};
      })
      .Case([&](tile::ProgramIdOp id) {
        return Interval{0, programs(id.getAxis()) - 1, id.getAxis() != 0};
      })
      .Case([&](tile::NumProgramsOp number) {
        return Interval{1, programs(number.getAxis()), number.getAxis() != 0};
      })
      .Case<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::PermuteOp,
            tilegpu::ConvertLayoutOp, arith::ExtSIOp>([&](Operation *) { return operand(0); })
      .Case([&](arith::ExtUIOp) {
        Interval range = operand(0);
        int64_t all = int64_t(llvm::maxUIntN(std::min(widthOf(op->getOperand(0)), 62u)));
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

//===----------------------------------------------------------------------===//
// What addresses are computed from
//===----------------------------------------------------------------------===//

/// Calls `visit` for the operations that an integer is computed from, up to what is loaded.
static void visitSources(Value root, llvm::SmallDenseSet<Value> &seen,
                         llvm::function_ref<void(Operation *)> visit) {
  SmallVector<Value> work{root};
  auto push = [&](ValueRange values) {
    for (Value value : values)
      if (widthOf(value) > 1)
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
    } else if (op->hasTrait<OpTrait::Elementwise>() ||
               isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
                   tile::PermuteOp, tilegpu::ConvertLayoutOp>(op)) {
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
    if (!isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::PermuteOp,
             tilegpu::ConvertLayoutOp>(op))
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
  Intervals ranges(func);
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
    unsigned width = widthOf(op->getResult(0));
    if (!exact || width > 32 || exact->isWithin(typeRange(width)) ||
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
