// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffles against a direct reading of the PTX manual, warp reductions, votes, and missing lanes.
#include "SimKernel.h"

namespace tilecrt::sim::test {
namespace {

TEST(SimWarpOps, shuffle_reduction) {
  std::vector<float> x(1024), out(1);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  LaunchConfig config = shape(1, 1024, 128);
  addBuffer(config, x, "x");
  addBuffer(config, out, "out");
  LaunchResult result = run(config, [&] {
    auto sumOfWarp = [](float value) {
      for (uint32_t distance = 16; distance != 0; distance /= 2) {
        uint32_t bits, other;
        std::memcpy(&bits, &value, 4);
        other = shuffleXor(bits, distance, 2);
        float addend;
        std::memcpy(&addend, &other, 4);
        value += addend;
      }
      return value;
    };
    float sum = sumOfWarp(load(&x[tid()], 1));
    uint32_t warp = tid() / 32, lane = tid() % 32;
    if (lane == 0)
      sharedStore(warp * 4, sum, 3);
    tilec_sim_barrier(0, 0, 4);
    if (warp == 0)
      sum = sumOfWarp(sharedLoad<float>(lane * 4, 5));
    store(&out[0], sum, 6, tid() == 0);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(out[0], 1023.0f * 512.0f);
  EXPECT_EQ(result.siteCounters[2].shuffles, 32u * 5 + 5);
}

struct ShuffleCase {
  int32_t mode;
  uint32_t operand, clamp;
};

TEST(SimWarpOps, shuffle_modes_segments_and_clamps) {
  std::vector<ShuffleCase> cases;
  for (int32_t mode : {0, 1, 2, 3})
    for (uint32_t operand : {0u, 1u, 7u, 16u, 31u, 40u})
      for (uint32_t clamp : {0x1fu, 0u, 0x181fu, 0x1c1fu, 0x1807u, 0x1000u})
        cases.push_back({mode, operand, clamp});
  for (const ShuffleCase &c : cases) {
    std::vector<uint32_t> got(32), in(32);
    LaunchConfig config = shape(1, 32);
    LaunchResult result = run(config, [&] {
      int32_t inRange = -1;
      got[tid()] = tilec_sim_shfl(c.mode, allLanes, 100 + tid(), c.operand, c.clamp, &inRange, 1);
      in[tid()] = uint32_t(inRange);
    });
    EXPECT_CLEAN(result, config);
    for (int lane = 0; lane < 32; ++lane) {
      int b = int(c.operand & 31), cval = int(c.clamp & 31), mask = int(c.clamp >> 8 & 31);
      int maxLane = (lane & mask) | (cval & ~mask), minLane = lane & mask, j = 0;
      bool p = false;
      switch (c.mode) {
      case 1:
        j = lane - b;
        p = j >= maxLane;
        break;
      case 2:
        j = lane + b;
        p = j <= maxLane;
        break;
      case 3:
        j = lane ^ b;
        p = j <= maxLane;
        break;
      default:
        j = minLane | (b & ~mask);
        p = j <= maxLane;
        break;
      }
      EXPECT_EQ(got[size_t(lane)], uint32_t(100 + (p ? j : lane)));
      EXPECT_EQ(in[size_t(lane)], uint32_t(p));
    }
  }
}

TEST(SimWarpOps, redux_kinds) {
  struct Case {
    int32_t kind;
    uint32_t expected;
  };
  // Lane l gives l - 5 as 32 bits.
  for (const Case &c : std::vector<Case>{{abi::ReduxAdd, 336},
                                         {abi::ReduxMin, uint32_t(-5)},
                                         {abi::ReduxMax, 26},
                                         {abi::ReduxUMin, 0},
                                         {abi::ReduxUMax, uint32_t(-1)},
                                         {abi::ReduxAnd, 0},
                                         {abi::ReduxOr, uint32_t(-1)}}) {
    LaunchConfig config = shape(1, 32);
    std::vector<uint32_t> out(32);
    LaunchResult result =
        run(config, [&] { out[tid()] = tilec_sim_redux(c.kind, allLanes, tid() - 5, 1); });
    EXPECT_CLEAN(result, config);
    EXPECT_EQ(out, std::vector<uint32_t>(32, c.expected)) << c.kind;
  }
}

TEST(SimWarpOps, redux_of_floats) {
  LaunchConfig config = shape(1, 32);
  std::vector<uint32_t> max(32), maxNaN(32);
  LaunchResult result = run(config, [&] {
    float value = tid() == 3 ? std::numeric_limits<float>::quiet_NaN() : float(tid()) - 40.0f;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    max[tid()] = tilec_sim_redux(abi::ReduxFMax, allLanes, bits, 1);
    maxNaN[tid()] = tilec_sim_redux(abi::ReduxFMaxNaN, allLanes, bits, 2);
  });
  EXPECT_CLEAN(result, config);
  float value;
  std::memcpy(&value, &max[7], 4);
  EXPECT_EQ(value, -9.0f);
  EXPECT_EQ(maxNaN[7], 0x7fffffffu);
}

TEST(SimWarpOps, votes_and_match) {
  LaunchConfig config = shape(1, 64);
  std::vector<uint32_t> ballot(64), any(64), all(64), uni(64), match(64);
  LaunchResult result = run(config, [&] {
    bool odd = tid() % 2 == 1;
    ballot[tid()] = tilec_sim_vote(abi::VoteBallot, allLanes, odd, 1);
    any[tid()] = tilec_sim_vote(abi::VoteAny, allLanes, tid() == 5, 1);
    all[tid()] = tilec_sim_vote(abi::VoteAll, allLanes, tid() < 32, 1);
    uni[tid()] = tilec_sim_vote(abi::VoteUni, allLanes, tid() < 40, 1);
    match[tid()] = tilec_sim_match_any(allLanes, tid() % 4, 32, 1);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(ballot[9], 0xaaaaaaaau);
  EXPECT_EQ(any[0], 1u);
  EXPECT_EQ(any[32], 0u);
  EXPECT_EQ(all[31], 1u);
  EXPECT_EQ(all[32], 0u);
  EXPECT_EQ(uni[0], 1u);
  EXPECT_EQ(uni[40], 0u);
  EXPECT_EQ(match[5], 0x22222222u);
}

TEST(SimWarpOps, halves_of_a_warp_may_do_different_things) {
  LaunchConfig config = shape(1, 32);
  std::vector<uint32_t> out(32);
  LaunchResult result = run(config, [&] {
    if (tid() < 16)
      out[tid()] = tilec_sim_redux(abi::ReduxAdd, 0x0000ffff, 1, 1);
    else
      out[tid()] = tilec_sim_vote(abi::VoteBallot, 0xffff0000, 1, 2);
    out[tid()] += shuffleXor(0, 16, 3);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(out[0], 16u);
  EXPECT_EQ(out[31], 0xffff0000u);
}

TEST(SimWarpOps, exited_lane_is_reported) {
  LaunchConfig config = shape(1, 32);
  std::vector<uint32_t> out(32);
  LaunchResult result = run(config, [&] {
    if (tid() == 9)
      return;
    out[tid()] = tilec_sim_redux(abi::ReduxAdd, allLanes, 1, 5);
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::WarpOpMissingLane);
  EXPECT_EQ(result.findings[0].site, 5);
  EXPECT_EQ(result.findings[0].message,
            "lane 9 of the warp has exited and misses the warp reduction");
  EXPECT_EQ(out[0], 31u);
}

TEST(SimWarpOps, lane_waiting_elsewhere_is_reported) {
  LaunchConfig config = shape(1, 32);
  LaunchResult result = run(config, [&] {
    if (tid() == 9)
      tilec_sim_vote(abi::VoteAny, allLanes, 1, 6);
    else
      shuffleXor(0, 1, 5);
  });
  EXPECT_EQ(result.status, LaunchStatus::Stopped);
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::WarpOpMissingLane);
  EXPECT_EQ(result.findings[0].site, 5);
  EXPECT_EQ(result.findings[0].otherSite, 6);
  EXPECT_EQ(result.findings[0].otherThread.thread, 9u);
}

TEST(SimWarpOps, lane_not_in_its_own_mask_is_reported) {
  LaunchConfig config = shape(1, 32);
  LaunchResult result = run(config, [&] { tilec_sim_redux(abi::ReduxAdd, 0x7fffffff, 1, 5); });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].thread.thread, 31u);
  EXPECT_EQ(result.findings[0].message,
            "lane 31 executes a warp reduction whose mask 0x7fffffff does not name it");
}

TEST(SimWarpOps, shuffle_from_a_lane_outside_the_mask_is_reported) {
  LaunchConfig config = shape(1, 32);
  LaunchResult result = run(config, [&] {
    if (tid() < 16)
      tilec_sim_shfl(abi::ShuffleIdx, 0x0000ffff, 1, tid() == 3 ? 20 : 0, 0x1f, nullptr, 4);
  });
  ASSERT_EQ(result.findings.size(), 1u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::WarpOpMissingLane);
  EXPECT_EQ(result.findings[0].thread.thread, 3u);
  EXPECT_EQ(result.findings[0].message, "the shuffle reads from lane 20, which does not take part");
}

TEST(SimWarpOps, partial_warp) {
  LaunchConfig config = shape(2, 40, 64);
  std::vector<uint32_t> out(40);
  LaunchResult result = run(config, [&] {
    out[tid()] = tilec_sim_redux(abi::ReduxAdd, allLanes, 1, 1);
    tilec_sim_barrier(0, 0, 2);
    if (tilec_sim_activemask() != (tid() < 32 ? allLanes : 0xffu))
      tilec_sim_trap(3);
    tilec_sim_barrier(0, 0, 4);
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(out[39], 8u);
}

} // namespace
} // namespace tilecrt::sim::test
