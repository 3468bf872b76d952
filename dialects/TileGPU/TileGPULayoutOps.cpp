// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folders of the layout operations.

#include "dialects/TileGPU/TileGPUOps.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilec::tilegpu;

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return constant.resizeSplat(cast<ShapedType>(getType()));
  // a -> b -> a
  if (auto inner = getSource().getDefiningOp<ConvertLayoutOp>())
    if (inner.getSource().getType() == getType())
      return inner.getSource();
  return {};
}

namespace {
/// convert(convert(x)) -> convert(x)
struct MergeConversions : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ConvertLayoutOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the source is not a conversion");
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(inner.getSource()); });
    return success();
  }
};
} // namespace

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<MergeConversions>(context);
}

LogicalResult ExtractSliceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (getAxis() >= source.getRank() || result.getRank() != source.getRank())
    return emitOpError("expected a dimension of ") << source << ", got " << getAxis();
  int64_t elements = result.getDimSize(getAxis());
  std::optional<RankedTensorType> slice = sliceOf(source, getAxis(), elements);
  if (!slice || *slice != result)
    return emitOpError("expected registers to part ") << source << " in slices of type " << result;
  auto start = int64_t(getStart());
  if (start < 0 || start % elements || start >= source.getDimSize(getAxis()))
    return emitOpError("expected the start of a slice of ")
           << elements << " elements, got " << start;
  return success();
}

static LogicalResult verifySameTensor(Operation *op, RankedTensorType tensor, MemDescType buffer) {
  if (tensor.getShape() != buffer.getShape() || tensor.getElementType() != buffer.getElementType())
    return op->emitOpError("expected tensor and buffer of the same shape and element type, got ")
           << tensor << " and " << buffer;
  return success();
}

LogicalResult LocalStoreOp::verify() {
  return verifySameTensor(*this, cast<RankedTensorType>(getValue().getType()),
                          getBuffer().getType());
}

LogicalResult LocalLoadOp::verify() {
  return verifySameTensor(*this, cast<RankedTensorType>(getType()), getBuffer().getType());
}
