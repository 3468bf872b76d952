// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory used again and again: reductions, transposes and layout conversions in sequence and
// in loops, with one to sixteen warps. The simulator's checks look for the barriers, the references
// for the values.

#include "Execution.h"

#include <cmath>

namespace tilec::harness::test {
namespace {

class HazardTest : public ::testing::TestWithParam<int> {};

TEST_P(HazardTest, normaliseInALoop) {
  for (uint64_t n : {4, 16, 64}) {
    RunBuilder builder = kernelOf("hazards.tile", "normalise");
    builder.randn("x_ptr", DType::f32, {static_cast<int64_t>(n), static_cast<int64_t>(n)});
    constexpr int steps = 3;
    builder.output(
        "out_ptr", DType::f32, {static_cast<int64_t>(n), static_cast<int64_t>(n)},
        [&](HostArray &out) {
          auto *x = out.as<double>();
          for (uint64_t i = 0; i < n * n; ++i)
            x[i] = builder.array("x_ptr").at(i);
          for (int step = 0; step < steps; ++step) {
            for (uint64_t row = 0; row < n; ++row) {
              double peak = x[row * n];
              for (uint64_t i = 0; i < n; ++i)
                peak = std::max(peak, x[row * n + i]);
              for (uint64_t i = 0; i < n; ++i)
                x[row * n + i] -= peak;
            }
            for (uint64_t column = 0; column < n; ++column) {
              double total = 1;
              for (uint64_t i = 0; i < n; ++i)
                total += std::fabs(x[i * n + column]);
              for (uint64_t i = 0; i < n; ++i)
                x[i * n + column] /= total;
            }
            double total = 0;
            for (uint64_t row = 0; row < n; ++row)
              for (uint64_t i = 0; i < n; ++i) {
                total += x[row * n + i];
                if (step % 2 == 0 && i < row)
                  std::swap(x[row * n + i], x[i * n + row]);
              }
            for (uint64_t i = 0; i < n * n; ++i)
              x[i] += total;
          }
        },
        tilecrt::Tolerance{1e-4, 1e-4});
    builder.i32("steps", steps).constant("N", static_cast<int64_t>(n)).warps(GetParam());
    expectRun(builder);
  }
}

TEST_P(HazardTest, scalarsThroughNestedLoops) {
  constexpr uint64_t rows = 5, columns = 700, block = 256;
  RunBuilder builder = kernelOf("hazards.tile", "running");
  builder.fill("x_ptr", DType::f32, {rows, columns},
               [](uint64_t i) { return static_cast<double>(i * 37 % 64) / 8; });
  builder.output("out_ptr", DType::f32, {2}, [&](HostArray &out) {
    const HostArray &x = builder.array("x_ptr");
    double peak = 0, total = 0;
    for (uint64_t row = 0; row < rows; ++row) {
      double rowTotal = 0;
      for (uint64_t start = 0; start < columns; start += block) {
        auto value = [&](uint64_t i) {
          return start + i < columns ? x.at(row * columns + start + i) : 0.0;
        };
        double high = value(0), low = value(0);
        for (uint64_t i = 0; i < block; ++i) {
          high = std::max(high, value(i));
          low = std::min(low, value(i));
        }
        for (uint64_t i = 0; i < block; ++i)
          rowTotal += value(i) > (high + low) / 2 ? value(i) : 0;
      }
      peak = std::max(peak, rowTotal);
      total += rowTotal;
    }
    out.set(0, peak);
    out.set(1, total);
  });
  builder.i32("rows", rows).i32("columns", columns).constant("BLOCK", block).warps(GetParam());
  expectRun(builder);
}

TEST_P(HazardTest, elementSizesSideBySide) {
  for (auto [m, n] : {std::pair<uint64_t, uint64_t>{16, 64}, {64, 32}, {8, 8}}) {
    RunBuilder builder = kernelOf("hazards.tile", "sizes");
    std::vector<int64_t> shape = {static_cast<int64_t>(m), static_cast<int64_t>(n)};
    builder.randint("x_ptr", DType::i32, shape, -50, 50);
    builder.output(
        "out_ptr", DType::i32, shape,
        [&, rows = m, columns = n](HostArray &out) {
          const HostArray &x = builder.array("x_ptr");
          for (uint64_t row = 0; row < rows; ++row) {
            double total = 0, peak = -1000;
            uint64_t where = 0;
            for (uint64_t i = 0; i < columns; ++i) {
              double value = x.at(row * columns + i);
              total += value;
              if (value > peak) {
                peak = value;
                where = i;
              }
            }
            for (uint64_t i = 0; i < columns; ++i)
              out.set(row * columns + i,
                      3 * x.at(row * columns + i) + total + peak + static_cast<double>(where));
          }
        },
        tilecrt::Tolerance{0, 0});
    builder.constant("M", shape[0]).constant("N", shape[1]).warps(GetParam());
    expectRun(builder);
  }
}

TEST_P(HazardTest, reductionsOfBothAxesMeet) {
  for (auto [m, n] : {std::pair<uint64_t, uint64_t>{32, 32}, {4, 256}, {128, 8}}) {
    RunBuilder builder = kernelOf("hazards.tile", "centre");
    std::vector<int64_t> shape = {static_cast<int64_t>(m), static_cast<int64_t>(n)};
    builder.randn("x_ptr", DType::f32, shape);
    builder.output(
        "out_ptr", DType::f32, shape,
        [&, rows = m, columns = n](HostArray &out) {
          const HostArray &x = builder.array("x_ptr");
          std::vector<double> rowMean(rows), columnMean(columns);
          double mean = 0;
          for (uint64_t i = 0; i < rows * columns; ++i) {
            rowMean[i / columns] += x.at(i) / static_cast<double>(columns);
            columnMean[i % columns] += x.at(i) / static_cast<double>(rows);
            mean += x.at(i) / static_cast<double>(rows * columns);
          }
          for (uint64_t i = 0; i < rows * columns; ++i)
            out.set(i, x.at(i) - rowMean[i / columns] - columnMean[i % columns] + mean);
        },
        tilecrt::Tolerance{1e-5, 2e-6});
    builder.constant("M", shape[0]).constant("N", shape[1]).warps(GetParam());
    expectRun(builder);
  }
}

INSTANTIATE_TEST_SUITE_P(Warps, HazardTest, ::testing::Values(1, 2, 4, 8, 16));

} // namespace
} // namespace tilec::harness::test
