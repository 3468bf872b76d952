// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of several CTAs: where a CTA is, shared memory of others, the cluster barrier, remote
// arrivals, multicast and copies between CTAs, all of it clean.
#include "ClusterKernel.h"
#include "tilecrt/sim/TensorMap.h"

namespace tilecrt::sim::test {
namespace {

constexpr uint32_t mbar = 4096;

struct alignas(64) Line {
  std::array<uint32_t, 16> words = {};
};

std::vector<Line> numbered(size_t bytes) {
  std::vector<Line> lines(bytes / sizeof(Line));
  for (size_t i = 0; i < bytes / 4; ++i)
    lines[i / 16].words[i % 16] = static_cast<uint32_t>(i * 7 + 3);
  return lines;
}

TEST(SimCluster, positions) {
  LaunchConfig config = shape(1, 32);
  config.grid = {4, 6, 2};
  config.cluster = {2, 3, 2};
  std::vector<std::array<int32_t, 3>> at(48 * 5);
  LaunchResult result = run(config, [&] {
    if (tid() != 0)
      return;
    size_t number =
        static_cast<size_t>(tilec_sim_ctaid(0)) +
        4 * (static_cast<size_t>(tilec_sim_ctaid(1)) + 6 * static_cast<size_t>(tilec_sim_ctaid(2)));
    for (int32_t axis = 0; axis < 3; ++axis) {
      size_t a = static_cast<size_t>(axis);
      at[number][a] = tilec_sim_cluster_ctaid(axis);
      at[48 + number][a] = tilec_sim_clusterid(axis);
      at[96 + number][a] = tilec_sim_cluster_nctaid(axis);
      at[144 + number][a] = tilec_sim_nclusterid(axis);
    }
    at[192 + number] = {tilec_sim_cluster_ctarank(), tilec_sim_cluster_nctarank(), 1};
  });
  EXPECT_CLEAN(result, config);
  for (int32_t z = 0; z < 2; ++z)
    for (int32_t y = 0; y < 6; ++y)
      for (int32_t x = 0; x < 4; ++x) {
        size_t n = static_cast<size_t>(x + 4 * (y + 6 * z));
        EXPECT_EQ(at[n], (std::array<int32_t, 3>{x % 2, y % 3, z % 2}));
        EXPECT_EQ(at[48 + n], (std::array<int32_t, 3>{x / 2, y / 3, z / 2}));
        EXPECT_EQ(at[96 + n], (std::array<int32_t, 3>{2, 3, 2}));
        EXPECT_EQ(at[144 + n], (std::array<int32_t, 3>{2, 2, 1}));
        EXPECT_EQ(at[192 + n], (std::array<int32_t, 3>{x % 2 + 2 * (y % 3) + 6 * (z % 2), 12, 1}));
      }
}

TEST(SimCluster, one_cta_is_a_cluster) {
  LaunchConfig config = shape(3, 64, 1024);
  LaunchResult result = run(config, [&] {
    EXPECT_EQ(tilec_sim_cluster_ctarank(), 0);
    EXPECT_EQ(tilec_sim_cluster_nctarank(), 1);
    EXPECT_EQ(tilec_sim_clusterid(0), static_cast<int32_t>(cta()));
    EXPECT_EQ(tilec_sim_nclusterid(0), 3);
    sharedStore(tid() * 4, tid(), 1);
    clusterBarrier(2);
    EXPECT_EQ(remoteLoad<uint32_t>(mapTo((63 - tid()) * 4, 0, 3), 3), 63 - tid());
    EXPECT_EQ(remoteLoad<uint32_t>(tid() * 4, 4), tid()); // An offset is the own CTA's.
  });
  EXPECT_CLEAN(result, config);
}

TEST(SimCluster, findings_name_the_program_of_several_ctas) {
  LaunchConfig config = clusterShape(2, 32, 0, 3);
  config.programCtas = 2;
  std::vector<uint32_t> data(5), programs(6);
  addBuffer(config, data, "data");
  LaunchResult result = run(config, [&] {
    if (tid() != 0)
      return;
    programs[cta()] = static_cast<uint32_t>(tilec_sim_program(0));
    store(data.data() + cta(), cta(), 1);
  });
  EXPECT_EQ(programs, (std::vector<uint32_t>{0, 0, 1, 1, 2, 2}));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].thread.cta, (std::array<uint32_t, 3>{2, 0, 0}));
  // Both CTAs of each program write the same place.
  std::vector<uint32_t> shared(1);
  config.buffers.clear();
  addBuffer(config, shared, "shared");
  result = run(config, [&] { store(shared.data(), cta(), 1, tid() == 0); });
  ASSERT_FALSE(result.findings.empty());
  for (const Finding &finding : result.findings) {
    EXPECT_LT(finding.thread.cta[0], 3u);
    EXPECT_LT(finding.otherThread.cta[0], 3u);
  }
  config.programCtas = 4;
  EXPECT_EQ(run(config, [] {}).error, "grid of 6 CTAs in x, not a multiple of the 4 of a program");
}

