// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers to f16, bf16 and f32 without the conversion unit, which is slow. A byte becomes
// the end of the mantissa of a number whose units are the last bit, and a subtraction takes that
// number away; both are exact.
//
// f16 has ten bits of mantissa: 0x6400 + u is 1024 + u; f32 has 23: 0x4b000000 + u is 2^23 + u. A
// signed byte has its sign bit flipped first, which adds 128. bf16 has seven: 0x4300 + u is 128 + u
// for u < 128, so the highest bit is made a number of its own, 0x4300 + 128 being 256.
//
// A constant that is added behind the conversion, the zero point of a quantised weight, is part of
// the subtraction where the difference of the two is a number of the type.
//
// What picks parts of bytes in front of that, masks and shifts, is done on four bytes at a time.

#include "Patterns.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

namespace {
/// Vectors of 32 bits: four bytes, or one or two floats.
class ConversionEmitter {
public:
  ConversionEmitter(OpBuilder &opBuilder, Location location, FloatType element)
      : builder(opBuilder), loc(location),
        floats(VectorType::get({32 / element.getWidth()}, element)),
        bytes(VectorType::get({4}, builder.getI8Type())) {}

  Value splat(VectorType type, Attribute value) {
    return LLVM::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, value));
  }
  /// The bytes of `value` whose numbers are below 4, and the bytes 4 to 7 of `others`.
  Value choose(Value value, ArrayRef<uint8_t> others, ArrayRef<int32_t> numbers) {
    SmallVector<int8_t> list(others.begin(), others.end());
    Value constant = LLVM::ConstantOp::create(builder, loc, bytes,
                                              DenseElementsAttr::get(bytes, ArrayRef(list)));
    return LLVM::ShuffleVectorOp::create(builder, loc, value, constant, numbers);
  }
  Value flipSigns(Value value) {
    return LLVM::XOrOp::create(builder, loc, value,
                               splat(bytes, builder.getI8IntegerAttr(int8_t(0x80))));
  }
  Value mask(Value value, uint16_t bits) {
    auto words = VectorType::get({2}, builder.getI16Type());
    value = LLVM::BitcastOp::create(builder, loc, words, value);
    return LLVM::AndOp::create(builder, loc, value,
                               splat(words, builder.getI16IntegerAttr(int16_t(bits))));
  }
  Value number(Value value) { return LLVM::BitcastOp::create(builder, loc, floats, value); }
  Value number(double value) {
    return splat(floats, builder.getFloatAttr(floats.getElementType(), value));
  }
  Value minus(Value left, Value right) { return LLVM::FSubOp::create(builder, loc, left, right); }

  /// The floats of bytes `first` and, of two, `first` + 1.
  Value convert(Value value, int32_t first, const ByteConversion &conversion) {
    if (std::optional<double> offset = conversion.offset()) {
      Value whole = floats.getElementType().isF32()
                        ? choose(value, {0, 0, 0, 0x4b}, {first, 5, 6, 7})
                        : withHighByte(value, first, floats.getElementType().isF16() ? 0x64 : 0x43);
      return minus(number(whole), number(*offset - conversion.addend));
    }
    Value both = withHighByte(value, first, 0x43);
    Value low = number(mask(both, 0xff7f)), top = number(mask(both, 0xff80));
    // The highest bit counts 128 in an unsigned byte, -128 in a signed one.
    return conversion.isUnsigned ? minus(low, minus(number(256.0), top)) : minus(low, top);
  }
  /// Two bytes as the low ones of 16-bit words.
  Value withHighByte(Value value, int32_t first, uint8_t high) {
    return choose(value, {high, high, high, high}, {first, 4, first + 1, 4});
  }

  OpBuilder &builder;
  Location loc;
  VectorType floats, bytes;
};
} // namespace

std::optional<double> ByteConversion::offset() const {
  double sign = isUnsigned ? 0 : 128;
  if (to.isBF16())
    return most < 128 ? std::optional(128.0) : std::nullopt;
  return sign + (to.isF16() ? 0x1p10 : 0x1p23);
}

/// The largest byte that `value` may be, without its sign.
static uint8_t largestByte(Value value) {
  Operation *op = value.getDefiningOp();
  std::optional<uint8_t> number = op ? numberOfByteOperation(op) : std::nullopt;
  if (!number)
    return 255;
  if (isa<arith::AndIOp>(op))
    return *number;
  return *number < 8 ? 255 >> *number : 0;
}

/// The constant that `op` adds to `value`.
static std::optional<double> addendOf(Operation *op, Value value) {
  SplatElementsAttr splat;
  if (!isa<arith::AddFOp, arith::SubFOp>(op) || op->getOperand(0) != value ||
      !matchPattern(op->getOperand(1), m_Constant(&splat)))
    return std::nullopt;
  double number = splat.getSplatValue<APFloat>().convertToDouble();
  return isa<arith::SubFOp>(op) ? -number : number;
}

static bool isExact(double number, FloatType type) {
  APFloat value(number);
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return !losesInfo && value.isFinite();
}

