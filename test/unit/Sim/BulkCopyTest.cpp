// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk and tensor copies against plain loops over the tensor, and the fences and waits they need.
#include "MatrixData.h"
#include "tilecrt/sim/SimAsyncAbi.h"
#include "tilecrt/sim/TensorMap.h"

namespace tilecrt::sim::test {
namespace {

constexpr uint32_t mbar = 65536;
constexpr uint32_t windowBytes = 65536 + 64;

/// Memory whose address is a multiple of 64.
struct Aligned {
  struct alignas(64) Line {
    uint8_t b[64];
  };
  explicit Aligned(size_t bytes) : lines((bytes + 63) / 64) {}
  uint8_t *data() { return lines.front().b; }
  size_t size() const { return lines.size() * 64; }
  void fill(std::mt19937 &random) {
    for (size_t i = 0; i < size(); ++i)
      data()[i] = static_cast<uint8_t>(random());
  }
  std::vector<Line> lines;
};

void addBuffer(LaunchConfig &config, Aligned &memory, const char *name) {
  config.buffers.push_back({memory.data(), memory.size(), name, false});
}

/// Thread 0 makes the barrier object; everybody sees it.
void setUp(int32_t count = 1) {
  if (tid() == 0) {
    tilec_sim_mbarrier_init(mbar, count, 1, 90);
    tilec_sim_fence_proxy(abi::FenceMbarrierInit, 91);
  }
  tilec_sim_barrier(0, 0, 92);
}

void expect(uint32_t bytes) {
  tilec_sim_mbarrier_arrive(mbar, 1, static_cast<int32_t>(bytes), 0, 1, 93);
}

void waitFull(uint64_t parity = 0) {
  tilec_sim_mbarrier_wait(mbar, parity, 1, abi::WaitTry, 0, 94);
}

/// The swizzle once more: the 16-byte unit's number in its line is XOR-ed with the line's number.
uint32_t swizzled(uint32_t address, uint32_t span) {
  if (span == 0)
    return address;
  uint32_t unit = address / 16 % (span / 16), line = address / 128;
  return address / span * span + ((unit ^ line) % (span / 16)) * 16 + address % 16;
}

/// A map with random sizes; the whole tensor is inside `memory`.
TensorMapFields randomMap(std::mt19937 &random, uint32_t rank, TensorMapType type,
                          TensorMapSwizzle swizzle) {
  auto between = [&](uint32_t low, uint32_t high) {
    return low + static_cast<uint32_t>(random() % (high - low + 1));
  };
  TensorMapFields f;
  f.type = type;
  f.rank = rank;
  f.swizzle = swizzle;
  uint32_t elementBytes = tensorMapElementBytes(type);
  uint32_t span = 16u << static_cast<uint32_t>(swizzle);
  f.box[0] = (swizzle == TensorMapSwizzle::None ? between(1, 4) * 16 : span) / elementBytes;
  f.dims[0] = between(1, 3 * f.box[0]);
  uint64_t stride = (f.dims[0] * elementBytes + 15) / 16 * 16 + 16 * between(0, 2);
  for (uint32_t i = 1; i < rank; ++i) {
    f.dims[i] = between(1, 9);
    f.box[i] = between(1, rank > 3 ? 3 : 6);
    f.elementStrides[i] = between(0, 3) == 0 ? between(1, 3) : 1;
    f.strides[i - 1] = stride;
    stride *= f.dims[i];
  }
  return f;
}

uint64_t bytesOf(const TensorMapFields &f) {
  uint64_t bytes = f.rank == 1 ? f.dims[0] * tensorMapElementBytes(f.type)
                               : f.strides[f.rank - 2] * f.dims[f.rank - 1];
  return bytes;
}

/// Calls `visit(offset in the box, element inside?, its address in the tensor)` for every element.
template <typename Visit>
void eachElement(const TensorMapFields &f, const int32_t *coords, const Visit &visit) {
  uint32_t elementBytes = tensorMapElementBytes(f.type), offset = 0;
  std::array<uint32_t, 5> steps = {1, 1, 1, 1, 1};
  for (uint32_t i = 0; i < f.rank; ++i)
    steps[i] = i == 0 ? f.box[0] : (f.box[i] + f.elementStrides[i] - 1) / f.elementStrides[i];
  for (uint32_t e = 0; e < steps[4]; ++e)
    for (uint32_t d = 0; d < steps[3]; ++d)
      for (uint32_t c = 0; c < steps[2]; ++c)
        for (uint32_t b = 0; b < steps[1]; ++b)
          for (uint32_t a = 0; a < steps[0]; ++a, offset += elementBytes) {
            uint32_t at[] = {a, b, c, d, e};
            bool inside = true;
            int64_t address = 0;
            for (uint32_t i = 0; i < f.rank; ++i) {
              int64_t x = coords[i] + int64_t(at[i]) * (i == 0 ? 1 : f.elementStrides[i]);
              inside &= x >= 0 && x < static_cast<int64_t>(f.dims[i]);
              address += x * static_cast<int64_t>(i == 0 ? elementBytes : f.strides[i - 1]);
            }
            visit(offset, inside, address);
          }
}

uint32_t boxBytes(const TensorMapFields &f) {
  uint32_t bytes = 0;
  const int32_t zero[5] = {};
  eachElement(f, zero, [&](uint32_t offset, bool, int64_t) {
    bytes = offset + tensorMapElementBytes(f.type);
  });
  return bytes;
}

constexpr TensorMapSwizzle swizzles[] = {TensorMapSwizzle::None, TensorMapSwizzle::Bytes32,
                                         TensorMapSwizzle::Bytes64, TensorMapSwizzle::Bytes128};
constexpr TensorMapType types[] = {TensorMapType::U8, TensorMapType::F16, TensorMapType::F32,
                                   TensorMapType::F64};

TEST(SimBulk, tensor_loads_of_every_rank_and_swizzle) {
  std::mt19937 random(testSeed());
  for (int repeat = 0; repeat < 120; ++repeat) {
    uint32_t rank = 1 + static_cast<uint32_t>(repeat) % 5;
    TensorMapFields f = randomMap(random, rank, types[repeat / 5 % 4], swizzles[random() % 4]);
    uint32_t elementBytes = tensorMapElementBytes(f.type);
    bool nan = f.type >= TensorMapType::F16 && random() % 2 == 0;
    f.fill = nan ? TensorMapFill::NaN : TensorMapFill::Zero;
    Aligned x(bytesOf(f));
    x.fill(random);
    f.address = reinterpret_cast<uint64_t>(x.data());
    TensorMap map;
    ASSERT_EQ(encodeTensorMap(f, map), "");
    int32_t coords[5];
    for (uint32_t i = 0; i < 5; ++i)
      coords[i] = static_cast<int32_t>(random() % 12) - 4;
    uint32_t bytes = boxBytes(f), dst = 1024 * static_cast<uint32_t>(random() % 3);
    std::vector<uint8_t> got(bytes);
    LaunchConfig config = shape(1, 32, windowBytes);
    addBuffer(config, x, "x");
    LaunchResult result = run(config, [&] {
      setUp();
      if (tid() == 0) {
        expect(bytes);
        tilec_sim_tensor_load(dst, &map, static_cast<int32_t>(rank), coords, mbar, 1, 1);
      }
      waitFull();
      if (tid() == 0)
        for (uint32_t i = 0; i < bytes; ++i)
          got[i] = sharedLoad<uint8_t>(dst + i, 2);
    });
    SCOPED_TRACE("seed " + std::to_string(testSeed()) + ", map " + std::to_string(repeat));
    EXPECT_CLEAN(result, config);
    EXPECT_EQ(result.totals.bulkLoadBytes, bytes);
    uint32_t span =
        f.swizzle == TensorMapSwizzle::None ? 0 : 16u << static_cast<uint32_t>(f.swizzle);
    eachElement(f, coords, [&](uint32_t offset, bool inside, int64_t address) {
      for (uint32_t i = 0; i < elementBytes; ++i) {
        uint8_t expected = inside ? x.data()[address + i]
                           : nan  ? (i + 1 == elementBytes ? 0x7f : 0xff)
                                  : 0;
        ASSERT_EQ(got[swizzled(dst + offset + i, span) - dst], expected) << offset + i;
      }
    });
  }
}

TEST(SimBulk, tensor_stores_and_reductions) {
  std::mt19937 random(testSeed());
  for (int repeat = 0; repeat < 60; ++repeat) {
    uint32_t rank = 1 + static_cast<uint32_t>(repeat) % 5;
    bool adds = repeat % 2 == 1;
    TensorMapFields f = randomMap(random, rank, adds ? TensorMapType::F32 : types[repeat / 5 % 4],
                                  swizzles[random() % 4]);
    f.elementStrides.fill(1);
    uint32_t elementBytes = tensorMapElementBytes(f.type);
    Aligned y(bytesOf(f));
    if (adds)
      for (size_t i = 0; i < y.size() / 4; ++i)
        reinterpret_cast<float *>(y.data())[i] = static_cast<float>(i);
    Aligned expected = y;
    f.address = reinterpret_cast<uint64_t>(y.data());
    TensorMap map;
    ASSERT_EQ(encodeTensorMap(f, map), "");
    int32_t coords[5];
    for (uint32_t i = 0; i < 5; ++i)
      coords[i] = static_cast<int32_t>(random() % 12) - 4;
    uint32_t bytes = boxBytes(f), src = 1024;
    std::vector<uint8_t> box(bytes);
    for (uint32_t i = 0; i < bytes; ++i)
      box[i] = static_cast<uint8_t>(random());
    if (adds)
      for (uint32_t i = 0; i < bytes; i += 4) {
        float value = static_cast<float>(random() % 100);
        std::memcpy(&box[i], &value, 4);
      }
    uint32_t span =
        f.swizzle == TensorMapSwizzle::None ? 0 : 16u << static_cast<uint32_t>(f.swizzle);
    LaunchConfig config = shape(1, 32, windowBytes);
    addBuffer(config, y, "y");
    LaunchResult result = run(config, [&] {
      for (uint32_t i = tid(); i < bytes; i += 32)
        sharedStore(swizzled(src + i, span), box[i], 1);
      tilec_sim_fence_proxy(abi::FenceProxyAsyncShared, 2);
      tilec_sim_barrier(0, 0, 3);
      if (tid() != 0)
        return;
      tilec_sim_tensor_store(&map, src, static_cast<int32_t>(rank), coords,
                             adds ? abi::ReduceAdd : abi::ReduceNone, 1, 4);
      tilec_sim_bulk_commit(5);
      tilec_sim_bulk_wait(0, repeat % 3 == 0, 6); // With .read the writing ends with the CTA.
    });
    SCOPED_TRACE("seed " + std::to_string(testSeed()) + ", map " + std::to_string(repeat));
    EXPECT_CLEAN(result, config);
    eachElement(f, coords, [&](uint32_t offset, bool inside, int64_t address) {
      if (!inside)
        return;
      if (!adds) {
        std::memcpy(expected.data() + address, &box[offset], elementBytes);
        return;
      }
      float sum, value;
      std::memcpy(&sum, expected.data() + address, 4);
      std::memcpy(&value, &box[offset], 4);
      sum += value;
      std::memcpy(expected.data() + address, &sum, 4);
    });
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size()), 0);
  }
}

