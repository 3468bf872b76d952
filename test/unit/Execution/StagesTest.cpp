// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of loops that reduce, copied ahead in rings of which each thread reads its own part.

#include "Execution.h"

#include <cmath>

namespace tilec::harness::test {
namespace {

double small(uint64_t i) { return double(i * 31 % 17) - 8; }

class StagesTest : public ::testing::TestWithParam<int> {};

TEST_P(StagesTest, reductionsInEachIteration) {
  constexpr int64_t rows = 3, block = 256;
  for (DType type : {DType::f32, DType::bf16, DType::f16})
    for (int64_t n : {0, 1, 255, 256, 512, 1000, 1024, 1040})
      for (int64_t skew : {0, 1}) {
        int64_t stride = n + skew;
        RunBuilder builder = kernelOf("stages.tile", "peak_and_total");
        builder.fill("x_ptr", type, {rows * stride + 1}, small);
        builder.output("out_ptr", DType::f32, {rows, 2}, [&](HostArray &out) {
          for (int64_t row = 0; row < rows; ++row) {
            double peak = -INFINITY, total = 0;
            for (int64_t i = 0; i < n; ++i) {
              double x = small(uint64_t(row * stride + i));
              peak = std::max(peak, x);
              total = (i % block == 0 ? total * 0.5 : total) + x;
            }
            out.set(uint64_t(row * 2), peak);
            out.set(uint64_t(row * 2 + 1), total);
          }
        });
        builder.i32("stride", stride).i32("n", n).constant("BLOCK", block);
        builder.constant("STAGES", GetParam()).warps(n % 16 ? 1 : 2).grid(rows);
        expectRun(builder, {"sm_80"});
      }
}

TEST_P(StagesTest, ringsInALoopAround) {
  constexpr int64_t m = 7, block = 128;
  for (DType type : {DType::i8, DType::i16, DType::i32})
    for (int64_t n : {16, 128, 400, 513}) {
      RunBuilder builder = kernelOf("stages.tile", "weighted_rows");
      builder.fill("x_ptr", type, {m, n}, small);
      builder.fill("w_ptr", type, {n}, [](uint64_t i) { return double(i % 5); });
      builder.output(
          "out_ptr", DType::i32, {m},
          [&](HostArray &out) {
            for (int64_t row = 0; row < m; ++row) {
              int32_t total = 0;
              for (int64_t i = 0; i < n; ++i)
                total = (i % block == 0 ? total * 3 : total) +
                        int32_t(small(uint64_t(row * n + i))) * int32_t(i % 5);
              out.set(uint64_t(row), total);
            }
          },
          kExact);
      builder.i32("m", m).i32("n", n).constant("BLOCK", block);
      builder.constant("STAGES", GetParam()).warps(1).grid(2);
      expectRun(builder);
    }
}

TEST_P(StagesTest, loadsThatDependOnLoadsStay) {
  constexpr int64_t n = 48;
  for (int64_t m : {5, 64, 100}) {
    RunBuilder builder = kernelOf("stages.tile", "picked_columns");
    builder.fill("x_ptr", DType::f32, {m, n}, small);
    builder.fill("index_ptr", DType::i32, {m},
                 [m](uint64_t i) { return double(int64_t(i) * 3 % m); });
    builder.output(
        "out_ptr", DType::f32, {n},
        [&](HostArray &out) {
          for (int64_t j = 0; j < n; ++j) {
            double total = 0;
            for (int64_t i = 0; i < m; ++i)
              total += small(uint64_t(i * n + j)) + small(uint64_t(i * 3 % m * n + j));
            out.set(uint64_t(j), total);
          }
        },
        kExact);
    builder.i32("m", m).i32("n", n).constant("M", 16).constant("N", 64);
    builder.constant("STAGES", GetParam());
    expectRun(builder);
  }
}

INSTANTIATE_TEST_SUITE_P(All, StagesTest, ::testing::Values(1, 2, 3, 5),
                         [](const auto &info) { return "of" + std::to_string(info.param); });

} // namespace
} // namespace tilec::harness::test
