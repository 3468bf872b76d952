// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 08 to 10 and 20 (whole sum): matrices reduced along either axis, or both, or transposed.

#include "Cases.h"
#include "References.h"

#include <algorithm>
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
  if (tilecrt::isFloat(type))
    builder.randn("x_ptr", type, {rows, columns});
  else
    builder.randint("x_ptr", type, {rows, columns}, -128, 128);
  builder.output(
      "y_ptr", type, {columns, rows},
      [&](HostArray &out) { transpose(out, builder.array("x_ptr")); }, tilecrt::Tolerance{0, 0});
  builder.i32("m", rows).i32("n", columns).constant("TILE", tile);
  builder.grid(blocks(rows, tile), blocks(columns, tile));
  return builder.idealBytes(bytesOf(rows, columns, type, 2)).take();
}

/// A fixed number of programs walks over the whole matrix.
Result<KernelRun> buildSumPartials(DType type, int64_t rows, int64_t columns, uint64_t seed) {
  int64_t programs = rows >= 4096 ? 1056 : 5, block = rows >= 4096 ? 4096 : 1024;
  int64_t count = rows * columns;
  RunBuilder builder("20-max-and-sum.tile", "sum_partials", seed);
  builder.randn("x_ptr", type, {count});
  builder.output(
      "partial_ptr", DType::f32, {programs},
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr");
        auto total = static_cast<uint64_t>(count), step = static_cast<uint64_t>(block);
        mapElements(out, [&](uint64_t program) {
          double sum = 0;
          for (uint64_t start = program * step; start < total;
               start += static_cast<uint64_t>(programs) * step)
            for (uint64_t i = start; i < std::min(start + step, total); ++i)
              sum += x.at(i);
          return sum;
        });
      },
      sumTolerance(DType::f32, count / programs + 1));
  builder.i32("n", count).constant("BLOCK", block).warps(8).grid(static_cast<uint64_t>(programs));
  return builder.idealBytes(bytesOf(rows, columns, type, 1)).take();
}

Result<KernelRun> buildSumTotal(int64_t count, uint64_t seed) {
  RunBuilder builder("20-max-and-sum.tile", "sum_total", seed);
  builder.randn("partial_ptr", DType::f32, {count});
  builder.output(
      "out_ptr", DType::f32, {1},
      [&](HostArray &out) { out.set(0, sumAll(builder.array("partial_ptr"))); },
      sumTolerance(DType::f32, count));
  builder.i32("count", count).constant("BLOCK", 1024).grid(1);
  return builder.idealBytes(bytesOf(1, count, DType::f32, 1)).take();
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
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>(45, 77), {128, 320}})
    cases.push_back(
        {"transpose_copy", DType::i8, sizeText({rows, columns}), Scale::Full,
         [m = rows, n = columns](uint64_t seed) { return buildTranspose(DType::i8, m, n, seed); }});
  cases.push_back({"transpose_copy", DType::i8, sizeText({8192, 8192}), Scale::Large,
                   [](uint64_t seed) { return buildTranspose(DType::i8, 8192, 8192, seed); }});
  addMatrix(cases, "sum_partials", buildSumPartials);
  for (int64_t count : {1056, 1})
    cases.push_back({"sum_total", DType::f32, sizeText({count}), Scale::Quick,
                     [=](uint64_t seed) { return buildSumTotal(count, seed); }});
}

} // namespace tilec::harness