TEST(SimBulk, pieces_there_and_back) {
  std::mt19937 random(testSeed());
  Aligned x(4096), y(4096);
  x.fill(random);
  LaunchConfig config = shape(1, 32, windowBytes);
  addBuffer(config, x, "x");
  addBuffer(config, y, "y");
  LaunchResult result = run(config, [&] {
    setUp();
    if (tid() == 0) {
      tilec_sim_bulk_load(256, x.data(), 4096, mbar, 1, 1);
      expect(4096); // After the copy is as good as before.
      waitFull();
      // Loaded and stored by the async proxy: no fence.
      tilec_sim_bulk_store(y.data(), 256, 2048, 0xffff, 1, 2);
      tilec_sim_bulk_store(y.data() + 2048, 256 + 2048, 2048, 0x00ff, 1, 3);
      tilec_sim_bulk_commit(4);
      tilec_sim_bulk_wait(0, 0, 5);
    }
  });
  EXPECT_CLEAN(result, config);
  for (size_t i = 0; i < 4096; ++i)
    ASSERT_EQ(y.data()[i], i >= 2048 && i % 16 >= 8 ? 0 : x.data()[i]) << i;
}

/// A load of 1 KiB by thread 0, read by all threads; what happens in between is up to `before` (the
/// issue) and `after`.
LaunchResult loadAndRead(LaunchConfig &config, const std::function<void()> &before,
                         const std::function<void()> &after) {
  static Aligned x(1024);
  config = shape(1, 64, windowBytes);
  addBuffer(config, x, "x");
  return run(config, [&] {
    setUp();
    before();
    if (tid() == 0) {
      expect(1024);
      tilec_sim_bulk_load(0, x.data(), 1024, mbar, 1, 1);
    }
    after();
    sharedLoad<uint32_t>(tid() * 4, 2);
  });
}

