// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grid expressions: Python's integer arithmetic, calls, names, and located errors.

#include "tilecrt/data/GridExpr.h"

#include <gtest/gtest.h>

using namespace tilecrt;

namespace {

std::optional<int64_t> lookup(std::string_view name) {
  if (name == "n")
    return 1000;
  if (name == "BLOCK")
    return 128;
  if (name == "min_size")
    return 3;
  if (name == "zero")
    return 0;
  return std::nullopt;
}

int64_t value(std::string_view text) {
  Result<int64_t> result = evaluateExpression(text, lookup);
  EXPECT_TRUE(result.ok()) << result.message();
  return result.ok() ? *result : INT64_MIN;
}

void expectError(std::string_view text, const std::string &part) {
  Result<int64_t> result = evaluateExpression(text, lookup);
  ASSERT_FALSE(result.ok()) << text;
  EXPECT_EQ(result.code(), StatusCode::invalidArgument);
  EXPECT_NE(result.message().find(part), std::string::npos) << result.message();
}

TEST(GridExpr, arithmetic_and_precedence) {
  EXPECT_EQ(value("1"), 1);
  EXPECT_EQ(value(" 2 + 3 * 4 "), 14);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("100 // 7 // 2"), 7);
  EXPECT_EQ(value("12 / 4"), 3);
  EXPECT_EQ(value("- 3 + + 5"), 2);
  EXPECT_EQ(value("2 * -3"), -6);
  EXPECT_EQ(value("n*BLOCK"), 128000);
}

TEST(GridExpr, division_rounds_down_as_in_python) {
  EXPECT_EQ(value("-7 // 2"), -4);
  EXPECT_EQ(value("7 // -2"), -4);
  EXPECT_EQ(value("-7 // -2"), 3);
  EXPECT_EQ(value("-7 % 3"), 2);
  EXPECT_EQ(value("7 % -3"), -2);
  EXPECT_EQ(value("-6 // 3"), -2);
  EXPECT_EQ(value("5 % -1"), 0);
}

TEST(GridExpr, calls) {
  EXPECT_EQ(value("cdiv(n, BLOCK)"), 8);
  EXPECT_EQ(value("triton.cdiv(1024, 128)"), 8);
  EXPECT_EQ(value("tl.cdiv(1,128)"), 1);
  EXPECT_EQ(value("cdiv(0, 5)"), 0);
  EXPECT_EQ(value("cdiv(-7, 2)"), -3);
  EXPECT_EQ(value("min(3, 1, 2) + max(4)"), 5);
  EXPECT_EQ(value("next_power_of_2(1000)"), 1024);
  EXPECT_EQ(value("next_power_of_2(1024)"), 1024);
  EXPECT_EQ(value("next_power_of_2(0)"), 1);
  EXPECT_EQ(value("cdiv(min(n, 500), max(BLOCK, 1)) * 2"), 8);
  // A name that starts like a function is a name.
  EXPECT_EQ(value("min_size"), 3);
}

TEST(GridExpr, facts_about_arrays_are_dotted_names) {
  NameLookup facts = [](std::string_view name) -> std::optional<int64_t> {
    return name == "x.size" ? std::optional<int64_t>(24) : std::nullopt;
  };
  Result<int64_t> value = evaluateExpression("cdiv(x.size, 5) - 1", facts);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 4);
  EXPECT_EQ(evaluateExpression("1 + x.shape0", facts).message().find("unknown name 'x.shape0'") !=
                std::string::npos,
            true);
  EXPECT_FALSE(evaluateExpression("x.", facts).ok());
}

