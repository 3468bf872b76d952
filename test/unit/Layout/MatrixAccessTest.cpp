// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores by stmatrix: each lane's words end where the layout says, conversions get buffers that
// both sides access by 16 bytes, and what has a better way is refused.

#include "tilec/Layout/MatrixAccess.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/MmaLayout.h"
#include "tilec/Layout/TensorLayouts.h"
#include "tilec/Layout/WgmmaLayout.h"

#include "gtest/gtest.h"

namespace tilec {
namespace {

/// The offset that stmatrix gives the element in place `inWord` of word `matrix` of `lane`.
uint64_t storedOffset(const MatrixAccess &store, int32_t bits, uint64_t constant, unsigned lane,
                      unsigned matrix, unsigned inWord) {
  // Lane 8 * matrix + row points to the row; a word is two 16-bit units of one, or of two of them.
  unsigned row, element, perUnit = unsigned(16 / bits);
  if (store.isTransposed) {
    row = 2 * (lane % 4) + inWord / perUnit;
    element = lane / 4 * perUnit + inWord % perUnit;
  } else {
    row = lane / 4;
    element = lane % 4 * unsigned(32 / bits) + inWord;
  }
  uint64_t address = constant ^ element;
  for (unsigned bit = 0, pointer = 8 * matrix + row; bit < 5; ++bit)
    if ((pointer >> bit) & 1)
      address ^= store.rowOffsets[bit];
  return address;
}

/// All elements that stmatrix stores, against the layout.
void expectStores(const SharedAccess &access, const MatrixAccess &store, int32_t bits) {
  std::vector<unsigned> order = store.registerBits();
  for (int32_t reg = 0; reg < access.offsets.getInDimSize(kRegister); ++reg) {
    unsigned inside = 0;
    int32_t first = reg;
    for (size_t i = 0; i < order.size(); ++i)
      if ((reg >> order[i]) & 1) {
        inside |= 1u << i;
        first ^= 1 << order[i];
      }
    unsigned inWord = inside & ((1u << store.wordBits.size()) - 1);
    unsigned matrix = inside >> store.wordBits.size();
    uint64_t constant = access.offsets.applyToFlat({{kRegister, first}});
    for (int32_t lane = 0; lane < 32; ++lane)
      ASSERT_EQ(storedOffset(store, bits, constant, unsigned(lane), matrix, inWord),
                access.offsets.applyToFlat({{kRegister, reg}, {kLane, lane}}));
  }
}

/// A dot's result that goes to a buffer of the same or another dot's operand.
TEST(MatrixStore, resultsOfDotsToBuffersOfOperands) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{64, 64}, {128, 64}, {64, 128}})
    for (unsigned contiguous : {0u, 1u}) {
      SCOPED_TRACE(std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " along " +
                   std::to_string(contiguous));
      WgmmaProductForm form;
      form.columns = int32_t(shape[1]);
      LinearLayout product = wgmmaProductLayout(shape, form);
      SharedAccess access =
          analyseSharedAccess(product, wgmmaSharedLayout(shape, 16, contiguous), 16);
      std::optional<MatrixAccess> store = matchMatrixStore(access, 16);
      ASSERT_TRUE(store);
      EXPECT_EQ(store->isTransposed, contiguous == 0);
      EXPECT_EQ(store->matrixBits.size(), 2u);
      EXPECT_EQ(store->wavefronts, 4);
      expectStores(access, *store, 16);
    }
}

TEST(MatrixStore, fragmentsOfBytes) {
  for (unsigned contiguous : {0u, 1u}) {
    LinearLayout fragments = mmaOperandLayout({128, 64}, 0, 4, std::vector<int32_t>{4, 1});
    if (contiguous == 0)
      fragments = pairNeighbours(fragments, 0, 8);
    LinearLayout memory = mmaSharedLayout({128, 64}, 8, contiguous, fragments);
    SharedAccess access = analyseSharedAccess(fragments, memory, 8);
    std::optional<MatrixAccess> store = matchMatrixStore(access, 8);
    ASSERT_TRUE(store);
    EXPECT_EQ(store->isPaired, contiguous == 0);
    expectStores(access, *store, 8);
  }
}

TEST(MatrixStore, whatIsRefused) {
  LinearLayout product = mmaAccumulatorLayout({64, 64}, {2, 2});
  auto store = [](const LinearLayout &layout, const LinearLayout &memory, int32_t bits) {
    return matchMatrixStore(analyseSharedAccess(layout, memory, bits), bits);
  };
  EXPECT_TRUE(store(product, wgmmaSharedLayout({64, 64}, 16, 1), 16));
  // 32-bit elements of a dot's result are pairs of words in a thread.
  EXPECT_FALSE(store(mmaAccumulatorLayout({64, 32}, std::vector<int32_t>{2, 2}),
                     wgmmaSharedLayout({64, 32}, 32, 1), 32));
  // A thread has 16 bytes anyway.
  EXPECT_FALSE(store(blockedLayout({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}),
                     wgmmaSharedLayout({64, 64}, 16, 1), 16));
  // Two warps have the same rows: only one may store.
  EXPECT_FALSE(
      store(mmaAccumulatorLayout({16, 64}, {2, 1}), wgmmaSharedLayout({16, 64}, 16, 1), 16));
}