TEST(SimBulk, a_read_before_the_wait) {
  LaunchConfig config;
  LaunchResult result = loadAndRead(config, [] {}, [] { tilec_sim_barrier(0, 0, 3); });
  const Finding *early = find(result, FindingKind::AsyncReadEarly);
  ASSERT_TRUE(early) << describe(result, config);
  EXPECT_EQ(early->site, 2);
  EXPECT_EQ(early->otherSite, 1);
  // A wait by one thread does not help those who do not meet it.
  result = loadAndRead(
      config, [] {},
      [] {
        if (tid() == 32)
          waitFull();
      });
  EXPECT_TRUE(find(result, FindingKind::AsyncReadEarly)) << describe(result, config);
  result = loadAndRead(
      config, [] {},
      [] {
        if (tid() == 32)
          waitFull();
        tilec_sim_barrier(0, 0, 3);
      });
  EXPECT_CLEAN(result, config);
}

TEST(SimBulk, generic_accesses_before_a_load_need_a_fence) {
  for (bool writes : {true, false})
    for (bool fence : {true, false}) {
      LaunchConfig config;
      LaunchResult result = loadAndRead(
          config,
          [&] {
            sharedStore<uint32_t>(tid() * 4, 1, 4);
            if (fence)
              tilec_sim_fence_proxy(abi::FenceProxyAsync, 5);
            if (!writes) {
              sharedLoad<uint32_t>(tid() * 4, 6);
              if (fence)
                tilec_sim_fence_proxy(abi::FenceProxyAsync, 7);
            }
            tilec_sim_barrier(0, 0, 8);
          },
          [] { waitFull(); });
      if (fence) {
        EXPECT_CLEAN(result, config);
        continue;
      }
      const Finding *missing = find(result, FindingKind::ProxyFenceMissing);
      ASSERT_TRUE(missing) << describe(result, config);
      EXPECT_EQ(missing->site, 1);
      EXPECT_EQ(missing->otherSite, writes ? 4 : 6);
    }
}

