// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of products over the interfaces; what it says is tested beside it.

#include "tilec/tuning.hpp"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using testing::HasSubstr;

namespace {

tilec_product square() {
  tilec_product product = {};
  product.m = product.n = 3072;
  product.k = 8192;
  product.b_by_columns = 1;
  return product;
}

TEST(PlanProduct, TheLikeliestFirst) {
  std::vector<tilec_product_plan> plans;
  Status status = planProduct(square(), 12, plans);
  ASSERT_TRUE(status) << status.message;
  ASSERT_EQ(plans.size(), 12u);
  for (const tilec_product_plan &plan : plans) {
    EXPECT_EQ(plan.block_k, 64);
    EXPECT_GT(plan.block_m * plan.block_n, 0);
    EXPECT_GE(plan.num_warps, 4);
    EXPECT_GE(plan.num_stages, 2);
    EXPECT_GE(plan.num_ctas, 1);
    EXPECT_GE(plan.split_k, 1);
    EXPECT_GE(plan.microseconds, plans.front().microseconds);
  }
  tilec_product bytes = square();
  bytes.element_bits = 8;
  status = planProduct(bytes, 1, plans);
  ASSERT_TRUE(status) << status.message;
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans.front().block_k, 128);
  tilec_product half = square();
  half.multiprocessors = 66;
  std::vector<tilec_product_plan> slower;
  status = planProduct(half, 1, slower);
  ASSERT_TRUE(status) << status.message;
  EXPECT_GT(slower.front().microseconds, plans.front().microseconds);
}

TEST(PlanProduct, AnOrderOfItsOwn) {
  tilec_product product = square();
  product.m = 512;
  product.n = 2176;
  product.has_own_order = 1;
  std::vector<tilec_product_plan> plans;
  Status status = planProduct(product, 10000, plans);
  ASSERT_TRUE(status) << status.message;
  EXPECT_GT(plans.size(), 12u);
  EXPECT_LT(plans.size(), 10000u) << "as many as there are";
  for (const tilec_product_plan &plan : plans)
    EXPECT_EQ(plan.group_m, 8);
}

TEST(PlanProduct, WrongCalls) {
  auto message = [](auto change, tilec_status expected = TILEC_INVALID_ARGUMENT) {
    tilec_product product = square();
    change(product);
    std::vector<tilec_product_plan> plans;
    Status status = planProduct(product, 3, plans);
    EXPECT_EQ(status.code, expected);
    EXPECT_TRUE(plans.empty());
    return status.message;
  };
  EXPECT_THAT(message([](tilec_product &product) { product.n = 0; }),
              HasSubstr("'n' of a product is 0"));
  EXPECT_THAT(message([](tilec_product &product) { product.element_bits = 32; }),
              HasSubstr("8 or 16 bits"));
  EXPECT_THAT(message([](tilec_product &product) { product.target = "sm_1"; }), HasSubstr("sm_1"));
  EXPECT_THAT(message([](tilec_product &product) { product.target = "sm_80"; }, TILEC_UNAVAILABLE),
              HasSubstr("does not know sm_80"));
  EXPECT_THAT(message([](tilec_product &product) { product.multiprocessors = 1u << 31; }),
              HasSubstr("multiprocessors"));
  size_t count = 5;
  tilec_product product = square();
  tilec_product_plan plan = {};
  plan.struct_size = sizeof plan;
  EXPECT_EQ(tilec_plan_product(nullptr, 1, &plan, &count), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(tilec_plan_product(&product, 1, &plan, &count), TILEC_INVALID_ARGUMENT)
      << "its size was not set";
  product.struct_size = sizeof product;
  EXPECT_EQ(tilec_plan_product(&product, 1, nullptr, &count), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_plan_product(&product, 1, &plan, nullptr), TILEC_INVALID_ARGUMENT);
  plan.struct_size = 3;
  EXPECT_EQ(tilec_plan_product(&product, 1, &plan, &count), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_plan_product(&product, 0, nullptr, &count), TILEC_OK);
}

/// Callers of an older version have shorter structs.
TEST(PlanProduct, ShorterStructs) {
  struct Shorter {
    size_t size;
    int64_t m, n, k;
  };
  Shorter plans[2] = {};
  plans[0].size = sizeof(Shorter);
  tilec_product product = square();
  product.struct_size = sizeof product;
  size_t count = 0;
  ASSERT_EQ(tilec_plan_product(&product, 2, reinterpret_cast<tilec_product_plan *>(plans), &count),
            TILEC_OK);
  ASSERT_EQ(count, 2u);
  for (const Shorter &plan : plans) {
    EXPECT_EQ(plan.size, sizeof(Shorter));
    EXPECT_EQ(plan.k, 64);
  }
}

} // namespace
