// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes that only clusters of several CTAs can make, and what is said about them.
#include "ClusterKernel.h"

namespace tilecrt::sim::test {
namespace {

constexpr uint32_t mbar = 4096;

struct alignas(16) Piece {
  std::array<uint32_t, 64> words = {};
};

/// The finding of a kind at a site; null and a failure when there is none.
const Finding *findAt(const LaunchResult &result, const LaunchConfig &config, FindingKind kind,
                      int32_t site, int32_t otherSite = -1) {
  for (const Finding &finding : result.findings)
    if (finding.kind == kind && finding.site == site && finding.otherSite == otherSite)
      return &finding;
  ADD_FAILURE() << "no " << findingKindName(kind) << " at " << site << " against " << otherSite
                << ":" << describe(result, config);
  return nullptr;
}

TEST(SimClusterMistake, another_cta_that_may_not_have_begun) {
  LaunchConfig config = clusterShape(2, 32, 1024);
  LaunchResult result = run(config, [] {
    if (rank() == 1)
      remoteStore(mapTo(tid() * 4, 0, 1), tid(), 1);
    clusterBarrier(2);
  });
  const Finding *finding = findAt(result, config, FindingKind::CtaNotRunning, 1);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->thread.cta[0], 1u);
  EXPECT_EQ(finding->message,
            "shared store in the shared memory of CTA 0 of the cluster, which may "
            "not have begun: no cluster barrier before");
}

TEST(SimClusterMistake, another_cta_that_may_have_ended) {
  // Whoever runs first here.
  for (uint32_t visitor : {0u, 1u}) {
    LaunchConfig config = clusterShape(2, 32, 1024);
    LaunchResult result = run(config, [&] {
      clusterBarrier(1);
      if (rank() == visitor)
        remoteStore(mapTo(tid() * 4, 1 - visitor, 2), tid(), 2);
    });
    const Finding *finding = findAt(result, config, FindingKind::CtaNotRunning, 2, 1);
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->thread.cta[0], visitor);
    EXPECT_EQ(finding->otherThread.cta[0], 1 - visitor);
  }
}

TEST(SimClusterMistake, arrivals_that_the_other_cta_does_not_wait_for) {
  for (bool waits : {false, true}) {
    LaunchConfig config = clusterShape(2, 32, 8192);
    LaunchResult result = run(config, [&] {
      makeObject(mbar, 32, 1);
      clusterBarrier(2);
      arriveAt(mapTo(mbar, 1 - rank(), 3), 3);
      if (waits)
        waitParity(mbar, 0, 4);
    });
    if (waits) {
      EXPECT_CLEAN(result, config); // No barrier is needed then.
      continue;
    }
    EXPECT_EQ(result.findings.front().kind, FindingKind::CtaNotRunning);
    EXPECT_EQ(result.findings.front().site, 3);
  }
}

TEST(SimClusterMistake, a_copy_to_a_cta_that_ends) {
  std::vector<Piece> x(1);
  LaunchConfig config = clusterShape(2, 32, 8192);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    makeObject(mbar, 1, 1);
    clusterBarrier(2);
    if (tid() != 0 || rank() != 1)
      return;
    arriveAt(mbar, 3, 256);
    tilec_sim_bulk_multicast(0, x.data(), 256, mbar, 3, 1, 4);
    waitParity(mbar, 0, 5);
  });
  const Finding *finding = findAt(result, config, FindingKind::AsyncUnfinished, 4);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->message,
            "the CTA has ended while a bulk copy to the shared memory of CTA 0 of "
            "the cluster is in flight");
  // Issued after the end: CTA 1 is the last at the barrier and goes on first.
  result = run(config, [&] {
    makeObject(mbar, 1, 1);
    clusterBarrier(2);
    if (tid() != 0 || rank() != 0)
      return;
    tilec_sim_bulk_load(mapTo(0, 1, 3), x.data(), 256, mapTo(mbar, 1, 3), 1, 3);
  });
  EXPECT_TRUE(findAt(result, config, FindingKind::CtaNotRunning, 3, 2));
}

TEST(SimClusterMistake, the_source_of_a_copy_to_another_cta) {
  for (bool overwrites : {false, true}) {
    LaunchConfig config = clusterShape(2, 64, 8192);
    LaunchResult result = run(config, [&] {
      makeObject(mbar, 1, 1);
      sharedStore(tid() * 4, tid(), 2);
      tilec_sim_fence_proxy(abi::FenceProxyAsync, 3);
      clusterBarrier(4);
      if (rank() == 0 && tid() == 0)
        tilec_sim_bulk_shared(mapTo(1024, 1, 5), 0, 256, mapTo(mbar, 1, 5), 5);
      if (rank() == 0 && overwrites) {
        tilec_sim_barrier(0, 0, 6);
        sharedStore(tid() * 4, 0, 7);
      }
      if (rank() == 1 && tid() == 0) {
        arriveAt(mbar, 8, 256);
        waitParity(mbar, 0, 9);
      }
      if (overwrites)
        clusterBarrier(10);
    });
    // Without the last barrier the source's CTA ends too early.
    if (overwrites)
      EXPECT_TRUE(findAt(result, config, FindingKind::AsyncOverwrite, 7, 5));
    else
      EXPECT_TRUE(findAt(result, config, FindingKind::AsyncUnfinished, 5));
  }
}