TEST(SimBulk, a_fence_before_the_barrier_or_after_it) {
  LaunchConfig config;
  // By the thread that issues, after the barrier: it lies between as well.
  LaunchResult result = loadAndRead(
      config,
      [] {
        sharedStore<uint32_t>(tid() * 4, 1, 4);
        tilec_sim_barrier(0, 0, 8);
        if (tid() == 0)
          tilec_sim_fence_proxy(abi::FenceProxyAsync, 5);
      },
      [] { waitFull(); });
  EXPECT_CLEAN(result, config);
  // By one thread before the barrier: it covers its own stores only.
  result = loadAndRead(
      config,
      [] {
        sharedStore<uint32_t>(tid() * 4, 1, 4);
        if (tid() == 0)
          tilec_sim_fence_proxy(abi::FenceProxyAsync, 5);
        tilec_sim_barrier(0, 0, 8);
      },
      [] { waitFull(); });
  EXPECT_TRUE(find(result, FindingKind::ProxyFenceMissing)) << describe(result, config);
  // Before the last store.
  result = loadAndRead(
      config,
      [] {
        tilec_sim_fence_proxy(abi::FenceProxyAsync, 5);
        sharedStore<uint32_t>(tid() * 4, 1, 4);
        tilec_sim_barrier(0, 0, 8);
      },
      [] { waitFull(); });
  EXPECT_TRUE(find(result, FindingKind::ProxyFenceMissing)) << describe(result, config);
}

