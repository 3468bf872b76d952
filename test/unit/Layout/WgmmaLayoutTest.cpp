// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where wgmma looks for its operands: every element's place in a buffer against a walk over the
// core matrices that the descriptor's fields describe, and the registers of the product.

#include "tilec/Layout/WgmmaLayout.h"

#include "gtest/gtest.h"

namespace tilec {
namespace {

/// The fields of a matrix descriptor, decoded.
struct Fields {
  explicit Fields(uint64_t bits)
      : start((bits & 0x3FFF) << 4), leading((bits >> 16 & 0x3FFF) << 4),
        stride((bits >> 32 & 0x3FFF) << 4), mode(bits >> 62), rest(bits & 0x3FFE'C000'C000'C000) {}

  int64_t start, leading, stride;
  uint64_t mode;
  uint64_t rest;

  /// Bytes of a core matrix's row.
  int64_t coreBytes() const { return mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 16; }

  /// The byte that the instruction reads as byte `x` of line `line`, where a line runs along the
  /// contiguous dimension. Units of 16 bytes are permuted by bits of the address above them.
  int64_t address(int64_t line, int64_t x, bool isKMajor) const {
    int64_t result = start + line / 8 * stride + line % 8 * coreBytes();
    // K-major, 32 bytes of a line are inside one core matrix.
    result += isKMajor ? x : x / coreBytes() * leading + x % coreBytes();
    int64_t unitMask = coreBytes() / 16 - 1;
    return result ^ ((result >> 7 & unitMask) << 4);
  }
};

/// Byte of an element in the buffer.
int64_t byteOf(const LinearLayout &inverse, int64_t row, int64_t column, int32_t bits) {
  return int64_t(inverse.applyToFlat({{"dim0", int32_t(row)}, {"dim1", int32_t(column)}})) * bits /
         8;
}

/// Walks all instructions of operand `operand` (0: M x K, 1: K x N) with `extent` rows or columns
/// each.
void expectReadable(const LinearLayout &memory, int32_t bits, unsigned operand, int64_t extent) {
  std::optional<WgmmaOperandForm> form = matchWgmmaOperand(memory, bits, operand);
  ASSERT_TRUE(form.has_value());
  std::vector<int64_t> shape = layoutShape(memory);
  LinearLayout inverse = memory.sublayout({kOffset}, {"dim0", "dim1"}).pseudoinvert();
  unsigned depthDim = operand == 0 ? 1 : 0, freeDim = 1 - depthDim;
  bool isKMajor = form->contiguousDim == depthDim;
  int64_t depth = 256 / bits;
  auto place = [&](int64_t free, int64_t k) {
    return byteOf(inverse, freeDim == 0 ? free : k, freeDim == 0 ? k : free, bits);
  };
  for (int64_t first = 0; first < shape[freeDim]; first += extent)
    for (int64_t k0 = 0; k0 < shape[depthDim]; k0 += depth) {
      int64_t start = place(first, k0);
      ASSERT_EQ(start % 16, 0);
      Fields fields(form->descriptorFields() | uint64_t(start) >> 4);
      ASSERT_EQ(fields.rest, 0u);
      for (int64_t i = 0; i < extent; ++i)
        for (int64_t k = 0; k < depth; ++k) {
          int64_t line = isKMajor ? i : k, x = (isKMajor ? k : i) * bits / 8;
          ASSERT_EQ(fields.address(line, x, isKMajor), place(first + i, k0 + k))
              << "row or column " << first + i << ", depth " << k0 + k;
        }
    }
}

TEST(WgmmaLayout, everyOperandIsWhereTheInstructionReads) {
  for (int32_t bits : {8, 16, 32})
    for (unsigned operand : {0u, 1u})
      for (unsigned contiguous : {0u, 1u})
        for (int64_t free : {8, 16, 32, 64, 128, 256})
          for (int64_t depthBytes : {32, 64, 128, 256}) {
            int64_t depth = depthBytes * 8 / bits;
            bool isKMajor = contiguous == (operand == 0 ? 1u : 0u);
            if ((operand == 0 && free < 64) || (!isKMajor && (bits != 16 || free < 16)))
              continue;
            std::vector<int64_t> shape{operand == 0 ? free : depth, operand == 0 ? depth : free};
            SCOPED_TRACE(std::to_string(bits) + " bits, operand " + std::to_string(operand) + ", " +
                         std::to_string(shape[0]) + "x" + std::to_string(shape[1]) +
                         ", contiguous " + std::to_string(contiguous));
            LinearLayout memory = wgmmaSharedLayout(shape, bits, contiguous);
            ASSERT_TRUE(memory.isInvertible());
            expectReadable(memory, bits, operand, operand == 0 ? 64 : free);
            // A part of the columns in each instruction.
            if (operand == 1 && free >= 64)
              expectReadable(memory, bits, operand, 64);
          }
}

TEST(WgmmaLayout, fieldsOfDescriptors) {
  // 128 bytes of K in a row: eight rows are 1024 bytes.
  auto rows = matchWgmmaOperand(wgmmaSharedLayout({128, 64}, 16, 1), 16, 0);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->contiguousDim, 1u);
  EXPECT_EQ(rows->swizzleBytes, 128);
  EXPECT_EQ(rows->strideBytes, 1024);
  EXPECT_EQ(rows->descriptorFields(), 1ull << 62 | 64ull << 32 | 1ull << 16);
  // 64 bytes of N in a row, 32 rows of K: the next 64 bytes of N are behind those.
  auto columns = matchWgmmaOperand(wgmmaSharedLayout({32, 32}, 16, 1), 16, 1);
  ASSERT_TRUE(columns.has_value());
  EXPECT_EQ(columns->swizzleBytes, 64);
  EXPECT_EQ(columns->strideBytes, 512);
  EXPECT_EQ(columns->leadingBytes, 32 * 64);
  EXPECT_EQ(columns->descriptorFields(), 2ull << 62 | 32ull << 32 | 128ull << 16);
  auto narrow = matchWgmmaOperand(wgmmaSharedLayout({16, 8}, 16, 0), 16, 1);
  ASSERT_TRUE(narrow.has_value());
  EXPECT_EQ(narrow->swizzleBytes, 32);
  EXPECT_EQ(narrow->descriptorFields() >> 62, 3u);
  // Without a swizzle the mode is 0.
  WgmmaOperandForm plain;
  plain.swizzleBytes = 0;
  plain.leadingBytes = 128;
  plain.strideBytes = 256;
  EXPECT_EQ(plain.descriptorFields(), 16ull << 32 | 8ull << 16);
}

TEST(WgmmaLayout, theSwizzleFollowsTheRow) {
  EXPECT_EQ(wgmmaSwizzleBytes({64, 256}, 16, 1), 128);
  EXPECT_EQ(wgmmaSwizzleBytes({64, 64}, 16, 1), 128);
  EXPECT_EQ(wgmmaSwizzleBytes({64, 32}, 16, 1), 64);
  EXPECT_EQ(wgmmaSwizzleBytes({64, 16}, 16, 1), 32);
  EXPECT_EQ(wgmmaSwizzleBytes({64, 8}, 16, 1), std::nullopt);
  EXPECT_EQ(wgmmaSwizzleBytes({64, 8}, 16, 0), 128);
  EXPECT_EQ(wgmmaSwizzleBytes({64, 8}, 32, 1), 32);
  EXPECT_EQ(wgmmaSwizzleBytes({64, 32}, 8, 1), 32);
}

TEST(WgmmaLayout, whatTheInstructionCannotRead) {
  // Elements that are not 16 bits wide have to be K-major.
  for (int32_t bits : {8, 32}) {
    EXPECT_FALSE(matchWgmmaOperand(wgmmaSharedLayout({64, 128}, bits, 0), bits, 0));
    EXPECT_FALSE(matchWgmmaOperand(wgmmaSharedLayout({128, 64}, bits, 1), bits, 1));
    EXPECT_TRUE(matchWgmmaOperand(wgmmaSharedLayout({128, 64}, bits, 0), bits, 1));
  }
  EXPECT_FALSE(matchWgmmaOperand(linearSharedLayout({64, 64}, {1, 0}), 16, 0));
  EXPECT_FALSE(matchWgmmaOperand(swizzledSharedLayout({64, 64}, 4, 1, 8, {1, 0}), 16, 0));
  // A layout for elements of another size.
  EXPECT_FALSE(matchWgmmaOperand(wgmmaSharedLayout({64, 64}, 8, 1), 16, 0));
  EXPECT_FALSE(matchWgmmaOperand(linearSharedLayout({64}, {0}), 16, 0));
  EXPECT_FALSE(matchWgmmaOperand(linearSharedLayout({2, 64, 64}, {2, 1, 0}), 16, 0));
}

TEST(WgmmaLayout, productsAndTheirRegisters) {
  for (int64_t m : {64, 128, 256})
    for (int64_t n : {8, 16, 64, 256, 512})
      for (int32_t groups : {1, 2, 4, 8}) {
        int32_t rowGroups = int32_t(std::min<int64_t>(groups, m / 64));
        int32_t columnGroups = groups / rowGroups;
        int32_t columns = int32_t(std::min<int64_t>(256, std::max<int64_t>(8, n / columnGroups)));
        int32_t warps[] = {rowGroups * 4, columnGroups};
        LinearLayout product = wgmmaAccumulatorLayout({m, n}, warps, columns);
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + ", " + std::to_string(groups) +
                     " warpgroups");
        std::optional<WgmmaProductForm> form = matchWgmmaProduct(product);
        ASSERT_TRUE(form.has_value());
        EXPECT_EQ(form->rowWarps, warps[0]);
        EXPECT_EQ(form->columnGroups, columnGroups);
        EXPECT_EQ(form->columns, columns);
        // The first instruction's registers, as the PTX ISA numbers them.
        for (int32_t reg = 0; reg < columns / 2; ++reg)
          for (int32_t lane = 0; lane < 32; ++lane)
            for (int32_t warp = 0; warp < 4; ++warp) {
              auto at = product.apply({{kRegister, reg}, {kLane, lane}, {kWarp, warp}});
              ASSERT_EQ(at[0].second, warp * 16 + lane / 4 + reg / 2 % 2 * 8);
              ASSERT_EQ(at[1].second, reg / 4 * 8 + lane % 4 * 2 + reg % 2);
            }
      }
}

TEST(WgmmaLayout, transpositions) {
  for (int32_t bits : {8, 32})
    for (unsigned depthDim : {0u, 1u})
      for (int64_t depth : {32, 64, 128, 256})
        for (int64_t rows : {32, 64, 128, 256})
          for (int32_t warps : {4, 8, 16}) {
            int64_t shape[] = {depthDim == 0 ? depth : rows, depthDim == 0 ? rows : depth};
            SCOPED_TRACE(std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + " of " +
                         std::to_string(bits) + ", " + std::to_string(warps) + " warps");
            std::optional<WgmmaTransposition> way =
                wgmmaTransposition(shape, bits, depthDim, warps);
            ASSERT_TRUE(way.has_value());
            EXPECT_TRUE(way->registers.isSurjective());
            EXPECT_TRUE(way->memory.isInvertible());
            // Whole rows of 128 bytes of K are moved without conflicts.
            if (depth * bits >= 1024 && rows >= 64)
              EXPECT_EQ(way->conflicts, 0);
            // From what the copy engine writes.
            LinearLayout memory = wgmmaSharedLayout(shape, bits, 1 - depthDim);
            auto given = wgmmaTransposition(shape, bits, depthDim, warps, memory);
            ASSERT_TRUE(given.has_value());
            EXPECT_EQ(given->memory, memory);
          }
  EXPECT_FALSE(wgmmaTransposition({16, 64}, 8, 0, 4));
  EXPECT_FALSE(wgmmaTransposition({8, 64}, 8, 1, 4));
  EXPECT_FALSE(wgmmaTransposition({8, 64}, 32, 0, 4));
  EXPECT_FALSE(wgmmaTransposition({16, 64}, 32, 1, 4));
}

TEST(WgmmaLayout, productsWithPairsOfRows) {
  for (int64_t m : {64, 128, 256})
    for (int32_t rowWarps : {4, 8}) {
      WgmmaProductForm form;
      form.rowWarps = rowWarps, form.columns = 64, form.pairsRows = true;
      if (rowWarps * 16 > m)
        continue;
      LinearLayout product = wgmmaProductLayout({m, 64}, form);
      std::optional<WgmmaProductForm> matched = matchWgmmaProduct(product);
      ASSERT_TRUE(matched.has_value());
      EXPECT_TRUE(matched->pairsRows);
      EXPECT_EQ(matched->rowWarps, rowWarps);
      EXPECT_EQ(matched->columns, 64);
      // Fragments have the rows of the product in each thread, in order.
      for (int32_t bits : {8, 32}) {
        LinearLayout fragments = wgmmaFragmentLayout({m, 64}, bits, form);
        for (int32_t lane = 0; lane < 32; ++lane)
          for (int32_t warp = 0; warp < rowWarps; ++warp) {
            auto at = fragments.apply({{kRegister, 32 / bits}, {kLane, lane}, {kWarp, warp}});
            EXPECT_EQ(at[0].second, warp * 16 + lane / 4 * 2 + 1);
            EXPECT_EQ(at[1].second, lane % 4 * (32 / bits));
            auto row = product.apply({{kRegister, 2}, {kLane, lane}, {kWarp, warp}});
            EXPECT_EQ(row[0].second, at[0].second);
          }
      }
    }
}

TEST(WgmmaLayout, productsOfWarpgroupsInTurn) {
  for (int64_t m : {64, 128})
    for (int32_t groups : {2, 4})
      for (bool pairsRows : {false, true}) {
        WgmmaProductForm form;
        form.columnGroups = groups, form.columns = 256 / groups;
        form.alternates = true, form.pairsRows = pairsRows;
        LinearLayout product = wgmmaProductLayout({m, 256}, form);
        std::optional<WgmmaProductForm> matched = matchWgmmaProduct(product);
        ASSERT_TRUE(matched.has_value());
        EXPECT_TRUE(matched->alternates);
        EXPECT_EQ(matched->pairsRows, pairsRows);
        EXPECT_EQ(matched->columnGroups, groups);
        EXPECT_EQ(matched->columns, 256 / groups);
        // The first 96 columns of all are as many of each warpgroup, in order.
        for (int32_t warp = 0; warp < 4 * groups; warp += 4)
          for (int32_t r = 0; r < 128 / groups; r += 4) {
            auto at = product.apply({{kRegister, r}, {kLane, 0}, {kWarp, warp}});
            EXPECT_EQ(at[1].second, r / 4 * 8 * groups + warp / 4 * 8);
          }
      }
  // Columns that follow one another.
  WgmmaProductForm form;
  form.columnGroups = 2, form.columns = 64;
  std::optional<WgmmaProductForm> matched = matchWgmmaProduct(wgmmaProductLayout({64, 128}, form));
  ASSERT_TRUE(matched.has_value());
  EXPECT_FALSE(matched->alternates);
  EXPECT_EQ(matched->columns, 64);
  // 8 columns each are both.
  form.columns = 8;
  matched = matchWgmmaProduct(wgmmaProductLayout({64, 16}, form));
  ASSERT_TRUE(matched.has_value());
  EXPECT_FALSE(matched->alternates);
}

TEST(WgmmaLayout, whatIsNoProduct) {
  int32_t warps[] = {4, 1};
  EXPECT_FALSE(matchWgmmaProduct(blockedLayout({64, 64}, {1, 4}, {8, 4}, {4, 1}, {1, 0})));
  EXPECT_FALSE(matchWgmmaProduct(mmaAccumulatorLayout({64, 64}, {2, 2})));
  EXPECT_FALSE(matchWgmmaProduct(mmaAccumulatorLayout({2, 64, 64}, {1, 4, 1})));
  EXPECT_FALSE(matchWgmmaProduct(mmaAccumulatorLayout({64, 64}, {2, 1})));
  EXPECT_FALSE(matchWgmmaProduct(wgmmaAccumulatorLayout({32, 64}, warps, 64)));
  EXPECT_FALSE(matchWgmmaProduct(defaultBlockedLayout({64, 4}, 4)));
}

} // namespace
} // namespace tilec
