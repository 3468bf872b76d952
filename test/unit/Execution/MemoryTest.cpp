// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores: masks, replacement values, scalars, 64-bit offsets, booleans in memory, hints,
// strides, the grid.

#include "Execution.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace tilec::harness::test {
namespace {

TEST(MemoryTest, masksAndReplacementValues) {
  for (DType type : {DType::i8, DType::f16, DType::f32, DType::i64})
    for (int64_t n : {1, 100, 256, 1000}) {
      int64_t limit = n - n / 4;
      RunBuilder builder = kernelOf("memory.tile", "masked");
      builder.fill("x_ptr", type, {n}, [](uint64_t i) { return i % 99 + 1; });
      auto value = [&, limit](uint64_t i, double other) {
        bool read = i % 2 == 0 && static_cast<int64_t>(i) < limit;
        return read ? builder.array("x_ptr").at(i) : other;
      };
      for (auto [name, other] : {std::pair<const char *, double>{"out_ptr", -7}, {"zero_ptr", 0}})
        builder.output(
            name, type, {n},
            [&, other = other](HostArray &out) {
              for (uint64_t i = 0; i < out.size(); ++i)
                out.set(i, value(i, other));
            },
            kExact);
      builder.i32("n", n).i32("limit", limit).constant("BLOCK", 256);
      builder.grid(static_cast<uint64_t>((n + 255) / 256));
      expectRun(builder);
    }
}

TEST(MemoryTest, gatherAndScatter) {
  constexpr int64_t n = 777;
  std::vector<double> order(n);
  std::iota(order.begin(), order.end(), 0.0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(testSeed()));
  RunBuilder builder = kernelOf("memory.tile", "scatter");
  builder.randn("x_ptr", DType::f32, {n}).values("index_ptr", DType::i32, order);
  builder.fill("out_ptr", DType::f32, {n}, [](uint64_t) { return 0.25; });
  builder.changes(
      "out_ptr",
      [&](HostArray &out) {
        for (uint64_t i = 0; i < n; ++i)
          out.set(i, i % 3 == 0 ? 0.25 : builder.array("x_ptr").at(i) * 2);
      },
      kExact);
  builder.i32("n", n).constant("BLOCK", 128).grid((n + 127) / 128);
  expectRun(builder);
}

TEST(MemoryTest, scalarLoadsAndStores) {
  for (bool flag : {false, true})
    for (DType type : {DType::f32, DType::f16}) {
      constexpr uint64_t n = 9;
      RunBuilder builder = kernelOf("memory.tile", "scalars");
      builder.fill("x_ptr", type, {n + 1}, [](uint64_t i) { return static_cast<double>(i) * 0.5; });
      builder.output("out_ptr", DType::f32, {n}, [&](HostArray &out) {
        for (uint64_t i = 0; i < n; ++i)
          out.set(i, builder.array("x_ptr").at(i) * 1.5 +
                         (flag ? builder.array("x_ptr").at(i + 1) : 0) - 3);
      });
      builder.f32("scale", 1.5).scalar("shift", DType::i64, int64_t(-3));
      builder.scalar("flag", DType::boolean, flag).grid(n);
      expectRun(builder);
    }
}

TEST(MemoryTest, offsetsBeyond32Bits) {
  constexpr uint64_t rows = 5, block = 64;
  constexpr int64_t stride = 2000000011;
  RunBuilder builder = kernelOf("memory.tile", "wide_offsets");
  builder.output(
      "out_ptr", DType::i64, {rows, block},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < rows * block; ++i)
          out.as<int64_t>()[i] =
              static_cast<int64_t>(i / block) * stride + static_cast<int64_t>(i % block);
      },
      kExact, DType::i64);
  builder.i32("stride", stride).constant("BLOCK", block).grid(rows);
  expectRun(builder);
}

