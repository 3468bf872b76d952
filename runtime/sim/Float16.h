// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between float and the two 16-bit float formats, rounding to nearest even. Sums,
// minima and maxima of two 16-bit values computed in float and rounded once are exact in the IEEE
// sense, because float has more than twice their precision.
#ifndef TILEC_RUNTIME_SIM_FLOAT16_H
#define TILEC_RUNTIME_SIM_FLOAT16_H

#include "tilecrt/data/FloatFormat.h"

#include <cmath>

namespace tilecrt::sim {

inline float floatFromBits(uint32_t bits) { return sameBits<float>(bits); }
inline uint32_t bitsFromFloat(float value) { return sameBits<uint32_t>(value); }

inline float floatFromHalf(uint16_t half) {
  return floatFromBits(uint32_t(convertFloat<formatF16, formatF32>(half)));
}

/// NaN is 0x7fff, as on GPUs.
inline uint16_t halfFromDouble(double value) {
  if (std::isnan(value))
    return std::signbit(value) ? 0xffff : 0x7fff;
  return uint16_t(convertFloat<formatF64, formatF16>(sameBits<uint64_t>(value)));
}
inline uint16_t halfFromFloat(float value) { return halfFromDouble(value); }

inline float floatFromBFloat(uint16_t bits) { return floatFromBits(uint32_t(bits) << 16); }

inline uint16_t bfloatFromFloat(float value) {
  if (std::isnan(value))
    return 0x7fff;
  return uint16_t(convertFloat<formatF32, formatBf16>(bitsFromFloat(value)));
}

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_FLOAT16_H
