// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two CTAs of a matmul: each has a warp that loads and two that compute, and a ring of slots with
// full and empty objects. A CTA loads rows of its own, and half of the columns for both. What
// computes releases a slot at the empty objects of both CTAs. Every part that is left out is found.
#include "ClusterKernel.h"

namespace tilecrt::sim::test {
namespace {

enum class Broken {
  Nothing,
  BarrierAtStart, ///< Only one of each CTA.
  BarrierAtEnd,
  RelaxedAtEnd, ///< A barrier that orders no memory.
  FenceOfObjects,
  OtherCta, ///< Both arrivals are at the own CTA.
  Mask,     ///< The columns only go to the own CTA.
  EmptyWait,
  FullWait,
  ProxyFence,
  WarpBarrier, ///< Lanes arrive before the others have read.
  Relaxed      ///< The arrivals order no memory.
};

constexpr uint32_t stages = 2, tiles = 7, pieceBytes = 256, slotBytes = 3 * pieceBytes;
constexpr uint32_t fullAt(uint32_t slot) { return 4096 + 16 * slot; }
constexpr uint32_t emptyAt(uint32_t slot) { return 4096 + 16 * slot + 8; }

struct alignas(16) Piece {
  std::array<uint32_t, pieceBytes / 4> words = {};
};

struct Ring {
  std::vector<Piece> rows = std::vector<Piece>(2 * tiles);    ///< [CTA][tile].
  std::vector<Piece> columns = std::vector<Piece>(2 * tiles); ///< [tile][half].
  std::vector<uint32_t> out = std::vector<uint32_t>(2 * 64 * tiles);

