// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 17 to 19 and 29: normalisations with their gradients and with what is fused into them.

#include "References.h"
#include "RowCases.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness {
namespace {

constexpr float layerNormEps = 1e-5f;

/// Adds the inputs of a backward pass: x, dy, and the statistics of x as the forward pass stores
/// them. Gives the statistics after rounding.
RowStatistics addBackwardInputs(RunBuilder &builder, DType type, int64_t rows, int64_t columns) {
  builder.randn("x_ptr", type, {rows, columns}).randn("dy_ptr", type, {rows, columns});
  RowStatistics statistics = rowStatistics(builder.array("x_ptr"), layerNormEps);
  builder.fill("mean_ptr", DType::f32, {rows}, [&](uint64_t i) { return statistics.mean[i]; });
  builder.fill("rstd_ptr", DType::f32, {rows}, [&](uint64_t i) { return statistics.rstd[i]; });
  for (size_t i = 0; i < statistics.mean.size(); ++i) {
    statistics.mean[i] = builder.array("mean_ptr").at(i);
    statistics.rstd[i] = builder.array("rstd_ptr").at(i);
  }
  return statistics;
}

Result<KernelRun> buildBackward(DType type, int64_t rows, int64_t columns, int warps,
                                uint64_t seed) {
  RunBuilder builder("17-layer-norm-backward.tile", "layer_norm_backward", seed);
  RowStatistics statistics = addBackwardInputs(builder, type, rows, columns);
  builder.randn("w_ptr", type, {columns});
  // A row of one element has no deviation: the gradient is a difference that vanishes, times the
  // largest reciprocal there is, 1 / sqrt(eps).
  double scale = columns == 1 ? 200 : 5;
  builder.output(
      "dx_ptr", type, {rows, columns},
      [&](HostArray &out) {
        layerNormBackwardRows(out, builder.array("x_ptr"), builder.array("dy_ptr"),
                              builder.array("w_ptr"), statistics);
      },
      toleranceFor(type, scale));
  builder.i32("stride", columns).i32("n", columns);
  launchRows(builder, type, rows, columns, warps, 3);
  return builder.take();
}

Result<KernelRun> buildWeightPartials(DType type, int64_t rows, int64_t columns, uint64_t seed) {
  bool isLarge = rows >= 4096;
  int64_t parts = isLarge ? 32 : 3, strip = (rows + parts - 1) / parts, columnBlock = 64;
  RunBuilder builder("18-layer-norm-weights-backward.tile", "weight_partials", seed);
  RowStatistics statistics = addBackwardInputs(builder, type, rows, columns);
  auto forParts = [&](HostArray &out, bool isWeight) {
    for (int64_t part = 0; part < parts; ++part) {
      double *to = out.as<double>() + part * columns;
      int64_t first = std::min(part * strip, rows), last = std::min(first + strip, rows);
      layerNormBackwardWeights(isWeight ? to : nullptr, isWeight ? nullptr : to,
                               builder.array("x_ptr"), builder.array("dy_ptr"), statistics,
                               static_cast<uint64_t>(first), static_cast<uint64_t>(last));
    }
  };
  tilecrt::Tolerance tolerance =
      toleranceFor(DType::f32, 4 * std::sqrt(static_cast<double>(strip)));
  builder.output(
      "dw_parts_ptr", DType::f32, {parts, columns}, [&](HostArray &out) { forParts(out, true); },
      tolerance);
  builder.output(
      "db_parts_ptr", DType::f32, {parts, columns}, [&](HostArray &out) { forParts(out, false); },
      tolerance);
  builder.i32("stride", columns).i32("m", rows).i32("n", columns).i32("strip", strip);
  builder.constant("ROWS", isLarge ? 32 : 16).constant("COLS", columnBlock);
  builder.grid(static_cast<uint64_t>((columns + columnBlock - 1) / columnBlock),
               static_cast<uint64_t>(parts));
  uint64_t elements = static_cast<uint64_t>(rows * columns);
  return builder.idealBytes(2 * elements * tilecrt::dtypeSize(type)).take();
}

Result<KernelRun> buildWeightTotals(DType type, int64_t parts, int64_t columns, uint64_t seed) {
  constexpr int64_t columnBlock = 32;
  RunBuilder builder("18-layer-norm-weights-backward.tile", "weight_totals", seed);
  for (const char *name : {"dw_parts_ptr", "db_parts_ptr"})
    builder.randn(name, DType::f32, {parts, columns});
  tilecrt::Tolerance tolerance = toleranceFor(type, std::sqrt(static_cast<double>(parts)));
  builder.output(
      "dw_ptr", type, {columns},
      [&](HostArray &out) { sumColumns(out, builder.array("dw_parts_ptr")); }, tolerance);
  builder.output(
      "db_ptr", type, {columns},
      [&](HostArray &out) { sumColumns(out, builder.array("db_parts_ptr")); }, tolerance);
  builder.i32("parts", parts).i32("n", columns);
  builder.constant("ROWS", 16).constant("COLS", columnBlock);
  builder.grid(static_cast<uint64_t>((columns + columnBlock - 1) / columnBlock));
  return builder.idealBytes(static_cast<uint64_t>(parts * columns) * 8).take();
}

Result<KernelRun> buildRmsNormResidual(DType type, int64_t rows, int64_t columns, int warps,
                                       uint64_t seed) {
  constexpr float eps = 1e-6f;
  RunBuilder builder("19-rms-norm-residual.tile", "rms_norm_residual", seed);
  builder.randn("x_ptr", type, {rows, columns}).randn("residual_ptr", type, {rows, columns});
  builder.randn("w_ptr", type, {columns});
  auto sum = [&](uint64_t i) {
    return builder.array("x_ptr").at(i) + builder.array("residual_ptr").at(i);
  };
  builder.output("y_ptr", type, {rows, columns}, [&](HostArray &out) {
    // In place: a row is read as a whole before it is written.
    mapElements(out, sum);
    rmsNormRows(out, out, builder.array("w_ptr"), eps);
  });
  builder.output("h_ptr", type, {rows, columns}, [&](HostArray &out) { mapElements(out, sum); });
  builder.i32("stride", columns).i32("n", columns).f32("eps", eps);
  launchRows(builder, type, rows, columns, warps, 4);
  return builder.take();
}

Result<KernelRun> buildReluAdd(DType type, int64_t rows, int64_t columns, int warps,
                               uint64_t seed) {
  RunBuilder builder("29-layer-norm-relu-add.tile", "layer_norm_relu_add", seed);
  builder.randn("x_ptr", type, {rows, columns}).randn("residual_ptr", type, {rows, columns});
  builder.randn("w_ptr", type, {columns}).randn("b_ptr", type, {columns});
  builder.output(
      "y_ptr", type, {rows, columns},
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr"), &residual = builder.array("residual_ptr");
        layerNormRows(out, x, builder.array("w_ptr"), builder.array("b_ptr"),
                      rowStatistics(x, layerNormEps));
        mapElements(out, [&](uint64_t i) { return std::max(out.at(i), 0.0) + residual.at(i); });
      },
      toleranceFor(type, 5));
  builder.i32("stride", columns).i32("n", columns).f32("eps", layerNormEps);
  launchRows(builder, type, rows, columns, warps, 3);
  return builder.take();
}

