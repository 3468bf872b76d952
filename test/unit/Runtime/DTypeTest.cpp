// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element conversions, exhaustive for the narrow floats. The reference knows a format only by the
// list of its values: the nearest one is found by search, a tie goes to the even bit pattern.

#include "tilecrt/data/DType.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

using namespace tilecrt;

namespace {

/// A narrow float described by its fields; the value is computed with powers of two only.
struct Format {
  const char *name;
  int bits;
  int significand;
  int bias;
  bool hasInfinity;
  bool saturates;
  double (*toDouble)(uint32_t);
  uint32_t (*fromDouble)(double);
};

const Format formats[] = {
    {"f16", 16, 10, 15, true, false, [](uint32_t b) { return f16ToDouble(uint16_t(b)); },
     [](double v) -> uint32_t { return doubleToF16(v); }},
    {"bf16", 16, 7, 127, true, false, [](uint32_t b) { return bf16ToDouble(uint16_t(b)); },
     [](double v) -> uint32_t { return doubleToBf16(v); }},
    {"f8e4m3", 8, 3, 7, false, true, [](uint32_t b) { return f8e4m3ToDouble(uint8_t(b)); },
     [](double v) -> uint32_t { return doubleToF8e4m3(v); }},
    {"f8e5m2", 8, 2, 15, true, true, [](uint32_t b) { return f8e5m2ToDouble(uint8_t(b)); },
     [](double v) -> uint32_t { return doubleToF8e5m2(v); }},
};

/// The value of a non-negative pattern by the textbook formula.
double referenceValue(const Format &format, uint32_t magnitude) {
  int exponentBits = format.bits - 1 - format.significand;
  uint32_t exponent = magnitude >> format.significand;
  uint32_t fraction = magnitude & ((1u << format.significand) - 1);
  uint32_t top = (1u << exponentBits) - 1;
  if (exponent == top) {
    if (format.hasInfinity)
      return fraction == 0 ? std::numeric_limits<double>::infinity()
                           : std::numeric_limits<double>::quiet_NaN();
    if (fraction == (1u << format.significand) - 1)
      return std::numeric_limits<double>::quiet_NaN();
  }
  double scaled = double(fraction) / double(1u << format.significand);
  if (exponent == 0)
    return scaled * std::pow(2.0, 1 - format.bias);
  return (1.0 + scaled) * std::pow(2.0, double(exponent) - format.bias);
}

/// All finite non-negative values in order; the index is the bit pattern.
std::vector<double> finiteValues(const Format &format) {
  std::vector<double> values;
  for (uint32_t m = 0; m < 1u << (format.bits - 1); ++m) {
    double value = referenceValue(format, m);
    if (!std::isfinite(value))
      break;
    values.push_back(value);
  }
  return values;
}

/// Nearest pattern to a non-negative finite value by search.
uint32_t referencePattern(const Format &format, const std::vector<double> &values, double value) {
  size_t above = size_t(std::lower_bound(values.begin(), values.end(), value) - values.begin());
  if (above == values.size()) {
    // Beyond the largest: half a quantum further it would round to the next binade.
    double step = values.back() - values[values.size() - 2];
    bool rounds = value >= values.back() + step / 2;
    bool odd = (values.size() - 1) & 1;
    bool overflow = rounds && (odd || value > values.back() + step / 2);
    return uint32_t(overflow && !format.saturates ? values.size() : values.size() - 1);
  }
  if (above == 0 || values[above] == value)
    return uint32_t(above);
  // Exact: neighbouring values and anything between them differ by less than a double's range.
  double down = value - values[above - 1];
  double up = values[above] - value;
  if (down != up)
    return uint32_t(down < up ? above - 1 : above);
  return uint32_t(above % 2 == 0 ? above : above - 1);
}

TEST(DType, every_pattern_decodes_as_the_formula_says) {
  for (const Format &format : formats)
    for (uint32_t b = 0; b < 1u << format.bits; ++b) {
      uint32_t signBit = 1u << (format.bits - 1);
      double expected = referenceValue(format, b & (signBit - 1));
      double got = format.toDouble(b);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(got)) << format.name << " " << b;
        continue;
      }
      ASSERT_EQ(std::fabs(got), expected) << format.name << " " << b;
      ASSERT_EQ(std::signbit(got), (b & signBit) != 0) << format.name << " " << b;
    }
}

TEST(DType, every_value_survives_the_round_trip) {
  for (const Format &format : formats)
    for (uint32_t b = 0; b < 1u << format.bits; ++b) {
      double value = format.toDouble(b);
      uint32_t back = format.fromDouble(value);
      if (std::isnan(value))
        ASSERT_TRUE(std::isnan(format.toDouble(back)));
      else if (std::isinf(value) && format.saturates)
        ASSERT_EQ(back, b - 1) << format.name;
      else
        ASSERT_EQ(back, b) << format.name;
    }
}

// Between every two neighbours: the middle, one double below it and one above.
TEST(DType, ties_go_to_even_and_their_neighbours_do_not) {
  for (const Format &format : formats) {
    std::vector<double> values = finiteValues(format);
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      double middle = (values[i] + values[i + 1]) / 2;
      for (double value : {std::nextafter(middle, 0.0), middle,
                           std::nextafter(middle, std::numeric_limits<double>::infinity())}) {
        uint32_t expected = referencePattern(format, values, value);
        ASSERT_EQ(format.fromDouble(value), expected) << format.name << " " << value;
        ASSERT_EQ(format.fromDouble(-value), expected | 1u << (format.bits - 1));
      }
    }
  }
}