  Ring() {
    for (uint32_t i = 0; i < 2 * tiles; ++i)
      for (uint32_t w = 0; w < pieceBytes / 4; ++w) {
        rows[i].words[w] = i * 1000 + w;
        columns[i].words[w] = i * 100000 + w;
      }
  }
};

void start(Broken broken) {
  if (tid() == 0) {
    for (uint32_t slot = 0; slot < stages; ++slot) {
      tilec_sim_mbarrier_init(fullAt(slot), 1, 1, 1);
      tilec_sim_mbarrier_init(emptyAt(slot), 4, 1, 2);
    }
    if (broken != Broken::FenceOfObjects)
      tilec_sim_fence_proxy(abi::FenceMbarrierInit, 3);
  }
  if (broken == Broken::BarrierAtStart)
    tilec_sim_barrier(0, 0, 4);
  else
    clusterBarrier(4, /*isRelaxed=*/broken != Broken::FenceOfObjects);
}

void loadTiles(const Ring &ring, Broken broken) {
  for (uint32_t tile = 0; tile < tiles && tid() == 0; ++tile) {
    uint32_t slot = tile % stages, phase = tile / stages & 1, base = slot * slotBytes;
    if (broken != Broken::EmptyWait)
      waitParity(emptyAt(slot), phase ^ 1, 10);
    tilec_sim_mbarrier_arrive(fullAt(slot), 1, slotBytes, 0, 1, 11);
    tilec_sim_bulk_load(base, &ring.rows[rank() * tiles + tile], pieceBytes, fullAt(slot), 1, 12);
    int32_t mask = broken == Broken::Mask ? 1 << rank() : 3;
    tilec_sim_bulk_multicast(base + (1 + rank()) * pieceBytes, &ring.columns[tile * 2 + rank()],
                             pieceBytes, fullAt(slot), mask, 1, 13);
  }
}

void useTiles(Ring &ring, Broken broken) {
  uint32_t thread = tid() - 32, lane = tid() % 32;
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    uint32_t slot = tile % stages, phase = tile / stages & 1, base = slot * slotBytes;
    if (broken != Broken::FullWait)
      waitParity(fullAt(slot), phase, 20);
    uint32_t sum = 0;
    for (uint32_t piece = 0; piece < 3; ++piece)
      sum += sharedLoad<uint32_t>(base + piece * pieceBytes + (63 - thread) * 4, 21);
    store(&ring.out[(rank() * tiles + tile) * 64 + thread], sum, 22);
    if (broken != Broken::ProxyFence)
      tilec_sim_fence_proxy(abi::FenceProxyAsync, 23);
    if (broken != Broken::WarpBarrier)
      tilec_sim_warp_barrier(allLanes, 24);
    uint32_t target = broken == Broken::OtherCta ? rank() : lane;
    int32_t flags = broken == Broken::Relaxed ? abi::ArriveRelaxed : 0;
    if (lane < 2)
      arriveAt(mapTo(emptyAt(slot), target, 25), 26, -1, flags);
  }
}

LaunchResult runRing(LaunchConfig &config, Ring &ring, Broken broken) {
  config = clusterShape(2, 96, 5120);
  addBuffer(config, ring.rows, "rows");
  addBuffer(config, ring.columns, "columns");
  addBuffer(config, ring.out, "out");
  return run(config, [&ring, broken] {
    start(broken);
    if (tid() < 32)
      loadTiles(ring, broken);
    else
      useTiles(ring, broken);
    if (broken != Broken::BarrierAtEnd)
      clusterBarrier(30, /*isRelaxed=*/broken == Broken::RelaxedAtEnd);
  });
}

TEST(SimClusterRing, is_clean) {
  Ring ring;
  LaunchConfig config;
  LaunchResult result = runRing(config, ring, Broken::Nothing);
  EXPECT_CLEAN(result, config);
  for (uint32_t i = 0; i < ring.out.size(); ++i) {
    uint32_t piece = i / 64, tile = piece % tiles, word = 63 - i % 64;
    ASSERT_EQ(ring.out[i], piece * 1000 + (4 * tile + 1) * 100000 + 3 * word) << i;
  }
}

/// What a broken ring is found by, somewhere among the findings.
struct Expectation {
  Broken broken;
  std::vector<FindingKind> kinds;
  int32_t site, otherSite; ///< -2: any.
};

TEST(SimClusterRing, every_missing_part_is_found) {
  const Expectation expectations[] = {
      {Broken::BarrierAtStart, {FindingKind::SharedRaceRAW}, 13, 1},
      {Broken::BarrierAtEnd, {FindingKind::CtaNotRunning}, 26, -2},
      {Broken::RelaxedAtEnd, {FindingKind::CtaNotRunning}, 26, 30},
      {Broken::FenceOfObjects, {FindingKind::ProxyFenceMissing}, 13, 1},
      {Broken::OtherCta, {FindingKind::SharedRaceWAR}, 13, 21},
      {Broken::Mask, {FindingKind::Deadlock}, 20, -2}, // For bytes that do not come.
      {Broken::EmptyWait, {FindingKind::AsyncOverwrite, FindingKind::SharedRaceWAR}, -2, -2},
      {Broken::FullWait, {FindingKind::UninitializedShared, FindingKind::AsyncReadEarly}, 21, -2},
      {Broken::ProxyFence, {FindingKind::ProxyFenceMissing}, -2, 21},
      {Broken::WarpBarrier, {FindingKind::SharedRaceWAR}, -2, 21},
      {Broken::Relaxed, {FindingKind::SharedRaceWAR}, 13, 21},
  };
  for (const Expectation &expected : expectations) {
    Ring ring;
    LaunchConfig config;
    LaunchResult result = runRing(config, ring, expected.broken);
    bool isFound = false;
    for (const Finding &finding : result.findings)
      for (FindingKind kind : expected.kinds)
        isFound |= finding.kind == kind && (expected.site == -2 || finding.site == expected.site) &&
                   (expected.otherSite == -2 || finding.otherSite == expected.otherSite);
    EXPECT_TRUE(isFound) << "mutant " << static_cast<int>(expected.broken) << ":\n"
                         << describe(result, config);
  }
}

} // namespace
} // namespace tilecrt::sim::test
