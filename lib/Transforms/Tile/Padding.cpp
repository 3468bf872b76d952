// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Padding.h.

#include "Padding.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

bool tilec::tile::hasPowerOfTwoExtents(ArrayRef<int64_t> shape) {
  return llvm::all_of(shape, [](int64_t size) { return size > 0 && llvm::isPowerOf2_64(size); });
}

SmallVector<int64_t> tilec::tile::paddedShape(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, [](int64_t size) { return int64_t(llvm::PowerOf2Ceil(size)); });
}

Type tilec::tile::paddedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(paddedShape(tensor.getShape())) : type;
}

Value tilec::tile::constantTensor(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                                  TypedAttr element) {
  auto type = RankedTensorType::get(shape, element.getType());
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, Attribute(element)));
}

Value tilec::tile::alongAxis(OpBuilder &builder, Location loc, Value line, ArrayRef<int64_t> shape,
                             int64_t axis) {
  Type element = cast<RankedTensorType>(line.getType()).getElementType();
  SmallVector<int64_t> expanded{shape[axis]};
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    if (dim != axis) {
      expanded.insert(expanded.begin() + dim, 1);
      line = ExpandDimsOp::create(builder, loc, RankedTensorType::get(expanded, element), line,
                                  builder.getI32IntegerAttr(dim));
    }
  if (ArrayRef(expanded) == shape)
    return line;
  return BroadcastOp::create(builder, loc, RankedTensorType::get(shape, element), line);
}

Value tilec::tile::insideMask(OpBuilder &builder, Location loc, ArrayRef<int64_t> extents,
                              ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape = paddedShape(extents);
  Value mask;
  for (int64_t axis : axes) {
    if (extents[axis] == shape[axis])
      continue;
    auto type = RankedTensorType::get({shape[axis]}, builder.getI32Type());
    Value range = MakeRangeOp::create(builder, loc, type, builder.getI32IntegerAttr(0),
                                      builder.getI32IntegerAttr(shape[axis]));
    Value end =
        constantTensor(builder, loc, {shape[axis]}, builder.getI32IntegerAttr(extents[axis]));
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, range, end);
    below = alongAxis(builder, loc, below, shape, axis);
    mask = mask ? arith::AndIOp::create(builder, loc, mask, below).getResult() : below;
  }
  return mask;
}

Value tilec::tile::insideMask(OpBuilder &builder, Location loc, ArrayRef<int64_t> extents) {
  return insideMask(builder, loc, extents,
                    llvm::to_vector(llvm::seq<int64_t>(0, int64_t(extents.size()))));
}

//===----------------------------------------------------------------------===//
// Neutral elements
//===----------------------------------------------------------------------===//

static TypedAttr neutralOf(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  Builder builder(combiner->getContext());
  auto integer = [&](const APInt &value) -> TypedAttr {
    return builder.getIntegerAttr(type, value);
  };
  auto number = [&](const APFloat &value) -> TypedAttr {
    return builder.getFloatAttr(type, value);
  };
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  auto infinity = [&](bool negative) {
    return number(APFloat::getInf(cast<FloatType>(type).getFloatSemantics(), negative));
  };
  // A NaN gives way to any number in maxnum and minnum, an infinity does not give way to a NaN.
  auto nan = [&] { return number(APFloat::getNaN(cast<FloatType>(type).getFloatSemantics())); };
  return llvm::TypeSwitch<Operation *, TypedAttr>(combiner)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return integer(APInt::getZero(bits)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return integer(APInt::getAllOnes(bits)); })
      .Case([&](arith::MulIOp) { return integer(APInt(bits, 1)); })
      .Case([&](arith::MaxSIOp) { return integer(APInt::getSignedMinValue(bits)); })
      .Case([&](arith::MinSIOp) { return integer(APInt::getSignedMaxValue(bits)); })
      .Case([&](arith::AddFOp) {
        return number(APFloat::getZero(cast<FloatType>(type).getFloatSemantics(), true));
      })
      .Case([&](arith::MulFOp) {
        return number(APFloat(cast<FloatType>(type).getFloatSemantics(), 1));
      })
      .Case([&](arith::MaximumFOp) { return infinity(true); })
      .Case([&](arith::MinimumFOp) { return infinity(false); })
      .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) { return nan(); })
      .Default([](Operation *) { return TypedAttr(); });
}

