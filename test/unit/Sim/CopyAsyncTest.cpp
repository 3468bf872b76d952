// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async: what lands and when, and the mistakes that show.
#include "MatrixData.h"
#include "tilecrt/sim/SimAsyncAbi.h"

namespace tilecrt::sim::test {
namespace {

struct alignas(16) Bytes16 {
  std::array<uint8_t, 16> b;
};

/// One warp's random source, as many bytes as `config`'s buffer "x".
struct Source {
  explicit Source(size_t count) : data(count) {
    std::mt19937 random(testSeed());
    for (Bytes16 &unit : data)
      for (uint8_t &byte : unit.b)
        byte = static_cast<uint8_t>(random());
  }
  const char *at(size_t offset) const {
    return reinterpret_cast<const char *>(data.data()) + offset;
  }
  std::vector<Bytes16> data;
};

TEST(SimCopyAsync, sizes_and_zero_fill) {
  for (int32_t bytes : {4, 8, 16})
    for (int32_t given = 0; given <= bytes; ++given) {
      Source x(32);
      std::vector<uint8_t> got(32 * 16, 0xee);
      LaunchConfig config = shape(1, 32, 512);
      addBuffer(config, x.data, "x", true);
      LaunchResult result = run(config, [&] {
        uint32_t offset = tid() * static_cast<uint32_t>(bytes);
        tilec_sim_cp_async(offset, x.at(offset), bytes, given, bytes == 16, 1, 1);
        tilec_sim_cp_async_commit(2);
        tilec_sim_cp_async_wait(0, 3);
        for (uint32_t i = 0; i < static_cast<uint32_t>(bytes); ++i)
          got[offset + i] = sharedLoad<uint8_t>(offset + i, 4);
      });
      EXPECT_CLEAN(result, config);
      EXPECT_EQ(result.totals.asyncCopies, 32u);
      EXPECT_EQ(result.totals.globalLoadBytes, 32u * static_cast<uint32_t>(given));
      EXPECT_EQ(result.siteCounters[1].sharedStoreBytes, 32u * static_cast<uint32_t>(bytes));
      for (int32_t i = 0; i < 32 * bytes; ++i)
        ASSERT_EQ(got[static_cast<size_t>(i)],
                  i % bytes < given ? static_cast<uint8_t>(*x.at(static_cast<size_t>(i))) : 0)
            << bytes << " " << given << " byte " << i;
    }
}

TEST(SimCopyAsync, a_source_of_no_bytes_is_not_looked_at) {
  LaunchConfig config = shape(1, 32, 512);
  LaunchResult result = run(config, [&] {
    tilec_sim_cp_async(tid() * 16, nullptr, 16, 0, 1, 1, 1);
    tilec_sim_cp_async(0, nullptr, 16, 16, 1, /*pred=*/0, 2);
    tilec_sim_cp_async_wait(-1, 3);
    EXPECT_EQ(sharedLoad<uint32_t>(tid() * 16, 4), 0u);
  });
  EXPECT_CLEAN(result, config);
}

TEST(SimCopyAsync, lands_group_by_group_at_the_wait) {
  Source x(64);
  LaunchConfig config = shape(1, 32, 1024);
  addBuffer(config, x.data, "x", true);
  LaunchResult result = run(config, [&] {
    char *shared = static_cast<char *>(tilec_sim_shared_base());
    auto landed = [&](uint32_t offset) {
      return std::memcmp(shared + offset, x.at(offset), 16) == 0;
    };
    uint32_t first = tid() * 16, second = 512 + first;
    tilec_sim_cp_async(first, x.at(first), 16, 16, 0, 1, 1);
    tilec_sim_cp_async_commit(2);
    tilec_sim_cp_async(second, x.at(second), 16, 16, 0, 1, 3);
    tilec_sim_cp_async_wait(1, 4);
    EXPECT_FALSE(landed(first));
    tilec_sim_cp_async_wait(0, 5); // The second copy is in no group yet.
    EXPECT_TRUE(landed(first));
    EXPECT_FALSE(landed(second));
    tilec_sim_cp_async_commit(6);
    tilec_sim_cp_async_wait(1, 7);
    EXPECT_FALSE(landed(second));
    tilec_sim_cp_async_wait(0, 8);
    EXPECT_TRUE(landed(second));
  });
  EXPECT_CLEAN(result, config);
}

/// A ring of `stages` buffers, a tile of 64 threads times 16 bytes an iteration; each thread reads
/// what its neighbour has copied.
LaunchResult runRing(LaunchConfig &config, int32_t stages, int32_t wait, bool barrierBefore,
                     bool barrierAfter, std::vector<uint32_t> &out) {
  constexpr int32_t tiles = 8;
  Source x(64 * tiles);
  config = shape(1, 64, static_cast<uint32_t>(stages) * 1024);
  out.assign(64 * tiles, 0);
  addBuffer(config, x.data, "x", true);
  addBuffer(config, out, "out");
  LaunchResult result = run(config, [&] {
    auto issue = [&](int32_t tile) {
      if (tile < tiles) {
        uint32_t offset = tid() * 16;
        tilec_sim_cp_async(static_cast<uint32_t>(tile % stages) * 1024 + offset,
                           x.at(static_cast<size_t>(tile) * 1024 + offset), 16, 16, 1, 1, 1);
      }
      tilec_sim_cp_async_commit(2);
    };
    for (int32_t tile = 0; tile < stages - 1; ++tile)
      issue(tile);
    for (int32_t tile = 0; tile < tiles; ++tile) {
      tilec_sim_cp_async_wait(wait, 3);
      if (barrierAfter)
        tilec_sim_barrier(0, 0, 4);
      uint32_t other = (tid() + 33) % 64;
      uint32_t word =
          sharedLoad<uint32_t>(static_cast<uint32_t>(tile % stages) * 1024 + other * 16, 5);
      store(&out[static_cast<size_t>(tile) * 64 + tid()], word, 6);
      if (barrierBefore)
        tilec_sim_barrier(0, 0, 7);
      issue(tile + stages - 1);
    }
  });
  for (size_t i = 0; i < out.size() && result.clean(); ++i) {
    uint32_t expected;
    std::memcpy(&expected, x.at((i / 64 * 64 + (i % 64 + 33) % 64) * 16), 4);
    EXPECT_EQ(out[i], expected) << i;
  }
  return result;
}

TEST(SimCopyAsync, the_end_of_the_cta_with_copies_in_flight) {
  for (bool waits : {true, false}) {
    LaunchConfig config = shape(1, 32, 512);
    LaunchResult result = run(config, [&] {
      // Zeros land, too, in memory that is another CTA's by then.
      tilec_sim_cp_async(tid() * 16, nullptr, 16, 0, 1, 1, 1);
      tilec_sim_cp_async_commit(2);
      if (waits)
        tilec_sim_cp_async_wait(0, 3);
    });
    const Finding *unfinished = find(result, FindingKind::AsyncUnfinished);
    ASSERT_EQ(unfinished == nullptr, waits) << describe(result, config);
    if (unfinished)
      EXPECT_EQ(unfinished->site, 1);
  }
}

TEST(SimCopyAsync, ring_of_buffers) {
  std::vector<uint32_t> out;
  for (int32_t stages : {2, 3, 4}) {
    LaunchConfig config;
    LaunchResult result = runRing(config, stages, stages - 2, true, true, out);
    EXPECT_CLEAN(result, config);
    // One barrier an iteration is enough: it stands between the read and the copy that overwrites.
    result = runRing(config, stages, stages - 2, false, true, out);
    EXPECT_CLEAN(result, config);
  }
}

TEST(SimCopyAsync, a_wait_for_too_few_groups) {
  std::vector<uint32_t> out;
  LaunchConfig config;
  LaunchResult result = runRing(config, 3, 2, true, true, out);
  const Finding *early = find(result, FindingKind::AsyncReadEarly);
  ASSERT_TRUE(early) << describe(result, config);
  EXPECT_EQ(early->site, 5);
  EXPECT_EQ(early->otherSite, 1);
  EXPECT_EQ((early->thread.thread + 33) % 64, early->otherThread.thread);
}

TEST(SimCopyAsync, a_missing_barrier_after_the_wait) {
  std::vector<uint32_t> out;
  LaunchConfig config;
  LaunchResult result = runRing(config, 3, 1, true, false, out);
  EXPECT_TRUE(find(result, FindingKind::AsyncReadEarly) || find(result, FindingKind::SharedRaceRAW))
      << describe(result, config);
}

TEST(SimCopyAsync, overwriting_what_is_still_read) {
  // Without the barrier the copy for the next tile is issued while others may read its buffer.
  std::vector<uint32_t> out;
  LaunchConfig config;
  LaunchResult result = runRing(config, 1, 0, false, true, out);
  const Finding *war = find(result, FindingKind::SharedRaceWAR);
  ASSERT_TRUE(war) << describe(result, config);
  EXPECT_EQ(war->site, 1);
  EXPECT_EQ(war->otherSite, 5);
}

TEST(SimCopyAsync, a_store_over_the_destination) {
  Source x(32);
  LaunchConfig config = shape(1, 32, 512);
  addBuffer(config, x.data, "x", true);
  LaunchResult result = run(config, [&] {
    tilec_sim_cp_async(tid() * 16, x.at(tid() * 16), 16, 16, 1, 1, 1);
    sharedStore<uint32_t>(tid() * 16 + 8, 1, 2);
    tilec_sim_cp_async_wait(-1, 3);
  });
  const Finding *overwrite = find(result, FindingKind::AsyncOverwrite);
  ASSERT_TRUE(overwrite) << describe(result, config);
  EXPECT_EQ(overwrite->site, 2);
  EXPECT_EQ(overwrite->otherSite, 1);
  EXPECT_EQ(overwrite->message, "shared store of 4 bytes at offset 8 writes byte 8, which an "
                                "asynchronous operation of thread 0 has yet to write");
}

TEST(SimCopyAsync, a_store_over_the_source) {
  Source x(32);
  LaunchConfig config = shape(1, 32, 512);
  addBuffer(config, x.data, "x");
  LaunchResult result = run(config, [&] {
    char *from = reinterpret_cast<char *>(x.data.data()) + tid() * 16;
    tilec_sim_cp_async(tid() * 16, from, 16, 16, 1, 1, 1);
    store(reinterpret_cast<uint32_t *>(from), ~load(reinterpret_cast<uint32_t *>(from), 2), 3);
    tilec_sim_cp_async_wait(-1, 4);
  });
  const Finding *changed = find(result, FindingKind::AsyncSourceChanged);
  ASSERT_TRUE(changed) << describe(result, config);
  EXPECT_EQ(changed->site, 1);
  EXPECT_EQ(changed->count, 32u);
}

TEST(SimCopyAsync, bad_addresses_and_sizes) {
  Source x(2);
  LaunchConfig config = shape(1, 1, 64);
  addBuffer(config, x.data, "x", true);
  LaunchResult result = run(config, [&] {
    tilec_sim_cp_async(0, x.at(8), 16, 16, 1, 1, 1);   // Misaligned source.
    tilec_sim_cp_async(4, x.at(0), 8, 8, 0, 1, 2);     // Misaligned destination.
    tilec_sim_cp_async(16, x.at(32), 16, 16, 1, 1, 3); // Past the end of x.
    tilec_sim_cp_async(64, x.at(0), 16, 16, 1, 1, 4);  // Past the end of the window.
    tilec_sim_cp_async(32, x.at(0), 8, 8, 1, 1, 5);    // .cg of 8 bytes.
    tilec_sim_cp_async(32, x.at(0), 8, 9, 0, 1, 6);
    tilec_sim_cp_async_wait(-1, 7);
  });
  std::vector<std::pair<FindingKind, int32_t>> got;
  for (const Finding &finding : result.findings)
    got.emplace_back(finding.kind, finding.site);
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, (std::vector<std::pair<FindingKind, int32_t>>{{FindingKind::OutOfBoundsGlobal, 3},
                                                               {FindingKind::MisalignedAccess, 1},
                                                               {FindingKind::MisalignedAccess, 2},
                                                               {FindingKind::OutOfWindowShared, 4},
                                                               {FindingKind::InvalidOperation, 5},
                                                               {FindingKind::InvalidOperation, 6}}))
      << describe(result, config);
}

TEST(SimCopyAsync, arrival_at_a_barrier_object) {
  for (bool noinc : {true, false}) {
    Source x(64);
    LaunchConfig config = shape(1, 96, 1024 + 8);
    addBuffer(config, x.data, "x", true);
    std::vector<uint32_t> out(32);
    LaunchResult result = run(config, [&] {
      if (tid() == 0)
        tilec_sim_mbarrier_init(1024, 64, 1, 1);
      tilec_sim_barrier(0, 0, 2);
      if (tid() < 64) {
        tilec_sim_cp_async(tid() * 16, x.at(tid() * 16), 16, 16, 1, 1, 3);
        tilec_sim_cp_async_mbarrier_arrive(1024, noinc, 4);
        if (!noinc)
          tilec_sim_mbarrier_arrive(1024, 1, -1, 0, 1, 5);
        return;
      }
      EXPECT_EQ(tilec_sim_mbarrier_wait(1024, 0, 1, abi::WaitTry, 0, 6), 1);
      out[tid() - 64] = sharedLoad<uint32_t>((tid() - 64) * 32, 7);
    });
    EXPECT_CLEAN(result, config);
    for (size_t i = 0; i < out.size(); ++i) {
      uint32_t expected;
      std::memcpy(&expected, x.at(i * 32), 4);
      EXPECT_EQ(out[i], expected);
    }
  }
}

TEST(SimCopyAsync, the_async_proxy_needs_a_fence_after_the_wait) {
  // Landed by a wait of the thread, or by one at a barrier object.
  for (bool object : {false, true})
    for (bool fence : {false, true}) {
      Source x(64), y(64);
      LaunchConfig config = shape(1, 32, 512 + 8);
      addBuffer(config, x.data, "x", true);
      addBuffer(config, y.data, "y");
      LaunchResult result = run(config, [&] {
        if (tid() == 0)
          tilec_sim_mbarrier_init(512, 32, 1, 1);
        tilec_sim_barrier(0, 0, 2);
        tilec_sim_fence_proxy(abi::FenceProxyAsync, 3); // Too early.
        tilec_sim_cp_async(tid() * 16, x.at(tid() * 16), 16, 16, 1, 1, 4);
        if (object) {
          tilec_sim_cp_async_mbarrier_arrive(512, 1, 5);
          tilec_sim_mbarrier_wait(512, 0, 1, abi::WaitTry, 0, 6);
        } else {
          tilec_sim_cp_async_wait(-1, 7);
        }
        if (fence)
          tilec_sim_fence_proxy(abi::FenceProxyAsync, 8);
        tilec_sim_barrier(0, 0, 9);
        if (tid() != 0)
          return;
        tilec_sim_bulk_store(y.data.data(), 0, 512, 0xffff, 1, 10);
        tilec_sim_bulk_commit(11);
        tilec_sim_bulk_wait(0, 0, 12);
      });
      if (fence) {
        EXPECT_CLEAN(result, config);
        continue;
      }
      const Finding *missing = find(result, FindingKind::ProxyFenceMissing);
      ASSERT_TRUE(missing) << describe(result, config);
      EXPECT_EQ(missing->site, 10);
      EXPECT_EQ(missing->otherSite, 4);
    }
}

} // namespace
} // namespace tilecrt::sim::test
