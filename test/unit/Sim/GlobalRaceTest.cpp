// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races in global memory, inside a CTA and between CTAs, and the ways to order accesses that must
// not be reported.
#include "SimKernel.h"

namespace tilecrt::sim::test {
namespace {

TEST(SimGlobalRace, two_ctas_write_one_place) {
  std::vector<uint32_t> out(64);
  LaunchConfig config = shape(4, 32);
  addBuffer(config, out, "out");
  LaunchResult result = run(config, [&] { store(&out[tid() + (cta() / 2) * 32], cta(), 3); });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  const Finding &finding = result.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::GlobalRaceWriteWrite);
  EXPECT_EQ(finding.site, 3);
  EXPECT_EQ(finding.otherSite, 3);
  EXPECT_EQ(finding.thread.cta[0], 0u);
  EXPECT_EQ(finding.otherThread.cta[0], 1u);
  EXPECT_EQ(finding.thread.thread, 0u);
  EXPECT_EQ(finding.message, "global store of 4 bytes and global store of 4 bytes at byte 0 of "
                             "'out' by different CTAs, with nothing to order them");
}

TEST(SimGlobalRace, same_value_is_its_own_kind) {
  std::vector<uint32_t> out(32);
  LaunchConfig config = shape(2, 32);
  addBuffer(config, out, "out");
  LaunchResult result = run(config, [&] { store(&out[tid()], 7u, 3); });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::GlobalRaceSameValue);
}

TEST(SimGlobalRace, read_of_what_another_cta_writes) {
  std::vector<uint32_t> x(128);
  LaunchConfig config = shape(4, 32);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    uint32_t i = globalId();
    store(&x[i], load(&x[i == 127 ? i : i + 1], 1), 2);
  });
  // Between CTAs and between the lanes of one warp: the same two sites, so one finding.
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::GlobalRaceReadWrite);
  EXPECT_EQ(result.findings[0].site, 1);
  EXPECT_EQ(result.findings[0].otherSite, 2);
  EXPECT_EQ(result.findings[0].access.kind, AccessKind::GlobalLoad);
  EXPECT_EQ(result.findings[0].otherAccess.kind, AccessKind::GlobalStore);
}

TEST(SimGlobalRace, in_place_update_is_clean) {
  std::vector<float> x(4096, 1.0f);
  LaunchConfig config = shape(32, 128);
  addBuffer(config, x, "x");
  LaunchResult result =
      run(config, [&] { store(&x[globalId()], load(&x[globalId()], 1) + 1.0f, 2); });
  EXPECT_CLEAN(result, config);
}

TEST(SimGlobalRace, barrier_orders_threads_of_a_cta) {
  for (bool withBarrier : {true, false}) {
    std::vector<uint32_t> x(512);
    LaunchConfig config = shape(4, 128);
    addBuffer(config, x, "x");
    LaunchResult result = run(config, [&] {
      uint32_t base = cta() * 128;
      store(&x[base + tid()], tid(), 1);
      if (withBarrier)
        tilec_sim_barrier(0, 0, 2);
      load(&x[base + 127 - tid()], 3);
    });
    EXPECT_EQ(result.clean(), withBarrier) << describe(result, config);
    if (withBarrier)
      continue;
    const Finding *race = find(result, FindingKind::GlobalRaceReadWrite);
    ASSERT_TRUE(race);
    EXPECT_EQ(race->site, 3);
    EXPECT_EQ(race->otherSite, 1);
    EXPECT_EQ(race->thread.thread, 127 - race->otherThread.thread);
  }
}

TEST(SimGlobalRace, warp_barrier_orders_lanes_of_a_warp) {
  for (uint32_t distance : {1u, 32u}) {
    std::vector<uint32_t> x(64);
    LaunchConfig config = shape(1, 64);
    addBuffer(config, x, "x");
    LaunchResult result = run(config, [&] {
      store(&x[tid()], tid(), 1);
      tilec_sim_warp_barrier(allLanes, 2);
      load(&x[tid() ^ distance], 3);
    });
    EXPECT_EQ(result.clean(), distance == 1) << describe(result, config);
  }
}

