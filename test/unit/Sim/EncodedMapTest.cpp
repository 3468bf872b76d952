// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that the program encodes: what their copies need.
#include "MatrixData.h"
#include "tilecrt/sim/SimAsyncAbi.h"
#include "tilecrt/sim/TensorMap.h"

namespace tilecrt::sim::test {
namespace {

constexpr uint32_t mbar = 65536, windowBytes = 65536 + 64;

struct alignas(128) Rows {
  float values[8][32] = {};
};

/// What a program may leave out.
struct Steps {
  bool fences = true, waits = true, meets = true;
};

/// Thread 0 stores by a map that the second warp encodes, and the second warp encodes it anew for a
/// matrix that has no rows, by which thread 0 loads.
LaunchResult storeTwice(LaunchConfig &config, Rows &x, Rows &y, const Steps &steps) {
  config = shape(1, 64, windowBytes);
  config.buffers.push_back({&x, sizeof x, "x", false});
  config.buffers.push_back({&y, sizeof y, "y", false});
  return run(config, [&] {
    if (tid() == 0) {
      tilec_sim_mbarrier_init(mbar, 1, 1, 90);
      tilec_sim_fence_proxy(abi::FenceMbarrierInit, 91);
    }
    for (uint32_t i = 0; i < 4; ++i)
      sharedStore<float>(tid() * 16 + i * 4, 3, 1);
    tilec_sim_fence_proxy(abi::FenceProxyAsync, 2);
    tilec_sim_barrier(0, 0, 3);
    uint64_t map = tilec_sim_tensor_maps(1, 4);
    auto encode = [&](Rows &of, int32_t rows, int32_t site) {
      int32_t sizes[] = {32, rows}, box[] = {32, 8};
      int64_t stride = sizeof of.values[0];
      if (tid() / 32 == 1)
        tilec_sim_encode_tensor_map(map, int32_t(tid() % 32), reinterpret_cast<uint64_t>(&of),
                                    sizes, &stride, box, 2, int32_t(TensorMapType::F32),
                                    int32_t(TensorMapSwizzle::Bytes128), site);
      tilec_sim_barrier(0, 0, site + 1);
      if (steps.fences)
        tilec_sim_acquire_tensor_map(reinterpret_cast<void *>(map), site + 2);
    };
    int32_t corner[] = {0, 0};
    encode(y, 2, 10);
    if (tid() == 0) {
      tilec_sim_tensor_store(reinterpret_cast<void *>(map), 0, 2, corner, abi::ReduceNone, 1, 20);
      tilec_sim_bulk_commit(21);
      if (steps.waits)
        tilec_sim_bulk_wait(0, 0, 22);
    }
    if (steps.meets)
      tilec_sim_barrier(0, 0, 23);
    encode(x, 0, 30);
    if (tid() == 0) {
      tilec_sim_mbarrier_arrive(mbar, 1, 1024, 0, 1, 40);
      tilec_sim_tensor_load(4096, reinterpret_cast<void *>(map), 2, corner, mbar, 1, 41);
    }
    tilec_sim_mbarrier_wait(mbar, 0, 1, abi::WaitTry, 0, 42);
    if (tid() == 0) {
      EXPECT_EQ(sharedLoad<float>(4096, 43), 0);
      tilec_sim_release_tensor_maps(44);
    }
  });
}

TEST(SimEncodedMaps, what_copies_by_them_need) {
  LaunchConfig config;
  Rows x, y;
  for (auto &row : x.values)
    for (float &value : row)
      value = 1;
  LaunchResult result = storeTwice(config, x, y, {});
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(y.values[1][31], 3);
  EXPECT_EQ(y.values[2][0], 0);

  result = storeTwice(config, x, y, {false, true, true});
  const Finding *fence = find(result, FindingKind::ProxyFenceMissing);
  ASSERT_TRUE(fence) << describe(result, config);
  EXPECT_EQ(fence->site, 20);
  EXPECT_EQ(fence->otherSite, 10);

  for (Steps steps : {Steps{true, false, true}, Steps{true, true, false}}) {
    result = storeTwice(config, x, y, steps);
    const Finding *anew = find(result, FindingKind::InvalidOperation);
    ASSERT_TRUE(anew) << describe(result, config);
    EXPECT_EQ(anew->site, 30);
    EXPECT_EQ(anew->otherSite, 20);
  }
}

TEST(SimEncodedMaps, memory_is_given_back_behind_the_copies) {
  Rows x;
  LaunchConfig config = shape(1, 32, windowBytes);
  config.buffers.push_back({&x, sizeof x, "x", false});
  LaunchResult result = run(config, [&] {
    uint64_t map = tilec_sim_tensor_maps(1, 1);
    sharedStore<float>(tid() * 4, 1, 2);
    tilec_sim_fence_proxy(abi::FenceProxyAsync, 3);
    int32_t sizes[] = {32, 1}, box[] = {32, 1}, corner[] = {0, 0};
    int64_t stride = sizeof x.values[0];
    tilec_sim_encode_tensor_map(map, int32_t(tid()), reinterpret_cast<uint64_t>(&x), sizes, &stride,
                                box, 2, int32_t(TensorMapType::F32),
                                int32_t(TensorMapSwizzle::Bytes128), 4);
    tilec_sim_warp_barrier(0xffffffffu, 5);
    tilec_sim_acquire_tensor_map(reinterpret_cast<void *>(map), 6);
    if (tid() == 0) {
      tilec_sim_tensor_store(reinterpret_cast<void *>(map), 0, 2, corner, abi::ReduceNone, 1, 7);
      tilec_sim_bulk_commit(8);
      tilec_sim_release_tensor_maps(9);
      tilec_sim_bulk_wait(0, 0, 10);
    }
  });
  const Finding *early = find(result, FindingKind::InvalidOperation);
  ASSERT_TRUE(early) << describe(result, config);
  EXPECT_EQ(early->site, 9);
  EXPECT_EQ(early->otherSite, 7);
}

TEST(SimEncodedMaps, bad_operands) {
  Rows x;
  LaunchConfig config = shape(1, 32, windowBytes);
  config.buffers.push_back({&x, sizeof x, "x", false});
  for (bool hasStride : {true, false}) {
    LaunchResult result = run(config, [&] {
      uint64_t map = hasStride ? reinterpret_cast<uint64_t>(&x) : tilec_sim_tensor_maps(1, 1);
      int32_t sizes[] = {32, 1}, box[] = {32, 1};
      int64_t stride = hasStride ? 128 : 132;
      tilec_sim_encode_tensor_map(map, int32_t(tid()), reinterpret_cast<uint64_t>(&x), sizes,
                                  &stride, box, 2, int32_t(TensorMapType::F32),
                                  int32_t(TensorMapSwizzle::Bytes128), 4);
    });
    const Finding *bad = find(result, FindingKind::InvalidOperation);
    ASSERT_TRUE(bad) << describe(result, config);
    EXPECT_EQ(bad->site, 4);
  }
}

} // namespace
} // namespace tilecrt::sim::test
