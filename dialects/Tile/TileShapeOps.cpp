// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that make and reshape tensors. The shape ops fold splat constants, and move below a splat: a
// splat of the final shape needs no shape op at all.

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilec::tile {

/// The splat constant `operand` in the shape of `result`; null when it is not a splat constant.
static OpFoldResult foldSplatConstant(Attribute operand, Type result) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(operand);
  if (!splat)
    return {};
  return splat.resizeSplat(cast<ShapedType>(result));
}

/// shape_op(splat x) -> splat x
template <typename OpTy> static LogicalResult foldShapeOfSplat(OpTy op, PatternRewriter &rewriter) {
  auto splat = op.getSource().template getDefiningOp<SplatOp>();
  if (!splat)
    return rewriter.notifyMatchFailure(op, "operand is not a splat");
  rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSource());
  return success();
}

//===----------------------------------------------------------------------===//
// MakeRangeOp
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  int64_t start = static_cast<int32_t>(getStart()), end = static_cast<int32_t>(getEnd());
  if (start >= end)
    return emitOpError("expects 'start' below 'end', got ") << start << " and " << end;
  RankedTensorType type = getType();
  if (type.getRank() != 1 || type.getDimSize(0) != end - start)
    return emitOpError("expects a 1-D result with ") << end - start << " elements, got " << type;
  return success();
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor adaptor) {
  if (getType().getNumElements() != 1)
    return {};
  return DenseElementsAttr::get(getType(), static_cast<int32_t>(getStart()));
}

//===----------------------------------------------------------------------===//
// SplatOp
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  Type element = getType().getElementType();
  if (element != getSource().getType())
    return emitOpError("expects a result of ")
           << getSource().getType() << " elements, got " << element;
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSource()))
    return DenseElementsAttr::get(getType(), adaptor.getSource());
  return {};
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (source.getRank() != result.getRank())
    return emitOpError("expects a result of rank ")
           << source.getRank() << ", got rank " << result.getRank();
  for (auto [axis, from, to] : llvm::enumerate(source.getShape(), result.getShape()))
    if (from != 1 && from != to)
      return emitOpError("expects size 1 or ")
             << to << " in operand dimension " << axis << ", got " << from;
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return foldSplatConstant(adaptor.getSource(), getType());
}

/// broadcast(broadcast x) -> broadcast x
static LogicalResult mergeBroadcasts(BroadcastOp op, PatternRewriter &rewriter) {
  auto inner = op.getSource().getDefiningOp<BroadcastOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "operand is not a broadcast");
  rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(inner.getSource()); });
  return success();
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(foldShapeOfSplat<BroadcastOp>);
  patterns.add(mergeBroadcasts);
}

//===----------------------------------------------------------------------===//
// ExpandDimsOp
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType source = getSource().getType();
  int32_t axis = static_cast<int32_t>(getAxis());
  if (axis < 0 || axis > source.getRank())
    return emitOpError("expects 'axis' in [0, ") << source.getRank() << "], got " << axis;
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError("expects a result of type ")
           << RankedTensorType::get(shape, source.getElementType(), getType().getEncoding())
           << ", got " << getType();
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldSplatConstant(adaptor.getSource(), getType());
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(foldShapeOfSplat<ExpandDimsOp>);
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  int64_t from = getSource().getType().getNumElements(), to = getType().getNumElements();
  if (from != to)
    return emitOpError("expects a result of ") << from << " elements, got " << to;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return foldSplatConstant(adaptor.getSource(), getType());
}

/// reshape(reshape x) -> reshape x, where the inner one keeps the order: another user of the inner
/// value may rely on the order that it chose.
static LogicalResult mergeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getSource().getDefiningOp<ReshapeOp>();
  if (!inner || inner.getAllowReorder())
    return rewriter.notifyMatchFailure(op, "operand is not an order-keeping reshape");
  rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(inner.getSource()); });
  return success();
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(foldShapeOfSplat<ReshapeOp>);
  patterns.add(mergeReshapes);
}

//===----------------------------------------------------------------------===//
// PermuteOp
//===----------------------------------------------------------------------===//

LogicalResult PermuteOp::verify() {
  RankedTensorType source = getSource().getType();
  ArrayRef<int32_t> order = getOrder();
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, source.getRank())))
    return emitOpError("expects 'order' to be a permutation of 0 to ")
           << source.getRank() - 1 << ", got [" << order << "]";
  SmallVector<int64_t> shape =
      llvm::map_to_vector(order, [&](int32_t axis) { return source.getDimSize(axis); });
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError("expects a result of type ")
           << RankedTensorType::get(shape, source.getElementType(), getType().getEncoding())
           << ", got " << getType();
  return success();
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  bool isIdentity = llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size()));
  if (isIdentity && getSource().getType() == getType())
    return getSource();
  return foldSplatConstant(adaptor.getSource(), getType());
}

/// permute(permute x) -> permute x
static LogicalResult mergePermutes(PermuteOp op, PatternRewriter &rewriter) {
  auto inner = op.getSource().getDefiningOp<PermuteOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "operand is not a permute");
  SmallVector<int32_t> order =
      llvm::map_to_vector(op.getOrder(), [&](int32_t axis) { return inner.getOrder()[axis]; });
  rewriter.modifyOpInPlace(op, [&] {
    op.getSourceMutable().assign(inner.getSource());
    op.setOrder(order);
  });
  return success();
}

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(foldShapeOfSplat<PermuteOp>);
  patterns.add(mergePermutes);
}

} // namespace tilec::tile
