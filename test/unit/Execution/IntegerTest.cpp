// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic of every width and signedness: wrap-around, truncating division, shifts,
// comparisons. The reference is C++ arithmetic in the same type.

#include "Execution.h"

#include <algorithm>
#include <limits>
#include <random>

namespace tilec::harness::test {
namespace {

template <typename T> constexpr DType dtypeOf();
template <> constexpr DType dtypeOf<int8_t>() { return DType::i8; }
template <> constexpr DType dtypeOf<int16_t>() { return DType::i16; }
template <> constexpr DType dtypeOf<int32_t>() { return DType::i32; }
template <> constexpr DType dtypeOf<int64_t>() { return DType::i64; }
template <> constexpr DType dtypeOf<uint8_t>() { return DType::u8; }
template <> constexpr DType dtypeOf<uint16_t>() { return DType::u16; }
template <> constexpr DType dtypeOf<uint32_t>() { return DType::u32; }
template <> constexpr DType dtypeOf<uint64_t>() { return DType::u64; }

/// Random bits, with the values where arithmetic goes wrong in front.
template <typename T> std::vector<T> anyValues(size_t count, uint32_t salt) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           1,
                           static_cast<T>(-1),
                           Limits::min(),
                           Limits::max(),
                           static_cast<T>(Limits::min() + 1),
                           static_cast<T>(Limits::max() - 1),
                           2};
  std::mt19937_64 random(testSeed() + salt);
  while (values.size() < count) {
    // Small numbers too, so that divisions and comparisons meet.
    auto bits = static_cast<T>(random());
    values.push_back(random() % 2 ? bits : static_cast<T>(bits % 11));
  }
  return values;
}

template <typename T> class IntegerTest : public ::testing::Test {
protected:
  static constexpr size_t count = 301;

  /// Runs `binary` with OP and compares with fn, in the result type.
  template <typename Out, typename Fn> void expectBinary(const char *op, DType outType, Fn fn) {
    RunBuilder builder = kernelOf("elementwise.tile", "binary");
    builder.bytes("x_ptr", dtypeOf<T>(), x.data(), x.size() * sizeof(T));
    builder.bytes("y_ptr", dtypeOf<T>(), y.data(), y.size() * sizeof(T));
    builder.output(
        "out_ptr", outType, {static_cast<int64_t>(count)},
        [&](HostArray &out) {
          for (size_t i = 0; i < count; ++i)
            out.as<Out>()[i] = static_cast<Out>(fn(x[i], y[i]));
        },
        tilecrt::Tolerance{0, 0}, outType);
    builder.i32("n", count).constant("OP", std::string("'") + op + "'");
    builder.constant("BLOCK", 256).grid(2);
    expectRun(builder);
  }
  template <typename Fn> void expectBinary(const char *op, Fn fn) {
    expectBinary<T>(op, dtypeOf<T>(), fn);
  }
  template <typename Fn> void expectUnary(const char *op, Fn fn) {
    RunBuilder builder = kernelOf("elementwise.tile", "unary");
    builder.bytes("x_ptr", dtypeOf<T>(), x.data(), x.size() * sizeof(T));
    builder.output(
        "out_ptr", dtypeOf<T>(), {static_cast<int64_t>(count)},
        [&](HostArray &out) {
          for (size_t i = 0; i < count; ++i)
            out.as<T>()[i] = static_cast<T>(fn(x[i]));
        },
        tilecrt::Tolerance{0, 0}, dtypeOf<T>());
    builder.i32("n", count).constant("OP", std::string("'") + op + "'");
    builder.constant("BLOCK", 512);
    expectRun(builder);
  }

  std::vector<T> x = anyValues<T>(count, 1), y = anyValues<T>(count, 2);
  void SetUp() override { std::shuffle(y.begin(), y.end(), std::mt19937_64(testSeed())); }
};

using IntegerTypes =
    ::testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(IntegerTest, IntegerTypes);

