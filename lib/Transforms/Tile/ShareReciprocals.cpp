// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisions by copies of one number are multiplications by its reciprocal:
//
//   q = x / splat(d)   ->   s = |d| > 2^126 ? 1/4 : |d| < 2^-126 ? 2^24 : 1
//                           q = (x * splat(s)) * splat(1 / (d * s))
//
// without s where no d can be so large or so small.

#include "tilec/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilec {
#define GEN_PASS_DEF_TILESHARERECIPROCALSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===--------------------------------------------------------------------------------------------===//
// Divisors whose reciprocals are normal numbers
//===--------------------------------------------------------------------------------------------===//

/// An operation whose result consists of its operand's elements.
static bool isShapeOp(Operation *op) {
  return isa_and_nonnull<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, PermuteOp>(op);
}

/// Zero, infinite, not a number, or of a size from 2^-126 to 2^126.
static bool isOrdinary(const APFloat &number) {
  if (!number.isFiniteNonZero())
    return true;
  int exponent = ilogb(number);
  return exponent >= -126 && exponent < 126;
}

/// The only operation of a combination of two numbers, if it is one of `Ops`.
template <typename... Ops> static bool isCombinedBy(ReduceOp reduce) {
  Block &block = reduce.getCombine().front();
  if (reduce.getNumOperands() != 1 || block.getOperations().size() != 2)
    return false;
  Operation &combiner = block.front();
  return isa<Ops...>(combiner) && combiner.getOperand(0) != combiner.getOperand(1) &&
         combiner.getResult(0) == block.getTerminator()->getOperand(0);
}

/// The reduction of which `value` has the result of each slice in all places of the slice.
static ReduceOp reductionRepeatedIn(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    return splat.getSource().getDefiningOp<ReduceOp>();
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  auto expanded = broadcast ? broadcast.getSource().getDefiningOp<ExpandDimsOp>() : ExpandDimsOp();
  auto reduce = expanded ? expanded.getSource().getDefiningOp<ReduceOp>() : ReduceOp();
  return reduce && reduce.getAxis() == expanded.getAxis() ? reduce : ReduceOp();
}

/// sum(exp(x - max(x))): the largest x adds 1, and none adds more. It is not a number where one of
/// the x is none or infinite.
static bool isSumOfSoftmax(ReduceOp sum) {
  if (!isCombinedBy<arith::AddFOp>(sum))
    return false;
  Operation *power = sum.getOperands()[0].getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(power))
    return false;
  auto difference = power->getOperand(0).getDefiningOp<arith::SubFOp>();
  if (!difference)
    return false;
  ReduceOp largest = reductionRepeatedIn(difference.getRhs());
  return largest && isCombinedBy<arith::MaxNumFOp, arith::MaximumFOp>(largest) &&
         largest.getAxis() == sum.getAxis() && largest.getOperands()[0] == difference.getLhs();
}

/// Whether all elements are ordinary; looks `depth` operations back.
static bool isOrdinary(Value value, int depth = 8) {
  if (depth == 0)
    return false;
  DenseFPElementsAttr elements;
  FloatAttr number;
  if (matchPattern(value, m_Constant(&elements)))
    return llvm::all_of(elements.getValues<APFloat>(), [](APFloat x) { return isOrdinary(x); });
  if (matchPattern(value, m_Constant(&number)))
    return isOrdinary(number.getValue());
  Operation *def = value.getDefiningOp();
  auto areOperandsOrdinary = [&](ValueRange operands) {
    return llvm::all_of(operands, [&](Value operand) { return isOrdinary(operand, depth - 1); });
  };
  if (isShapeOp(def))
    return areOperandsOrdinary(def->getOperands());
  return def &&
         llvm::TypeSwitch<Operation *, bool>(def)
             .Case<arith::SIToFPOp, arith::UIToFPOp, math::SqrtOp, math::RsqrtOp, PreciseSqrtOp>(
                 [](auto) { return true; })
             .Case([](arith::ExtFOp op) { return !getElementTypeOrSelf(op.getIn()).isBF16(); })
             .Case<math::AbsFOp, arith::NegFOp, arith::MaxNumFOp, arith::MinNumFOp,
                   arith::MaximumFOp, arith::MinimumFOp>(
                 [&](auto op) { return areOperandsOrdinary(op->getOperands()); })
             .Case([&](arith::SelectOp op) {
               return areOperandsOrdinary({op.getTrueValue(), op.getFalseValue()});
             })
             .Case([](ReduceOp op) { return isSumOfSoftmax(op); })
             .Default([](Operation *) { return false; });
}

