// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The boxes of blocks, and blocks that are dealt out in whole boxes.

#include "tilec/Layout/TensorMapLayout.h"

#include "gtest/gtest.h"

using namespace tilec;

namespace {

using Starts = std::vector<std::vector<int64_t>>;

TensorMapTile tileOf(std::vector<int64_t> shape, int64_t boxRows = 0) {
  std::optional<TensorMapTile> tile = tensorMapTile(shape, 16, {}, boxRows);
  EXPECT_TRUE(tile);
  return tile ? *tile : TensorMapTile();
}

} // namespace

TEST(TensorMapLayout, lowerBoxesLandInTheSamePlaces) {
  TensorMapTile high = tileOf({128, 256}), low = tileOf({128, 256}, 64);
  EXPECT_EQ(high.box, (std::vector<int64_t>{128, 64}));
  EXPECT_EQ(low.box, (std::vector<int64_t>{64, 64}));
  EXPECT_EQ(high.memory, low.memory);
  EXPECT_EQ(high.boxStarts().size(), 4u);
  EXPECT_EQ(low.boxStarts().size(), 8u);
  EXPECT_EQ(low.endOffset(), high.endOffset());
  // No more than the hardware's rows, or the block's.
  EXPECT_EQ(tileOf({512, 64}, 512).box.front(), 256);
  EXPECT_EQ(tileOf({512, 64}).box.front(), 128);
  EXPECT_EQ(tileOf({32, 64}, 64).box.front(), 32);
}

TEST(TensorMapLayout, partsOfRows) {
  std::optional<BoxParts> parts = tileOf({128, 128}, 64).partsOf(0, 64, 2);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->starts, (Starts{{0, 0}, {0, 64}}));
  EXPECT_EQ(parts->offset, 64 * 64);
  EXPECT_EQ(parts->elements, 64);
}

TEST(TensorMapLayout, partsThatTakeTurns) {
  // Rows 0 to 63 and 128 to 191 are the first part.
  std::optional<BoxParts> parts = tileOf({256, 64}, 64).partsOf(0, 64, 2);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->starts, (Starts{{0, 0}, {128, 0}}));
  EXPECT_EQ(parts->offset, 64 * 64);
  parts = tileOf({256, 64}, 64).partsOf(0, 64, 4);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->starts, (Starts{{0, 0}}));
}

TEST(TensorMapLayout, partsOfColumns) {
  std::optional<BoxParts> parts = tileOf({64, 256}).partsOf(1, 128, 2);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->starts, (Starts{{0, 0}, {0, 64}}));
  EXPECT_EQ(parts->offset, 2 * 64 * 64);
}

TEST(TensorMapLayout, boxesAreOfOnePart) {
  EXPECT_FALSE(tileOf({128, 64}).partsOf(0, 64, 2)) << "boxes of 128 rows";
  EXPECT_FALSE(tileOf({64, 128}).partsOf(1, 32, 2)) << "boxes of 64 columns";
}