TYPED_TEST(IntegerTest, arithmeticWrapsAround) {
  this->expectBinary("add", [](auto a, auto b) { return uint64_t(a) + uint64_t(b); });
  this->expectBinary("sub", [](auto a, auto b) { return uint64_t(a) - uint64_t(b); });
  this->expectBinary("mul", [](auto a, auto b) { return uint64_t(a) * uint64_t(b); });
  this->expectUnary("neg", [](auto a) { return uint64_t(0) - uint64_t(a); });
  this->expectUnary("add_literal", [](auto a) { return uint64_t(a) + 3; });
  this->expectUnary("rsub_literal", [](auto a) { return 100 - uint64_t(a); });
}

TYPED_TEST(IntegerTest, bitOperations) {
  this->expectBinary("and", [](auto a, auto b) { return a & b; });
  this->expectBinary("or", [](auto a, auto b) { return a | b; });
  this->expectBinary("xor", [](auto a, auto b) { return a ^ b; });
  this->expectUnary("invert", [](auto a) { return ~a; });
}

TYPED_TEST(IntegerTest, shiftRightKeepsTheSignOfSignedTypes) {
  for (TypeParam &amount : this->y)
    amount = static_cast<TypeParam>(static_cast<uint64_t>(amount) % (sizeof(TypeParam) * 8));
  this->expectBinary("shl", [](auto a, auto b) { return uint64_t(a) << uint64_t(b); });
  this->expectBinary("shr", [](auto a, auto b) { return a >> b; });
}

TYPED_TEST(IntegerTest, divisionTruncates) {
  for (size_t i = 0; i < this->count; ++i) {
    bool overflows = std::is_signed_v<TypeParam> && this->y[i] == static_cast<TypeParam>(-1) &&
                     this->x[i] == std::numeric_limits<TypeParam>::min();
    if (this->y[i] == 0 || overflows)
      this->y[i] = 3;
  }
  this->expectBinary("floordiv", [](auto a, auto b) { return a / b; });
  this->expectBinary("mod", [](auto a, auto b) { return a % b; });
}

TYPED_TEST(IntegerTest, comparisonsAndSelection) {
  using T = TypeParam;
  auto compare = [&](const char *op, auto fn) {
    this->template expectBinary<uint8_t>(op, DType::boolean, fn);
  };
  compare("lt", [](T a, T b) { return a < b; });
  compare("le", [](T a, T b) { return a <= b; });
  compare("gt", [](T a, T b) { return a > b; });
  compare("ge", [](T a, T b) { return a >= b; });
  compare("eq", [](T a, T b) { return a == b; });
  compare("ne", [](T a, T b) { return a != b; });
  compare("land", [](T a, T b) { return a && b; });
  compare("lor", [](T a, T b) { return a || b; });
  this->expectBinary("min", [](T a, T b) { return std::min(a, b); });
  this->expectBinary("max", [](T a, T b) { return std::max(a, b); });
  this->expectBinary("where", [](T a, T b) { return std::max(a, b); });
}

TEST(IntegerHighProductTest, umulhi) {
  std::vector<uint32_t> x = anyValues<uint32_t>(256, 3), y = anyValues<uint32_t>(256, 4);
  RunBuilder builder = kernelOf("elementwise.tile", "binary");
  builder.bytes("x_ptr", DType::u32, x.data(), 1024).bytes("y_ptr", DType::u32, y.data(), 1024);
  builder.output(
      "out_ptr", DType::u32, {256},
      [&](HostArray &out) {
        for (size_t i = 0; i < 256; ++i)
          out.as<uint32_t>()[i] = static_cast<uint32_t>(uint64_t(x[i]) * y[i] >> 32);
      },
      tilecrt::Tolerance{0, 0}, DType::u32);
  builder.i32("n", 256).constant("OP", "'umulhi'").constant("BLOCK", 256);
  expectRun(builder);
}

} // namespace
} // namespace tilec::harness::test
