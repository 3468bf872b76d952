// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 05 to 07, 11, 16, 20 (row maximum) and 31: one row of a matrix per program.

#include "References.h"
#include "RowCases.h"

#include <cmath>

namespace tilec::harness {
namespace {

constexpr DType floats[] = {DType::f32, DType::f16, DType::bf16};

int64_t powerOfTwoFrom(int64_t n) {
  int64_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

/// As many warps as keep a row of a block at 8 to 16 elements a thread.
int warpsFor(int64_t block) {
  return block <= 512 ? 2 : block <= 2048 ? 4 : block <= 8192 ? 8 : 16;
}

/// Tried beside the number that suits a row.
constexpr int otherWarps[] = {1, 8, 16};

uint64_t bytesOf(int64_t rows, int64_t columns, DType type, uint64_t passes) {
  return static_cast<uint64_t>(rows * columns) * tilecrt::dtypeSize(type) * passes;
}

Result<KernelRun> buildSoftmax(DType type, int64_t rows, int64_t columns, int warps,
                               uint64_t seed) {
  RunBuilder builder("05-softmax.tile", "softmax", seed);
  builder.randn("x_ptr", type, {rows, columns});
  builder.output("y_ptr", type, {rows, columns},
                 [&](HostArray &out) { softmaxRows(out, builder.array("x_ptr")); });
  builder.i32("x_stride", columns).i32("y_stride", columns).i32("n", columns);
  launchRows(builder, type, rows, columns, warps, 2);
  return builder.take();
}

Result<KernelRun> buildOnlineSoftmax(DType type, int64_t rows, int64_t columns, int warps,
                                     uint64_t seed) {
  RunBuilder builder("11-online-softmax.tile", "online_softmax", seed);
  int64_t block = columns > 4096 ? 2048 : 512;
  builder.randn("x_ptr", type, {rows, columns});
  builder.output("y_ptr", type, {rows, columns},
                 [&](HostArray &out) { softmaxRows(out, builder.array("x_ptr")); });
  builder.i32("stride", columns).i32("n", columns);
  builder.constant("BLOCK", block)
      .warps(warps ? warps : warpsFor(block))
      .grid(static_cast<uint64_t>(rows));
  return builder.idealBytes(bytesOf(rows, columns, type, 2)).take();
}

Result<KernelRun> buildLayerNorm(DType type, int64_t rows, int64_t columns, int warps,
                                 uint64_t seed) {
  constexpr float eps = 1e-5f;
  RunBuilder builder("06-layer-norm.tile", "layer_norm", seed);
  builder.randn("x_ptr", type, {rows, columns});
  builder.randn("w_ptr", type, {columns}).randn("b_ptr", type, {columns});
  RowStatistics statistics = rowStatistics(builder.array("x_ptr"), eps);
  // Weighted value and bias may cancel.
  builder.output(
      "y_ptr", type, {rows, columns},
      [&](HostArray &out) {
        layerNormRows(out, builder.array("x_ptr"), builder.array("w_ptr"), builder.array("b_ptr"),
                      statistics);
      },
      toleranceFor(type, 5));
  builder.output("mean_ptr", DType::f32, {rows}, [&](HostArray &out) {
    mapElements(out, [&](uint64_t i) { return statistics.mean[i]; });
  });
  builder.output("rstd_ptr", DType::f32, {rows}, [&](HostArray &out) {
    mapElements(out, [&](uint64_t i) { return statistics.rstd[i]; });
  });
  builder.i32("stride", columns).i32("n", columns).f32("eps", eps);
  launchRows(builder, type, rows, columns, warps, 2);
  return builder.take();
}

Result<KernelRun> buildRmsNorm(DType type, int64_t rows, int64_t columns, int warps,
                               uint64_t seed) {
  constexpr float eps = 1e-6f;
  RunBuilder builder("07-rms-norm.tile", "rms_norm", seed);
  builder.randn("x_ptr", type, {rows, columns}).randn("w_ptr", type, {columns});
  builder.output("y_ptr", type, {rows, columns}, [&](HostArray &out) {
    rmsNormRows(out, builder.array("x_ptr"), builder.array("w_ptr"), eps);
  });
  builder.i32("stride", columns).i32("n", columns).f32("eps", eps);
  launchRows(builder, type, rows, columns, warps, 2);
  return builder.take();
}

Result<KernelRun> buildLogSoftmax(DType type, int64_t rows, int64_t columns, int warps,
                                  uint64_t seed) {
  RunBuilder builder("16-log-softmax.tile", "log_softmax", seed);
  builder.randn("x_ptr", type, {rows, columns});
  // A difference of numbers up to 10.
  builder.output(
      "y_ptr", type, {rows, columns},
      [&](HostArray &out) { logSoftmaxRows(out, builder.array("x_ptr")); }, toleranceFor(type, 5));
  builder.i32("stride", columns).i32("n", columns);
  launchRows(builder, type, rows, columns, warps, 2);
  return builder.take();
}

Result<KernelRun> buildCumulativeSum(DType type, int64_t rows, int64_t columns, int warps,
                                     uint64_t seed) {
  RunBuilder builder("31-cumulative-sum.tile", "cumulative_sum", seed);
  builder.randn("x_ptr", type, {rows, columns});
  // Sums that come near 0 again. Added up one by one, as the interpreter does, each of n sums of
  // size sqrt(n) is rounded: the errors add up to sqrt(n) roundings of that size.
  builder.output(
      "y_ptr", type, {rows, columns},
      [&](HostArray &out) { cumulativeSumRows(out, builder.array("x_ptr")); },
      toleranceFor(type, std::max(1.0, 0.25 * static_cast<double>(columns))));
  builder.i32("stride", columns).i32("n", columns);
  launchRows(builder, type, rows, columns, warps, 2);
  return builder.take();
}

Result<KernelRun> buildRowMax(DType type, int64_t rows, int64_t columns, int warps, uint64_t seed) {
  RunBuilder builder("20-max-and-sum.tile", "row_max", seed);
  builder.randn("x_ptr", type, {rows, columns});
  constexpr tilecrt::Tolerance exact = {0, 0};
  builder.output(
      "value_ptr", type, {rows}, [&](HostArray &out) { maxRows(out, builder.array("x_ptr")); },
      exact);
  builder.output(
      "index_ptr", DType::i64, {rows},
      [&](HostArray &out) { argmaxRows(out, builder.array("x_ptr")); }, exact);
  builder.i32("stride", columns).i32("n", columns);
  launchRows(builder, type, rows, columns, warps, 1);
  return builder.take();
}

} // namespace

void launchRows(RunBuilder &builder, DType type, int64_t rows, int64_t columns, int warps,
                uint64_t passes) {
  int64_t block = powerOfTwoFrom(columns);
  builder.constant("BLOCK", block)
      .warps(warps ? warps : warpsFor(block))
      .grid(static_cast<uint64_t>(rows))
      .idealBytes(bytesOf(rows, columns, type, passes));
}

void addRowCases(std::vector<Case> &cases, const std::string &name, BuildRows build) {
  // Odd row length, a multiple of 16 below the block, the whole block, one column.
  constexpr std::pair<int64_t, int64_t> sizes[] = {{23, 781}, {7, 1008}, {5, 2048}, {3, 1}};
  constexpr std::pair<int64_t, int64_t> largeSizes[] = {{8192, 4096}, {4096, 5120}};
  for (DType type : floats) {
    Scale scale = type == DType::f32 ? Scale::Quick : Scale::Full;
    for (auto [rows, columns] : sizes) {
      cases.push_back(
          {name, type, sizeText({rows, columns}), scale,
           [=, m = rows, n = columns](uint64_t seed) { return build(type, m, n, 0, seed); }});
      scale = Scale::Full;
    }
    for (int warps : otherWarps)
      cases.push_back({name + " warps=" + std::to_string(warps), type, "5x781", Scale::Full,
                       [=](uint64_t seed) { return build(type, 5, 781, warps, seed); }});
    for (auto [rows, columns] : largeSizes)
      cases.push_back(
          {name, type, sizeText({rows, columns}), Scale::Large,
           [=, m = rows, n = columns](uint64_t seed) { return build(type, m, n, 0, seed); }});
  }
}

void addWideRowCases(std::vector<Case> &cases, const std::string &name, BuildRows build) {
  struct Wide {
    int64_t rows, columns;
    int warps;
    Scale scale;
  };
  constexpr Wide sizes[] = {{2, 65536, 16, Scale::Full},    {2, 50000, 32, Scale::Full},
                            {3, 32768, 32, Scale::Full},    {1024, 32768, 16, Scale::Large},
                            {512, 65536, 16, Scale::Large}, {512, 65536, 32, Scale::Large}};
  for (DType type : floats)
    for (Wide s : sizes) {
      // One of them is small enough for every run of the tests.
      bool isQuick = type == DType::f32 && s.columns == 50000;
      cases.push_back(
          {"wide " + name + " warps=" + std::to_string(s.warps), type,
           sizeText({s.rows, s.columns}), isQuick ? Scale::Quick : s.scale,
           [=](uint64_t seed) { return build(type, s.rows, s.columns, s.warps, seed); }});
    }
}

void addRowwiseCases(std::vector<Case> &cases) {
  addRowCases(cases, "softmax", buildSoftmax);
  addRowCases(cases, "layer_norm", buildLayerNorm);
  addRowCases(cases, "rms_norm", buildRmsNorm);
  addRowCases(cases, "online_softmax", buildOnlineSoftmax);
  addRowCases(cases, "log_softmax", buildLogSoftmax);
  addWideRowCases(cases, "softmax", buildSoftmax);
  addWideRowCases(cases, "layer_norm", buildLayerNorm);
  addWideRowCases(cases, "rms_norm", buildRmsNorm);
  addWideRowCases(cases, "log_softmax", buildLogSoftmax);
  addRowCases(cases, "row_max", buildRowMax);
  addRowCases(cases, "cumulative_sum", buildCumulativeSum);
}

} // namespace tilec::harness
