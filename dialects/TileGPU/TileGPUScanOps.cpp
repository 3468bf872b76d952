// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the pieces of scans, gathers and histograms.

#include "dialects/TileGPU/TileGPUOps.h"

#include "tilec/Layout/ScanLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// `axis` is a dimension of `rank`.
static LogicalResult verifyAxis(Operation *op, uint32_t axis, int64_t rank) {
  int32_t number = static_cast<int32_t>(axis);
  if (number < 0 || number >= rank)
    return op->emitOpError("expected 'axis' in [0, ") << rank << "), got " << number;
  return success();
}

/// The types of the totals of `scanned` in one of the two layouts, or an error at `op`.
static FailureOr<RankedTensorType> totalsType(Operation *op, Type scanned, uint32_t axis,
                                              bool gathered) {
  auto tensor = cast<RankedTensorType>(scanned);
  if (failed(verifyAxis(op, axis, tensor.getRank())))
    return failure();
  if (!hasLayout(tensor))
    return op->emitOpError("expected tensors with layouts, got ") << tensor;
  std::optional<ScanPlan> plan = planScan(layoutOf(tensor), axis);
  if (!plan)
    return op->emitOpError("expected a layout whose bits along the axis are registers, lanes, "
                           "warps, registers, lowest first, got ")
           << tensor;
  ScanTotalsLayouts layouts = scanTotalsLayouts(layoutOf(tensor), axis, *plan);
  const LinearLayout &layout = gathered ? layouts.gathered : layouts.perWarp;
  return withLayout(RankedTensorType::get(layoutShape(layout), tensor.getElementType()), layout);
}

/// `full` are the tensors of the scan followed by their totals, `half` the tensors.
static LogicalResult verifyPairs(Operation *op, TypeRange full, TypeRange half, uint32_t axis,
                                 bool gathered, StringRef what) {
  if (half.empty() || full.size() != 2 * half.size())
    return op->emitOpError("expected two ")
           << what << ", got " << full.size() << " and " << half.size();
  for (auto [i, type] : llvm::enumerate(half)) {
    FailureOr<RankedTensorType> totals = totalsType(op, type, axis, gathered);
    if (failed(totals))
      return failure();
    if (full[i] != type)
      return op->emitOpError("expected a scanned tensor of type ") << type << ", got " << full[i];
    if (full[half.size() + i] != *totals)
      return op->emitOpError("expected totals of type ")
             << *totals << ", got " << full[half.size() + i];
  }
  return success();
}

LogicalResult PartialScanOp::verify() {
  return verifyPairs(*this, getResultTypes(), getOperands().getTypes(), getAxis(),
                     /*gathered=*/false, "results per operand");
}

LogicalResult FinishScanOp::verify() {
  return verifyPairs(*this, getOperands().getTypes(), getResultTypes(), getAxis(),
                     /*gathered=*/true, "operands per result");
}

LogicalResult LocalGatherOp::verify() {
  ArrayRef<int64_t> shape = getBuffer().getType().getShape();
  auto indices = cast<RankedTensorType>(getIndices().getType());
  if (failed(verifyAxis(*this, getAxis(), shape.size())))
    return failure();
  bool agrees = int64_t(shape.size()) == indices.getRank();
  for (size_t dim = 0; agrees && dim < shape.size(); ++dim)
    agrees = dim == getAxis() || shape[dim] == indices.getDimSize(dim);
  if (!agrees)
    return emitOpError("expected buffer and indices to agree in all dimensions but 'axis', got ")
           << getBuffer().getType() << " and " << indices;
  auto expected = RankedTensorType::get(indices.getShape(), getBuffer().getType().getElementType(),
                                        indices.getEncoding());
  if (getType() != expected)
    return emitOpError("expected a result of type ") << expected << ", got " << getType();
  return success();
}

LogicalResult LocalCountOp::verify() {
  MemDescType counters = getCounters().getType();
  if (counters.getShape().size() != 1 || !counters.getElementType().isInteger(32))
    return emitOpError("expected counters in one dimension of type 'i32', got ") << counters;
  if (!getMask())
    return success();
  auto source = cast<RankedTensorType>(getSource().getType());
  auto mask = cast<RankedTensorType>(getMask().getType());
  if (mask.getShape() != source.getShape() || mask.getEncoding() != source.getEncoding())
    return emitOpError("expected a mask of the source's shape and layout, got ")
           << mask << " for " << source;
  return success();
}
