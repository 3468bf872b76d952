// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of warps: how warps are spread, that fragments are read by ldmatrix without bank
// conflicts wherever the instruction has a form for them, and that ldmatrix gives each lane what
// the layout says.

#include "tilec/Layout/MmaLayout.h"
#include "tilec/Layout/MatrixAccess.h"

#include "gtest/gtest.h"

namespace tilec {
namespace {

using Warps = std::vector<int32_t>;

TEST(MmaWarps, fewestInstructionsThenFewestOperands) {
  EXPECT_EQ(chooseMmaWarps({128, 128}, 4, false), (Warps{2, 2}));
  EXPECT_EQ(chooseMmaWarps({128, 128}, 8, false), (Warps{4, 2}));
  EXPECT_EQ(chooseMmaWarps({16, 128}, 4, false), (Warps{1, 4}));
  EXPECT_EQ(chooseMmaWarps({256, 16}, 4, false), (Warps{4, 1}));
  EXPECT_EQ(chooseMmaWarps({16, 8}, 4, false), (Warps{4, 1}));
  EXPECT_EQ(chooseMmaWarps({4, 64, 64}, 8, false), (Warps{4, 2, 1}));
}

TEST(MmaWarps, wholeRows) {
  EXPECT_EQ(chooseMmaWarps({128, 64}, 4, true), (Warps{4, 1}));
  EXPECT_EQ(chooseMmaWarps({64, 128}, 8, true), (Warps{4, 2}));
  EXPECT_EQ(chooseMmaWarps({16, 128}, 4, true), (Warps{1, 4}));
}

TEST(MmaPairs, neighboursAreInAThread) {
  LinearLayout plain = mmaOperandLayout({64, 64}, 0, 4, {2, 2});
  LinearLayout pairs = pairNeighbours(plain, 0, 8);
  EXPECT_EQ(pairs.getBasis(kLane, 2, "dim0"), 2);
  EXPECT_EQ(pairs.getBasis(kLane, 4, "dim0"), 8);
  EXPECT_EQ(contiguousRegisterBits(pairs, 0).size(), 1u);
  EXPECT_EQ(pairs.getBasis(kWarp, 1, "dim0"), plain.getBasis(kWarp, 1, "dim0"));
  EXPECT_TRUE(pairs.isSurjective());
}

/// What ldmatrix gives register `reg` of `lane`, as an offset in elements.
uint64_t loadedOffset(const MatrixAccess &load, const LinearLayout &offsets, int32_t bits,
                      int32_t reg, int32_t lane) {
  llvm::ArrayRef<uint64_t> registers = offsets.getFlatBases(kRegister);
  // The constant of the instruction, and what of the register is inside it.
  uint64_t constant = 0;
  unsigned inWord = 0, matrix = 0;
  for (unsigned bit = 0; bit < registers.size(); ++bit) {
    if (!((reg >> bit) & 1))
      continue;
    auto word = llvm::find(load.wordBits, bit);
    auto number = llvm::find(load.matrixBits, bit);
    if (word != load.wordBits.end())
      inWord |= 1u << (word - load.wordBits.begin());
    else if (number != load.matrixBits.end())
      matrix |= 1u << (number - load.matrixBits.begin());
    else
      constant ^= registers[bit];
  }
  // A lane gets word lane % 4 of row lane / 4; transposed, unit lane / 4 of rows 2 (lane % 4) and
  // the next.
  unsigned perUnit = 16 / bits, row, element;
  if (!load.isTransposed) {
    row = unsigned(lane) / 4;
    element = unsigned(lane) % 4 * (32 / bits) + inWord;
  } else {
    unsigned half = inWord >> (perUnit == 2 ? 1 : 0);
    row = 2 * (unsigned(lane) % 4) + half;
    element = unsigned(lane) / 4 * perUnit + (inWord & (perUnit - 1));
  }
  uint64_t address = constant;
  unsigned pointer = matrix * 8 + row;
  for (unsigned bit = 0; bit < 5; ++bit)
    if ((pointer >> bit) & 1)
      address ^= load.rowOffsets[bit];
  return address ^ element;
}

/// Reads of an operand of `shape`, contiguous along `contiguousDim`: no conflicts, and by ldmatrix
/// if `byMatrices`.
void expectFreeReads(Shape shape, unsigned operand, int32_t bits, unsigned contiguousDim,
                     const Warps &warps, bool pairs, bool byMatrices) {
  SCOPED_TRACE("operand " + std::to_string(operand) + ", " + std::to_string(bits) +
               " bits, along " + std::to_string(contiguousDim) + ", " + std::to_string(shape[0]) +
               " x " + std::to_string(shape[1]));
  LinearLayout layout = mmaOperandLayout(shape, operand, std::max(1, 32 / bits), warps);
  if (pairs)
    layout = pairNeighbours(layout, operand, operand == 0 ? 8 : 8 * warps[1]);
  LinearLayout memory = mmaSharedLayout(shape, bits, contiguousDim, layout);
  EXPECT_TRUE(memory.isInvertible());
  // Vectors of 16 bytes stay together.
  for (int32_t bit = 0; (bits << bit) < 128; ++bit)
    EXPECT_EQ(memory.getBasis(kOffset, unsigned(bit), dimName(contiguousDim)), 1 << bit);
  SharedAccess access = analyseSharedAccess(layout, memory, bits);
  std::optional<MatrixAccess> load = matchMatrixAccess(access.offsets, bits);
  EXPECT_EQ(load.has_value(), byMatrices);
  if (!load) {
    EXPECT_EQ(access.wavefronts, access.idealWavefronts);
    return;
  }
  EXPECT_EQ(load->wavefronts, load->idealWavefronts);
  EXPECT_EQ(load->isTransposed, contiguousDim != (operand == 0 ? 1u : 0u));
  EXPECT_EQ(load->isPaired, pairs);
  for (int32_t reg = 0; reg < layout.getInDimSize(kRegister); ++reg)
    for (int32_t lane = 0; lane < 32; ++lane)
      ASSERT_EQ(loadedOffset(*load, access.offsets, bits, reg, lane),
                access.offsets.applyToFlat({{kRegister, reg}, {kLane, lane}}));
}

TEST(MmaMemory, fragmentsAreReadWithoutConflicts) {
  for (int64_t depth : {32, 64, 128})
    for (const Warps &warps : {Warps{2, 2}, Warps{4, 1}, Warps{1, 4}})
      for (unsigned operand : {0u, 1u}) {
        int64_t rows = operand == 0 ? 128 : depth, columns = operand == 0 ? depth : 128;
        for (int32_t bits : {8, 16, 32, 64})
          for (unsigned along : {0u, 1u}) {
            bool isAlongK = along == (operand == 0 ? 1u : 0u);
            bool pairs = bits == 8 && !isAlongK;
            expectFreeReads({rows, columns}, operand, bits, along, warps, pairs,
                            isAlongK ? bits <= 32 : bits <= 16);
          }
      }
}

TEST(MmaMatch, registersOfAnInstruction) {
  Warps one{1, 1};
  auto match = [&](int64_t m, int64_t n, int64_t k, int32_t packed) {
    return matchMma(mmaOperandLayout({m, k}, 0, packed, one),
                    mmaOperandLayout({k, n}, 1, packed, one), mmaAccumulatorLayout({m, n}, one));
  };
  std::optional<MmaRegisters> whole = match(16, 8, 16, 2);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->rowGroups, 2);
  EXPECT_EQ(whole->columnGroups, 1);
  EXPECT_EQ(whole->depth, 4);
  EXPECT_EQ(whole->idleLanes, 0);
  // Registers are (k 0, 1), (row 8), (k 8, 9): a group of rows has the k's 0, 1, 8, 9.
  EXPECT_EQ(whole->a, (std::vector<int32_t>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(whole->b, (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(whole->c, (std::vector<int32_t>{0, 1, 2, 3}));

  std::optional<MmaRegisters> small = match(4, 1, 4, 2);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->rowGroups, 1);
  EXPECT_EQ(small->depth, 2);
  EXPECT_EQ(small->idleLanes, 2);
  EXPECT_EQ(small->c, (std::vector<int32_t>{0, MmaRegisters::kNone}));
}

TEST(MmaMatch, otherLayoutsAreRefused) {
  Warps warps{2, 2};
  LinearLayout a = mmaOperandLayout({32, 32}, 0, 2, warps);
  LinearLayout b = mmaOperandLayout({32, 32}, 1, 2, warps);
  LinearLayout c = mmaAccumulatorLayout({32, 32}, warps);
  EXPECT_TRUE(matchMma(a, b, c));
  EXPECT_FALSE(matchMma(mmaOperandLayout({32, 32}, 0, 4, warps), b, c));
  EXPECT_FALSE(matchMma(mmaOperandLayout({32, 32}, 0, 2, {4, 1}), b, c));
  EXPECT_FALSE(matchMma(a, b, defaultBlockedLayout({32, 32}, 4)));
  EXPECT_FALSE(matchMma(pairNeighbours(a, 0, 8), b, c));
  EXPECT_TRUE(matchMma(pairNeighbours(a, 0, 8), b, pairNeighbours(c, 0, 8)));
}

} // namespace
} // namespace tilec
