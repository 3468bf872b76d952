// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic that LLVM leaves undefined, or that ends a process on the host, made to behave as on
// the GPU. Masked-off lanes compute with whatever values they have, so neither is rare.
//
//   division    the divisor is replaced by 1 where the host would trap; dividing by zero gives all
//               ones, its remainder is the dividend, MIN / -1 is MIN with remainder 0
//   conversion  float to integer saturates and takes NaN to zero; 8-bit results are the low bits of
//               a 16-bit one

#include "SimBuilder.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

/// Whether every element of the constant is a divisor that the host divides by without a trap.
static bool isSafeDivisor(Value divisor) {
  auto isSafe = [](const APInt &value) { return !value.isZero() && !value.isAllOnes(); };
  Attribute attribute;
  if (!matchPattern(divisor, m_Constant(&attribute)))
    return false;
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return isSafe(integer.getValue());
  if (auto elements = dyn_cast<DenseIntElementsAttr>(attribute))
    return llvm::all_of(elements.getValues<APInt>(), isSafe);
  return false;
}

/// The most negative number of `type`, or a vector of them.
static Value minimumOf(Location loc, SimBuilder &b, Type type) {
  Type element = getElementTypeOrSelf(type);
  Attribute attribute =
      b.rewriter.getIntegerAttr(element, APInt::getSignedMinValue(element.getIntOrFloatBitWidth()));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return LLVM::ConstantOp::create(b.rewriter, loc, type, cast<TypedAttr>(attribute));
}

static Lowered lowerDivision(Operation *op, SimBuilder &b) {
  bool isSigned = isa<LLVM::SDivOp, LLVM::SRemOp>(op);
  bool isQuotient = isa<LLVM::SDivOp, LLVM::UDivOp>(op);
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  if (isSafeDivisor(divisor))
    return Lowered::Yes;
  Location loc = op->getLoc();
  Type type = divisor.getType();
  auto equals = [&](Value value, Value constant) -> Value {
    return LLVM::ICmpOp::create(b.rewriter, loc, LLVM::ICmpPredicate::eq, value, constant);
  };
  Value allOnes = b.constant(loc, type, -1);
  Value isZero = equals(divisor, b.constant(loc, type, 0));
  Value traps = isZero;
  if (isSigned) {
    Value overflows = LLVM::AndOp::create(
        b.rewriter, loc, equals(dividend, minimumOf(loc, b, type)), equals(divisor, allOnes));
    traps = LLVM::OrOp::create(b.rewriter, loc, isZero, overflows);
  }
  Value safe = LLVM::SelectOp::create(b.rewriter, loc, traps, b.constant(loc, type, 1), divisor);
  op->setOperand(1, safe);
  b.rewriter.setInsertionPointAfter(op);
  Value result = op->getResult(0);
  auto select =
      LLVM::SelectOp::create(b.rewriter, loc, isZero, isQuotient ? allOnes : dividend, result);
  b.rewriter.replaceAllUsesExcept(result, select.getResult(), select);
  return Lowered::Yes;
}

/// `type` with elements of `width` bits.
static Type withWidth(Type type, unsigned width) {
  Type element = IntegerType::get(type.getContext(), width);
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

static Lowered lowerFloatToInteger(Operation *op, SimBuilder &b) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Type wide = withWidth(type, std::max(width, 16u));
  Value source = op->getOperand(0);
  Type sourceType = source.getType();
  if (getElementTypeOrSelf(sourceType).getIntOrFloatBitWidth() < 32) {
    Type f32 = b.rewriter.getF32Type();
    if (auto vector = dyn_cast<VectorType>(sourceType))
      f32 = VectorType::get(vector.getShape(), f32);
    source = LLVM::FPExtOp::create(b.rewriter, loc, f32, source);
  }
  StringRef intrinsic = isa<LLVM::FPToSIOp>(op) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  Value result = LLVM::CallIntrinsicOp::create(b.rewriter, loc, wide,
                                               b.rewriter.getStringAttr(intrinsic), source)
                     .getResults();
  if (wide != type)
    result = LLVM::TruncOp::create(b.rewriter, loc, type, result);
  b.rewriter.replaceOp(op, result);
  return Lowered::Yes;
}

Lowered tilec::lowerArithmetic(Operation *op, SimBuilder &b) {
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(
          [&](Operation *division) { return lowerDivision(division, b); })
      .Case<LLVM::FPToSIOp, LLVM::FPToUIOp>(
          [&](Operation *conversion) { return lowerFloatToInteger(conversion, b); })
      .Default([](Operation *) { return Lowered::No; });
}