TEST(SimCluster, sizes_that_are_refused) {
  auto errorOf = [](std::array<uint32_t, 3> grid, std::array<uint32_t, 3> cluster) {
    LaunchConfig config = shape(1, 32);
    config.grid = grid;
    config.cluster = cluster;
    LaunchResult result = run(config, [] {});
    EXPECT_EQ(result.status == LaunchStatus::Invalid, !result.error.empty());
    return result.error;
  };
  EXPECT_EQ(errorOf({16, 1, 1}, {16, 1, 1}), "");
  EXPECT_EQ(errorOf({7, 1, 1}, {2, 1, 1}),
            "grid of 7 x 1 x 1 CTAs, not a multiple of the cluster 2 x 1 x 1");
  EXPECT_EQ(errorOf({8, 4, 1}, {8, 4, 1}), "cluster of 32 CTAs, expected at most 16");
  EXPECT_EQ(errorOf({8, 4, 1}, {0, 4, 1}),
            "cluster of 0 x 4 x 1 CTAs, expected 1 to 16 in each dimension");
}

TEST(SimCluster, shared_memory_of_neighbours) {
  for (uint32_t ctas : {2u, 4u, 16u}) {
    // The last warp is not whole.
    constexpr uint32_t threads = 80;
    LaunchConfig config = clusterShape(ctas, threads, threads * 4 + 16, 3);
    std::vector<uint32_t> out(ctas * 3 * threads);
    addBuffer(config, out, "out");
    LaunchResult result = run(config, [&] {
      sharedStore(tid() * 4, rank() * 1000 + tid(), 1);
      if (tid() == 0)
        sharedStore<uint32_t>(threads * 4, 0, 2);
      clusterBarrier(3);
      uint32_t next = (rank() + 1) % ctas;
      uint32_t value = remoteLoad<uint32_t>(mapTo((threads - 1 - tid()) * 4, next, 4), 4);
      uint32_t one = 1, counter = mapTo(threads * 4, next, 5);
      tilec_sim_atomic(abi::AtomicAdd, abi::AtomicI32, abi::SpaceSharedCluster, counter, &one,
                       nullptr, nullptr, abi::OrderRelaxed, 1, 5);
      clusterBarrier(6);
      remoteStore(mapTo(tid() * 4, next, 7), value + sharedLoad<uint32_t>(threads * 4, 8), 7);
      clusterBarrier(9);
      store(&out[globalId()], sharedLoad<uint32_t>(tid() * 4, 10), 11);
    });
    EXPECT_CLEAN(result, config);
    for (uint32_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i / threads % ctas * 1000 + threads - 1 - i % threads + threads) << i;
    EXPECT_EQ(result.totals.barriers, ctas * 3 * 3 * 3);
  }
}