TEST(MatrixSwizzle, resultsOfDotsToWholeLines) {
  LinearLayout lines = blockedLayout({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  LinearLayout columns = blockedLayout({64, 64}, {8, 1}, {8, 4}, {1, 4}, {0, 1});
  for (const std::vector<int32_t> &warps : {std::vector<int32_t>{4, 1}, {2, 2}})
    for (const LinearLayout &dst : {lines, columns}) {
      LinearLayout src = mmaAccumulatorLayout({64, 64}, warps);
      std::optional<SwizzledShared> plan = matrixSwizzle(src, dst, 16);
      ASSERT_TRUE(plan);
      EXPECT_TRUE(plan->memory.isInvertible());
      EXPECT_EQ(plan->load.vectorWidth, 8);
      EXPECT_EQ(plan->load.conflicts(), 0);
      EXPECT_EQ(plan->store.conflicts(), 0);
      EXPECT_EQ(plan->store.requests, 4);
      SharedAccess access = analyseSharedAccess(src, plan->memory, 16);
      std::optional<MatrixAccess> store = matchMatrixStore(access, 16);
      ASSERT_TRUE(store);
      EXPECT_EQ(store->isTransposed, dst == columns);
      expectStores(access, *store, 16);
    }
  // Lanes along a row, each with single elements of eight rows.
  EXPECT_FALSE(matrixSwizzle(mmaAccumulatorLayout({64, 64}, std::vector<int32_t>{4, 1}),
                             blockedLayout({64, 64}, {1, 1}, {1, 32}, {4, 1}, {1, 0}), 16));
  // Vectors of both, and no vectors of 16 bytes in the one that loads.
  EXPECT_FALSE(matrixSwizzle(lines, blockedLayout({64, 64}, {1, 8}, {32, 1}, {1, 4}, {1, 0}), 16));
  EXPECT_FALSE(matrixSwizzle(mmaAccumulatorLayout({64, 64}, std::vector<int32_t>{4, 1}),
                             blockedLayout({64, 64}, {1, 2}, {1, 32}, {4, 1}, {1, 0}), 16));
}

TEST(MatrixSwizzle, storesAndLoadsOfAllKinds) {
  using Sizes = std::vector<int32_t>;
  int found = 0;
  for (int32_t bits : {8, 16, 32})
    for (int32_t perWord : {1, 2, 4})
      for (const Sizes &warps : {Sizes{4, 1}, Sizes{1, 4}, Sizes{2, 2}})
        for (int32_t length : {2, 4, 8, 16})
          for (bool alongRows : {false, true}) {
            LinearLayout src = perWord == 1 ? mmaAccumulatorLayout({64, 128}, warps)
                                            : mmaOperandLayout({64, 128}, 0, perWord, warps);
            LinearLayout dst = alongRows
                                   ? blockedLayout({64, 128}, {1, length}, {4, 8}, {4, 1}, {1, 0})
                                   : blockedLayout({64, 128}, {length, 1}, {4, 8}, {1, 4}, {0, 1});
            std::optional<SwizzledShared> plan = matrixSwizzle(src, dst, bits);
            if (!plan)
              continue;
            ++found;
            EXPECT_TRUE(plan->memory.isInvertible());
            EXPECT_EQ(plan->load.vectorWidth * bits, 128);
            EXPECT_EQ(plan->load.conflicts() + plan->store.conflicts(), 0);
            SharedAccess access = analyseSharedAccess(src, plan->memory, bits);
            std::optional<MatrixAccess> store = matchMatrixStore(access, bits);
            ASSERT_TRUE(store);
            expectStores(access, *store, bits);
          }
  EXPECT_GT(found, 12);
}

TEST(MatrixSwizzle, isPlannedWhereTheTargetHasTheInstruction) {
  LinearLayout src = mmaAccumulatorLayout({64, 64}, std::vector<int32_t>{4, 1});
  LinearLayout dst = blockedLayout({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  ConversionOptions options;
  options.forceShared = true;
  EXPECT_EQ(planConversion(src, dst, 16, options).shared.load.vectorWidth, 2);
  options.storesMatrices = true;
  ConversionPlan plan = planConversion(src, dst, 16, options);
  EXPECT_EQ(plan.shared.load.vectorWidth, 8);
  EXPECT_EQ(plan.sharedCost, kBarrierCost + 32);
}

} // namespace
} // namespace tilec
