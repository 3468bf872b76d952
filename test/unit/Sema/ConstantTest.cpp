// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python's operators, printing and formatting of compile-time values.

#include "tilec/Sema/Constant.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tilec {
namespace {

using ast::BinaryOp;
using ast::CompareOp;

std::string fold(BinaryOp op, Constant lhs, Constant rhs) {
  FoldResult result = foldBinary(op, lhs, rhs);
  return result.value ? result.value->repr() : "error: " + result.error;
}

Constant number(int64_t value) { return Constant::integer(value); }

TEST(ConstantTest, arithmetic) {
  EXPECT_EQ(fold(BinaryOp::Div, number(7), number(2)), "3.5");
  EXPECT_EQ(fold(BinaryOp::FloorDiv, number(-7), number(2)), "-4");
  EXPECT_EQ(fold(BinaryOp::Mod, Constant(-7.5), number(2)), "0.5");
  EXPECT_EQ(fold(BinaryOp::Add, Constant(true), Constant(true)), "2");
  EXPECT_EQ(fold(BinaryOp::BitAnd, Constant(true), Constant(false)), "False");
  EXPECT_EQ(fold(BinaryOp::Pow, number(2), number(-1)), "0.5");
  EXPECT_EQ(fold(BinaryOp::Add, Constant(std::string("a")), Constant(std::string("b"))), "'ab'");
  EXPECT_EQ(fold(BinaryOp::Mul, Constant(std::string("ab")), number(3)), "'ababab'");
}

TEST(ConstantTest, arithmeticErrors) {
  EXPECT_EQ(fold(BinaryOp::Mod, number(1), Constant(0.0)), "error: division by zero");
  EXPECT_EQ(fold(BinaryOp::LShift, number(1), number(-1)), "error: negative shift count");
  EXPECT_EQ(fold(BinaryOp::Add, Constant(), number(1)),
            "error: operator '+' is not defined for 'NoneType' and 'int'");
  EXPECT_EQ(fold(BinaryOp::BitOr, Constant(1.0), number(1)),
            "error: operator '|' is not defined for 'float' and 'int'");
}

TEST(ConstantTest, comparisons) {
  auto compare = [](CompareOp op, Constant lhs, Constant rhs) {
    return foldCompare(op, lhs, rhs).value->getBool();
  };
  EXPECT_TRUE(compare(CompareOp::Eq, number(1), Constant(1.0)));
  EXPECT_TRUE(compare(CompareOp::Eq, Constant(true), number(1)));
  EXPECT_FALSE(compare(CompareOp::Is, Constant(true), number(1)));
  EXPECT_FALSE(compare(CompareOp::LtE, Constant(std::nan("")), number(1)));
  EXPECT_TRUE(compare(CompareOp::Lt, Constant(std::string("a")), Constant(std::string("b"))));
  EXPECT_TRUE(compare(CompareOp::NotEq, Constant(), number(0)));
  EXPECT_TRUE(
      compare(CompareOp::Eq, Constant(DType(ScalarKind::FP16)), Constant(DType(ScalarKind::FP16))));
  EXPECT_FALSE(foldCompare(CompareOp::Lt, Constant(), number(1)).value);
}

TEST(ConstantTest, printing) {
  EXPECT_EQ(formatFloat(0.1), "0.1");
  EXPECT_EQ(formatFloat(1e22), "1e+22");
  EXPECT_EQ(formatFloat(100000.0), "100000.0");
  EXPECT_EQ(formatFloat(1.0), "1.0");
  EXPECT_EQ(formatFloat(-HUGE_VAL), "-inf");
  EXPECT_EQ(Constant(DType::pointerTo(ScalarKind::BF16)).str(), "pointer<bf16>");
}

TEST(ConstantTest, formatting) {
  auto format = [](Constant value, llvm::StringRef spec) {
    FoldResult result = formatConstant(value, spec);
    return result.value ? result.value->getString() : "error: " + result.error;
  };
  EXPECT_EQ(format(number(42), "05d"), "00042");
  EXPECT_EQ(format(number(-42), "06"), "-00042");
  EXPECT_EQ(format(number(255), "#x"), "0xff");
  EXPECT_EQ(format(number(5), "+b"), "+101");
  EXPECT_EQ(format(Constant(3.14159), ".2f"), "3.14");
  EXPECT_EQ(format(Constant(0.5), ".0%"), "50%");
  EXPECT_EQ(format(Constant(std::string("ab")), "*^6"), "**ab**");
  EXPECT_EQ(format(Constant(true), ""), "True");
  EXPECT_EQ(format(number(5), "q"), "error: invalid format 'q' for a value of type 'int'");
}

TEST(ConstantTest, conversions) {
  EXPECT_EQ(foldToFloat(Constant(std::string(" -Inf "))).value->str(), "-inf");
  EXPECT_EQ(foldToFloat(Constant(std::string("1e3"))).value->str(), "1000.0");
  EXPECT_FALSE(foldToFloat(Constant(std::string("x"))).value);
  EXPECT_EQ(foldToInt(Constant(-1.9)).value->str(), "-1");
  EXPECT_FALSE(foldToInt(Constant(HUGE_VAL)).value);
}

} // namespace
} // namespace tilec
