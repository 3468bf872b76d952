// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between float and the two 16-bit float formats, rounding to nearest even. Sums,
// minima and maxima of two 16-bit values computed in float and rounded once are exact in the IEEE
// sense, because float has more than twice their precision.
#ifndef TILEC_RUNTIME_SIM_FLOAT16_H
#define TILEC_RUNTIME_SIM_FLOAT16_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tilecrt::sim {

inline float floatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

inline uint32_t bitsFromFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

inline float floatFromHalf(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 31;
  uint32_t mantissa = half & 0x3ff;
  if (exponent == 31)
    return floatFromBits(sign | 0x7f800000 | mantissa << 13);
  if (exponent == 0) {
    float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -magnitude : magnitude;
  }
  return floatFromBits(sign | (exponent + 112) << 23 | mantissa << 13);
}

inline uint16_t halfFromFloat(float value) {
  uint32_t bits = bitsFromFloat(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7fff);
  if (magnitude >= 0x477ff000) // Rounds to 65536 or more.
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) // Below the least normal half: round to multiples of 2^-24.
    return static_cast<uint16_t>(
        sign | static_cast<uint32_t>(std::nearbyint(std::ldexp(std::fabs(value), 24))));
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | (rounded - 0x38000000) >> 13);
}

inline float floatFromBFloat(uint16_t bits) { return floatFromBits(uint32_t(bits) << 16); }

inline uint16_t bfloatFromFloat(float value) {
  uint32_t bits = bitsFromFloat(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_FLOAT16_H