TEST(MemoryTest, booleansInMemory) {
  constexpr int64_t n = 500;
  RunBuilder builder = kernelOf("memory.tile", "booleans");
  builder.fill("x_ptr", DType::boolean, {n}, [](uint64_t i) { return i % 3 == 0; });
  // Anything but zero is true.
  builder.fill("y_ptr", DType::u8, {n}, [](uint64_t i) { return i % 5 == 0 ? 0 : i % 251; });
  builder.output(
      "out_ptr", DType::boolean, {n},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < n; ++i) {
          bool x = builder.array("x_ptr").at(i) != 0, y = builder.array("y_ptr").at(i) != 0;
          out.set(i, (x && !y) || (y && i % 2 == 0));
        }
      },
      kExact, DType::boolean);
  builder.i32("n", n).constant("BLOCK", 256).grid(2);
  expectRun(builder);
}

TEST(MemoryTest, gridOfThreeDimensions) {
  constexpr uint64_t x = 3, y = 4, z = 2;
  RunBuilder builder = kernelOf("memory.tile", "grid");
  builder.output(
      "out_ptr", DType::i32, {x * y * z},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < x * y * z; ++i)
          out.set(i,
                  static_cast<double>(i % x + 10 * (i / x % y) + 100 * (i / (x * y)) + 1000 * z));
      },
      kExact);
  builder.grid(x, y, z);
  expectRun(builder);
}

TEST(MemoryTest, hintsChangeNothing) {
  for (int64_t n : {1024, 1000}) {
    RunBuilder builder = kernelOf("memory.tile", "hints");
    builder.randn("x_ptr", DType::f32, {n});
    builder.output("out_ptr", DType::f32, {n}, [&](HostArray &out) {
      for (uint64_t i = 0; i < out.size(); ++i)
        out.set(i, builder.array("x_ptr").at(i) * 3);
    });
    builder.i32("n", n).constant("BLOCK", 256).grid(4);
    expectRun(builder);
  }
}

TEST(MemoryTest, accessesOf256Bits) {
  for (auto [from, to] : {std::pair{DType::f32, DType::f32}, std::pair{DType::f16, DType::f32},
                          std::pair{DType::i8, DType::i8}, std::pair{DType::i64, DType::i64}})
    for (int64_t n : {4096, 4112, 5000, 1})
      for (int warps : {1, 4}) {
        RunBuilder builder = kernelOf("memory.tile", "scale_wide");
        builder.fill("x_ptr", from, {n}, [](uint64_t i) { return double(i % 61); });
        builder.output(
            "out_ptr", to, {n},
            [](HostArray &out) {
              for (uint64_t i = 0; i < out.size(); ++i)
                out.set(i, double(i % 61 * 2));
            },
            kExact);
        builder.i32("n", n).constant("BLOCK", 2048).warps(warps);
        builder.grid(static_cast<uint64_t>((n + 2047) / 2048));
        expectRun(builder, {"sm_100", "sm_80"});
      }
}

TEST(MemoryTest, stridedColumns) {
  constexpr int64_t rows = 50, columns = 33;
  for (DType type : {DType::f32, DType::u8}) {
    RunBuilder builder = kernelOf("memory.tile", "strided");
    builder.fill("x_ptr", type, {rows, columns}, [](uint64_t i) { return i % 201; });
    builder.output(
        "out_ptr", type, {columns, rows},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, builder.array("x_ptr").at(i % rows * columns + i / rows));
        },
        kExact);
    builder.i32("rows", rows).i32("stride", columns).constant("BLOCK", 64).grid(columns);
    expectRun(builder);
  }
}

TEST(MemoryTest, pointersAdvancedInALoop) {
  constexpr int64_t rows = 8, columns = 200, step = 64;
  RunBuilder builder = kernelOf("memory.tile", "advanced");
  builder.arange("x_ptr", DType::f32, {rows, columns});
  builder.output(
      "out_ptr", DType::f32, {rows, columns},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, static_cast<double>(i + i % columns / step * step));
      },
      kExact);
  builder.i32("columns", columns).constant("M", rows).constant("N", step);
  expectRun(builder);
}

} // namespace
} // namespace tilec::harness::test
