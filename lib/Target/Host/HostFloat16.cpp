// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 and bf16 from and to wider floats, in integers, so that nothing depends on the compiler's
// runtime library: LLVM calls these where the processor has no instruction. Narrowing rounds to
// nearest, ties to even; both ways are exact otherwise, and a NaN stays a quiet NaN.

#include "HostSymbols.h"

#include <algorithm>
#include <cstring>

using namespace tilec;

namespace {

/// How the functions receive and return 16-bit floats.
#ifdef __FLT16_MANT_DIG__
using Float16 = _Float16;
#else
using Float16 = uint16_t;
#endif

/// Shape of a binary float.
struct Format {
  int exponentBits;
  int mantissaBits;
  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr uint64_t infinity() const {
    return ((uint64_t(1) << exponentBits) - 1) << mantissaBits;
  }
};
constexpr Format half = {5, 10}, brain = {8, 7}, single = {8, 23}, twice = {11, 52};

template <typename To, typename From> To sameBits(From from) {
  static_assert(sizeof(To) == sizeof(From), "a reinterpretation keeps the size");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// A float as significand * 2^exponent, of bits that are neither infinite nor NaN.
struct Scaled {
  Scaled(uint64_t magnitude, Format format) {
    int biased = static_cast<int>(magnitude >> format.mantissaBits);
    uint64_t hidden = uint64_t(1) << format.mantissaBits;
    significand = magnitude & (hidden - 1);
    if (biased)
      significand |= hidden;
    exponent = std::max(biased, 1) - format.bias() - format.mantissaBits;
  }
  uint64_t significand;
  int exponent;
};

/// value / 2^shift, rounded to nearest, ties to even.
uint64_t shiftRounded(uint64_t value, int shift) {
  if (shift <= 0)
    return value << -shift;
  if (shift > 62)
    return 0;
  uint64_t rest = value & ((uint64_t(1) << shift) - 1);
  uint64_t middle = uint64_t(1) << (shift - 1);
  uint64_t quotient = value >> shift;
  return quotient + (rest > middle || (rest == middle && (quotient & 1)));
}

/// The bits of a float in another format.
uint64_t convert(uint64_t bits, Format from, Format to) {
  int signBit = from.exponentBits + from.mantissaBits;
  uint64_t sign = bits >> signBit << (to.exponentBits + to.mantissaBits);
  uint64_t magnitude = bits & ((uint64_t(1) << signBit) - 1);
  if (magnitude >= from.infinity()) {
    uint64_t payload = magnitude - from.infinity();
    int drop = from.mantissaBits - to.mantissaBits;
    payload = drop > 0 ? payload >> drop : payload << -drop;
    uint64_t quiet = magnitude > from.infinity() ? uint64_t(1) << (to.mantissaBits - 1) : 0;
    return sign | to.infinity() | payload | quiet;
  }
  Scaled value(magnitude, from);
  if (value.significand == 0)
    return sign;
  int top = value.exponent;
  for (uint64_t rest = value.significand; rest >>= 1;)
    ++top;
  int smallest = 1 - to.bias();
  int lastPlace = std::max(top, smallest) - to.mantissaBits;
  uint64_t rounded = shiftRounded(value.significand, lastPlace - value.exponent);
  // A carry out of the significand moves on to the exponent by itself.
  if (top >= smallest)
    rounded += static_cast<uint64_t>(top - smallest) << to.mantissaBits;
  return sign | std::min(rounded, to.infinity());
}

Float16 narrowSingle(float value, Format to) {
  return sameBits<Float16>(static_cast<uint16_t>(convert(sameBits<uint32_t>(value), single, to)));
}

Float16 narrowDouble(double value, Format to) {
  return sameBits<Float16>(static_cast<uint16_t>(convert(sameBits<uint64_t>(value), twice, to)));
}

extern "C" {
Float16 tilec_host_truncsfhf(float value) { return narrowSingle(value, half); }
Float16 tilec_host_truncdfhf(double value) { return narrowDouble(value, half); }
Float16 tilec_host_truncsfbf(float value) { return narrowSingle(value, brain); }
Float16 tilec_host_truncdfbf(double value) { return narrowDouble(value, brain); }
float tilec_host_extendhfsf(Float16 value) {
  return sameBits<float>(static_cast<uint32_t>(convert(sameBits<uint16_t>(value), half, single)));
}
double tilec_host_extendhfdf(Float16 value) {
  return sameBits<double>(convert(sameBits<uint16_t>(value), half, twice));
}
}

} // namespace

const std::vector<HostSymbol> &tilec::float16Symbols() {
  static const std::vector<HostSymbol> symbols = {
      {"__truncsfhf2", reinterpret_cast<void *>(&tilec_host_truncsfhf)},
      {"__truncdfhf2", reinterpret_cast<void *>(&tilec_host_truncdfhf)},
      {"__truncsfbf2", reinterpret_cast<void *>(&tilec_host_truncsfbf)},
      {"__truncdfbf2", reinterpret_cast<void *>(&tilec_host_truncdfbf)},
      {"__extendhfsf2", reinterpret_cast<void *>(&tilec_host_extendhfsf)},
      {"__extendhfdf2", reinterpret_cast<void *>(&tilec_host_extendhfdf)},
  };
  return symbols;
}
