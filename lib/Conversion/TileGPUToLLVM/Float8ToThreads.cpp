// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit floats (OCP e4m3fn and e5m2, and the "fnuz" forms of both, whose only special value is a
// NaN in place of minus zero) from and to f32 by integer arithmetic, and by the machine's
// conversions of pairs where it has them.
//
// Widening: sign, exponent and mantissa move into place of an f32 with the wrong bias, and one
// multiplication by a power of two sets the bias right, subnormals included. Narrowing: the reverse
// multiplication brings the value to the target's exponent range, rounding to nearest even is an
// addition before the shift.

#include "Patterns.h"

using namespace mlir;
using namespace tilec;

namespace {
/// Shape of an 8-bit float.
struct Format {
  unsigned mantissa;
  unsigned exponentBits;
  int bias;
  /// Largest finite value's bits without sign.
  uint32_t maxFinite;
  /// Bits of a NaN; without sign where both signs have one.
  uint32_t nan;
  /// Values from 2^beyond on are too large.
  int beyond;
  bool hasInfinity;
  bool isFnuz;
};

/// Emits i32 and f32 arithmetic.
class Float8Emitter {
public:
  Float8Emitter(OpBuilder &opBuilder, Location location) : builder(opBuilder), loc(location) {}
  Type i32() { return builder.getI32Type(); }
  Type f32() { return builder.getF32Type(); }
  Value c(uint32_t value) { return arith::ConstantIntOp::create(builder, loc, int32_t(value), 32); }
  Value andI(Value a, uint32_t b) { return arith::AndIOp::create(builder, loc, a, c(b)); }
  Value shl(Value a, uint32_t b) { return arith::ShLIOp::create(builder, loc, a, c(b)); }
  Value shr(Value a, uint32_t b) { return arith::ShRUIOp::create(builder, loc, a, c(b)); }
  Value orI(Value a, Value b) { return arith::OrIOp::create(builder, loc, a, b); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value cmp(arith::CmpIPredicate p, Value a, uint32_t b) {
    return arith::CmpIOp::create(builder, loc, p, a, c(b));
  }
  Value select(Value p, Value a, Value b) { return arith::SelectOp::create(builder, loc, p, a, b); }
  Value asFloat(Value a) { return arith::BitcastOp::create(builder, loc, f32(), a); }
  Value asInt(Value a) { return arith::BitcastOp::create(builder, loc, i32(), a); }
  /// value * 2^exponent, exact as long as the result is normal.
  Value scale(Value value, int exponent) {
    Value factor = asFloat(c(uint32_t(127 + exponent) << 23));
    return arith::MulFOp::create(builder, loc, value, factor);
  }
  OpBuilder &builder;
  Location loc;
};
} // namespace

static Format formatOf(FloatType type) {
  if (isa<Float8E5M2Type>(type))
    return {2, 5, 15, 0x7b, 0x7f, 16, true, false};
  if (isa<Float8E5M2FNUZType>(type))
    return {2, 5, 16, 0x7f, 0x80, 16, false, true};
  if (isa<Float8E4M3FNUZType>(type))
    return {3, 4, 8, 0x7f, 0x80, 8, false, true};
  return {3, 4, 7, 0x7e, 0x7f, 9, false, false};
}

Value tilec::emitFloat8ToF32(OpBuilder &builder, Location loc, Value bits, FloatType type) {
  Float8Emitter e(builder, loc);
  Format format = formatOf(type);
  Value word = arith::ExtUIOp::create(builder, loc, e.i32(), bits);
  Value sign = e.shl(e.andI(word, 0x80), 24);
  Value magnitude = e.andI(word, 0x7f);
  Value scaled = e.scale(e.asFloat(e.shl(magnitude, 23 - format.mantissa)), 127 - format.bias);
  Value result = e.asInt(scaled);
  // Infinity and NaN (e5m2), or the one NaN.
  uint32_t special = format.hasInfinity ? 0x7c : 0x7f;
  Value isSpecial = format.isFnuz ? e.cmp(arith::CmpIPredicate::eq, word, 0x80)
                                  : e.cmp(arith::CmpIPredicate::uge, magnitude, special);
  Value specialBits = e.c(0x7fc00000);
  if (format.hasInfinity)
    specialBits =
        e.select(e.cmp(arith::CmpIPredicate::eq, magnitude, 0x7c), e.c(0x7f800000), specialBits);
  return e.asFloat(e.orI(e.select(isSpecial, specialBits, result), sign));
}

Value tilec::emitF32ToFloat8(OpBuilder &builder, Location loc, Value value, FloatType type,
                             bool towardZero) {
  Float8Emitter e(builder, loc);
  Format format = formatOf(type);
  unsigned drop = 23 - format.mantissa;
  Value word = e.asInt(value);
  Value sign = e.andI(e.shr(word, 24), 0x80);
  Value magnitude = e.andI(word, 0x7fffffff);
  // Normal results: re-bias the exponent, round, cut.
  uint32_t rebias = uint32_t(127 - format.bias) << 23;
  Value normal = e.add(magnitude, e.c(-rebias));
  if (!towardZero) {
    Value odd = e.andI(e.shr(normal, drop), 1);
    normal = e.add(e.add(normal, odd), e.c((1u << (drop - 1)) - 1));
  }
  normal = e.shr(normal, drop);
  // Subnormal results: adding a power of two whose last bit has the subnormals' weight lets the
  // hardware round.
  int lastBit = 1 - format.bias - int(format.mantissa);
  Value magic = e.c(uint32_t(127 + lastBit + 23) << 23);
  Value subnormal;
  if (towardZero) {
    Value units = e.scale(e.scale(e.asFloat(magnitude), -lastBit / 2), -lastBit - (-lastBit / 2));
    subnormal = arith::FPToUIOp::create(
        builder, loc, e.i32(),
        arith::MinNumFOp::create(builder, loc, units, e.asFloat(e.c(0x43000000))));
  } else {
    Value sum = arith::AddFOp::create(builder, loc, e.asFloat(magnitude), e.asFloat(magic));
    subnormal = arith::SubIOp::create(builder, loc, e.asInt(sum), magic);
  }
  Value isSubnormal =
      e.cmp(arith::CmpIPredicate::ult, magnitude, uint32_t(127 + 1 - format.bias) << 23);
  Value result = e.select(isSubnormal, subnormal, normal);
  // Too large saturates; NaN stays NaN.
  Value tooLarge = e.cmp(arith::CmpIPredicate::uge, magnitude, uint32_t(127 + format.beyond) << 23);
  Value overflow = arith::OrIOp::create(builder, loc, tooLarge,
                                        e.cmp(arith::CmpIPredicate::ugt, result, format.maxFinite));
  result = e.select(overflow, e.c(format.maxFinite), result);
  Value isNan = e.cmp(arith::CmpIPredicate::ugt, magnitude, 0x7f800000);
  if (format.isFnuz) // The sign of zero is not kept.
    sign = e.select(e.cmp(arith::CmpIPredicate::eq, result, 0), e.c(0), sign);
  result = e.select(isNan, e.c(format.nan), result);
  return arith::TruncIOp::create(builder, loc, builder.getI8Type(), e.orI(result, sign));
}

std::pair<Value, Value> tilec::emitF32PairToFloat8(OpBuilder &builder, Location loc, Value first,
                                                   Value second, FloatType type) {
  auto pair = VectorType::get({2}, builder.getI8Type());
  // The instruction's first operand goes to the upper byte.
  Value packed = NVVM::ConvertF32x2ToF8x2Op::create(
      builder, loc, pair, second, first, NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
      /*relu=*/false, type);
  auto element = [&](int64_t i) -> Value {
    return LLVM::ExtractElementOp::create(builder, loc, packed, constantI32(builder, loc, i));
  };
  return {element(0), element(1)};
}

std::pair<Value, Value> tilec::emitFloat8PairToF16(OpBuilder &builder, Location loc, Value first,
                                                   Value second, FloatType type) {
  // As integer arithmetic, which disappears when both come from one word.
  Float8Emitter e(builder, loc);
  Value low = arith::ExtUIOp::create(builder, loc, e.i32(), first);
  Value high = e.shl(arith::ExtUIOp::create(builder, loc, e.i32(), second), 8);
  Value word = arith::TruncIOp::create(builder, loc, builder.getI16Type(), e.orI(low, high));
  Value bytes =
      LLVM::BitcastOp::create(builder, loc, VectorType::get({2}, builder.getI8Type()), word);
  Value pair = NVVM::ConvertF8x2ToF16x2Op::create(
      builder, loc, VectorType::get({2}, builder.getF16Type()), bytes, /*relu=*/false, type);
  auto element = [&](int64_t i) -> Value {
    return LLVM::ExtractElementOp::create(builder, loc, pair, constantI32(builder, loc, i));
  };
  return {element(0), element(1)};
}
