// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of any size against the arithmetic of 64-bit ones, and beyond it.

#include "tilec/Sema/PyInt.h"

#include <gtest/gtest.h>

#include <random>

namespace tilec {
namespace {

int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

TEST(PyIntTest, agreesWithInt64) {
  std::mt19937_64 random(12345);
  for (int i = 0; i < 2000; ++i) {
    int64_t a = static_cast<int32_t>(random()) >> (random() % 32);
    int64_t b = static_cast<int32_t>(random()) >> (random() % 32);
    PyInt x(a), y(b);
    EXPECT_EQ(x.add(y)->toInt64Saturated(), a + b);
    EXPECT_EQ(x.sub(y)->toInt64Saturated(), a - b);
    EXPECT_EQ(x.mul(y)->toInt64Saturated(), a * b);
    EXPECT_EQ(x.bitAnd(y).toInt64Saturated(), a & b);
    EXPECT_EQ(x.bitOr(y).toInt64Saturated(), a | b);
    EXPECT_EQ(x.bitXor(y).toInt64Saturated(), a ^ b);
    EXPECT_EQ(x.negate().toInt64Saturated(), -a);
    EXPECT_EQ(x.invert().toInt64Saturated(), ~a);
    EXPECT_EQ(x.compare(y) < 0, a < b);
    EXPECT_EQ(x == y, a == b);
    if (b != 0) {
      EXPECT_EQ(x.floorDiv(y).toInt64Saturated(), floorDiv(a, b));
      EXPECT_EQ(x.mod(y).toInt64Saturated(), a - floorDiv(a, b) * b);
    }
    int64_t amount = static_cast<int64_t>(random() % 30);
    EXPECT_EQ(x.shl(PyInt(amount))->toInt64Saturated(), a * (int64_t(1) << amount));
    EXPECT_EQ(x.shr(PyInt(amount)).toInt64Saturated(), a >> amount);
  }
}

TEST(PyIntTest, isUnboundedUpToTheLimit) {
  EXPECT_EQ(PyInt(2).pow(PyInt(100))->str(), "1267650600228229401496703205376");
  EXPECT_EQ(PyInt(-3).pow(PyInt(41))->str(), "-36472996377170786403");
  EXPECT_FALSE(PyInt(2).pow(PyInt(5000)));
  EXPECT_FALSE(PyInt(1).shl(PyInt(5000)));
  EXPECT_FALSE(PyInt(2).pow(*PyInt(2).pow(PyInt(100))));
  EXPECT_EQ(PyInt(-1).pow(*PyInt(3).pow(PyInt(50)))->str(), "-1");
  EXPECT_EQ(PyInt(1).shr(*PyInt(2).pow(PyInt(100))).str(), "0");
}

TEST(PyIntTest, text) {
  EXPECT_EQ(PyInt::fromText(" -1_000 ")->str(), "-1000");
  EXPECT_EQ(PyInt::fromText("0xff")->str(), "255");
  EXPECT_EQ(PyInt::fromText("0b101")->str(), "5");
  EXPECT_EQ(PyInt::fromText("18446744073709551615")->str(), "18446744073709551615");
  for (const char *bad : {"", "-", "0x", "1.5", "abc", "1e3"})
    EXPECT_FALSE(PyInt::fromText(bad)) << bad;
}

TEST(PyIntTest, ranges) {
  EXPECT_TRUE(PyInt(255).fits(8, false));
  EXPECT_FALSE(PyInt(256).fits(8, false));
  EXPECT_FALSE(PyInt(-1).fits(8, false));
  EXPECT_TRUE(PyInt(-128).fits(8, true));
  EXPECT_FALSE(PyInt(128).fits(8, true));
  EXPECT_EQ(PyInt::fromDouble(-2.9)->str(), "-2");
  EXPECT_EQ(PyInt::fromDouble(1e300)->toDouble(), 1e300);
  EXPECT_FALSE(PyInt::fromDouble(HUGE_VAL));
}

} // namespace
} // namespace tilec
