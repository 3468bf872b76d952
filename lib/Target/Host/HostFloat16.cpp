// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 and bf16 from and to wider floats: LLVM calls these where the processor has no instruction.

#include "HostSymbols.h"

#include "tilecrt/data/FloatFormat.h"

using namespace tilec;
using namespace tilecrt;

namespace {

/// How the functions receive and return 16-bit floats.
#ifdef __FLT16_MANT_DIG__
using Float16 = _Float16;
#else
using Float16 = uint16_t;
#endif

template <const FloatFormat &To> Float16 narrowSingle(float value) {
  return sameBits<Float16>(uint16_t(convertFloat<formatF32, To>(sameBits<uint32_t>(value))));
}

template <const FloatFormat &To> Float16 narrowDouble(double value) {
  return sameBits<Float16>(uint16_t(convertFloat<formatF64, To>(sameBits<uint64_t>(value))));
}

extern "C" {
Float16 tilec_host_truncsfhf(float value) { return narrowSingle<formatF16>(value); }
Float16 tilec_host_truncdfhf(double value) { return narrowDouble<formatF16>(value); }
Float16 tilec_host_truncsfbf(float value) { return narrowSingle<formatBf16>(value); }
Float16 tilec_host_truncdfbf(double value) { return narrowDouble<formatBf16>(value); }
float tilec_host_extendhfsf(Float16 value) {
  return sameBits<float>(uint32_t(convertFloat<formatF16, formatF32>(sameBits<uint16_t>(value))));
}
double tilec_host_extendhfdf(Float16 value) {
  return sameBits<double>(convertFloat<formatF16, formatF64>(sameBits<uint16_t>(value)));
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
