// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses outside what they may touch: each kind is planted once and must be found with its site,
// thread and access, and the run must go on.
#include "SimKernel.h"

namespace tilecrt::sim::test {
namespace {

TEST(SimBounds, read_past_the_end_gives_zero) {
  std::vector<float> x(100, 1.0f), y(128, 5.0f);
  LaunchConfig config = shape(1, 128);
  addBuffer(config, x, "x");
  addBuffer(config, y, "y");
  // 'y' may lie directly behind 'x' on the heap; stay clear of it.
  LaunchResult result = run(config, [&] { store(&y[tid()], load(x.data() + tid(), 3), 4); });
  ASSERT_EQ(result.status, LaunchStatus::Completed);
  const Finding *finding = find(result, FindingKind::OutOfBoundsGlobal);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->site, 3);
  EXPECT_EQ(finding->count, 28u);
  EXPECT_EQ(finding->thread.thread, 100u);
  EXPECT_EQ(finding->thread.warp(), 3u);
  EXPECT_EQ(finding->thread.lane(), 4u);
  EXPECT_EQ(finding->access.kind, AccessKind::GlobalLoad);
  EXPECT_EQ(finding->access.bytes, 4u);
  EXPECT_EQ(finding->access.address, reinterpret_cast<uint64_t>(x.data() + 100));
  EXPECT_EQ(finding->message, "global load of 4 bytes: directly past the end of 'x' (400 bytes)");
  EXPECT_EQ(y[99], 1.0f);
  EXPECT_EQ(y[100], 0.0f);
}

TEST(SimBounds, write_before_the_start_is_dropped) {
  std::vector<int> memory(64, 7);
  LaunchConfig config = shape(1, 32);
  config.buffers.push_back({memory.data() + 32, 128, "out", false});
  LaunchResult result = run(config, [&] { store(memory.data() + 32 + tid() - 3, int(tid()), 5); });
  const Finding *finding = find(result, FindingKind::OutOfBoundsGlobal);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->site, 5);
  EXPECT_EQ(finding->thread.thread, 0u);
  EXPECT_EQ(finding->count, 3u);
  EXPECT_EQ(finding->message, "global store of 4 bytes: 12 bytes (3 accesses of 4 bytes) before "
                              "the start of 'out' (128 bytes)");
  EXPECT_EQ(memory[29], 7);
  EXPECT_EQ(memory[32], 3);
}

TEST(SimBounds, access_across_the_end_is_told_apart) {
  alignas(16) static char memory[64];
  LaunchConfig config = shape(1, 1);
  config.buffers.push_back({memory, 40, "x", false});
  LaunchResult result = run(config, [&] {
    char value[16];
    tilec_sim_global_load(memory + 32, value, 16, 1, 1);
  });
  const Finding *finding = find(result, FindingKind::OutOfBoundsGlobal);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->message,
            "global load of 16 bytes: the last 8 of 16 bytes are past the end of 'x' (40 bytes)");
}

TEST(SimBounds, null_pointer) {
  std::vector<int> x(4);
  LaunchConfig config = shape(1, 1);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    int value = 3;
    tilec_sim_global_load(nullptr, &value, 4, 1, 2);
    x[0] = value;
  });
  const Finding *finding = find(result, FindingKind::OutOfBoundsGlobal);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->message.find("null pointer"), std::string::npos);
  EXPECT_EQ(x[0], 0);
}

TEST(SimBounds, checked_without_check_mode_too) {
  std::vector<int> x(4);
  LaunchConfig config = shape(1, 32);
  config.check = false;
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] { store(x.data() + tid() * 1000000, 1, 2); });
  const Finding *finding = find(result, FindingKind::OutOfBoundsGlobal);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->count, 31u);
}

TEST(SimBounds, no_buffers_and_no_check_trusts_everything) {
  std::vector<int> x(32);
  LaunchConfig config = shape(1, 32);
  config.check = false;
  LaunchResult result = run(config, [&] { store(&x[tid()], 1, 2); });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(x[31], 1);
}

TEST(SimBounds, predicated_off_access_is_not_checked) {
  std::vector<int> x(4);
  LaunchConfig config = shape(1, 32);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    bool pred = tid() < 4;
    int value = 42;
    tilec_sim_global_load(x.data() + tid(), &value, 4, pred, 1);
    if (!pred && value != 42)
      tilec_sim_trap(1);
    store(x.data() + tid() * 100, 1, 2, tid() == 0);
  });
  EXPECT_CLEAN(result, config);
}

TEST(SimBounds, misaligned_global_and_shared) {
  alignas(16) static char memory[256];
  LaunchConfig config = shape(1, 1, 64);
  config.buffers.push_back({memory, sizeof(memory), "x", false});
  LaunchResult result = run(config, [&] {
    char value[16] = {};
    tilec_sim_global_load(memory + 8, value, 16, 1, 1);
    tilec_sim_shared_store(6, value, 4, 1, 2);
    tilec_sim_global_load(memory + 4, value, 12, 1, 3); // 12 bytes need 4-byte alignment only.
  });
  ASSERT_EQ(result.findings.size(), 2u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::MisalignedAccess);
  EXPECT_EQ(result.findings[0].site, 1);
  EXPECT_EQ(result.findings[0].message,
            "global load of 16 bytes: byte 8 of 'x' is not aligned to 16 bytes");
  EXPECT_EQ(result.findings[1].kind, FindingKind::MisalignedAccess);
  EXPECT_EQ(result.findings[1].site, 2);
  EXPECT_EQ(result.findings[1].message,
            "shared store of 4 bytes at offset 6 is not aligned to 4 bytes");
}

