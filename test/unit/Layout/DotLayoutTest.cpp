// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a product need of its operands: exactly the rows and columns of their
// elements, each once.

#include "tilec/Layout/DotLayout.h"
#include "tilec/Layout/TensorLayouts.h"

#include "gtest/gtest.h"

namespace tilec {
namespace {

/// For every register of every thread, the operand's registers hold the element's row or column.
void expectLines(const LinearLayout &product, unsigned operand, int64_t depth) {
  std::vector<int32_t> lineOf;
  LinearLayout reads = dotOperandLayout(product, operand, depth, &lineOf);
  unsigned rank = product.getNumOutDims();
  unsigned along = operand == 0 ? rank - 1 : rank - 2;
  ASSERT_EQ(reads.getOutDimNames(), dimNames(rank));
  ASSERT_EQ(reads.getOutDimSize(dimName(along)), depth);
  ASSERT_EQ(int32_t(lineOf.size()), product.getInDimSize(kRegister));
  for (int32_t reg = 0; reg < int32_t(lineOf.size()); ++reg)
    for (int32_t lane = 0; lane < product.getInDimSize(kLane); ++lane)
      for (int32_t warp = 0; warp < product.getInDimSize(kWarp); ++warp)
        for (int32_t k = 0; k < depth; ++k) {
          auto element = product.apply({{kRegister, reg}, {kLane, lane}, {kWarp, warp}});
          auto line = reads.apply(
              {{kRegister, int32_t(lineOf[reg] * depth + k)}, {kLane, lane}, {kWarp, warp}});
          for (unsigned dim = 0; dim < rank; ++dim)
            ASSERT_EQ(line[dim].second, dim == along ? k : element[dim].second);
        }
}

TEST(DotLayout, operandsOfBlockedProducts) {
  LinearLayout product = blockedLayout({32, 64}, {4, 4}, {4, 8}, {2, 2}, {1, 0});
  for (int64_t depth : {1, 4, 16}) {
    expectLines(product, 0, depth);
    expectLines(product, 1, depth);
  }
  // 4 rows and 4 columns in each thread.
  EXPECT_EQ(dotOperandLayout(product, 0, 16).getInDimSize(kRegister), 4 * 16);
  EXPECT_EQ(dotOperandLayout(product, 1, 16).getInDimSize(kRegister), 4 * 16);
}

TEST(DotLayout, operandsOfReplicatedAndBatchedProducts) {
  LinearLayout small = blockedLayout({2, 4}, {1, 1}, {8, 4}, {4, 1}, {1, 0});
  LinearLayout batched = blockedLayout({4, 8, 16}, {1, 2, 4}, {2, 4, 4}, {2, 2, 1}, {2, 1, 0});
  for (unsigned operand : {0u, 1u}) {
    expectLines(small, operand, 8);
    expectLines(batched, operand, 4);
  }
}

} // namespace
} // namespace tilec
