// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors that become tensor maps: pipelined products of every element type, operands
// contiguous in either dimension, ragged sizes, several tiles a program; and copies without a
// product. On the simulator a missing wait, fence or barrier is a finding.

#include "DotTolerance.h"

namespace tilec::harness::test {
namespace {

struct MapCase {
  DType type = DType::f16, result = DType::f32;
  int64_t m = 120, n = 72, k = 112, blockM = 64, blockN = 64, step = 32;
  int warps = 4, stages = 3;
  bool transA = false, transB = false, inWhile = false;
};

std::string mapName(const ::testing::TestParamInfo<MapCase> &info) {
  const MapCase &c = info.param;
  std::string name =
      std::string(tilecrt::dtypeName(c.type)) + "_in_" + tilecrt::dtypeName(c.result);
  for (int64_t extent : {c.m, c.n, c.k, c.blockM, c.blockN, c.step})
    name += "_" + std::to_string(extent);
  return name + (c.transA ? "_transA" : "") + (c.transB ? "_transB" : "") +
         (c.inWhile ? "_while" : "") + "_warps" + std::to_string(c.warps) + "_stages" +
         std::to_string(c.stages);
}

/// out[i, j] = sum of a(i, x) b(x, j).
void multiply(const HostArray &a, bool transA, const HostArray &b, bool transB, uint64_t m,
              uint64_t n, uint64_t k, HostArray &out) {
  for (uint64_t i = 0; i < m; ++i)
    for (uint64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (uint64_t x = 0; x < k; ++x)
        sum += a.at(transA ? x * m + i : i * k + x) * b.at(transB ? j * k + x : x * n + j);
      out.set(i * n + j, sum);
    }
}

class TensorMapTest : public ::testing::TestWithParam<MapCase> {};

TEST_P(TensorMapTest, multiplies) {
  const MapCase &c = GetParam();
  RunBuilder builder = kernelOf("tensor-maps.tile", "matmul");
  builder.randn("a_ptr", c.type, c.transA ? std::vector{c.k, c.m} : std::vector{c.m, c.k});
  builder.randn("b_ptr", c.type, c.transB ? std::vector{c.n, c.k} : std::vector{c.k, c.n});
  builder.output(
      "out_ptr", c.result, {c.m, c.n},
      [&](HostArray &out) {
        multiply(builder.array("a_ptr"), c.transA, builder.array("b_ptr"), c.transB,
                 static_cast<uint64_t>(c.m), static_cast<uint64_t>(c.n), static_cast<uint64_t>(c.k),
                 out);
      },
      dotTolerance(c.type, c.result, c.k, false));
  builder.i32("M", int32_t(c.m)).i32("N", int32_t(c.n)).i32("K", int32_t(c.k));
  builder.constant("BLOCK_M", c.blockM).constant("BLOCK_N", c.blockN).constant("STEP", c.step);
  builder.constant("TRANS_A", c.transA ? 1 : 0).constant("TRANS_B", c.transB ? 1 : 0);
  builder.constant("STAGES", c.stages).constant("WHILE", c.inWhile ? 1 : 0);
  expectRun(builder.warps(c.warps));
}

std::vector<MapCase> mapCases() {
  std::vector<MapCase> cases;
  int next = 0;
  const std::pair<DType, DType> types[] = {
      {DType::f16, DType::f32}, {DType::f16, DType::f16},    {DType::bf16, DType::bf16},
      {DType::f32, DType::f32}, {DType::f8e4m3, DType::f16}, {DType::f8e5m2, DType::f32}};
  for (auto [type, result] : types)
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        MapCase c;
        c.type = type, c.result = result, c.transA = transA, c.transB = transB;
        if (tilecrt::dtypeSize(type) == 1)
          c.m = 112, c.n = 80;
        c.stages = next++ % 4 + 1;
        c.inWhile = next % 3 == 0;
        cases.push_back(c);
      }
  for (int warps : {4, 8})
    for (int stages : {2, 4}) {
      MapCase wide;
      wide.blockM = 128, wide.blockN = 128, wide.step = 64, wide.warps = warps;
      wide.m = 200, wide.n = 136, wide.k = 200, wide.stages = stages, wide.transB = true;
      cases.push_back(wide);
    }
  // Through registers, the left or the right operand; bytes along neither are transposed as well.
  for (DType type : {DType::f32, DType::f8e5m2})
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        MapCase c;
        c.type = type, c.transA = transA, c.transB = transB, c.warps = transA ? 8 : 4;
        c.blockM = 128, c.step = type == DType::f32 ? 32 : 64;
        c.m = 208, c.n = 144, c.k = 240, c.stages = 2 + next++ % 3;
        cases.push_back(c);
      }
  // Too small for warpgroups.
  MapCase small;
  small.blockM = 32, small.blockN = 32;
  cases.push_back(small);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, TensorMapTest, ::testing::ValuesIn(mapCases()), mapName);

