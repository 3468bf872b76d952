// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data specifications: each accepted form, and errors that name the bad part.

#include "tilecrt/data/DataSpec.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilecrt;

namespace {

template <typename Kind> Kind parsed(std::string_view text) {
  Result<DataSpec> spec = parseDataSpec(text);
  EXPECT_TRUE(spec.ok()) << spec.message();
  if (!spec.ok() || !std::holds_alternative<Kind>(*spec)) {
    ADD_FAILURE() << "'" << text << "' is of another kind";
    return Kind();
  }
  return std::get<Kind>(*spec);
}

void expectError(std::string_view text, const std::string &part) {
  Result<DataSpec> spec = parseDataSpec(text);
  ASSERT_FALSE(spec.ok()) << text;
  EXPECT_EQ(spec.code(), StatusCode::invalidArgument);
  EXPECT_NE(spec.message().find(part), std::string::npos) << spec.message();
}

TEST(DataSpec, generators) {
  using Fill = GeneratedData::Fill;
  GeneratedData randn = parsed<GeneratedData>("randn:f32[1024x512]");
  EXPECT_EQ(randn.fill, Fill::randn);
  EXPECT_EQ(randn.type, DType::f32);
  EXPECT_EQ(randn.shape, (std::vector<int64_t>{1024, 512}));
  EXPECT_EQ(parsed<GeneratedData>("rand:bf16[77]").type, DType::bf16);
  EXPECT_EQ(parsed<GeneratedData>("zeros:i8[2x3x4]").shape.size(), 3u);
  EXPECT_EQ(parsed<GeneratedData>("ones:fp16[1]").type, DType::f16);
  EXPECT_EQ(parsed<GeneratedData>("empty:f8e5m2[4]").fill, Fill::empty);
  EXPECT_EQ(parsed<GeneratedData>("arange:i64[0]").shape, (std::vector<int64_t>{0}));
  GeneratedData randint = parsed<GeneratedData>(" randint(-3, 10):i32[5] ");
  EXPECT_EQ(randint.low, -3);
  EXPECT_EQ(randint.high, 10);
  EXPECT_EQ(randint.shape, (std::vector<int64_t>{5}));
}

TEST(DataSpec, files) {
  EXPECT_EQ(parsed<NpyData>("some dir/x.npy").path, "some dir/x.npy");
  EXPECT_EQ(parsed<NpyData>("randn.npy").path, "randn.npy");
  EXPECT_EQ(parsed<NpyData>("a:b.npy").path, "a:b.npy");
  NpyData typed = parsed<NpyData>("x.npy:f8e4m3");
  EXPECT_EQ(typed.path, "x.npy");
  EXPECT_EQ(typed.as, DType::f8e4m3);
  expectError("x.npy:f9", "unknown element type 'f9'");
}

TEST(DataSpec, integers) {
  EXPECT_EQ(parsed<NumberData>("128").integer, 128);
  EXPECT_TRUE(parsed<NumberData>("128").isInteger);
  EXPECT_EQ(parsed<NumberData>("-7").integer, -7);
  EXPECT_EQ(parsed<NumberData>("+7").integer, 7);
  EXPECT_EQ(parsed<NumberData>("-0x10").integer, -16);
  EXPECT_EQ(parsed<NumberData>("9223372036854775807").integer, INT64_MAX);
  EXPECT_EQ(parsed<NumberData>("-9223372036854775808").integer, INT64_MIN);
  EXPECT_EQ(parsed<NumberData>("5:i64").type, DType::i64);
  EXPECT_EQ(parsed<NumberData>("true").type, DType::boolean);
  EXPECT_EQ(parsed<NumberData>("False").integer, 0);
}

TEST(DataSpec, reals) {
  EXPECT_EQ(parsed<NumberData>("0.5").real, 0.5);
  EXPECT_FALSE(parsed<NumberData>("0.5").isInteger);
  EXPECT_EQ(parsed<NumberData>("1e-5").real, 1e-5);
  EXPECT_EQ(parsed<NumberData>("-.25").real, -0.25);
  EXPECT_EQ(parsed<NumberData>("-inf").real, -INFINITY);
  EXPECT_EQ(parsed<NumberData>("inf").real, INFINITY);
  EXPECT_TRUE(std::isnan(parsed<NumberData>("nan").real));
  // An integer with a float type is a real.
  NumberData typed = parsed<NumberData>("3:fp16");
  EXPECT_FALSE(typed.isInteger);
  EXPECT_EQ(typed.real, 3.0);
}

TEST(DataSpec, errors_name_the_bad_part) {
  expectError("", "nothing given");
  expectError("randm:f32[5]", "unknown generator 'randm'; expected a number, an .npy file");
  expectError("data.bin", "expected a number, an .npy file");
  expectError("randn", "expected ':' with an element type and a shape as in 'randn:f32[1024x512]'");
  expectError("randn:f32", "got ':f32'");
  expectError("randn[5]", "got '[5]'");
  expectError("randn:f31[5]", "unknown element type 'f31', expected one of bool, i8");
  expectError("randn:f32[5", "got ':f32[5'");
  expectError("randn:f32[]", "bad extent ''");
  expectError("randn:f32[5x]", "bad extent ''");
  expectError("randn:f32[5,6]", "bad extent '5,6'");
  expectError("randn:f32[-5]", "bad extent '-5'");
  expectError("randn:f32[99999999999999999999]", "bad extent '99999999999999999999'");
  expectError("randn:i32[5]", "'randn' makes floating-point values, got type 'i32'");
  expectError("rand:bool[5]", "got type 'bool'");
  expectError("randn(3):f32[5]", "'randn' takes no arguments");
  expectError("randint:i32[5]", "randint needs bounds");
  expectError("randint(0):i32[5]", "expected two bounds");
  expectError("randint(0,x):i32[5]", "bad bound 'x'");
  expectError("randint(5,5):i32[5]", "the range from 5 to 5 is empty");
  expectError("12abc", "expected a number");
  expectError("9223372036854775808", "does not fit a signed integer of 64 bits");
  expectError("0x1ffffffffffffffff", "does not fit a signed integer of 64 bits");
  expectError("1e999", "does not fit a double");
  expectError("300:i8", "300 is outside the range of 'i8', -128 to 127");
  expectError("-1:u64", "-1 is outside the range of 'u64'");
  expectError("0.5:i32", "cannot have the integer type 'i32'");
  expectError("5:", "unknown element type ''");
  expectError("-", "'-' is not an integer");
  expectError("12-3", "'12-3' is not an integer");
  expectError(":f32", "expected a number");
  // A long text is not repeated in full.
  EXPECT_LT(parseDataSpec(std::string(10000, '1')).message().size(), 11000u);
}

TEST(DataSpec, materialise_fills) {
  Result<HostArray> ones = materialise(*parseDataSpec("ones:i16[2x2]"), {});
  ASSERT_TRUE(ones.ok());
  EXPECT_EQ(ones->describe(), "i16[2x2]");
  EXPECT_EQ(ones->at(3), 1);
  Result<HostArray> zeros = materialise(*parseDataSpec("zeros:f64[3]"), {});
  ASSERT_TRUE(zeros.ok());
  EXPECT_EQ(zeros->at(2), 0);
  EXPECT_EQ(materialise(*parseDataSpec("128"), {}).code(), StatusCode::invalidArgument);
  EXPECT_EQ(materialise(*parseDataSpec("none.npy"), {}).code(), StatusCode::ioError);
  EXPECT_EQ(materialise(*parseDataSpec("zeros:f64[1000000000x1000000000]"), {}).code(),
            StatusCode::outOfResources);
  EXPECT_EQ(materialise(*parseDataSpec("randint(0,1000):i8[3]"), {}).code(),
            StatusCode::invalidArgument);
}

} // namespace