TEST(SimClusterMistake, the_wait_for_a_store_says_nothing_of_a_copy_to_another_cta) {
  std::vector<Piece> y(1);
  for (bool isRelaxed : {false, true}) {
    LaunchConfig config = clusterShape(2, 64, 8192);
    addBuffer(config, y, "y");
    LaunchResult result = run(config, [&] {
      makeObject(mbar, 1, 1);
      sharedStore(tid() * 4, tid(), 2);
      tilec_sim_fence_proxy(abi::FenceProxyAsync, 3);
      clusterBarrier(4);
      if (rank() == 0 && tid() == 0)
        tilec_sim_bulk_shared(mapTo(1024, 1, 5), 0, 256, mapTo(mbar, 1, 5), 5);
      if (rank() == 1 && tid() == 0) {
        arriveAt(mbar, 6, 256);
        waitParity(mbar, 0, 7);
      }
      clusterBarrier(8, isRelaxed);
      // The copy has landed; CTA 0 knows of it if the barrier orders memory.
      if (rank() == 0 && tid() == 0) {
        tilec_sim_bulk_store(y.data(), 0, 256, 0xffff, 1, 9);
        tilec_sim_bulk_commit(10);
        tilec_sim_bulk_wait(0, 0, 11);
      }
      if (rank() == 0) {
        tilec_sim_barrier(0, 0, 12);
        sharedStore(tid() * 4, 0, 13);
      }
      clusterBarrier(14);
    });
    if (isRelaxed)
      EXPECT_TRUE(findAt(result, config, FindingKind::SharedRaceWAR, 13, 5));
    else
      EXPECT_CLEAN(result, config);
  }
}

TEST(SimClusterMistake, objects_that_are_not_published) {
  // Nobody has initialised it yet.
  LaunchConfig config = clusterShape(2, 32, 8192);
  LaunchResult result = run(config, [] {
    if (rank() == 0 && tid() == 0)
      arriveAt(mapTo(mbar, 1, 1), 1);
    makeObject(mbar, 1, 2);
    clusterBarrier(3);
  });
  const Finding *invalid = findAt(result, config, FindingKind::InvalidMbarrier, 1);
  ASSERT_TRUE(invalid);
  EXPECT_EQ(invalid->message, "mbarrier.arrive at offset 4096 of CTA 1 of the cluster, where no "
                              "barrier object has been initialised");
  // It is there by luck.
  result = run(config, [] {
    makeObject(mbar, 1, 1);
    tilec_sim_barrier(0, 0, 2);
    if (rank() == 1 && tid() == 0)
      arriveAt(mapTo(mbar, 0, 3), 3);
    clusterBarrier(4);
  });
  const Finding *race = findAt(result, config, FindingKind::SharedRaceRAW, 3, 1);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->message,
            "mbarrier.arrive: the barrier object at offset 4096 of CTA 0 of the cluster was "
            "initialised by thread 0 of CTA 0 of the cluster, with no cluster barrier between");
  // A barrier that orders nothing needs the fence.
  for (bool fence : {false, true}) {
    result = run(config, [&] {
      if (tid() == 0)
        tilec_sim_mbarrier_init(mbar, 1, 1, 1);
      if (tid() == 0 && fence)
        tilec_sim_fence_proxy(abi::FenceMbarrierInit, 2);
      clusterBarrier(3, /*isRelaxed=*/true);
      if (rank() == 1 && tid() == 0)
        arriveAt(mapTo(mbar, 0, 4), 4);
      clusterBarrier(5);
    });
    if (fence)
      EXPECT_CLEAN(result, config);
    else
      EXPECT_TRUE(findAt(result, config, FindingKind::SharedRaceRAW, 4, 1));
  }
}

