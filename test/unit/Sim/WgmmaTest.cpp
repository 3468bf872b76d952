// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma against plain loops, with operands placed in shared memory as the canonical layouts of the
// PTX manual say, and the mistakes that show.
#include "MatrixData.h"
#include "tilecrt/sim/SimAsyncAbi.h"

namespace tilecrt::sim::test {
namespace {

/// How one operand lies in shared memory. Units are 16 bytes.
struct Placement {
  uint32_t start = 0;
  uint32_t swizzle = 0; ///< 0, 32, 64, 128.
  bool transposed = false;
  uint32_t leading = 0, stride = 0; ///< In bytes.

  /// Where the byte of element (row of M or N, index along K) begins.
  uint32_t at(uint32_t row, uint32_t k, uint32_t bytes) const {
    uint32_t perUnit = 16 / bytes;
    uint32_t line = transposed ? k : row, along = transposed ? row : k;
    uint32_t unit = along / perUnit, inUnit = along % perUnit * bytes;
    uint32_t offset = 0;
    if (swizzle == 0) {
      // Eight lines of one unit make a core; the K direction has the leading offset, the other one
      // the stride.
      offset = line % 8 * 16;
      uint32_t alongK = transposed ? line / 8 : unit, across = transposed ? unit : line / 8;
      offset += alongK * leading + across * stride;
    } else {
      uint32_t units = swizzle / 16;
      offset = line % 8 * swizzle + line / 8 * stride + unit % units * 16 + unit / units * leading;
    }
    uint32_t address = start + offset;
    if (swizzle != 0)
      address ^= (address / 128 % (swizzle / 16)) * 16;
    return address + inUnit;
  }

  uint64_t descriptor() const {
    uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return uint64_t(start / 16) | uint64_t(leading / 16) << 16 | uint64_t(stride / 16) << 32 |
           mode << 62;
  }
};

/// A placement of `rows` x `kBytes` with all parts one after another from `start` on.
Placement placeMatrix(uint32_t start, uint32_t swizzle, bool transposed, uint32_t rows, uint32_t k,
                      uint32_t bytes) {
  Placement p;
  p.start = start;
  p.swizzle = swizzle;
  p.transposed = transposed;
  uint32_t lines = transposed ? k : rows;
  if (swizzle == 0) {
    // Cores along the lines first, then across; a gap of one core keeps the two apart.
    uint32_t across = (lines / 8) * 128 + 128;
    p.leading = transposed ? 128 : across;
    p.stride = transposed ? across : 128;
  } else {
    p.stride = 8 * swizzle;
    p.leading = (lines / 8) * p.stride;
  }
  return p;
}

struct WgmmaCase {
  uint32_t n;
  int32_t typeA, typeB, typeD;
  uint32_t swizzleA = 128, swizzleB = 128;
  bool transA = false, transB = false, registersA = false;
  bool negA = false, negB = false;
};

constexpr uint32_t startB = 32 * 1024;
constexpr uint32_t window = 128 * 1024;

struct Problem {
  Problem(std::mt19937 &random, const WgmmaCase &wgmmaCase, uint32_t stepCount)
      : c(wgmmaCase), steps(stepCount), k(256 / bitsOf(c.typeA)), a(random, c.typeA, 64, k * steps),
        b(random, c.typeB, k * steps, c.n), acc(random, c.typeD, 64, c.n) {}

  uint32_t elementBytes() const { return bitsOf(c.typeA) / 8; }
  /// Step s's operands have room of their own.
  Placement placeA(uint32_t s) const {
    return placeMatrix(s * 16384, c.swizzleA, c.transA, 64, k, elementBytes());
  }
  Placement placeB(uint32_t s) const {
    return placeMatrix(startB + s * 49152, c.swizzleB, c.transB, c.n, k, elementBytes());
  }
  int32_t flags() const {
    return (c.negA ? abi::WgmmaNegateA : 0) | (c.negB ? abi::WgmmaNegateB : 0) |
           (c.transA ? abi::WgmmaTransposeA : 0) | (c.transB ? abi::WgmmaTransposeB : 0) |
           (c.registersA ? abi::WgmmaRegistersA : 0);
  }
  uint32_t words() const { return c.typeD == abi::MatrixF16 ? c.n / 4 : c.n / 2; }

