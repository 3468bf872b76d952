// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host arrays and their contents: creation limits, Philox against its published vectors,
// determinism, and the statistics of random fills.

#include "tilecrt/data/HostArray.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

using namespace tilecrt;

namespace {

HostArray make(DType type, std::vector<int64_t> shape) {
  Result<HostArray> array = HostArray::create(type, std::move(shape));
  EXPECT_TRUE(array.ok()) << array.message();
  return std::move(*array);
}

bool sameBytes(const HostArray &a, const HostArray &b) {
  return a.byteSize() == b.byteSize() && std::memcmp(a.data(), b.data(), a.byteSize()) == 0;
}

TEST(HostArray, knows_shape_size_and_coordinates) {
  HostArray array = make(DType::f16, {3, 4, 5});
  EXPECT_EQ(array.size(), 60u);
  EXPECT_EQ(array.byteSize(), 120u);
  EXPECT_EQ(array.describe(), "f16[3x4x5]");
  EXPECT_EQ(array.coordinates(59), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(array.coordinates(26), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % HostArray::alignment, 0u);
}

TEST(HostArray, scalar_and_empty) {
  Result<HostArray> scalar = HostArray::scalar(DType::i64, 7);
  ASSERT_TRUE(scalar.ok());
  EXPECT_EQ(scalar->size(), 1u);
  EXPECT_EQ(scalar->elementText(0), "7");
  EXPECT_EQ(make(DType::f32, {4, 0, 2}).size(), 0u);
  EXPECT_EQ(HostArray().size(), 0u);
}

TEST(HostArray, impossible_shapes_are_refused) {
  EXPECT_EQ(HostArray::create(DType::f32, {-1}).code(), StatusCode::invalidArgument);
  EXPECT_EQ(HostArray::create(DType::f32, std::vector<int64_t>(33, 1)).code(),
            StatusCode::invalidArgument);
  int64_t large = int64_t(1) << 62;
  EXPECT_EQ(HostArray::create(DType::f64, {large, large}).code(), StatusCode::outOfResources);
  EXPECT_EQ(HostArray::create(DType::f64, {large}).code(), StatusCode::outOfResources);
  EXPECT_EQ(HostArray::create(DType::f32, {int64_t(1) << 50}).code(), StatusCode::outOfResources);
  // Nothing is needed for an array without elements, whatever its other extents are.
  EXPECT_TRUE(HostArray::create(DType::f64, {large, large, 0}).ok());
}

TEST(HostArray, clone_is_independent) {
  HostArray array = make(DType::i32, {4});
  fillArange(array);
  Result<HostArray> copy = array.clone();
  ASSERT_TRUE(copy.ok());
  copy->set(0, 9);
  EXPECT_EQ(array.at(0), 0);
  EXPECT_EQ(copy->at(3), 3);
}

TEST(HostArray, element_text_reads_back) {
  HostArray large = make(DType::u64, {1});
  large.as<uint64_t>()[0] = ~uint64_t(0);
  EXPECT_EQ(large.elementText(0), "18446744073709551615");
  HostArray single = make(DType::f32, {1});
  single.set(0, 0.1);
  EXPECT_EQ(single.elementText(0), "0.1");
  HostArray twice = make(DType::f64, {1});
  twice.set(0, 1.0 / 3);
  EXPECT_EQ(std::stod(twice.elementText(0)), 1.0 / 3);
}

// The vectors published with the Random123 library.
TEST(Fill, philox_known_answers) {
  struct Answer {
    uint32_t counter[4];
    uint32_t key[2];
    uint32_t expected[4];
  };
  const Answer answers[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (const Answer &answer : answers) {
    uint32_t out[4];
    philox4x32(answer.counter, answer.key, out);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(out[i], answer.expected[i]);
  }
}

TEST(Fill, random_values_depend_on_seed_tensor_and_index_only) {
  HostArray a = make(DType::f32, {1000});
  HostArray b = make(DType::f32, {10, 100});
  ASSERT_TRUE(fillRandn(a, {7, 1}).ok());
  ASSERT_TRUE(fillRandn(b, {7, 1}).ok());
  EXPECT_TRUE(sameBytes(a, b));
  ASSERT_TRUE(fillRandn(b, {7, 2}).ok());
  EXPECT_FALSE(sameBytes(a, b));
  ASSERT_TRUE(fillRandn(b, {8, 1}).ok());
  EXPECT_FALSE(sameBytes(a, b));
}

// Long arrays are filled by several threads; the start of a long one equals a short one, and the
// middle equals what the element's index says.
TEST(Fill, threads_do_not_change_values) {
  HostArray longOne = make(DType::f32, {(1 << 20) + 3});
  HostArray shortOne = make(DType::f32, {999});
  ASSERT_TRUE(fillRandn(longOne, {3, 0}).ok());
  ASSERT_TRUE(fillRandn(shortOne, {3, 0}).ok());
  EXPECT_EQ(std::memcmp(longOne.data(), shortOne.data(), shortOne.byteSize()), 0);
  HostArray integers = make(DType::i64, {(1 << 20) + 3});
  int64_t all = int64_t(1) << 62;
  ASSERT_TRUE(fillRandint(integers, {3, 0}, 0, all).ok());
  for (uint64_t i : {uint64_t(0), uint64_t(1), uint64_t(600001), integers.size() - 1})
    EXPECT_EQ(uint64_t(integers.as<int64_t>()[i]), randomBits({3, 0}, i) >> 2) << i;
  // A value that was never written would still be the poison.
  fillPoison(longOne);
  ASSERT_TRUE(fillRand(longOne, {3, 0}).ok());
  for (uint64_t i = 0; i < longOne.size(); ++i)
    ASSERT_FALSE(std::isnan(longOne.at(i))) << i;
}

TEST(Fill, normal_values_have_mean_0_and_variance_1) {
  HostArray array = make(DType::f64, {200000});
  ASSERT_TRUE(fillRandn(array, {1, 0}).ok());
  double sum = 0, squares = 0, fourth = 0;
  for (uint64_t i = 0; i < array.size(); ++i) {
    double x = array.at(i);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  double n = double(array.size());
  EXPECT_NEAR(sum / n, 0, 0.02);
  EXPECT_NEAR(squares / n, 1, 0.02);
  EXPECT_NEAR(fourth / n, 3, 0.1);
}

TEST(Fill, uniform_values_stay_below_one_in_every_type) {
  for (DType type : allDTypes) {
    HostArray array = make(type, {20000});
    if (!isFloat(type)) {
      EXPECT_EQ(fillRand(array, {1, 0}).code(), StatusCode::invalidArgument);
      EXPECT_EQ(fillRandn(array, {1, 0}).code(), StatusCode::invalidArgument);
      continue;
    }
    ASSERT_TRUE(fillRand(array, {1, 0}).ok());
    double sum = 0;
    for (uint64_t i = 0; i < array.size(); ++i) {
      ASSERT_GE(array.at(i), 0.0);
      ASSERT_LT(array.at(i), 1.0) << dtypeName(type);
      sum += array.at(i);
    }
    // Values are multiples of 2^-bits: the mean is half a step below one half.
    double step = std::ldexp(1.0, -int(significandBits(type)));
    EXPECT_NEAR(sum / double(array.size()), 0.5 - step / 2, 0.01) << dtypeName(type);
  }
}

TEST(Fill, integers_cover_the_half_open_range) {
  HostArray array = make(DType::i32, {10000});
  ASSERT_TRUE(fillRandint(array, {5, 0}, -2, 3).ok());
  std::map<double, int> seen;
  for (uint64_t i = 0; i < array.size(); ++i)
    ++seen[array.at(i)];
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_EQ(seen.begin()->first, -2);
  EXPECT_EQ(seen.rbegin()->first, 2);
  for (auto [value, count] : seen)
    EXPECT_NEAR(count, 2000, 250) << value;
}

TEST(Fill, integer_ranges_are_checked) {
  HostArray bytes = make(DType::i8, {4});
  EXPECT_TRUE(fillRandint(bytes, {}, -128, 128).ok());
  EXPECT_EQ(fillRandint(bytes, {}, 0, 129).message(), "'randint(0,129)' leaves the range of 'i8'");
  EXPECT_FALSE(fillRandint(bytes, {}, -129, 0).ok());
  EXPECT_EQ(fillRandint(bytes, {}, 5, 5).message(),
            "'randint(5,5)' is empty; the upper bound is not included");
  HostArray flags = make(DType::boolean, {4});
  EXPECT_TRUE(fillRandint(flags, {}, 0, 2).ok());
  EXPECT_FALSE(fillRandint(flags, {}, 0, 3).ok());
  HostArray wide = make(DType::i64, {4});
  EXPECT_TRUE(fillRandint(wide, {}, INT64_MIN, INT64_MAX).ok());
  HostArray natural = make(DType::u64, {4});
  EXPECT_FALSE(fillRandint(natural, {}, -1, 4).ok());
  HostArray real = make(DType::f16, {4});
  EXPECT_TRUE(fillRandint(real, {}, -3, 4).ok());
}

TEST(Fill, arange_wraps_narrow_integers_and_rounds_floats) {
  HostArray bytes = make(DType::i8, {300});
  fillArange(bytes);
  EXPECT_EQ(bytes.at(127), 127);
  EXPECT_EQ(bytes.at(128), -128);
  EXPECT_EQ(bytes.at(299), 43);
  HostArray halves = make(DType::f16, {3000});
  fillArange(halves);
  EXPECT_EQ(halves.at(2047), 2047);
  EXPECT_EQ(halves.at(2049), 2048);
}

TEST(Fill, poison_is_nan_or_cc) {
  for (DType type : allDTypes) {
    HostArray array = make(type, {5});
    fillPoison(array);
    for (uint64_t i = 0; i < 5; ++i) {
      if (isFloat(type))
        EXPECT_TRUE(std::isnan(array.at(i))) << dtypeName(type);
      else
        EXPECT_EQ(array.as<uint8_t>()[i], 0xCC) << dtypeName(type);
    }
  }
}

} // namespace
