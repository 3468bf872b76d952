// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: which shapes and types go together, and the addition that becomes the
// accumulator.

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilec::tile {

bool hasDot(Type lhs, Type rhs, Type acc) {
  auto isFloat8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  if (isFloat8(lhs) && isFloat8(rhs))
    return acc.isF32() || acc.isF16();
  if (lhs != rhs)
    return false;
  if (lhs.isF16())
    return acc.isF32() || acc.isF16();
  if (lhs.isBF16() || lhs.isF32())
    return acc.isF32();
  if (lhs.isInteger(8))
    return acc.isInteger(32);
  return lhs.isF64() && acc.isF64();
}

LogicalResult verifyDot(Operation *op, ShapedType lhs, ShapedType rhs, ShapedType acc) {
  int64_t rank = lhs.getRank();
  if ((rank != 2 && rank != 3) || rhs.getRank() != rank || acc.getRank() != rank)
    return op->emitOpError("expects operands of rank 2 or 3, all the same, got ")
           << rank << ", " << rhs.getRank() << " and " << acc.getRank();
  int64_t m = lhs.getDimSize(rank - 2), k = lhs.getDimSize(rank - 1), n = rhs.getDimSize(rank - 1);
  if (rhs.getDimSize(rank - 2) != k)
    return op->emitOpError("expects the left operand's columns to be as many as the right "
                           "operand's rows, got ")
           << k << " and " << rhs.getDimSize(rank - 2);
  SmallVector<int64_t> shape{m, n};
  if (rank == 3) {
    shape.insert(shape.begin(), lhs.getDimSize(0));
    if (rhs.getDimSize(0) != shape.front())
      return op->emitOpError("expects operands of one batch size, got ")
             << shape.front() << " and " << rhs.getDimSize(0);
  }
  if (acc.getShape() != ArrayRef(shape))
    return op->emitOpError("expects an accumulator of shape [")
           << shape << "], got [" << acc.getShape() << "]";
  if (!hasDot(lhs.getElementType(), rhs.getElementType(), acc.getElementType()))
    return op->emitOpError("cannot multiply ")
           << lhs.getElementType() << " and " << rhs.getElementType() << " in "
           << acc.getElementType();
  return success();
}

LogicalResult verifyDotAttributes(Operation *op, Type element, std::optional<int32_t> maxImprecise,
                                  bool isUnsigned) {
  if (maxImprecise && *maxImprecise < 0)
    return op->emitOpError("expects 'max_imprecise_acc' not to be negative, got ") << *maxImprecise;
  if (isUnsigned && !isa<IntegerType>(element))
    return op->emitOpError("expects 'unsigned' on integers only, got ") << element;
  return success();
}

LogicalResult DotOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  if (failed(verifyDot(*this, lhs, cast<RankedTensorType>(getRhs().getType()),
                       cast<RankedTensorType>(getAcc().getType()))))
    return failure();
  std::optional<int32_t> maxImprecise;
  if (std::optional<uint32_t> value = getMaxImpreciseAcc())
    maxImprecise = static_cast<int32_t>(*value);
  return verifyDotAttributes(*this, lhs.getElementType(), maxImprecise, getIsUnsigned());
}

/// add(dot(a, b, 0), c) -> dot(a, b, c), when the sum is the product's only use.
template <typename AddOp>
static LogicalResult foldAdditionIntoDot(AddOp add, PatternRewriter &rewriter) {
  for (unsigned side : {0u, 1u}) {
    auto dot = add->getOperand(side).template getDefiningOp<DotOp>();
    // In another block the product may run fewer times than the sum.
    if (!dot || !dot->hasOneUse() || dot->getBlock() != add->getBlock())
      continue;
    if (!isZero(dot.getAcc()))
      continue;
    auto fused = cast<DotOp>(rewriter.clone(*dot));
    fused.getAccMutable().assign(add->getOperand(1 - side));
    rewriter.replaceOp(add, fused);
    rewriter.eraseOp(dot);
    return success();
  }
  return rewriter.notifyMatchFailure(add, "no operand is a dot with a zero accumulator");
}

void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(foldAdditionIntoDot<arith::AddFOp>);
  patterns.add(foldAdditionIntoDot<arith::AddIOp>);
}

LogicalResult ReduceScatterOp::verify() {
  ArrayRef<int64_t> source = getSource().getType().getShape(), result = getType().getShape();
  if (source.size() != result.size() || source.empty())
    return emitOpError("expects a result of rank ")
           << source.size() << ", got rank " << result.size();
  if (result.front() == 0 || source.front() % result.front() != 0)
    return emitOpError("expects a whole part of ")
           << source.front() << " rows, got " << result.front();
  if (source.drop_front() != result.drop_front())
    return emitOpError("expects all dimensions but the first to stay as they are");
  return success();
}

} // namespace tilec::tile
