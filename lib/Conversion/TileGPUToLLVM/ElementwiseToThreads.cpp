// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations, once per register. Upstream arith and math operations are repeated as
// they are on scalars; the tile dialect's own become LLVM or arith operations.

#include "Patterns.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

static bool isFloat8(Type type) {
  auto fp = dyn_cast<FloatType>(type);
  return fp && fp.getWidth() == 8;
}

/// Narrowing towards zero: to nearest, and one step back where that went up. Magnitudes are ordered
/// as their bits are, so a step is one less, also from infinity to the largest finite value.
static Value truncateTowardZero(OpBuilder &builder, Location loc, Value value, Type to) {
  Value nearest = arith::TruncFOp::create(builder, loc, to, value);
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), nearest);
  Value wentUp = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                       LLVM::FAbsOp::create(builder, loc, back),
                                       LLVM::FAbsOp::create(builder, loc, value));
  Type word = builder.getIntegerType(cast<FloatType>(to).getWidth());
  Value bits = arith::BitcastOp::create(builder, loc, word, nearest);
  Value one = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(word, 1));
  Value less = arith::SubIOp::create(builder, loc, bits, one);
  Value result = arith::SelectOp::create(builder, loc, wentUp, less, bits);
  return arith::BitcastOp::create(builder, loc, to, result);
}

/// Float conversion with an 8-bit float on one side or both, through f32.
static Value convertFloat(OpBuilder &builder, Location loc, Value value, Type from, Type to,
                          bool towardZero) {
  Type f32 = builder.getF32Type();
  auto width = [](Type type) { return cast<FloatType>(type).getWidth(); };
  if (from == to)
    return value;
  if (!isFloat8(from) && !isFloat8(to) && !towardZero) {
    if (width(from) == width(to)) // f16 <-> bf16
      return arith::TruncFOp::create(builder, loc, to,
                                     arith::ExtFOp::create(builder, loc, f32, value));
    if (width(from) < width(to))
      return arith::ExtFOp::create(builder, loc, to, value);
    return arith::TruncFOp::create(builder, loc, to, value);
  }
  if (towardZero && !isFloat8(from) && !isFloat8(to) && width(to) < width(from))
    return truncateTowardZero(builder, loc, value, to);
  if (isFloat8(from))
    value = emitFloat8ToF32(builder, loc, value, cast<FloatType>(from));
  else if (width(from) < 32)
    value = arith::ExtFOp::create(builder, loc, f32, value);
  else if (width(from) > 32)
    value = arith::TruncFOp::create(builder, loc, f32, value);
  if (isFloat8(to))
    return emitF32ToFloat8(builder, loc, value, cast<FloatType>(to), towardZero);
  if (width(to) == 32)
    return value;
  if (width(to) > 32)
    return arith::ExtFOp::create(builder, loc, to, value);
  return towardZero ? truncateTowardZero(builder, loc, value, to)
                    : arith::TruncFOp::create(builder, loc, to, value).getResult();
}

static Value offsetPointer(OpBuilder &builder, tile::AddPtrOp op, ValueRange operands) {
  auto ptr = cast<tile::PtrType>(getElementTypeOrSelf(op.getPointer().getType()));
  Type unit = builder.getIntegerType(ptr.getElementBytes() * 8);
  Value offset = operands[1];
  if (!offset.getType().isInteger(64))
    offset = arith::ExtSIOp::create(builder, op.getLoc(), builder.getI64Type(), offset);
  return LLVM::GEPOp::create(builder, op.getLoc(), operands[0].getType(), unit, operands[0],
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// The operand of a narrowing to e4m3 or e5m2 that the machine has, as f32 registers; empty when it
/// has not.
static SmallVector<Value> machineFloat8Operands(OpBuilder &builder, Operation *op,
                                                ValueRange registers,
                                                const ThreadLowering &lowering) {
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  auto cast = dyn_cast<tile::FpToFpOp>(op);
  bool isNearest = cast ? cast.getRounding() == tile::RoundingMode::rtne : isa<arith::TruncFOp>(op);
  if (!isNearest || !isa<Float8E4M3FNType, Float8E5M2Type>(to) ||
      !lowering.processor.has(Feature::Float8Conversion))
    return {};
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!from.isF32() && !from.isF16() && !from.isBF16())
    return {};
  SmallVector<Value> wide;
  for (Value value : registers)
    wide.push_back(convertFloat(builder, op->getLoc(), value, from, builder.getF32Type(), false));
  return wide;
}

/// A widening of e4m3 or e5m2 that the machine has for pairs: all registers of the result; empty
/// when it has not.
static SmallVector<Value> widenFloat8Pairs(OpBuilder &builder, Operation *op, ValueRange registers,
                                           const ThreadLowering &lowering) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (!isa<tile::FpToFpOp, arith::ExtFOp>(op) || !isa<Float8E4M3FNType, Float8E5M2Type>(from) ||
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(to) ||
      !lowering.processor.has(Feature::Float8Conversion))
    return {};
  Location loc = op->getLoc();
  SmallVector<Value> results(registers.size());
  for (size_t r = 0; r < registers.size(); r += 2) {
    size_t other = std::min(r + 1, registers.size() - 1);
    auto [first, second] =
        emitFloat8PairToF16(builder, loc, registers[r], registers[other], cast<FloatType>(from));
    for (auto [place, half] : {std::pair{r, first}, std::pair{other, second}})
      results[place] = convertFloat(builder, loc, half, half.getType(), to, false);
  }
  return results;
}

