// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 13 and 14: rows and counts added with atomics. Values are small integers, so that the
// sums are exact whatever the order.

#include "Cases.h"

#include <algorithm>

namespace tilec::harness {
namespace {

constexpr tilecrt::Tolerance exact{0, 0};

uint64_t blocks(int64_t count, int64_t block) {
  return static_cast<uint64_t>((count + block - 1) / block);
}

Result<KernelRun> buildScatterAdd(DType type, int64_t rows, int64_t columns, int64_t places,
                                  uint64_t seed) {
  int64_t tile = 1;
  while (tile < columns)
    tile *= 2;
  int64_t rowsPerProgram = std::max<int64_t>(1, 1024 / tile);
  auto width = static_cast<uint64_t>(columns);
  RunBuilder builder("13-scatter-add.tile", "scatter_add", seed);
  builder.fill("x_ptr", type, {rows, columns},
               [](uint64_t i) { return static_cast<double>(i * 31 % 7) - 3; });
  builder.randint("index_ptr", DType::i32, {rows}, 0, places);
  builder.fill("out_ptr", type, {places, columns}, [](uint64_t) { return 1; });
  builder.changes(
      "out_ptr",
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr"), &index = builder.array("index_ptr");
        auto *sums = out.as<double>();
        std::fill(sums, sums + out.size(), 1.0);
        for (uint64_t i = 0; i < x.size(); ++i)
          sums[static_cast<uint64_t>(index.at(i / width)) * width + i % width] += x.at(i);
      },
      exact);
  builder.i32("n", rows).i32("width", columns);
  builder.constant("ROWS", rowsPerProgram).constant("COLS", tile);
  builder.grid(blocks(rows, rowsPerProgram));
  // Each row is read; each addition reads and writes.
  return builder.idealBytes(static_cast<uint64_t>(rows) * width * tilecrt::dtypeSize(type) * 3)
      .take();
}

Result<KernelRun> buildHistogram(DType type, int64_t count, int64_t bins, uint64_t seed) {
  constexpr int64_t block = 1024;
  RunBuilder builder("14-histogram-atomics.tile", "histogram", seed);
  builder.randint("x_ptr", DType::i32, {count}, 0, bins);
  builder.fill("counts_ptr", type, {bins}, [](uint64_t) { return 0; });
  builder.changes(
      "counts_ptr",
      [&](HostArray &out) {
        auto *counts = out.as<double>();
        std::fill(counts, counts + out.size(), 0.0);
        for (uint64_t i = 0; i < static_cast<uint64_t>(count); ++i)
          ++counts[static_cast<uint64_t>(builder.array("x_ptr").at(i))];
      },
      exact);
  builder.i32("n", count).constant("BLOCK", block).grid(blocks(count, block));
  return builder.idealBytes(static_cast<uint64_t>(count) * 4).take();
}

} // namespace

void addAtomicCases(std::vector<Case> &cases) {
  for (DType type : {DType::f32, DType::f16, DType::bf16}) {
    Scale scale = type == DType::f32 ? Scale::Quick : Scale::Full;
    auto add = [&](int64_t rows, int64_t columns, int64_t places, Scale when) {
      cases.push_back({"scatter_add", type, sizeText({rows, columns}), when, [=](uint64_t seed) {
                         return buildScatterAdd(type, rows, columns, places, seed);
                       }});
    };
    add(300, 128, 40, scale);
    add(57, 50, 9, Scale::Full);
    add(1, 1, 1, Scale::Full);
    add(65536, 256, 50000, Scale::Large);
    add(16384, 4096, 50000, Scale::Large);
  }
  for (DType type : {DType::i32, DType::u64}) {
    auto add = [&](int64_t count, int64_t bins, Scale when) {
      cases.push_back({"histogram_atomics", type, sizeText({count, bins}), when,
                       [=](uint64_t seed) { return buildHistogram(type, count, bins, seed); }});
    };
    add(10001, 64, type == DType::i32 ? Scale::Quick : Scale::Full);
    add(int64_t(1) << 24, 1 << 20, Scale::Large);
  }
}

} // namespace tilec::harness