TEST(DType, random_values_round_to_nearest) {
  std::mt19937_64 random(20240611);
  std::uniform_real_distribution<double> exponent(-140, 130);
  for (const Format &format : formats) {
    std::vector<double> values = finiteValues(format);
    for (int i = 0; i < 20000; ++i) {
      double value = std::exp2(exponent(random));
      ASSERT_EQ(format.fromDouble(value), referencePattern(format, values, value))
          << format.name << " " << value;
    }
  }
}

TEST(DType, overflow_saturates_the_8_bit_floats_only) {
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(doubleToF16(65519.99), 0x7bff);
  EXPECT_EQ(doubleToF16(65520), 0x7c00);
  EXPECT_EQ(doubleToF16(-1e300), 0xfc00);
  EXPECT_EQ(doubleToBf16(infinity), 0x7f80);
  EXPECT_EQ(f8e4m3ToDouble(doubleToF8e4m3(1e9)), 448);
  EXPECT_EQ(f8e4m3ToDouble(doubleToF8e4m3(-infinity)), -448);
  EXPECT_EQ(f8e5m2ToDouble(doubleToF8e5m2(1e9)), 57344);
  EXPECT_EQ(f8e5m2ToDouble(doubleToF8e5m2(infinity)), 57344);
  EXPECT_TRUE(std::isnan(f8e4m3ToDouble(doubleToF8e4m3(std::nan("")))));
  EXPECT_TRUE(std::isnan(f8e5m2ToDouble(doubleToF8e5m2(std::nan("")))));
}

TEST(DType, tiny_values_become_signed_zero) {
  double denormal = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(doubleToF16(denormal), 0);
  EXPECT_EQ(doubleToF16(-denormal), 0x8000);
  // Half of the smallest f16 ties to zero; just above it does not.
  EXPECT_EQ(doubleToF16(std::ldexp(1.0, -25)), 0);
  EXPECT_EQ(doubleToF16(std::nextafter(std::ldexp(1.0, -25), 1.0)), 1);
}

template <typename T> T stored(DType type, double value) {
  T result;
  doubleToElement(type, value, &result);
  return result;
}

TEST(DType, integers_round_to_even_and_saturate) {
  EXPECT_EQ(stored<int8_t>(DType::i8, 2.5), 2);
  EXPECT_EQ(stored<int8_t>(DType::i8, 3.5), 4);
  EXPECT_EQ(stored<int8_t>(DType::i8, -2.5), -2);
  EXPECT_EQ(stored<int8_t>(DType::i8, -0.5), 0);
  EXPECT_EQ(stored<int8_t>(DType::i8, 1000), 127);
  EXPECT_EQ(stored<int8_t>(DType::i8, -1000), -128);
  EXPECT_EQ(stored<uint8_t>(DType::u8, -1), 0);
  EXPECT_EQ(stored<int32_t>(DType::i32, std::nan("")), 0);
  EXPECT_EQ(stored<int64_t>(DType::i64, 1e30), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(stored<int64_t>(DType::i64, -1e30), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(stored<uint64_t>(DType::u64, 1.8446744073709552e19),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(stored<uint8_t>(DType::boolean, 0.25), 1);
  EXPECT_EQ(stored<uint8_t>(DType::boolean, 0.0), 0);
}

TEST(DType, f32_rounds_once_and_overflows_to_infinity) {
  EXPECT_EQ(stored<float>(DType::f32, 0.1), 0.1f);
  EXPECT_EQ(stored<float>(DType::f32, 1e39), std::numeric_limits<float>::infinity());
  EXPECT_EQ(stored<float>(DType::f32, -1e39), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(stored<float>(DType::f32, 0x1.fffffefp127), std::numeric_limits<float>::max());
  EXPECT_TRUE(std::isnan(stored<float>(DType::f32, std::nan(""))));
}

TEST(DType, every_name_parses_back) {
  std::set<std::string> seen;
  for (DType type : allDTypes) {
    EXPECT_EQ(parseDType(dtypeName(type)), type);
    EXPECT_EQ(parseDType(tritonName(type)), type);
    EXPECT_TRUE(seen.insert(dtypeName(type)).second);
  }
  EXPECT_EQ(parseDType("float32"), DType::f32);
  EXPECT_EQ(parseDType("fp8e4nv"), DType::f8e4m3);
  EXPECT_EQ(parseDType("f31"), std::nullopt);
  EXPECT_EQ(parseDType(""), std::nullopt);
}

TEST(DType, facts_agree_with_each_other) {
  for (DType type : allDTypes) {
    bool boolean = type == DType::boolean;
    EXPECT_EQ(isFloat(type) + isInteger(type) + boolean, 1) << dtypeName(type);
  }
  EXPECT_EQ(integerValueBits(DType::i8), 7u);
  EXPECT_EQ(integerValueBits(DType::u64), 64u);
  EXPECT_EQ(dtypeSize(DType::bf16), 2u);
}

} // namespace
