// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations of tl and tl.math.

#include "MathBuiltins.h"

namespace tilec::irgen {

namespace arith = mlir::arith;
namespace math = mlir::math;

FailureOr<Value> getFloatOperand(Generator &g, const BoundArgs &a, unsigned index) {
  const BoundArg &arg = a[index];
  // Compile-time integers are meant as numbers, not as int32.
  if (arg.value.isNumber() && !arg.value.getConstant()->isFloat())
    return g.cast(arg.value, ScalarKind::FP32, arg.range);
  FailureOr<Value> operand = g.toRuntime(arg.value, arg.range);
  if (mlir::failed(operand))
    return failure();
  DType type = operand->getRuntime()->type.element;
  if (!type.is(ScalarKind::FP32) && !type.is(ScalarKind::FP64))
    return g.error(arg.range, "expected fp32 or fp64 for '" + a.builtin->getDisplayName() +
                                  "', got " + type.str() + "; cast with .to(tl.float32)");
  return operand;
}

LogicalResult unifyOperands(Generator &g, llvm::MutableArrayRef<Value> operands,
                            SourceRange range) {
  // Twice around, so that the first operand sees the type of the last.
  for (int round = 0; round < 2; ++round)
    for (size_t i = 1; i < operands.size(); ++i)
      if (mlir::failed(g.unifyElements(operands[0], operands[i], /*relaxed=*/true,
                                       /*isDivision=*/false, range)))
        return failure();
  return g.unifyShapes(operands, range);
}

namespace {

FailureOr<Value> genAbs(Generator &g, const BoundArgs &a) {
  if (a[0].value.isNumber()) {
    const Constant &number = *a[0].value.getConstant();
    bool negative =
        number.isFloat() ? std::signbit(number.getFloat()) : number.toInt().isNegative();
    return negative ? g.unary(ast::UnaryOp::Minus, a[0].value, a.range) : a[0].value;
  }
  FailureOr<Value> operand = g.toRuntime(a[0].value, a[0].range);
  if (mlir::failed(operand))
    return failure();
  const RuntimeValue &runtime = *operand->getRuntime();
  DType type = runtime.type.element;
  if (type.isPointer())
    return g.error(a[0].range, "'tl.abs' is not defined for " + runtime.type.str());
  if (type.isFP8()) {
    Type wide = runtime.type.withElement(ScalarKind::FP32);
    FailureOr<Value> value = g.cast(*operand, ScalarKind::FP32, a.range);
    return g.cast(g.emit<math::AbsFOp>(wide, value->getRuntime()->value), type, a.range);
  }
  if (type.isFloat())
    return g.emit<math::AbsFOp>(runtime.type, runtime.value);
  if (type.isSignedInt())
    return g.emit<math::AbsIOp>(runtime.type, runtime.value);
  return *operand;
}

/// Operands of minimum and maximum: literals take their own type, bf16 is computed in fp32.
LogicalResult getMinMaxOperands(Generator &g, const BoundArgs &a, Value (&operands)[2]) {
  for (unsigned i = 0; i < 2; ++i) {
    FailureOr<Value> operand = g.toRuntime(a[i].value, a[i].range);
    if (mlir::failed(operand))
      return failure();
    if (operand->getRuntime()->type.element.is(ScalarKind::BF16))
      operand = g.cast(*operand, ScalarKind::FP32, a.range);
    operands[i] = *operand;
  }
  if (mlir::failed(g.unifyElements(operands[0], operands[1], /*relaxed=*/false,
                                   /*isDivision=*/false, a.range)))
    return failure();
  return g.unifyShapes(operands, a.range);
}

FailureOr<bool> getPropagateNan(Generator &g, const BoundArgs &a, unsigned index) {
  if (!a.has(index))
    return false;
  FailureOr<std::string> text = g.toString(a[index].value, a[index].range, "'propagate_nan'");
  if (mlir::failed(text))
    return failure();
  if (*text != "all" && *text != "none")
    return g.error(a[index].range, "propagate_nan '" + *text + "' is none of 'none', 'all'");
  return *text == "all";
}

template <bool isMax>
Value emitMinMax(Generator &g, const Value &lhs, const Value &rhs, bool propagateNan) {
  const Type type = lhs.getRuntime()->type;
  mlir::Value a = lhs.getRuntime()->value, b = rhs.getRuntime()->value;
  if (type.element.isFloat()) {
    if (propagateNan)
      return isMax ? g.emit<arith::MaximumFOp>(type, a, b) : g.emit<arith::MinimumFOp>(type, a, b);
    return isMax ? g.emit<arith::MaxNumFOp>(type, a, b) : g.emit<arith::MinNumFOp>(type, a, b);
  }
  if (type.element.isSignedInt())
    return isMax ? g.emit<arith::MaxSIOp>(type, a, b) : g.emit<arith::MinSIOp>(type, a, b);
  return isMax ? g.emit<arith::MaxUIOp>(type, a, b) : g.emit<arith::MinUIOp>(type, a, b);
}

template <bool isMax> FailureOr<Value> genMinMax(Generator &g, const BoundArgs &a) {
  Value operands[2];
  FailureOr<bool> propagateNan = getPropagateNan(g, a, 2);
  if (mlir::failed(propagateNan) || mlir::failed(getMinMaxOperands(g, a, operands)))
    return failure();
  DType type = operands[0].getRuntime()->type.element;
  if (type.isPointer())
    return g.error(a.range, "'" + a.builtin->getDisplayName() + "' is not defined for pointers");
  if (type.isFP8())
    for (Value &operand : operands)
      operand = *g.cast(operand, ScalarKind::FP32, a.range);
  Value result = emitMinMax<isMax>(g, operands[0], operands[1], *propagateNan);
  return g.cast(result, type, a.range);
}

FailureOr<Value> genClamp(Generator &g, const BoundArgs &a) {
  FailureOr<bool> propagateNan = getPropagateNan(g, a, 3);
  if (mlir::failed(propagateNan))
    return failure();
  Value operands[] = {a[0].value, a[1].value, a[2].value};
  FailureOr<Value> x = g.toRuntime(operands[0], a[0].range);
  if (mlir::failed(x))
    return failure();
  operands[0] = *x;
  if (mlir::failed(unifyOperands(g, operands, a.range)))
    return failure();
  DType type = operands[0].getRuntime()->type.element;
  if (type.isFP8() || type.isPointer() || type.isBool())
    return g.error(a.range, "'tl.clamp' is not defined for " + type.str());
  Value low = emitMinMax</*isMax=*/true>(g, operands[0], operands[1], *propagateNan);
  return emitMinMax</*isMax=*/false>(g, low, operands[2], *propagateNan);
}

FailureOr<Value> genWhere(Generator &g, const BoundArgs &a) {
  const RuntimeValue *chooser = a[0].value.getRuntime();
  if (chooser && !chooser->type.element.isBool() && !chooser->type.element.isPointer())
    g.warn(warnings::kWhereCondition, a[0].range,
           "the condition of 'tl.where' is a value of type " + a[0].value.describe() +
               ", of which anything but zero is true; say so with != 0");
  FailureOr<Value> condition = g.cast(a[0].value, ScalarKind::Int1, a[0].range);
  if (mlir::failed(condition))
    return failure();
  Value operands[] = {*condition, a[1].value, a[2].value};
  auto getKind = [](const Value &value) {
    return value.isRuntime() ? value.getRuntime()->type.element : DType();
  };
  DType left = getKind(operands[1]), right = getKind(operands[2]);
  if (left.isPointer() || right.isPointer()) {
    if (left.getKind() != right.getKind() || left.isPointer() != right.isPointer())
      return g.error(a.range, "'tl.where' needs two pointers of one type, got " +
                                  a[1].value.describe() + " and " + a[2].value.describe());
  } else if (mlir::failed(g.unifyElements(operands[1], operands[2], /*relaxed=*/true,
                                          /*isDivision=*/false, a.range))) {
    return failure();
  }
  if (mlir::failed(g.unifyShapes(operands, a.range)))
    return failure();
  return g.emit<arith::SelectOp>(operands[1].getRuntime()->type, operands[0].getRuntime()->value,
                                 operands[1].getRuntime()->value, operands[2].getRuntime()->value);
}

FailureOr<Value> genFma(Generator &g, const BoundArgs &a) {
  Value operands[] = {a[0].value, a[1].value, a[2].value};
  for (unsigned i = 0; i < 3; ++i)
    if (!operands[i].isRuntime() && !operands[i].isNumber())
      return g.errorNoOperand(operands[i], a[i].range);
  // Let a runtime operand decide the type of literals.
  if (!operands[0].isRuntime()) {
    FailureOr<Value> first = g.toRuntime(operands[0], a[0].range);
    if (mlir::failed(first))
      return failure();
    operands[0] = *first;
  }
  if (mlir::failed(unifyOperands(g, operands, a.range)))
    return failure();
  const Type type = operands[0].getRuntime()->type;
  if (!type.element.isFloat() || type.element.isFP8())
    return g.error(a.range, "'tl.fma' needs floats of 16 bits or more, got " + type.str());
  return g.emit<math::FmaOp>(type, operands[0].getRuntime()->value, operands[1].getRuntime()->value,
                             operands[2].getRuntime()->value);
}

FailureOr<Value> genUMulHi(Generator &g, const BoundArgs &a) {
  Value operands[] = {a[0].value, a[1].value};
  for (unsigned i = 0; i < 2; ++i) {
    FailureOr<Value> operand = g.toRuntime(operands[i], a[i].range);
    if (mlir::failed(operand))
      return failure();
  }
  if (mlir::failed(g.unifyElements(operands[0], operands[1], /*relaxed=*/true,
                                   /*isDivision=*/false, a.range)) ||
      mlir::failed(g.unifyShapes(operands, a.range)))
    return failure();
  const Type type = operands[0].getRuntime()->type;
  if (!type.element.isInt() || type.element.getBitWidth() < 32)
    return g.error(a.range, "'tl.umulhi' needs 32- or 64-bit integers, got " + type.str());
  return g.emit<tile::UMulHiOp>(type, operands[0].getRuntime()->value,
                                operands[1].getRuntime()->value);
}

template <ast::BinaryOp op> FailureOr<Value> genBinary(Generator &g, const BoundArgs &a) {
  FailureOr<bool> isChecked = true;
  if (a.has(2))
    isChecked = g.toBool(a[2].value, a[2].range, "'sanitize_overflow'");
  if (mlir::failed(isChecked))
    return failure();
  return g.binary(op, a[0].value, a[1].value, a.range, *isChecked);
}

template <ast::BoolOpKind op> FailureOr<Value> genLogical(Generator &g, const BoundArgs &a) {
  return g.logical(op, a[0].value, a[1].value, a.range);
}

FailureOr<Value> genLogicalNot(Generator &g, const BoundArgs &a) {
  return g.logicalNot(a[0].value, a.range);
}

FailureOr<Value> genExpectZero(Generator &g, const BoundArgs &a) { return a[0].value; }

constexpr Handler mathHandlers[] = {
    {"exp", inLanguage, genFloatUnary<math::ExpOp>},
    {"exp2", inLanguage, genFloatUnary<math::Exp2Op>},
    {"log", inLanguage, genFloatUnary<math::LogOp>},
    {"log2", inLanguage, genFloatUnary<math::Log2Op>},
    {"sin", inLanguage, genFloatUnary<math::SinOp>},
    {"cos", inLanguage, genFloatUnary<math::CosOp>},
    {"sqrt", inLanguage, genFloatUnary<math::SqrtOp>},
    {"rsqrt", inLanguage, genFloatUnary<math::RsqrtOp>},
    {"erf", inLanguage, genFloatUnary<math::ErfOp>},
    {"tanh", inLanguage, genFloatUnary<math::TanhOp>},
    {"floor", inLanguage, genFloatUnary<math::FloorOp>},
    {"ceil", inLanguage, genFloatUnary<math::CeilOp>},
    {"sqrt_rn", inLanguage, genSqrtRn},
    {"div_rn", inLanguage, genDivRn},
    {"fdiv", inLanguage, genFDiv},
    {"abs", inLanguage, genAbs},
    {"fma", inLanguage, genFma},
    {"umulhi", inLanguage, genUMulHi},
    {"minimum", inLanguage, genMinMax<false>},
    {"maximum", inLanguage, genMinMax<true>},
    {"min", inMath, genMinMax<false>},
    {"max", inMath, genMinMax<true>},
    {"clamp", inLanguage, genClamp},
    {"where", inLanguage, genWhere},
    {"add", inLanguage, genBinary<ast::BinaryOp::Add>},
    {"sub", inLanguage, genBinary<ast::BinaryOp::Sub>},
    {"mul", inLanguage, genBinary<ast::BinaryOp::Mul>},
    {"logical_and", inLanguage, genLogical<ast::BoolOpKind::And>},
    {"logical_or", inLanguage, genLogical<ast::BoolOpKind::Or>},
    {"logical_not", inLanguage, genLogicalNot},
    {"expect_zero", inLanguage, genExpectZero},
};

} // namespace

FailureOr<Value> genSqrtRn(Generator &g, const BoundArgs &a) {
  FailureOr<Value> operand = getFloatOperand(g, a, 0);
  if (mlir::failed(operand))
    return failure();
  const RuntimeValue &runtime = *operand->getRuntime();
  if (runtime.type.element.is(ScalarKind::FP64))
    return g.emit<math::SqrtOp>(runtime.type, runtime.value);
  return g.emit<tile::PreciseSqrtOp>(runtime.type, runtime.value);
}

static FailureOr<Value> divide(Generator &g, const BoundArgs &a, bool precise,
                               bool approximate = false) {
  Value operands[] = {a[0].value, a[1].value};
  bool anyFloat = false;
  for (Value &operand : operands) {
    bool isFloat = operand.isRuntime() ? operand.getRuntime()->type.element.isFloat()
                                       : operand.isNumber() && operand.getConstant()->isFloat();
    anyFloat |= isFloat;
  }
  if (!anyFloat)
    return g.error(a.range, "'" + a.builtin->getDisplayName() + "' needs floats, got " +
                                a[0].value.describe() + " and " + a[1].value.describe());
  if (!operands[0].isRuntime() && !operands[1].isRuntime()) {
    FailureOr<Value> first = g.toRuntime(operands[0], a[0].range);
    if (mlir::failed(first))
      return failure();
    operands[0] = *first;
  }
  if (mlir::failed(g.unifyElements(operands[0], operands[1], /*relaxed=*/true,
                                   /*isDivision=*/true, a.range)) ||
      mlir::failed(g.unifyShapes(operands, a.range)))
    return failure();
  const Type type = operands[0].getRuntime()->type;
  mlir::Value x = operands[0].getRuntime()->value, y = operands[1].getRuntime()->value;
  if (approximate && !type.element.is(ScalarKind::FP32))
    return g.error(a.range, "'" + a.builtin->getDisplayName() +
                                "' with approx=True needs fp32, got " + type.element.str());
  if (approximate)
    return g.emit<arith::DivFOp>(type, x, y, arith::FastMathFlags::arcp);
  // fp64 division is always rounded correctly.
  if (precise && type.element.is(ScalarKind::FP32))
    return g.emit<tile::PreciseDivFOp>(type, x, y);
  return g.emit<arith::DivFOp>(type, x, y);
}

FailureOr<Value> genDivRn(Generator &g, const BoundArgs &a) {
  return divide(g, a, /*precise=*/true);
}

FailureOr<Value> genFDiv(Generator &g, const BoundArgs &a) {
  FailureOr<bool> precise = false;
  if (a.args.size() > 2 && a.has(2))
    precise = g.toBool(a[2].value, a[2].range, "'ieee_rounding'");
  FailureOr<bool> approximate = false;
  if (a.args.size() > 3 && a.has(3))
    approximate = g.toBool(a[3].value, a[3].range, "'approx'");
  if (mlir::failed(precise) || mlir::failed(approximate))
    return failure();
  if (*precise && *approximate)
    return g.error(a[3].range, "'ieee_rounding' and 'approx' exclude each other");
  return divide(g, a, *precise, *approximate);
}

llvm::ArrayRef<Handler> getMathHandlers() { return mathHandlers; }

} // namespace tilec::irgen
