// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact counts for known access patterns.
#include "SimKernel.h"

namespace tilecrt::sim::test {
namespace {

struct alignas(16) Four {
  float v[4];
};
struct alignas(8) Two {
  float v[2];
};

/// Floats that begin at a 128-byte boundary, where sector counts are predictable.
struct AlignedFloats {
  struct alignas(128) Line {
    float v[32];
  };
  explicit AlignedFloats(size_t count) : lines((count + 31) / 32) {}
  float *operator+(size_t i) { return &lines[i / 32].v[i % 32]; }
  std::vector<Line> lines;
};

/// Counters of one warp that loads at `address(lane)`, an index into an aligned array.
template <typename T>
Counters countLoad(
    const std::function<size_t(uint32_t)> &index,
    const std::function<bool(uint32_t)> &pred = [](uint32_t) { return true; }) {
  alignas(128) static char memory[1 << 16];
  LaunchConfig config = shape(1, 32);
  config.buffers.push_back({memory, sizeof(memory), "x", true});
  LaunchResult result = run(
      config, [&] { load(reinterpret_cast<const T *>(memory) + index(tid()), 7, pred(tid())); });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.siteCounters[7], result.totals);
  return result.totals;
}

/// Counters of one warp that stores to shared memory.
template <typename T> Counters countShared(const std::function<uint32_t(uint32_t)> &index) {
  LaunchConfig config = shape(1, 32, 32768);
  config.check = false;
  LaunchResult result =
      run(config, [&] { sharedStore(index(tid()) * uint32_t(sizeof(T)), T(), 7); });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.totals.sharedStoreRequests, 1u);
  return result.totals;
}

TEST(SimCounters, coalesced_load) {
  Counters c = countLoad<float>([](uint32_t lane) { return lane; });
  EXPECT_EQ(c.globalLoadRequests, 1u);
  EXPECT_EQ(c.globalLoadSectors, 4u);
  EXPECT_EQ(c.globalLoadIdealSectors, 4u);
  EXPECT_EQ(c.globalLoadBytes, 128u);
  EXPECT_EQ(c.globalStoreRequests, 0u);
}

TEST(SimCounters, vector_load) {
  Counters c = countLoad<Four>([](uint32_t lane) { return lane; });
  EXPECT_EQ(c.globalLoadRequests, 1u);
  EXPECT_EQ(c.globalLoadSectors, 16u);
  EXPECT_EQ(c.globalLoadIdealSectors, 16u);
  EXPECT_EQ(c.globalLoadBytes, 512u);
}

TEST(SimCounters, strided_load) {
  Counters c = countLoad<float>([](uint32_t lane) { return lane * 32; });
  EXPECT_EQ(c.globalLoadRequests, 1u);
  EXPECT_EQ(c.globalLoadSectors, 32u);
  EXPECT_EQ(c.globalLoadIdealSectors, 4u);
}

TEST(SimCounters, broadcast_load) {
  Counters c = countLoad<float>([](uint32_t) { return 3; });
  EXPECT_EQ(c.globalLoadSectors, 1u);
  EXPECT_EQ(c.globalLoadIdealSectors, 1u);
  EXPECT_EQ(c.globalLoadBytes, 128u);
}

TEST(SimCounters, reversed_and_offset_load) {
  EXPECT_EQ(countLoad<float>([](uint32_t lane) { return 31 - lane; }).globalLoadSectors, 4u);
  EXPECT_EQ(countLoad<float>([](uint32_t lane) { return lane + 1; }).globalLoadSectors, 5u);
}

TEST(SimCounters, masked_lanes_do_not_count) {
  Counters c =
      countLoad<float>([](uint32_t lane) { return lane; }, [](uint32_t lane) { return lane < 8; });
  EXPECT_EQ(c.globalLoadRequests, 1u);
  EXPECT_EQ(c.globalLoadSectors, 1u);
  EXPECT_EQ(c.globalLoadBytes, 32u);
  EXPECT_EQ(c.globalLoadLanes, 32u);
  EXPECT_EQ(c.globalLoadMaskedLanes, 24u);
  Counters none =
      countLoad<float>([](uint32_t lane) { return lane; }, [](uint32_t) { return false; });
  EXPECT_EQ(none.globalLoadRequests, 0u);
  EXPECT_EQ(none.globalLoadSectors, 0u);
  EXPECT_EQ(none.globalLoadMaskedLanes, 32u);
}