TEST(SimCluster, shared_memory_without_checking) {
  LaunchConfig config = clusterShape(2, 32, 128);
  config.check = false;
  std::vector<uint32_t> out(64);
  addBuffer(config, out, "out");
  LaunchResult result = run(config, [&] {
    sharedStore(tid() * 4, rank() * 100 + tid(), 1);
    clusterBarrier(2);
    store(&out[globalId()], remoteLoad<uint32_t>(mapTo(tid() * 4, 1 - rank(), 3), 3), 4);
    clusterBarrier(5);
  });
  EXPECT_CLEAN(result, config);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], (1 - i / 32) * 100 + i % 32);
}

TEST(SimCluster, arrival_and_wait_apart) {
  LaunchConfig config = clusterShape(2, 64, 1024);
  LaunchResult result = run(config, [&] {
    for (uint32_t turn = 0; turn < 5; ++turn) {
      sharedStore(tid() * 4, turn * 100 + rank() * 10 + tid(), 1);
      tilec_sim_cluster_arrive(0, 2);
      sharedStore(512 + tid() * 4, turn, 3); // Nobody else reads it.
      tilec_sim_cluster_wait(4);
      EXPECT_EQ(remoteLoad<uint32_t>(mapTo(tid() * 4, 1 - rank(), 5), 6),
                turn * 100 + (1 - rank()) * 10 + tid());
      clusterBarrier(7);
    }
  });
  EXPECT_CLEAN(result, config);
}

TEST(SimCluster, threads_that_have_ended_do_not_count) {
  LaunchConfig config = clusterShape(4, 96, 1024);
  LaunchResult result = run(config, [&] {
    if (rank() == 3 || (rank() == 1 && tid() >= 32 && tid() < 64) || (rank() == 2 && tid() == 5))
      return;
    sharedStore(tid() * 4, rank(), 1);
    clusterBarrier(2);
    if (rank() == 0)
      EXPECT_EQ(remoteLoad<uint32_t>(mapTo(0, 2, 3), 3), 2u);
    clusterBarrier(4);
  });
  EXPECT_CLEAN(result, config);
}

TEST(SimCluster, barriers_and_warps_of_a_cta_are_its_own) {
  LaunchConfig config = clusterShape(2, 128, 4096);
  std::vector<uint32_t> out(256);
  addBuffer(config, out, "out");
  LaunchResult result = run(config, [&] {
    EXPECT_EQ(tilec_sim_warpid(), static_cast<int32_t>(tid() / 32));
    // The CTAs do a different number of turns.
    for (uint32_t turn = 0; turn < 3 + 2 * rank(); ++turn) {
      sharedStore(tid() * 4, turn + tid(), 1);
      tilec_sim_barrier(0, 0, 2);
      sharedLoad<uint32_t>((127 - tid()) * 4, 3);
      if (tid() < 64)
        tilec_sim_barrier(1, 64, 4);
      tilec_sim_barrier(0, 0, 5);
    }
    uint32_t words[1] = {};
    tilec_sim_barrier(0, 0, 6);
    std::memcpy(words, static_cast<char *>(tilec_sim_shared_base()) + tid() * 4, 4);
    store(&out[globalId()], words[0], 7);
  });
  EXPECT_CLEAN(result, config);
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(out[i], 2 + 2 * (i / 128) + i % 128);
}

TEST(SimCluster, arrivals_at_another_cta) {
  LaunchConfig config = clusterShape(2, 64, 8192);
  LaunchResult result = run(config, [&] {
    makeObject(mbar, 33, 1); // A warp of the other CTA, and one that expects bytes.
    clusterBarrier(2, /*isRelaxed=*/true);
    if (tid() < 32) {
      uint32_t other = 1 - rank();
      remoteStore(mapTo(tid() * 4, other, 3), rank() * 100 + tid(), 3);
      arriveAt(mapTo(mbar, other, 4), 4);
      if (tid() == 0)
        arriveAt(mapTo(mbar, other, 5), 5, 64);
      if (tid() == 1)
        tilec_sim_mbarrier_tx(mapTo(mbar, other, 6), -64, 6);
    } else {
      waitParity(mbar, 0, 7);
      EXPECT_EQ(sharedLoad<uint32_t>((tid() - 32) * 4, 8), (1 - rank()) * 100 + tid() - 32);
    }
    clusterBarrier(9);
  });
  EXPECT_CLEAN(result, config);
}

