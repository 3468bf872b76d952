// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named layouts against their definitions, and shape operations against brute force: for every
// hardware position, the element that the result names is the one that the operand holds there.

#include "tilec/Layout/TensorLayouts.h"

#include "RandomLayouts.h"

namespace tilec {
namespace {

using Coords = std::vector<int32_t>;
using TensorLayoutsRandom = RandomLayoutTest;

Coords at(const LinearLayout &layout, int32_t reg, int32_t lane, int32_t warp) {
  return layout.unflattenOut(layout.applyToFlat({{kRegister, reg}, {kLane, lane}, {kWarp, warp}}));
}

/// Calls `body(register, lane, warp)` for every position.
template <typename Body> void forEachPosition(const LinearLayout &layout, Body body) {
  for (int32_t w = 0; w < layout.getInDimSize(kWarp); ++w)
    for (int32_t l = 0; l < layout.getInDimSize(kLane); ++l)
      for (int32_t r = 0; r < layout.getInDimSize(kRegister); ++r)
        body(r, l, w);
}

TEST(TensorLayouts, blocked_worked_example) {
  LinearLayout layout = blockedLayout({64, 32}, {1, 4}, {8, 4}, {4, 1}, {1, 0});
  EXPECT_EQ(layout.toString(),
            "{register=[[0,1],[0,2],[0,16],[32,0]], lane=[[0,4],[0,8],[1,0],[2,0],[4,0]], "
            "warp=[[8,0],[16,0]], block=[]} -> [dim0:64, dim1:32]");
  LinearLayout smaller = blockedLayout({16, 16}, {1, 4}, {8, 4}, {4, 1}, {1, 0});
  EXPECT_EQ(smaller.toString(), "{register=[[0,1],[0,2]], lane=[[0,4],[0,8],[1,0],[2,0],[4,0]], "
                                "warp=[[8,0],[0,0]], block=[]} -> [dim0:16, dim1:16]");
}

TEST(TensorLayouts, default_blocked_covers_every_shape) {
  for (int32_t warps : {1, 2, 4, 8, 16})
    for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{{},
                                                                        {1},
                                                                        {16},
                                                                        {1024},
                                                                        {1, 1},
                                                                        {4, 256},
                                                                        {256, 4},
                                                                        {64, 64},
                                                                        {2, 4, 8},
                                                                        {1, 1, 4096},
                                                                        {8192, 1}}) {
      LinearLayout layout = defaultBlockedLayout(shape, warps);
      EXPECT_TRUE(layout.isSurjective());
      // Each element is in one place, or copied as a whole: no coordinate is a sum of two bases.
      for (uint64_t basis : layout.getFlatMatrix())
        EXPECT_EQ(basis & (basis - 1), 0u);
      EXPECT_EQ(layoutShape(layout), shape);
      EXPECT_EQ(layout.getInDimSize(kLane), 32);
      EXPECT_EQ(layout.getInDimSize(kWarp), warps);
      EXPECT_EQ(fitToShape(layout, shape), layout);
    }
  EXPECT_EQ(elementsPerThread(defaultBlockedLayout({1024}, 4)), 8);
  EXPECT_EQ(spreadBlockedLayout({1024}, {4}, {0}, 4).toString(),
            "{register=[[1],[2],[512]], lane=[[4],[8],[16],[32],[64]], warp=[[128],[256]], "
            "block=[]} -> [dim0:1024]");
}

TEST(TensorLayouts, mma_accumulator_follows_the_instruction) {
  LinearLayout layout = mmaAccumulatorLayout({32, 16}, {2, 2});
  EXPECT_TRUE(layout.isInvertible());
  forEachPosition(layout, [&](int32_t r, int32_t l, int32_t w) {
    // c0,c1: row lane/4, columns 2*(lane%4)+{0,1}; c2,c3: eight rows below. Warps: N first.
    Coords expected = {l / 4 + 8 * (r / 2) + 16 * (w / 2), 2 * (l % 4) + r % 2 + 8 * (w % 2)};
    EXPECT_EQ(at(layout, r, l, w), expected);
  });
}

TEST(TensorLayouts, wgmma_accumulator_follows_the_instruction) {
  LinearLayout layout = wgmmaAccumulatorLayout({128, 64}, {8, 1}, 64);
  EXPECT_TRUE(layout.isInvertible());
  forEachPosition(layout, [&](int32_t r, int32_t l, int32_t w) {
    Coords expected = {l / 4 + 8 * (r / 2 % 2) + 16 * w, 2 * (l % 4) + r % 2 + 8 * (r / 4)};
    EXPECT_EQ(at(layout, r, l, w), expected);
  });
}

TEST(TensorLayouts, mma_operands_follow_the_instruction) {
  LinearLayout a = mmaOperandLayout({32, 16}, 0, 2, {2, 2});
  forEachPosition(a, [&](int32_t r, int32_t l, int32_t w) {
    // a0,a1 | a2,a3 rows +8 | a4..a7 columns +8; warps along N replicate.
    Coords expected = {l / 4 + 8 * (r / 2 % 2) + 16 * (w / 2), 2 * (l % 4) + r % 2 + 8 * (r / 4)};
    EXPECT_EQ(at(a, r, l, w), expected);
  });
  LinearLayout b = mmaOperandLayout({16, 16}, 1, 2, {2, 2});
  forEachPosition(b, [&](int32_t r, int32_t l, int32_t w) {
    Coords expected = {2 * (l % 4) + r % 2 + 8 * (r / 2), l / 4 + 8 * (w % 2)};
    EXPECT_EQ(at(b, r, l, w), expected);
  });
}

TEST(TensorLayouts, swizzled_shared_matches_its_formula) {
  LinearLayout layout = swizzledSharedLayout({32, 64}, 8, 2, 4, {1, 0});
  EXPECT_TRUE(layout.isInvertible());
  for (int32_t r = 0; r < 32; ++r)
    for (int32_t c = 0; c < 64; ++c) {
      int32_t offset = r * 64 + (c ^ (8 * ((r / 2) % 4)));
      EXPECT_EQ(layout.unflattenOut(layout.applyToFlat({{kOffset, offset}})), (Coords{r, c}));
    }
  LinearLayout columns = swizzledSharedLayout({64, 32}, 4, 1, 8, {0, 1});
  EXPECT_EQ(columns.unflattenOut(columns.applyToFlat({{kOffset, 3 * 64 + (5 ^ 12)}})),
            (Coords{5, 3}));
}

TEST(TensorLayouts, tma_shared_swizzles_address_bits) {
  for (int32_t swizzle : {0, 32, 64, 128})
    for (int32_t elementBits : {8, 16, 32}) {
      int64_t rows = 32, columns = 256 * 8 / elementBits;
      LinearLayout layout = tmaSharedLayout({rows, columns}, elementBits, swizzle, {1, 0});
      ASSERT_TRUE(layout.isInvertible());
      LinearLayout toOffset = layout.invert();
      int32_t bytes = elementBits / 8;
      int32_t width = swizzle == 0 ? 16 : swizzle;
      for (int32_t r = 0; r < rows; ++r)
        for (int32_t c = 0; c < columns; ++c) {
          // Boxes of `width` bytes side by side, each with its rows packed; then the XOR of the
          // 16-byte units with address bits 7..9.
          int32_t byte = c * bytes;
          int32_t address = byte / width * int32_t(rows) * width + r * width + byte % width;
          int32_t unitMask = width / 16 - 1;
          address ^= ((address >> 7) & unitMask) << 4;
          uint64_t offset = toOffset.applyToFlat({{"dim0", r}, {"dim1", c}});
          ASSERT_EQ(int32_t(offset) * bytes, address) << swizzle << " " << r << "," << c;
        }
    }
}

TEST_F(TensorLayoutsRandom, fit_to_shape_is_idempotent_and_exact) {
  for (int trial = 0; trial < 300; ++trial) {
    auto shape = randomShape(pick(1, 3), pick(0, 12));
    auto other = randomShape(int(shape.size()), pick(0, 12));
    LinearLayout layout = randomDistributed(other, pick(0, 3));
    LinearLayout fitted = fitToShape(layout, shape);
    EXPECT_EQ(layoutShape(fitted), std::vector<int64_t>(shape));
    EXPECT_TRUE(fitted.isSurjective());
    EXPECT_EQ(fitToShape(fitted, shape), fitted);
    EXPECT_EQ(fitToShape(layout, other), layout);
    EXPECT_EQ(fitted.getInDimSize(kLane), 32);
  }
}

TEST_F(TensorLayoutsRandom, permute_and_expand_relabel) {
  for (int trial = 0; trial < 100; ++trial) {
    int rank = pick(1, 3);
    auto shape = randomShape(rank, pick(0, 9));
    LinearLayout layout = randomDistributed(shape, pick(0, 2));
    std::vector<int32_t> order = rowMajorOrder(rank);
    std::shuffle(order.begin(), order.end(), rng);
    LinearLayout permuted = permuteLayout(layout, order);
    unsigned axis = unsigned(pick(0, rank));
    LinearLayout expanded = expandDimsLayout(layout, axis);
    EXPECT_EQ(expanded.getOutDimNames(), dimNames(rank + 1));
    EXPECT_EQ(permuted.getOutDimNames(), dimNames(rank));
    EXPECT_EQ(dropDim(expanded, axis), layout);
    forEachPosition(layout, [&](int32_t r, int32_t l, int32_t w) {
      Coords from = at(layout, r, l, w), to = at(permuted, r, l, w);
      for (int i = 0; i < rank; ++i)
        ASSERT_EQ(to[i], from[order[i]]);
      from.insert(from.begin() + axis, 0);
      ASSERT_EQ(at(expanded, r, l, w), from);
    });
  }
}

TEST_F(TensorLayoutsRandom, reshape_keeps_row_major_index) {
  for (int trial = 0; trial < 100; ++trial) {
    int total = pick(0, 9);
    auto shape = randomShape(pick(1, 3), total), newShape = randomShape(pick(1, 4), total);
    LinearLayout layout = randomDistributed(shape, pick(0, 2));
    LinearLayout reshaped = reshapeLayout(layout, newShape);
    EXPECT_EQ(layoutShape(reshaped), std::vector<int64_t>(newShape));
    auto index = [](const Coords &coords, llvm::ArrayRef<int64_t> sizes) {
      int64_t result = 0;
      for (size_t i = 0; i < coords.size(); ++i)
        result = result * sizes[i] + coords[i];
      return result;
    };
    forEachPosition(layout, [&](int32_t r, int32_t l, int32_t w) {
      ASSERT_EQ(index(at(layout, r, l, w), shape), index(at(reshaped, r, l, w), newShape));
    });
    EXPECT_EQ(reshapeLayout(reshaped, shape), layout);
  }
}

TEST_F(TensorLayoutsRandom, slice_drops_the_axis_and_its_registers) {
  for (int trial = 0; trial < 100; ++trial) {
    int rank = pick(1, 3);
    auto shape = randomShape(rank, pick(0, 10));
    LinearLayout layout = randomDistributed(shape, pick(0, 2), pick(0, 1));
    unsigned axis = unsigned(pick(0, rank - 1));
    LinearLayout sliced = sliceLayout(layout, axis);
    LinearLayout dropped = dropDim(layout, axis);
    std::vector<int32_t> registerMap;
    EXPECT_EQ(removeRegisterReplication(dropped, &registerMap), sliced);
    EXPECT_TRUE(sliced.isSurjective());
    for (uint64_t basis : sliced.getFlatBases(kRegister))
      EXPECT_NE(basis, 0u);
    forEachPosition(layout, [&](int32_t r, int32_t l, int32_t w) {
      Coords from = at(layout, r, l, w);
      from.erase(from.begin() + axis);
      ASSERT_EQ(at(dropped, r, l, w), from);
      ASSERT_EQ(at(sliced, registerMap[r], l, w), from);
    });
    // Every thread that ran along the axis still holds the sliced element.
    EXPECT_EQ(sliced.getInDimSize(kLane), layout.getInDimSize(kLane));
  }
}

/// Each register of `layout` is in the place that the map names, less the start of its slice.
void expectSlices(const LinearLayout &layout, unsigned axis, int32_t elements) {
  std::vector<int32_t> registerMap;
  std::optional<LinearLayout> slice = extractSliceLayout(layout, axis, elements, &registerMap);
  ASSERT_TRUE(slice.has_value());
  std::vector<int64_t> shape = layoutShape(layout);
  int64_t numSlices = shape[axis] / elements;
  shape[axis] = elements;
  EXPECT_EQ(layoutShape(*slice), shape);
  EXPECT_TRUE(slice->isSurjective());
  EXPECT_EQ(int64_t(elementsPerThread(*slice)) * numSlices, elementsPerThread(layout));
  ASSERT_EQ(int32_t(registerMap.size()), elementsPerThread(layout));
  forEachPosition(layout, [&](int32_t r, int32_t l, int32_t w) {
    Coords expected = at(layout, r, l, w);
    // All threads have elements of the same slice in a register.
    EXPECT_EQ(expected[axis] / elements, at(layout, r, 0, 0)[axis] / elements);
    expected[axis] %= elements;
    EXPECT_EQ(at(*slice, registerMap[size_t(r)], l, w), expected);
  });
}

TEST(TensorLayouts, slices_are_registers) {
  LinearLayout product = wgmmaAccumulatorLayout({128, 256}, {8, 1}, 256);
  for (int32_t columns : {8, 16, 64, 128, 256})
    expectSlices(product, 1, columns);
  EXPECT_EQ(extractSliceLayout(product, 1, 64), wgmmaAccumulatorLayout({128, 64}, {8, 1}, 64));
  // Two instructions for the rows of each warpgroup.
  expectSlices(wgmmaAccumulatorLayout({256, 64}, {8, 1}, 64), 0, 128);
  LinearLayout blocked = blockedLayout({64, 32}, {1, 4}, {8, 4}, {4, 1}, {1, 0});
  expectSlices(blocked, 0, 32);
  expectSlices(blocked, 1, 16);
}

TEST(TensorLayouts, slices_of_threads_are_none) {
  LinearLayout product = wgmmaAccumulatorLayout({128, 64}, {8, 1}, 64);
  // Lanes part four columns; registers part rows 8 to 15, but warps those from row 16 on.
  EXPECT_FALSE(extractSliceLayout(product, 1, 4).has_value());
  EXPECT_FALSE(extractSliceLayout(product, 0, 64).has_value());
  EXPECT_FALSE(extractSliceLayout(product, 0, 8).has_value());
  // The second warpgroup has other columns.
  LinearLayout beside = wgmmaAccumulatorLayout({64, 128}, {4, 2}, 64);
  EXPECT_FALSE(extractSliceLayout(beside, 1, 32).has_value());
  LinearLayout blocked = blockedLayout({64, 32}, {1, 4}, {8, 4}, {4, 1}, {1, 0});
  EXPECT_FALSE(extractSliceLayout(blocked, 0, 16).has_value());
  EXPECT_FALSE(extractSliceLayout(blocked, 1, 8).has_value());
}

TEST(TensorLayouts, slices_of_mixed_registers_are_none) {
  // Bit 0 of the register says the half of the columns, and something else.
  auto layoutWith = [](LinearLayout::Basis first) {
    std::vector<LinearLayout::InDimBases> ins = {
        {kRegister.str(), {first, {1, 0}}},
        {kLane.str(), {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 0}}},
        {kWarp.str(), {}},
        {kBlock.str(), {}}};
    return llvm::cantFail(LinearLayout::create(ins, {{dimName(0), 2}, {dimName(1), 32}}));
  };
  expectSlices(layoutWith({0, 16}), 1, 16);
  EXPECT_FALSE(extractSliceLayout(layoutWith({1, 16}), 1, 16).has_value());
  EXPECT_FALSE(extractSliceLayout(layoutWith({0, 17}), 1, 16).has_value());
}

