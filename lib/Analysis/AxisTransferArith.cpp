// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis facts through integer arithmetic, comparisons and selections of the arith and math dialects.
//
// Most rules rest on *aligned groups*. When the runs of x start at multiples of G and are at least
// G long, and the values of n are multiples of G, the G values x, x+1, ..., x+G-1 lie in one bucket
// [kG, kG+G): they compare with n alike (x < n), have the same quotient by n, and their remainders
// count up. Buckets do not straddle an overflow, so this holds for wrapping arithmetic too. Signed
// division rounds towards zero and needs non-negative values besides.

#include "AxisTransfer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilec {
namespace {

/// Bits of an integer or index type, 0 for other types.
unsigned integerBits(Type type) {
  type = getElementTypeOrSelf(type);
  if (type.isIndex())
    return 64;
  return type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64
             ? type.getIntOrFloatBitWidth()
             : 0;
}

/// A constant as AxisInfo::constantValue wants it: booleans are 0 and 1, others sign-extended.
int64_t constantOf(const APInt &value) {
  return value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue();
}

APInt toAPInt(int64_t value, unsigned bits) {
  return APInt(bits, static_cast<uint64_t>(value), /*isSigned=*/true, /*implicitTrunc=*/true);
}

/// Length of the aligned groups in which both values count up, so that they keep their distance and
/// order.
int64_t groupInStep(const AxisInfo &lhs, const AxisInfo &rhs, unsigned d) {
  return std::min({lhs.contiguity[d], rhs.contiguity[d], lhs.divisibility[d], rhs.divisibility[d]});
}

/// The rules for one op with two integer operands.
class Binary {
public:
  Binary(Operation *op, const AxisInfo &lhs, const AxisInfo &rhs)
      : op(op), lhs(lhs), rhs(rhs), type(op->getResult(0).getType()),
        result(AxisInfo::pessimistic(type)) {
    for (unsigned d = 0; d < result.getRank(); ++d)
      result.constancy[d] = std::min(lhs.constancy[d], rhs.constancy[d]);
  }

  std::optional<AxisInfo> run();

private:
  /// The value when both operands are known and the result is defined.
  std::optional<APInt> fold() const;
  /// Length of the groups of `run` that start at multiples of their length and meet a multiple of
  /// it in `other`.
  static int64_t alignedGroup(const AxisInfo &run, const AxisInfo &other, unsigned d) {
    return std::min(
        {run.contiguity[d], run.divisibility[d], other.divisibility[d], other.constancy[d]});
  }
  void raiseConstancy(unsigned d, int64_t value) {
    result.constancy[d] = std::max(result.constancy[d], value);
  }
  /// Divisibility when every element of the result is a multiple of `value`.
  void everyElement(int64_t value) { result.divisibility.assign(result.getRank(), value); }

  AxisInfo subtract();
  AxisInfo multiply();
  AxisInfo divide(bool isSigned, bool roundsDown);
  AxisInfo remainder(bool isSigned);
  AxisInfo conjunction();
  AxisInfo disjunction(bool exclusive);
  AxisInfo shiftLeft();
  AxisInfo shiftRight(bool isSigned);
  AxisInfo extremum(bool isSigned, bool isMax);

