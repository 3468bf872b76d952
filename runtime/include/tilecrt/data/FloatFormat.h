// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binary floats of any shape and the conversion between them, in integers: nothing depends on the
// floating-point environment or on the compiler's own library. Depends on nothing.

#ifndef TILECRT_DATA_FLOATFORMAT_H
#define TILECRT_DATA_FLOATFORMAT_H

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tilecrt {

/// Sign, exponent, mantissa.
struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  /// Otherwise every magnitude but all ones, which is NaN, is a number.
  bool hasInfinity = true;
  /// What is too large becomes the largest finite value, infinities too; NaN is all ones.
  bool saturates = false;

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr int signShift() const { return exponentBits + mantissaBits; }
  constexpr uint64_t allOnes() const { return (uint64_t(1) << signShift()) - 1; }
  /// The first magnitude that is no number.
  constexpr uint64_t infinity() const {
    return hasInfinity ? allOnes() >> mantissaBits << mantissaBits : allOnes();
  }
};

inline constexpr FloatFormat formatF16{5, 10};
inline constexpr FloatFormat formatBf16{8, 7};
inline constexpr FloatFormat formatF32{8, 23};
inline constexpr FloatFormat formatF64{11, 52};
inline constexpr FloatFormat formatF8e4m3{4, 3, false, true};
inline constexpr FloatFormat formatF8e5m2{5, 2, true, true};

/// value / 2^shift, rounded to nearest, ties to even.
constexpr uint64_t shiftRounded(uint64_t value, int shift) {
  if (shift <= 0)
    return value << -shift;
  if (shift > 62)
    return 0;
  uint64_t rest = value & ((uint64_t(1) << shift) - 1);
  uint64_t middle = uint64_t(1) << (shift - 1);
  uint64_t quotient = value >> shift;
  return quotient + (rest > middle || (rest == middle && (quotient & 1)));
}

/// The bits of a float in another format, rounded to nearest, ties to even. A NaN stays a quiet
/// NaN, with as much of its payload as fits.
template <const FloatFormat &From, const FloatFormat &To>
constexpr uint64_t convertFloat(uint64_t bits) {
  uint64_t sign = bits >> From.signShift() << To.signShift();
  uint64_t magnitude = bits & From.allOnes();
  constexpr uint64_t tooLarge = To.saturates ? To.infinity() - 1 : To.infinity();
  if (magnitude >= From.infinity()) {
    if (From.hasInfinity && magnitude == From.infinity())
      return sign | tooLarge;
    if (To.saturates)
      return sign | To.allOnes();
    constexpr int drop = From.mantissaBits - To.mantissaBits;
    uint64_t payload = magnitude & ((uint64_t(1) << From.mantissaBits) - 1);
    payload = drop > 0 ? payload >> std::max(drop, 0) : payload << std::max(-drop, 0);
    return sign | To.infinity() | payload | uint64_t(1) << (To.mantissaBits - 1);
  }
  if (magnitude == 0)
    return sign;
  // significand * 2^exponent.
  int biased = int(magnitude >> From.mantissaBits);
  uint64_t hidden = uint64_t(1) << From.mantissaBits;
  uint64_t significand = (magnitude & (hidden - 1)) | (biased != 0 ? hidden : 0);
  int exponent = std::max(biased, 1) - From.bias() - From.mantissaBits;
  int top = exponent + 63 - __builtin_clzll(significand);
  constexpr int smallest = 1 - To.bias();
  int lastPlace = std::max(top, smallest) - To.mantissaBits;
  uint64_t rounded = shiftRounded(significand, lastPlace - exponent);
  // A carry out of the significand moves on to the exponent by itself.
  if (top >= smallest)
    rounded += uint64_t(top - smallest) << To.mantissaBits;
  return sign | std::min(rounded, tooLarge);
}

/// The bits of a value as another type of its size.
template <typename To, typename From> To sameBits(From from) {
  static_assert(sizeof(To) == sizeof(From), "a reinterpretation keeps the size");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

} // namespace tilecrt

#endif // TILECRT_DATA_FLOATFORMAT_H
