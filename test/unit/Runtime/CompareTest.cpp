// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Array comparison: tolerances, special values, large integers, the report.

#include "tilecrt/data/Compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace tilecrt;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

HostArray make(DType type, const std::vector<double> &values) {
  Result<HostArray> array = HostArray::create(type, {int64_t(values.size())});
  EXPECT_TRUE(array.ok());
  for (size_t i = 0; i < values.size(); ++i)
    array->set(i, values[i]);
  return std::move(*array);
}

Comparison compare(const HostArray &actual, const HostArray &expected, Tolerance tolerance = {}) {
  Result<Comparison> result = compareArrays(actual, expected, tolerance);
  EXPECT_TRUE(result.ok()) << result.message();
  return *result;
}

TEST(Compare, equal_arrays_match_with_zero_tolerance) {
  HostArray a = make(DType::f32, {1, 2, -3, 0});
  Comparison result = compare(a, a, {0, 0});
  EXPECT_TRUE(result.matches());
  EXPECT_EQ(result.maxAbsError, 0);
  EXPECT_EQ(result.relativeL2, 0);
  EXPECT_EQ(result.describe(), "all 4 elements match; largest absolute error 0, relative 0, L2 0");
}

TEST(Compare, tolerance_is_atol_plus_rtol_times_expected) {
  HostArray expected = make(DType::f64, {100});
  EXPECT_TRUE(compare(make(DType::f64, {101}), expected, {0.005, 0.5}).matches());
  EXPECT_FALSE(compare(make(DType::f64, {101.01}), expected, {0.005, 0.5}).matches());
  EXPECT_TRUE(compare(make(DType::f64, {0}), make(DType::f64, {0}), {0, 0}).matches());
}

TEST(Compare, first_mismatch_has_coordinates_and_values) {
  Result<HostArray> a = HostArray::create(DType::f32, {2, 3});
  Result<HostArray> b = HostArray::create(DType::f32, {2, 3});
  ASSERT_TRUE(a.ok() && b.ok());
  fillArange(*a);
  fillArange(*b);
  a->set(4, 40);
  a->set(5, 6);
  Comparison result = compare(*a, *b);
  EXPECT_EQ(result.mismatches, 2u);
  EXPECT_EQ(result.firstCoordinates, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(result.maxAbsError, 36);
  EXPECT_EQ(result.maxRelError, 9);
  EXPECT_NEAR(result.relativeL2, std::sqrt((36.0 * 36 + 1) / 55), 1e-12);
  EXPECT_EQ(result.describe().rfind(
                "2 of 6 elements differ, the first at [1, 1]: got 40, expected 4; ", 0),
            0u)
      << result.describe();
}

TEST(Compare, nan_matches_nan_unless_told_otherwise) {
  HostArray a = make(DType::f32, {nan, 1});
  EXPECT_TRUE(compare(a, a).matches());
  Tolerance strict;
  strict.nanMatchesNan = false;
  EXPECT_EQ(compare(a, a, strict).mismatches, 1u);
}

TEST(Compare, nan_on_one_side_is_a_mismatch) {
  Comparison result = compare(make(DType::f32, {nan, 1}), make(DType::f32, {1, nan}), {1e9, 1e9});
  EXPECT_EQ(result.mismatches, 2u);
  EXPECT_EQ(result.nanMismatches, 2u);
  EXPECT_EQ(result.maxAbsError, infinity);
  EXPECT_NE(result.describe().find("2 NaN on one side only"), std::string::npos);
}

TEST(Compare, infinities_match_only_themselves) {
  HostArray expected = make(DType::f32, {infinity, -infinity, infinity, 1});
  EXPECT_TRUE(compare(expected, expected).matches());
  HostArray actual = make(DType::f32, {infinity, infinity, 1, infinity});
  EXPECT_EQ(compare(actual, expected, {1, infinity}).mismatches, 3u);
}

TEST(Compare, integers_beyond_double_are_told_apart) {
  Result<HostArray> a = HostArray::create(DType::i64, {1});
  Result<HostArray> b = HostArray::create(DType::i64, {1});
  ASSERT_TRUE(a.ok() && b.ok());
  a->as<int64_t>()[0] = (int64_t(1) << 60) + 1;
  b->as<int64_t>()[0] = int64_t(1) << 60;
  Comparison result = compare(*a, *b, {0, 0});
  EXPECT_EQ(result.mismatches, 1u);
  EXPECT_EQ(result.maxAbsError, 1);
  EXPECT_EQ(result.firstActual, "1152921504606846977");
  a->as<int64_t>()[0] = INT64_MIN;
  b->as<int64_t>()[0] = INT64_MAX;
  EXPECT_NEAR(compare(*a, *b).maxAbsError, 0x1p64, 1);
}

TEST(Compare, types_may_differ) {
  EXPECT_TRUE(compare(make(DType::f16, {0.5, 2}), make(DType::f64, {0.5, 2})).matches());
  EXPECT_TRUE(compare(make(DType::i8, {-5}), make(DType::i64, {-5}), {0, 0}).matches());
  EXPECT_TRUE(compare(make(DType::boolean, {1}), make(DType::i32, {1}), {0, 0}).matches());
}

TEST(Compare, zero_reference_gives_infinite_relative_l2) {
  Comparison result = compare(make(DType::f32, {1}), make(DType::f32, {0}));
  EXPECT_EQ(result.relativeL2, infinity);
  EXPECT_EQ(result.maxRelError, 0);
  EXPECT_EQ(result.maxAbsError, 1);
}

TEST(Compare, different_shapes_and_bad_tolerances_are_errors) {
  HostArray a = make(DType::f32, {1, 2});
  HostArray b = make(DType::f32, {1});
  EXPECT_EQ(compareArrays(a, b).message(), "the shapes differ: got 'f32[2]', expected 'f32[1]'");
  EXPECT_EQ(compareArrays(a, a, {-1, 0}).code(), StatusCode::invalidArgument);
  EXPECT_EQ(compareArrays(a, a, {0, nan}).code(), StatusCode::invalidArgument);
}

} // namespace