TEST(SimCluster, multicast_of_pieces) {
  for (uint32_t ctas : {2u, 4u}) {
    for (uint32_t mask : {(1u << ctas) - 1, 2u, 3u}) {
      std::vector<Line> x = numbered(1024);
      LaunchConfig config = clusterShape(ctas, 64, 8192, 2);
      addBuffer(config, x, "x");
      uint32_t copies = 0;
      for (uint32_t r = 0; r < ctas; ++r)
        copies += mask >> r & 1;
      LaunchResult result = run(config, [&] {
        makeObject(mbar, 1, 1);
        clusterBarrier(2);
        bool isTarget = mask >> rank() & 1;
        if (tid() == 0 && isTarget)
          arriveAt(mbar, 3, 1024);
        if (tid() == 32 && rank() == 1)
          tilec_sim_bulk_multicast(512, x.data(), 1024, mbar, static_cast<int32_t>(mask), 1, 4);
        if (!isTarget)
          return;
        waitParity(mbar, 0, 5);
        for (uint32_t i = tid(); i < 256; i += 64)
          EXPECT_EQ(sharedLoad<uint32_t>(512 + i * 4, 6), i * 7 + 3);
      });
      EXPECT_CLEAN(result, config);
      EXPECT_EQ(result.totals.bulkLoads, 2u);
      EXPECT_EQ(result.totals.bulkLoadBytes, 2u * copies * 1024);
    }
  }
}

TEST(SimCluster, multicast_of_a_tensor_box) {
  std::vector<Line> x = numbered(4096);
  TensorMapFields fields;
  fields.type = TensorMapType::U32;
  fields.rank = 2;
  fields.address = reinterpret_cast<uint64_t>(x.data());
  fields.dims = {32, 32};
  fields.strides = {128};
  fields.box = {32, 8};
  fields.swizzle = TensorMapSwizzle::Bytes128;
  TensorMap map;
  ASSERT_EQ(encodeTensorMap(fields, map), "");
  LaunchConfig config = clusterShape(4, 32, 8192);
  addBuffer(config, x, "x");
  // Each CTA loads a quarter and gives it to all.
  LaunchResult result = run(config, [&] {
    makeObject(mbar, 1, 1);
    clusterBarrier(2, /*isRelaxed=*/true);
    if (tid() == 0) {
      arriveAt(mbar, 3, 4096);
      int32_t coords[] = {0, static_cast<int32_t>(rank()) * 8};
      tilec_sim_tensor_multicast(rank() * 1024, &map, 2, coords, mbar, 15, 1, 4);
      tilec_sim_tensor_multicast(0, &map, 2, coords, mbar, 15, 0, 5);
    }
    waitParity(mbar, 0, 6);
    for (uint32_t row = 0; row < 32; ++row) {
      uint32_t place = row * 128 + (tid() / 4 ^ row % 8) * 16 + tid() % 4 * 4;
      EXPECT_EQ(sharedLoad<uint32_t>(place, 7), (row * 32 + tid()) * 7 + 3);
    }
  });
  EXPECT_CLEAN(result, config);
}

