// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar math to GPU instructions where the language allows the approximate ones (f32 exp, exp2,
// log2, sqrt, rsqrt, division), to LLVM intrinsics that the back end expands exactly (fma, fabs,
// floor, ceil, ...), and to calls of
// `__tilec_math_NAME_TYPE` otherwise. f16 and bf16 go through f32.

#include "Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

/// Calls an LLVM intrinsic by name.
static Value callIntrinsic(OpBuilder &builder, Location loc, StringRef name, Type type,
                           ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, type, builder.getStringAttr(name), operands)
      .getResults();
}

/// Computes `emit` in f32 for the narrow float types.
static Value throughF32(OpBuilder &builder, Location loc, ValueRange operands, Type type,
                        llvm::function_ref<Value(ValueRange)> emit) {
  if (!type.isF16() && !type.isBF16())
    return emit(operands);
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(LLVM::FPExtOp::create(builder, loc, builder.getF32Type(), operand));
  return LLVM::FPTruncOp::create(builder, loc, type, emit(wide));
}

/// A declaration of `name` in the module, made on first use.
static LLVM::LLVMFuncOp declareMathFunction(Operation *op, OpBuilder &builder, StringRef name,
                                            LLVM::LLVMFunctionType type) {
  auto module = op->getParentOfType<ModuleOp>();
  if (auto existing = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return existing;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(builder, builder.getUnknownLoc(), name, type);
  function->setAttr("memory_effects", LLVM::MemoryEffectsAttr::get(builder.getContext(),
                                                                   {LLVM::ModRefInfo::NoModRef,
                                                                    LLVM::ModRefInfo::NoModRef,
                                                                    LLVM::ModRefInfo::NoModRef}));
  function.setNoUnwind(true);
  function.setWillReturn(true);
  return function;
}

namespace {
/// An approximate instruction for f32, another lowering for f64.
template <typename Op> struct ApproximateOp : ConvertOpToLLVMPattern<Op> {
  using Emit32 = std::function<Value(OpBuilder &, Location, ValueRange)>;
  ApproximateOp(const LLVMTypeConverter &types, Emit32 emitter)
      : ConvertOpToLLVMPattern<Op>(types, /*benefit=*/10), emit32(std::move(emitter)) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isa<FloatType>(type) || type.isF64())
      return rewriter.notifyMatchFailure(op, "only for f32 and narrower");
    rewriter.replaceOp(op, throughF32(rewriter, op.getLoc(), adaptor.getOperands(), type,
                                      [&](ValueRange operands) {
                                        return emit32(rewriter, op.getLoc(), operands);
                                      }));
    return success();
  }
  Emit32 emit32;
};

/// Whether it is 1 / (1 + exp(x)), a sigmoid: the divisor is no less than 1, and only reciprocals
/// that are subnormal, 0 for the instruction, are in the way of it.
static bool isSigmoid(arith::DivFOp op) {
  auto isExponential = [](Value value) {
    return isa_and_nonnull<math::ExpOp, math::Exp2Op>(value.getDefiningOp());
  };
  auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
  if (!op.getType().isF32() || !matchPattern(op.getLhs(), m_OneFloat()) || !sum)
    return false;
  return (matchPattern(sum.getLhs(), m_OneFloat()) && isExponential(sum.getRhs())) ||
         (matchPattern(sum.getRhs(), m_OneFloat()) && isExponential(sum.getLhs()));
}

/// Division off by 2 units in the last place; where an approximate reciprocal may be taken, for
/// divisors whose reciprocal is a normal number only.
struct Division : ConvertOpToLLVMPattern<arith::DivFOp> {
  Division(const LLVMTypeConverter &types) : ConvertOpToLLVMPattern(types, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isa<FloatType>(type) || type.isF64())
      return rewriter.notifyMatchFailure(op, "only for f32 and narrower");
    if (isSigmoid(op)) {
      rewriter.replaceOpWithNewOp<NVVM::RcpApproxFtzF32Op>(op, type, adaptor.getRhs());
      return success();
    }
    bool isApproximate = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp);
    rewriter.replaceOp(
        op,
        throughF32(rewriter, op.getLoc(), adaptor.getOperands(), type, [&](ValueRange operands) {
          return callIntrinsic(rewriter, op.getLoc(),
                               isApproximate ? "llvm.nvvm.div.approx.f" : "llvm.nvvm.div.full",
                               rewriter.getF32Type(), operands);
        }));
    return success();
  }
};

