// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync, ldmatrix and stmatrix against plain loops. The fragment layouts are written down here
// once more, element by element as the PTX manual gives them.
#include "MatrixData.h"

namespace tilecrt::sim::test {
namespace {

struct MmaCase {
  int32_t m, k, typeA, typeB, typeC, typeD;
};

/// Row and column of element `i` of a lane's fragment of A.
std::pair<unsigned, unsigned> placeInA(const MmaCase &c, unsigned lane, unsigned i) {
  unsigned group = lane / 4, part = lane % 4;
  switch (bitsOf(c.typeA)) {
  case 64:
    return {group, part};
  case 32:
    return {group + (i % 2) * 8, part + i / 2 * 4};
  case 16: {
    bool upper = i == 2 || i == 3 || i == 6 || i == 7;
    return {group + (upper ? 8 : 0), part * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  }
  default: {
    bool upper = (i >= 4 && i < 8) || i >= 12;
    return {group + (upper ? 8 : 0), part * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
  }
  }
}

/// Row (along K) and column of element `i` of B.
std::pair<unsigned, unsigned> placeInB(const MmaCase &c, unsigned lane, unsigned i) {
  unsigned group = lane / 4, part = lane % 4;
  switch (bitsOf(c.typeA)) {
  case 64:
    return {part, group};
  case 32:
    return {part + i * 4, group};
  case 16:
    return {part * 2 + (i & 1) + (i >= 2 ? 8 : 0), group};
  default:
    return {part * 4 + (i & 3) + (i >= 4 ? 16 : 0), group};
  }
}

std::pair<unsigned, unsigned> placeInC(unsigned lane, unsigned i) {
  return {lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + (i & 1)};
}

void checkMma(const MmaCase &c, std::mt19937 &random) {
  size_t m = static_cast<size_t>(c.m), k = static_cast<size_t>(c.k);
  Matrix a(random, c.typeA, m, k), b(random, c.typeB, k, 8), acc(random, c.typeC, m, 8);
  std::vector<double> d(m * 8, NAN);
  LaunchConfig config = shape(1, 64);
  LaunchResult result = run(config, [&] {
    if (tid() < 32)
      return; // One warp is enough; the other one must not matter.
    unsigned lane = tid() % 32;
    alignas(16) char ra[32], rb[32], rc[32], rd[32];
    unsigned inC = static_cast<unsigned>(m * 8 / 32);
    for (unsigned i = 0; i < m * k / 32; ++i) {
      auto [row, column] = placeInA(c, lane, i);
      packElement(ra, i, c.typeA, a.at(row, column).bits);
    }
    for (unsigned i = 0; i < k * 8 / 32; ++i) {
      auto [row, column] = placeInB(c, lane, i);
      packElement(rb, i, c.typeB, b.at(row, column).bits);
    }
    for (unsigned i = 0; i < inC; ++i) {
      auto [row, column] = placeInC(lane, i);
      packElement(rc, i, c.typeC, acc.at(row, column).bits);
    }
    tilec_sim_mma(c.m, 8, c.k, c.typeA, c.typeB, c.typeC, c.typeD, 0, ra, rb, rc, rd, 5);
    for (unsigned i = 0; i < inC; ++i) {
      auto [row, column] = placeInC(lane, i);
      d[row * 8 + column] = unpackAccumulator(rd, i, c.typeD);
    }
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.totals.mmas, 1u);
  EXPECT_EQ(result.totals.multiplyAdds, m * 8 * k);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < 8; ++j) {
      double sum = acc.at(i, j).value;
      double magnitude = std::fabs(sum);
      for (size_t l = 0; l < k; ++l) {
        double product = a.at(i, l).value * b.at(l, j).value;
        sum += product;
        magnitude += std::fabs(product);
      }
      ASSERT_NEAR(d[i * 8 + j], sum, toleranceOf(c.typeD, sum, magnitude))
          << "row " << i << " column " << j;
    }
}

TEST(SimMatrix, mma_of_every_type) {
  using namespace abi;
  std::vector<MmaCase> cases = {{8, 4, MatrixF64, MatrixF64, MatrixF64, MatrixF64},
                                {16, 4, MatrixTF32, MatrixTF32, MatrixF32, MatrixF32},
                                {16, 8, MatrixTF32, MatrixTF32, MatrixF32, MatrixF32},
                                {8, 16, MatrixS8, MatrixS8, MatrixS32, MatrixS32}};
  for (int32_t k : {8, 16}) {
    cases.push_back({16, k, MatrixBF16, MatrixBF16, MatrixF32, MatrixF32});
    for (int32_t c : {MatrixF16, MatrixF32})
      for (int32_t d : {MatrixF16, MatrixF32})
        cases.push_back({16, k, MatrixF16, MatrixF16, c, d});
  }
  for (int32_t k : {16, 32}) {
    for (int32_t a : {MatrixS8, MatrixU8})
      for (int32_t b : {MatrixS8, MatrixU8})
        cases.push_back({16, k, a, b, MatrixS32, MatrixS32});
    for (int32_t a : {MatrixE4M3, MatrixE5M2})
      for (int32_t b : {MatrixE4M3, MatrixE5M2})
        for (int32_t d : {MatrixF16, MatrixF32})
          cases.push_back({16, k, a, b, d, d});
  }
  std::mt19937 random(testSeed());
  for (const MmaCase &c : cases) {
    SCOPED_TRACE("m" + std::to_string(c.m) + "k" + std::to_string(c.k) + " types " +
                 std::to_string(c.typeA) + " " + std::to_string(c.typeB) + " " +
                 std::to_string(c.typeC) + " " + std::to_string(c.typeD) + ", seed " +
                 std::to_string(testSeed()));
    for (int repeat = 0; repeat < 4; ++repeat)
      checkMma(c, random);
  }
}

TEST(SimMatrix, integer_overflow_wraps_or_saturates) {
  for (int saturate : {0, 1}) {
    int32_t result = 0;
    LaunchConfig config = shape(1, 32);
    LaunchResult launched = run(config, [&] {
      uint32_t a[4], b[2], d[4];
      int32_t c[4] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
      std::fill(a, a + 4, 0x01010101u);
      std::fill(b, b + 2, 0x01010101u);
      tilec_sim_mma(16, 8, 32, abi::MatrixS8, abi::MatrixS8, abi::MatrixS32, abi::MatrixS32,
                    saturate, a, b, c, d, 1);
      if (tid() == 0)
        result = static_cast<int32_t>(d[0]);
    });
    EXPECT_CLEAN(launched, config);
    EXPECT_EQ(result, saturate ? INT32_MAX : INT32_MIN + 31);
  }
}

TEST(SimMatrix, mma_that_does_not_exist) {
  LaunchConfig config = shape(1, 32);
  LaunchResult result = run(config, [&] {
    uint64_t r[8] = {};
    tilec_sim_mma(16, 8, 8, abi::MatrixS8, abi::MatrixS8, abi::MatrixS32, abi::MatrixS32, 0, r, r,
                  r, r, 1);
    tilec_sim_mma(16, 8, 16, abi::MatrixF16, abi::MatrixBF16, abi::MatrixF32, abi::MatrixF32, 0, r,
                  r, r, r, 2);
  });
  ASSERT_EQ(result.findings.size(), 2u) << describe(result, config);
  EXPECT_EQ(result.findings[0].message, "matrix product m16n8k8 of s8 does not exist");
  EXPECT_EQ(result.findings[1].message, "matrix product f32 = f16 * bf16 + f32 does not exist");
}

TEST(SimMatrix, mma_that_a_lane_misses) {
  LaunchConfig config = shape(1, 32);
  LaunchResult result = run(config, [&] {
    if (tid() == 7)
      return;
    uint64_t r[8] = {};
    tilec_sim_mma(16, 8, 16, abi::MatrixF16, abi::MatrixF16, abi::MatrixF32, abi::MatrixF32, 0, r,
                  r, r, r, 2);
  });
  EXPECT_TRUE(find(result, FindingKind::WarpOpMissingLane)) << describe(result, config);
}

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// Rows of 16 bytes at `pitch`, matrices one below the other.
void checkMoves(int32_t count, bool transposed, uint32_t pitch) {
  std::mt19937 random(testSeed());
  uint32_t rows = static_cast<uint32_t>(count) * 8;
  std::vector<uint16_t> elements(rows * 8), loaded(rows * 8), stored(rows * 8);
  for (uint16_t &element : elements)
    element = static_cast<uint16_t>(random());
  uint32_t second = rows * pitch;
  LaunchConfig config = shape(1, 32, 2 * second);
  LaunchResult result = run(config, [&] {
    uint32_t lane = tid();
    if (lane < rows)
      for (uint32_t i = 0; i < 8; ++i)
        sharedStore(lane * pitch + 2 * i, elements[lane * 8 + i], 1);
    tilec_sim_warp_barrier(allLanes, 2);
    // Lanes without a row give rubbish.
    uint32_t offset = lane < rows ? lane * pitch : 0xfffffff0u;
    uint32_t words[4] = {};
    tilec_sim_ldmatrix(offset, count, transposed, words, 3);
    for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i)
      for (uint32_t e = 0; e < 2; ++e) {
        uint32_t r = lane / 4, c = lane % 4 * 2 + e;
        if (transposed)
          std::swap(r, c);
        loaded[(i * 8 + r) * 8 + c] = static_cast<uint16_t>(words[i] >> 16 * e);
      }
    tilec_sim_stmatrix(lane < rows ? second + offset : 0, count, transposed, words, 4);
    tilec_sim_warp_barrier(allLanes, 5);
    if (lane < rows)
      for (uint32_t i = 0; i < 8; ++i)
        stored[lane * 8 + i] = sharedLoad<uint16_t>(second + lane * pitch + 2 * i, 6);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(loaded, elements);
  EXPECT_EQ(stored, elements);
  uint32_t conflicts = pitch == 128 ? 8 : 1;
  for (size_t site : {size_t(3), size_t(4)}) {
    const Counters &c = result.siteCounters[site];
    bool loads = site == 3;
    EXPECT_EQ(loads ? c.sharedLoadRequests : c.sharedStoreRequests, 1u);
    EXPECT_EQ(loads ? c.sharedLoadWavefronts : c.sharedStoreWavefronts,
              static_cast<uint32_t>(count) * conflicts);
    EXPECT_EQ(loads ? c.sharedLoadIdealWavefronts : c.sharedStoreIdealWavefronts,
              static_cast<uint32_t>(count));
    EXPECT_EQ(loads ? c.sharedLoadBytes : c.sharedStoreBytes, rows * 16);
  }
}

TEST(SimMatrix, ldmatrix_and_stmatrix) {
  for (int32_t count : {1, 2, 4})
    for (bool transposed : {false, true})
      for (uint32_t pitch : {16u, 80u, 128u}) {
        SCOPED_TRACE("x" + std::to_string(count) + (transposed ? ".trans" : "") + ", pitch " +
                     std::to_string(pitch));
        checkMoves(count, transposed, pitch);
      }
}

TEST(SimMatrix, ldmatrix_checks_its_rows) {
  LaunchConfig config = shape(1, 32, 512);
  LaunchResult result = run(config, [&] {
    uint32_t words[4];
    tilec_sim_ldmatrix(8 + 16 * tid(), 1, 0, words, 1);    // Misaligned.
    tilec_sim_ldmatrix(1024 + 16 * tid(), 1, 0, words, 2); // Outside.
    tilec_sim_ldmatrix(16 * tid(), 4, 0, words, 3);        // Nothing there yet.
    tilec_sim_ldmatrix(0, 3, 0, words, 4);
  });
  EXPECT_EQ(find(result, FindingKind::MisalignedAccess)->site, 1);
  EXPECT_EQ(find(result, FindingKind::OutOfWindowShared)->site, 2);
  EXPECT_EQ(find(result, FindingKind::UninitializedShared)->site, 3);
  EXPECT_EQ(find(result, FindingKind::InvalidOperation)->message,
            "move of 3 matrices, expected 1, 2 or 4");
}

TEST(SimMatrix, ldmatrix_races_with_a_store) {
  LaunchConfig config = shape(1, 64, 512);
  LaunchResult result = run(config, [&] {
    uint32_t words[4];
    if (tid() < 32) {
      for (uint32_t i = 0; i < 4; ++i)
        sharedStore(16 * tid() + 4 * i, tid(), 1);
      return;
    }
    tilec_sim_ldmatrix(16 * (tid() % 32), 4, 0, words, 2);
  });
  const Finding *race = find(result, FindingKind::SharedRaceRAW);
  ASSERT_TRUE(race) << describe(result, config);
  EXPECT_EQ(race->site, 2);
  EXPECT_EQ(race->otherSite, 1);
}

} // namespace
} // namespace tilecrt::sim::test