TEST(TensorMaps, besideLoadsThroughPointers) {
  for (int stages : {1, 2, 3}) {
    RunBuilder builder = kernelOf("tensor-maps.tile", "mixed");
    builder.randn("a_ptr", DType::f16, {60, 104}).randn("b_ptr", DType::f16, {104, 56});
    builder.output(
        "out_ptr", DType::f32, {60, 56},
        [&](HostArray &out) {
          multiply(builder.array("a_ptr"), false, builder.array("b_ptr"), false, 60, 56, 104, out);
        },
        dotTolerance(DType::f16, DType::f32, 104, false));
    builder.i32("M", 60).i32("N", 56).i32("K", 104);
    builder.constant("BLOCK_M", 64).constant("BLOCK_N", 64).constant("STEP", 32);
    expectRun(builder.constant("STAGES", stages));
  }
}

TEST(TensorMaps, withoutProduct) {
  struct Shape {
    int64_t m, n, blockM, blockN;
  };
  for (DType type : {DType::f16, DType::f32, DType::i8, DType::f64})
    for (Shape s : {Shape{50, 80, 16, 32}, Shape{10, 144, 4, 128}, Shape{40, 272, 32, 256},
                    Shape{3, 1040, 1, 1024}, Shape{600, 16, 512, 16}}) {
      RunBuilder builder = kernelOf("tensor-maps.tile", "increment");
      if (tilecrt::isFloat(type))
        builder.randn("x_ptr", type, {s.m, s.n});
      else
        builder.randint("x_ptr", type, {s.m, s.n}, -100, 100);
      builder.output("out_ptr", type, {s.m, s.n}, [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, builder.array("x_ptr").at(i) + 1);
      });
      builder.i32("M", int32_t(s.m)).i32("N", int32_t(s.n));
      expectRun(builder.constant("BLOCK_M", s.blockM).constant("BLOCK_N", s.blockN));
    }
}

TEST(TensorMaps, threeDimensions) {
  RunBuilder builder = kernelOf("tensor-maps.tile", "increment3");
  builder.randn("x_ptr", DType::f32, {5, 20, 40});
  builder.output("out_ptr", DType::f32, {5, 20, 40}, [&](HostArray &out) {
    for (uint64_t i = 0; i < out.size(); ++i)
      out.set(i, builder.array("x_ptr").at(i) + 1);
  });
  builder.i32("B", 5).i32("M", 20).i32("N", 40);
  expectRun(builder.constant("BLOCK_M", 8).constant("BLOCK_N", 64));
}

TEST(TensorMaps, chains) {
  for (int stages : {1, 2, 3}) {
    RunBuilder builder = kernelOf("tensor-maps.tile", "chained");
    builder.randn("q_ptr", DType::f16, {64, 64});
    builder.randn("k_ptr", DType::f16, {200, 64}).randn("v_ptr", DType::f16, {200, 64});
    builder.output(
        "out_ptr", DType::f32, {64, 64},
        [&](HostArray &out) {
          const HostArray &q = builder.array("q_ptr"), &k = builder.array("k_ptr"),
                          &v = builder.array("v_ptr");
          std::vector<double> scores(64 * 200);
          for (uint64_t i = 0; i < 64; ++i)
            for (uint64_t j = 0; j < 200; ++j)
              for (uint64_t x = 0; x < 64; ++x)
                scores[i * 200 + j] += 0.125 * q.at(i * 64 + x) * k.at(j * 64 + x);
          for (uint64_t i = 0; i < 64; ++i)
            for (uint64_t x = 0; x < 64; ++x) {
              double sum = 0;
              for (uint64_t j = 0; j < 200; ++j)
                sum += scores[i * 200 + j] * v.at(j * 64 + x);
              out.set(i * 64 + x, sum);
            }
        },
        tilecrt::Tolerance{0.02, 0.05});
    builder.i32("KEYS", 200).constant("M", 64).constant("D", 64).constant("STEP", 64);
    expectRun(builder.constant("STAGES", stages));
  }
}

} // namespace
} // namespace tilec::harness::test
