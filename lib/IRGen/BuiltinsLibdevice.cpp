// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libdevice, as operations of the math dialect: which library or instruction serves
// them is decided for each target later.

#include "MathBuiltins.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {

namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;

FailureOr<Value> genLibdevicePow(Generator &g, const BoundArgs &a) {
  const RuntimeValue *exponent = a[1].value.getRuntime();
  if (!exponent || !exponent->type.element.isInt())
    return genFloatBinary<math::PowFOp>(g, a);
  FailureOr<Value> base = getFloatOperand(g, a, 0);
  FailureOr<Value> power = g.cast(a[1].value, ScalarKind::Int32, a[1].range);
  if (mlir::failed(base) || mlir::failed(power))
    return failure();
  Value operands[] = {*base, *power};
  if (mlir::failed(g.unifyShapes(operands, a.range)))
    return failure();
  return g.emit<math::FPowIOp>(operands[0].getRuntime()->type, operands[0].getRuntime()->value,
                               operands[1].getRuntime()->value);
}

FailureOr<Value> genLibdeviceFma(Generator &g, const BoundArgs &a) {
  FailureOr<Value> first = getFloatOperand(g, a, 0);
  if (mlir::failed(first))
    return failure();
  Value operands[] = {*first, a[1].value, a[2].value};
  if (mlir::failed(unifyOperands(g, operands, a.range)))
    return failure();
  return g.emit<math::FmaOp>(operands[0].getRuntime()->type, operands[0].getRuntime()->value,
                             operands[1].getRuntime()->value, operands[2].getRuntime()->value);
}

FailureOr<Value> genIsNan(Generator &g, const BoundArgs &a) {
  FailureOr<Value> x = getFloatOperand(g, a, 0);
  if (mlir::failed(x))
    return failure();
  return g.emitCompare(ast::CompareOp::NotEq, *x, *x);
}

/// |x| compared with infinity.
FailureOr<Value> compareWithInfinity(Generator &g, const BoundArgs &a, ast::CompareOp op) {
  FailureOr<Value> x = getFloatOperand(g, a, 0);
  if (mlir::failed(x))
    return failure();
  const Type type = x->getRuntime()->type;
  Value magnitude = g.emit<math::AbsFOp>(type, x->getRuntime()->value);
  FailureOr<Value> infinity = g.makeConstant(Constant(HUGE_VAL), type.element, a.range);
  if (mlir::failed(infinity))
    return failure();
  return g.emitCompare(op, magnitude, g.splat(*infinity, type.shape));
}

FailureOr<Value> genIsInf(Generator &g, const BoundArgs &a) {
  return compareWithInfinity(g, a, ast::CompareOp::Eq);
}

FailureOr<Value> genIsFinite(Generator &g, const BoundArgs &a) {
  return compareWithInfinity(g, a, ast::CompareOp::Lt);
}

/// Rounds to an integer of 32 or 64 bits, ties to even.
template <ScalarKind kind> FailureOr<Value> genRoundToInt(Generator &g, const BoundArgs &a) {
  FailureOr<Value> x = getFloatOperand(g, a, 0);
  if (mlir::failed(x))
    return failure();
  const Type type = x->getRuntime()->type;
  return g.cast(g.emit<math::RoundEvenOp>(type, x->getRuntime()->value), kind, a.range);
}

FailureOr<Value> genLibdeviceAbs(Generator &g, const BoundArgs &a) {
  return g.call(BuiltinValue{findBuiltin("abs", inLanguage)}, CallArg{"", a[0].value, a[0].range},
                a.range);
}

FailureOr<Value> getIntOperand(Generator &g, const BoundArgs &a) {
  FailureOr<Value> x = g.toRuntime(a[0].value, a[0].range);
  if (mlir::failed(x))
    return failure();
  const Type &type = x->getRuntime()->type;
  if (!type.element.isInt() || type.element.getBitWidth() < 32)
    return g.error(a[0].range, "'" + a.builtin->getDisplayName() +
                                   "' needs 32- or 64-bit integers, got " + type.str());
  return x;
}

