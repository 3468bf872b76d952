// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that not everybody reaches, deadlocks, and threads that never end or end badly.
#include "SimKernel.h"

#include <stdexcept>
#include <sys/resource.h>

namespace tilecrt::sim::test {
namespace {

/// What the process has needed at most so far.
uint64_t peakMegabytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) / 1024;
}

TEST(SimBarrier, warps_that_exit_before_the_barrier) {
  LaunchConfig config = shape(1, 128);
  std::vector<int> done(128);
  LaunchResult result = run(config, [&] {
    if (tid() < 64)
      return;
    tilec_sim_barrier(0, 0, 2);
    done[tid()] = 1;
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::DivergentBarrier);
  EXPECT_EQ(result.findings[0].site, 2);
  EXPECT_EQ(result.findings[0].thread.thread, 64u);
  EXPECT_EQ(result.findings[0].message, "2 of 4 warps have exited without reaching the barrier");
  EXPECT_EQ(result.status, LaunchStatus::Completed);
  EXPECT_EQ(done[127], 1);
}

TEST(SimBarrier, waiting_for_ever_for_threads_that_exit_is_a_deadlock) {
  for (uint32_t leaving : {32, 1}) { // A warp, or one lane of it.
    LaunchConfig config = shape(1, 96, 4);
    uint64_t before = peakMegabytes();
    LaunchResult result = run(config, [&] {
      if (tid() == 0)
        sharedStore<uint32_t>(0, 0, 2);
      tilec_sim_barrier(0, 0, 3);
      // Who leaves does not say what the others wait for.
      while (tid() >= leaving && sharedLoad<uint32_t>(0, 4) == 0)
        tilec_sim_barrier(0, 0, 5);
    });
    EXPECT_EQ(result.status, LaunchStatus::Stopped);
    const Finding *finding = find(result, FindingKind::Deadlock);
    ASSERT_TRUE(finding) << describe(result, config);
    EXPECT_EQ(finding->site, 5);
    EXPECT_EQ(finding->message, "the thread waits in a loop for threads that have exited: the "
                                "1024th barrier without them");
    EXPECT_LT(peakMegabytes() - before, 40u);
  }
}

TEST(SimBarrier, lanes_that_exit_before_the_barrier) {
  LaunchConfig config = shape(1, 64);
  LaunchResult result = run(config, [&] {
    if (tid() == 35)
      return;
    tilec_sim_barrier(0, 0, 2);
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::DivergentBarrier);
  EXPECT_EQ(result.findings[0].thread.thread, 32u);
  EXPECT_EQ(result.findings[0].message, "lane 3 of the warp has exited and misses the barrier");
}

TEST(SimBarrier, lanes_of_a_warp_at_different_sites) {
  LaunchConfig config = shape(1, 64);
  LaunchResult result = run(config, [&] {
    if (tid() % 2 == 0)
      tilec_sim_barrier(0, 0, 2);
    else
      tilec_sim_barrier(0, 0, 3);
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::DivergentBarrier);
  EXPECT_EQ(result.findings[0].site, 2);
  EXPECT_EQ(result.findings[0].otherSite, 3);
  EXPECT_EQ(result.findings[0].count, 2u);
}

TEST(SimBarrier, whole_warps_at_different_sites_are_fine) {
  LaunchConfig config = shape(1, 64);
  LaunchResult result = run(config, [&] { tilec_sim_barrier(0, 0, tid() < 32 ? 2 : 3); });
  EXPECT_CLEAN(result, config);
}

TEST(SimBarrier, lanes_of_a_warp_at_different_barriers) {
  LaunchConfig config = shape(1, 32);
  LaunchResult result =
      run(config, [&] { tilec_sim_barrier(tid() < 16 ? 0 : 1, 0, int(tid() / 16)); });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::DivergentBarrier);
  EXPECT_EQ(result.findings[0].site, 0);
  EXPECT_EQ(result.findings[0].otherSite, 1);
}

TEST(SimBarrier, barrier_against_shuffle) {
  LaunchConfig config = shape(3, 32);
  LaunchResult result = run(config, [&] {
    if (tid() < 16)
      tilec_sim_barrier(0, 0, 2);
    else
      shuffleXor(1, 1, 3);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  EXPECT_EQ(result.error, "3 of 3 CTAs were stopped before their end");
  const Finding *finding = find(result, FindingKind::DivergentBarrier);
  ASSERT_TRUE(finding) << describe(result, config);
  EXPECT_EQ(finding->site, 2);
  EXPECT_EQ(finding->otherSite, 3);
  EXPECT_EQ(finding->otherThread.thread, 16u);
  EXPECT_EQ(finding->count, 3u);
}

TEST(SimBarrier, warps_at_different_barriers) {
  LaunchConfig config = shape(1, 64);
  LaunchResult result =
      run(config, [&] { tilec_sim_barrier(tid() < 32 ? 0 : 1, 0, tid() < 32 ? 2 : 3); });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::DivergentBarrier);
  EXPECT_EQ(result.findings[0].site, 2);
  EXPECT_EQ(result.findings[0].otherSite, 3);
}

TEST(SimBarrier, named_barrier_that_too_few_reach) {
  LaunchConfig config = shape(1, 96);
  LaunchResult result = run(config, [&] {
    if (tid() < 64)
      tilec_sim_barrier(3, 96, 2);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  const Finding *finding = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(finding) << describe(result, config);
  EXPECT_EQ(finding->site, 2);
  EXPECT_EQ(finding->message, "barrier 3 waits for 96 threads, but only 64 can arrive");
}

TEST(SimBarrier, spinning_for_ever_is_a_deadlock) {
  std::vector<uint32_t> flag(1);
  LaunchConfig config = shape(2, 32);
  config.maxSpinRounds = 50;
  addBuffer(config, flag, "flag");
  LaunchResult result = run(config, [&] {
    if (cta() == 0 && tid() == 3)
      while (atomic<uint32_t>(abi::AtomicLoad, &flag[0], 0, 4, abi::OrderAcquire) == 0) {
      }
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  const Finding *finding = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(finding) << describe(result, config);
  EXPECT_EQ(finding->site, 4);
  EXPECT_EQ(finding->thread.thread, 3u);
}

// The shape of compiled loops: one thread reads, all learn of it behind a barrier.
TEST(SimBarrier, polls_with_barriers_between_let_other_ctas_begin) {
  for (unsigned hostThreads : {1u, 3u}) {
    for (bool plain : {false, true}) {
      constexpr uint32_t ctas = 12;
      std::vector<uint32_t> arrived(1);
      LaunchConfig config = shape(ctas, 64, 4);
      config.hostThreads = hostThreads;
      config.checkGlobalRaces = !plain; // A plain read beside atomics is a race.
      addBuffer(config, arrived, "arrived");
      LaunchResult result = run(config, [&] {
        if (tid() == 0)
          atomic<uint32_t>(abi::AtomicAdd, &arrived[0], 1, 2, abi::OrderRelease);
        bool all = false;
        while (!all) {
          if (tid() == 0)
            sharedStore<uint32_t>(
                0,
                plain ? load(&arrived[0], 3)
                      : atomic<uint32_t>(abi::AtomicLoad, &arrived[0], 0, 3, abi::OrderAcquire),
                4);
          tilec_sim_barrier(0, 0, 5);
          all = sharedLoad<uint32_t>(0, 6) == ctas;
          tilec_sim_barrier(0, 0, 7);
        }
      });
      EXPECT_EQ(result.status, LaunchStatus::Completed) << describe(result, config);
      EXPECT_EQ(arrived[0], ctas);
    }
  }
}

TEST(SimBarrier, polling_for_ever_with_barriers_between_is_a_deadlock) {
  std::vector<uint32_t> flag(1);
  LaunchConfig config = shape(2, 64);
  config.maxSpinRounds = 20;
  addBuffer(config, flag, "flag");
  LaunchResult result = run(config, [&] {
    while (load(&flag[0], 4) == 0)
      tilec_sim_barrier(0, 0, 5);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  const Finding *finding = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(finding) << describe(result, config);
  EXPECT_EQ(finding->message,
            "the thread waits in a loop for a value that no running thread writes");
}

TEST(SimBarrier, ctas_that_poll_for_ever_are_stopped_together) {
  std::vector<uint32_t> flag(1);
  LaunchConfig config = shape(8, 32);
  config.hostThreads = 1;
  config.maxSpinRounds = 200;
  addBuffer(config, flag, "flag");
  std::vector<uint64_t> polls(8);
  LaunchResult result = run(config, [&] {
    do {
      ++polls[cta()];
      tilec_sim_barrier(0, 0, 5);
    } while (load(&flag[0], 4) == 0);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  const Finding *finding = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(finding) << describe(result, config);
  EXPECT_EQ(finding->count, 8u);
  // All in the time that one of them would have had alone.
  EXPECT_LT(*std::max_element(polls.begin(), polls.end()),
            2 * *std::min_element(polls.begin(), polls.end()));
}

TEST(SimBarrier, polling_with_barriers_of_some_warps_takes_no_more_memory) {
  std::vector<uint32_t> flag(1);
  LaunchConfig config = shape(2, 96);
  config.maxSpinRounds = 10000;
  addBuffer(config, flag, "flag");
  uint64_t before = peakMegabytes();
  LaunchResult result = run(config, [&] {
    if (tid() < 64)
      while (load(&flag[0], 4, tid() == 0) == 0)
        tilec_sim_barrier(1, 64, 5);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  EXPECT_TRUE(find(result, FindingKind::Deadlock)) << describe(result, config);
  EXPECT_LT(peakMegabytes() - before, 40u);
}

TEST(SimBarrier, a_race_is_found_behind_many_barriers_of_some_warps) {
  std::vector<uint32_t> x(1);
  LaunchConfig config = shape(1, 96);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    if (tid() == 0)
      store(&x[0], 1u, 4);
    for (int i = 0; i < 10000 && tid() < 64; ++i)
      tilec_sim_barrier(1, 64, 5);
    // Warp 1 knows of the store, warp 2 does not.
    if (tid() == 32)
      load(&x[0], 6);
    if (tid() == 64)
      load(&x[0], 7);
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::GlobalRaceReadWrite);
  EXPECT_EQ(result.findings[0].site, 7);
}

TEST(SimBarrier, the_same_read_often_is_no_deadlock) {
  std::vector<uint32_t> x(1, 3), sums(64);
  LaunchConfig config = shape(2, 32);
  config.maxSpinRounds = 20;
  addBuffer(config, x, "x");
  addBuffer(config, sums, "sums");
  LaunchResult result = run(config, [&] {
    uint32_t sum = 0;
    for (int i = 0; i < 1000; ++i) {
      sum += load(&x[0], 4);
      tilec_sim_barrier(0, 0, 5);
    }
    store(&sums[globalId()], sum, 6);
  });
  EXPECT_EQ(result.status, LaunchStatus::Completed) << describe(result, config);
  EXPECT_EQ(std::count(sums.begin(), sums.end(), 3000u), 64);
}

TEST(SimBarrier, step_limit) {
  std::vector<int> x(32);
  LaunchConfig config = shape(1, 32);
  config.maxStepsPerThread = 10000;
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    while (load(&x[tid()], 6) == 0) {
    }
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  const Finding *finding = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->site, 6);
  EXPECT_EQ(finding->message, "the thread did not finish within 10000 steps");
}

TEST(SimBarrier, grid_of_endless_ctas_ends) {
  LaunchConfig config = shape(1000000, 32);
  config.maxStepsPerThread = 100000;
  LaunchResult result = run(config, [&] {
    while (true)
      tilec_sim_count(abi::ClassControl, 1, 6);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  EXPECT_NE(result.error.find("the rest of the grid was not run"), std::string::npos);
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::Deadlock);
}

TEST(SimBarrier, other_ctas_go_on_after_one_is_stopped) {
  std::vector<int> done(64);
  LaunchConfig config = shape(64, 32);
  LaunchResult result = run(config, [&] {
    if (cta() == 5 && tid() == 9)
      tilec_sim_trap(2);
    tilec_sim_barrier(0, 0, 3);
    if (tid() == 0)
      done[cta()] = 1;
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  EXPECT_EQ(result.error, "1 of 64 CTAs were stopped before their end");
  EXPECT_EQ(std::count(done.begin(), done.end(), 1), 63);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::Trap);
  EXPECT_EQ(result.findings[0].thread.cta[0], 5u);
  EXPECT_EQ(result.findings[0].thread.thread, 9u);
}

TEST(SimBarrier, failed_assertion) {
  LaunchConfig config = shape(2, 32);
  LaunchResult result = run(config, [&] {
    if (tid() == 4)
      tilec_sim_assert_fail("x must be positive", 8);
  });
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::AssertFailed);
  EXPECT_EQ(result.findings[0].message, "x must be positive");
  EXPECT_EQ(result.findings[0].site, 8);
  EXPECT_EQ(result.findings[0].count, 2u);
}

TEST(SimBarrier, exception_in_the_kernel) {
  LaunchConfig config = shape(4, 64);
  LaunchResult result = run(config, [&] {
    tilec_sim_barrier(0, 0, 1);
    if (cta() == 2 && tid() == 40)
      throw std::runtime_error("no");
    tilec_sim_barrier(0, 0, 2);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::KernelException);
  EXPECT_EQ(result.findings[0].message, "the kernel threw an exception: no");
  EXPECT_EQ(result.findings[0].thread.thread, 40u);
}

// AddressSanitizer puts frames elsewhere and treats the faults as its own.
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define TILEC_TEST_ASAN
#endif
#endif

#ifndef TILEC_TEST_ASAN

/// Recursion that the compiler cannot flatten; with ABI calls or without.
__attribute__((noinline)) int recurse(int depth, bool calls) {
  volatile char frame[512];
  frame[0] = char(depth);
  if (calls)
    tilec_sim_count(0, 1, 3);
  return depth == 0 ? 0 : recurse(depth - 1, calls) + frame[0];
}

TEST(SimBarrier, stack_overflow_is_a_finding) {
  for (bool calls : {true, false}) {
    LaunchConfig config = shape(8, 32);
    std::vector<int> done(8);
    LaunchResult result = run(config, [&] {
      if (cta() == 1 && tid() == 7)
        done[0] = recurse(100000, calls);
      tilec_sim_barrier(0, 0, 1);
      done[cta()] = 1;
    });
    EXPECT_EQ(result.status, LaunchStatus::Stopped);
    ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
    EXPECT_EQ(result.findings[0].kind, FindingKind::StackOverflow);
    EXPECT_EQ(result.findings[0].thread.thread, 7u);
    EXPECT_EQ(done, (std::vector<int>{1, 0, 1, 1, 1, 1, 1, 1}));
  }
}

TEST(SimBarrier, wild_access_without_instrumentation_is_a_finding) {
  LaunchConfig config = shape(4, 32);
  LaunchResult result = run(config, [&] {
    tilec_sim_barrier(0, 0, 1);
    volatile int *wild = reinterpret_cast<int *>(16);
    if (cta() == 3 && tid() == 2)
      *wild = 1;
    tilec_sim_barrier(0, 0, 2);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::HostFault);
  EXPECT_EQ(result.findings[0].site, 1);
  EXPECT_EQ(result.findings[0].thread.cta[0], 3u);
}

#endif

} // namespace
} // namespace tilecrt::sim::test