  Operation *op;
  const AxisInfo &lhs;
  const AxisInfo &rhs;
  Type type;
  AxisInfo result;
};

std::optional<APInt> Binary::fold() const {
  unsigned bits = integerBits(type);
  if (!lhs.constantValue || !rhs.constantValue)
    return std::nullopt;
  APInt a = toAPInt(*lhs.constantValue, bits);
  APInt b = toAPInt(*rhs.constantValue, bits);
  bool overflows = a.isMinSignedValue() && b.isAllOnes();
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  if (isa<arith::AndIOp>(op))
    return a & b;
  if (isa<arith::OrIOp>(op))
    return a | b;
  if (isa<arith::XOrIOp>(op))
    return a ^ b;
  if (isa<arith::MaxSIOp>(op))
    return a.sgt(b) ? a : b;
  if (isa<arith::MinSIOp>(op))
    return a.slt(b) ? a : b;
  if (isa<arith::MaxUIOp>(op))
    return a.ugt(b) ? a : b;
  if (isa<arith::MinUIOp>(op))
    return a.ult(b) ? a : b;
  if (b.ult(bits)) {
    if (isa<arith::ShLIOp>(op))
      return a.shl(b);
    if (isa<arith::ShRSIOp>(op))
      return a.ashr(b);
    if (isa<arith::ShRUIOp>(op))
      return a.lshr(b);
  }
  if (b.isZero())
    return std::nullopt;
  if (isa<arith::DivUIOp>(op))
    return a.udiv(b);
  if (isa<arith::RemUIOp>(op))
    return a.urem(b);
  if (overflows)
    return std::nullopt;
  if (isa<arith::DivSIOp>(op))
    return a.sdiv(b);
  if (isa<arith::RemSIOp>(op))
    return a.srem(b);
  return std::nullopt;
}

AxisInfo Binary::subtract() {
  for (unsigned d = 0; d < result.getRank(); ++d) {
    int64_t run = std::min(lhs.contiguity[d], rhs.constancy[d]);
    result.contiguity[d] = run;
    result.divisibility[d] = std::min(lhs.getDivisibilityAt(d, run), rhs.getDivisibilityAt(d, run));
    raiseConstancy(d, groupInStep(lhs, rhs, d));
  }
  return result;
}

AxisInfo Binary::multiply() {
  if (rhs.constantValue == 1)
    return lhs;
  if (lhs.constantValue == 1)
    return rhs;
  everyElement(saturatingProduct(lhs.getElementDivisibility(), rhs.getElementDivisibility()));
  result.nonNegative = lhs.nonNegative && rhs.nonNegative;
  return result;
}

AxisInfo Binary::divide(bool isSigned, bool roundsDown) {
  if (rhs.constantValue == 1 && integerBits(type) > 1)
    return lhs;
  if (!isSigned || roundsDown || lhs.nonNegative)
    for (unsigned d = 0; d < result.getRank(); ++d)
      raiseConstancy(d, alignedGroup(lhs, rhs, d));
  int64_t dividend = lhs.getElementDivisibility();
  if (rhs.constantValue && *rhs.constantValue > 0 && llvm::isPowerOf2_64(*rhs.constantValue))
    everyElement(std::max<int64_t>(dividend / *rhs.constantValue, 1));
  result.nonNegative = lhs.nonNegative && (!isSigned || rhs.constantValue.value_or(1) > 0);
  return result;
}

AxisInfo Binary::remainder(bool isSigned) {
  for (unsigned d = 0; d < result.getRank(); ++d) {
    int64_t run = !isSigned || lhs.nonNegative ? alignedGroup(lhs, rhs, d) : 1;
    result.contiguity[d] = run;
    result.divisibility[d] = std::min(lhs.getDivisibilityAt(d, run), rhs.getDivisibilityAt(d, run));
  }
  result.nonNegative = lhs.nonNegative || (!isSigned && rhs.constantValue.value_or(0) > 0);
  return result;
}

AxisInfo Binary::conjunction() {
  if (integerBits(type) == 1 && (lhs.constantValue == 1 || rhs.constantValue == 1))
    return lhs.constantValue == 1 ? rhs : lhs;
  int64_t every = std::max(lhs.getElementDivisibility(), rhs.getElementDivisibility());
  everyElement(every);
  // x & (2^k - 1) is the unsigned remainder by 2^k.
  uint64_t mask = static_cast<uint64_t>(rhs.constantValue.value_or(0));
  bool isLowMask = rhs.constantValue && *rhs.constantValue > 0 && llvm::isMask_64(mask);
  for (unsigned d = 0; d < result.getRank(); ++d) {
    raiseConstancy(d, std::max(alignedGroup(lhs, rhs, d), alignedGroup(rhs, lhs, d)));
    if (!isLowMask)
      continue;
    int64_t modulus = saturatingProduct(static_cast<int64_t>(mask / 2 + 1), 2);
    int64_t run = std::min({lhs.contiguity[d], lhs.divisibility[d], modulus});
    result.contiguity[d] = run;
    int64_t start = lhs.getDivisibilityAt(d, run);
    result.divisibility[d] = start >= modulus ? AxisInfo::kMaxDivisibility : std::max(every, start);
  }
  result.nonNegative = lhs.nonNegative || rhs.nonNegative;
  return result;
}

AxisInfo Binary::disjunction(bool exclusive) {
  if (integerBits(type) == 1 && (lhs.constantValue == 0 || rhs.constantValue == 0))
    return lhs.constantValue == 0 ? rhs : lhs;
  for (unsigned d = 0; d < result.getRank(); ++d) {
    // An aligned group only uses the low bits, which are zero in the other operand: or is plus.
    int64_t run = std::max(alignedGroup(lhs, rhs, d), alignedGroup(rhs, lhs, d));
    result.contiguity[d] = run;
    result.divisibility[d] = std::min(lhs.getDivisibilityAt(d, run), rhs.getDivisibilityAt(d, run));
    // In step, both operands have the same low bits, which cancel.
    if (exclusive)
      raiseConstancy(d, groupInStep(lhs, rhs, d));
  }
  result.nonNegative = lhs.nonNegative && rhs.nonNegative;
  return result;
}

AxisInfo Binary::shiftLeft() {
  if (rhs.constantValue == 0)
    return lhs;
  int64_t every = lhs.getElementDivisibility();
  if (rhs.constantValue && *rhs.constantValue > 0 && *rhs.constantValue < integerBits(type))
    every = saturatingProduct(every, int64_t(1) << std::min<int64_t>(*rhs.constantValue, 62));
  everyElement(every);
  result.nonNegative = lhs.nonNegative;
  return result;
}

AxisInfo Binary::shiftRight(bool isSigned) {
  if (rhs.constantValue == 0)
    return lhs;
  result.nonNegative = lhs.nonNegative;
  if (!rhs.constantValue || *rhs.constantValue < 0 || *rhs.constantValue >= integerBits(type))
    return result;
  // Arithmetic shifts round down, so aligned groups keep together for negative values too.
  int64_t divisor = int64_t(1) << std::min<int64_t>(*rhs.constantValue, 62);
  for (unsigned d = 0; d < result.getRank(); ++d)
    raiseConstancy(d, std::min({lhs.contiguity[d], lhs.divisibility[d], divisor}));
  everyElement(std::max<int64_t>(lhs.getElementDivisibility() / divisor, 1));
  result.nonNegative |= !isSigned;
  return result;
}

AxisInfo Binary::extremum(bool isSigned, bool isMax) {
  everyElement(std::min(lhs.getElementDivisibility(), rhs.getElementDivisibility()));
  bool either = isMax == isSigned;
  result.nonNegative =
      either ? lhs.nonNegative || rhs.nonNegative : lhs.nonNegative && rhs.nonNegative;
  return result;
}

std::optional<AxisInfo> Binary::run() {
  if (std::optional<APInt> value = fold())
    return AxisInfo::constant(type, constantOf(*value));
  if (isa<arith::AddIOp>(op))
    return addAxisInfo(type, lhs, rhs);
  if (isa<arith::SubIOp>(op))
    return subtract();
  if (isa<arith::MulIOp>(op))
    return multiply();
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op))
    return divide(!isa<arith::DivUIOp>(op), isa<arith::FloorDivSIOp>(op));
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return remainder(isa<arith::RemSIOp>(op));
  if (isa<arith::AndIOp>(op))
    return conjunction();
  if (isa<arith::OrIOp, arith::XOrIOp>(op))
    return disjunction(isa<arith::XOrIOp>(op));
  if (isa<arith::ShLIOp>(op))
    return shiftLeft();
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return shiftRight(isa<arith::ShRSIOp>(op));
  if (isa<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op))
    return extremum(isa<arith::MaxSIOp, arith::MinSIOp>(op),
                    isa<arith::MaxSIOp, arith::MaxUIOp>(op));
  return std::nullopt;
}

