// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape operations and conversions.

#include "Generator.h"

namespace tilec::irgen {

namespace {

FailureOr<Value> getOperand(Generator &g, const BoundArgs &a, unsigned index = 0) {
  return g.toRuntime(a[index].value, a[index].range);
}

/// `f(x, 1, 2)`, `f(x, (1, 2))` and `f(x, shape=(1, 2))`.
FailureOr<llvm::SmallVector<int64_t>> getDims(Generator &g, const BoundArgs &a,
                                              llvm::StringRef what) {
  if (a.rest.size() == 1)
    return g.toIntegers(a.rest[0].value, a.rest[0].range, what);
  llvm::SmallVector<int64_t> dims;
  for (const BoundArg &arg : a.rest) {
    FailureOr<int64_t> dim = g.toInteger(arg.value, arg.range, what);
    if (mlir::failed(dim))
      return failure();
    dims.push_back(*dim);
  }
  return dims;
}

FailureOr<Value> genBroadcast(Generator &g, const BoundArgs &a) {
  Value operands[2];
  for (unsigned i = 0; i < 2; ++i) {
    FailureOr<Value> operand = getOperand(g, a, i);
    if (mlir::failed(operand))
      return failure();
    operands[i] = *operand;
  }
  if (mlir::failed(g.unifyShapes(operands, a.range)))
    return failure();
  return Value::tuple({operands[0], operands[1]});
}

FailureOr<Value> genBroadcastTo(Generator &g, const BoundArgs &a) {
  FailureOr<Value> operand = getOperand(g, a);
  FailureOr<llvm::SmallVector<int64_t>> dims = getDims(g, a, "a block dimension");
  if (mlir::failed(operand) || mlir::failed(dims) || mlir::failed(g.checkShape(*dims, a.range)))
    return failure();
  return g.broadcastTo(*operand, *dims, a.range);
}

FailureOr<Value> genExpandDims(Generator &g, const BoundArgs &a) {
  FailureOr<Value> operand = getOperand(g, a);
  FailureOr<llvm::SmallVector<int64_t>> axes = g.toIntegers(a[1].value, a[1].range, "the axis");
  if (mlir::failed(operand) || mlir::failed(axes))
    return failure();
  int64_t rank = operand->getRuntime()->type.getRank() + static_cast<int64_t>(axes->size());
  for (int64_t &axis : *axes) {
    FailureOr<int64_t> normalized = g.normalizeAxis(axis, rank, a[1].range);
    if (mlir::failed(normalized))
      return failure();
    axis = *normalized;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end())
    return g.error(a[1].range, "an axis is given twice");
  Value result = *operand;
  for (int64_t axis : *axes)
    result = g.expandDims(result, axis);
  return result;
}

FailureOr<Value> genSqueeze(Generator &g, const BoundArgs &a) {
  FailureOr<Value> operand = getOperand(g, a);
  FailureOr<int64_t> dim = g.toInteger(a[1].value, a[1].range, "the dimension");
  if (mlir::failed(operand) || mlir::failed(dim))
    return failure();
  Type type = operand->getRuntime()->type;
  dim = g.normalizeAxis(*dim, type.getRank(), a[1].range);
  if (mlir::failed(dim))
    return failure();
  if (type.shape[*dim] != 1)
    return g.error(a.range, "dimension " + llvm::Twine(*dim) + " of " + type.str() +
                                " does not have size 1");
  llvm::SmallVector<int64_t> shape(type.shape.begin(), type.shape.end());
  shape.erase(shape.begin() + *dim);
  return g.reshape(*operand, shape, /*allowReorder=*/false, a.range);
}

FailureOr<Value> makeReshape(Generator &g, const BoundArgs &a, llvm::ArrayRef<int64_t> shape,
                             bool allowReorder) {
  FailureOr<Value> operand = getOperand(g, a);
  if (mlir::failed(operand))
    return failure();
  return g.reshape(*operand, shape, allowReorder, a.range);
}

FailureOr<Value> genReshape(Generator &g, const BoundArgs &a) {
  FailureOr<llvm::SmallVector<int64_t>> dims = getDims(g, a, "a block dimension");
  FailureOr<bool> reorder = false;
  if (a.has(2))
    reorder = g.toBool(a[2].value, a[2].range, "'can_reorder'");
  if (mlir::failed(dims) || mlir::failed(reorder))
    return failure();
  return makeReshape(g, a, *dims, *reorder);
}

FailureOr<Value> genView(Generator &g, const BoundArgs &a) {
  FailureOr<llvm::SmallVector<int64_t>> dims = getDims(g, a, "a block dimension");
  if (mlir::failed(dims))
    return failure();
  return makeReshape(g, a, *dims, /*allowReorder=*/true);
}

FailureOr<Value> genRavel(Generator &g, const BoundArgs &a) {
  FailureOr<Value> operand = getOperand(g, a);
  FailureOr<bool> reorder = false;
  if (a.has(1))
    reorder = g.toBool(a[1].value, a[1].range, "'can_reorder'");
  if (mlir::failed(operand) || mlir::failed(reorder))
    return failure();
  return g.reshape(*operand, {operand->getRuntime()->type.getNumElements()}, *reorder, a.range);
}

FailureOr<Value> makePermute(Generator &g, const BoundArgs &a, llvm::ArrayRef<int64_t> dims) {
  FailureOr<Value> operand = getOperand(g, a);
  if (mlir::failed(operand))
    return failure();
  int64_t rank = operand->getRuntime()->type.getRank();
  llvm::SmallVector<int32_t> order;
  llvm::SmallVector<bool> seen(rank, false);
  bool valid = static_cast<int64_t>(dims.size()) == rank;
  for (int64_t dim : dims) {
    int64_t axis = dim < 0 ? dim + rank : dim;
    valid = valid && axis >= 0 && axis < rank && !seen[axis];
    if (!valid)
      break;
    seen[axis] = true;
    order.push_back(static_cast<int32_t>(axis));
  }
  if (!valid)
    return g.error(a.range, printShape(dims) + " is not a permutation of the dimensions of " +
                                operand->describe());
  return g.permute(*operand, order);
}

FailureOr<Value> genPermute(Generator &g, const BoundArgs &a) {
  FailureOr<llvm::SmallVector<int64_t>> dims = getDims(g, a, "a dimension");
  if (mlir::failed(dims))
    return failure();
  return makePermute(g, a, *dims);
}

FailureOr<Value> genTrans(Generator &g, const BoundArgs &a) {
  if (!a.rest.empty())
    return genPermute(g, a);
  FailureOr<Value> operand = getOperand(g, a);
  if (mlir::failed(operand))
    return failure();
  int64_t rank = operand->getRuntime()->type.getRank();
  if (rank < 2)
    return g.error(a.range, "tl.trans needs a block of rank 2 or more, got " + operand->describe());
  llvm::SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    dims.push_back(i);
  std::swap(dims[rank - 1], dims[rank - 2]);
  return makePermute(g, a, dims);
}

FailureOr<Value> genCast(Generator &g, const BoundArgs &a) {
  enum { Input, Type, Rounding, Bitcast };
  FailureOr<DType> type = g.toDType(a[Type].value, a[Type].range, "the dtype");
  if (mlir::failed(type))
    return failure();
  if (a.has(Bitcast)) {
    FailureOr<bool> bits = g.toBool(a[Bitcast].value, a[Bitcast].range, "'bitcast'");
    if (mlir::failed(bits))
      return failure();
    if (*bits)
      return g.bitcast(a[Input].value, *type, a.range);
  }
  tile::RoundingMode rounding = tile::RoundingMode::rtne;
  if (a.has(Rounding)) {
    FailureOr<std::string> text =
        g.toString(a[Rounding].value, a[Rounding].range, "'fp_downcast_rounding'");
    if (mlir::failed(text))
      return failure();
    std::optional<tile::RoundingMode> mode = tile::symbolizeRoundingMode(*text);
    if (!mode)
      return g.error(a[Rounding].range, "rounding '" + *text + "' is none of 'rtne', 'rtz'");
    rounding = *mode;
    const RuntimeValue *from = a[Input].value.getRuntime();
    bool narrows = from && from->type.element.isFloat() && type->isFloat() &&
                   from->type.element.getBitWidth() > type->getBitWidth();
    if (from && from->type.element == *type)
      return a[Input].value;
    if (!narrows)
      return g.error(a[Rounding].range, "'fp_downcast_rounding' is only for casts to a narrower "
                                        "float, got " +
                                            a[Input].value.describe() + " to " + type->str());
  }
  return g.cast(a[Input].value, *type, a.range, rounding);
}

constexpr Handler shapeHandlers[] = {
    {"broadcast", inLanguage, genBroadcast},
    {"broadcast_to", inLanguage, genBroadcastTo},
    {"expand_dims", inLanguage, genExpandDims},
    {"unsqueeze", inLanguage, genExpandDims},
    {"squeeze", inLanguage, genSqueeze},
    {"reshape", inLanguage, genReshape},
    {"view", inLanguage, genView},
    {"ravel", inLanguage, genRavel},
    {"permute", inLanguage, genPermute},
    {"trans", inLanguage, genTrans},
    {"cast", inLanguage, genCast},
    {"to", asMethod, genCast},
};

} // namespace

llvm::ArrayRef<Handler> getShapeHandlers() { return shapeHandlers; }

} // namespace tilec::irgen
