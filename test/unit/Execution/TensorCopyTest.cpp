// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads through pointers that become tensor copies: every orientation and kind of edge, ragged
// sizes, batches, programs beyond the last tile, rows before the first one, matrices without
// elements.

#include "DotTolerance.h"

namespace tilec::harness::test {
namespace {

struct CopyCase {
  DType type = DType::f16;
  int64_t m = 100, n = 72, k = 88, blockM = 64, blockN = 64, step = 32, batches = 1;
  int warps = 4, stages = 3;
  bool transA = false, transB = false, moves = true;
  int edges = 0;
  /// Programs along rows and columns that have no tile.
  int64_t beyond = 0;
};

std::string copyName(const ::testing::TestParamInfo<CopyCase> &info) {
  const CopyCase &c = info.param;
  std::string name = std::to_string(info.index) + "_" + tilecrt::dtypeName(c.type);
  for (int64_t extent : {c.m, c.n, c.k, c.blockM, c.blockN, c.step, c.batches})
    name += "_" + std::to_string(extent);
  return name + (c.transA ? "_transA" : "") + (c.transB ? "_transB" : "") +
         (c.moves ? "_moves" : "") + "_edges" + std::to_string(c.edges) + "_stages" +
         std::to_string(c.stages);
}

/// The least multiple of 16 elements.
int64_t rowOf(int64_t elements) { return (elements + 15) / 16 * 16; }

class TensorCopyTest : public ::testing::TestWithParam<CopyCase> {};

TEST_P(TensorCopyTest, multiplies) {
  const CopyCase &c = GetParam();
  RunBuilder builder = kernelOf("tensor-copies.tile", "product");
  int64_t aRows = rowOf(c.transA ? c.m : c.k), bRows = rowOf(c.transB ? c.k : c.n);
  int64_t aBatch = aRows * (c.transA ? c.k : c.m), bBatch = bRows * (c.transB ? c.n : c.k);
  builder.randn("a_ptr", c.type, {c.batches, std::max<int64_t>(aBatch, 1)});
  builder.randn("b_ptr", c.type, {c.batches, std::max<int64_t>(bBatch, 1)});
  builder.output(
      "out_ptr", DType::f32, {c.batches, c.m, c.n},
      [&](HostArray &out) {
        const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
        for (int64_t z = 0; z < c.batches; ++z)
          for (int64_t i = 0; i < c.m; ++i)
            for (int64_t j = 0; j < c.n; ++j) {
              double sum = 0;
              for (int64_t x = 0; x < c.k; ++x)
                sum += a.at(uint64_t(z * aBatch + (c.transA ? x * aRows + i : i * aRows + x))) *
                       b.at(uint64_t(z * bBatch + (c.transB ? j * bRows + x : x * bRows + j)));
              out.set(uint64_t((z * c.m + i) * c.n + j), sum);
            }
      },
      dotTolerance(c.type, DType::f32, std::max<int64_t>(c.k, 1), false));
  builder.i32("M", int32_t(c.m)).i32("N", int32_t(c.n)).i32("K", int32_t(c.k));
  builder.i32("a_rows", int32_t(aRows)).i32("b_rows", int32_t(bRows));
  builder.i32("a_batch", int32_t(aBatch)).i32("b_batch", int32_t(bBatch));
  builder.constant("BLOCK_M", c.blockM).constant("BLOCK_N", c.blockN).constant("STEP", c.step);
  builder.constant("TRANS_A", c.transA ? "True" : "False");
  builder.constant("TRANS_B", c.transB ? "True" : "False");
  builder.constant("EDGES", c.edges).constant("MOVES", c.moves ? "True" : "False");
  builder.constant("STAGES", c.stages);
  auto tiles = [&](int64_t extent, int64_t block) {
    return uint64_t((extent + block - 1) / block + c.beyond);
  };
  builder.grid(tiles(c.m, c.blockM), tiles(c.n, c.blockN), uint64_t(c.batches));
  expectRun(builder.warps(c.warps));
}

std::vector<CopyCase> copyCases() {
  std::vector<CopyCase> cases;
  int next = 0;
  for (DType type : {DType::f16, DType::bf16, DType::f32, DType::f8e4m3})
    for (bool transA : {false, true})
      for (bool transB : {false, true})
        for (int edges : {0, 1, 2}) {
          CopyCase c;
          c.type = type, c.transA = transA, c.transB = transB, c.edges = edges;
          c.moves = ++next % 2, c.stages = 2 + next % 3, c.batches = 1 + next % 2;
          cases.push_back(c);
        }
  CopyCase wide;
  wide.m = 300, wide.n = 200, wide.k = 200, wide.blockM = 128, wide.blockN = 128, wide.step = 64;
  for (int warps : {4, 8}) {
    wide.warps = warps, wide.transB = !wide.transB, wide.edges = 1;
    cases.push_back(wide);
  }
  for (int edges : {0, 1}) {
    CopyCase beyond;
    beyond.edges = edges, beyond.beyond = 1, beyond.batches = 3;
    cases.push_back(beyond);
    CopyCase empty;
    empty.edges = edges, empty.k = 0;
    cases.push_back(empty);
    CopyCase one;
    one.edges = edges, one.m = 1, one.n = 1, one.k = 1;
    cases.push_back(one);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, TensorCopyTest, ::testing::ValuesIn(copyCases()), copyName);

TEST(TensorCopies, beforeTheFirstRow) {
  constexpr int64_t rows = 90, width = 64, reach = 2;
  RunBuilder builder = kernelOf("tensor-copies.tile", "around");
  builder.randn("x_ptr", DType::f16, {rows, width});
  builder.randn("w_ptr", DType::f16, {(2 * reach + 1) * width, width});
  builder.output(
      "out_ptr", DType::f32, {rows, width},
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr"), &w = builder.array("w_ptr");
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < width; ++j) {
            double sum = 0;
            for (int64_t shift = -reach; shift <= reach; ++shift)
              for (int64_t y = 0; i + shift >= 0 && i + shift < rows && y < width; ++y)
                sum += x.at(uint64_t((i + shift) * width + y)) *
                       w.at(uint64_t(((shift + reach) * width + y) * width + j));
            out.set(uint64_t(i * width + j), sum);
          }
      },
      dotTolerance(DType::f16, DType::f32, (2 * reach + 1) * width, false));
  builder.i32("ROWS", rows).constant("REACH", reach).constant("BLOCK", 64).constant("D", width);
  expectRun(builder.grid(2));
}

TEST(TensorCopies, tileAfterTile) {
  constexpr int64_t m = 200, n = 136, k = 144;
  for (auto [name, programs] : {std::pair("persistent", 1),
                                {"persistent", 3},
                                {"counted_twice", 1},
                                {"counted_twice", 3}}) {
    RunBuilder builder = kernelOf("tensor-copies.tile", name);
    builder.randn("a_ptr", DType::f16, {m, k}).randn("b_ptr", DType::f16, {n, k});
    builder.output(
        "out_ptr", DType::f32, {m, n},
        [&](HostArray &out) {
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
              double sum = 0;
              for (int64_t x = 0; x < k; ++x)
                sum += builder.array("a_ptr").at(uint64_t(i * k + x)) *
                       builder.array("b_ptr").at(uint64_t(j * k + x));
              out.set(uint64_t(i * n + j), sum);
            }
        },
        dotTolerance(DType::f16, DType::f32, k, false));
    builder.i32("M", m).i32("N", n).i32("K", k);
    builder.constant("BLOCK_M", 64).constant("BLOCK_N", 64).constant("STEP", 32);
    if (std::string(name) == "counted_twice")
      builder.constant("PROGRAMS", programs);
    expectRun(builder.grid(uint64_t(programs)));
  }
}