/// bf16 to f32 where the number is half of a word, as loads give it: one shift or mask of the word.
/// ptxas takes the half out first where it is a number of its own.
struct WidenHalf : ConvertOpToLLVMPattern<arith::ExtFOp> {
  WidenHalf(const LLVMTypeConverter &types) : ConvertOpToLLVMPattern(types, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!adaptor.getIn().getType().isBF16() || !op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not bf16 to f32");
    auto half = adaptor.getIn().getDefiningOp<LLVM::ExtractElementOp>();
    auto halves = half ? half.getVector().getDefiningOp<LLVM::BitcastOp>() : LLVM::BitcastOp();
    IntegerAttr position;
    if (!halves || !getElementTypeOrSelf(halves.getArg()).isInteger(32) ||
        !matchPattern(half.getPosition(), m_Constant(&position)))
      return rewriter.notifyMatchFailure(op, "not half of a word");
    Location loc = op.getLoc();
    int64_t number = position.getInt();
    Value bits = halves.getArg();
    if (isa<VectorType>(bits.getType()))
      bits = LLVM::ExtractElementOp::create(rewriter, loc, bits,
                                            constantI32(rewriter, loc, int32_t(number / 2)));
    if (number % 2)
      bits =
          LLVM::AndOp::create(rewriter, loc, bits, constantI32(rewriter, loc, int32_t(0xffff0000)));
    else
      bits = LLVM::ShlOp::create(rewriter, loc, bits, constantI32(rewriter, loc, 16));
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};

/// A call of the math library.
template <typename Op> struct LibraryCall : ConvertOpToLLVMPattern<Op> {
  LibraryCall(const LLVMTypeConverter &types, StringRef functionName)
      : ConvertOpToLLVMPattern<Op>(types, /*benefit=*/5), name(functionName) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isa<FloatType>(type))
      return rewriter.notifyMatchFailure(op, "expected a float");
    rewriter.replaceOp(
        op, throughF32(rewriter, op.getLoc(), adaptor.getOperands(), type,
                       [&](ValueRange operands) { return call(op, operands, rewriter); }));
    return success();
  }

private:
  Value call(Operation *op, ValueRange operands, OpBuilder &builder) const {
    Type type = operands[0].getType();
    std::string symbol = "__tilec_math_" + name + (type.isF64() ? "_f64" : "_f32");
    SmallVector<Type> parameters(operands.getTypes());
    auto function =
        declareMathFunction(op, builder, symbol, LLVM::LLVMFunctionType::get(type, parameters));
    return LLVM::CallOp::create(builder, op->getLoc(), function, operands).getResult();
  }
  std::string name;
};

/// An LLVM intrinsic that every back end expands.
template <typename Op, typename LLVMOp> struct Intrinsic : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVMOp>(op, this->getTypeConverter()->convertType(op.getType()),
                                        adaptor.getOperands());
    return success();
  }
};

struct LeadingZeros : ConvertOpToLLVMPattern<math::CountLeadingZerosOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(math::CountLeadingZerosOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::CountLeadingZerosOp>(op, op.getType(), adaptor.getOperand(),
                                                           /*is_zero_poison=*/false);
    return success();
  }
};

struct AbsI : ConvertOpToLLVMPattern<math::AbsIOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(math::AbsIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::AbsOp>(op, op.getType(), adaptor.getOperand(),
                                             /*is_int_min_poison=*/false);
    return success();
  }
};
} // namespace

static Value unaryIntrinsic(OpBuilder &builder, Location loc, StringRef name, ValueRange operands) {
  return callIntrinsic(builder, loc, name, builder.getF32Type(), operands);
}

static Value constantF32(OpBuilder &builder, Location loc, float value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getF32Type(),
                                  builder.getF32FloatAttr(value));
}