//===--------------------------------------------------------------------------------------------===//
// Reciprocals
//===--------------------------------------------------------------------------------------------===//

/// Whether all elements are copies of one scalar, which every thread has. Of a divisor for each row
/// the scale would be a second tensor that changes its layout.
static bool isUniform(Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return false;
  while (isShapeOp(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return !isa<RankedTensorType>(value.getType());
}

static Value constantLike(OpBuilder &builder, Location loc, Type type, float number) {
  TypedAttr attr = builder.getF32FloatAttr(number);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    attr = DenseElementsAttr::get(tensor, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, type, attr);
}

/// What the quotient is multiplied by so that the reciprocal is a normal number.
static Value scaleFor(OpBuilder &builder, Location loc, Value divisor) {
  auto constant = [&](float number) {
    return constantLike(builder, loc, divisor.getType(), number);
  };
  Value size = math::AbsFOp::create(builder, loc, divisor);
  Value isHuge =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, size, constant(0x1p126f));
  Value isTiny =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, size, constant(0x1p-126f));
  Value scale = arith::SelectOp::create(builder, loc, isTiny, constant(0x1p24f), constant(1.0f));
  return arith::SelectOp::create(builder, loc, isHuge, constant(0.25f), scale);
}

namespace {
struct Factors {
  /// Null where it is 1.
  Value scale;
  Value reciprocal;
};

struct ShareReciprocals final : tilec::impl::TileShareReciprocalsPassBase<ShareReciprocals> {
  using Base::Base;
  void runOnOperation() override;

private:
  void rewrite(arith::DivFOp op);
  /// The factors of a divisor, made behind it, once.
  Factors factorsOf(Value divisor);
  Factors makeFactors(Value divisor);

  llvm::MapVector<Value, Factors> made;
};
} // namespace

Factors ShareReciprocals::factorsOf(Value divisor) {
  auto it = made.find(divisor);
  if (it != made.end())
    return it->second;
  Factors factors = makeFactors(divisor);
  made.insert({divisor, factors});
  return factors;
}

Factors ShareReciprocals::makeFactors(Value divisor) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(divisor);
  Operation *def = divisor.getDefiningOp();
  if (isShapeOp(def)) {
    Factors source = factorsOf(def->getOperand(0));
    auto repeat = [&](Value factor) -> Value {
      if (!factor)
        return factor;
      IRMapping mapping;
      mapping.map(def->getOperand(0), factor);
      return builder.clone(*def, mapping)->getResult(0);
    };
    return {repeat(source.scale), repeat(source.reciprocal)};
  }
  Location loc = divisor.getLoc();
  if (isOrdinary(divisor))
    return {Value(), builder.createOrFold<ReciprocalOp>(loc, divisor)};
  Value scale = scaleFor(builder, loc, divisor);
  Value scaled = arith::MulFOp::create(builder, loc, divisor, scale);
  return {scale, ReciprocalOp::create(builder, loc, scaled)};
}

void ShareReciprocals::rewrite(arith::DivFOp op) {
  bool mayBeInaccurate = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp);
  if (!getElementTypeOrSelf(op.getType()).isF32() || mayBeInaccurate)
    return;
  if (!isOrdinary(op.getRhs()) && !isUniform(op.getRhs()))
    return;
  Factors factors = factorsOf(op.getRhs());
  OpBuilder builder(op);
  Value quotient = op.getLhs();
  for (Value factor : {factors.scale, factors.reciprocal})
    if (factor)
      quotient = arith::MulFOp::create(builder, op.getLoc(), quotient, factor);
  op.replaceAllUsesWith(quotient);
  op.erase();
}

void ShareReciprocals::runOnOperation() {
  made.clear();
  SmallVector<arith::DivFOp> divisions;
  getOperation().walk([&](arith::DivFOp op) { divisions.push_back(op); });
  for (arith::DivFOp op : divisions)
    rewrite(op);
}
