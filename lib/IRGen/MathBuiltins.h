// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the elementwise builtins of tl.math and of libdevice.

#ifndef TILEC_LIB_IRGEN_MATHBUILTINS_H
#define TILEC_LIB_IRGEN_MATHBUILTINS_H

#include "Generator.h"

namespace tilec::irgen {

/// An argument that must be fp32 or fp64; compile-time numbers become fp32.
FailureOr<Value> getFloatOperand(Generator &g, const BoundArgs &a, unsigned index);

/// Brings several operands, the first of them a runtime value, to one type and shape.
LogicalResult unifyOperands(Generator &g, llvm::MutableArrayRef<Value> operands, SourceRange range);

/// One op of the math dialect on one float.
template <typename OpT> FailureOr<Value> genFloatUnary(Generator &g, const BoundArgs &a) {
  FailureOr<Value> operand = getFloatOperand(g, a, 0);
  if (mlir::failed(operand))
    return failure();
  return g.emit<OpT>(operand->getRuntime()->type, operand->getRuntime()->value);
}

/// One op on two floats.
template <typename OpT> FailureOr<Value> genFloatBinary(Generator &g, const BoundArgs &a) {
  FailureOr<Value> lhs = getFloatOperand(g, a, 0), rhs = getFloatOperand(g, a, 1);
  if (mlir::failed(lhs) || mlir::failed(rhs))
    return failure();
  // A literal follows the type of the other side.
  Value operands[] = {a[0].value.isNumber() ? a[0].value : *lhs,
                      a[1].value.isNumber() ? a[1].value : *rhs};
  if (!operands[0].isRuntime() && !operands[1].isRuntime())
    operands[0] = *lhs;
  if (mlir::failed(g.unifyElements(operands[0], operands[1], /*relaxed=*/true,
                                   /*isDivision=*/false, a.range)) ||
      mlir::failed(g.unifyShapes(operands, a.range)))
    return failure();
  return g.emit<OpT>(operands[0].getRuntime()->type, operands[0].getRuntime()->value,
                     operands[1].getRuntime()->value);
}

FailureOr<Value> genSqrtRn(Generator &g, const BoundArgs &a);
FailureOr<Value> genDivRn(Generator &g, const BoundArgs &a);
FailureOr<Value> genFDiv(Generator &g, const BoundArgs &a);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_MATHBUILTINS_H