TEST(SimCounters, shared_without_conflicts) {
  EXPECT_EQ(countShared<float>([](uint32_t lane) { return lane; }).sharedStoreWavefronts, 1u);
  EXPECT_EQ(countShared<float>([](uint32_t) { return 5; }).sharedStoreWavefronts, 1u);
  EXPECT_EQ(countShared<Two>([](uint32_t lane) { return lane; }).sharedStoreWavefronts, 2u);
  EXPECT_EQ(countShared<Four>([](uint32_t lane) { return lane; }).sharedStoreWavefronts, 4u);
  EXPECT_EQ(countShared<uint8_t>([](uint32_t lane) { return lane; }).sharedStoreWavefronts, 1u);
  // Odd strides are free of conflicts.
  EXPECT_EQ(countShared<float>([](uint32_t lane) { return lane * 33; }).sharedStoreWavefronts, 1u);
}

TEST(SimCounters, shared_with_conflicts) {
  EXPECT_EQ(countShared<float>([](uint32_t lane) { return lane * 2; }).sharedStoreWavefronts, 2u);
  EXPECT_EQ(countShared<float>([](uint32_t lane) { return lane * 32; }).sharedStoreWavefronts, 32u);
  // 8 lanes a phase, all in banks 0 to 3.
  Counters c = countShared<Four>([](uint32_t lane) { return lane * 8; });
  EXPECT_EQ(c.sharedStoreWavefronts, 32u);
  EXPECT_EQ(c.sharedStoreIdealWavefronts, 4u);
  EXPECT_EQ(c.sharedStoreBytes, 512u);
}