static void addApproximations(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  // exp(x) = 2^(x * log2 e)
  patterns.add<ApproximateOp<math::ExpOp>>(
      types, [](OpBuilder &builder, Location loc, ValueRange operands) -> Value {
        Value scaled = LLVM::FMulOp::create(builder, loc, operands[0],
                                            constantF32(builder, loc, 1.44269504088896340736f));
        return unaryIntrinsic(builder, loc, "llvm.nvvm.ex2.approx.ftz", {scaled});
      });
  auto unary = [](StringRef name) {
    return [name](OpBuilder &builder, Location loc, ValueRange operands) -> Value {
      return unaryIntrinsic(builder, loc, name, operands);
    };
  };
  patterns.add<ApproximateOp<math::Exp2Op>>(types, unary("llvm.nvvm.ex2.approx.ftz"));
  patterns.add<ApproximateOp<math::SqrtOp>>(types, unary("llvm.nvvm.sqrt.approx.f"));
  patterns.add<ApproximateOp<math::RsqrtOp>>(types, unary("llvm.nvvm.rsqrt.approx.f"));
  patterns.add<Division, WidenHalf>(types);
}

static void addIntrinsics(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<
      Intrinsic<math::AbsFOp, LLVM::FAbsOp>, Intrinsic<math::FloorOp, LLVM::FFloorOp>,
      Intrinsic<math::CeilOp, LLVM::FCeilOp>, Intrinsic<math::FmaOp, LLVM::FMAOp>,
      Intrinsic<math::TruncOp, LLVM::FTruncOp>, Intrinsic<math::RoundEvenOp, LLVM::RoundEvenOp>,
      Intrinsic<math::RoundOp, LLVM::RoundOp>, Intrinsic<math::CopySignOp, LLVM::CopySignOp>,
      Intrinsic<math::CtPopOp, LLVM::CtPopOp>, AbsI, LeadingZeros>(types);
  // f64 square root is exact on every target.
  patterns.add<Intrinsic<math::SqrtOp, LLVM::SqrtOp>>(types);
}

static void addLibraryCalls(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LibraryCall<math::ExpOp>>(types, "exp");
  patterns.add<LibraryCall<math::Exp2Op>>(types, "exp2");
  patterns.add<LibraryCall<math::ExpM1Op>>(types, "expm1");
  patterns.add<LibraryCall<math::LogOp>>(types, "log");
  patterns.add<LibraryCall<math::Log2Op>>(types, "log2");
  patterns.add<LibraryCall<math::Log10Op>>(types, "log10");
  patterns.add<LibraryCall<math::Log1pOp>>(types, "log1p");
  patterns.add<LibraryCall<math::SinOp>>(types, "sin");
  patterns.add<LibraryCall<math::CosOp>>(types, "cos");
  patterns.add<LibraryCall<math::TanOp>>(types, "tan");
  patterns.add<LibraryCall<math::AsinOp>>(types, "asin");
  patterns.add<LibraryCall<math::AcosOp>>(types, "acos");
  patterns.add<LibraryCall<math::AtanOp>>(types, "atan");
  patterns.add<LibraryCall<math::Atan2Op>>(types, "atan2");
  patterns.add<LibraryCall<math::SinhOp>>(types, "sinh");
  patterns.add<LibraryCall<math::CoshOp>>(types, "cosh");
  patterns.add<LibraryCall<math::TanhOp>>(types, "tanh");
  patterns.add<LibraryCall<math::AsinhOp>>(types, "asinh");
  patterns.add<LibraryCall<math::AcoshOp>>(types, "acosh");
  patterns.add<LibraryCall<math::AtanhOp>>(types, "atanh");
  patterns.add<LibraryCall<math::ErfOp>>(types, "erf");
  patterns.add<LibraryCall<math::ErfcOp>>(types, "erfc");
  patterns.add<LibraryCall<math::CbrtOp>>(types, "cbrt");
  patterns.add<LibraryCall<math::PowFOp>>(types, "pow");
  patterns.add<LibraryCall<math::RsqrtOp>>(types, "rsqrt");
  patterns.add<LibraryCall<arith::RemFOp>>(types, "fmod");
}

void tilec::populateMathToNVVMPatterns(const LLVMTypeConverter &types,
                                       RewritePatternSet &patterns) {
  addApproximations(types, patterns);
  addIntrinsics(types, patterns);
  addLibraryCalls(types, patterns);
}