void addWeightGradients(std::vector<Case> &cases, const std::string &name,
                        Result<KernelRun> (*build)(DType, int64_t, int64_t, uint64_t),
                        int64_t largeRows) {
  constexpr std::pair<int64_t, int64_t> sizes[] = {{100, 200}, {48, 128}, {1, 1}};
  for (DType type : {DType::f32, DType::f16, DType::bf16}) {
    Scale scale = type == DType::f32 ? Scale::Quick : Scale::Full;
    for (auto [rows, columns] : sizes) {
      cases.push_back(
          {name, type, sizeText({rows, columns}), scale,
           [=, m = rows, n = columns](uint64_t seed) { return build(type, m, n, seed); }});
      scale = Scale::Full;
    }
    cases.push_back({name, type, sizeText({largeRows, 4096}), Scale::Large,
                     [=](uint64_t seed) { return build(type, largeRows, 4096, seed); }});
  }
}

} // namespace

void addNormalisationCases(std::vector<Case> &cases) {
  addRowCases(cases, "layer_norm_backward", buildBackward);
  addWeightGradients(cases, "weight_partials", buildWeightPartials, 8192);
  addWeightGradients(cases, "weight_totals", buildWeightTotals, 32);
  addRowCases(cases, "rms_norm_residual", buildRmsNormResidual);
  addRowCases(cases, "layer_norm_relu_add", buildReluAdd);
}

} // namespace tilec::harness