TEST(SimCounters, kth_execution_of_a_site_is_one_request) {
  std::vector<float> x(32 * 50), y(32 * 50);
  LaunchConfig config = shape(1, 64);
  addBuffer(config, x, "x");
  addBuffer(config, y, "y");
  LaunchResult result = run(config, [&] {
    for (size_t i = 0; i < 25; ++i)
      store(&y[i * 64 + tid()], load(&x[i * 64 + tid()], 1), 2);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.siteCounters[1].globalLoadRequests, 50u);
  EXPECT_EQ(result.siteCounters[2].globalStoreRequests, 50u);
}

TEST(SimCounters, divergent_executions_are_separate_requests) {
  AlignedFloats x(64);
  LaunchConfig config = shape(1, 32);
  addBuffer(config, x.lines, "x");
  LaunchResult result = run(config, [&] {
    if (tid() < 16)
      load(x + tid(), 1);
    tilec_sim_warp_barrier(allLanes, 2);
    if (tid() >= 16)
      load(x + tid(), 1);
    load(x + tid(), 3);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.siteCounters[1].globalLoadRequests, 2u);
  EXPECT_EQ(result.siteCounters[1].globalLoadSectors, 4u);
  EXPECT_EQ(result.siteCounters[3].globalLoadRequests, 1u);
}

TEST(SimCounters, one_lane_in_a_long_loop) {
  AlignedFloats x(32);
  LaunchConfig config = shape(1, 32);
  addBuffer(config, x.lines, "x");
  LaunchResult result = run(config, [&] {
    if (tid() == 3)
      for (int i = 0; i < 10000; ++i)
        load(x + 3, 1);
    tilec_sim_barrier(0, 0, 2);
    for (int i = 0; i < 5000; ++i)
      load(x + tid(), 3);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.siteCounters[1].globalLoadRequests, 10000u);
  EXPECT_EQ(result.siteCounters[3].globalLoadRequests, 5000u);
  EXPECT_EQ(result.siteCounters[3].globalLoadSectors, 20000u);
}

TEST(SimCounters, operations_by_class) {
  std::vector<uint32_t> x(1);
  LaunchConfig config = shape(3, 64, 64);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    tilec_sim_count(abi::ClassFloat, 5, 1);
    tilec_sim_count(99, 5, 1);
    shuffleXor(0, 1, 2);
    tilec_sim_redux(abi::ReduxAdd, allLanes, 1, 3);
    tilec_sim_vote(abi::VoteAny, allLanes, 1, 4);
    tilec_sim_barrier(0, 0, 5);
    tilec_sim_warp_barrier(allLanes, 6);
    atomic<uint32_t>(abi::AtomicAdd, &x[0], 1, 7);
    tilec_sim_fence(abi::FenceGpu, 8);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.totals.instructions[abi::ClassFloat], 5u * 192);
  EXPECT_EQ(result.siteCounters[2].shuffles, 6u);
  EXPECT_EQ(result.siteCounters[3].reduxes, 6u);
  EXPECT_EQ(result.siteCounters[4].votes, 6u);
  EXPECT_EQ(result.siteCounters[5].barriers, 6u);
  EXPECT_EQ(result.siteCounters[6].warpBarriers, 6u);
  EXPECT_EQ(result.siteCounters[7].globalAtomics, 192u);
  EXPECT_EQ(result.siteCounters[8].fences, 192u);
}

TEST(SimCounters, hottest_address_of_atomics) {
  std::vector<uint32_t> x(33);
  LaunchConfig config = shape(3, 64);
  addBuffer(config, x, "x");
  // Each CTA: 64 on one address, and one on each of 32 others; another site is counted apart.
  LaunchResult result = run(config, [&] {
    atomic<uint32_t>(abi::AtomicAdd, &x[0], 1, 1);
    atomic<uint32_t>(abi::AtomicAdd, &x[1 + tid() % 32], 1, 2);
    atomic<uint32_t>(abi::AtomicLoad, &x[0], 0, 3);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.hottestAtomics[1].integers, 3u * 64);
  EXPECT_EQ(result.hottestAtomics[2].integers, 3u * 2);
  EXPECT_EQ(result.hottestAtomics[3].all(), 0u);
  EXPECT_GE(result.hottestLineAtomics, 3u * 64);
  EXPECT_LE(result.hottestLineAtomics, 3u * 128);
}

TEST(SimCounters, atomics_of_all_sites_add_up_by_address_and_kind) {
  std::vector<uint32_t> x(2);
  std::vector<float> y(1);
  LaunchConfig config = shape(2, 32);
  addBuffer(config, x, "x");
  addBuffer(config, y, "y");
  LaunchResult result = run(config, [&] {
    atomic<uint32_t>(abi::AtomicAdd, &x[0], 1, 1);
    atomic<uint32_t>(abi::AtomicMax, &x[0], 1, 2);
    atomic<uint32_t>(abi::AtomicAdd, &x[1], 1, 2);
    atomic<float>(abi::AtomicAdd, &y[0], 1, 3);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.hottestAtomics[1].integers, 64u);
  EXPECT_EQ(result.hottestOfAll.integers, 128u);
  EXPECT_EQ(result.hottestOfAll.floats, 64u);
  EXPECT_EQ(result.hottestAtomics[3].integers, 0u);
}

TEST(SimCounters, a_warp_adds_to_a_uniform_address_at_once) {
  alignas(32) static std::array<uint32_t, 2> x;
  static std::array<float, 1> y;
  LaunchConfig config = shape(2, 64);
  config.buffers.push_back({x.data(), sizeof x, "x", false});
  config.buffers.push_back({y.data(), sizeof y, "y", false});
  std::vector<Site> sites(6);
  sites[1].isUniform = sites[2].isUniform = sites[3].isUniform = sites[4].isUniform = true;
  config.sites = &sites;
  LaunchResult result = run(config, [&] {
    atomic<uint32_t>(abi::AtomicAdd, &x[0], 1, 1);
    // Half of each warp; exchanges and floats are not combined, and other addresses are not known.
    if (tid() % 2 == 0)
      atomic<uint32_t>(abi::AtomicMax, &x[0], 1, 2);
    atomic<uint32_t>(abi::AtomicXchg, &x[1], 1, 3);
    atomic<float>(abi::AtomicAdd, &y[0], 1, 4);
    atomic<uint32_t>(abi::AtomicAdd, &x[1], 1, 5);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.hottestAtomics[1].integers, 4u);
  EXPECT_EQ(result.hottestAtomics[2].integers, 4u);
  EXPECT_EQ(result.hottestAtomics[3].integers, 128u);
  EXPECT_EQ(result.hottestAtomics[4].floats, 128u);
  EXPECT_EQ(result.hottestOfAll.integers, 256u);
  EXPECT_EQ(result.atomicUpdates[1], 4u);
  EXPECT_EQ(result.siteCounters[1].globalAtomics, 128u);
}

TEST(SimCounters, integers_are_no_vector_of_atomics) {
  alignas(32) static std::array<uint32_t, 128> x;
  alignas(32) static std::array<float, 128> y;
  LaunchConfig config = shape(1, 32);
  config.buffers.push_back({x.data(), sizeof x, "x", false});
  config.buffers.push_back({y.data(), sizeof y, "y", false});
  LaunchResult result = run(config, [&] {
    for (uint32_t i = 0; i < 4; ++i)
      atomic<uint32_t>(abi::AtomicAdd, &x[4 * tid() + i], 1, 1);
    for (uint32_t i = 0; i < 4; ++i)
      atomic<float>(abi::AtomicAdd, &y[4 * tid() + i], 1, 2);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.atomicUpdates[1], 64u);
  EXPECT_EQ(result.atomicUpdates[2], 16u);
}

TEST(SimCounters, footprint_counts_sectors_once) {
  AlignedFloats x(64), y(64);
  LaunchConfig config = shape(5, 32);
  config.buffers.push_back({x + 0, 64 * sizeof(float), "x", true});
  config.buffers.push_back({y + 0, 64 * sizeof(float), "y"});
  config.checkGlobalRaces = false;
  LaunchResult result = run(config, [&] {
    float value = load<float>(x + tid(), 1);
    store<float>(y + (8 + tid() % 4), value, 2);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.readFootprint, 32u * sizeof(float));
  EXPECT_EQ(result.writtenFootprint, 32u);
}

TEST(SimCounters, instructions_of_a_block_are_counted_where_they_are) {
  std::vector<Site> sites(4);
  sites[0].block = {{1, abi::ClassInteger, 2}, {2, abi::ClassFloat, 3}, {1, abi::ClassMemory, 1}};
  LaunchConfig config = shape(2, 64);
  config.sites = &sites;
  LaunchResult result = run(config, [&] {
    for (uint32_t i = 0; i <= tid() % 2; ++i)
      tilec_sim_count(abi::ClassOther, 6, 0);
  });
  EXPECT_CLEAN(result, config);
  uint64_t runs = 2 * (32 + 64);
  EXPECT_EQ(result.blockRuns[0], runs);
  EXPECT_TRUE(result.siteCounters[0].empty());
  EXPECT_EQ(result.siteCounters[1].instructions[abi::ClassInteger], 2 * runs);
  EXPECT_EQ(result.siteCounters[1].instructions[abi::ClassMemory], runs);
  EXPECT_EQ(result.siteCounters[2].instructions[abi::ClassFloat], 3 * runs);
  EXPECT_EQ(result.totals.instructions[abi::ClassOther], 0u);
}

TEST(SimCounters, a_sample_of_clusters_is_spread_over_the_grid) {
  std::vector<uint32_t> x(100);
  LaunchConfig config = shape(100, 32);
  addBuffer(config, x, "x");
  config.sampledClusters = 4;
  LaunchResult result = run(config, [&] {
    if (tid() == 0)
      atomic<uint32_t>(abi::AtomicAdd, &x[cta()], 1, 1);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.clustersRun, 4u);
  for (uint32_t i = 0; i < 100; ++i)
    EXPECT_EQ(x[i], i == 12 || i == 37 || i == 62 || i == 87 ? 1u : 0u) << i;
}

TEST(SimCounters, a_sample_has_no_cluster_twice) {
  for (uint64_t sample : {1, 3, 7, 8, 20, 139}) {
    std::vector<uint32_t> x(140);
    LaunchConfig config = shape(7, 32);
    config.grid = {7, 5, 4};
    addBuffer(config, x, "x");
    config.sampledClusters = sample;
    LaunchResult result = run(config, [&] {
      uint32_t number =
          cta() + 7 * (uint32_t(tilec_sim_ctaid(1)) + 5 * uint32_t(tilec_sim_ctaid(2)));
      if (tid() == 0)
        atomic<uint32_t>(abi::AtomicAdd, &x[number], 1, 1);
    });
    EXPECT_CLEAN(result, config);
    EXPECT_EQ(std::count(x.begin(), x.end(), 1u), int64_t(sample));
    // As many at each x, up to one.
    for (size_t i = 0; i < 7; ++i) {
      uint64_t there = 0;
      for (size_t row = 0; row < 20; ++row)
        there += x[i + 7 * row];
      EXPECT_LE(there, (sample + 6) / 7);
    }
  }
}

TEST(SimCounters, span_of_the_loads_of_a_site) {
  AlignedFloats x(1024);
  LaunchConfig config = shape(4, 32);
  config.buffers.push_back({x + 0, 1024 * sizeof(float), "x", true});
  LaunchResult result = run(config, [&] {
    (void)load<float>(x + tid(), 1);
    (void)load<float>(x + (cta() * 256 + tid()), 2);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.loadSpans[1], 128u);
  EXPECT_EQ(result.loadSpans[2], (3 * 256 + 32) * sizeof(float));
  EXPECT_EQ(result.loadSpans[3], 0u);
}

TEST(SimCounters, loads_of_what_the_CTA_has_loaded) {
  AlignedFloats x(65536);
  LaunchConfig config = shape(2, 64);
  config.buffers.push_back({x + 0, 65536 * sizeof(float), "x", true});
  LaunchResult result = run(config, [&] {
    (void)load<float>(x + tid(), 1);
    tilec_sim_barrier(0, 0, 9);
    // The same by other warps, and what nobody had.
    (void)load<float>(x + (63 - tid()), 2);
    (void)load<float>(x + (64 + tid()), 3);
    // Much else in between.
    for (uint32_t i = 0; i < 1024; ++i)
      (void)load<float>(x + (64 * i + tid()), 4);
    (void)load<float>(x + tid(), 5);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.loadsAgain[1], 0u);
  EXPECT_EQ(result.loadsAgain[2], 2 * 8u);
  EXPECT_EQ(result.loadsAgain[3], 0u);
  EXPECT_EQ(result.loadsAgain[5], 0u);
}

TEST(SimCounters, a_request_of_the_middle_with_all_lanes_is_sampled) {
  AlignedFloats x(4096);
  LaunchConfig config = shape(5, 64);
  config.buffers.push_back({x + 0, 4096 * sizeof(float), "x", false});
  for (unsigned hostThreads : {1u, 3u}) {
    config.hostThreads = hostThreads;
    LaunchResult result = run(config, [&] {
      // Requests of a site come in this order: a part of the lanes, then all.
      (void)load<float>(x + (cta() * 64 + tid()), 1, tid() % 2 == 0);
      (void)load<float>(x + (512 + cta() * 64 + 2 * (tid() % 32)), 1);
      if (cta() == 4 && tid() >= 32)
        store(x + 1024 + 8 * (tid() - 32), 1.0f, 2, tid() != 40);
    });
    EXPECT_CLEAN(result, config);
    const SampledRequest &loaded = result.sampledRequests[1];
    EXPECT_EQ(loaded.kind, AccessKind::GlobalLoad);
    EXPECT_EQ(loaded.thread.cta[0], 2u);
    EXPECT_EQ(loaded.thread.thread, 0u);
    EXPECT_EQ(loaded.active, ~0u);
    EXPECT_EQ(loaded.buffer, "x");
    EXPECT_EQ(loaded.address[3] - loaded.bufferBegin, (512 + 2 * 64 + 2 * 3) * sizeof(float));
    EXPECT_EQ(loaded.bytes[3], 4u);
    const SampledRequest &stored = result.sampledRequests[2];
    EXPECT_EQ(stored.kind, AccessKind::GlobalStore);
    EXPECT_EQ(stored.thread.cta[0], 4u);
    EXPECT_EQ(stored.thread.warp(), 1u);
    EXPECT_EQ(stored.active, ~(1u << 8));
    EXPECT_EQ(stored.address[1] - stored.bufferBegin, (1024 + 8) * sizeof(float));
    EXPECT_EQ(result.sampledRequests[3].kind, AccessKind::None);
  }
}

TEST(SimCounters, neighbouring_atomics_are_one_update) {
  alignas(32) static std::array<uint32_t, 1024> x;
  LaunchConfig config = shape(1, 64);
  config.buffers.push_back({x.data(), sizeof x, "x", false});
  auto add = [&](uint32_t index, int32_t site) {
    atomic<uint32_t>(abi::AtomicAdd, &x[index], 1, site);
  };
  LaunchResult result = run(config, [&] {
    add(tid(), 1);
    add(tid() * 8, 2);
    add(0, 3);
    add(tid() / 2, 4);
    if (tid() < 8)
      add(tid(), 5);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.atomicUpdates[1], 8u);
  EXPECT_EQ(result.atomicUpdates[2], 64u);
  EXPECT_EQ(result.atomicUpdates[3], 64u);
  EXPECT_EQ(result.atomicUpdates[4], 8u);
  EXPECT_EQ(result.atomicUpdates[5], 1u);
  EXPECT_EQ(result.siteCounters[1].globalAtomics, 64u);
}

TEST(SimCounters, unknown_sites_have_their_own_place) {
  std::vector<float> x(32);
  LaunchConfig config = shape(1, 32);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    load(&x[tid()], -1);
    load(&x[tid()], 100);
  });
  EXPECT_EQ(result.siteCounters.size(), 101u);
  EXPECT_EQ(result.siteCounters[100].globalLoadRequests, 2u);
}

} // namespace
} // namespace tilecrt::sim::test