TEST(SimGlobalRace, named_barrier_orders_its_warps) {
  for (uint32_t distance : {32u, 64u}) {
    std::vector<uint32_t> x(128);
    LaunchConfig config = shape(1, 128);
    addBuffer(config, x, "x");
    LaunchResult result = run(config, [&] {
      store(&x[tid()], tid(), 1);
      tilec_sim_barrier(tid() < 64 ? 1 : 2, 64, 2);
      load(&x[tid() ^ distance], 3);
    });
    EXPECT_EQ(result.clean(), distance == 32) << describe(result, config);
  }
}

TEST(SimGlobalRace, lanes_of_one_store_at_one_place) {
  std::vector<uint32_t> x(64);
  LaunchConfig config = shape(1, 32);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    store(&x[tid() / 2], tid(), 1);
    store(&x[32], 5u, 2);
  });
  ASSERT_EQ(result.findings.size(), 2u) << describe(result, config);
  const Finding *different = find(result, FindingKind::GlobalRaceWriteWrite);
  ASSERT_TRUE(different);
  EXPECT_EQ(different->site, 1);
  EXPECT_EQ(different->thread.thread, 0u);
  EXPECT_EQ(different->otherThread.thread, 1u);
  EXPECT_EQ(different->count, 16u);
  const Finding *same = find(result, FindingKind::GlobalRaceSameValue);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->site, 2);
}

TEST(SimGlobalRace, everyone_reads_what_one_thread_writes) {
  for (uint32_t writer : {0u, 13u, 31u}) {
    std::vector<uint32_t> x(1);
    LaunchConfig config = shape(1, 32);
    addBuffer(config, x, "x");
    LaunchResult result = run(config, [&] {
      load(&x[0], 1);
      store(&x[0], 1u, 2, tid() == writer);
    });
    EXPECT_TRUE(find(result, FindingKind::GlobalRaceReadWrite)) << writer;
  }
}

TEST(SimGlobalRace, different_bytes_do_not_race) {
  std::vector<uint8_t> x(1024);
  LaunchConfig config = shape(8, 128);
  addBuffer(config, x, "x");
  // Neighbouring bytes belong to different CTAs.
  LaunchResult result = run(config, [&] { store<uint8_t>(&x[tid() * 8 + cta()], 1, 1); });
  EXPECT_CLEAN(result, config);
}

TEST(SimGlobalRace, atomics_do_not_race_with_each_other) {
  std::vector<uint32_t> x(4);
  LaunchConfig config = shape(50, 64);
  addBuffer(config, x, "x");
  LaunchResult good = run(config, [&] { atomic<uint32_t>(abi::AtomicAdd, &x[tid() % 4], 1, 1); });
  EXPECT_CLEAN(good, config);
  EXPECT_EQ(x, std::vector<uint32_t>(4, 800));
  LaunchResult bad = run(config, [&] {
    atomic<uint32_t>(abi::AtomicAdd, &x[tid() % 4], 1, 1);
    load(&x[0], 2, cta() == 20 && tid() == 9);
  });
  const Finding *race = find(bad, FindingKind::GlobalRaceReadWrite);
  ASSERT_TRUE(race) << describe(bad, config);
  EXPECT_EQ(race->site, 2);
  EXPECT_EQ(race->otherSite, 1);
  EXPECT_EQ(race->thread.cta[0], 20u);
  EXPECT_EQ(race->otherAccess.kind, AccessKind::GlobalAtomic);
}

