// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor descriptors that the launch passes: tensor maps on sm_90a, pointers on sm_80.

#include "DotTolerance.h"

#include <cmath>

namespace tilec::harness::test {
namespace {

RunBuilder descriptors(const std::string &kernel) {
  return kernelOf("host-descriptors.tile", kernel);
}

TEST(HostDescriptors, ofAllTypes) {
  for (DType type : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i8, DType::u8,
                     DType::i16, DType::i32, DType::i64}) {
    RunBuilder builder = descriptors("scaled");
    if (tilecrt::isFloat(type))
      builder.randn("x", type, {50, 48});
    else
      builder.randint("x", type, {50, 48}, 0, 60);
    builder.output(
        "out", type, {50, 48},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, 2 * builder.array("x").at(i));
        },
        kExact);
    builder.i32("scale", 2);
    builder.descriptor("x", {16, 32}).descriptor("out", {16, 32});
    expectRun(builder, {"sm_80"});
  }
}

TEST(HostDescriptors, edges) {
  for (bool isNan : {false, true})
    for (int64_t start : {-3, 0, 9, 100}) {
      RunBuilder builder = descriptors("with_edges");
      builder.randn("x", DType::f32, {20, 24});
      builder.output(
          "out_ptr", DType::f32, {16, 32},
          [&](HostArray &out) {
            for (int64_t i = 0; i < 16; ++i)
              for (int64_t j = 0; j < 32; ++j) {
                int64_t row = start + i, column = start + j;
                bool isInside = row >= 0 && row < 20 && column >= 0 && column < 24;
                double outside = isNan ? std::nan("") : 0;
                out.set(uint64_t(i * 32 + j),
                        isInside ? builder.array("x").at(uint64_t(row * 24 + column)) : outside);
              }
          },
          kExact);
      builder.i32("start", start).constant("ROWS", 16).constant("COLUMNS", 32);
      expectRun(builder.descriptor("x", {16, 32}, isNan), {"sm_80"});
    }
}

TEST(HostDescriptors, ofOneAndThreeDimensions) {
  RunBuilder builder = descriptors("vectors");
  builder.randn("x", DType::f32, {100}).randn("cube", DType::f16, {5, 20, 40});
  builder.output(
      "y", DType::f32, {100},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, builder.array("x").at(i) + 1);
      },
      toleranceFor(DType::f32));
  builder.output(
      "out", DType::f16, {5, 20, 40},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, 2 * builder.array("cube").at(i));
      },
      kExact);
  builder.descriptor("x", {64}).descriptor("y", {64});
  builder.descriptor("cube", {2, 8, 64}).descriptor("out", {2, 8, 64});
  expectRun(builder.constant("BLOCK", 64), {"sm_80"});
}

TEST(HostDescriptors, throughABranch) {
  for (int64_t which : {0, 1}) {
    RunBuilder builder = descriptors("chosen");
    builder.randn("x", DType::f32, {16, 16}).randn("y", DType::f32, {8, 16});
    builder.output(
        "out", DType::f32, {16, 16},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, !which ? builder.array("x").at(i) : i < 128 ? builder.array("y").at(i) : 0);
        },
        kExact);
    builder.i32("which", which);
    builder.descriptor("x", {16, 16}).descriptor("y", {16, 16}).descriptor("out", {16, 16});
    expectRun(builder, {"sm_80"});
  }
}

TEST(HostDescriptors, products) {
  for (DType type : {DType::f16, DType::f32, DType::f8e5m2})
    for (int stages : {1, 3}) {
      constexpr uint64_t m = 150, n = 112, k = 176;
      RunBuilder builder = descriptors("products");
      builder.randn("a", type, {m, k}).randn("b", type, {k, n});
      builder.output(
          "out", DType::f32, {m, n},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < m; ++i)
              for (uint64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (uint64_t x = 0; x < k; ++x)
                  sum += builder.array("a").at(i * k + x) * builder.array("b").at(x * n + j);
                out.set(i * n + j, sum);
              }
          },
          dotTolerance(type, DType::f32, k, false));
      builder.descriptor("a", {64, 64}).descriptor("b", {64, 64}).descriptor("out", {64, 64});
      expectRun(builder.constant("STAGES", stages).grid(2), {"sm_80"});
    }
}

