// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: which operands go together, the type of the result, and the options.

#include "Generator.h"

namespace tilec::irgen {
namespace {

enum DotParam {
  DotInput,
  DotOther,
  DotAcc,
  DotInputPrecision,
  DotAllowTF32,
  DotMaxImprecise,
  DotOutType
};

constexpr llvm::StringLiteral operandTypes =
    "fp8e4nv, fp8e5, fp16, bf16, fp32, fp64, int8 and uint8";

bool isFloat8(DType type) { return type.is(ScalarKind::FP8E4NV) || type.is(ScalarKind::FP8E5); }
bool isInt8(DType type) { return type.is(ScalarKind::Int8) || type.is(ScalarKind::UInt8); }

LogicalResult checkOperandType(Generator &g, const BoundArg &arg, const Type &type) {
  DType element = type.element;
  bool isSupported = isFloat8(element) || isInt8(element) || element.is(ScalarKind::FP16) ||
                     element.is(ScalarKind::BF16) || element.is(ScalarKind::FP32) ||
                     element.is(ScalarKind::FP64);
  if (isSupported)
    return success();
  return g.error(arg.range,
                 "'tl.dot' has no operands of type " + type.str() + "; it has " + operandTypes);
}

/// 8-bit floats without instructions of their own are multiplied as fp16, exactly.
LogicalResult widenOldFloat8(Generator &g, const BoundArgs &a, Value &lhs, Value &rhs) {
  auto elementOf = [](const Value &value) { return value.getRuntime()->type.element; };
  auto isOld = [&](const Value &value) { return elementOf(value).is(ScalarKind::FP8E4B15); };
  if (!elementOf(lhs).isFP8() || !elementOf(rhs).isFP8() || (!isOld(lhs) && !isOld(rhs)))
    return success();
  FailureOr<Value> left = g.cast(lhs, ScalarKind::FP16, a[DotInput].range);
  FailureOr<Value> right = g.cast(rhs, ScalarKind::FP16, a[DotOther].range);
  if (mlir::failed(left) || mlir::failed(right))
    return failure();
  lhs = *left;
  rhs = *right;
  return success();
}

/// Ranks, sizes and element types of the operands.
LogicalResult checkOperands(Generator &g, const BoundArgs &a, const Type &lhs, const Type &rhs) {
  int64_t rank = lhs.getRank();
  std::string both = lhs.str() + " and " + rhs.str();
  if (rank < 2 || rhs.getRank() != rank)
    return g.error(a.range, "'tl.dot' needs two blocks of the same rank, 2 or more, got " + both);
  if (mlir::failed(checkOperandType(g, a[DotInput], lhs)) ||
      mlir::failed(checkOperandType(g, a[DotOther], rhs)))
    return failure();
  bool mixesFloat8 = isFloat8(lhs.element) && isFloat8(rhs.element);
  if (lhs.element != rhs.element && !mixesFloat8)
    return g.error(a.range, "the operands of 'tl.dot' must have one element type, got " + both +
                                "; cast the second with .to(" + getLanguageName(lhs.element) + ")");
  if (lhs.shape[rank - 1] != rhs.shape[rank - 2])
    return g.error(a.range, "the first operand of 'tl.dot' must have as many columns as the second "
                            "has rows, got " +
                                both);
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (lhs.shape[dim] != rhs.shape[dim])
      return g.error(a.range,
                     "the operands of 'tl.dot' must have the same leading dimensions, got " + both);
  return success();
}

/// The element type of the product of `operand` elements: what `out_dtype` or the accumulator says
/// where there is a choice.
FailureOr<DType> getResultElement(Generator &g, const BoundArgs &a, DType operand) {
  std::optional<DType> asked;
  SourceRange range = a.range;
  if (a.has(DotOutType)) {
    FailureOr<DType> type = g.toDType(a[DotOutType].value, a[DotOutType].range, "'out_dtype'");
    if (mlir::failed(type))
      return failure();
    asked = *type;
    range = a[DotOutType].range;
  } else if (const RuntimeValue *acc = a[DotAcc].value.getRuntime()) {
    asked = acc->type.element;
    range = a[DotAcc].range;
  }
  DType natural = ScalarKind::FP32;
  if (isInt8(operand))
    natural = ScalarKind::Int32;
  else if (operand.is(ScalarKind::FP64))
    natural = ScalarKind::FP64;
  // Integers have one accumulator, whatever is asked for.
  if (isInt8(operand) && a.has(DotOutType))
    return natural;
  bool hasHalf = operand.is(ScalarKind::FP16) || isFloat8(operand);
  if (!asked || *asked == natural)
    return natural;
  if (hasHalf && asked->is(ScalarKind::FP16))
    return *asked;
  // The default of 'out_dtype', written out.
  if (a.has(DotOutType) && asked->is(ScalarKind::FP32))
    return natural;
  return g.error(range, "'tl.dot' of " + operand.str() + " elements accumulates in " +
                            natural.str() + (hasHalf ? " or fp16" : "") + ", not in " +
                            asked->str());
}

/// How fp32 operands are multiplied: as the operation says, or in parts of bf16.
struct DotPrecision {
  tile::InputPrecision operation = tile::InputPrecision::tf32;
  /// Products of parts; 0 for none.
  int numProducts = 0;
};

FailureOr<DotPrecision> getPrecision(Generator &g, const BoundArgs &a) {
  if (a.has(DotInputPrecision) && a.has(DotAllowTF32))
    return g.error(a[DotAllowTF32].range, "'input_precision' and 'allow_tf32' are both given");
  if (a.has(DotAllowTF32)) {
    FailureOr<bool> allowed =
        g.toBool(a[DotAllowTF32].value, a[DotAllowTF32].range, "'allow_tf32'");
    if (mlir::failed(allowed))
      return failure();
    return DotPrecision{*allowed ? tile::InputPrecision::tf32 : tile::InputPrecision::ieee};
  }
  if (!a.has(DotInputPrecision))
    return DotPrecision();
  FailureOr<std::string> text =
      g.toString(a[DotInputPrecision].value, a[DotInputPrecision].range, "'input_precision'");
  if (mlir::failed(text))
    return failure();
  if (*text == "bf16x3" || *text == "bf16x6")
    return DotPrecision{tile::InputPrecision::ieee, *text == "bf16x3" ? 3 : 6};
  std::optional<tile::InputPrecision> precision = tile::symbolizeInputPrecision(*text);
  if (!precision)
    return g.error(a[DotInputPrecision].range,
                   "input precision '" + *text +
                       "' is none of 'tf32', 'tf32x3', 'bf16x3', 'bf16x6', "
                       "'ieee'");
  return DotPrecision{*precision};
}

/// The accumulator as a program value of type `result`.
FailureOr<Value> getAccumulator(Generator &g, const BoundArgs &a, const Type &result) {
  if (!a.has(DotAcc))
    return g.makeZero(result);
  const RuntimeValue *acc = a[DotAcc].value.getRuntime();
  if (!acc)
    return g.error(a[DotAcc].range, "the accumulator of 'tl.dot' must be a block of type " +
                                        result.str() + ", got " + a[DotAcc].value.describe());
  if (acc->type != result)
    return g.error(a[DotAcc].range, "the accumulator of 'tl.dot' must have type " + result.str() +
                                        ", got " + acc->type.str());
  return a[DotAcc].value;
}

FailureOr<mlir::IntegerAttr> getMaxImprecise(Generator &g, const BoundArgs &a, DType operand,
                                             int64_t depth) {
  if (!a.has(DotMaxImprecise))
    return mlir::IntegerAttr();
  FailureOr<int64_t> number =
      g.toInteger(a[DotMaxImprecise].value, a[DotMaxImprecise].range, "'max_num_imprecise_acc'");
  if (mlir::failed(number))
    return failure();
  if (!isFloat8(operand))
    return mlir::IntegerAttr();
  if (*number < 0 || *number > depth)
    return g.error(a[DotMaxImprecise].range,
                   "'max_num_imprecise_acc' must be from 0 to K, which is " + llvm::Twine(depth) +
                       ", got " + llvm::Twine(*number));
  return g.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*number));
}