/// A number of bits, as int32.
template <typename OpT> FailureOr<Value> genBitCount(Generator &g, const BoundArgs &a) {
  FailureOr<Value> x = getIntOperand(g, a);
  if (mlir::failed(x))
    return failure();
  Value result = g.emit<OpT>(x->getRuntime()->type, x->getRuntime()->value);
  return g.cast(result, ScalarKind::Int32, a.range);
}

FailureOr<Value> genBitReverse(Generator &g, const BoundArgs &a) {
  FailureOr<Value> x = getIntOperand(g, a);
  if (mlir::failed(x))
    return failure();
  return g.emit<tile::BitReverseOp>(x->getRuntime()->type, x->getRuntime()->value);
}

/// A function of the library whose arguments behind the first few the builtin's name gives.
FailureOr<Value> callLibrary(Generator &g, const BoundArgs &a, llvm::StringRef function,
                             llvm::ArrayRef<Value> constants) {
  const SourceModule &library = getLibraryModule();
  const ModuleBinding *binding = library.scope.find(function);
  if (!binding || !binding->function)
    return g.error(a.range, "'" + a.builtin->getDisplayName() + "' is not supported");
  std::vector<CallArg> args;
  for (const BoundArg &arg : a.args)
    args.push_back({"", arg.value, arg.range});
  for (const Value &constant : constants)
    args.push_back({"", constant, a.range});
  return g.call(FunctionValue{binding->function, &library}, args, a.range);
}

/// `float2int_rz(x)`: types and rounding are in the name.
FailureOr<Value> genConversion(Generator &g, const BoundArgs &a) {
  auto [types, mode] = a.builtin->name.rsplit('_');
  auto [from, to] = types.split('2');
  auto findType = [](llvm::StringRef word) {
    return Value(Constant(DType(llvm::StringSwitch<ScalarKind>(word)
                                    .Case("float", ScalarKind::FP32)
                                    .Case("double", ScalarKind::FP64)
                                    .Case("int", ScalarKind::Int32)
                                    .Case("uint", ScalarKind::UInt32)
                                    .Case("ll", ScalarKind::Int64)
                                    .Default(ScalarKind::UInt64))));
  };
  return callLibrary(g, a, "_lib_convert",
                     {findType(from), findType(to), Value(Constant(mode.str()))});
}

/// `add_rd(x, y)`.
FailureOr<Value> genDirected(Generator &g, const BoundArgs &a) {
  auto [name, mode] = a.builtin->name.rsplit('_');
  return callLibrary(g, a, ("_lib_" + name).str(), {Value(Constant(mode.str()))});
}