TEST(SimBulk, a_store_over_the_destination) {
  LaunchConfig config;
  LaunchResult result = loadAndRead(
      config,
      [] {
        if (tid() >= 32)
          return;
        sharedStore<uint32_t>(tid() * 4, 1, 4);
        tilec_sim_fence_proxy(abi::FenceProxyAsync, 5);
      },
      [] { waitFull(); });
  // Thread 0 runs first, so the others write under the copy.
  const Finding *overwrite = find(result, FindingKind::AsyncOverwrite);
  ASSERT_TRUE(overwrite) << describe(result, config);
  EXPECT_EQ(overwrite->site, 4);
  EXPECT_EQ(overwrite->otherSite, 1);
}

/// All threads fill 1 KiB, thread 0 stores it; `fences` and so on as they say.
LaunchResult fillAndStore(LaunchConfig &config, bool fences, bool waits, bool overwrites,
                          bool readOnly) {
  static Aligned y(1024);
  config = shape(1, 64, windowBytes);
  addBuffer(config, y, "y");
  return run(config, [=] {
    for (uint32_t i = 0; i < 4; ++i)
      sharedStore<uint32_t>(tid() * 16 + i * 4, tid() + i, 1);
    if (fences)
      tilec_sim_fence_proxy(abi::FenceProxyAsync, 2);
    tilec_sim_barrier(0, 0, 3);
    if (tid() == 0) {
      tilec_sim_bulk_store(y.data(), 0, 1024, 0xffff, 1, 4);
      tilec_sim_bulk_commit(5);
      if (waits)
        tilec_sim_bulk_wait(0, readOnly, 6);
    }
    tilec_sim_barrier(0, 0, 7);
    if (overwrites)
      sharedStore<uint32_t>(tid() * 16, 0, 8);
    else if (tid() == 40)
      load(reinterpret_cast<uint32_t *>(y.data() + 512), 9);
  });
}

TEST(SimBulk, a_store_needs_fence_and_wait) {
  LaunchConfig config;
  LaunchResult result = fillAndStore(config, true, true, true, true);
  EXPECT_CLEAN(result, config);
  result = fillAndStore(config, false, true, true, true);
  const Finding *missing = find(result, FindingKind::ProxyFenceMissing);
  ASSERT_TRUE(missing) << describe(result, config);
  EXPECT_EQ(missing->site, 4);
  EXPECT_EQ(missing->otherSite, 1);
  result = fillAndStore(config, true, false, true, true);
  const Finding *overwrite = find(result, FindingKind::AsyncOverwrite);
  ASSERT_TRUE(overwrite) << describe(result, config);
  EXPECT_EQ(overwrite->site, 8);
  EXPECT_EQ(overwrite->otherSite, 4);
  EXPECT_TRUE(find(result, FindingKind::AsyncUnfinished)) << describe(result, config);
}