/// The value with its leading dimensions flattened into one batch.
FailureOr<Value> flattenBatch(Generator &g, const Value &value, SourceRange range) {
  llvm::ArrayRef<int64_t> shape = value.getRuntime()->type.shape;
  if (shape.size() <= 3)
    return value;
  int64_t batch = 1;
  for (int64_t size : shape.drop_back(2))
    batch *= size;
  return g.reshape(value, {batch, shape[shape.size() - 2], shape.back()}, /*allowReorder=*/false,
                   range);
}

/// An fp32 block as the sum of bf16 blocks, largest first, each the rest of those before it.
FailureOr<std::vector<Value>> splitToBFloat16(Generator &g, Value value, int numParts,
                                              SourceRange range) {
  std::vector<Value> parts;
  for (int i = 0; i < numParts; ++i) {
    FailureOr<Value> part = g.cast(value, ScalarKind::BF16, range);
    if (mlir::failed(part))
      return failure();
    parts.push_back(*part);
    FailureOr<Value> wide = g.cast(*part, ScalarKind::FP32, range);
    FailureOr<Value> rest =
        mlir::failed(wide) ? wide : g.binary(ast::BinaryOp::Sub, value, *wide, range);
    if (mlir::failed(rest))
      return failure();
    value = *rest;
  }
  return parts;
}

