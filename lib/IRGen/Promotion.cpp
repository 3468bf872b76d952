// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which type an operation computes in, and bringing operands to one shape.

#include "Generator.h"

#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

namespace tilec::irgen {

DType Generator::promoteInts(DType lhs, DType rhs) {
  unsigned left = lhs.getBitWidth(), right = rhs.getBitWidth();
  if (lhs.isSignedInt() == rhs.isSignedInt())
    return left >= right ? lhs : rhs;
  DType unsignedType = lhs.isSignedInt() ? rhs : lhs;
  DType signedType = lhs.isSignedInt() ? lhs : rhs;
  return unsignedType.getBitWidth() >= signedType.getBitWidth() ? unsignedType : signedType;
}

FailureOr<DType> Generator::promote(DType lhs, DType rhs, bool isDivision, SourceRange range) {
  auto either = [&](ScalarKind kind) { return lhs.is(kind) || rhs.is(kind); };
  if (lhs.isPointer() || rhs.isPointer() || lhs.isVoid() || rhs.isVoid())
    return error(range,
                 "operands of types " + lhs.str() + " and " + rhs.str() + " cannot be combined");
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
    return error(range, "operands of types " + lhs.str() + " and " + rhs.str() +
                            " cannot be combined; cast the 8-bit float first");
  bool mixed = lhs.isSignedInt() != rhs.isSignedInt() && !lhs.isBool() && !rhs.isBool();
  if (isDivision && mixed)
    return error(range, "division and remainder of " + lhs.str() + " and " + rhs.str() +
                            " are ambiguous because their signedness differs; cast one of them");
  return promoteInts(lhs, rhs);
}

FailureOr<DType> Generator::getDefaultType(const Constant &number, SourceRange range) {
  if (number.isBool())
    return DType(ScalarKind::Int1);
  if (number.isInt()) {
    PyInt value = number.toInt();
    for (ScalarKind kind :
         {ScalarKind::Int32, ScalarKind::UInt32, ScalarKind::Int64, ScalarKind::UInt64}) {
      DType type(kind);
      if (value.fits(type.getBitWidth(), type.isSignedInt()))
        return type;
    }
    return error(range, "integer " + value.str() + " does not fit in 64 bits");
  }
  double magnitude = std::abs(number.getFloat());
  bool single = magnitude == 0.0 || !std::isfinite(magnitude) ||
                (magnitude >= 0x1p-126 && magnitude <= 0x1.fffffep127);
  return DType(single ? ScalarKind::FP32 : ScalarKind::FP64);
}

LogicalResult Generator::unifyElements(Value &lhs, Value &rhs, bool relaxed, bool isDivision,
                                       SourceRange range) {
  auto getType = [&](const Value &value) -> FailureOr<DType> {
    if (const RuntimeValue *runtime = value.getRuntime())
      return runtime->type.element;
    if (value.isNumber())
      return getDefaultType(*value.getConstant(), range);
    return errorNoOperand(value, range);
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

LogicalResult Generator::unifyShapes(llvm::MutableArrayRef<Value> values, SourceRange range) {
  llvm::SmallVector<int64_t, 4> shape;
  for (const Value &value : values) {
    const llvm::SmallVector<int64_t, 4> &dims = value.getRuntime()->type.shape;
    if (dims.size() > shape.size())
      shape.insert(shape.begin(), dims.size() - shape.size(), 1);
  }
  for (const Value &value : values) {
    const llvm::SmallVector<int64_t, 4> &dims = value.getRuntime()->type.shape;
    size_t offset = shape.size() - dims.size();
    for (size_t i = 0; i < dims.size(); ++i) {
      int64_t &dim = shape[offset + i];
      if (dims[i] != dim && dims[i] != 1 && dim != 1) {
        // Name the first operand that made this dimension what it is.
        for (const Value &earlier : values) {
          const llvm::SmallVector<int64_t, 4> &others = earlier.getRuntime()->type.shape;
          size_t behind = shape.size() - offset - i;
          if (others.size() >= behind && others[others.size() - behind] == dim)
            return error(range, "shapes " + printShape(others) + " and " + printShape(dims) +
                                    " cannot be broadcast together");
        }
      }
      if (dim == 1)
        dim = dims[i];
    }
  }
  if (shape.empty())
    return success();
  if (mlir::failed(checkShape(shape, range)))
    return failure();
  for (Value &value : values) {
    FailureOr<Value> result = broadcastTo(value, shape, range);
    if (mlir::failed(result))
      return failure();
    value = *result;
  }
  return success();
}

FailureOr<Value> Generator::broadcastTo(const Value &value, llvm::ArrayRef<int64_t> shape,
                                        SourceRange range) {
  const RuntimeValue *runtime = value.getRuntime();
  if (llvm::ArrayRef<int64_t>(runtime->type.shape) == shape)
    return value;
  if (!runtime->type.isBlock())
    return splat(value, shape);
  llvm::ArrayRef<int64_t> dims = runtime->type.shape;
  bool fits = dims.size() <= shape.size();
  for (size_t i = 0; fits && i < dims.size(); ++i) {
    int64_t wanted = shape[shape.size() - dims.size() + i];
    fits = dims[i] == 1 || dims[i] == wanted;
  }
  if (!fits)
    return error(range, "a block of shape " + printShape(dims) + " cannot be broadcast to " +
                            printShape(shape));
  Value result = value;
  while (result.getRuntime()->type.shape.size() < shape.size())
    result = expandDims(result, 0);
  if (llvm::ArrayRef<int64_t>(result.getRuntime()->type.shape) == shape)
    return result;
  Type type(runtime->type.element, shape);
  return emit<tile::BroadcastOp>(type, lower(type), result.getRuntime()->value);
}

Value Generator::splat(const Value &scalar, llvm::ArrayRef<int64_t> shape) {
  const RuntimeValue *runtime = scalar.getRuntime();
  if (shape.empty())
    return scalar;
  Type type(runtime->type.element, shape);
  mlir::Attribute attribute;
  if (mlir::matchPattern(runtime->value, mlir::m_Constant(&attribute))) {
    auto dense = mlir::DenseElementsAttr::get(llvm::cast<mlir::ShapedType>(lower(type)), attribute);
    return emit<mlir::arith::ConstantOp>(type, dense);
  }
  return emit<tile::SplatOp>(type, lower(type), runtime->value);
}

LogicalResult Generator::checkShape(llvm::ArrayRef<int64_t> shape, SourceRange range) {
  // Extents are rounded up to powers of two before anything is spread over threads.
  constexpr int64_t kMostElements = 1 << 20;
  constexpr size_t kMostDims = 64;
  int64_t count = 1, padded = 1;
  if (shape.size() > kMostDims)
    return error(range, "a block has at most " + llvm::Twine(kMostDims) + " dimensions, got " +
                            llvm::Twine(shape.size()));
  for (int64_t dim : shape) {
    if (dim < 1)
      return error(range, "block dimensions must be positive, got " + printShape(shape));
    if (dim > kMostElements || (count *= dim) > kMostElements)
      return error(range,
                   "a block of shape " + printShape(shape) + " has more than 1048576 elements");
    padded *= static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(dim)));
  }
  if (padded > kMostElements)
    return error(range, "a block of shape " + printShape(shape) +
                            " has more than 1048576 elements when its dimensions are rounded up "
                            "to powers of two");
  return success();
}

Value Generator::expandDims(const Value &value, int64_t axis) {
  const RuntimeValue *runtime = value.getRuntime();
  Type type = runtime->type;
  type.shape.insert(type.shape.begin() + axis, 1);
  if (!runtime->type.isBlock())
    return splat(value, type.shape);
  return emit<tile::ExpandDimsOp>(type, lower(type), runtime->value,
                                  builder.getI32IntegerAttr(static_cast<int32_t>(axis)));
}

} // namespace tilec::irgen
