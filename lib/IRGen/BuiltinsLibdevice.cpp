// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libdevice, as operations of the math dialect: which library or instruction serves
// them is decided for each target later.

#include "MathBuiltins.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {

static llvm::ArrayRef<Builtin> getPlainLibdeviceBuiltins();

namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;

FailureOr<Value> genPow(Generator &g, const BoundArgs &a) {
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

FailureOr<Value> genFma(Generator &g, const BoundArgs &a) {
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

FailureOr<Value> genAbs(Generator &g, const BoundArgs &a) {
  return g.call(BuiltinValue{findBuiltin("abs", inLanguage)},
                Generator::CallArg{"", a[0].value, a[0].range}, a.range);
}

template <typename OpT> FailureOr<Value> genIntUnary(Generator &g, const BoundArgs &a) {
  FailureOr<Value> x = g.toRuntime(a[0].value, a[0].range);
  if (mlir::failed(x))
    return failure();
  const Type type = x->getRuntime()->type;
  if (!type.element.isInt() || type.element.getBitWidth() < 32)
    return g.error(a[0].range, "'" + a.builtin->getDisplayName() +
                                   "' needs 32- or 64-bit integers, got " + type.str());
  Value result = g.emit<OpT>(type, x->getRuntime()->value);
  return g.cast(result, ScalarKind::Int32, a.range);
}

/// A function of the library whose arguments behind the first few the builtin's name gives.
FailureOr<Value> callLibrary(Generator &g, const BoundArgs &a, llvm::StringRef function,
                             llvm::ArrayRef<Value> constants) {
  const SourceModule &library = getLibraryModule();
  const ModuleBinding *binding = library.scope.find(function);
  if (!binding || !binding->function)
    return g.error(a.range, "'" + a.builtin->getDisplayName() + "' is not supported");
  std::vector<Generator::CallArg> args;
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

/// Every arithmetic operation and every conversion with every rounding that libdevice has.
llvm::ArrayRef<Builtin> getRoundedBuiltins() {
  static const std::vector<Builtin> builtins = [] {
    static constexpr llvm::StringRef modes[] = {"rn", "rz", "rd", "ru"};
    static constexpr llvm::StringRef conversions[] = {
        "double2float", "double2int", "double2uint", "double2ll",  "double2ull", "float2int",
        "float2uint",   "float2ll",   "float2ull",   "int2float",  "uint2float", "ll2float",
        "ull2float",    "ll2double",  "ull2double",  "int2double", "uint2double"};
    static constexpr std::pair<llvm::StringRef, llvm::StringRef> operations[] = {
        {"add", "x y"},   {"sub", "x y"}, {"mul", "x y"}, {"div", "x y"},
        {"fma", "x y z"}, {"rcp", "x"},   {"sqrt", "x"},  {"rsqrt", "x"}};
    // Names live as long as the list.
    static std::vector<std::unique_ptr<std::string>> names;
    std::vector<Builtin> list;
    auto add = [&](llvm::StringRef name, llvm::StringRef mode, llvm::StringRef params,
                   BuiltinHandler handler) {
      names.push_back(std::make_unique<std::string>((name + "_" + mode).str()));
      // A few are there already, as operations.
      for (const Builtin &known : getPlainLibdeviceBuiltins())
        if (known.name == *names.back())
          return;
      list.push_back({*names.back(), params, inLibdevice, handler});
    };
    for (llvm::StringRef mode : modes) {
      for (llvm::StringRef name : conversions)
        add(name, mode, "x", genConversion);
      for (const auto &[name, params] : operations)
        if (name != "rsqrt" || mode == "rn")
          add(name, mode, params, genDirected);
    }
    return list;
  }();
  return builtins;
}

constexpr Builtin libdeviceBuiltins[] = {
    {"abs", "x", inLibdevice, genAbs},
    {"fabs", "x", inLibdevice, genAbs},
    {"acos", "x", inLibdevice, genFloatUnary<math::AcosOp>},
    {"acosh", "x", inLibdevice, genFloatUnary<math::AcoshOp>},
    {"asin", "x", inLibdevice, genFloatUnary<math::AsinOp>},
    {"asinh", "x", inLibdevice, genFloatUnary<math::AsinhOp>},
    {"atan", "x", inLibdevice, genFloatUnary<math::AtanOp>},
    {"atan2", "x y", inLibdevice, genFloatBinary<math::Atan2Op>},
    {"atanh", "x", inLibdevice, genFloatUnary<math::AtanhOp>},
    {"cbrt", "x", inLibdevice, genFloatUnary<math::CbrtOp>},
    {"ceil", "x", inLibdevice, genFloatUnary<math::CeilOp>},
    {"copysign", "x y", inLibdevice, genFloatBinary<math::CopySignOp>},
    {"cos", "x", inLibdevice, genFloatUnary<math::CosOp>},
    {"cosh", "x", inLibdevice, genFloatUnary<math::CoshOp>},
    {"div_rn", "x y", inLibdevice, genDivRn},
    {"erf", "x", inLibdevice, genFloatUnary<math::ErfOp>},
    {"erfc", "x", inLibdevice, genFloatUnary<math::ErfcOp>},
    {"exp", "x", inLibdevice, genFloatUnary<math::ExpOp>},
    {"exp2", "x", inLibdevice, genFloatUnary<math::Exp2Op>},
    {"expm1", "x", inLibdevice, genFloatUnary<math::ExpM1Op>},
    {"fast_cosf", "x", inLibdevice, genFloatUnary<math::CosOp>},
    {"fast_dividef", "x y", inLibdevice, genFDiv},
    {"fast_expf", "x", inLibdevice, genFloatUnary<math::ExpOp>},
    {"fast_log2f", "x", inLibdevice, genFloatUnary<math::Log2Op>},
    {"fast_logf", "x", inLibdevice, genFloatUnary<math::LogOp>},
    {"fast_powf", "x y", inLibdevice, genPow},
    {"fast_sinf", "x", inLibdevice, genFloatUnary<math::SinOp>},
    {"finitef", "x", inLibdevice, genIsFinite},
    {"floor", "x", inLibdevice, genFloatUnary<math::FloorOp>},
    {"fma", "x y z", inLibdevice, genFma},
    {"fmod", "x y", inLibdevice, genFloatBinary<arith::RemFOp>},
    {"isfinited", "x", inLibdevice, genIsFinite},
    {"isinf", "x", inLibdevice, genIsInf},
    {"isnan", "x", inLibdevice, genIsNan},
    {"llrint", "x", inLibdevice, genRoundToInt<ScalarKind::Int64>},
    {"log", "x", inLibdevice, genFloatUnary<math::LogOp>},
    {"log10", "x", inLibdevice, genFloatUnary<math::Log10Op>},
    {"log1p", "x", inLibdevice, genFloatUnary<math::Log1pOp>},
    {"log2", "x", inLibdevice, genFloatUnary<math::Log2Op>},
    {"max", "x y", inLibdevice, genFloatBinary<arith::MaxNumFOp>},
    {"min", "x y", inLibdevice, genFloatBinary<arith::MinNumFOp>},
    {"clz", "x", inLibdevice, genIntUnary<math::CountLeadingZerosOp>},
    {"popc", "x", inLibdevice, genIntUnary<math::CtPopOp>},
    {"nearbyint", "x", inLibdevice, genFloatUnary<math::RoundEvenOp>},
    {"pow", "x y", inLibdevice, genPow},
    {"rint", "x", inLibdevice, genFloatUnary<math::RoundEvenOp>},
    {"round", "x", inLibdevice, genFloatUnary<math::RoundOp>},
    {"rsqrt", "x", inLibdevice, genFloatUnary<math::RsqrtOp>},
    {"sin", "x", inLibdevice, genFloatUnary<math::SinOp>},
    {"sinh", "x", inLibdevice, genFloatUnary<math::SinhOp>},
    {"sqrt", "x", inLibdevice, genFloatUnary<math::SqrtOp>},
    {"sqrt_rn", "x", inLibdevice, genSqrtRn},
    {"tan", "x", inLibdevice, genFloatUnary<math::TanOp>},
    {"tanh", "x", inLibdevice, genFloatUnary<math::TanhOp>},
    {"trunc", "x", inLibdevice, genFloatUnary<math::TruncOp>},
};

} // namespace

static llvm::ArrayRef<Builtin> getPlainLibdeviceBuiltins() { return libdeviceBuiltins; }

llvm::ArrayRef<Builtin> getLibdeviceBuiltins() {
  static const std::vector<Builtin> all = [] {
    std::vector<Builtin> list(std::begin(libdeviceBuiltins), std::end(libdeviceBuiltins));
    llvm::append_range(list, getRoundedBuiltins());
    return list;
  }();
  return all;
}

} // namespace tilec::irgen
