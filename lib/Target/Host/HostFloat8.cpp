// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OCP 8-bit floats for simulated kernels. From f32 as cvt.rn.satfinite does it: to nearest,
// ties to even, too large values to the largest finite one, NaN to NaN. With e the exponent of the
// result's binade and m its mantissa bits, the value is counted in units of 2^(e-m); that count and
// the exponent field add up to the bits.

#include "HostSymbols.h"

#include <algorithm>
#include <cmath>

using namespace tilec;

static uint8_t narrow(float value, int mantissaBits, int bias, int maxFinite) {
  int sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value))
    return uint8_t(sign | 0x7f);
  double magnitude = std::fabs(double(value));
  if (magnitude == 0)
    return uint8_t(sign);
  if (std::isinf(magnitude))
    return uint8_t(sign | maxFinite);
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  double count = std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent));
  double bits = std::ldexp(double(exponent + bias - 1), mantissaBits) + count;
  return uint8_t(sign | int(std::min(bits, double(maxFinite))));
}

static uint8_t toE4M3(float value) { return narrow(value, 3, 7, 0x7e); }
static uint8_t toE5M2(float value) { return narrow(value, 2, 15, 0x7b); }

static float widen(uint8_t bits, int mantissaBits, int bias, bool hasInfinity) {
  int magnitude = bits & 0x7f, field = magnitude >> mantissaBits;
  int mantissa = magnitude & ((1 << mantissaBits) - 1);
  float value = 0;
  if (hasInfinity ? field == 0x1f : magnitude == 0x7f)
    value = hasInfinity && mantissa == 0 ? INFINITY : NAN;
  else if (field == 0)
    value = std::ldexp(float(mantissa), 1 - bias - mantissaBits);
  else
    value = std::ldexp(float(mantissa + (1 << mantissaBits)), field - bias - mantissaBits);
  return bits & 0x80 ? -value : value;
}

static float fromE4M3(uint8_t bits) { return widen(bits, 3, 7, false); }
static float fromE5M2(uint8_t bits) { return widen(bits, 2, 15, true); }

const std::vector<HostSymbol> &tilec::float8Symbols() {
  static const std::vector<HostSymbol> symbols = {
      {"tilec_host_f32_to_e4m3", reinterpret_cast<void *>(&toE4M3)},
      {"tilec_host_f32_to_e5m2", reinterpret_cast<void *>(&toE5M2)},
      {"tilec_host_e4m3_to_f32", reinterpret_cast<void *>(&fromE4M3)},
      {"tilec_host_e5m2_to_f32", reinterpret_cast<void *>(&fromE5M2)},
  };
  return symbols;
}