TEST_F(TensorLayoutsRandom, broadcast_reads_registers_in_place) {
  for (int trial = 0; trial < 200; ++trial) {
    int rank = pick(1, 3);
    auto shape = randomShape(rank, pick(0, 8)), operandShape = shape;
    for (int64_t &size : operandShape)
      if (pick(0, 1))
        size = 1;
    LinearLayout operand = randomDistributed(operandShape, pick(0, 2), pick(0, 1));
    LinearLayout result = broadcastTo(operand, shape);
    EXPECT_EQ(layoutShape(result), std::vector<int64_t>(shape));
    EXPECT_TRUE(result.isSurjective());
    int32_t registers = elementsPerThread(operand);
    auto check = [&](const LinearLayout &from, const LinearLayout &to, auto mapRegister) {
      forEachPosition(to, [&](int32_t r, int32_t l, int32_t w) {
        Coords expected = at(to, r, l, w);
        for (int d = 0; d < rank; ++d)
          if (operandShape[d] == 1)
            expected[d] = 0;
        ASSERT_EQ(at(from, mapRegister(r), l, w), expected);
      });
    };
    check(operand, result, [&](int32_t r) { return r % registers; });

    // The other direction: the operand that a wanted result needs.
    LinearLayout wanted = randomDistributed(shape, pick(0, 2));
    LinearLayout needed = broadcastOperandLayout(wanted, operandShape);
    EXPECT_EQ(layoutShape(needed), std::vector<int64_t>(operandShape));
    LinearLayout cleared = wanted;
    for (int d = 0; d < rank; ++d)
      if (operandShape[d] == 1)
        cleared = cleared.resizeOutDim(dimName(d), 1);
    std::vector<int32_t> registerMap;
    EXPECT_EQ(removeRegisterReplication(cleared, &registerMap), needed);
    check(needed, wanted, [&](int32_t r) { return registerMap[r]; });
  }
}

TEST(TensorLayouts, axis_queries) {
  LinearLayout layout = blockedLayout({64, 32}, {1, 4}, {8, 4}, {4, 1}, {1, 0});
  EXPECT_EQ(maskAlongAxis(layout, kRegister, 1), 0b0111);
  EXPECT_EQ(maskAlongAxis(layout, kLane, 1), 0b00011);
  EXPECT_EQ(maskAlongAxis(layout, kWarp, 0), 0b11);
  EXPECT_TRUE(axisIsWithinWarp(layout, 1));
  EXPECT_FALSE(axisIsWithinWarp(layout, 0));
  EXPECT_EQ(contiguousRegisterBits(layout, 1), (std::vector<unsigned>{0, 1}));
  EXPECT_TRUE(contiguousRegisterBits(layout, 0).empty());
}

} // namespace
} // namespace tilec
