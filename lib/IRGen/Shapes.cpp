// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bringing operands to one shape, and other changes of shape.

#include "Emitter.h"

#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

namespace tilec::irgen {

LogicalResult Emitter::checkShape(llvm::ArrayRef<int64_t> shape, SourceRange range) {
  // Extents are rounded up to powers of two before anything is spread over threads.
  constexpr int64_t kMostElements = 1 << 20;
  constexpr size_t kMostDims = 64;
  int64_t count = 1, padded = 1;
  if (shape.size() > kMostDims)
    return state.error(range, "a block has at most " + llvm::Twine(kMostDims) +
                                  " dimensions, got " + llvm::Twine(shape.size()));
  for (int64_t dim : shape) {
    if (dim < 1)
      return state.error(range, "block dimensions must be positive, got " + printShape(shape));
    if (dim > kMostElements || (count *= dim) > kMostElements)
      return state.error(range, "a block of shape " + printShape(shape) +
                                    " has more than 1048576 elements");
    padded *= static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(dim)));
  }
  if (padded > kMostElements)
    return state.error(range,
                       "a block of shape " + printShape(shape) +
                           " has more than 1048576 elements when its dimensions are rounded up "
                           "to powers of two");
  return success();
}

LogicalResult Emitter::unifyShapes(llvm::MutableArrayRef<Value> values, SourceRange range) {
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
            return state.error(range, "shapes " + printShape(others) + " and " + printShape(dims) +
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

bool Emitter::canBroadcast(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape) {
  if (dims.size() > shape.size())
    return false;
  return llvm::all_of(llvm::zip_equal(dims, shape.take_back(dims.size())), [](auto pair) {
    return std::get<0>(pair) == 1 || std::get<0>(pair) == std::get<1>(pair);
  });
}

FailureOr<Value> Emitter::broadcastTo(const Value &value, llvm::ArrayRef<int64_t> shape,
                                      SourceRange range) {
  const RuntimeValue *runtime = value.getRuntime();
  if (llvm::ArrayRef<int64_t>(runtime->type.shape) == shape)
    return value;
  if (!runtime->type.isBlock())
    return splat(value, shape);
  llvm::ArrayRef<int64_t> dims = runtime->type.shape;
  if (!canBroadcast(dims, shape))
    return state.error(range, "a block of shape " + printShape(dims) + " cannot be broadcast to " +
                                  printShape(shape));
  Value result = value;
  while (result.getRuntime()->type.shape.size() < shape.size())
    result = expandDims(result, 0);
  if (llvm::ArrayRef<int64_t>(result.getRuntime()->type.shape) == shape)
    return result;
  Type type(runtime->type.element, shape);
  return emit<tile::BroadcastOp>(type, lower(type), result.getRuntime()->value);
}

Value Emitter::splat(const Value &scalar, llvm::ArrayRef<int64_t> shape) {
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

Value Emitter::expandDims(const Value &value, int64_t axis) {
  const RuntimeValue *runtime = value.getRuntime();
  Type type = runtime->type;
  type.shape.insert(type.shape.begin() + axis, 1);
  if (!runtime->type.isBlock())
    return splat(value, type.shape);
  return emit<tile::ExpandDimsOp>(type, lower(type), runtime->value,
                                  builder.getI32IntegerAttr(static_cast<int32_t>(axis)));
}

FailureOr<Value> Emitter::reshape(const Value &value, llvm::ArrayRef<int64_t> shape,
                                  bool allowReorder, SourceRange range) {
  const RuntimeValue *runtime = value.getRuntime();
  if (mlir::failed(checkShape(shape, range)))
    return failure();
  Type type(runtime->type.element, shape);
  if (type.getNumElements() != runtime->type.getNumElements())
    return state.error(range, "cannot reshape " + runtime->type.str() + " to " + printShape(shape) +
                                  ": " + llvm::Twine(runtime->type.getNumElements()) +
                                  " elements become " + llvm::Twine(type.getNumElements()));
  if (type == runtime->type)
    return value;
  if (!runtime->type.isBlock())
    return splat(value, shape);
  if (shape.empty())
    return state.error(range, "cannot reshape a block to a scalar; use a reduction");
  return emit<tile::ReshapeOp>(type, lower(type), runtime->value,
                               allowReorder ? builder.getUnitAttr() : mlir::UnitAttr());
}

Value Emitter::permute(const Value &value, llvm::ArrayRef<int32_t> order) {
  const RuntimeValue *runtime = value.getRuntime();
  Type type(runtime->type.element);
  for (int32_t dim : order)
    type.shape.push_back(runtime->type.shape[dim]);
  return emit<tile::PermuteOp>(type, lower(type), runtime->value,
                               builder.getDenseI32ArrayAttr(order));
}

FailureOr<int64_t> Emitter::toAxis(const Value &value, int64_t rank, SourceRange range) {
  FailureOr<int64_t> number = state.toInteger(value, range, "the axis");
  return mlir::failed(number) ? number : normalizeAxis(*number, rank, range);
}

FailureOr<int64_t> Emitter::normalizeAxis(int64_t axis, int64_t rank, SourceRange range) {
  if (axis < -rank || axis >= rank)
    return state.error(range, "axis " + llvm::Twine(axis) +
                                  " is out of range for a value of rank " + llvm::Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

} // namespace tilec::irgen
