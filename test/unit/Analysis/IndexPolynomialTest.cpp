// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilec/Analysis/IndexPolynomial.h"

#include <gtest/gtest.h>

namespace tilec {
namespace {

using Product = IndexPolynomial::Product;

IndexPolynomial sumOf(std::initializer_list<std::pair<Product, int64_t>> terms) {
  IndexPolynomial result;
  for (const auto &[product, coefficient] : terms)
    EXPECT_TRUE(result.add(product, coefficient));
  return result;
}

TEST(IndexPolynomial, adds) {
  IndexPolynomial sum = sumOf({{{0}, 2}, {{}, 5}});
  EXPECT_TRUE(sum.add(sumOf({{{0}, 1}, {{1}, 3}}), -2));
  EXPECT_EQ(sum, sumOf({{{}, 5}, {{1}, -6}}));
  EXPECT_TRUE(sum.add({1}, 6));
  EXPECT_EQ(sum.getConstant(), 5);
}

TEST(IndexPolynomial, multiplies) {
  // (x + 3) (x - 3 + y)
  std::optional<IndexPolynomial> product =
      sumOf({{{0}, 1}, {{}, 3}}).times(sumOf({{{0}, 1}, {{}, -3}, {{1}, 1}}));
  ASSERT_TRUE(product);
  EXPECT_EQ(*product, sumOf({{{0, 0}, 1}, {{0, 1}, 1}, {{1}, 3}, {{}, -9}}));
  EXPECT_EQ(product->getConstant(), std::nullopt);
  EXPECT_TRUE(product->times(IndexPolynomial())->isZero());
}

TEST(IndexPolynomial, says_what_is_too_large) {
  IndexPolynomial large(int64_t(1) << 62);
  EXPECT_FALSE(large.times(IndexPolynomial(2)));
  EXPECT_FALSE(large.add(IndexPolynomial(int64_t(1) << 62)));
  IndexPolynomial many;
  bool fits = true;
  for (IndexAtom atom = 0; fits && atom < 1000; ++atom)
    fits = many.add({atom}, 1);
  EXPECT_FALSE(fits);
}

} // namespace
} // namespace tilec
