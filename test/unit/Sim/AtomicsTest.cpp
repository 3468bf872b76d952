// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations by type, real atomicity between CTAs, and CTAs that wait for each other.
#include "SimKernel.h"
#include "runtime/sim/Float16.h"

#include <cmath>

namespace tilecrt::sim::test {
namespace {

TEST(SimAtomics, sums_over_many_ctas_are_exact) {
  std::vector<uint32_t> i32(1);
  std::vector<uint64_t> i64(1);
  std::vector<double> f64(1);
  std::vector<float> f32(1);
  LaunchConfig config = shape(200, 128);
  config.hostThreads = 4;
  addBuffer(config, i32, "i32");
  addBuffer(config, i64, "i64");
  addBuffer(config, f64, "f64");
  addBuffer(config, f32, "f32");
  LaunchResult result = run(config, [&] {
    atomic<uint32_t>(abi::AtomicAdd, &i32[0], globalId(), 1);
    atomic<uint64_t>(abi::AtomicAdd, &i64[0], uint64_t(1) << 33, 2);
    atomic<double>(abi::AtomicAdd, &f64[0], 0.5, 3);
    atomic<float>(abi::AtomicAdd, &f32[0], 1.0f, 4);
  });
  EXPECT_CLEAN(result, config);
  uint64_t n = 200 * 128;
  EXPECT_EQ(i32[0], uint32_t(n * (n - 1) / 2));
  EXPECT_EQ(i64[0], n << 33);
  EXPECT_EQ(f64[0], double(n) / 2);
  EXPECT_EQ(f32[0], float(n));
}

TEST(SimAtomics, operations) {
  struct Case {
    int32_t op;
    uint32_t before, operand, compare, after;
  };
  const uint32_t minusTwo = uint32_t(-2);
  for (const Case &c : std::vector<Case>{{abi::AtomicAdd, 5, 3, 0, 8},
                                         {abi::AtomicMax, 5, minusTwo, 0, 5},
                                         {abi::AtomicMin, 5, minusTwo, 0, minusTwo},
                                         {abi::AtomicUMax, 5, minusTwo, 0, minusTwo},
                                         {abi::AtomicUMin, 5, minusTwo, 0, 5},
                                         {abi::AtomicAnd, 6, 3, 0, 2},
                                         {abi::AtomicOr, 6, 3, 0, 7},
                                         {abi::AtomicXor, 6, 3, 0, 5},
                                         {abi::AtomicXchg, 6, 3, 0, 3},
                                         {abi::AtomicCas, 6, 3, 6, 3},
                                         {abi::AtomicCas, 6, 3, 7, 6},
                                         {abi::AtomicLoad, 6, 3, 0, 6},
                                         {abi::AtomicStore, 6, 3, 0, 3}}) {
    for (bool shared : {false, true}) {
      std::vector<uint32_t> x = {c.before}, old(1), after(1);
      LaunchConfig config = shape(1, 1, 16);
      addBuffer(config, x, "x");
      LaunchResult result = run(config, [&] {
        if (!shared) {
          old[0] = atomic(c.op, &x[0], c.operand, 1, abi::OrderRelaxed, c.compare);
          after[0] = x[0];
          return;
        }
        sharedStore<uint32_t>(4, c.before, 1);
        old[0] = sharedAtomic(c.op, 4, c.operand, 2, c.compare);
        after[0] = sharedLoad<uint32_t>(4, 3);
      });
      EXPECT_CLEAN(result, config);
      EXPECT_EQ(after[0], c.after) << c.op;
      EXPECT_EQ(old[0], c.op == abi::AtomicStore ? 0 : c.before) << c.op;
    }
  }
}

TEST(SimAtomics, sixteen_bit_floats) {
  std::vector<uint16_t> half = {halfFromFloat(1.5f)}, bfloat = {bfloatFromFloat(1.5f)};
  std::vector<uint32_t> pair = {uint32_t(halfFromFloat(1.0f)) | uint32_t(halfFromFloat(-2.0f))
                                                                    << 16};
  LaunchConfig config = shape(1, 4);
  addBuffer(config, half, "half");
  addBuffer(config, bfloat, "bfloat");
  addBuffer(config, pair, "pair");
  LaunchResult result = run(config, [&] {
    uint16_t h = halfFromFloat(0.25f), b = bfloatFromFloat(0.25f);
    uint32_t p = uint32_t(h) | uint32_t(h) << 16;
    auto add = [](int32_t type, void *to, const void *operand) {
      tilec_sim_atomic(abi::AtomicAdd, type, abi::SpaceGlobal, reinterpret_cast<uint64_t>(to),
                       operand, nullptr, nullptr, 0, 1, 1);
    };
    add(abi::AtomicF16, half.data(), &h);
    add(abi::AtomicBF16, bfloat.data(), &b);
    add(abi::AtomicF16x2, pair.data(), &p);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(floatFromHalf(half[0]), 2.5f);
  EXPECT_EQ(floatFromBFloat(bfloat[0]), 2.5f);
  EXPECT_EQ(floatFromHalf(uint16_t(pair[0])), 2.0f);
  EXPECT_EQ(floatFromHalf(uint16_t(pair[0] >> 16)), -1.0f);
}

TEST(SimAtomics, half_conversion_round_trips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = floatFromHalf(uint16_t(bits));
    if (std::isnan(value))
      continue;
    EXPECT_EQ(halfFromFloat(value), bits);
    // The value half-way to the next one rounds to even.
    if ((bits & 0x7fff) >= 0x7bff)
      continue;
    float next = floatFromHalf(uint16_t(bits + 1));
    uint32_t even = bits & 1 ? bits + 1 : bits;
    EXPECT_EQ(halfFromFloat((value + next) / 2), even);
  }
  EXPECT_EQ(halfFromFloat(65519.0f), 0x7bff);
  EXPECT_EQ(halfFromFloat(65520.0f), 0x7c00);
  EXPECT_EQ(halfFromFloat(1e-9f), 0);
}

TEST(SimAtomics, predicated_off_and_out_of_bounds) {
  std::vector<uint32_t> x(1);
  LaunchConfig config = shape(1, 1);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    uint32_t one = 1, old = 9;
    uint64_t address = reinterpret_cast<uint64_t>(x.data());
    tilec_sim_atomic(abi::AtomicAdd, abi::AtomicI32, abi::SpaceGlobal, address, &one, nullptr, &old,
                     0, 0, 1);
    if (old != 9)
      tilec_sim_trap(1);
    tilec_sim_atomic(abi::AtomicAdd, abi::AtomicI32, abi::SpaceGlobal, address + 4, &one, nullptr,
                     &old, 0, 1, 2);
    if (old != 0)
      tilec_sim_trap(2);
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::OutOfBoundsGlobal);
  EXPECT_EQ(result.findings[0].site, 2);
  EXPECT_EQ(x[0], 0u);
}

TEST(SimAtomics, cta_waits_for_one_that_has_not_begun) {
  for (unsigned hostThreads : {1u, 3u}) {
    std::vector<uint32_t> flags(16), out(16);
    LaunchConfig config = shape(16, 32);
    config.hostThreads = hostThreads;
    addBuffer(config, flags, "flags");
    addBuffer(config, out, "out");
    // Every CTA waits for the one after it.
    LaunchResult result = run(config, [&] {
      if (tid() == 0 && cta() != 15) {
        while (atomic<uint32_t>(abi::AtomicLoad, &flags[cta() + 1], 0, 1, abi::OrderAcquire) == 0) {
        }
        store(&out[cta()], load(&out[cta() + 1], 2) + 1, 3);
      }
      tilec_sim_barrier(0, 0, 4);
      if (tid() == 0)
        atomic<uint32_t>(abi::AtomicStore, &flags[cta()], 1, 5, abi::OrderRelease);
    });
    EXPECT_CLEAN(result, config);
    EXPECT_EQ(out[0], 15u);
  }
}

TEST(SimAtomics, threads_of_a_cta_spin_on_each_other) {
  std::vector<uint32_t> turn(1);
  LaunchConfig config = shape(1, 64);
  addBuffer(config, turn, "turn");
  LaunchResult result = run(config, [&] {
    // In reverse, so that the scheduler's own order does not help.
    while (atomic<uint32_t>(abi::AtomicLoad, &turn[0], 0, 1) != 63 - tid()) {
    }
    atomic<uint32_t>(abi::AtomicAdd, &turn[0], 1, 2);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(turn[0], 64u);
}

} // namespace
} // namespace tilecrt::sim::test