  static std::pair<uint32_t, uint32_t> placeInD(uint32_t thread, uint32_t i) {
    uint32_t lane = thread % 32;
    return {thread / 32 * 16 + lane / 4 + (i / 2 % 2) * 8, i / 4 * 8 + lane % 4 * 2 + i % 2};
  }

  /// Stores both operands of step `s`, all threads together.
  void fill(uint32_t s, int32_t site) const {
    auto put = [&](uint32_t offset, uint64_t bits) {
      if (elementBytes() == 1)
        sharedStore(offset, static_cast<uint8_t>(bits), site);
      else if (elementBytes() == 2)
        sharedStore(offset, static_cast<uint16_t>(bits), site);
      else
        sharedStore(offset, static_cast<uint32_t>(bits), site);
    };
    if (!c.registersA)
      for (uint32_t i = tid(); i < 64 * k; i += 128)
        put(placeA(s).at(i / k, i % k, elementBytes()), a.at(i / k, s * k + i % k).bits);
    for (uint32_t i = tid(); i < c.n * k; i += 128)
      put(placeB(s).at(i / k, i % k, elementBytes()), b.at(s * k + i % k, i / k).bits);
  }

  void registersOfA(uint32_t s, uint32_t *registers) const {
    uint32_t perWord = 4 / elementBytes(), lane = tid() % 32, row0 = tid() / 32 * 16 + lane / 4;
    for (uint32_t w = 0; w < 4; ++w)
      for (uint32_t e = 0; e < perWord; ++e) {
        uint32_t column = w / 2 * 4 * perWord + lane % 4 * perWord + e;
        packElement(registers, w * perWord + e, c.typeA,
                    a.at(row0 + w % 2 * 8, s * k + column).bits);
      }
  }

  void issue(uint32_t s, bool accumulates, uint32_t *registers, int32_t site) const {
    uint32_t ra[4] = {};
    if (c.registersA)
      registersOfA(s, ra);
    tilec_sim_wgmma(static_cast<int32_t>(c.n), static_cast<int32_t>(k), c.typeA, c.typeB, c.typeD,
                    flags() | (accumulates ? abi::WgmmaAccumulate : 0), ra,
                    c.registersA ? 0 : placeA(s).descriptor(), placeB(s).descriptor(), registers,
                    site);
  }