/// Whether `x predicate n` changes between x = n - 1 and x = n (and not between n and n + 1).
bool splitsAtBound(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  return predicate == P::slt || predicate == P::sge || predicate == P::ult || predicate == P::uge;
}

/// Constancy of a mask. For aligned groups of x: x < n and x >= n are the same for the whole group;
/// so are n <= x and n > x. x <= n is x < n + 1, which helps when n is constant.
AxisInfo compare(arith::CmpIOp op, const AxisInfo &lhs, const AxisInfo &rhs) {
  using P = arith::CmpIPredicate;
  Type type = op.getType();
  unsigned bits = integerBits(op.getLhs().getType());
  if (bits && lhs.constantValue && rhs.constantValue)
    return AxisInfo::constant(type, arith::applyCmpPredicate(op.getPredicate(),
                                                             toAPInt(*lhs.constantValue, bits),
                                                             toAPInt(*rhs.constantValue, bits)));
  AxisInfo result = AxisInfo::pessimistic(type);
  P predicate = op.getPredicate();
  bool isEquality = predicate == P::eq || predicate == P::ne;
  // Divisibility of the bound for which the comparison splits at multiples of it.
  auto boundDivisibility = [&](const AxisInfo &bound, unsigned d, bool exact) {
    if (exact)
      return bound.divisibility[d];
    int64_t limit = bound.constantValue.value_or(-2);
    // One more must not wrap, as a signed or unsigned number: -1 and the largest value do.
    return limit >= 0 && limit < (int64_t(1) << std::min(bits - 1, 62u)) - 1
               ? powerOfTwoDivisor(limit + 1)
               : int64_t(1);
  };
  for (unsigned d = 0; d < result.getRank(); ++d) {
    int64_t constancy = std::min(lhs.constancy[d], rhs.constancy[d]);
    auto group = [&](const AxisInfo &run, const AxisInfo &bound, bool exact) {
      constancy =
          std::max(constancy, std::min({run.contiguity[d], run.divisibility[d],
                                        boundDivisibility(bound, d, exact), bound.constancy[d]}));
    };
    if (bits && !isEquality) {
      group(lhs, rhs, splitsAtBound(predicate));
      group(rhs, lhs, !splitsAtBound(predicate));
    }
    result.constancy[d] = std::max(constancy, groupInStep(lhs, rhs, d));
  }
  return result;
}