constexpr Handler libdeviceHandlers[] = {
    {"abs", inLibdevice, genLibdeviceAbs},
    {"fabs", inLibdevice, genLibdeviceAbs},
    {"acos", inLibdevice, genFloatUnary<math::AcosOp>},
    {"acosh", inLibdevice, genFloatUnary<math::AcoshOp>},
    {"asin", inLibdevice, genFloatUnary<math::AsinOp>},
    {"asinh", inLibdevice, genFloatUnary<math::AsinhOp>},
    {"atan", inLibdevice, genFloatUnary<math::AtanOp>},
    {"atan2", inLibdevice, genFloatBinary<math::Atan2Op>},
    {"atanh", inLibdevice, genFloatUnary<math::AtanhOp>},
    {"cbrt", inLibdevice, genFloatUnary<math::CbrtOp>},
    {"ceil", inLibdevice, genFloatUnary<math::CeilOp>},
    {"copysign", inLibdevice, genFloatBinary<math::CopySignOp>},
    {"cos", inLibdevice, genFloatUnary<math::CosOp>},
    {"cosh", inLibdevice, genFloatUnary<math::CoshOp>},
    {"div_rn", inLibdevice, genDivRn},
    {"erf", inLibdevice, genFloatUnary<math::ErfOp>},
    {"erfc", inLibdevice, genFloatUnary<math::ErfcOp>},
    {"exp", inLibdevice, genFloatUnary<math::ExpOp>},
    {"exp2", inLibdevice, genFloatUnary<math::Exp2Op>},
    {"expm1", inLibdevice, genFloatUnary<math::ExpM1Op>},
    {"fast_cosf", inLibdevice, genFloatUnary<math::CosOp>},
    {"fast_dividef", inLibdevice, genFDiv},
    {"fast_expf", inLibdevice, genFloatUnary<math::ExpOp>},
    {"fast_log2f", inLibdevice, genFloatUnary<math::Log2Op>},
    {"fast_logf", inLibdevice, genFloatUnary<math::LogOp>},
    {"fast_powf", inLibdevice, genLibdevicePow},
    {"fast_sinf", inLibdevice, genFloatUnary<math::SinOp>},
    {"finitef", inLibdevice, genIsFinite},
    {"floor", inLibdevice, genFloatUnary<math::FloorOp>},
    {"fma", inLibdevice, genLibdeviceFma},
    {"fmod", inLibdevice, genFloatBinary<arith::RemFOp>},
    {"isfinited", inLibdevice, genIsFinite},
    {"isinf", inLibdevice, genIsInf},
    {"isnan", inLibdevice, genIsNan},
    {"llrint", inLibdevice, genRoundToInt<ScalarKind::Int64>},
    {"log", inLibdevice, genFloatUnary<math::LogOp>},
    {"log10", inLibdevice, genFloatUnary<math::Log10Op>},
    {"log1p", inLibdevice, genFloatUnary<math::Log1pOp>},
    {"log2", inLibdevice, genFloatUnary<math::Log2Op>},
    {"max", inLibdevice, genFloatBinary<arith::MaxNumFOp>},
    {"min", inLibdevice, genFloatBinary<arith::MinNumFOp>},
    {"clz", inLibdevice, genBitCount<math::CountLeadingZerosOp>},
    {"popc", inLibdevice, genBitCount<math::CtPopOp>},
    {"brev", inLibdevice, genBitReverse},
    {"nearbyint", inLibdevice, genFloatUnary<math::RoundEvenOp>},
    {"pow", inLibdevice, genLibdevicePow},
    {"rint", inLibdevice, genFloatUnary<math::RoundEvenOp>},
    {"round", inLibdevice, genFloatUnary<math::RoundOp>},
    {"rsqrt", inLibdevice, genFloatUnary<math::RsqrtOp>},
    {"sin", inLibdevice, genFloatUnary<math::SinOp>},
    {"sinh", inLibdevice, genFloatUnary<math::SinhOp>},
    {"sqrt", inLibdevice, genFloatUnary<math::SqrtOp>},
    {"sqrt_rn", inLibdevice, genSqrtRn},
    {"tan", inLibdevice, genFloatUnary<math::TanOp>},
    {"tanh", inLibdevice, genFloatUnary<math::TanhOp>},
    {"trunc", inLibdevice, genFloatUnary<math::TruncOp>},
};

} // namespace

llvm::ArrayRef<Handler> getLibdeviceHandlers() {
  static const std::vector<Handler> all = [] {
    std::vector<Handler> list(std::begin(libdeviceHandlers), std::end(libdeviceHandlers));
    // Every arithmetic operation and every conversion with a rounding; a few are operations.
    for (const LanguageFunction &row : getLanguage()) {
      bool isRounded = llvm::is_contained({"rn", "rz", "rd", "ru"}, row.name.rsplit('_').second);
      if (isRounded && row.places & inLibdevice && row.name != "div_rn" && row.name != "sqrt_rn")
        list.push_back(
            {row.name, inLibdevice, row.name.contains('2') ? genConversion : genDirected});
    }
    return list;
  }();
  return all;
}

} // namespace tilec::irgen