TEST(SimBulk, the_wait_for_a_load_says_nothing_of_a_store) {
  Aligned x(1024), y(1024);
  for (bool hasBarrier : {true, false}) {
    LaunchConfig config = shape(1, 64, windowBytes);
    addBuffer(config, x, "x");
    addBuffer(config, y, "y");
    LaunchResult result = run(config, [&] {
      setUp();
      for (uint32_t i = 0; i < 4; ++i)
        sharedStore<uint32_t>(tid() * 16 + i * 4, tid() + i, 1);
      tilec_sim_fence_proxy(abi::FenceProxyAsync, 2);
      tilec_sim_barrier(0, 0, 3);
      if (tid() == 0) {
        expect(1024);
        tilec_sim_bulk_load(4096, x.data(), 1024, mbar, 1, 4);
        tilec_sim_bulk_store(y.data(), 0, 1024, 0xffff, 1, 5);
        tilec_sim_bulk_commit(6);
        tilec_sim_bulk_wait(0, 1, 7);
      }
      if (hasBarrier)
        tilec_sim_barrier(0, 0, 8);
      waitFull();
      // The load has landed behind the read of the store, which only thread 0 has waited for.
      sharedStore<uint32_t>(tid() * 16, 0, 9);
    });
    if (hasBarrier) {
      EXPECT_CLEAN(result, config);
      continue;
    }
    const Finding *race = find(result, FindingKind::SharedRaceWAR);
    ASSERT_TRUE(race) << describe(result, config);
    EXPECT_EQ(race->site, 9);
    EXPECT_EQ(race->otherSite, 5);
  }
}

TEST(SimBulk, what_a_store_writes_is_read_after_the_whole_wait) {
  LaunchConfig config;
  LaunchResult result = fillAndStore(config, true, true, false, false);
  EXPECT_CLEAN(result, config);
  result = fillAndStore(config, true, true, false, true); // .read is not enough.
  EXPECT_TRUE(find(result, FindingKind::GlobalRaceReadWrite)) << describe(result, config);
}

TEST(SimBulk, ends_of_the_cta_with_copies_in_flight) {
  Aligned x(1024);
  LaunchConfig config = shape(1, 32, windowBytes);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    setUp();
    if (tid() == 0)
      tilec_sim_bulk_load(0, x.data(), 1024, mbar, 1, 1);
  });
  const Finding *unfinished = find(result, FindingKind::AsyncUnfinished);
  ASSERT_TRUE(unfinished) << describe(result, config);
  EXPECT_EQ(unfinished->site, 1);
}

TEST(SimBulk, the_barrier_object_must_be_fenced) {
  Aligned x(1024);
  LaunchConfig config = shape(1, 32, windowBytes);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    if (tid() != 0)
      return;
    tilec_sim_mbarrier_init(mbar, 1, 1, 1);
    tilec_sim_bulk_load(0, x.data(), 1024, mbar, 1, 2);
    expect(1024);
    waitFull();
  });
  const Finding *missing = find(result, FindingKind::ProxyFenceMissing);
  ASSERT_TRUE(missing) << describe(result, config);
  EXPECT_EQ(missing->site, 2);
  EXPECT_EQ(missing->otherSite, 1);
}