/// A product of fp32 blocks as the sum of products of their bf16 parts, smallest ones first.
FailureOr<Value> emitSplitDot(Generator &g, const Value &lhs, const Value &rhs, const Value &acc,
                              int numProducts, SourceRange range) {
  static constexpr std::pair<int, int> products[] = {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}};
  int numParts = numProducts == 3 ? 2 : 3;
  FailureOr<std::vector<Value>> left = splitToBFloat16(g, lhs, numParts, range);
  FailureOr<std::vector<Value>> right = splitToBFloat16(g, rhs, numParts, range);
  if (mlir::failed(left) || mlir::failed(right))
    return failure();
  const Type type = acc.getRuntime()->type;
  auto multiply = [&](int i, int j, const Value &sum) {
    return g.emit<tile::DotOp>(type, g.lower(type), (*left)[i].getRuntime()->value,
                               (*right)[j].getRuntime()->value, sum.getRuntime()->value,
                               tile::InputPrecision::tf32, mlir::IntegerAttr(), false);
  };
  Value sum = g.makeZero(type);
  for (auto [i, j] : llvm::ArrayRef(products).take_back(numProducts - 1))
    sum = multiply(i, j, sum);
  // Parts of infinities are NaN; the first parts alone decide there.
  Value isNumber = g.emitCompare(ast::CompareOp::Eq, sum, sum);
  Value zero = g.makeZero(type);
  sum = g.emit<mlir::arith::SelectOp>(type, isNumber.getRuntime()->value, sum.getRuntime()->value,
                                      zero.getRuntime()->value);
  return g.binary(ast::BinaryOp::Add, multiply(0, 0, sum), acc, range);
}

FailureOr<Value> genDot(Generator &g, const BoundArgs &a) {
  FailureOr<Value> lhs = g.toRuntime(a[DotInput].value, a[DotInput].range);
  FailureOr<Value> rhs = g.toRuntime(a[DotOther].value, a[DotOther].range);
  if (mlir::failed(lhs) || mlir::failed(rhs))
    return failure();
  if (mlir::failed(widenOldFloat8(g, a, *lhs, *rhs)))
    return failure();
  const Type lhsType = lhs->getRuntime()->type, rhsType = rhs->getRuntime()->type;
  if (mlir::failed(checkOperands(g, a, lhsType, rhsType)))
    return failure();
  FailureOr<DType> element = getResultElement(g, a, lhsType.element);
  if (mlir::failed(element))
    return failure();
  Type resultType(*element, lhsType.shape);
  resultType.shape.back() = rhsType.shape.back();
  if (mlir::failed(g.checkShape(resultType.shape, a.range)))
    return failure();
  FailureOr<Value> acc = getAccumulator(g, a, resultType);
  FailureOr<DotPrecision> precision = getPrecision(g, a);
  FailureOr<mlir::IntegerAttr> maxImprecise =
      getMaxImprecise(g, a, lhsType.element, lhsType.shape.back());
  if (mlir::failed(acc) || mlir::failed(precision) || mlir::failed(maxImprecise))
    return failure();
  for (Value *value : {&*lhs, &*rhs, &*acc}) {
    FailureOr<Value> flat = flattenBatch(g, *value, a.range);
    if (mlir::failed(flat))
      return failure();
    *value = *flat;
  }
  // Only products of f32 have a choice.
  bool isFloat32 = lhsType.element.is(ScalarKind::FP32);
  if (isFloat32 && precision->numProducts > 0) {
    FailureOr<Value> product = emitSplitDot(g, *lhs, *rhs, *acc, precision->numProducts, a.range);
    return mlir::failed(product)
               ? product
               : g.reshape(*product, resultType.shape, /*allowReorder=*/false, a.range);
  }
  tile::InputPrecision used = isFloat32 ? precision->operation : tile::InputPrecision::tf32;
  const RuntimeValue &start = *acc->getRuntime();
  Value product = g.emit<tile::DotOp>(start.type, g.lower(start.type), lhs->getRuntime()->value,
                                      rhs->getRuntime()->value, start.value, used, *maxImprecise,
                                      lhsType.element.is(ScalarKind::UInt8));
  return g.reshape(product, resultType.shape, /*allowReorder=*/false, a.range);
}

constexpr Handler matrixHandlers[] = {
    {"dot", inLanguage, genDot},
};

} // namespace

llvm::ArrayRef<Handler> getMatrixHandlers() { return matrixHandlers; }

} // namespace tilec::irgen
