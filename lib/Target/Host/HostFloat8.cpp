// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OCP 8-bit floats for simulated kernels. From f32 as cvt.rn.satfinite does it: to nearest,
// ties to even, too large values to the largest finite one, NaN to NaN.

#include "HostSymbols.h"

#include "tilecrt/data/FloatFormat.h"

using namespace tilec;
using namespace tilecrt;

template <const FloatFormat &Format> static uint8_t narrow(float value) {
  return uint8_t(convertFloat<formatF32, Format>(sameBits<uint32_t>(value)));
}

template <const FloatFormat &Format> static float widen(uint8_t bits) {
  return sameBits<float>(uint32_t(convertFloat<Format, formatF32>(bits)));
}

const std::vector<HostSymbol> &tilec::float8Symbols() {
  static const std::vector<HostSymbol> symbols = {
      {"tilec_host_f32_to_e4m3", reinterpret_cast<void *>(&narrow<formatF8e4m3>)},
      {"tilec_host_f32_to_e5m2", reinterpret_cast<void *>(&narrow<formatF8e5m2>)},
      {"tilec_host_e4m3_to_f32", reinterpret_cast<void *>(&widen<formatF8e4m3>)},
      {"tilec_host_e5m2_to_f32", reinterpret_cast<void *>(&widen<formatF8e5m2>)},
  };
  return symbols;
}
