// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mathematics: approximate instructions become LLVM's intrinsics, `__tilec_math_NAME_TYPE` becomes
// the C library's function of that name.

#include "SimBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;
using namespace tilec;

constexpr llvm::StringLiteral mathPrefix = "__tilec_math_";

/// Functions of the C library that a kernel may call, by their f64 names.
constexpr llvm::StringLiteral libraryFunctions[] = {
    "acos",      "acosh",     "asin",  "asinh",     "atan",  "atan2", "atanh",     "cbrt",  "ceil",
    "copysign",  "cos",       "cosh",  "erf",       "erfc",  "exp",   "exp10",     "exp2",  "expm1",
    "fabs",      "fdim",      "floor", "fma",       "fmax",  "fmin",  "fmod",      "hypot", "ilogb",
    "j0",        "j1",        "ldexp", "lgamma",    "log",   "log10", "log1p",     "log2",  "logb",
    "nearbyint", "nextafter", "pow",   "remainder", "rint",  "round", "roundeven", "sin",   "sinh",
    "sqrt",      "tan",       "tanh",  "tgamma",    "trunc", "y0",    "y1"};

static Value floatConstant(Location loc, SimBuilder &b, Type type, double value) {
  TypedAttr attribute = b.rewriter.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return LLVM::ConstantOp::create(b.rewriter, loc, type, attribute);
}

static Value reciprocal(Location loc, SimBuilder &b, Value value) {
  return LLVM::FDivOp::create(b.rewriter, loc, floatConstant(loc, b, value.getType(), 1.0), value);
}

static Value reciprocalRoot(Location loc, SimBuilder &b, Value value) {
  return reciprocal(loc, b, LLVM::SqrtOp::create(b.rewriter, loc, value));
}

/// What an NVVM intrinsic computes: "ex2" for "llvm.nvvm.ex2.approx.ftz.f". Precision, flushing of
/// subnormals and types are dropped; rounding modes and saturation stay, and are then not found.
static std::string operationOf(StringRef intrinsic) {
  SmallVector<StringRef> parts;
  intrinsic.split(parts, '.');
  std::string name;
  for (StringRef part : parts) {
    bool isDetail = llvm::is_contained(
        {"approx", "full", "ftz", "rn", "f", "d", "f16", "bf16", "f32", "f64", "f16x2", "bf16x2"},
        part);
    if (!isDetail)
      name += (name.empty() ? "" : ".") + part.str();
  }
  return name;
}

/// The host's way to compute an NVVM intrinsic; null when there is none.
static Value computeIntrinsic(LLVM::CallIntrinsicOp op, StringRef name, SimBuilder &b) {
  Location loc = op.getLoc();
  auto args = op.getArgs();
  std::string operation = operationOf(name);
  auto isCase = [&](StringRef wanted, unsigned operands) {
    return operation == wanted && args.size() == operands;
  };
  if (isCase("ex2", 1))
    return LLVM::Exp2Op::create(b.rewriter, loc, args[0]);
  if (isCase("lg2", 1))
    return LLVM::Log2Op::create(b.rewriter, loc, args[0]);
  if (isCase("sqrt", 1))
    return LLVM::SqrtOp::create(b.rewriter, loc, args[0]);
  if (isCase("rsqrt", 1))
    return reciprocalRoot(loc, b, args[0]);
  if (isCase("rcp", 1))
    return reciprocal(loc, b, args[0]);
  if (isCase("div", 2))
    return LLVM::FDivOp::create(b.rewriter, loc, args[0], args[1]);
  if (isCase("sin", 1))
    return LLVM::SinOp::create(b.rewriter, loc, args[0]);
  if (isCase("cos", 1))
    return LLVM::CosOp::create(b.rewriter, loc, args[0]);
  if (isCase("tanh", 1))
    return LLVM::TanhOp::create(b.rewriter, loc, args[0]);
  if (isCase("fma", 3))
    return LLVM::FMAOp::create(b.rewriter, loc, args[0], args[1], args[2]);
  if (isCase("fmax", 2))
    return LLVM::MaxNumOp::create(b.rewriter, loc, args[0], args[1]);
  if (isCase("fmin", 2))
    return LLVM::MinNumOp::create(b.rewriter, loc, args[0], args[1]);
  if (isCase("fmax.nan", 2))
    return LLVM::MaximumOp::create(b.rewriter, loc, args[0], args[1]);
  if (isCase("fmin.nan", 2))
    return LLVM::MinimumOp::create(b.rewriter, loc, args[0], args[1]);
  return {};
}

static Lowered lowerIntrinsic(LLVM::CallIntrinsicOp op, SimBuilder &b) {
  StringRef name = op.getIntrin();
  std::string quoted = ("'" + name + "'").str();
  if (name.consume_front("llvm.nvvm.")) {
    Value value = op.getNumResults() == 1 ? computeIntrinsic(op, name, b) : Value();
    if (!value || value.getType() != op.getResult(0).getType())
      return reportUnsupported(op, "intrinsic " + quoted);
    b.rewriter.replaceOp(op, value);
    return Lowered::Yes;
  }
  llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(name);
  if (id == llvm::Intrinsic::not_intrinsic || llvm::Intrinsic::isTargetIntrinsic(id))
    return reportUnsupported(op, "intrinsic " + quoted);
  return Lowered::Yes;
}

/// `NAME_f32` to the C library's name; nothing when it has no such function.
static std::optional<std::string> libraryName(StringRef function) {
  bool isFloat = function.consume_back("_f32");
  if (!isFloat && !function.consume_back("_f64"))
    return std::nullopt;
  std::string name = function == "abs" ? "fabs" : function.str();
  if (!llvm::is_contained(libraryFunctions, name))
    return std::nullopt;
  return isFloat ? name + "f" : name;
}

static Lowered lowerCall(LLVM::CallOp op, SimBuilder &b) {
  std::optional<StringRef> callee = op.getCallee();
  if (!callee)
    return reportUnsupported(op, "an indirect call");
  StringRef name = *callee;
  if (!name.consume_front(mathPrefix)) {
    auto function = b.symbols.lookup<LLVM::LLVMFuncOp>(name);
    if (function && !function.isExternal())
      return Lowered::Yes;
    return reportUnsupported(op, "a call of the unknown function '" + name + "'");
  }
  auto args = op.getArgOperands();
  bool isReciprocalRoot = (name == "rsqrt_f32" || name == "rsqrt_f64") && args.size() == 1;
  if (isReciprocalRoot) {
    b.rewriter.replaceOp(op, reciprocalRoot(op.getLoc(), b, args[0]));
    return Lowered::Yes;
  }
  std::optional<std::string> host = libraryName(name);
  if (!host || op.getNumResults() != 1)
    return reportUnsupported(op, "a call of the unknown math function '" + name + "'");
  b.rewriter.replaceOp(op, b.callPure(op.getLoc(), *host, op.getResult().getType(), args));
  return Lowered::Yes;
}

Lowered tilec::lowerMath(Operation *op, SimBuilder &b) {
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](LLVM::CallIntrinsicOp call) { return lowerIntrinsic(call, b); })
      .Case([&](LLVM::CallOp call) { return lowerCall(call, b); })
      .Case([&](NVVM::RcpApproxFtzF32Op rcp) {
        b.rewriter.replaceOp(rcp, reciprocal(rcp.getLoc(), b, rcp.getArg()));
        return Lowered::Yes;
      })
      .Default([](Operation *) { return Lowered::No; });
}
