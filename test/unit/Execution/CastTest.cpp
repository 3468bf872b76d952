// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between all pairs of element types. Types of 8 and 16 bits are tried with every bit
// pattern; the reference is the conversion of HostArray, with truncation in front where a float
// becomes an integer.

#include "Execution.h"

#include <cmath>
#include <random>

namespace tilec::harness::test {
namespace {

using Types = std::vector<DType>;

const Types allIntegers = {DType::i8, DType::i16, DType::i32, DType::i64,
                           DType::u8, DType::u16, DType::u32, DType::u64};
const Types floats = {DType::f16, DType::bf16,   DType::f32,
                      DType::f64, DType::f8e4m3, DType::f8e5m2};

/// The bits of integer or boolean element i, sign-extended where the type is signed.
uint64_t integerBits(const HostArray &array, uint64_t i) {
  uint32_t size = tilecrt::dtypeSize(array.dtype());
  uint64_t bits = 0;
  std::memcpy(&bits, array.as<char>() + i * size, size);
  unsigned unused = 64 - size * 8;
  if (tilecrt::isSignedInteger(array.dtype()))
    return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
  return bits;
}

void convert(HostArray &to, const HostArray &from) {
  if (to.dtype() == from.dtype()) {
    std::memcpy(to.data(), from.data(), from.byteSize());
    return;
  }
  bool fromFloat = tilecrt::isFloat(from.dtype()), toInteger = tilecrt::isInteger(to.dtype());
  uint32_t size = tilecrt::dtypeSize(to.dtype());
  for (uint64_t i = 0; i < to.size(); ++i) {
    if (!fromFloat && toInteger) {
      uint64_t bits = integerBits(from, i);
      std::memcpy(to.as<char>() + i * size, &bits, size);
    } else {
      to.set(i, fromFloat && toInteger ? std::trunc(from.at(i)) : from.at(i));
    }
  }
}

/// Casts `values` to `to` and compares bit for bit (any NaN for a NaN).
void expectCast(const HostArray &values, DType to, const char *kernel = "cast",
                const std::vector<std::string> &processors = {}) {
  RunBuilder builder = kernelOf("casts.tile", kernel);
  builder.bytes("x_ptr", values.dtype(), values.data(), values.byteSize());
  builder.output(
      "out_ptr", to, values.shape(), [&](HostArray &out) { convert(out, values); },
      tilecrt::Tolerance{0, 0}, to);
  builder.i32("n", values.shape()[0]).constant("BLOCK", 1024);
  builder.grid((values.size() + 1023) / 1024);
  expectRun(builder, processors);
}

HostArray makeArray(DType type, uint64_t count) {
  Result<HostArray> array = HostArray::create(type, {static_cast<int64_t>(count)});
  EXPECT_TRUE(array.ok()) << array.message();
  return array ? std::move(*array) : HostArray();
}

/// Every bit pattern of a type of at most 16 bits, random ones of the others.
HostArray anyBits(DType type) {
  uint32_t size = tilecrt::dtypeSize(type);
  HostArray array = makeArray(type, size == 1 ? 256 : size == 2 ? 65536 : 5000);
  std::mt19937_64 random(testSeed());
  for (uint64_t i = 0; i < array.size(); ++i) {
    uint64_t bits = size <= 2 ? i : random();
    std::memcpy(array.as<char>() + i * size, &bits, size);
  }
  return array;
}

/// Values between `low` and `high`, the ends among them.
HostArray between(DType type, double low, double high) {
  HostArray array = makeArray(type, 1500);
  std::mt19937_64 random(testSeed());
  std::uniform_real_distribution<double> pick(low, high);
  for (uint64_t i = 0; i < array.size(); ++i)
    array.set(i, i == 0 ? low : i == 1 ? high : i < 20 ? std::trunc(pick(random)) : pick(random));
  return array;
}

/// Finite values of every magnitude that a float has, and the special ones.
HostArray manyMagnitudes(DType type) {
  HostArray array = makeArray(type, 6000);
  std::mt19937_64 random(testSeed());
  std::uniform_real_distribution<double> exponent(-45, 39), mantissa(-1, 1);
  for (uint64_t i = 0; i < array.size(); ++i)
    array.set(i, static_cast<float>(mantissa(random) * std::pow(10.0, exponent(random))));
  const double special[] = {0.0,    -0.0,    INFINITY,  -INFINITY, NAN,    448,   464,
                            465,    -448,    57344,     61440,     65504,  65519, 65520,
                            0x1p-9, 0x1p-10, 0x1.8p-10, 0x1p-16,   0x1p-17};
  for (size_t i = 0; i < std::size(special); ++i)
    array.set(i, special[i]);
  return array;
}

class CastFromTest : public ::testing::TestWithParam<DType> {};

TEST_P(CastFromTest, toIntegers) {
  DType from = GetParam();
  if (tilecrt::isFloat(from)) {
    // Outside the target's range the result is undefined.
    for (DType to : allIntegers)
      expectCast(between(from, tilecrt::isSignedInteger(to) ? -112 : 0, 112), to);
    expectCast(between(from, -440, 440), DType::i16);
    return;
  }
  HostArray values = anyBits(from);
  if (from == DType::boolean)
    for (uint64_t i = 0; i < values.size(); ++i)
      values.set(i, i % 3 == 0);
  for (DType to : allIntegers)
    expectCast(values, to);
}

TEST_P(CastFromTest, toBooleans) {
  if (GetParam() == DType::boolean)
    return;
  HostArray values =
      tilecrt::isFloat(GetParam()) ? between(GetParam(), -1, 1) : anyBits(GetParam());
  for (uint64_t i = 0; i < values.size(); i += 3)
    values.set(i, 0);
  expectCast(values, DType::boolean);
}

TEST_P(CastFromTest, toFloats) {
  DType from = GetParam();
  if (from == DType::f64) {
    expectCast(between(from, -1e30, 1e30), DType::f32);
    // Narrow types may be reached in two steps, which only differs for values that f32 does not
    // hold.
    for (DType to : floats)
      expectCast(manyMagnitudes(from), to);
    return;
  }
  if (from == DType::f32)
    for (DType to : floats)
      expectCast(manyMagnitudes(from), to);
  if (tilecrt::isFloat(from)) {
    for (DType to : floats)
      expectCast(anyBits(from), to);
    return;
  }
  // Magnitudes that every target holds, rounded.
  bool isSigned = tilecrt::isSignedInteger(from);
  double limit = from == DType::boolean ? 1 : tilecrt::dtypeSize(from) == 1 ? 127 : 30000;
  for (DType to : floats)
    expectCast(between(from, isSigned ? -limit : 0, limit), to);
}

std::string dtypeTestName(const ::testing::TestParamInfo<DType> &info) {
  return tilecrt::dtypeName(info.param);
}

INSTANTIATE_TEST_SUITE_P(Types, CastFromTest, ::testing::ValuesIn(tilecrt::allDTypes),
                         dtypeTestName);

TEST(CastTest, wideIntegersRoundToFloats) {
  for (DType from : {DType::i64, DType::u64, DType::i32, DType::u32})
    for (DType to : {DType::f32, DType::f64}) {
      HostArray values = anyBits(from);
      RunBuilder builder = kernelOf("casts.tile", "cast");
      builder.bytes("x_ptr", from, values.data(), values.byteSize());
      builder.output(
          "out_ptr", to, values.shape(),
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i) {
              uint64_t bits = integerBits(values, i);
              bool isSigned = tilecrt::isSignedInteger(from);
              // One rounding, from the integer itself.
              if (to == DType::f32)
                out.as<float>()[i] = isSigned ? static_cast<float>(static_cast<int64_t>(bits))
                                              : static_cast<float>(bits);
              else
                out.as<double>()[i] = isSigned ? static_cast<double>(static_cast<int64_t>(bits))
                                               : static_cast<double>(bits);
            }
          },
          tilecrt::Tolerance{0, 0}, to);
      builder.i32("n", values.shape()[0]).constant("BLOCK", 1024);
      builder.grid((values.size() + 1023) / 1024);
      expectRun(builder);
    }
}

