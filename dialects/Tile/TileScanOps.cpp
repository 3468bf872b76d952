// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of scans, gathers and histograms.

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tilec::tile {

void ScanOp::build(OpBuilder &builder, OperationState &state, ValueRange operands, int axis,
                   bool reverse) {
  state.addOperands(operands);
  state.addTypes(operands.getTypes());
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.axis = builder.getI32IntegerAttr(axis);
  if (reverse)
    properties.reverse = builder.getUnitAttr();
  state.addRegion();
}

/// `axis` is a dimension of `tensor`.
static LogicalResult verifyAxis(Operation *op, uint32_t axis, RankedTensorType tensor) {
  int32_t number = static_cast<int32_t>(axis);
  if (number < 0 || number >= tensor.getRank())
    return op->emitOpError("expects 'axis' in [0, ") << tensor.getRank() << "), got " << number;
  return success();
}

LogicalResult ScanOp::verify() {
  if (getOperands().empty())
    return emitOpError("expects at least one operand, got none");
  auto first = cast<RankedTensorType>(getOperands().front().getType());
  if (failed(verifyAxis(*this, getAxis(), first)))
    return failure();
  if (getNumOperands() != getNumResults())
    return emitOpError("expects one result per operand, got ")
           << getNumOperands() << " operands and " << getNumResults() << " results";
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getEncoding() != first.getEncoding())
      return emitOpError("expects one layout for all operands, got ") << first << " and " << type;
    if (result.getType() != type)
      return emitOpError("expects a result of type ") << type << ", got " << result.getType();
  }
  return success();
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  if (failed(verifyAxis(*this, getAxis(), source)))
    return failure();
  if (source.getRank() != indices.getRank())
    return emitOpError("expects source and indices of the same rank, got ")
           << source.getRank() << " and " << indices.getRank();
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (dim != int64_t(getAxis()) && source.getDimSize(dim) != indices.getDimSize(dim))
      return emitOpError("expects source and indices to agree in dimension ")
             << dim << ", got " << source.getDimSize(dim) << " and " << indices.getDimSize(dim);
  auto expected =
      RankedTensorType::get(indices.getShape(), source.getElementType(), indices.getEncoding());
  if (getType() != expected)
    return emitOpError("expects a result of type ") << expected << ", got " << getType();
  return success();
}

LogicalResult HistogramOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getRank() != 1 || result.getRank() != 1)
    return emitOpError("expects source and result with one dimension, got ")
           << source << " and " << result;
  if (!getMask())
    return success();
  auto mask = cast<RankedTensorType>(getMask().getType());
  if (mask.getShape() != source.getShape() || mask.getEncoding() != source.getEncoding())
    return emitOpError("expects a mask of the source's shape and layout, got ")
           << mask << " for " << source;
  return success();
}

} // namespace tilec::tile