std::optional<ByteConversion> tilec::matchByteConversion(Operation *op) {
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return std::nullopt;
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (!getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(8) ||
      !(to.isF16() || to.isBF16() || to.isF32()))
    return std::nullopt;
  ByteConversion conversion{cast<FloatType>(to), isa<arith::UIToFPOp>(op)};
  conversion.most = largestByte(op->getOperand(0));
  conversion.isUnsigned |= conversion.most < 128;
  if (op->getResult(0).hasOneUse())
    if (std::optional<double> addend = addendOf(*op->user_begin(), op->getResult(0)))
      if (std::optional<double> offset = conversion.offset();
          offset && isExact(*offset - *addend, conversion.to))
        conversion.addend = *addend;
  return conversion;
}

bool tilec::isAddedByConversion(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp>(op))
    return false;
  Operation *source = op->getOperand(0).getDefiningOp();
  std::optional<ByteConversion> conversion = source ? matchByteConversion(source) : std::nullopt;
  return conversion && conversion->addend != 0;
}

/// The 16-bit integer that two bytes are the parts of; null where they are not.
static Value halfWordOf(ValueRange bytes) {
  Value word;
  for (auto [i, byte] : llvm::enumerate(bytes)) {
    auto part = byte.getDefiningOp<LLVM::ExtractElementOp>();
    auto whole = part ? part.getVector().getDefiningOp<LLVM::BitcastOp>() : LLVM::BitcastOp();
    APInt place;
    if (!whole || !whole.getArg().getType().isInteger(16) ||
        !matchPattern(part.getPosition(), m_ConstantInt(&place)) || place != i ||
        (word && word != whole.getArg()))
      return {};
    word = whole.getArg();
  }
  return word;
}

/// Four bytes, or what there is of them from `first` on.
static Value wordOf(OpBuilder &builder, Location loc, ValueRange values, size_t first) {
  auto type = VectorType::get({4}, builder.getI8Type());
  // The back end would put two bytes together one by one.
  if (Value half = values.size() - first == 2 ? halfWordOf(values.drop_front(first)) : Value())
    return LLVM::BitcastOp::create(builder, loc, type,
                                   LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), half));
  Value bytes = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [i, value] : llvm::enumerate(values.drop_front(first).take_front(4)))
    bytes = LLVM::InsertElementOp::create(builder, loc, bytes, value,
                                          constantI32(builder, loc, int32_t(i)));
  return bytes;
}

std::optional<uint8_t> tilec::numberOfByteOperation(Operation *op) {
  if (!isa<arith::AndIOp, arith::ShRUIOp>(op) ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isInteger(8))
    return std::nullopt;
  SplatElementsAttr splat;
  if (!matchPattern(op->getOperand(1), m_Constant(&splat)))
    return std::nullopt;
  return uint8_t(splat.getSplatValue<APInt>().getZExtValue());
}

SmallVector<Value> tilec::emitByteOperation(OpBuilder &builder, Operation *op, ValueRange values,
                                            uint8_t number) {
  Location loc = op->getLoc();
  auto bytesType = VectorType::get({4}, builder.getI8Type());
  bool isShift = isa<arith::ShRUIOp>(op);
  // What a shift brings in from the next byte is masked off.
  uint8_t kept = !isShift ? number : number < 8 ? 0xff >> number : 0;
  SmallVector<Value> results;
  for (size_t first = 0; first < values.size(); first += 4) {
    Value word = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(),
                                         wordOf(builder, loc, values, first));
    if (isShift && kept)
      word = LLVM::LShrOp::create(builder, loc, word, constantI32(builder, loc, number));
    word = LLVM::AndOp::create(builder, loc, word,
                               constantI32(builder, loc, int32_t(kept * 0x01010101u)));
    Value bytes = LLVM::BitcastOp::create(builder, loc, bytesType, word);
    for (size_t i = 0; i < std::min<size_t>(4, values.size() - first); ++i)
      results.push_back(LLVM::ExtractElementOp::create(builder, loc, bytes,
                                                       constantI32(builder, loc, int32_t(i))));
  }
  return results;
}

SmallVector<Value> tilec::emitBytesToFloats(OpBuilder &builder, Location loc, ValueRange values,
                                            const ByteConversion &conversion) {
  FloatType to = conversion.to;
  ConversionEmitter e(builder, loc, to);
  auto perWord = size_t(32 / to.getWidth());
  SmallVector<Value> results;
  for (size_t first = 0; first < values.size(); first += 4) {
    size_t count = std::min<size_t>(4, values.size() - first);
    Value bytes = wordOf(builder, loc, values, first);
    if (!conversion.isUnsigned && !to.isBF16())
      bytes = e.flipSigns(bytes);
    for (size_t i = 0; i < count; i += perWord) {
      Value floats = e.convert(bytes, int32_t(i), conversion);
      for (size_t k = 0; k < perWord && i + k < count; ++k)
        results.push_back(LLVM::ExtractElementOp::create(builder, loc, floats,
                                                         constantI32(builder, loc, int32_t(k))));
    }
  }
  return results;
}