/// sm_89 has conversions of pairs, before it is integer arithmetic.
TEST(CastTest, float8OnOtherProcessors) {
  for (DType narrow : {DType::f8e4m3, DType::f8e5m2}) {
    for (DType wide : {DType::f16, DType::bf16, DType::f32, DType::f64})
      expectCast(anyBits(narrow), wide, "cast", {"sm_80", "sm_89"});
    expectCast(anyBits(DType::f16), narrow, "cast", {"sm_80", "sm_89"});
    expectCast(anyBits(DType::bf16), narrow, "cast", {"sm_80", "sm_89"});
  }
}

TEST(CastTest, storesCastByThemselves) {
  expectCast(manyMagnitudes(DType::f32), DType::f16, "cast_by_store");
  expectCast(between(DType::f32, -100, 100), DType::i8, "cast_by_store");
  expectCast(anyBits(DType::i32), DType::i16, "cast_by_store");
  expectCast(between(DType::i32, -100, 100), DType::bf16, "cast_by_store");
}

TEST(CastTest, bitcastsKeepTheBits) {
  constexpr std::pair<DType, DType> pairs[] = {
      {DType::f32, DType::i32},  {DType::i32, DType::f32},   {DType::f16, DType::i16},
      {DType::bf16, DType::u16}, {DType::f64, DType::i64},   {DType::u8, DType::f8e4m3},
      {DType::i16, DType::bf16}, {DType::f8e5m2, DType::i8}, {DType::f16, DType::bf16}};
  for (auto [from, to] : pairs) {
    HostArray values = anyBits(from);
    DType bits = tilecrt::dtypeSize(from) == 1   ? DType::u8
                 : tilecrt::dtypeSize(from) == 2 ? DType::u16
                 : tilecrt::dtypeSize(from) == 4 ? DType::u32
                                                 : DType::u64;
    RunBuilder builder = kernelOf("casts.tile", "bitcast");
    builder.bytes("x_ptr", from, values.data(), values.byteSize());
    builder.unchecked("out_ptr", to, values.shape());
    builder.i32("n", values.shape()[0]).constant("BLOCK", 1024);
    builder.grid((values.size() + 1023) / 1024);
    Outcome outcome = simulateRun(builder);
    ASSERT_EQ(outcome.outputs.size(), 1u);
    EXPECT_EQ(outcome.failure, "");
    EXPECT_EQ(0, std::memcmp(outcome.outputs[0].data(), values.data(), values.byteSize()))
        << tilecrt::dtypeName(from) << " as " << tilecrt::dtypeName(to) << " bits "
        << tilecrt::dtypeName(bits);
  }
}

