// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders of the elementwise ops. Float conversions of constants follow the op's own rules: the
// given rounding, and saturation when the result is an 8-bit float.

#include "dialects/Tile/TileOps.h"
#include "dialects/Tile/UniformValue.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilec::tile {

Value uniformValueOf(OpBuilder &builder, Value tensor) {
  if (auto splat = tensor.getDefiningOp<SplatOp>())
    return splat.getSource();
  DenseElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return arith::ConstantOp::create(builder, tensor.getLoc(),
                                   cast<TypedAttr>(elements.getSplatValue<Attribute>()));
}

namespace {
/// (base + offsets) + uniform -> (base + uniform) + offsets: one scalar addition instead of one for
/// each element, and offsets that do not change in a loop stay outside of it.
struct UniformOffsetFirst : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getPointer().getDefiningOp<AddPtrOp>();
    auto base = inner ? inner.getPointer().getDefiningOp<SplatOp>() : SplatOp();
    if (!base || inner.getOffset().getDefiningOp<SplatOp>() ||
        matchPattern(inner.getOffset(), m_Constant()))
      return rewriter.notifyMatchFailure(op, "not a uniform base and different offsets");
    Value uniform = uniformValueOf(rewriter, op.getOffset());
    if (!uniform)
      return rewriter.notifyMatchFailure(op, "the offset differs between elements");
    Value moved = AddPtrOp::create(rewriter, op.getLoc(), base.getSource().getType(),
                                   base.getSource(), uniform);
    Value everywhere = SplatOp::create(rewriter, op.getLoc(), base.getType(), moved);
    rewriter.replaceOpWithNewOp<AddPtrOp>(op, op.getType(), everywhere, inner.getOffset());
    return success();
  }
};
} // namespace

void AddPtrOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<UniformOffsetFirst>(context);
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPointer();
  return {};
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor adaptor) {
  if (auto inverse = getSource().getDefiningOp<IntToPtrOp>())
    return inverse.getSource();
  return {};
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor adaptor) {
  auto inverse = getSource().getDefiningOp<PtrToIntOp>();
  if (inverse && inverse.getSource().getType() == getType())
    return inverse.getSource();
  return {};
}

OpFoldResult PtrCastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  auto inner = getSource().getDefiningOp<PtrCastOp>();
  if (inner && inner.getSource().getType() == getType())
    return inner.getSource();
  return {};
}

/// `value` in `type` under fp_to_fp's rules.
static APFloat convertFloat(APFloat value, FloatType type, RoundingMode rounding) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (value.isNaN())
    return APFloat::getNaN(semantics, value.isNegative());
  bool isNegative = value.isNegative();
  bool losesInfo = false;
  value.convert(semantics,
                rounding == RoundingMode::rtz ? llvm::RoundingMode::TowardZero
                                              : llvm::RoundingMode::NearestTiesToEven,
                &losesInfo);
  // Overflow gives an infinity, or NaN in a format without infinities.
  if (type.getWidth() == 8 && !value.isFinite())
    return APFloat::getLargest(semantics, isNegative);
  return value;
}

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  auto type = cast<FloatType>(getElementTypeOrSelf(getType()));
  if (auto scalar = dyn_cast_or_null<FloatAttr>(adaptor.getSource()))
    return FloatAttr::get(type, convertFloat(scalar.getValue(), type, getRounding()));
  auto elements = dyn_cast_or_null<DenseFPElementsAttr>(adaptor.getSource());
  if (!elements)
    return {};
  auto convert = [&](const APFloat &value) {
    return convertFloat(value, type, getRounding()).bitcastToAPInt();
  };
  return elements.mapValues(type, convert);
}

//===----------------------------------------------------------------------===//
// Axis facts
//===----------------------------------------------------------------------===//

AxisInfo AddPtrOp::inferAxisInfo(AxisOperands operands) {
  AxisInfo result = addAxisInfo(getType(), *operands[0], *operands[1]);
  result.nonNegative = false;
  return result;
}

AxisInfo PtrToIntOp::inferAxisInfo(AxisOperands operands) {
  return changeAxisUnit(getType(), *operands[0]);
}

AxisInfo IntToPtrOp::inferAxisInfo(AxisOperands operands) {
  return changeAxisUnit(getType(), *operands[0]);
}

AxisInfo PtrCastOp::inferAxisInfo(AxisOperands operands) {
  return changeAxisUnit(getType(), *operands[0]);
}

} // namespace tilec::tile
