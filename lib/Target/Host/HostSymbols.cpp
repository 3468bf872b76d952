// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of the C library's functions: those that a kernel names, and those that LLVM makes of
// intrinsics and of combinations (sin and cos of one argument become sincos).

#include "HostSymbols.h"

#include <math.h>
#include <string.h>

using namespace tilec;

/// The address of the overload with this signature.
template <typename Signature> static void *addressOf(Signature *function) {
  return reinterpret_cast<void *>(function);
}

// One row gives the function for f64 and its sibling for f32.
#define TILEC_UNARY(name)                                                                          \
  {#name, addressOf<double(double)>(::name)}, { #name "f", addressOf<float(float)>(::name##f) }
#define TILEC_BINARY(name)                                                                         \
  {#name, addressOf<double(double, double)>(::name)}, {                                            \
    #name "f", addressOf<float(float, float)>(::name##f)                                           \
  }

const std::vector<HostSymbol> &tilec::librarySymbols() {
  static const std::vector<HostSymbol> symbols = {
      TILEC_UNARY(acos),
      TILEC_UNARY(acosh),
      TILEC_UNARY(asin),
      TILEC_UNARY(asinh),
      TILEC_UNARY(atan),
      TILEC_UNARY(atanh),
      TILEC_UNARY(cbrt),
      TILEC_UNARY(ceil),
      TILEC_UNARY(cos),
      TILEC_UNARY(cosh),
      TILEC_UNARY(erf),
      TILEC_UNARY(erfc),
      TILEC_UNARY(exp),
      TILEC_UNARY(exp10),
      TILEC_UNARY(exp2),
      TILEC_UNARY(expm1),
      TILEC_UNARY(fabs),
      TILEC_UNARY(floor),
      TILEC_UNARY(j0),
      TILEC_UNARY(j1),
      TILEC_UNARY(lgamma),
      TILEC_UNARY(log),
      TILEC_UNARY(log10),
      TILEC_UNARY(log1p),
      TILEC_UNARY(log2),
      TILEC_UNARY(logb),
      TILEC_UNARY(nearbyint),
      TILEC_UNARY(rint),
      TILEC_UNARY(round),
      TILEC_UNARY(roundeven),
      TILEC_UNARY(sin),
      TILEC_UNARY(sinh),
      TILEC_UNARY(sqrt),
      TILEC_UNARY(tan),
      TILEC_UNARY(tanh),
      TILEC_UNARY(tgamma),
      TILEC_UNARY(trunc),
      TILEC_UNARY(y0),
      TILEC_UNARY(y1),
      TILEC_BINARY(atan2),
      TILEC_BINARY(copysign),
      TILEC_BINARY(fdim),
      TILEC_BINARY(fmax),
      TILEC_BINARY(fmin),
      TILEC_BINARY(fmod),
      TILEC_BINARY(hypot),
      TILEC_BINARY(nextafter),
      TILEC_BINARY(pow),
      TILEC_BINARY(remainder),
      {"frexp", addressOf<double(double, int *)>(::frexp)},
      {"frexpf", addressOf<float(float, int *)>(::frexpf)},
      {"fma", addressOf<double(double, double, double)>(::fma)},
      {"fmaf", addressOf<float(float, float, float)>(::fmaf)},
      {"ilogb", addressOf<int(double)>(::ilogb)},
      {"ilogbf", addressOf<int(float)>(::ilogbf)},
      {"ldexp", addressOf<double(double, int)>(::ldexp)},
      {"ldexpf", addressOf<float(float, int)>(::ldexpf)},
      {"modf", addressOf<double(double, double *)>(::modf)},
      {"modff", addressOf<float(float, float *)>(::modff)},
      {"sincos", addressOf<void(double, double *, double *)>(::sincos)},
      {"sincosf", addressOf<void(float, float *, float *)>(::sincosf)},
      {"lrint", addressOf<long(double)>(::lrint)},
      {"lrintf", addressOf<long(float)>(::lrintf)},
      {"llrint", addressOf<long long(double)>(::llrint)},
      {"llrintf", addressOf<long long(float)>(::llrintf)},
      {"lround", addressOf<long(double)>(::lround)},
      {"lroundf", addressOf<long(float)>(::lroundf)},
      {"llround", addressOf<long long(double)>(::llround)},
      {"llroundf", addressOf<long long(float)>(::llroundf)},
      {"memcmp", addressOf<int(const void *, const void *, size_t)>(::memcmp)},
      {"memcpy", addressOf<void *(void *, const void *, size_t)>(::memcpy)},
      {"memmove", addressOf<void *(void *, const void *, size_t)>(::memmove)},
      {"memset", addressOf<void *(void *, int, size_t)>(::memset)},
  };
  return symbols;
}
