// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared-memory races: planted ones are found with both parties, and correct kernels of every
// synchronisation style give none.
#include "SimKernel.h"

namespace tilecrt::sim::test {
namespace {

/// The block sum of x by a tree in shared memory; leaves a barrier out where `missing` says so.
void treeReduction(const float *x, float *out, int missing) {
  uint32_t threads = static_cast<uint32_t>(tilec_sim_ntid(0));
  sharedStore(tid() * 4, load(&x[globalId()], 1), 2);
  if (missing != 0)
    tilec_sim_barrier(0, 0, 3);
  int step = 1;
  for (uint32_t half = threads / 2; half != 0; half /= 2, ++step) {
    if (tid() < half) {
      float a = sharedLoad<float>(tid() * 4, 4);
      float b = sharedLoad<float>((tid() + half) * 4, 5);
      sharedStore(tid() * 4, a + b, 6);
    }
    if (missing != step)
      tilec_sim_barrier(0, 0, 7);
  }
  if (tid() == 0)
    store(&out[cta()], sharedLoad<float>(0, 8), 9);
}

LaunchResult runTree(LaunchConfig &config, int missing, float *sum = nullptr) {
  std::vector<float> x(size_t(config.grid[0]) * config.block[0], 1.0f), out(config.grid[0]);
  config.buffers.clear();
  addBuffer(config, x, "x");
  addBuffer(config, out, "out");
  LaunchResult result = run(config, [&] { treeReduction(x.data(), out.data(), missing); });
  if (sum)
    *sum = out.back();
  return result;
}

TEST(SimSharedRace, no_finding_for_tree_reduction) {
  LaunchConfig config = shape(20, 256, 1024);
  float sum = 0;
  LaunchResult result = runTree(config, -1, &sum);
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(sum, 256.0f);
}

TEST(SimSharedRace, missing_barrier_before_tree) {
  LaunchConfig config = shape(2, 256, 1024);
  LaunchResult result = runTree(config, 0);
  // Thread 0 runs first, so thread 128 had not written yet: seen as the write over what was read.
  const Finding *war = find(result, FindingKind::SharedRaceWAR);
  ASSERT_TRUE(war) << describe(result, config);
  EXPECT_EQ(war->site, 2);
  EXPECT_EQ(war->otherSite, 5);
  EXPECT_EQ(war->thread.thread, 128u);
  EXPECT_EQ(war->otherThread.thread, 0u);
  EXPECT_EQ(war->access.address, 512u);
  EXPECT_EQ(war->count, 256u);
}

TEST(SimSharedRace, every_missing_barrier_inside_the_tree_is_found) {
  for (int missing = 1; missing <= 7; ++missing) {
    LaunchConfig config = shape(1, 256, 1024);
    LaunchResult result = runTree(config, missing);
    EXPECT_FALSE(result.clean()) << "barrier after step " << missing;
  }
}

TEST(SimSharedRace, read_after_write) {
  LaunchConfig config = shape(1, 64, 256);
  LaunchResult result = run(config, [&] {
    sharedStore<uint32_t>(tid() * 4, tid(), 1);
    if (tid() == 40)
      sharedLoad<uint32_t>(4, 2);
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  const Finding &finding = result.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::SharedRaceRAW);
  EXPECT_EQ(finding.site, 2);
  EXPECT_EQ(finding.otherSite, 1);
  EXPECT_EQ(finding.thread.thread, 40u);
  EXPECT_EQ(finding.thread.warp(), 1u);
  EXPECT_EQ(finding.thread.lane(), 8u);
  EXPECT_TRUE(finding.hasOther);
  EXPECT_EQ(finding.otherThread.thread, 1u);
  EXPECT_EQ(finding.message, "shared load of 4 bytes at offset 4 reads what was written by thread "
                             "1, with no barrier between");
  EXPECT_EQ(describeFinding(finding, config),
            "k.tile:2:1: shared-race-raw: " + finding.message +
                "\n  in CTA (0, 0, 0), thread 40 (warp 1, lane 8)"
                "\n  other: k.tile:1:1, CTA (0, 0, 0), thread 1 (warp 0, lane 1)");
}

TEST(SimSharedRace, write_after_write_different_and_same_value) {
  LaunchConfig config = shape(1, 64, 256);
  LaunchResult result = run(config, [&] {
    sharedStore<uint32_t>(0, 5, 1);
    if (tid() < 2)
      sharedStore<uint32_t>(4, tid(), 2);
  });
  ASSERT_EQ(result.findings.size(), 2u) << describe(result, config);
  const Finding *same = find(result, FindingKind::SharedRaceSameValue);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->site, 1);
  EXPECT_EQ(same->count, 63u);
  const Finding *different = find(result, FindingKind::SharedRaceWAW);
  ASSERT_TRUE(different);
  EXPECT_EQ(different->site, 2);
  EXPECT_EQ(different->thread.thread, 1u);
  EXPECT_EQ(different->otherThread.thread, 0u);
}

TEST(SimSharedRace, warp_barrier_orders_lanes_of_its_warp_only) {
  for (bool acrossWarps : {false, true}) {
    LaunchConfig config = shape(4, 128, 512);
    LaunchResult result = run(config, [&] {
      sharedStore<uint32_t>(tid() * 4, tid(), 1);
      tilec_sim_warp_barrier(allLanes, 2);
      uint32_t from = acrossWarps ? (tid() + 32) % 128 : tid() ^ 1;
      sharedLoad<uint32_t>(from * 4, 3);
    });
    EXPECT_EQ(result.clean(), !acrossWarps) << describe(result, config);
  }
}

TEST(SimSharedRace, shuffle_does_not_order_memory) {
  LaunchConfig config = shape(1, 32, 128);
  LaunchResult result = run(config, [&] {
    sharedStore<uint32_t>(tid() * 4, tid(), 1);
    shuffleXor(tid(), 1, 2);
    sharedLoad<uint32_t>((tid() ^ 1) * 4, 3);
  });
  const Finding *race = find(result, FindingKind::SharedRaceRAW);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->count, 32u);
}

TEST(SimSharedRace, partial_warp_barrier_orders_its_lanes_only) {
  auto kernel = [](bool crossHalves) {
    uint32_t half = tid() < 16 ? 0x0000ffff : 0xffff0000;
    sharedStore<uint32_t>(tid() * 4, tid(), 1);
    tilec_sim_warp_barrier(half, 2);
    sharedLoad<uint32_t>((crossHalves ? tid() ^ 16 : tid() ^ 1) * 4, 3);
    tilec_sim_warp_barrier(allLanes, 4);
    sharedLoad<uint32_t>((tid() ^ 16) * 4, 5);
  };
  LaunchConfig config = shape(1, 32, 128);
  LaunchResult good = run(config, [&] { kernel(false); });
  EXPECT_CLEAN(good, config);
  // Half of the reads come before the writes of the other half, so some are seen as WAR.
  LaunchResult bad = run(config, [&] { kernel(true); });
  EXPECT_FALSE(bad.findings.empty());
  for (const Finding &finding : bad.findings)
    EXPECT_TRUE(finding.site != 5 && finding.otherSite != 5);
}

TEST(SimSharedRace, named_barriers_order_their_warps_only) {
  // Warps 0,1 use barrier 1, warps 2,3 barrier 2.
  auto kernel = [](uint32_t xorWarp) {
    uint32_t warp = tid() / 32;
    sharedStore<uint32_t>(tid() * 4, tid(), 1);
    tilec_sim_barrier(warp < 2 ? 1 : 2, 64, warp < 2 ? 2 : 3);
    sharedLoad<uint32_t>((tid() ^ (xorWarp * 32)) * 4, 4);
  };
  LaunchConfig config = shape(1, 128, 512);
  LaunchResult good = run(config, [&] { kernel(1); });
  EXPECT_CLEAN(good, config);
  LaunchResult bad = run(config, [&] { kernel(2); });
  EXPECT_FALSE(bad.clean());
}

TEST(SimSharedRace, producer_consumer_with_arrive) {
  // Warp 0 fills a slot, arrives at "full" and waits at "empty"; warp 1 the other way round.
  auto kernel = [](bool waitForFull) {
    uint32_t warp = tid() / 32, lane = tid() % 32;
    for (uint32_t i = 0; i < 10; ++i) {
      if (warp == 0) {
        sharedStore<uint32_t>(lane * 4, i, 1);
        tilec_sim_barrier_arrive(1, 64, 2);
        tilec_sim_barrier(2, 64, 3);
      } else {
        if (waitForFull)
          tilec_sim_barrier(1, 64, 4);
        else
          tilec_sim_barrier_arrive(1, 64, 4);
        if (sharedLoad<uint32_t>((31 - lane) * 4, 5) != i)
          tilec_sim_trap(5);
        tilec_sim_barrier_arrive(2, 64, 6);
      }
    }
  };
  LaunchConfig config = shape(3, 64, 128);
  LaunchResult good = run(config, [&] { kernel(true); });
  EXPECT_CLEAN(good, config);
  LaunchResult bad = run(config, [&] { kernel(false); });
  EXPECT_FALSE(bad.clean());
}

TEST(SimSharedRace, different_bytes_of_a_word_do_not_race) {
  LaunchConfig config = shape(2, 128, 256);
  LaunchResult result = run(config, [&] {
    sharedStore<uint16_t>(tid() * 2, uint16_t(tid()), 1);
    tilec_sim_barrier(0, 0, 2);
    sharedLoad<uint32_t>(tid() / 2 * 4, 3);
    tilec_sim_barrier(0, 0, 4);
    sharedStore<uint8_t>(tid(), 1, 5);
    sharedStore<uint8_t>(128 + (tid() ^ 5), 1, 6);
  });
  EXPECT_CLEAN(result, config);
}

TEST(SimSharedRace, one_shared_byte_of_two_accesses_races) {
  LaunchConfig config = shape(1, 64, 256);
  LaunchResult result = run(config, [&] {
    if (tid() == 0)
      sharedStore<uint32_t>(4, 7, 1);
    if (tid() == 33)
      sharedStore<uint8_t>(6, 7, 2);
    if (tid() == 34)
      sharedStore<uint8_t>(8, 7, 3);
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].site, 2);
  EXPECT_EQ(result.findings[0].otherSite, 1);
}

TEST(SimSharedRace, many_readers_then_unordered_writer) {
  for (uint32_t writer : {0u, 5u, 40u, 127u}) {
    LaunchConfig config = shape(1, 128, 256);
    LaunchResult result = run(config, [&] {
      if (tid() == 64)
        sharedStore<uint32_t>(0, 1, 1);
      tilec_sim_barrier(0, 0, 2);
      sharedLoad<uint32_t>(0, 3);
      if (writer < 32)
        tilec_sim_warp_barrier(allLanes, 4);
      if (tid() == writer)
        sharedStore<uint32_t>(0, 2, 5);
    });
    EXPECT_FALSE(result.clean()) << "writer " << writer;
  }
}

TEST(SimSharedRace, atomics_race_with_plain_accesses_only) {
  auto kernel = [](bool plain) {
    if (tid() == 0)
      sharedStore<uint32_t>(0, 0, 1);
    tilec_sim_barrier(0, 0, 2);
    sharedAtomic<uint32_t>(abi::AtomicAdd, 0, 1, 3);
    if (plain && tid() == 7)
      sharedLoad<uint32_t>(0, 4);
    tilec_sim_barrier(0, 0, 5);
    if (sharedLoad<uint32_t>(0, 6) != 128)
      tilec_sim_trap(6);
  };
  LaunchConfig config = shape(4, 128, 64);
  LaunchResult good = run(config, [&] { kernel(false); });
  EXPECT_CLEAN(good, config);
  LaunchResult bad = run(config, [&] { kernel(true); });
  EXPECT_FALSE(bad.clean());
}

TEST(SimSharedRace, check_off_looks_for_nothing) {
  LaunchConfig config = shape(1, 64, 256);
  config.check = false;
  LaunchResult result = run(config, [&] { sharedStore<uint32_t>(0, tid(), 1); });
  EXPECT_CLEAN(result, config);
}

} // namespace
} // namespace tilecrt::sim::test