TEST(SimBounds, write_to_read_only_buffer) {
  std::vector<int> x(32, 1);
  LaunchConfig config = shape(1, 32);
  addBuffer(config, x, "x", /*readOnly=*/true);
  LaunchResult result = run(config, [&] {
    store(&x[tid()], 2, 1);
    atomic<int32_t>(abi::AtomicAdd, &x[tid()], 1, 2);
  });
  ASSERT_EQ(result.findings.size(), 2u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::ReadOnlyWrite);
  EXPECT_EQ(result.findings[0].site, 1);
  EXPECT_EQ(result.findings[0].count, 32u);
  EXPECT_EQ(result.findings[1].site, 2);
  EXPECT_EQ(result.findings[1].access.kind, AccessKind::GlobalAtomic);
  EXPECT_EQ(x, std::vector<int>(32, 1));
}

TEST(SimBounds, alias_of_read_only_buffer_may_be_written) {
  std::vector<int> x(32, 1);
  LaunchConfig config = shape(1, 32);
  addBuffer(config, x, "in", /*readOnly=*/true);
  addBuffer(config, x, "out");
  LaunchResult result = run(config, [&] { store(&x[tid()], load(&x[tid()], 1) + 1, 1); });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(x[31], 2);
}

TEST(SimBounds, shared_out_of_window) {
  LaunchConfig config = shape(1, 32, 100);
  LaunchResult result = run(config, [&] {
    sharedStore<uint32_t>(tid() * 4, tid(), 1);
    if (tid() < 25)
      sharedLoad<uint32_t>(tid() * 4, 2);
    if (tid() == 0 && sharedLoad<uint32_t>(0xfffffffc, 3) != 0)
      tilec_sim_trap(3);
  });
  ASSERT_EQ(result.findings.size(), 2u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::OutOfWindowShared);
  EXPECT_EQ(result.findings[0].site, 1);
  EXPECT_EQ(result.findings[0].thread.thread, 25u);
  EXPECT_EQ(result.findings[0].count, 7u);
  EXPECT_EQ(result.findings[0].message,
            "shared store of 4 bytes at offset 100 is outside the shared window of 100 bytes");
  EXPECT_EQ(result.findings[1].site, 3);
}

TEST(SimBounds, uninitialized_shared_read) {
  LaunchConfig config = shape(2, 32, 256);
  LaunchResult result = run(config, [&] {
    if (tid() < 31)
      sharedStore<uint16_t>(tid() * 4, 1, 1);
    tilec_sim_warp_barrier(allLanes, 2);
    sharedLoad<uint16_t>(tid() * 4, 3);             // Lane 31 has no value.
    sharedLoad<uint32_t>(tid() * 4, 4, tid() == 2); // Its upper half was never written.
  });
  ASSERT_EQ(result.findings.size(), 2u) << describe(result, config);
  EXPECT_EQ(result.findings[0].kind, FindingKind::UninitializedShared);
  EXPECT_EQ(result.findings[0].site, 3);
  EXPECT_EQ(result.findings[0].thread.thread, 31u);
  EXPECT_EQ(result.findings[0].count, 2u); // Shared memory does not survive a CTA.
  EXPECT_EQ(result.findings[1].site, 4);
  EXPECT_EQ(result.findings[1].message,
            "shared load of 4 bytes at offset 8 reads byte 10, which was never written");
}

TEST(SimBounds, invalid_sizes_and_selectors) {
  std::vector<int> x(32);
  LaunchConfig config = shape(1, 32, 64);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    tilec_sim_global_load(x.data(), nullptr, 64, 1, 1);
    tilec_sim_shared_store(0, nullptr, -1, 1, 2);
    tilec_sim_shfl(9, allLanes, 0, 0, 0, nullptr, 3);
    tilec_sim_redux(99, allLanes, 0, 4);
    tilec_sim_vote(-1, allLanes, 0, 5);
    tilec_sim_barrier(16, 0, 6);
    tilec_sim_barrier(0, 33, 7);
    tilec_sim_atomic(abi::AtomicAnd, abi::AtomicF32, abi::SpaceGlobal, 0, nullptr, nullptr, nullptr,
                     0, 1, 8);
    tilec_sim_atomic(0, 77, 5, 0, nullptr, nullptr, nullptr, 0, 1, 9);
  });
  ASSERT_EQ(result.findings.size(), 9u) << describe(result, config);
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(result.findings[i].kind, FindingKind::InvalidOperation);
    EXPECT_EQ(result.findings[i].site, int(i + 1));
    EXPECT_EQ(result.findings[i].count, 32u);
  }
}

TEST(SimBounds, findings_beyond_the_limit_are_counted) {
  std::vector<int> x(1);
  LaunchConfig config = shape(1, 1);
  config.maxFindings = 10;
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    for (int site = 0; site < 50; ++site)
      load(x.data() + 1 + site, site);
  });
  EXPECT_EQ(result.findings.size(), 10u);
  EXPECT_EQ(result.findingsDropped, 40u);
}

} // namespace
} // namespace tilecrt::sim::test
