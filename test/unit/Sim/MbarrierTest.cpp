// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barrier objects: phases, parities, states, transaction counts, the order they give to memory, and
// what is said about waits that cannot end.
#include "MatrixData.h"
#include "tilecrt/sim/SimAsyncAbi.h"

namespace tilecrt::sim::test {
namespace {

constexpr uint32_t first = 1024, second = 1032;

uint64_t arrive(uint32_t mbar, int32_t site, int32_t count = 1, int32_t txBytes = -1,
                int32_t flags = 0) {
  return tilec_sim_mbarrier_arrive(mbar, count, txBytes, flags, 1, site);
}

bool waitParity(uint32_t mbar, uint64_t parity, int32_t site, int32_t mode = abi::WaitTry) {
  return tilec_sim_mbarrier_wait(mbar, parity, 1, mode, 0, site) != 0;
}

void init(uint32_t mbar, int32_t count, int32_t site) {
  tilec_sim_mbarrier_init(mbar, count, 1, site);
}

TEST(SimMbarrier, phases_and_states_of_one_thread) {
  LaunchConfig config = shape(1, 1, 2048);
  LaunchResult result = run(config, [] {
    init(first, 2, 1);
    EXPECT_TRUE(waitParity(first, 1, 2)); // The phase before the first counts as complete.
    EXPECT_FALSE(waitParity(first, 0, 3, abi::WaitTest));
    uint64_t state = arrive(first, 4);
    EXPECT_FALSE(tilec_sim_mbarrier_wait(first, state, 0, abi::WaitTest, 0, 5));
    arrive(first, 6);
    EXPECT_TRUE(tilec_sim_mbarrier_wait(first, state, 0, abi::WaitTest, 0, 7));
    EXPECT_TRUE(waitParity(first, 0, 8));
    EXPECT_FALSE(waitParity(first, 1, 9, abi::WaitTest));
    arrive(first, 10, 2);
    EXPECT_TRUE(waitParity(first, 1, 11));
    // Transactions: the phase also waits for its bytes.
    tilec_sim_mbarrier_tx(first, 32, 12);
    arrive(first, 13, 1, 16);
    arrive(first, 14);
    EXPECT_FALSE(waitParity(first, 0, 15, abi::WaitTest));
    tilec_sim_mbarrier_tx(first, -48, 16);
    EXPECT_TRUE(waitParity(first, 0, 17));
    // Dropping lowers the count of later phases.
    arrive(first, 18, 1, -1, abi::ArriveDrop);
    arrive(first, 19);
    EXPECT_TRUE(waitParity(first, 1, 20));
    arrive(first, 21);
    EXPECT_TRUE(waitParity(first, 0, 22));
    tilec_sim_mbarrier_inval(first, 23);
    init(first, 1, 24);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.totals.mbarrierArrivals, 8u);
}

/// Producer warps fill a ring of `stages` slots with st.shared, consumer warps read them; each slot
/// has a full and an empty object. `broken` leaves something out.
enum class Broken { Nothing, FullWait, EmptyWait, EmptyCount, ElectedArrival };

LaunchResult runRing(LaunchConfig &config, uint32_t stages, Broken broken,
                     std::vector<uint32_t> &out) {
  constexpr uint32_t tiles = 11;
  config = shape(1, 96, 4096);
  out.assign(64 * tiles, 0);
  addBuffer(config, out, "out");
  return run(config, [&, stages, broken] {
    auto full = [](uint32_t slot) { return 3072 + 16 * slot; };
    auto empty = [](uint32_t slot) { return 3072 + 16 * slot + 8; };
    if (tid() == 0)
      for (uint32_t slot = 0; slot < stages; ++slot) {
        init(full(slot), 32, 1);
        init(empty(slot), broken == Broken::EmptyCount ? 32 : 64, 1);
      }
    tilec_sim_barrier(0, 0, 2);
    bool isProducer = tid() < 32;
    for (uint32_t tile = 0; tile < tiles; ++tile) {
      uint32_t slot = tile % stages, parity = tile / stages & 1;
      if (isProducer) {
        if (broken != Broken::EmptyWait)
          waitParity(empty(slot), parity ^ 1, 3);
        sharedStore(slot * 256 + tid() * 4, tile * 100 + tid(), 4);
        arrive(full(slot), 5);
        continue;
      }
      if (broken != Broken::FullWait)
        waitParity(full(slot), parity, 6);
      uint32_t value = sharedLoad<uint32_t>(slot * 256 + (31 - tid() % 32) * 4, 7);
      store(&out[tile * 64 + tid() - 32], value, 8);
      if (broken == Broken::ElectedArrival) {
        if (tid() % 32 == 0)
          arrive(empty(slot), 9, 32); // For its warp, which has not met.
      } else {
        arrive(empty(slot), 9);
      }
    }
  });
}

TEST(SimMbarrier, producer_and_consumers) {
  std::vector<uint32_t> out;
  for (uint32_t stages : {1u, 2u, 3u}) {
    LaunchConfig config;
    LaunchResult result = runRing(config, stages, Broken::Nothing, out);
    EXPECT_CLEAN(result, config);
    for (uint32_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i / 64 * 100 + 31 - i % 32) << i;
  }
}

TEST(SimMbarrier, every_missing_part_of_the_ring_is_found) {
  for (Broken broken :
       {Broken::FullWait, Broken::EmptyWait, Broken::EmptyCount, Broken::ElectedArrival}) {
    std::vector<uint32_t> out;
    LaunchConfig config;
    LaunchResult result = runRing(config, 2, broken, out);
    EXPECT_FALSE(result.findings.empty()) << static_cast<int>(broken);
  }
}

TEST(SimMbarrier, no_global_race_through_a_barrier_object) {
  std::vector<uint32_t> x(32), y(32);
  for (bool waits : {true, false}) {
    LaunchConfig config = shape(1, 64, 2048);
    addBuffer(config, x, "x");
    addBuffer(config, y, "y");
    LaunchResult result = run(config, [&] {
      if (tid() == 0)
        init(first, 32, 1);
      tilec_sim_barrier(0, 0, 2);
      if (tid() < 32) {
        store(&x[tid()], tid(), 3);
        arrive(first, 4);
        return;
      }
      if (waits)
        waitParity(first, 0, 5);
      store(&y[tid() - 32], load(&x[63 - tid()], 6), 7);
    });
    if (waits)
      EXPECT_CLEAN(result, config);
    else
      EXPECT_TRUE(find(result, FindingKind::GlobalRaceReadWrite)) << describe(result, config);
  }
}

TEST(SimMbarrier, deadlock_names_object_and_lines) {
  LaunchConfig config = shape(1, 64, 2048);
  LaunchResult result = run(config, [] {
    if (tid() == 0)
      init(first, 33, 1);
    tilec_sim_barrier(0, 0, 2);
    if (tid() < 32)
      arrive(first, 3);
    else
      waitParity(first, 0, 4);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  const Finding *deadlock = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(deadlock) << describe(result, config);
  EXPECT_EQ(deadlock->site, 4);
  EXPECT_EQ(deadlock->otherSite, 1);
  EXPECT_EQ(deadlock->message,
            "waits for a phase of the barrier object at offset 1024 (for 33 arrivals, in phase 0) "
            "that does not complete: 1 arrivals and 0 bytes are missing");
}

TEST(SimMbarrier, deadlock_of_missing_bytes_and_wrong_parity) {
  LaunchConfig config = shape(1, 32, 2048);
  LaunchResult result = run(config, [] {
    if (tid() != 0)
      return;
    init(first, 1, 1);
    arrive(first, 2, 1, 4096);
    waitParity(first, 0, 3);
  });
  const Finding *deadlock = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(deadlock) << describe(result, config);
  EXPECT_NE(deadlock->message.find("0 arrivals and 4096 bytes are missing"), std::string::npos)
      << deadlock->message;
  result = run(config, [] {
    if (tid() != 0)
      return;
    init(first, 1, 1);
    arrive(first, 2);
    waitParity(first, 0, 3);
    waitParity(first, 1, 4); // Nobody arrives for that one.
  });
  deadlock = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(deadlock) << describe(result, config);
  EXPECT_EQ(deadlock->site, 4);
  EXPECT_NE(deadlock->message.find("nobody has arrived, and it waits for parity 1"),
            std::string::npos)
      << deadlock->message;
}

TEST(SimMbarrier, deadlock_against_a_barrier_names_both) {
  LaunchConfig config = shape(1, 64, 2048);
  LaunchResult result = run(config, [] {
    if (tid() == 0)
      init(first, 32, 1);
    tilec_sim_barrier(0, 0, 2);
    if (tid() < 32)
      waitParity(first, 0, 3);
    tilec_sim_barrier(0, 0, 4);
    if (tid() >= 32)
      arrive(first, 5);
  });
  const Finding *deadlock = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(deadlock) << describe(result, config);
  EXPECT_EQ(deadlock->site, 3);
  EXPECT_EQ(deadlock->otherSite, 4);
  EXPECT_EQ(deadlock->otherThread.thread, 32u);
}

TEST(SimMbarrier, a_loop_that_tests_for_ever) {
  LaunchConfig config = shape(1, 32, 2048);
  config.maxSpinRounds = 50;
  LaunchResult result = run(config, [] {
    if (tid() != 0)
      return;
    init(first, 1, 1);
    while (!waitParity(first, 0, 2, abi::WaitTest)) {
    }
  });
  const Finding *deadlock = find(result, FindingKind::Deadlock);
  ASSERT_TRUE(deadlock) << describe(result, config);
  EXPECT_EQ(deadlock->site, 2);
  EXPECT_NE(deadlock->message.find("barrier object at offset 1024"), std::string::npos);
}

TEST(SimMbarrier, misuse) {
  LaunchConfig config = shape(1, 1, 2048);
  LaunchResult result = run(config, [] {
    arrive(first, 1);  // Not initialised.
    init(first, 0, 2); // No arrivals.
    init(first, 2, 3);
    init(first, 2, 4);   // Twice.
    arrive(first, 5, 3); // Too many.
    sharedStore<uint32_t>(first + 4, 1, 6);
    sharedLoad<uint64_t>(first, 7);
    init(second + 4, 1, 8); // Misaligned.
    init(2048, 1, 9);       // Outside.
    tilec_sim_mbarrier_inval(second, 10);
  });
  std::vector<int32_t> sites;
  for (const Finding &finding : result.findings)
    if (finding.kind == FindingKind::InvalidMbarrier)
      sites.push_back(finding.site);
  std::sort(sites.begin(), sites.end());
  EXPECT_EQ(sites, (std::vector<int32_t>{1, 2, 4, 5, 6, 7, 10})) << describe(result, config);
  EXPECT_EQ(find(result, FindingKind::MisalignedAccess)->site, 8);
  EXPECT_EQ(find(result, FindingKind::OutOfWindowShared)->site, 9);
}

TEST(SimMbarrier, use_without_a_barrier_after_init) {
  LaunchConfig config = shape(1, 64, 2048);
  LaunchResult result = run(config, [] {
    if (tid() == 0)
      init(first, 1, 1);
    if (tid() == 32)
      arrive(first, 2);
  });
  const Finding *race = find(result, FindingKind::SharedRaceRAW);
  ASSERT_TRUE(race) << describe(result, config);
  EXPECT_EQ(race->site, 2);
  EXPECT_EQ(race->otherSite, 1);
}

} // namespace
} // namespace tilecrt::sim::test