  WgmmaCase c;
  uint32_t steps, k;
  Matrix a, b, acc;
};

/// All steps as one group; the accumulator begins with a random matrix, or is ignored.
void checkWgmma(std::mt19937 &random, const WgmmaCase &c, uint32_t steps, bool accumulates) {
  Problem p(random, c, steps);
  std::vector<double> d(64 * c.n, NAN);
  LaunchConfig config = shape(1, 128, window);
  LaunchResult result = run(config, [&] {
    for (uint32_t s = 0; s < steps; ++s)
      p.fill(s, 1);
    tilec_sim_fence_proxy(abi::FenceProxyAsync, 2);
    tilec_sim_barrier(0, 0, 3);
    uint32_t registers[128];
    for (uint32_t i = 0; i < c.n / 2; ++i) {
      auto [row, column] = Problem::placeInD(tid(), i);
      packElement(registers, i, c.typeD, p.acc.at(row, column).bits);
    }
    tilec_sim_wgmma_fence(4);
    for (uint32_t s = 0; s < steps; ++s)
      // Each step has registers of its own for its fragment.
      p.issue(s, accumulates || s > 0, registers, 10 + static_cast<int32_t>(s));
    tilec_sim_wgmma_commit(6);
    tilec_sim_wgmma_wait(0, registers, static_cast<int32_t>(p.words()), 7);
    for (uint32_t i = 0; i < c.n / 2; ++i) {
      auto [row, column] = Problem::placeInD(tid(), i);
      d[row * c.n + column] = unpackAccumulator(registers, i, c.typeD);
    }
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.totals.wgmmas, 4 * steps);
  EXPECT_EQ(result.totals.multiplyAdds, uint64_t(64) * c.n * p.k * steps);
  for (uint32_t i = 0; i < 64; ++i)
    for (uint32_t j = 0; j < c.n; ++j) {
      double sum = accumulates ? p.acc.at(i, j).value : 0, magnitude = std::fabs(sum);
      for (uint32_t l = 0; l < p.k * steps; ++l) {
        double product = p.a.at(i, l).value * p.b.at(l, j).value;
        sum += c.negA != c.negB ? -product : product;
        magnitude += std::fabs(product);
      }
      // Every step rounds.
      double tolerance =
          toleranceOf(c.typeD, c.typeD == abi::MatrixS32 ? sum : magnitude, magnitude) * steps;
      ASSERT_NEAR(d[i * c.n + j], sum, tolerance) << "row " << i << " column " << j;
    }
}

std::string nameOf(const WgmmaCase &c) {
  return "n" + std::to_string(c.n) + " types " + std::to_string(c.typeA) + " " +
         std::to_string(c.typeB) + " " + std::to_string(c.typeD) + " swizzles " +
         std::to_string(c.swizzleA) + " " + std::to_string(c.swizzleB) +
         (c.transA ? " transA" : "") + (c.transB ? " transB" : "") +
         (c.registersA ? " registersA" : "") + ", seed " + std::to_string(testSeed());
}

// Registers that are not added to are undefined: they may hold what the program has elsewhere.
TEST(SimWgmma, a_product_that_replaces_leaves_other_accumulators_alone) {
  std::mt19937 random(testSeed());
  Problem p(random, {16, abi::MatrixF16, abi::MatrixF16, abi::MatrixF32}, 2);
  std::vector<double> d[2] = {std::vector<double>(64 * 16), std::vector<double>(64 * 16)};
  LaunchConfig config = shape(1, 128, window);
  LaunchResult result = run(config, [&] {
    for (uint32_t s : {0u, 1u})
      p.fill(s, 1);
    tilec_sim_fence_proxy(abi::FenceProxyAsync, 2);
    tilec_sim_barrier(0, 0, 3);
    uint32_t registers[2][8] = {};
    tilec_sim_wgmma_fence(4);
    p.issue(0, false, registers[0], 5);
    std::copy_n(registers[0], 8, registers[1]);
    p.issue(1, false, registers[1], 6);
    tilec_sim_wgmma_commit(7);
    tilec_sim_wgmma_wait(0, registers, 16, 8);
    for (uint32_t s : {0u, 1u})
      for (uint32_t i = 0; i < 8; ++i) {
        auto [row, column] = Problem::placeInD(tid(), i);
        d[s][row * 16 + column] = unpackAccumulator(registers[s], i, abi::MatrixF32);
      }
  });
  EXPECT_CLEAN(result, config);
  for (uint32_t s : {0u, 1u})
    for (uint32_t i = 0; i < 64 * 16; ++i) {
      double sum = 0;
      for (uint32_t l = 0; l < p.k; ++l)
        sum += p.a.at(i / 16, s * p.k + l).value * p.b.at(s * p.k + l, i % 16).value;
      ASSERT_NEAR(d[s][i], sum, 1e-4) << "step " << s << ", element " << i;
    }
}

TEST(SimWgmma, every_type) {
  using namespace abi;
  std::mt19937 random(testSeed());
  std::vector<WgmmaCase> cases = {
      {64, MatrixF16, MatrixF16, MatrixF32},    {64, MatrixF16, MatrixF16, MatrixF16},
      {128, MatrixBF16, MatrixBF16, MatrixF32}, {40, MatrixTF32, MatrixTF32, MatrixF32},
      {32, MatrixE4M3, MatrixE5M2, MatrixF32},  {32, MatrixE5M2, MatrixE5M2, MatrixF16},
      {24, MatrixS8, MatrixU8, MatrixS32},      {96, MatrixU8, MatrixS8, MatrixS32},
      {8, MatrixBF16, MatrixBF16, MatrixF32},   {256, MatrixBF16, MatrixBF16, MatrixF32}};
  for (WgmmaCase c : cases)
    for (bool registers : {false, true}) {
      c.registersA = registers;
      SCOPED_TRACE(nameOf(c));
      checkWgmma(random, c, 2, true);
      checkWgmma(random, c, 1, false);
    }
}

TEST(SimWgmma, every_layout) {
  using namespace abi;
  std::mt19937 random(testSeed());
  for (uint32_t swizzleA : {0u, 32u, 64u, 128u})
    for (uint32_t swizzleB : {0u, 32u, 64u, 128u})
      for (bool transA : {false, true})
        for (bool transB : {false, true}) {
          WgmmaCase c = {128, MatrixF16, MatrixF16, MatrixF32};
          c.swizzleA = swizzleA;
          c.swizzleB = swizzleB;
          c.transA = transA;
          c.transB = transB;
          SCOPED_TRACE(nameOf(c));
          checkWgmma(random, c, 1, true);
        }
  for (uint32_t swizzle : {0u, 32u, 64u, 128u})
    for (int32_t type : {MatrixTF32, MatrixE4M3, MatrixS8}) {
      WgmmaCase c = {32, type, type, type == MatrixS8 ? MatrixS32 : MatrixF32};
      c.swizzleA = c.swizzleB = swizzle;
      SCOPED_TRACE(nameOf(c));
      checkWgmma(random, c, 2, false);
    }
}

TEST(SimWgmma, negated_operands) {
  std::mt19937 random(testSeed());
  for (bool negA : {false, true})
    for (bool negB : {false, true}) {
      WgmmaCase c = {16, abi::MatrixF16, abi::MatrixF16, abi::MatrixF32};
      c.negA = negA;
      c.negB = negB;
      checkWgmma(random, c, 1, true);
    }
}

/// Products of 64 x 32 x 16 each, every one a group of its own, with faults to leave in.
struct Flow {
  bool proxyFence = true, wgmmaFence = true, wait = true;
  int32_t pending = 0;
  bool overwriteBefore = false, readBefore = false;
};

LaunchResult runFlow(LaunchConfig &config, const Flow &flow, uint32_t warps = 4,
                     uint32_t skippingWarp = 99) {
  std::mt19937 random(testSeed());
  WgmmaCase c = {32, abi::MatrixBF16, abi::MatrixBF16, abi::MatrixF32};
  auto p = std::make_shared<Problem>(random, c, 1);
  config = shape(1, 32 * warps, window);
  return run(config, [=] {
    p->fill(0, 1);
    if (flow.proxyFence)
      tilec_sim_fence_proxy(abi::FenceProxyAsync, 2);
    tilec_sim_barrier(0, 0, 3);
    uint32_t registers[16] = {};
    if (flow.wgmmaFence)
      tilec_sim_wgmma_fence(4);
    if (tid() / 32 != skippingWarp)
      p->issue(0, true, registers, 5);
    tilec_sim_wgmma_commit(6);
    if (flow.readBefore)
      EXPECT_TRUE(std::isnan(static_cast<float>(
          unpackAccumulator(std::array<uint32_t, 1>{tilec_sim_wgmma_read(registers[3], 7)}.data(),
                            0, abi::MatrixF32))));
    if (flow.overwriteBefore)
      sharedStore<uint32_t>(p->placeB(0).at(tid() % 32, 0, 2), 0, 8);
    if (flow.wait) {
      tilec_sim_wgmma_wait(flow.pending, nullptr, 0, 9);
      tilec_sim_wgmma_read(registers[0], 10);
    }
    tilec_sim_barrier(0, 0, 11);
    sharedStore<uint32_t>(startB + tid() * 4, 0, 12);
  });
}

TEST(SimWgmma, a_correct_flow) {
  LaunchConfig config;
  LaunchResult result = runFlow(config, Flow());
  EXPECT_CLEAN(result, config);
}

TEST(SimWgmma, a_missing_proxy_fence) {
  LaunchConfig config;
  Flow flow;
  flow.proxyFence = false;
  LaunchResult result = runFlow(config, flow);
  const Finding *missing = find(result, FindingKind::ProxyFenceMissing);
  ASSERT_TRUE(missing) << describe(result, config);
  EXPECT_EQ(missing->site, 5);
  EXPECT_EQ(missing->otherSite, 1);
}

TEST(SimWgmma, a_missing_wgmma_fence) {
  LaunchConfig config;
  Flow flow;
  flow.wgmmaFence = false;
  LaunchResult result = runFlow(config, flow);
  const Finding *missing = find(result, FindingKind::WgmmaFenceMissing);
  ASSERT_TRUE(missing) << describe(result, config);
  EXPECT_EQ(missing->site, 5);
}

TEST(SimWgmma, a_register_read_before_the_wait) {
  LaunchConfig config;
  Flow flow;
  flow.readBefore = true;
  LaunchResult result = runFlow(config, flow);
  const Finding *early = find(result, FindingKind::WgmmaRegisterInUse);
  ASSERT_TRUE(early) << describe(result, config);
  EXPECT_EQ(early->site, 7);
  EXPECT_EQ(early->otherSite, 5);
  flow = Flow();
  flow.pending = 1; // The only group may stay in flight.
  result = runFlow(config, flow);
  early = find(result, FindingKind::WgmmaRegisterInUse);
  ASSERT_TRUE(early) << describe(result, config);
  EXPECT_EQ(early->site, 10);
}

TEST(SimWgmma, overwriting_an_operand_in_flight) {
  LaunchConfig config;
  Flow flow;
  flow.overwriteBefore = true;
  LaunchResult result = runFlow(config, flow);
  const Finding *overwrite = find(result, FindingKind::AsyncOverwrite);
  ASSERT_TRUE(overwrite) << describe(result, config);
  EXPECT_EQ(overwrite->site, 8);
  EXPECT_EQ(overwrite->otherSite, 5);
  flow = Flow();
  flow.wait = false;
  result = runFlow(config, flow);
  overwrite = find(result, FindingKind::AsyncOverwrite);
  ASSERT_TRUE(overwrite) << describe(result, config);
  EXPECT_EQ(overwrite->site, 12);
  EXPECT_TRUE(find(result, FindingKind::AsyncUnfinished));
}

TEST(SimWgmma, warps_that_do_not_take_part) {
  LaunchConfig config;
  LaunchResult result = runFlow(config, Flow(), 4, 2);
  const Finding *divergence = find(result, FindingKind::WarpgroupDivergence);
  ASSERT_TRUE(divergence) << describe(result, config);
  EXPECT_EQ(divergence->site, 5);
  result = runFlow(config, Flow(), 3);
  const Finding *invalid = find(result, FindingKind::InvalidOperation);
  ASSERT_TRUE(invalid) << describe(result, config);
  EXPECT_EQ(invalid->message, "wgmma needs warpgroups of 128 threads");
}

/// Two accumulators and a loop that keeps one product in flight.
TEST(SimWgmma, groups_in_flight_across_iterations) {
  constexpr uint32_t steps = 2, rounds = 6;
  std::mt19937 random(testSeed());
  WgmmaCase c = {64, abi::MatrixF16, abi::MatrixF16, abi::MatrixF32};
  Problem p(random, c, steps);
  std::vector<double> d(2 * 64 * c.n, NAN);
  LaunchConfig config = shape(1, 128, window);
  LaunchResult result = run(config, [&] {
    for (uint32_t s = 0; s < steps; ++s)
      p.fill(s, 1);
    tilec_sim_fence_proxy(abi::FenceProxyAsync, 2);
    tilec_sim_barrier(0, 0, 3);
    uint32_t registers[2][32] = {};
    for (uint32_t r = 0; r < rounds; ++r) {
      tilec_sim_wgmma_fence(4);
      p.issue(r % steps, true, registers[0], 5);
      tilec_sim_wgmma_commit(6);
      tilec_sim_wgmma_wait(1, registers[0], 32, 7);
      tilec_sim_wgmma_fence(8);
      p.issue(r % steps, r > 0, registers[1], 9);
      tilec_sim_wgmma_commit(10);
      tilec_sim_wgmma_wait(1, registers[0], 32, 11);
    }
    tilec_sim_wgmma_wait(0, registers[1], 32, 12);
    for (uint32_t which = 0; which < 2; ++which)
      for (uint32_t i = 0; i < c.n / 2; ++i) {
        auto [row, column] = Problem::placeInD(tid(), i);
        d[(which * 64 + row) * c.n + column] =
            unpackAccumulator(registers[which], i, abi::MatrixF32);
      }
  });
  EXPECT_CLEAN(result, config);
  for (uint32_t i = 0; i < 128; ++i)
    for (uint32_t j = 0; j < c.n; ++j) {
      double sum = 0, magnitude = 0;
      for (uint32_t r = 0; r < rounds; ++r)
        for (uint32_t l = 0; l < p.k; ++l) {
          uint32_t at = r % steps * p.k + l;
          double product = p.a.at(i % 64, at).value * p.b.at(at, j).value;
          sum += product;
          magnitude += std::fabs(product);
        }
      ASSERT_NEAR(d[i * c.n + j], sum, toleranceOf(c.typeD, magnitude, magnitude) * rounds);
    }
}

/// The registers of A in a loop: those of the iteration before may be read until they change.
TEST(SimWgmma, a_fragment_written_while_a_wgmma_reads_it) {
  for (bool changes : {false, true})
    for (int32_t pending : {0, 1}) {
      LaunchConfig config = shape(1, 128, 4096);
      LaunchResult result = run(config, [&] {
        Placement b = placeMatrix(0, 128, false, 16, 16, 2);
        for (uint32_t i = tid(); i < 1024; i += 128)
          sharedStore<uint32_t>(4 * i, 0, 1);
        tilec_sim_fence_proxy(abi::FenceProxyAsync, 2);
        tilec_sim_barrier(0, 0, 3);
        uint32_t acc[2][8] = {};
        for (uint32_t r = 0; r < 2; ++r) {
          std::array<uint32_t, 4> fragment = {};
          fragment[3] = changes ? r : 0;
          tilec_sim_wgmma_fence(4);
          tilec_sim_wgmma(16, 16, abi::MatrixF16, abi::MatrixF16, abi::MatrixF32,
                          abi::WgmmaRegistersA, fragment.data(), 0, b.descriptor(), acc[r], 5);
          tilec_sim_wgmma_commit(6);
          tilec_sim_wgmma_wait(pending, acc[r], pending == 0 ? 8 : 0, 7);
        }
        tilec_sim_wgmma_wait(0, acc[1], 8, 8);
      });
      const Finding *written = find(result, FindingKind::WgmmaRegisterInUse);
      ASSERT_EQ(written != nullptr, changes && pending == 1) << describe(result, config);
      if (written)
        EXPECT_EQ(written->site, 5);
    }
}

TEST(SimWgmma, operands_outside_the_window_and_shapes_that_do_not_exist) {
  LaunchConfig config = shape(1, 128, 4096);
  LaunchResult result = run(config, [] {
    uint32_t registers[128] = {};
    tilec_sim_wgmma_fence(1);
    Placement b = placeMatrix(3072, 128, false, 16, 16, 2);
    tilec_sim_wgmma(16, 16, abi::MatrixF16, abi::MatrixF16, abi::MatrixF32, abi::WgmmaRegistersA,
                    registers, 0, b.descriptor(), registers + 4, 2);
    tilec_sim_wgmma(20, 16, abi::MatrixF16, abi::MatrixF16, abi::MatrixF32, abi::WgmmaRegistersA,
                    registers, 0, 0, registers, 3);
    tilec_sim_wgmma(40, 32, abi::MatrixS8, abi::MatrixS8, abi::MatrixS32, abi::WgmmaRegistersA,
                    registers, 0, 0, registers, 4);
    tilec_sim_wgmma(16, 8, abi::MatrixTF32, abi::MatrixTF32, abi::MatrixF32,
                    abi::WgmmaRegistersA | abi::WgmmaTransposeB, registers, 0, 0, registers, 5);
    tilec_sim_wgmma_commit(6);
    tilec_sim_wgmma_wait(0, nullptr, 0, 7);
  });
  EXPECT_EQ(find(result, FindingKind::OutOfWindowShared)->site, 2) << describe(result, config);
  std::vector<std::string> messages;
  for (const Finding &finding : result.findings)
    if (finding.kind == FindingKind::InvalidOperation)
      messages.push_back(finding.message);
  EXPECT_EQ(messages,
            (std::vector<std::string>{"wgmma m64n20k16 of f16 does not exist",
                                      "wgmma m64n40k32 of s8 does not exist",
                                      "wgmma of tf32 with a transposed operand does not exist"}));
}

} // namespace
} // namespace tilecrt::sim::test
