// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which layouts can be scanned, in which groups, and where the totals of the runs are.

#include "tilec/Layout/ScanLayout.h"

#include <gtest/gtest.h>

namespace tilec {
namespace {

using Bits = std::vector<unsigned>;

TEST(ScanLayoutTest, groupsOfACoalescedLayout) {
  LinearLayout layout = spreadBlockedLayout({4096}, {4}, {0}, 4);
  std::optional<ScanPlan> plan = planScan(layout, 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->vectorBits, (Bits{0, 1}));
  EXPECT_EQ(plan->laneBits, (Bits{0, 1, 2, 3, 4}));
  EXPECT_EQ(plan->warpBits, (Bits{0, 1}));
  EXPECT_EQ(plan->chunkBits, (Bits{2, 3, 4}));
  EXPECT_EQ(plan->laneMask(), 31);
  EXPECT_EQ(plan->numWarps(), 4);
  EXPECT_EQ(plan->numChunks(), 8);
}

TEST(ScanLayoutTest, otherDimensionsAreLeftOut) {
  // 2 rows of 16 lanes in a warp.
  LinearLayout layout = spreadBlockedLayout({64, 64}, {1, 4}, {1, 0}, 2);
  std::optional<ScanPlan> columns = planScan(layout, 1), rows = planScan(layout, 0);
  ASSERT_TRUE(columns && rows);
  EXPECT_EQ(columns->vectorBits, (Bits{0, 1}));
  EXPECT_EQ(columns->laneBits, (Bits{0, 1, 2, 3}));
  EXPECT_TRUE(columns->warpBits.empty() && columns->chunkBits.empty());
  EXPECT_TRUE(rows->vectorBits.empty());
  EXPECT_EQ(rows->laneBits, (Bits{4}));
  EXPECT_EQ(rows->warpBits, (Bits{0}));
  EXPECT_EQ(rows->chunkBits, (Bits{2, 3, 4, 5}));
}

/// A layout of 64 elements in one dimension from the images of its bits.
LinearLayout lineOf(std::vector<int32_t> registers, std::vector<int32_t> lanes,
                    std::vector<int32_t> warps, int32_t size) {
  auto wrap = [](const std::vector<int32_t> &images) {
    std::vector<LinearLayout::Basis> bases;
    for (int32_t image : images)
      bases.push_back({image});
    return bases;
  };
  return llvm::cantFail(LinearLayout::create({{kRegister.str(), wrap(registers)},
                                              {kLane.str(), wrap(lanes)},
                                              {kWarp.str(), wrap(warps)},
                                              {kBlock.str(), {}}},
                                             {{dimName(0), size}}));
}

TEST(ScanLayoutTest, layoutsThatMustBeConverted) {
  // Registers between lanes; lanes in descending order; lanes above warps; two bits in one basis;
  // a lane that repeats a register.
  EXPECT_FALSE(planScan(lineOf({4}, {1, 2, 8, 16, 32}, {}, 64), 0));
  EXPECT_FALSE(planScan(lineOf({}, {2, 1, 4, 8, 16}, {}, 32), 0));
  EXPECT_FALSE(planScan(lineOf({}, {2, 4, 8, 16, 32}, {1}, 64), 0));
  EXPECT_FALSE(planScan(lineOf({}, {1, 3, 4, 8, 16}, {}, 32), 0));
  EXPECT_FALSE(planScan(lineOf({1}, {1, 2, 4, 8, 16}, {}, 32), 0));
  // Lanes with gaps and warps in any order are fine.
  EXPECT_TRUE(planScan(lineOf({}, {0, 1, 0, 2, 0}, {8, 4}, 16), 0));
}

TEST(ScanLayoutTest, totalsOfEveryRun) {
  LinearLayout layout = spreadBlockedLayout({4096}, {4}, {0}, 4);
  ScanPlan plan = *planScan(layout, 0);
  ScanTotalsLayouts totals = scanTotalsLayouts(layout, 0, plan);
  EXPECT_EQ(layoutShape(totals.perWarp), std::vector<int64_t>{32});
  EXPECT_EQ(elementsPerThread(totals.perWarp), 8);
  EXPECT_EQ(elementsPerThread(totals.gathered), 32);
  EXPECT_TRUE(axisIsWithinWarp(totals.gathered, 0));
  EXPECT_EQ(maskAlongAxis(totals.gathered, kLane, 0), 0);
  // The run of an element is its coordinate divided by the size of a run, which is 128.
  for (int32_t reg = 0; reg < 32; ++reg)
    for (int32_t warp = 0; warp < 4; ++warp) {
      int32_t element = layout.apply({{kRegister, reg}, {kLane, 7}, {kWarp, warp}})[0].second;
      int32_t run =
          totals.perWarp.apply({{kRegister, reg >> 2}, {kLane, 7}, {kWarp, warp}})[0].second;
      EXPECT_EQ(run, element / 128);
    }
}

TEST(ScanLayoutTest, friendlyLayoutsCanBeScannedWithoutChunks) {
  const std::vector<std::vector<int64_t>> shapes = {{1},       {16},     {32},       {4096},
                                                    {65536},   {1, 64},  {64, 1},    {128, 128},
                                                    {2, 4096}, {256, 4}, {4, 8, 16}, {2, 2, 2, 64}};
  for (const std::vector<int64_t> &shape : shapes)
    for (int32_t warps : {1, 2, 4, 8, 16, 32})
      for (unsigned axis = 0; axis < shape.size(); ++axis) {
        LinearLayout layout = scanFriendlyLayout(shape, axis, warps);
        EXPECT_EQ(layoutShape(layout), shape);
        EXPECT_TRUE(layout.isSurjective());
        EXPECT_EQ(layout.getInDimSize(kLane), 32);
        EXPECT_EQ(layout.getInDimSize(kWarp), warps);
        std::optional<ScanPlan> plan = planScan(layout, axis);
        ASSERT_TRUE(plan) << layout.toString();
        EXPECT_TRUE(plan->chunkBits.empty()) << layout.toString();
      }
}

} // namespace
} // namespace tilec