AxisInfo select(arith::SelectOp op, const AxisInfo &condition, const AxisInfo &left,
                const AxisInfo &right) {
  if (condition.constantValue)
    return *condition.constantValue ? left : right;
  AxisInfo result = AxisInfo::join(left, right);
  bool isScalar = !isa<ShapedType>(op.getCondition().getType());
  if (isScalar)
    return result;
  for (unsigned d = 0; d < result.getRank(); ++d) {
    int64_t run = std::min(result.contiguity[d], condition.constancy[d]);
    result.divisibility[d] =
        std::min(left.getDivisibilityAt(d, run), right.getDivisibilityAt(d, run));
    result.contiguity[d] = run;
    // Equal constants on both sides stay equal whatever the condition says.
    if (!result.constantValue)
      result.constancy[d] = std::min(result.constancy[d], condition.constancy[d]);
  }
  return result;
}

/// Runs and groups of a one-dimensional list of numbers, measured.
AxisInfo measure(Type type, DenseIntElementsAttr values) {
  SmallVector<int64_t> list;
  for (const APInt &value : values)
    list.push_back(constantOf(value));
  AxisInfo result = AxisInfo::pessimistic(type);
  int64_t size = list.size();
  auto longest = [&](int64_t step) {
    int64_t group = powerOfTwoDivisor(size);
    for (int64_t i = 1; i < size; ++i)
      if (static_cast<uint64_t>(list[i]) != static_cast<uint64_t>(list[i - 1]) + step)
        group = std::min(group, powerOfTwoDivisor(i));
    return group;
  };
  result.contiguity[0] = longest(1);
  result.constancy[0] = longest(0);
  int64_t divisibility = AxisInfo::kMaxDivisibility;
  for (int64_t i = 0; i < size; i += result.contiguity[0])
    divisibility = std::min(divisibility, powerOfTwoDivisor(list[i]));
  result.divisibility[0] = divisibility;
  result.nonNegative = llvm::all_of(list, [](int64_t value) { return value >= 0; });
  return result;
}

