// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 16-bit floats of the C++ wrapper against the compiler's own conversions.

#include "tilec/values.hpp"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace tilec;

namespace {

uint16_t bitsOf(_Float16 value) {
  uint16_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

TEST(Values, everyHalfThereAndBack) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    Half half = {uint16_t(i)};
    _Float16 native;
    std::memcpy(&native, &half.bits, sizeof native);
    if (std::isnan(half.toFloat())) {
      EXPECT_GT(i & 0x7fff, 0x7c00u);
      EXPECT_TRUE(std::isnan(Half::of(half.toFloat()).toFloat()));
      continue;
    }
    ASSERT_EQ(half.toFloat(), float(native)) << i;
    ASSERT_EQ(Half::of(half.toFloat()).bits, i);
    BFloat16 brain = {uint16_t(i)};
    if (!std::isnan(brain.toFloat()))
      ASSERT_EQ(BFloat16::of(brain.toFloat()).bits, i);
  }
}

TEST(Values, roundsToNearestEven) {
  std::mt19937 random(7);
  for (int i = 0; i < 300000; ++i) {
    // Every other value lies half way between two halves, or nearly so.
    uint32_t word = random();
    if (i % 2)
      word = (word & 0xffffe000) | 0x1000 | (random() % 3 == 0);
    float value = 0;
    std::memcpy(&value, &word, sizeof value);
    if (!std::isnan(value))
      ASSERT_EQ(Half::of(value).bits, bitsOf(_Float16(value))) << value;
  }
  EXPECT_EQ(Half::of(65519.0f).bits, 0x7bff);
  EXPECT_EQ(Half::of(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half::of(std::ldexp(1.0f, -25)).bits, 0);
  EXPECT_EQ(Half::of(std::ldexp(1.5f, -25)).bits, 1);
  EXPECT_EQ(BFloat16::of(1.0f + 1.0f / 256).bits, 0x3f80);
  EXPECT_EQ(BFloat16::of(1.0f + 3.0f / 256).bits, 0x3f82);
  EXPECT_TRUE(std::isnan(BFloat16::of(std::numeric_limits<float>::quiet_NaN()).toFloat()));
  EXPECT_EQ(BFloat16::of(std::numeric_limits<float>::max()).bits, 0x7f80);
}

TEST(Values, descriptorsWithoutGaps) {
  float *memory = nullptr;
  TensorDescriptor<float, 3> tensor(memory, {5, 7, 16}, {1, 4, 16});
  EXPECT_EQ(tensor.strides, (std::array<int64_t, 2>{112, 16}));
  TensorDescriptor<const float, 3> read = tensor;
  EXPECT_EQ(read.block, tensor.block);
  TensorDescriptor<float, 1> row(memory, {9}, {16});
  EXPECT_TRUE(row.strides.empty());
}

} // namespace
