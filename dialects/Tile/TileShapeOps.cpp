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

AxisInfo MakeRangeOp::inferAxisInfo(AxisOperands) {
  int64_t size = axisShape(getType()).front();
  int64_t start = getStartAttr().getValue().getSExtValue();
  if (size == 1)
    return AxisInfo::constant(getType(), start);
  AxisInfo result = AxisInfo::pessimistic(getType());
  result.contiguity[0] = size;
  result.divisibility[0] = powerOfTwoDivisor(start);
  result.nonNegative = start >= 0;
  return result;
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

LogicalResult NarrowOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (source.getRank() != result.getRank())
    return emitOpError("expects a result of rank ")
           << source.getRank() << ", got rank " << result.getRank();
  for (auto [axis, from, to] : llvm::enumerate(source.getShape(), result.getShape()))
    if (to > from)
      return emitOpError("expects at most ")
             << from << " elements in result dimension " << axis << ", got " << to;
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

SmallVector<ReshapeGroup> reshapeGroups(ArrayRef<int64_t> source, ArrayRef<int64_t> result) {
  SmallVector<ReshapeGroup> groups;
  unsigned s = 0, r = 0;
  while (s < source.size() || r < result.size()) {
    ReshapeGroup group{s, s, r, r};
    int64_t from = 1, to = 1;
    do {
      bool takesSource = s < source.size() && (from <= to || r == result.size());
      if (takesSource)
        from *= source[s++];
      else
        to *= result[r++];
    } while (from != to || s == group.sourceBegin || (r == group.resultBegin && r < result.size()));
    // Dimensions of size one at the end belong to the last group.
    if (llvm::all_of(source.drop_front(s), [](int64_t size) { return size == 1; }) &&
        llvm::all_of(result.drop_front(r), [](int64_t size) { return size == 1; })) {
      s = source.size();
      r = result.size();
    }
    group.sourceEnd = s;
    group.resultEnd = r;
    groups.push_back(group);
  }
  return groups;
}

std::optional<unsigned> ReshapeOp::getSourceDim(unsigned dim) {
  ArrayRef<int64_t> from = getSource().getType().getShape(), to = getType().getShape();
  // One dimension that stays one, among dimensions of size one.
  auto properDim = [](ArrayRef<int64_t> shape, unsigned begin, unsigned end) {
    std::optional<unsigned> proper;
    for (unsigned at = begin; at < end; ++at)
      if (shape[at] != 1 && std::exchange(proper, at))
        return std::optional<unsigned>();
    return proper;
  };
  for (const ReshapeGroup &group : reshapeGroups(from, to))
    if (properDim(to, group.resultBegin, group.resultEnd) == dim)
      return properDim(from, group.sourceBegin, group.sourceEnd);
  return std::nullopt;
}

/// Splits both shapes into the shortest groups of neighbouring dimensions with equal products. In
/// each group the source is flattened (its runs are those of the innermost dimension larger than
/// one) and cut again.
///   [4, 32] -> [4, 8, 4] has the groups {4 -> 4} and {32 -> 8x4}.
AxisInfo ReshapeOp::inferAxisInfo(AxisOperands operands) {
  const AxisInfo &source = *operands.front();
  AxisInfo::DimVector from = axisShape(getSource().getType());
  AxisInfo::DimVector to = axisShape(getType());
  AxisInfo result = source;
  int64_t everyElement = source.getElementDivisibility();
  result.contiguity.assign(to.size(), 1);
  result.constancy.assign(to.size(), 1);
  result.divisibility.assign(to.size(), everyElement);
  bool uniform = source.constancy == from;
  if (uniform || getAllowReorder()) {
    if (uniform)
      result.constancy = to;
    return result;
  }

  int i = from.size() - 1;
  int j = to.size() - 1;
  while (j >= 0) {
    int groupEnd = i;
    int cutEnd = j;
    int64_t left = i >= 0 ? from[i--] : 1;
    int64_t right = to[j--];
    while (left != right) {
      if (left < right)
        left *= from[i--];
      else
        right *= to[j--];
    }
    // The flattened group: equal values continue over a dimension that is equal as a whole.
    int64_t constancy = 1;
    int inner = -1;
    for (int d = groupEnd; d > i; --d) {
      if (from[d] > 1 && inner < 0)
        inner = d;
      constancy *= source.constancy[d];
      if (source.constancy[d] != from[d])
        break;
    }
    int64_t stride = 1;
    for (int d = cutEnd; d > j; --d) {
      if (to[d] == 1)
        continue;
      result.constancy[d] = std::clamp<int64_t>(constancy / stride, 1, to[d]);
      if (stride == 1 && inner >= 0) {
        result.contiguity[d] = std::min(source.contiguity[inner], to[d]);
        result.divisibility[d] = source.getDivisibilityAt(inner, result.contiguity[d]);
      }
      stride *= to[d];
    }
  }
  return result;
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