TEST(SimClusterMistake, multicast_with_an_object_that_is_not_fenced) {
  std::vector<Piece> x(1);
  LaunchConfig config = clusterShape(2, 32, 8192);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    if (tid() == 0) {
      tilec_sim_mbarrier_init(mbar, 1, 1, 1);
      if (rank() == 0)
        tilec_sim_fence_proxy(abi::FenceMbarrierInit, 2);
    }
    clusterBarrier(3);
    if (tid() == 0)
      arriveAt(mbar, 4, 256);
    if (tid() == 0 && rank() == 0)
      tilec_sim_bulk_multicast(0, x.data(), 256, mbar, 3, 1, 5);
    waitParity(mbar, 0, 6);
  });
  const Finding *missing = findAt(result, config, FindingKind::ProxyFenceMissing, 5, 1);
  ASSERT_TRUE(missing);
  EXPECT_NE(missing->message.find("of CTA 1 of the cluster"), std::string::npos)
      << missing->message;
}

TEST(SimClusterMistake, multicast_over_what_another_cta_reads) {
  std::vector<Piece> x(1);
  for (bool waits : {false, true}) {
    LaunchConfig config = clusterShape(2, 64, 8192);
    addBuffer(config, x, "x");
    LaunchResult result = run(config, [&] {
      makeObject(mbar, 1, 1);
      makeObject(mbar + 8, 64, 1);
      sharedStore(tid() * 4, tid(), 2);
      tilec_sim_fence_proxy(abi::FenceProxyAsync, 3);
      clusterBarrier(4);
      if (rank() == 1) {
        sharedLoad<uint32_t>((63 - tid()) * 4, 5);
        tilec_sim_fence_proxy(abi::FenceProxyAsync, 6);
        arriveAt(mapTo(mbar + 8, 0, 7), 7);
      }
      if (rank() == 0 && waits)
        waitParity(mbar + 8, 0, 8);
      if (tid() == 0)
        arriveAt(mbar, 9, 256);
      if (rank() == 0 && tid() == 0)
        tilec_sim_bulk_multicast(0, x.data(), 256, mbar, 3, 1, 10);
      waitParity(mbar, 0, 11);
      clusterBarrier(12);
    });
    if (waits) {
      EXPECT_CLEAN(result, config);
      continue;
    }
    // CTA 0 runs first: the copy is under way when CTA 1 reads.
    const Finding *early = findAt(result, config, FindingKind::AsyncReadEarly, 5, 10);
    ASSERT_TRUE(early);
    EXPECT_EQ(early->thread.cta[0], 1u);
    EXPECT_EQ(early->otherThread.cta[0], 0u);
    EXPECT_NE(early->message.find("of thread 0 of CTA 0 of the cluster has yet to write"),
              std::string::npos)
        << early->message;
  }
}

TEST(SimClusterMistake, races_in_memory_of_another_cta) {
  // They meet at barriers of their own CTAs only, at one that orders nothing, or as they must.
  for (int how : {0, 1, 2}) {
    LaunchConfig config = clusterShape(2, 64, 1024);
    LaunchResult result = run(config, [&] {
      clusterBarrier(1);
      sharedStore(tid() * 4, tid(), 2);
      if (how == 0)
        tilec_sim_barrier(0, 0, 3);
      else
        clusterBarrier(3, /*isRelaxed=*/how == 1);
      remoteLoad<uint32_t>(mapTo(tid() * 4, 1 - rank(), 4), 4);
      clusterBarrier(5);
    });
    if (how == 2) {
      EXPECT_CLEAN(result, config);
      continue;
    }
    const Finding *race = find(result, FindingKind::SharedRaceRAW);
    if (!race)
      race = find(result, FindingKind::SharedRaceWAR); // The reader came first.
    ASSERT_TRUE(race) << describe(result, config);
    EXPECT_EQ(race->site + race->otherSite, 6);
    EXPECT_NE(race->thread.cta[0], race->otherThread.cta[0]);
  }
}