/// Types of x, y and of x + y.
struct Promotion {
  DType x, y, result;
};

TEST(CastTest, promotionOfTwoTypes) {
  constexpr Promotion table[] = {
      {DType::f32, DType::f64, DType::f64},  {DType::f16, DType::f32, DType::f32},
      {DType::f16, DType::bf16, DType::f16}, {DType::bf16, DType::bf16, DType::bf16},
      {DType::bf16, DType::i32, DType::f32}, {DType::f16, DType::i64, DType::f16},
      {DType::i8, DType::i32, DType::i32},   {DType::u8, DType::i8, DType::u8},
      {DType::u8, DType::i16, DType::i16},   {DType::i32, DType::u32, DType::u32},
      {DType::u32, DType::i64, DType::i64},  {DType::i64, DType::u64, DType::u64},
      {DType::i16, DType::f32, DType::f32},  {DType::i64, DType::f64, DType::f64}};
  for (const Promotion &row : table)
    for (bool swapped : {false, true}) {
      RunBuilder builder = kernelOf("elementwise.tile", "promote");
      builder.fill("x_ptr", swapped ? row.y : row.x, {64}, [](uint64_t i) { return i % 50; });
      builder.fill("y_ptr", swapped ? row.x : row.y, {64}, [](uint64_t i) { return i % 7 + 1; });
      builder.output(
          "out_ptr", row.result, {64},
          [](HostArray &out) {
            for (uint64_t i = 0; i < 64; ++i)
              out.set(i, static_cast<double>(i % 50 + i % 7 + 1));
          },
          tilecrt::Tolerance{0, 0}, row.result);
      builder.constant("RESULT", tilecrt::tritonName(row.result)).constant("BLOCK", 64);
      expectRun(builder);
    }
}

} // namespace
} // namespace tilec::harness::test
