// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making and reshaping tensors. Elements are in row-major order, so a new shape alone moves
// nothing.

#include "Evaluator.h"

using namespace mlir;

namespace tilec::interpreter {
namespace {

LogicalResult runRange(Evaluator &e, Operation *op) {
  auto range = cast<tile::MakeRangeOp>(op);
  Bits bits(e.sizeOf(range.getType()));
  for (size_t i = 0; i < bits.size(); ++i)
    bits[i] = lowBits(uint64_t(int64_t(int32_t(range.getStart()))) + i, 32);
  e.set(range, std::move(bits));
  return success();
}

LogicalResult runSplat(Evaluator &e, Operation *op) {
  Bits bits(e.sizeOf(op->getResult(0).getType()), e.getScalar(op->getOperand(0)));
  e.set(op->getResult(0), std::move(bits));
  return success();
}

/// Element `i` of the result is the operand's at the coordinates of `i` times `strides`.
LogicalResult pick(Evaluator &e, Operation *op, ArrayRef<int64_t> strides) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const Bits &source = e.get(op->getOperand(0));
  Bits bits(e.sizeOf(type));
  for (size_t i = 0; i < bits.size(); ++i) {
    size_t rest = i, place = 0;
    for (size_t d = strides.size(); d-- > 0; rest /= size_t(type.getDimSize(d)))
      place += rest % size_t(type.getDimSize(d)) * size_t(strides[d]);
    bits[i] = source[place];
  }
  e.set(op->getResult(0), std::move(bits));
  return success();
}

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

LogicalResult runBroadcast(Evaluator &e, Operation *op) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  SmallVector<int64_t> strides = stridesOf(shape);
  for (auto [stride, size] : llvm::zip_equal(strides, shape))
    if (size == 1)
      stride = 0;
  return pick(e, op, strides);
}

LogicalResult runPermute(Evaluator &e, Operation *op) {
  SmallVector<int64_t> strides =
      stridesOf(cast<RankedTensorType>(op->getOperand(0).getType()).getShape());
  SmallVector<int64_t> permuted;
  for (int32_t dim : cast<tile::PermuteOp>(op).getOrder())
    permuted.push_back(strides[size_t(dim)]);
  return pick(e, op, permuted);
}

LogicalResult runReshape(Evaluator &e, Operation *op) {
  Bits bits = e.get(op->getOperand(0));
  e.set(op->getResult(0), std::move(bits));
  return success();
}

} // namespace

void addShapeOps(HandlerTable &table) {
  table.add<tile::MakeRangeOp>(runRange);
  table.add<tile::SplatOp>(runSplat);
  table.add<tile::BroadcastOp>(runBroadcast);
  table.add<tile::PermuteOp>(runPermute);
  // A reshape that may reorder keeps the order here.
  table.add<tile::ExpandDimsOp, tile::ReshapeOp>(runReshape);
}

} // namespace tilec::interpreter