TEST(HostDescriptors, rowsByNumber) {
  const std::vector<double> from = {3, 0, 19, 3, 20, -1, 7, 11}, to = {0, 4, 1, 9, 5, 2, 12, -3};
  for (DType type : {DType::f16, DType::f32, DType::i8})
    for (bool isNan : {false, true}) {
      if (isNan && !tilecrt::isFloat(type))
        continue;
      RunBuilder builder = descriptors("rows");
      builder.randint("x", type, {20, 48}, -50, 50);
      builder.fill("out", type, {12, 48}, [](uint64_t) { return 77.0; });
      builder.changes(
          "out",
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i)
              out.set(i, 77);
            for (size_t r = 0; r < from.size(); ++r)
              for (uint64_t j = 0; j < 48; ++j) {
                bool isInside = from[r] >= 0 && from[r] < 20;
                double value = isInside ? builder.array("x").at(uint64_t(from[r]) * 48 + j)
                               : isNan  ? std::nan("")
                                        : 0;
                if (to[r] >= 0 && to[r] < 12)
                  out.set(uint64_t(to[r]) * 48 + j, value + 1);
              }
          },
          kExact);
      builder.values("from_ptr", DType::i32, from).values("to_ptr", DType::i32, to);
      builder.descriptor("x", {1, 32}, isNan).descriptor("out", {1, 32});
      expectRun(builder.constant("ROWS", 8), {"sm_80"});
    }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

int64_t combine(const std::string &kind, int64_t a, int64_t b) {
  if (kind == "min")
    return std::min(a, b);
  if (kind == "max")
    return std::max(a, b);
  if (kind == "and")
    return a & b;
  if (kind == "or")
    return a | b;
  return kind == "xor" ? a ^ b : a + b;
}

constexpr uint64_t kBlocks = 3, kBlockRows = 16, kBlockedRows = 13, kBlockedColumns = 40;

/// Four programs, of which the last one has a block that is outside of x: zeros.
void expectCombined(DType type, const std::string &kind, int64_t low, int64_t high) {
  SCOPED_TRACE(std::string(tilecrt::dtypeName(type)) + " " + kind);
  RunBuilder builder = descriptors("combined");
  builder.randint("x", type, {kBlocks * kBlockRows, kBlockedColumns}, low, high);
  builder.randint("out", type, {kBlockedRows, kBlockedColumns}, low, high);
  builder.changes(
      "out",
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i) {
          auto value = int64_t(builder.array("out").at(i));
          for (uint64_t block = 0; block < kBlocks; ++block)
            value =
                combine(kind, value,
                        int64_t(builder.array("x").at(block * kBlockRows * kBlockedColumns + i)));
          out.set(i, double(combine(kind, value, 0)));
        }
      },
      kExact);
  builder.descriptor("x", {kBlockRows, 64}).descriptor("out", {kBlockRows, 64});
  expectRun(builder.constant("KIND", "'" + kind + "'").grid(4), {"sm_80"});
}

TEST(DescriptorReductions, ofIntegers) {
  for (DType type : {DType::i32, DType::u32, DType::i64, DType::u64})
    for (const char *kind : {"add", "min", "max", "and", "or", "xor"})
      expectCombined(type, kind, tilecrt::isSignedInteger(type) ? -1000 : 0, 1000);
}

TEST(DescriptorReductions, ofFloats) {
  // Small whole numbers, so that the order of a sum does not matter.
  for (DType type : {DType::f16, DType::f32, DType::f64})
    expectCombined(type, "add", -9, 10);
  expectCombined(DType::f32, "max", -9, 10);
}

TEST(DescriptorReductions, besideStores) {
  for (DType type : {DType::i32, DType::i64}) {
    RunBuilder builder = descriptors("stored_and_combined");
    builder.randint("x", type, {16, 32}, -20, 20);
    builder.output(
        "out", type, {16, 32},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, std::max(2 * builder.array("x").at(i), 5.0));
        },
        kExact);
    builder.descriptor("x", {16, 32}).descriptor("out", {16, 32});
    expectRun(builder, {"sm_80"});
  }
}

} // namespace
} // namespace tilec::harness::test
