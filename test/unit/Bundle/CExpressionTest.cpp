// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids and sizes of tensor maps as C.

#include "lib/Bundle/CExpression.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::optional<std::string> lookup(std::string_view name) {
  if (name == "n" || name == "x.shape0")
    return "N";
  return std::nullopt;
}

std::vector<std::string> translated(std::string_view text) {
  auto grid = gridInC(text, lookup);
  EXPECT_TRUE(grid.ok()) << grid.message();
  return grid.ok() ? *grid : std::vector<std::string>();
}

std::string refused(std::string_view text) {
  auto grid = gridInC(text, lookup);
  EXPECT_FALSE(grid.ok()) << text;
  return grid.message();
}

TEST(CExpression, grids) {
  EXPECT_THAT(translated("n, 2, x.shape0"), ElementsAre("N", "INT64_C(2)", "N"));
  EXPECT_THAT(translated("n + 2 * n"),
              ElementsAre("bundle_sum(N, bundle_product(INT64_C(2), N, &bundle_wrong), "
                          "&bundle_wrong)"));
  EXPECT_THAT(translated("(n - 1) - n"),
              ElementsAre("bundle_difference(bundle_difference(N, INT64_C(1), &bundle_wrong), N, "
                          "&bundle_wrong)"));
  EXPECT_THAT(translated("triton.cdiv(n, 3)//2"),
              ElementsAre("bundle_quotient(bundle_cdiv(N, INT64_C(3), &bundle_wrong), INT64_C(2), "
                          "&bundle_wrong)"));
  EXPECT_THAT(translated("min(1, n, 7)"),
              ElementsAre("bundle_min(bundle_min(INT64_C(1), N), INT64_C(7))"));
  EXPECT_THAT(
      translated(" -n/2 % 3 "),
      ElementsAre("bundle_rest(bundle_exact_quotient(bundle_difference(INT64_C(0), N, "
                  "&bundle_wrong), INT64_C(2), &bundle_wrong), INT64_C(3), &bundle_wrong)"));
  EXPECT_THAT(translated("next_power_of_2(n)"),
              ElementsAre("bundle_next_power_of_2(N, &bundle_wrong)"));
}

TEST(CExpression, whatIsNone) {
  EXPECT_EQ(refused("m"), "grid 'm': column 1: unknown name 'm'");
  EXPECT_THAT(refused("n +"), HasSubstr("column 4: expected a number, a name or '('"));
  EXPECT_THAT(refused("n ** 2"), HasSubstr("'**' is not supported"));
  EXPECT_THAT(refused("1, 2, 3, 4"), HasSubstr("expected at most 3 expressions"));
  EXPECT_THAT(refused("cdiv(n)"), HasSubstr("'cdiv' takes 2 arguments, got 1"));
  EXPECT_THAT(refused("cdiv(n, 2"), HasSubstr("expected ',' or ')'"));
  EXPECT_THAT(refused("(n"), HasSubstr("expected ')'"));
  EXPECT_THAT(refused("tl.n"), HasSubstr("expected a call"));
  EXPECT_THAT(refused("99999999999999999999"), HasSubstr("the number does not fit 64 bits"));
  EXPECT_THAT(refused("7n"), HasSubstr("column 2: expected an operator after the integer"));
  EXPECT_THAT(refused("n n"), HasSubstr("unexpected 'n'"));
  EXPECT_THAT(refused(""), HasSubstr("column 1: expected a number"));
  EXPECT_THAT(refused(std::string(200, '(')), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(refused(std::string(5000, ' ')), HasSubstr("longer than 4096 characters"));
}

TEST(CExpression, postfix) {
  std::vector<std::string> arguments = {"a", "x.shape[0]"};
  EXPECT_EQ(*postfixInC("%1", arguments), "((int64_t)x.shape[0])");
  EXPECT_EQ(*postfixInC("%0 3 * %1 /", arguments),
            "bundle_cut_quotient(bundle_product(((int64_t)a), INT64_C(3), &bundle_wrong), "
            "((int64_t)x.shape[0]), &bundle_wrong)");
  for (const char *broken : {"", "%2", "+", "1 +", "1 2", "%x", "1.5"})
    EXPECT_FALSE(postfixInC(broken, arguments).ok()) << broken;
}

} // namespace