TEST(SimGlobalRace, atomic_loads_only_read) {
  std::vector<uint32_t> x(4);
  LaunchConfig config = shape(10, 64);
  addBuffer(config, x, "x");
  LaunchResult good = run(config, [&] {
    atomic<uint32_t>(abi::AtomicLoad, &x[tid() % 4], 0, 1);
    load(&x[tid() % 4], 2);
  });
  EXPECT_CLEAN(good, config);
  LaunchResult bad = run(config, [&] {
    atomic<uint32_t>(abi::AtomicLoad, &x[tid() % 4], 0, 1);
    store(&x[3], 7u, 2, cta() == 4 && tid() == 9);
  });
  const Finding *race = find(bad, FindingKind::GlobalRaceReadWrite);
  ASSERT_TRUE(race) << describe(bad, config);
  EXPECT_EQ(race->site, 1);
  EXPECT_EQ(race->otherSite, 2);
  EXPECT_EQ(race->access.kind, AccessKind::GlobalLoad);
  EXPECT_EQ(race->otherThread.cta[0], 4u);
}

/// The last CTA to arrive sums what the others have written.
LaunchResult lastCtaSums(LaunchConfig &config, int32_t order, bool fences, uint32_t &sum) {
  uint32_t ctas = config.grid[0];
  std::vector<uint32_t> partial(ctas), counter(1), out(1);
  config.buffers.clear();
  addBuffer(config, partial, "partial");
  addBuffer(config, counter, "counter");
  addBuffer(config, out, "out");
  LaunchResult result = run(config, [&] {
    store(&partial[cta()], cta() + 1, 1, tid() == 0);
    tilec_sim_barrier(0, 0, 2);
    if (fences)
      tilec_sim_fence(abi::FenceGpu, 3);
    if (tid() == 0) {
      uint32_t arrived = atomic<uint32_t>(abi::AtomicAdd, &counter[0], 1, 4, order);
      if (fences)
        tilec_sim_fence(abi::FenceGpu, 5);
      if (arrived == ctas - 1) {
        uint32_t total = 0;
        for (uint32_t i = 0; i < ctas; ++i)
          total += load(&partial[i], 6);
        store(&out[0], total, 7);
      }
    }
  });
  sum = out[0];
  return result;
}

TEST(SimGlobalRace, release_and_acquire_order_ctas) {
  LaunchConfig config = shape(40, 32);
  uint32_t sum = 0;
  EXPECT_CLEAN(lastCtaSums(config, abi::OrderAcqRel, false, sum), config);
  EXPECT_EQ(sum, 820u);
  EXPECT_CLEAN(lastCtaSums(config, abi::OrderRelaxed, true, sum), config);
  EXPECT_FALSE(lastCtaSums(config, abi::OrderRelaxed, false, sum).clean());
  EXPECT_FALSE(lastCtaSums(config, abi::OrderAcquire, false, sum).clean());
  EXPECT_FALSE(lastCtaSums(config, abi::OrderRelease, false, sum).clean());
}

TEST(SimGlobalRace, lock_protects_plain_accesses) {
  for (bool locked : {true, false}) {
    std::vector<uint32_t> lock(1), value(1);
    LaunchConfig config = shape(60, 64);
    config.hostThreads = 4;
    addBuffer(config, lock, "lock");
    addBuffer(config, value, "value");
    LaunchResult result = run(config, [&] {
      if (tid() == 5) {
        while (locked &&
               atomic<uint32_t>(abi::AtomicCas, &lock[0], 1, 1, abi::OrderAcquire, 0) != 0) {
        }
        store(&value[0], load(&value[0], 2) + 1, 3);
        if (locked)
          atomic<uint32_t>(abi::AtomicXchg, &lock[0], 0, 4, abi::OrderRelease);
      }
    });
    EXPECT_EQ(result.clean(), locked) << describe(result, config);
    if (locked) {
      EXPECT_EQ(value[0], 60u);
    }
  }
}

TEST(SimGlobalRace, check_can_be_switched_off) {
  std::vector<uint32_t> out(32);
  LaunchConfig config = shape(4, 32);
  config.checkGlobalRaces = false;
  addBuffer(config, out, "out");
  LaunchResult result = run(config, [&] { store(&out[0], cta(), 3); });
  EXPECT_CLEAN(result, config);
}

} // namespace
} // namespace tilecrt::sim::test