TEST(SimCluster, copies_to_another_cta) {
  std::vector<Line> x = numbered(1024);
  LaunchConfig config = clusterShape(2, 64, 8192);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    makeObject(mbar, 1, 1);
    sharedStore(tid() * 4, rank() * 100 + tid(), 2);
    tilec_sim_fence_proxy(abi::FenceProxyAsync, 3);
    clusterBarrier(4);
    uint32_t other = 1 - rank();
    if (tid() == 0) {
      arriveAt(mbar, 5, 256 + 1024);
      tilec_sim_bulk_shared(mapTo(1024, other, 6), 0, 256, mapTo(mbar, other, 6), 6);
      // And one from global memory to one other CTA.
      tilec_sim_bulk_load(mapTo(2048, other, 7), x.data(), 1024, mapTo(mbar, other, 7), 1, 7);
    }
    waitParity(mbar, 0, 8);
    EXPECT_EQ(sharedLoad<uint32_t>(1024 + tid() * 4, 9), other * 100 + tid());
    EXPECT_EQ(sharedLoad<uint32_t>(2048 + tid() * 4, 10), tid() * 7 + 3);
    clusterBarrier(11);
  });
  EXPECT_CLEAN(result, config);
}

TEST(SimCluster, order_of_global_memory) {
  for (int how : {0, 1, 2}) {
    std::vector<uint32_t> x(64), flag(1);
    LaunchConfig config = clusterShape(2, 64, 64, 2);
    config.grid = {2, 1, 1};
    addBuffer(config, x, "x");
    addBuffer(config, flag, "flag");
    LaunchResult result = run(config, [&] {
      if (rank() == 0)
        store(&x[tid()], tid(), 1);
      if (how == 1)
        clusterBarrier(2);
      if (how == 2) {
        tilec_sim_barrier(0, 0, 3);
        if (tid() == 0 && rank() == 0)
          atomic<uint32_t>(abi::AtomicStore, &flag[0], 1, 4, abi::OrderRelease);
        while (tid() == 0 && rank() == 1 &&
               atomic<uint32_t>(abi::AtomicLoad, &flag[0], 0, 5, abi::OrderAcquire) == 0) {
        }
        tilec_sim_barrier(0, 0, 6);
      }
      if (rank() == 1)
        load(&x[63 - tid()], 7);
    });
    if (how != 0) {
      EXPECT_CLEAN(result, config);
      continue;
    }
    const Finding *race = find(result, FindingKind::GlobalRaceReadWrite);
    ASSERT_TRUE(race) << describe(result, config);
    EXPECT_EQ(race->thread.cta[0], 1u);
    EXPECT_EQ(race->otherThread.cta[0], 0u);
    EXPECT_EQ(race->otherThread.thread, 63 - race->thread.thread);
    EXPECT_NE(race->message.find("by different CTAs"), std::string::npos) << race->message;
  }
}

// A race between clusters names the CTA and not the cluster.
TEST(SimCluster, global_races_between_clusters) {
  std::vector<uint32_t> x(64);
  LaunchConfig config = clusterShape(2, 32, 0, 3);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    if (cta() == 3)
      store(&x[tid()], tid(), 1);
    if (cta() == 4)
      load(&x[tid()], 2);
  });
  const Finding *race = find(result, FindingKind::GlobalRaceReadWrite);
  ASSERT_TRUE(race) << describe(result, config);
  EXPECT_EQ(race->thread.cta[0], 4u);
  EXPECT_EQ(race->otherThread.cta[0], 3u);
}

TEST(SimCluster, lines_are_printed_by_cta) {
  LaunchConfig config = clusterShape(2, 1, 0, 2);
  LaunchResult result = run(config, [] {
    for (uint32_t i = 0; i < 2; ++i) {
      tilec_sim_print("", abi::PrintU64, cta() * 10 + i, 1);
      clusterBarrier(2);
    }
  });
  ASSERT_EQ(result.printed.size(), 8u);
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(result.printed[i].text, std::to_string(i / 2 * 10 + i % 2));
    EXPECT_EQ(result.printed[i].thread.cta[0], i / 2);
  }
}

} // namespace
} // namespace tilecrt::sim::test