TEST(GridExpr, errors_have_a_column) {
  expectError("", "column 1: expected a number, a name or '('");
  expectError("n +", "column 4: expected a number");
  expectError("n + m", "column 5: unknown name 'm'");
  expectError("n // zero", "column 3: division by zero");
  expectError("n % 0", "column 3: modulo by zero");
  expectError("cdiv(n, 0)", "column 1: division by zero");
  expectError("n / 3", "column 3: 1000 / 3 is not a whole number; use '//' or cdiv");
  expectError("(n", "column 3: expected ')'");
  expectError("n)", "column 2: unexpected ')'");
  expectError("n n", "column 3: unexpected 'n'");
  expectError("2 ** 3", "column 3: '**' is not supported");
  expectError("1.5", "column 2: expected an operator after the integer, got '.'");
  expectError("0x10", "column 2: expected an operator after the integer, got 'x'");
  expectError("cdiv(n)", "'cdiv' takes 2 arguments, got 1");
  expectError("min()", "'min' takes 1 or more arguments, got 0");
  expectError("sqrt(n)", "column 1: unknown function 'sqrt'");
  expectError("triton.n", "expected a call");
  expectError("cdiv(n, BLOCK", "expected ',' or ')'");
  expectError("1, 2", "expected one expression");
  expectError("n @ 2", "unexpected '@'");
  expectError("\xff", "byte 255");
  expectError(std::string("1\0", 2), "byte 0");
}

TEST(GridExpr, overflow_is_an_error) {
  expectError("9223372036854775808", "column 1: the number does not fit 64 bits");
  expectError("9223372036854775807 + 1", "column 21: the value does not fit 64 bits");
  expectError("-9223372036854775807 - 2", "does not fit 64 bits");
  expectError("4611686018427387904 * 2", "does not fit 64 bits");
  expectError("(-9223372036854775807 - 1) // -1", "does not fit 64 bits");
  expectError("-(-9223372036854775807 - 1)", "does not fit 64 bits");
  expectError("next_power_of_2(4611686018427387905)", "does not fit 64 bits");
  EXPECT_EQ(value("(-9223372036854775807 - 1) % -1"), 0);
}

TEST(GridExpr, nesting_and_length_are_limited) {
  expectError(std::string(1000, '('), "nested deeper than 64 levels");
  expectError(std::string(1000, '-') + "1", "nested deeper than 64 levels");
  expectError(std::string(5000, '1'), "longer than 4096 characters");
  EXPECT_EQ(value(std::string(60, '(') + "7" + std::string(60, ')')), 7);
  // Width is not depth.
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i)
    sum += "+1";
  EXPECT_EQ(value(sum), 1001);
}

TEST(GridExpr, grids_have_one_to_three_positive_parts) {
  Result<std::vector<int64_t>> grid = evaluateGrid("cdiv(n, BLOCK), min(2, 3), 1", lookup);
  ASSERT_TRUE(grid.ok()) << grid.message();
  EXPECT_EQ(*grid, (std::vector<int64_t>{8, 2, 1}));
  EXPECT_EQ(evaluateGrid("4", lookup)->size(), 1u);
  EXPECT_EQ(evaluateGrid("1,2,3,4", lookup).message(),
            "grid '1,2,3,4': column 7: expected at most 3 expressions");
  EXPECT_EQ(evaluateGrid("n, zero", lookup).message(),
            "grid 'n, zero': dimension 1 is 0, expected 1 to 2147483647");
  EXPECT_FALSE(evaluateGrid("-1", lookup).ok());
  EXPECT_FALSE(evaluateGrid("2147483648", lookup).ok());
  EXPECT_FALSE(evaluateGrid("1,", lookup).ok());
  EXPECT_FALSE(evaluateGrid("", lookup).ok());
}

TEST(GridExpr, names_are_replaced_by_their_numbers) {
  NameLookup facts = [](std::string_view name) -> std::optional<int64_t> {
    if (name == "n")
      return -7;
    return name == "x.size" ? std::optional<int64_t>(24) : std::nullopt;
  };
  EXPECT_EQ(*replaceNames("cdiv(x.size, BLOCK) - n,  min(n,nn)", facts),
            "cdiv(24, BLOCK) - -7,  min(-7,nn)");
  EXPECT_EQ(*replaceNames("64", facts), "64");
  EXPECT_EQ(replaceNames("n +", facts).message(),
            "grid 'n +': column 4: expected a number, a name or '('");
}

TEST(GridExpr, missing_lookup_knows_no_names) {
  EXPECT_FALSE(evaluateExpression("n", nullptr).ok());
}

} // namespace
