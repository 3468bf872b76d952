// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reduction op: result types from operands and axis, and the shape of its combine region.

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilec::tile {

/// `operand` without dimension `axis` and without encoding; its element type when nothing is left
/// of the shape.
static Type reducedType(RankedTensorType operand, int64_t axis) {
  SmallVector<int64_t> shape(operand.getShape());
  shape.erase(shape.begin() + axis);
  if (shape.empty())
    return operand.getElementType();
  return RankedTensorType::get(shape, operand.getElementType());
}

/// `type` without its encoding.
static Type plainType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.dropEncoding() : type;
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, ValueRange operands, int axis) {
  SmallVector<Type> results;
  for (Value operand : operands)
    results.push_back(reducedType(cast<RankedTensorType>(operand.getType()), axis));
  state.addOperands(operands);
  state.addTypes(results);
  state.getOrAddProperties<Properties>().axis = builder.getI32IntegerAttr(axis);
  state.addRegion();
}

ArrayRef<int64_t> ReduceOp::getSourceShape() {
  return cast<RankedTensorType>(getOperands().front().getType()).getShape();
}

Operation *ReduceOp::getSingleCombiner() {
  Block &body = getCombine().front();
  if (body.getNumArguments() != 2 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation &combiner = body.front();
  bool combinesArguments = combiner.getNumOperands() == 2 && combiner.getNumResults() == 1 &&
                           ((combiner.getOperand(0) == body.getArgument(0) &&
                             combiner.getOperand(1) == body.getArgument(1)) ||
                            (combiner.getOperand(0) == body.getArgument(1) &&
                             combiner.getOperand(1) == body.getArgument(0)));
  Operation *yield = body.getTerminator();
  bool yieldsIt = yield->getNumOperands() == 1 && yield->getOperand(0).getDefiningOp() == &combiner;
  return combinesArguments && yieldsIt ? &combiner : nullptr;
}

LogicalResult ReduceOp::verify() {
  if (getOperands().empty())
    return emitOpError("expects at least one operand, got none");
  auto first = cast<RankedTensorType>(getOperands().front().getType());
  int32_t axis = static_cast<int32_t>(getAxis());
  if (axis < 0 || axis >= first.getRank())
    return emitOpError("expects 'axis' in [0, ") << first.getRank() << "), got " << axis;
  if (getNumOperands() != getNumResults())
    return emitOpError("expects one result per operand, got ")
           << getNumOperands() << " operands and " << getNumResults() << " results";
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getEncoding() != first.getEncoding())
      return emitOpError("expects one layout for all operands, got ") << first << " and " << type;
    Type expected = reducedType(type, axis);
    if (plainType(result.getType()) != expected)
      return emitOpError("expects a result of type ") << expected << ", got " << result.getType();
  }
  return success();
}

LogicalResult verifyCombineRegion(Operation *op) {
  // Pieces of scans have totals besides the tensors, among the operands or the results.
  SmallVector<Type> elements;
  unsigned count = std::min(op->getNumOperands(), op->getNumResults());
  for (Type type : llvm::make_range(op->operand_type_begin(), op->operand_type_begin() + count))
    elements.push_back(getElementTypeOrSelf(type));
  SmallVector<Type> pairs(elements);
  llvm::append_range(pairs, elements);
  Block &body = op->getRegion(0).front();
  if (!llvm::equal(body.getArgumentTypes(), pairs))
    return op->emitOpError("expects region arguments of types (")
           << TypeRange(pairs) << "), got (" << body.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return op->emitOpError("expects the region to end in 'tile.yield', got '")
           << body.getTerminator()->getName() << "'";
  if (!llvm::equal(yield.getOperandTypes(), elements))
    return op->emitOpError("expects the region to yield (")
           << TypeRange(elements) << "), got (" << yield.getOperandTypes() << ")";
  return success();
}

LogicalResult YieldOp::verify() {
  Operation *parent = (*this)->getParentOp();
  if (!parent)
    return emitOpError("expects a parent with a combine region, got none");
  if (!parent->hasTrait<CombineRegion>() && !isa<MapOp>(parent))
    return emitOpError("expects a parent with a combine region, got '") << parent->getName() << "'";
  return success();
}

} // namespace tilec::tile