TEST(SimClusterMistake, deadlocks_name_the_cta) {
  LaunchConfig config = clusterShape(2, 64, 8192);
  LaunchResult result = run(config, [] {
    makeObject(mbar, 65, 1);
    clusterBarrier(2);
    if (rank() == 0)
      arriveAt(mapTo(mbar, 1, 3), 3);
    else
      waitParity(mbar, 0, 4);
    clusterBarrier(5);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  EXPECT_EQ(result.error, "2 of 2 CTAs were stopped before their end");
  const Finding *deadlock = findAt(result, config, FindingKind::Deadlock, 4, 5);
  ASSERT_TRUE(deadlock);
  EXPECT_EQ(deadlock->thread.cta[0], 1u);
  EXPECT_EQ(
      deadlock->message,
      "waits for a phase of the barrier object at offset 4096 of CTA 1 of the cluster (for 65 "
      "arrivals, in phase 0) that does not complete: 1 arrivals and 0 bytes are missing; "
      "thread 0 of CTA 0 of the cluster waits elsewhere");
  // Each waits for the other.
  result = run(config, [] {
    makeObject(mbar, 64, 1);
    clusterBarrier(2);
    waitParity(mbar, 0, 3);
    arriveAt(mapTo(mbar, 1 - rank(), 4), 4);
    clusterBarrier(5);
  });
  deadlock = findAt(result, config, FindingKind::Deadlock, 3, 3);
  ASSERT_TRUE(deadlock);
  EXPECT_NE(
      deadlock->message.find("thread 0 of CTA 1 of the cluster waits at the barrier object at "
                             "offset 4096 of CTA 1 of the cluster"),
      std::string::npos)
      << deadlock->message;
  // A barrier of one CTA, while the rest is at that of the cluster.
  result = run(config, [] {
    if (rank() == 1 && tid() < 32)
      tilec_sim_barrier(1, 64, 1);
    clusterBarrier(2);
  });
  deadlock = findAt(result, config, FindingKind::Deadlock, 1, 2);
  ASSERT_TRUE(deadlock);
  EXPECT_EQ(deadlock->message,
            "barrier 1 waits for 64 threads, but only 32 can arrive; others wait "
            "at the cluster barrier");
}

TEST(SimClusterMistake, operands_and_turns_that_do_not_exist) {
  std::vector<Piece> x(1);
  LaunchConfig config = clusterShape(2, 32, 8192);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    makeObject(mbar, 1, 1);
    clusterBarrier(2);
    if (tid() == 0 && rank() == 0) {
      mapTo(0, 2, 3);
      remoteLoad<uint32_t>(abi::mapShared(0, 2), 4);
      remoteLoad<uint32_t>(abi::mapShared(8192, 1), 5);
      remoteLoad<uint32_t>(abi::mapShared(6, 1), 6);
      sharedLoad<uint32_t>(abi::mapShared(0, 1), 7); // A load of the own CTA's memory.
      waitParity(abi::mapShared(mbar, 1), 0, 8);     // So is a wait.
      tilec_sim_bulk_multicast(0, x.data(), 256, mbar, 4, 1, 9);
      tilec_sim_bulk_load(abi::mapShared(0, 1), x.data(), 256, mbar, 1, 10);
      tilec_sim_bulk_shared(abi::mapShared(0, 1), 8, 256, abi::mapShared(mbar, 1), 11);
      tilec_sim_bulk_shared(abi::mapShared(0, 1), 8192, 256, abi::mapShared(mbar, 1), 12);
    }
    tilec_sim_cluster_arrive(0, 13);
    tilec_sim_cluster_arrive(0, 14);
    tilec_sim_cluster_wait(15);
    tilec_sim_cluster_wait(16);
  });
  const std::pair<FindingKind, int32_t> expected[] = {
      {FindingKind::InvalidOperation, 3},  {FindingKind::OutOfWindowShared, 4},
      {FindingKind::OutOfWindowShared, 5}, {FindingKind::MisalignedAccess, 6},
      {FindingKind::OutOfWindowShared, 7}, {FindingKind::InvalidMbarrier, 8},
      {FindingKind::InvalidOperation, 9},  {FindingKind::InvalidMbarrier, 10},
      {FindingKind::MisalignedAccess, 11}, {FindingKind::OutOfWindowShared, 12},
      {FindingKind::InvalidOperation, 14}, {FindingKind::InvalidOperation, 16},
  };
  for (const auto &[kind, site] : expected)
    findAt(result, config, kind, site);
  EXPECT_EQ(result.findings.size(), std::size(expected)) << describe(result, config);
}

TEST(SimClusterMistake, a_race_behind_many_barriers_of_one_cta) {
  std::vector<uint32_t> x(1);
  LaunchConfig config = clusterShape(2, 64);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    if (rank() == 0 && tid() == 0)
      store(&x[0], 1u, 1);
    for (int i = 0; i < 10000 && rank() == 0; ++i)
      tilec_sim_barrier(0, 0, 2);
    // CTA 0 knows of the store, CTA 1 does not.
    if (tid() == 32)
      load(&x[0], rank() == 0 ? 3 : 4);
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_TRUE(findAt(result, config, FindingKind::GlobalRaceReadWrite, 4, 1));
}

TEST(SimClusterMistake, waiting_for_ever_for_threads_of_one_cta_that_exit) {
  LaunchConfig config = clusterShape(2, 64, 64);
  LaunchResult result = run(config, [&] {
    if (tid() == 0)
      sharedStore<uint32_t>(0, 0, 1);
    clusterBarrier(2);
    while (rank() == 1 && tid() >= 32 && sharedLoad<uint32_t>(0, 3) == 0)
      tilec_sim_barrier(0, 0, 4);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  const Finding *finding = findAt(result, config, FindingKind::Deadlock, 4);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->message, "the thread waits in a loop for threads that have exited: the "
                              "1024th barrier without them");
  EXPECT_EQ(finding->thread.cta[0], 1u);
}

} // namespace
} // namespace tilecrt::sim::test
