// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each operation widens both operands far enough that APInt cannot wrap, computes, and shrinks.

#include "tilec/Sema/PyInt.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"

#include <algorithm>
#include <cmath>

using llvm::APInt;

namespace tilec {

APInt PyInt::normalize(const APInt &bits) { return bits.trunc(bits.getSignificantBits()); }

std::optional<PyInt> PyInt::fromSigned(const APInt &bits) {
  if (bits.getSignificantBits() > bitLimit)
    return std::nullopt;
  return PyInt(bits);
}

std::optional<PyInt> PyInt::fromDouble(double number) {
  if (!std::isfinite(number))
    return std::nullopt;
  llvm::APSInt bits(1100, /*isUnsigned=*/false);
  bool exact;
  llvm::APFloat(number).convertToInteger(bits, llvm::APFloat::rmTowardZero, &exact);
  return PyInt(bits);
}

std::optional<PyInt> PyInt::fromText(llvm::StringRef text) {
  text = text.trim();
  bool negative = text.consume_front("-");
  if (!negative)
    text.consume_front("+");
  unsigned radix = 10;
  if (text.consume_front_insensitive("0x"))
    radix = 16;
  else if (text.consume_front_insensitive("0o"))
    radix = 8;
  else if (text.consume_front_insensitive("0b"))
    radix = 2;
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits.push_back(c);
  APInt bits;
  if (digits.empty() || digits.size() > bitLimit ||
      llvm::StringRef(digits).getAsInteger(radix, bits))
    return std::nullopt;
  std::optional<PyInt> result = fromSigned(bits.zext(bits.getBitWidth() + 1));
  return result && negative ? result->negate() : result;
}

int64_t PyInt::toInt64Saturated() const {
  if (fitsInt64())
    return value.getSExtValue();
  return isNegative() ? INT64_MIN : INT64_MAX;
}

double PyInt::toDouble() const {
  llvm::APFloat number(0.0);
  number.convertFromAPInt(value, /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
  return number.convertToDouble();
}

bool PyInt::fits(unsigned width, bool isSigned) const {
  if (isSigned)
    return value.getSignificantBits() <= width;
  return !isNegative() && value.getActiveBits() <= width;
}

std::string PyInt::str() const {
  llvm::SmallString<40> text;
  value.toStringSigned(text);
  return text.str().str();
}

std::optional<PyInt> PyInt::add(const PyInt &rhs) const {
  unsigned width = std::max(value.getBitWidth(), rhs.value.getBitWidth()) + 1;
  return fromSigned(value.sext(width) + rhs.value.sext(width));
}

std::optional<PyInt> PyInt::sub(const PyInt &rhs) const {
  unsigned width = std::max(value.getBitWidth(), rhs.value.getBitWidth()) + 1;
  return fromSigned(value.sext(width) - rhs.value.sext(width));
}

std::optional<PyInt> PyInt::mul(const PyInt &rhs) const {
  unsigned width = value.getBitWidth() + rhs.value.getBitWidth();
  return fromSigned(value.sext(width) * rhs.value.sext(width));
}

PyInt PyInt::floorDiv(const PyInt &rhs) const {
  unsigned width = std::max(value.getBitWidth(), rhs.value.getBitWidth()) + 1;
  APInt quotient, remainder;
  APInt divisor = rhs.value.sext(width);
  APInt::sdivrem(value.sext(width), divisor, quotient, remainder);
  if (!remainder.isZero() && remainder.isNegative() != divisor.isNegative())
    quotient -= 1;
  return PyInt(quotient);
}

PyInt PyInt::mod(const PyInt &rhs) const {
  unsigned width = std::max(value.getBitWidth(), rhs.value.getBitWidth()) + 1;
  APInt divisor = rhs.value.sext(width);
  APInt remainder = value.sext(width).srem(divisor);
  if (!remainder.isZero() && remainder.isNegative() != divisor.isNegative())
    remainder += divisor;
  return PyInt(remainder);
}

std::optional<PyInt> PyInt::pow(const PyInt &exponent) const {
  PyInt result(1), base = *this;
  if (isZero() || *this == PyInt(1))
    return exponent.isZero() ? PyInt(1) : *this;
  if (*this == PyInt(-1))
    return exponent.value[0] ? *this : PyInt(1);
  if (!exponent.fits(13, /*isSigned=*/true))
    return std::nullopt;
  for (int64_t left = exponent.toInt64Saturated(); left > 0; left >>= 1) {
    if (left & 1) {
      std::optional<PyInt> product = result.mul(base);
      if (!product)
        return std::nullopt;
      result = *product;
    }
    if (left == 1)
      break;
    std::optional<PyInt> square = base.mul(base);
    if (!square)
      return std::nullopt;
    base = *square;
  }
  return result;
}

std::optional<PyInt> PyInt::shl(const PyInt &amount) const {
  if (isZero())
    return PyInt(0);
  if (!amount.fits(14, /*isSigned=*/true))
    return std::nullopt;
  unsigned bits = static_cast<unsigned>(amount.toInt64Saturated());
  return fromSigned(value.sext(value.getBitWidth() + bits).shl(bits));
}

PyInt PyInt::shr(const PyInt &amount) const {
  if (!amount.fits(14, /*isSigned=*/true))
    return PyInt(isNegative() ? -1 : 0);
  unsigned bits = static_cast<unsigned>(amount.toInt64Saturated());
  unsigned width = std::max(value.getBitWidth(), bits + 1);
  return PyInt(value.sext(width).ashr(bits));
}

PyInt PyInt::bitAnd(const PyInt &rhs) const {
  unsigned width = std::max(value.getBitWidth(), rhs.value.getBitWidth());
  return PyInt(value.sext(width) & rhs.value.sext(width));
}

PyInt PyInt::bitOr(const PyInt &rhs) const {
  unsigned width = std::max(value.getBitWidth(), rhs.value.getBitWidth());
  return PyInt(value.sext(width) | rhs.value.sext(width));
}

PyInt PyInt::bitXor(const PyInt &rhs) const {
  unsigned width = std::max(value.getBitWidth(), rhs.value.getBitWidth());
  return PyInt(value.sext(width) ^ rhs.value.sext(width));
}

PyInt PyInt::negate() const { return PyInt(-value.sext(value.getBitWidth() + 1)); }

PyInt PyInt::invert() const { return PyInt(~value); }

int PyInt::compare(const PyInt &rhs) const {
  unsigned width = std::max(value.getBitWidth(), rhs.value.getBitWidth());
  APInt left = value.sext(width), right = rhs.value.sext(width);
  return left == right ? 0 : left.slt(right) ? -1 : 1;
}

} // namespace tilec