AxisInfo constant(arith::ConstantOp op) {
  Type type = op.getType();
  unsigned bits = integerBits(type);
  if (auto value = dyn_cast<IntegerAttr>(op.getValue()); value && bits)
    return AxisInfo::constant(type, constantOf(value.getValue()));
  AxisInfo result = AxisInfo::pessimistic(type);
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return result;
  if (elements.isSplat()) {
    if (bits)
      return AxisInfo::constant(type, constantOf(elements.getSplatValue<APInt>()));
    result.constancy = axisShape(type);
    return result;
  }
  auto integers = dyn_cast<DenseIntElementsAttr>(elements);
  if (bits && integers && elements.getType().getRank() == 1)
    return measure(type, integers);
  return result;
}

/// Extensions and truncations. Runs are kept: see AxisInfo for what that means where the narrow
/// type wraps.
AxisInfo resize(Operation *op, const AxisInfo &source) {
  Type type = op->getResult(0).getType();
  unsigned from = integerBits(op->getOperand(0).getType());
  unsigned to = integerBits(type);
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  if (source.constantValue) {
    APInt value = toAPInt(*source.constantValue, from);
    value = isUnsigned ? value.zextOrTrunc(to) : value.sextOrTrunc(to);
    return AxisInfo::constant(type, constantOf(value));
  }
  AxisInfo result = source;
  if (from == 1 || to == 1) {
    result = AxisInfo::pessimistic(type);
    result.constancy = source.constancy;
  }
  // As an unsigned number, a run breaks between -1 and 0.
  if (isUnsigned && from < to && !source.nonNegative)
    for (unsigned d = 0; d < result.getRank(); ++d)
      result.contiguity[d] = std::min(result.contiguity[d], result.divisibility[d]);
  result.nonNegative = (from > 1 && source.nonNegative) || (isUnsigned && from < to);
  return result;
}

AxisInfo absolute(Type type, const AxisInfo &source) {
  if (source.nonNegative)
    return source;
  AxisInfo result = AxisInfo::pessimistic(type);
  result.constancy = source.constancy;
  result.divisibility.assign(result.getRank(), source.getElementDivisibility());
  result.nonNegative = true;
  return result;
}

} // namespace

std::optional<AxisInfo> transferArithOp(Operation *op, AxisOperands operands) {
  if (auto value = dyn_cast<arith::ConstantOp>(op))
    return constant(value);
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return compare(cmp, *operands[0], *operands[1]);
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return select(choice, *operands[0], *operands[1], *operands[2]);
  if (!integerBits(op->getResult(0).getType()))
    return std::nullopt;
  if (isa<math::AbsIOp>(op))
    return absolute(op->getResult(0).getType(), *operands[0]);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op))
    return resize(op, *operands[0]);
  if (op->getNumOperands() == 2 && isa<arith::ArithDialect>(op->getDialect()))
    return Binary(op, *operands[0], *operands[1]).run();
  return std::nullopt;
}

} // namespace tilec