TEST(TensorCopies, gapsAndSharedBatches) {
  constexpr int64_t m = 70, k = 336, block = 64, group = 2, batches = 4;
  const std::pair<int64_t, int64_t> gaps[] = {{0, 0}, {64, 128}, {0, 192}, {192, 64}};
  for (const auto &gap : gaps) {
    int64_t first = gap.first, last = gap.second;
    RunBuilder builder = kernelOf("tensor-copies.tile", "skipping");
    builder.randn("a_ptr", DType::f16, {batches / group, m, k});
    builder.randn("b_ptr", DType::f16, {k, block});
    builder.output(
        "out_ptr", DType::f32, {batches, m, block},
        [&](HostArray &out) {
          const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
          for (int64_t z = 0; z < batches; ++z)
            for (int64_t i = 0; i < m; ++i)
              for (int64_t j = 0; j < block; ++j) {
                double sum = 0;
                for (int64_t x = 0; x < k; ++x)
                  if (x < first || x >= last)
                    sum +=
                        a.at(uint64_t((z / group * m + i) * k + x)) * b.at(uint64_t(x * block + j));
                out.set(uint64_t((z * m + i) * block + j), sum);
              }
        },
        dotTolerance(DType::f16, DType::f32, k, false));
    builder.i32("M", m).i32("K", k).i32("first", first).i32("last", last);
    expectRun(builder.constant("BLOCK", block).constant("GROUP", group).grid(2, batches));
  }
}

} // namespace
} // namespace tilec::harness::test
