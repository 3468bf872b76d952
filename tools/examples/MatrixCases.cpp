// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 08 to 10: two-dimensional blocks, reduced along either axis or transposed.

#include "Cases.h"
#include "References.h"

#include <cmath>

namespace tilec::harness {
namespace {

constexpr DType floats[] = {DType::f32, DType::f16, DType::bf16};

uint64_t blocks(int64_t count, int64_t block) {
  return static_cast<uint64_t>((count + block - 1) / block);
}

uint64_t bytesOf(int64_t rows, int64_t columns, DType type, uint64_t passes) {
  return static_cast<uint64_t>(rows * columns) * tilecrt::dtypeSize(type) * passes;
}

/// A sum of `count` values of size 1 may end near 0: its error is measured by what was added.
tilecrt::Tolerance sumTolerance(DType type, int64_t count) {
  return toleranceFor(type, std::sqrt(static_cast<double>(count)));
}

Result<KernelRun> buildRowSum(DType type, int64_t rows, int64_t columns, uint64_t seed) {
  constexpr int64_t rowsPerProgram = 4, block = 512;
  RunBuilder builder("08-row-sum.tile", "row_sum", seed);
  builder.randn("x_ptr", type, {rows, columns});
  builder.output(
      "out_ptr", type, {rows}, [&](HostArray &out) { sumRows(out, builder.array("x_ptr")); },
      sumTolerance(type, columns));
  builder.i32("stride", columns).i32("m", rows).i32("n", columns);
  builder.constant("ROWS", rowsPerProgram).constant("BLOCK", block);
  builder.grid(blocks(rows, rowsPerProgram));
  return builder.idealBytes(bytesOf(rows, columns, type, 1)).take();
}

Result<KernelRun> buildColumnSum(DType type, int64_t rows, int64_t columns, uint64_t seed) {
  // A large matrix needs programs for all of the GPU, each with much to read at once.
  bool isLarge = rows >= 4096;
  int64_t rowsPerStep = isLarge ? 128 : 32, columnsPerProgram = isLarge ? 32 : 64;
  RunBuilder builder("09-column-sum.tile", "column_sum", seed);
  builder.randn("x_ptr", type, {rows, columns});
  builder.output(
      "out_ptr", type, {columns}, [&](HostArray &out) { sumColumns(out, builder.array("x_ptr")); },
      sumTolerance(type, rows));
  builder.i32("stride", columns).i32("m", rows).i32("n", columns);
  builder.constant("ROWS", rowsPerStep).constant("COLS", columnsPerProgram).warps(isLarge ? 8 : 4);
  builder.grid(blocks(columns, columnsPerProgram));
  return builder.idealBytes(bytesOf(rows, columns, type, 1)).take();
}

Result<KernelRun> buildTranspose(DType type, int64_t rows, int64_t columns, uint64_t seed) {
  constexpr int64_t tile = 64;
  RunBuilder builder("10-transpose-copy.tile", "transpose_copy", seed);
  builder.randn("x_ptr", type, {rows, columns});
  builder.output(
      "y_ptr", type, {columns, rows},
      [&](HostArray &out) { transpose(out, builder.array("x_ptr")); }, tilecrt::Tolerance{0, 0});
  builder.i32("m", rows).i32("n", columns).constant("TILE", tile);
  builder.grid(blocks(rows, tile), blocks(columns, tile));
  return builder.idealBytes(bytesOf(rows, columns, type, 2)).take();
}

using BuildMatrix = Result<KernelRun> (*)(DType, int64_t, int64_t, uint64_t);

void addMatrix(std::vector<Case> &cases, const std::string &name, BuildMatrix build) {
  constexpr std::pair<int64_t, int64_t> sizes[] = {{45, 77}, {64, 512}, {130, 1000}, {1, 1}};
  for (DType type : floats) {
    Scale scale = type == DType::f32 ? Scale::Quick : Scale::Full;
    for (auto [rows, columns] : sizes) {
      cases.push_back(
          {name, type, sizeText({rows, columns}), scale,
           [=, m = rows, n = columns](uint64_t seed) { return build(type, m, n, seed); }});
      scale = Scale::Full;
    }
    cases.push_back({name, type, sizeText({8192, 8192}), Scale::Large,
                     [=](uint64_t seed) { return build(type, 8192, 8192, seed); }});
  }
}

} // namespace

void addMatrixCases(std::vector<Case> &cases) {
  addMatrix(cases, "row_sum", buildRowSum);
  addMatrix(cases, "column_sum", buildColumnSum);
  addMatrix(cases, "transpose_copy", buildTranspose);
}

} // namespace tilec::harness
