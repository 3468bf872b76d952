// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Swizzled shared memory: the transposition worked by hand, and the rank formulas against a count
// over all lanes and banks.

#include "tilec/Layout/SharedSwizzle.h"

#include "RandomLayouts.h"

#include <set>

namespace tilec {
namespace {

using SharedSwizzleRandom = RandomLayoutTest;

uint64_t addressOf(llvm::ArrayRef<uint64_t> laneAddresses, unsigned lane) {
  uint64_t address = 0;
  for (size_t i = 0; i < laneAddresses.size(); ++i)
    if ((lane >> i) & 1)
      address ^= laneAddresses[i];
  return address;
}

/// Wavefronts by definition: per phase, the largest number of different words in one bank.
int countWavefronts(llvm::ArrayRef<uint64_t> laneAddresses, int vectorBytes) {
  int lanes = 1 << laneAddresses.size();
  int perPhase = vectorBytes <= 4 ? lanes : std::min(lanes, std::max(1, lanes * 4 / vectorBytes));
  int total = 0;
  for (int first = 0; first < lanes; first += perPhase) {
    std::vector<std::set<uint64_t>> banks(32);
    for (int lane = first; lane < first + perPhase; ++lane)
      for (int byte = 0; byte < vectorBytes; ++byte) {
        uint64_t word = (addressOf(laneAddresses, unsigned(lane)) + byte) / 4;
        banks[word % 32].insert(word);
      }
    size_t most = 0;
    for (const auto &words : banks)
      most = std::max(most, words.size());
    total += int(most);
  }
  return total;
}

int countSectors(llvm::ArrayRef<uint64_t> laneAddresses, int vectorBytes) {
  std::set<uint64_t> sectors;
  for (unsigned lane = 0; lane < 1u << laneAddresses.size(); ++lane)
    for (int byte = 0; byte < vectorBytes; ++byte)
      sectors.insert((addressOf(laneAddresses, lane) + byte) / 32);
  return int(sectors.size());
}

TEST(SharedSwizzle, transpose_of_one_warp_has_no_conflicts) {
  auto layout = [](std::vector<uint64_t> registers, std::vector<uint64_t> lanes) {
    return LinearLayout::fromFlatBases({{kRegister.str(), registers},
                                        {kLane.str(), lanes},
                                        {kWarp.str(), {}},
                                        {kBlock.str(), {}}},
                                       {{"dim1", 32}, {"dim0", 32}})
        .transposeOuts({"dim0", "dim1"});
  };
  // Columns are the low bits of the worked example; canonical order puts dim0 lowest, so the roles
  // of the two sides are exchanged here, which changes nothing.
  LinearLayout src = layout({32, 64, 128, 256, 512}, {1, 2, 4, 8, 16});
  LinearLayout dst = layout({1, 2, 4, 8, 16}, {32, 64, 128, 256, 512});
  SwizzledShared plan = optimalSwizzle(src, dst, 32);
  EXPECT_TRUE(plan.memory.isInvertible());
  EXPECT_EQ(plan.bufferElements, 1024);
  EXPECT_EQ(plan.store.vectorWidth, 1);
  EXPECT_EQ(plan.load.vectorWidth, 1);
  EXPECT_EQ(plan.store.wavefronts, 1);
  EXPECT_EQ(plan.load.wavefronts, 1);
  // Segments are XORs of one bit of each side: {33, 66, 132, 264, 528}.
  llvm::ArrayRef<uint64_t> offset = plan.memory.getFlatBases(kOffset);
  EXPECT_EQ(offset.take_back(5).vec(), (std::vector<uint64_t>{33, 66, 132, 264, 528}));
  EXPECT_EQ(offset.take_front(5).vec(), (std::vector<uint64_t>{1, 2, 4, 8, 16}));
  // A word per element: the bank is row ^ column, so that rows and columns both take 32 banks.
  LinearLayout toOffset = plan.memory.sublayout({kOffset}, {"dim0", "dim1"}).invert();
  std::set<uint64_t> rowBanks, columnBanks;
  for (int i = 0; i < 32; ++i) {
    rowBanks.insert(toOffset.applyToFlat({{"dim0", 5}, {"dim1", i}}) % 32);
    columnBanks.insert(toOffset.applyToFlat({{"dim0", i}, {"dim1", 9}}) % 32);
    EXPECT_EQ(toOffset.applyToFlat({{"dim0", i}, {"dim1", 9}}) % 32, uint64_t(i ^ 9));
  }
  EXPECT_EQ(rowBanks.size(), 32u);
  EXPECT_EQ(columnBanks.size(), 32u);
}

TEST(SharedSwizzle, lanes_that_share_a_word_leave_no_conflicts) {
  // The other side's warp bit fills the word, and is a lane bit here.
  LinearLayout src = blockedLayout({32, 32}, {1, 8}, {8, 4}, {4, 1}, {1, 0});
  LinearLayout dst = blockedLayout({32, 32}, {8, 1}, {4, 8}, {1, 4}, {0, 1});
  for (int32_t bitwidth : {8, 16, 32, 64}) {
    SwizzledShared plan = optimalSwizzle(src, dst, bitwidth);
    EXPECT_EQ(plan.store.conflicts(), 0) << bitwidth;
    EXPECT_EQ(plan.load.conflicts(), 0) << bitwidth;
  }
}

TEST(SharedSwizzle, common_registers_become_the_vector) {
  LinearLayout src = blockedLayout({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  LinearLayout dst = blockedLayout({64, 64}, {1, 8}, {32, 1}, {1, 4}, {1, 0});
  SwizzledShared plan = optimalSwizzle(src, dst, 16);
  EXPECT_EQ(plan.store.vectorWidth, 8);
  EXPECT_EQ(plan.load.vectorWidth, 8);
  EXPECT_EQ(plan.store.conflicts(), 0);
  EXPECT_EQ(plan.load.conflicts(), 0);
  EXPECT_EQ(plan.store.requests, 4);
}

TEST(SharedSwizzle, wavefronts_of_known_accesses) {
  EXPECT_EQ(wavefrontsPerRequest({4, 8, 16, 32, 64}, 4), 1);
  EXPECT_EQ(wavefrontsPerRequest({0, 0, 0, 0, 0}, 4), 1);
  EXPECT_EQ(wavefrontsPerRequest({128, 256, 512, 1024, 2048}, 4), 32);
  EXPECT_EQ(wavefrontsPerRequest({8, 16, 32, 64, 128}, 4), 2);
  EXPECT_EQ(wavefrontsPerRequest({16, 32, 64, 128, 256}, 16), 4);
  EXPECT_EQ(wavefrontsPerRequest({2, 4, 8, 16, 32}, 2), 1);
  EXPECT_EQ(sectorsPerRequest({4, 8, 16, 32, 64}, 4), 4);
  EXPECT_EQ(sectorsPerRequest({16, 32, 64, 128, 256}, 16), 16);
  EXPECT_EQ(sectorsPerRequest({1024, 2048, 4096, 8192, 16384}, 4), 32);
}

TEST_F(SharedSwizzleRandom, closed_forms_match_enumeration) {
  for (int trial = 0; trial < 2000; ++trial) {
    int vectorBytes = 1 << pick(0, 4);
    std::vector<uint64_t> lanes;
    for (int i = 0; i < 5; ++i)
      lanes.push_back(pick(0, 5) == 0 ? 0 : bits(12) / vectorBytes * vectorBytes);
    ASSERT_EQ(wavefrontsPerRequest(lanes, vectorBytes), countWavefronts(lanes, vectorBytes));
    ASSERT_EQ(sectorsPerRequest(lanes, vectorBytes), countSectors(lanes, vectorBytes));
  }
}

TEST_F(SharedSwizzleRandom, plans_are_invertible_and_counted_right) {
  int free = 0, total = 0;
  for (int trial = 0; trial < 600; ++trial) {
    auto shape = randomShape(pick(1, 3), pick(0, 13));
    int warps = pick(0, 3);
    int32_t bitwidth = 8 << pick(0, 3);
    LinearLayout src = removeRegisterReplication(randomDistributed(shape, warps));
    LinearLayout dst = removeRegisterReplication(randomDistributed(shape, warps));
    SwizzledShared plan = optimalSwizzle(src, dst, bitwidth);
    ASSERT_TRUE(plan.memory.isInvertible());
    ASSERT_EQ(plan.bufferElements, plan.memory.getTotalOutDimSize());
    const LinearLayout *layouts[] = {&src, &dst};
    const SharedAccess *sides[] = {&plan.store, &plan.load};
    for (int side = 0; side < 2; ++side) {
      const SharedAccess &access = *sides[side];
      EXPECT_TRUE(access.offsets.compose(plan.memory).equalUpToDimOrder(*layouts[side]));
      LinearLayout toOffset =
          access.offsets.sublayout({kRegister, kLane, kWarp, kBlock}, {kOffset});
      // Vectors are consecutive and aligned.
      uint64_t position = bits(toOffset.getTotalInDimSizeLog2());
      int32_t vectorMask = 0;
      for (unsigned bit : access.vectorRegisterBits)
        vectorMask |= 1 << bit;
      uint64_t base = toOffset.applyFlat(position & ~uint64_t(vectorMask));
      EXPECT_EQ(base % access.vectorWidth, 0u);
      for (int32_t i = 0; i < access.vectorWidth; ++i) {
        int32_t reg = 0;
        for (size_t b = 0; b < access.vectorRegisterBits.size(); ++b)
          if ((i >> b) & 1)
            reg |= 1 << access.vectorRegisterBits[b];
        EXPECT_EQ(toOffset.applyFlat(uint64_t(reg)), uint64_t(i));
      }
      EXPECT_EQ(access.requests * access.vectorWidth, layouts[side]->getInDimSize(kRegister));
      std::vector<uint64_t> lanes;
      for (uint64_t basis : toOffset.getFlatBases(kLane))
        lanes.push_back(basis * uint64_t(bitwidth / 8));
      ASSERT_EQ(access.wavefronts, countWavefronts(lanes, access.vectorWidth * bitwidth / 8));
      free += access.conflicts() <= 0;
      ++total;
    }
  }
  std::cout << free << " of " << total << " accesses without conflicts\n";
  // The rest cannot be helped: few bits, many of them lanes.
  EXPECT_GT(free, total * 49 / 50);
}

} // namespace
} // namespace tilec
