// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between element types, and constants of the emitted program.

#include "Emitter.h"

#include "llvm/ADT/APFloat.h"

namespace tilec::irgen {

namespace arith = mlir::arith;
using ast::BinaryOp;

FailureOr<Value> Emitter::makeConstant(const Constant &number, DType type, SourceRange range) {
  mlir::Type lowered = lower(type);
  if (type.isBool())
    return emit<arith::ConstantOp>(type, builder.getIntegerAttr(lowered, number.isTrue()));
  if (type.isInt()) {
    FoldResult folded = foldToInt(number);
    if (!folded.value)
      return state.error(range, folded.error);
    PyInt value = folded.value->toInt();
    if (!value.fits(type.getBitWidth(), type.isSignedInt())) {
      if (value.isNegative() && type.isUnsignedInt())
        return state.error(range, "negative constant " + value.str() +
                                      " cannot be of unsigned type " + type.str());
      return state.error(range, "constant " + value.str() + " is out of range for " + type.str());
    }
    return emit<arith::ConstantOp>(
        type, builder.getIntegerAttr(lowered, value.toBits(type.getBitWidth())));
  }
  if (type.is(ScalarKind::FP8E4B15)) {
    FailureOr<Value> half = makeConstant(number, ScalarKind::FP16, range);
    return mlir::failed(half) ? half : cast(*half, type, range);
  }
  if (type.isFloat()) {
    llvm::APFloat value(number.toDouble());
    bool losesInfo;
    value.convert(llvm::cast<mlir::FloatType>(lowered).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return emit<arith::ConstantOp>(type, builder.getFloatAttr(lowered, value));
  }
  if (type.isPointer()) {
    FailureOr<Value> address = makeConstant(number, ScalarKind::Int64, range);
    if (mlir::failed(address))
      return failure();
    return cast(*address, type, range);
  }
  return state.error(range, "expected a value of type " + type.str() + ", got " + number.repr());
}

Value Emitter::makeZero(const Type &type) {
  mlir::Type element = lower(Type(type.element));
  auto zero = llvm::cast<mlir::TypedAttr>(builder.getZeroAttr(element));
  Value scalar = emit<arith::ConstantOp>(Type(type.element), zero);
  return splat(scalar, type.shape);
}

FailureOr<Value> Emitter::cast(const Value &value, DType type, SourceRange range,
                               tile::RoundingMode rounding) {
  if (type.isVoid())
    return state.error(range, "values cannot be cast to void");
  if (value.isNumber())
    return makeConstant(*value.getConstant(), type, range);
  if (value.isPoison())
    return failure();
  const RuntimeValue *runtime = value.getRuntime();
  if (!runtime)
    return state.errorNoOperand(value, range);
  if (runtime->type.element == type)
    return value;
  if (runtime->type.element.isPointer() || type.isPointer())
    return castPointer(value, type, range);
  return castNumber(value, type, range, rounding);
}

FailureOr<Value> Emitter::castPointer(const Value &value, DType type, SourceRange range) {
  const RuntimeValue &from = *value.getRuntime();
  DType source = from.type.element;
  Type result = from.type.withElement(type);
  if (source.isPointer() && type.isPointer()) {
    // const is known to the front end only.
    if (source.getKind() == type.getKind())
      return Value::runtime(from.value, result);
    return emit<tile::PtrCastOp>(result, lower(result), from.value);
  }
  if (source.isPointer()) {
    if (!type.isInt())
      return state.error(range, "a pointer cannot be cast to " + type.str());
    Type address = from.type.withElement(ScalarKind::Int64);
    return cast(emit<tile::PtrToIntOp>(address, lower(address), from.value), type, range);
  }
  if (!source.isInt())
    return state.error(range, "a value of type " + source.str() + " cannot be cast to a pointer");
  FailureOr<Value> wide =
      cast(value, source.isSignedInt() ? ScalarKind::Int64 : ScalarKind::UInt64, range);
  if (mlir::failed(wide))
    return failure();
  return emit<tile::IntToPtrOp>(result, lower(result), wide->getRuntime()->value);
}

/// The legacy format with fp16's bias: an fp16 whose magnitude is at most 1.875, without the last 7
/// bits of its fraction. Narrowing rounds ties away from zero.
FailureOr<Value> Emitter::castLegacyFloat8(const Value &value, DType type, SourceRange range) {
  auto apply = [&](BinaryOp op, FailureOr<Value> lhs, FailureOr<Value> rhs) -> FailureOr<Value> {
    if (mlir::failed(lhs) || mlir::failed(rhs))
      return failure();
    return emitBinary(op, *lhs, *rhs, range);
  };
  auto number = [](int64_t bits) -> FailureOr<Value> { return Value::integer(bits); };
  if (type.is(ScalarKind::FP16)) {
    FailureOr<Value> code = bitcast(value, ScalarKind::UInt8, range);
    if (mlir::succeeded(code))
      code = cast(*code, ScalarKind::UInt16, range);
    FailureOr<Value> sign =
        apply(BinaryOp::LShift, apply(BinaryOp::BitAnd, code, number(0x80)), number(8));
    FailureOr<Value> rest =
        apply(BinaryOp::LShift, apply(BinaryOp::BitAnd, code, number(0x7f)), number(7));
    FailureOr<Value> word = apply(BinaryOp::BitOr, sign, rest);
    return mlir::failed(word) ? word : bitcast(*word, type, range);
  }
  FailureOr<Value> word = bitcast(value, ScalarKind::UInt16, range);
  FailureOr<Value> sign =
      apply(BinaryOp::RShift, apply(BinaryOp::BitAnd, word, number(0x8000)), number(8));
  FailureOr<Value> magnitude = apply(BinaryOp::BitAnd, word, number(0x7fff));
  FailureOr<Value> largest = makeConstant(Constant::integer(0x3f80), ScalarKind::UInt16, range);
  if (mlir::failed(magnitude) || mlir::failed(largest))
    return failure();
  Type wordType = magnitude->getRuntime()->type;
  Value limit = splat(*largest, wordType.shape);
  magnitude =
      emit<arith::MinUIOp>(wordType, magnitude->getRuntime()->value, limit.getRuntime()->value);
  FailureOr<Value> code =
      apply(BinaryOp::BitOr, sign,
            apply(BinaryOp::RShift, apply(BinaryOp::Add, magnitude, number(0x40)), number(7)));
  if (mlir::succeeded(code))
    code = cast(*code, ScalarKind::UInt8, range);
  return mlir::failed(code) ? code : bitcast(*code, type, range);
}

FailureOr<Value> Emitter::castNumber(const Value &value, DType type, SourceRange range,
                                     tile::RoundingMode rounding) {
  const RuntimeValue &from = *value.getRuntime();
  DType source = from.type.element;
  Type result = from.type.withElement(type);
  mlir::Type lowered = lower(result);
  auto via = [&](ScalarKind step) -> FailureOr<Value> {
    FailureOr<Value> middle = castNumber(value, step, range, rounding);
    if (mlir::failed(middle))
      return failure();
    return castNumber(*middle, type, range, rounding);
  };

  if (source.is(ScalarKind::FP8E4B15) || type.is(ScalarKind::FP8E4B15)) {
    bool direct = source.is(ScalarKind::FP16) || type.is(ScalarKind::FP16);
    return direct ? castLegacyFloat8(value, type, range) : via(ScalarKind::FP16);
  }
  if (type.isBool()) {
    if (source.isFP8())
      return via(ScalarKind::FP32);
    return emitCompare(ast::CompareOp::NotEq, value, makeZero(from.type));
  }
  if (source.isFloat() && type.isFloat()) {
    unsigned fromBits = source.getBitWidth(), toBits = type.getBitWidth();
    bool fp8 = source.isFP8() || type.isFP8();
    // Two 8-bit or two 16-bit formats, and fp64 with an 8-bit one, meet in fp32.
    if ((fromBits == toBits && fromBits < 32) || (fp8 && fromBits + toBits == 72))
      return via(ScalarKind::FP32);
    if (fp8 || (toBits < fromBits && rounding != tile::RoundingMode::rtne))
      return emit<tile::FpToFpOp>(result, lowered, from.value, rounding);
    if (toBits > fromBits)
      return emit<arith::ExtFOp>(result, lowered, from.value);
    return emit<arith::TruncFOp>(result, lowered, from.value);
  }
  if (source.isFloat()) {
    if (source.isFP8())
      return via(ScalarKind::FP32);
    if (type.isSignedInt())
      return emit<arith::FPToSIOp>(result, lowered, from.value);
    return emit<arith::FPToUIOp>(result, lowered, from.value);
  }
  if (type.isFloat()) {
    if (type.isFP8())
      return via(ScalarKind::FP32);
    if (source.isSignedInt())
      return emit<arith::SIToFPOp>(result, lowered, from.value);
    return emit<arith::UIToFPOp>(result, lowered, from.value);
  }
  if (source.getBitWidth() == type.getBitWidth())
    return Value::runtime(from.value, result);
  if (source.getBitWidth() > type.getBitWidth())
    return emit<arith::TruncIOp>(result, lowered, from.value);
  if (source.isSignedInt())
    return emit<arith::ExtSIOp>(result, lowered, from.value);
  return emit<arith::ExtUIOp>(result, lowered, from.value);
}

FailureOr<Value> Emitter::bitcast(const Value &value, DType type, SourceRange range) {
  FailureOr<Value> operand = toRuntime(value, range);
  if (mlir::failed(operand))
    return failure();
  const RuntimeValue &from = *operand->getRuntime();
  DType source = from.type.element;
  if (source == type)
    return *operand;
  if (source.isPointer() || type.isPointer())
    return castPointer(*operand, type, range);
  if (source.getBitWidth() != type.getBitWidth())
    return state.error(range, "cannot bitcast " + source.str() + " to " + type.str() +
                                  ": their sizes differ (" + llvm::Twine(source.getBitWidth()) +
                                  " and " + llvm::Twine(type.getBitWidth()) + " bits)");
  Type result = from.type.withElement(type);
  if (lower(result) == from.value.getType())
    return Value::runtime(from.value, result);
  return emit<arith::BitcastOp>(result, lower(result), from.value);
}

} // namespace tilec::irgen
