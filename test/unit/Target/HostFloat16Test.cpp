// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversions of 16-bit floats that compiled kernels call, against their definition: a result
// is right when no neighbour is nearer, and even at a tie.

#include "lib/Target/Host/HostSymbols.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

using namespace tilec;

#ifdef __FLT16_MANT_DIG__

namespace {

template <typename Function> Function *symbol(const std::string &name) {
  for (const HostSymbol &candidate : float16Symbols())
    if (name == candidate.name)
      return reinterpret_cast<Function *>(candidate.address);
  return nullptr;
}

template <typename To, typename From> To sameBits(From from) {
  static_assert(sizeof(To) == sizeof(From), "a reinterpretation keeps the size");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// The value of a 16-bit float with `mantissaBits`, infinity as the next power of two.
double valueOf(uint16_t bits, int mantissaBits) {
  int exponentBits = 15 - mantissaBits;
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits & 0x7fff) >> mantissaBits;
  double fraction = bits & ((1 << mantissaBits) - 1);
  double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissaBits)
                    : std::ldexp(fraction + (1 << mantissaBits), exponent - bias - mantissaBits);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// Whether `bits` is what `value` rounds to.
bool isNearestEven(double value, uint16_t bits, int mantissaBits) {
  uint16_t infinity = static_cast<uint16_t>(((1 << (15 - mantissaBits)) - 1) << mantissaBits);
  if (std::signbit(value) != ((bits & 0x8000) != 0))
    return false;
  uint16_t magnitude = bits & 0x7fff;
  double target = std::fabs(value);
  if (std::isinf(target) || target >= valueOf(infinity, mantissaBits))
    return magnitude == infinity;
  double distance = std::fabs(valueOf(magnitude, mantissaBits) - target);
  auto isBetter = [&](uint16_t other) {
    double otherDistance = std::fabs(valueOf(other, mantissaBits) - target);
    return otherDistance < distance || (otherDistance == distance && (magnitude & 1));
  };
  return !(magnitude > 0 && isBetter(magnitude - 1)) &&
         !(magnitude < infinity && isBetter(magnitude + 1));
}

TEST(HostFloat16Test, WidensEveryHalfExactly) {
  auto *toSingle = symbol<float(_Float16)>("__extendhfsf2");
  auto *toDouble = symbol<double(_Float16)>("__extendhfdf2");
  for (uint32_t i = 0; i < 65536; ++i) {
    auto bits = static_cast<uint16_t>(i);
    float single = toSingle(sameBits<_Float16>(bits));
    double wide = toDouble(sameBits<_Float16>(bits));
    EXPECT_EQ(std::signbit(single), (bits & 0x8000) != 0);
    if ((bits & 0x7c00) != 0x7c00) {
      EXPECT_EQ(single, valueOf(bits, 10));
      EXPECT_EQ(wide, valueOf(bits, 10));
    } else {
      EXPECT_EQ(std::isinf(single), (bits & 0x3ff) == 0);
      EXPECT_EQ(std::isnan(wide), (bits & 0x3ff) != 0);
    }
  }
}

TEST(HostFloat16Test, NarrowsSinglesToNearestEven) {
  auto *toHalf = symbol<_Float16(float)>("__truncsfhf2");
  auto *toBrain = symbol<_Float16(float)>("__truncsfbf2");
  // A stride without small factors meets every exponent and low bits of all kinds.
  for (uint64_t i = 0; i < (uint64_t(1) << 32); i += 4093) {
    float value = sameBits<float>(static_cast<uint32_t>(i));
    auto half = sameBits<uint16_t>(toHalf(value));
    auto brain = sameBits<uint16_t>(toBrain(value));
    if (std::isnan(value)) {
      EXPECT_GT(half & 0x7fff, 0x7c00);
      EXPECT_GT(brain & 0x7fff, 0x7f80);
      continue;
    }
    ASSERT_TRUE(isNearestEven(value, half, 10)) << std::hexfloat << value;
    ASSERT_TRUE(isNearestEven(value, brain, 7)) << std::hexfloat << value;
  }
}

TEST(HostFloat16Test, RoundsTiesToEven) {
  auto *toHalf = symbol<_Float16(double)>("__truncdfhf2");
  auto *toBrain = symbol<_Float16(double)>("__truncdfbf2");
  for (uint32_t i = 0; i < 0x7c00; ++i) {
    auto bits = static_cast<uint16_t>(i);
    double middle = (valueOf(bits, 10) + valueOf(bits + 1, 10)) / 2;
    uint16_t even = bits & 1 ? bits + 1 : bits;
    EXPECT_EQ(sameBits<uint16_t>(toHalf(middle)), even);
    EXPECT_EQ(sameBits<uint16_t>(toHalf(std::nextafter(middle, 0.0))), bits);
    EXPECT_EQ(sameBits<uint16_t>(toHalf(std::nextafter(middle, 1e9))), bits + 1);
  }
  for (uint32_t i = 0; i < 0x7f80; ++i) {
    auto bits = static_cast<uint16_t>(i);
    double middle = (valueOf(bits, 7) + valueOf(bits + 1, 7)) / 2;
    uint16_t even = bits & 1 ? bits + 1 : bits;
    EXPECT_EQ(sameBits<uint16_t>(toBrain(middle)), even);
    EXPECT_EQ(sameBits<uint16_t>(toBrain(-std::nextafter(middle, 1e300))), (bits + 1) | 0x8000);
  }
}

} // namespace

#endif // __FLT16_MANT_DIG__
