// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which type an operation computes in.

#include "Emitter.h"

namespace tilec::irgen {

DType Emitter::promoteInts(DType lhs, DType rhs) {
  unsigned left = lhs.getBitWidth(), right = rhs.getBitWidth();
  if (lhs.isSignedInt() == rhs.isSignedInt())
    return left >= right ? lhs : rhs;
  DType unsignedType = lhs.isSignedInt() ? rhs : lhs;
  DType signedType = lhs.isSignedInt() ? lhs : rhs;
  return unsignedType.getBitWidth() >= signedType.getBitWidth() ? unsignedType : signedType;
}

FailureOr<DType> Emitter::promote(DType lhs, DType rhs, bool isDivision, SourceRange range) {
  auto either = [&](ScalarKind kind) { return lhs.is(kind) || rhs.is(kind); };
  if (lhs.isPointer() || rhs.isPointer() || lhs.isVoid() || rhs.isVoid())
    return state.error(range, "operands of types " + lhs.str() + " and " + rhs.str() +
                                  " cannot be combined");
  if (either(ScalarKind::FP64))
    return DType(ScalarKind::FP64);
  if (either(ScalarKind::FP32))
    return DType(ScalarKind::FP32);
  if (either(ScalarKind::FP16))
    return DType(isDivision ? ScalarKind::FP32 : ScalarKind::FP16);
  if (either(ScalarKind::BF16)) {
    bool both = lhs.is(ScalarKind::BF16) && rhs.is(ScalarKind::BF16);
    return DType(both && !isDivision ? ScalarKind::BF16 : ScalarKind::FP32);
  }
  if (lhs.isFP8() && rhs.isFP8())
    return isDivision ? DType(ScalarKind::FP32) : lhs == rhs ? lhs : DType(ScalarKind::FP16);
  if (lhs.isFP8() || rhs.isFP8())
    return state.error(range, "operands of types " + lhs.str() + " and " + rhs.str() +
                                  " cannot be combined; cast the 8-bit float first");
  bool mixed = lhs.isSignedInt() != rhs.isSignedInt() && !lhs.isBool() && !rhs.isBool();
  if (isDivision && mixed)
    return state.error(range,
                       "division and remainder of " + lhs.str() + " and " + rhs.str() +
                           " are ambiguous because their signedness differs; cast one of them");
  return promoteInts(lhs, rhs);
}

LogicalResult Emitter::unifyElements(Value &lhs, Value &rhs, bool relaxed, bool isDivision,
                                     SourceRange range) {
  auto getType = [&](const Value &value) -> FailureOr<DType> {
    if (const RuntimeValue *runtime = value.getRuntime())
      return runtime->type.element;
    if (value.isNumber())
      return state.getDefaultType(*value.getConstant(), range);
    return state.errorNoOperand(value, range);
  };
  FailureOr<DType> left = getType(lhs), right = getType(rhs);
  if (mlir::failed(left) || mlir::failed(right))
    return failure();

  // Rule 0: a number of no higher kind takes the other operand's type.
  FailureOr<DType> target;
  const Value &other = lhs.isRuntime() ? lhs : rhs;
  DType otherType = lhs.isRuntime() ? *left : *right;
  DType numberType = lhs.isRuntime() ? *right : *left;
  if (relaxed && lhs.isRuntime() != rhs.isRuntime() && other.isRuntime() &&
      !otherType.isPointer() && numberType.getRank() <= otherType.getRank()) {
    target = otherType;
    if (isDivision && otherType.isFloat() && otherType.getBitWidth() < 32)
      target = DType(ScalarKind::FP32);
  } else {
    target = promote(*left, *right, isDivision, range);
  }
  if (mlir::failed(target))
    return failure();
  FailureOr<Value> newLhs = cast(lhs, *target, range);
  FailureOr<Value> newRhs = cast(rhs, *target, range);
  if (mlir::failed(newLhs) || mlir::failed(newRhs))
    return failure();
  lhs = *newLhs;
  rhs = *newRhs;
  return success();
}

} // namespace tilec::irgen