TEST(SimBulk, a_tensor_larger_than_its_buffer_and_other_bad_operands) {
  Aligned x(1024), y(1024);
  TensorMapFields f;
  f.type = TensorMapType::F32;
  f.rank = 2;
  f.dims = {16, 32};
  f.strides = {64};
  f.box = {16, 16};
  f.address = reinterpret_cast<uint64_t>(x.data());
  TensorMap map;
  ASSERT_EQ(encodeTensorMap(f, map), "");
  LaunchConfig config = shape(1, 32, windowBytes);
  addBuffer(config, x, "x");
  LaunchResult result = run(config, [&] {
    setUp(8);
    if (tid() != 0)
      return;
    int32_t zero[5] = {}, far[5] = {0, 8};
    tilec_sim_tensor_load(0, &map, 2, zero, mbar, 1, 1);   // Fine.
    tilec_sim_tensor_load(1024, &map, 2, far, mbar, 1, 2); // Past the end of x.
    tilec_sim_tensor_load(2048 + 64, &map, 2, zero, mbar, 1, 3);
    tilec_sim_tensor_load(65536, &map, 2, zero, mbar, 1, 4);
    tilec_sim_tensor_load(4096, &map, 3, zero, mbar, 1, 5);
    tilec_sim_tensor_load(4096, y.data(), 2, zero, mbar, 1, 6);
    tilec_sim_tensor_load(4096, &map, 2, zero, 64, 1, 7); // No object there.
    tilec_sim_bulk_load(4096, x.data(), 24, mbar, 1, 8);
    tilec_sim_bulk_load(4096, x.data() + 8, 16, mbar, 1, 9);
    tilec_sim_mbarrier_arrive(mbar, 8, 2048, 0, 1, 10);
    waitFull();
  });
  std::vector<std::pair<int32_t, FindingKind>> got;
  for (const Finding &finding : result.findings)
    got.emplace_back(finding.site, finding.kind);
  std::sort(got.begin(), got.end());
  using K = FindingKind;
  EXPECT_EQ(got, (std::vector<std::pair<int32_t, FindingKind>>{{2, K::OutOfBoundsGlobal},
                                                               {3, K::MisalignedAccess},
                                                               {4, K::OutOfWindowShared},
                                                               {5, K::InvalidOperation},
                                                               {6, K::InvalidOperation},
                                                               {7, K::InvalidMbarrier},
                                                               {8, K::InvalidOperation},
                                                               {9, K::MisalignedAccess}}))
      << describe(result, config);
}

TEST(SimBulk, tensor_maps_are_checked) {
  Aligned x(1024);
  TensorMapFields good;
  good.type = TensorMapType::F16;
  good.rank = 2;
  good.dims = {64, 8};
  good.strides = {128};
  good.box = {32, 8};
  good.address = reinterpret_cast<uint64_t>(x.data());
  TensorMap map;
  ASSERT_EQ(encodeTensorMap(good, map), "");
  TensorMapFields back;
  ASSERT_TRUE(decodeTensorMap(&map, back));
  EXPECT_EQ(back.dims, good.dims);
  EXPECT_EQ(back.box, good.box);
  map.bytes[8] ^= 1;
  EXPECT_FALSE(decodeTensorMap(&map, back));
  auto problem = [&](auto &&change) {
    TensorMapFields f = good;
    change(f);
    return encodeTensorMap(f, map);
  };
  using F = TensorMapFields;
  EXPECT_NE(problem([](F &f) { f.rank = 6; }), "");
  EXPECT_NE(problem([](F &f) { f.address += 8; }), "");
  EXPECT_NE(problem([](F &f) { f.strides[0] = 130; }), "");
  EXPECT_NE(problem([](F &f) { f.dims[1] = 0; }), "");
  EXPECT_NE(problem([](F &f) { f.box[1] = 257; }), "");
  EXPECT_NE(problem([](F &f) { f.elementStrides[1] = 9; }), "");
  EXPECT_NE(problem([](F &f) { f.interleave = TensorMapInterleave::Bytes16; }), "");
  EXPECT_EQ(problem([](F &f) { f.swizzle = TensorMapSwizzle::Bytes32; }),
            "rows of 64 bytes in the box of a tensor map with a 32-byte swizzle, expected as "
            "many");
  EXPECT_EQ(problem([](F &f) { f.box[0] = 20; }),
            "rows of 40 bytes in the box of a tensor map, expected a multiple of 16");
}

} // namespace
} // namespace tilecrt::sim::test