/// The same operation on scalars. Hints have one number per dimension, and have been used.
static Value repeatOnScalars(OpBuilder &builder, Operation *op, ValueRange operands, Type result) {
  OperationState state(op->getLoc(), op->getName(), operands, TypeRange{result});
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!isa_and_nonnull<tile::TileDialect>(attribute.getNameDialect()))
      state.addAttribute(attribute.getName(), attribute.getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return builder.create(state)->getResult(0);
}

/// One register of `op`; null when there is no lowering.
static Value lowerScalar(OpBuilder &builder, Operation *op, ValueRange operands,
                         const ThreadLowering &lowering) {
  Location loc = op->getLoc();
  Type resultElement = getElementTypeOrSelf(op->getResult(0).getType());
  Type sourceElement = getElementTypeOrSelf(op->getOperand(0).getType());
  Type result = lowering.types.convertScalar(resultElement);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](tile::AddPtrOp add) { return offsetPointer(builder, add, operands); })
      .Case([&](tile::PtrToIntOp) {
        return LLVM::PtrToIntOp::create(builder, loc, result, operands[0]);
      })
      .Case([&](tile::IntToPtrOp) {
        return LLVM::IntToPtrOp::create(builder, loc, result, operands[0]);
      })
      .Case([&](tile::PtrCastOp) { return operands[0]; })
      .Case([&](tile::FpToFpOp cast) {
        return convertFloat(builder, loc, operands[0], sourceElement, resultElement,
                            cast.getRounding() == tile::RoundingMode::rtz);
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) -> Value {
        if (isFloat8(sourceElement) || isFloat8(resultElement))
          return convertFloat(builder, loc, operands[0], sourceElement, resultElement, false);
        return repeatOnScalars(builder, op, operands, result);
      })
      .Case([&](tile::PreciseDivFOp) {
        return LLVM::FDivOp::create(builder, loc, operands[0], operands[1]);
      })
      .Case([&](tile::ReciprocalOp) {
        return NVVM::RcpApproxFtzF32Op::create(builder, loc, result, operands[0]);
      })
      .Case([&](tile::PreciseSqrtOp) { return LLVM::SqrtOp::create(builder, loc, operands[0]); })
      .Case(
          [&](tile::BitReverseOp) { return LLVM::BitReverseOp::create(builder, loc, operands[0]); })
      .Case([&](tile::UMulHiOp) {
        return arith::MulUIExtendedOp::create(builder, loc, operands[0], operands[1]).getHigh();
      })
      .Case([&](arith::BitcastOp) -> Value {
        if (operands[0].getType() == result)
          return operands[0];
        return repeatOnScalars(builder, op, operands, result);
      })
      .Case([&](arith::SelectOp) { return repeatOnScalars(builder, op, operands, result); })
      .Default([&](Operation *) -> Value {
        if (isFloat8(resultElement) || isFloat8(sourceElement))
          return {};
        return repeatOnScalars(builder, op, operands, result);
      });
}

namespace {
struct Elementwise : ConversionPattern {
  Elementwise(const ThreadLowering &threadLowering, MLIRContext *context)
      : ConversionPattern(threadLowering.types, MatchAnyOpTypeTag(), /*benefit=*/1, context),
        lowering(threadLowering) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
        isa<tile::InlineAsmOp, tile::MapOp>(op))
      return rewriter.notifyMatchFailure(op, "not an elementwise operation");
    int64_t count = numRegisters(op->getResult(0).getType());
    SmallVector<Value> results;
    if (SmallVector<Value> wide = machineFloat8Operands(rewriter, op, operands.front(), lowering);
        !wide.empty()) {
      auto type = cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
      results.resize(count);
      for (int64_t r = 0; r < count; r += 2) {
        int64_t other = std::min(r + 1, count - 1);
        std::tie(results[r], results[other]) =
            emitF32PairToFloat8(rewriter, op->getLoc(), wide[r], wide[other], type);
      }
      rewriter.replaceOpWithMultiple(op, {results});
      return success();
    }
    if (results = widenFloat8Pairs(rewriter, op, operands.front(), lowering); !results.empty()) {
      rewriter.replaceOpWithMultiple(op, {results});
      return success();
    }
    if (count > 1 && int64_t(operands.front().size()) == count) {
      if (std::optional<ByteConversion> conversion = matchByteConversion(op)) {
        results = emitBytesToFloats(rewriter, op->getLoc(), operands.front(), *conversion);
        rewriter.replaceOpWithMultiple(op, {results});
        return success();
      }
      if (isAddedByConversion(op)) {
        rewriter.replaceOpWithMultiple(op, {operands.front()});
        return success();
      }
    }
    if (std::optional<uint8_t> number = numberOfByteOperation(op);
        number && count > 1 && int64_t(operands.front().size()) == count) {
      results = emitByteOperation(rewriter, op, operands.front(), *number);
      rewriter.replaceOpWithMultiple(op, {results});
      return success();
    }
    int64_t repeated = lowering.repeats.lookup(op);
    for (int64_t r = 0; r < count; ++r) {
      if (r & repeated) {
        results.push_back(results[r & ~repeated]);
        continue;
      }
      SmallVector<Value> scalars;
      for (ValueRange operand : operands)
        scalars.push_back(operand[operand.size() == 1 ? 0 : r]);
      Value result = lowerScalar(rewriter, op, scalars, lowering);
      if (!result) {
        op->emitError("'") << op->getName() << "' has no lowering for "
                           << op->getOperand(0).getType() << "; convert to a wider float first";
        return failure();
      }
      results.push_back(result);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

  const ThreadLowering lowering;
};
} // namespace

void tilec::populateElementwisePatterns(RewritePatternSet &patterns,
                                        const ThreadLowering &lowering) {
  patterns.add<Elementwise>(lowering, patterns.getContext());
}
