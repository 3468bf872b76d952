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

/// Element `i` of the result is the operand's at the coordinates of `i` times strides.
LogicalResult runShape(Evaluator &e, Operation *op) {
  auto shape = cast<tile::ShapeOpInterface>(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> strides(type.getRank(), 0);
  if (auto from = dyn_cast<RankedTensorType>(shape.getSource().getType()))
    for (auto [dim, stride] : llvm::enumerate(strides))
      if (std::optional<unsigned> source = shape.getSourceDim(dim);
          source && from.getDimSize(*source) > 1)
        stride = ShapedType::getNumElements(from.getShape().drop_front(*source + 1));
  const Bits &source = e.get(shape.getSource());
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

LogicalResult runReshape(Evaluator &e, Operation *op) {
  Bits bits = e.get(op->getOperand(0));
  e.set(op->getResult(0), std::move(bits));
  return success();
}

} // namespace

void addShapeOps(HandlerTable &table) {
  table.add<tile::MakeRangeOp>(runRange);
  table.add<tile::SplatOp, tile::BroadcastOp, tile::PermuteOp>(runShape);
  // A reshape that may reorder keeps the order here.
  table.add<tile::ExpandDimsOp, tile::ReshapeOp>(runReshape);
}

} // namespace tilec::interpreter