std::optional<NeutralElements> NeutralElements::of(Region &combine) {
  Block &body = combine.front();
  Operation *yield = body.getTerminator();
  NeutralElements result;
  unsigned count = yield->getNumOperands();
  for (unsigned i = 0; i < count; ++i) {
    Operation *combiner = yield->getOperand(i).getDefiningOp();
    if (!combiner || combiner->getNumOperands() != 2 || combiner->getNumResults() != 1)
      return std::nullopt;
    Value left = body.getArgument(i), right = body.getArgument(count + i);
    Value first = combiner->getOperand(0), second = combiner->getOperand(1);
    if (!(first == left && second == right) && !(first == right && second == left))
      return std::nullopt;
    TypedAttr neutral = neutralOf(combiner);
    if (!neutral)
      return std::nullopt;
    result.elements.push_back(neutral);
    result.combiners.push_back(combiner);
  }
  return result;
}

bool NeutralElements::isNeutral(unsigned operand, Attribute value) const {
  if (!value)
    return false;
  if (value == elements[operand])
    return true;
  auto number = dyn_cast<FloatAttr>(value);
  if (!number)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(combiners[operand])
      .Case([&](arith::AddFOp) { return number.getValue().isZero(); })
      .Case([&](arith::MaxNumFOp) {
        return number.getValue().isInfinity() && number.getValue().isNegative();
      })
      .Case([&](arith::MinNumFOp) {
        return number.getValue().isInfinity() && !number.getValue().isNegative();
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// What padding is known to be
//===----------------------------------------------------------------------===//

/// A zero or an infinity after a cast; null for other values and casts.
static Attribute castPadding(Operation *cast, Attribute value) {
  if (!value || !isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
                     arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, FpToFpOp>(cast))
    return {};
  Type type = getElementTypeOrSelf(cast->getResult(0).getType());
  Builder builder(cast->getContext());
  auto number = dyn_cast<FloatAttr>(value);
  if (matchPattern(value, m_Zero()) || (number && number.getValue().isZero()))
    return builder.getZeroAttr(type);
  auto result = dyn_cast<FloatType>(type);
  if (number && result && number.getValue().isInfinity() && result.getWidth() >= 16)
    return builder.getFloatAttr(
        type, APFloat::getInf(result.getFloatSemantics(), number.getValue().isNegative()));
  return {};
}

Attribute tilec::tile::knownPadding(Value value, int64_t axis,
                                    function_ref<ArrayRef<int64_t>(Value)> extents) {
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return splat.getSplatValue<Attribute>();
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto isPadded = [&](Value source, int64_t dim) {
    ArrayRef<int64_t> shape = extents(source);
    return !shape.empty() && !llvm::isPowerOf2_64(shape[dim]);
  };
  auto zero = [&] {
    return Builder(op->getContext()).getZeroAttr(getElementTypeOrSelf(value.getType()));
  };
  return llvm::TypeSwitch<Operation *, Attribute>(op)
      .Case([&](SplatOp source) {
        Attribute element;
        return matchPattern(source.getSource(), m_Constant(&element)) ? element : Attribute();
      })
      .Case([&](LoadOp load) -> Attribute {
        return load.getOther() ? knownPadding(load.getOther(), axis, extents) : Attribute(zero());
      })
      .Case([&](AtomicRMWOp) { return Attribute(zero()); })
      .Case([&](ShapeOpInterface shape) -> Attribute {
        std::optional<unsigned> from = shape.getSourceDim(axis);
        return from && isPadded(shape.getSource(), *from)
                   ? knownPadding(shape.getSource(), *from, extents)
                   : Attribute();
      })
      .Case([&](arith::SelectOp select) -> Attribute {
        // One side is a constant, so that chains of selects take linear time.
        for (auto [side, other] : {std::pair(select.getTrueValue(), select.getFalseValue()),
                                   std::pair(select.getFalseValue(), select.getTrueValue())}) {
          SplatElementsAttr constant;
          if (matchPattern(side, m_Constant(&constant)))
            return knownPadding(other, axis, extents) == constant.getSplatValue<Attribute>()
                       ? constant.getSplatValue<Attribute>()
                       : Attribute();
        }
        return {};
      })
      .Default([&](Operation *other) -> Attribute {
        if (other->getNumOperands() != 1 || !isa<RankedTensorType>(other->getOperand(0).getType()))
          return {};
        return castPadding(other, knownPadding(other->getOperand(0), axis, extents));
      });
}
