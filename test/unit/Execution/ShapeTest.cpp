// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcasting, reshapes, permutations and transposes, against index arithmetic.

#include "Execution.h"

namespace tilec::harness::test {
namespace {

TEST(ShapeTest, outerDifference) {
  for (auto [m, n] :
       {std::pair<int64_t, int64_t>{16, 32}, {1, 64}, {128, 2}, {4, 4}, {3, 5}, {48, 257}}) {
    RunBuilder builder = kernelOf("shapes.tile", "outer");
    builder.randint("x_ptr", DType::i32, {m}, -99, 99).randint("y_ptr", DType::i32, {n}, -99, 99);
    builder.output(
        "out_ptr", DType::i32, {m, n},
        [&, columns = static_cast<uint64_t>(n)](HostArray &out) {
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, builder.array("x_ptr").at(i / columns) * 2 -
                           builder.array("y_ptr").at(i % columns));
        },
        kExact);
    builder.constant("M", m).constant("N", n);
    expectRun(builder);
  }
}

TEST(ShapeTest, broadcastForms) {
  constexpr uint64_t m = 8, n = 64;
  RunBuilder builder = kernelOf("shapes.tile", "broadcasts");
  builder.randint("x_ptr", DType::i32, {m}, -99, 99);
  builder.output(
      "out_ptr", DType::i32, {m, n},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < m * n; ++i)
          out.set(i, builder.array("x_ptr").at(i / n) * 3 + static_cast<double>(i % n) * 2);
      },
      kExact);
  builder.constant("M", m).constant("N", n);
  expectRun(builder);
}

TEST(ShapeTest, reshapeKeepsRowMajorOrder) {
  const int64_t shapes[][4] = {{16, 32, 32, 16}, {4, 128, 512, 1},  {64, 8, 2, 256},
                               {1, 32, 8, 4},    {3, 32, 6, 16},    {3, 5, 5, 3},
                               {96, 1, 32, 3},   {48, 80, 240, 16}, {2, 48, 96, 1},
                               {7, 9, 1, 63},    {12, 10, 8, 15}};
  for (const auto &[m, n, p, q] : shapes)
    for (int warps : {1, 4}) {
      RunBuilder builder = kernelOf("shapes.tile", "reshape");
      builder.randint("x_ptr", DType::i32, {m, n}, -99, 99);
      builder.output(
          "out_ptr", DType::i32, {p, q},
          [&, rows = static_cast<double>(p), columns = static_cast<uint64_t>(q)](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i)
              out.set(i, builder.array("x_ptr").at(i) * rows + static_cast<double>(i / columns));
          },
          kExact);
      builder.constant("M", m).constant("N", n).constant("P", p).constant("Q", q).warps(warps);
      expectRun(builder);
    }
}

void expectPermutations(const uint64_t (&dims)[3]) {
  const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto &order : orders)
    for (DType type : {DType::f32, DType::i8}) {
      uint64_t to[3];
      std::vector<int64_t> shape;
      for (int i = 0; i < 3; ++i)
        shape.push_back(static_cast<int64_t>(to[i] = dims[order[i]]));
      RunBuilder builder = kernelOf("shapes.tile", "permute");
      builder.randint("x_ptr", DType::i8, {int64_t(dims[0]), int64_t(dims[1]), int64_t(dims[2])},
                      -100, 100);
      builder.output(
          "out_ptr", type, shape,
          [&](HostArray &out) {
            for (uint64_t i = 0; i < out.size(); ++i) {
              uint64_t position[3], at[3] = {i / (to[1] * to[2]), i / to[2] % to[1], i % to[2]};
              for (int axis = 0; axis < 3; ++axis)
                position[order[axis]] = at[axis];
              out.set(i, builder.array("x_ptr").at((position[0] * dims[1] + position[1]) * dims[2] +
                                                   position[2]));
            }
          },
          kExact);
      builder.constant("A", int64_t(dims[0])).constant("B", int64_t(dims[1]));
      builder.constant("C", int64_t(dims[2]));
      builder.constant("I", order[0]).constant("J", order[1]).constant("K", order[2]);
      expectRun(builder);
    }
}

TEST(ShapeTest, allPermutationsOfThreeDimensions) {
  expectPermutations({4, 8, 16});
  expectPermutations({3, 5, 7});
}

TEST(ShapeTest, transposeOfEveryElementSize) {
  for (DType type : {DType::i8, DType::bf16, DType::f32, DType::f64})
    for (auto [m, n] : {std::pair<int64_t, int64_t>{32, 64}, {2, 128}, {64, 1}, {24, 80}})
      for (int warps : {1, 2, 8}) {
        RunBuilder builder = kernelOf("shapes.tile", "transpose");
        builder.fill("x_ptr", type, {m, n}, [](uint64_t i) { return i % 101; });
        builder.output(
            "out_ptr", type, {n, m},
            [&, rows = static_cast<uint64_t>(m),
             columns = static_cast<uint64_t>(n)](HostArray &out) {
              for (uint64_t i = 0; i < out.size(); ++i)
                out.set(i, builder.array("x_ptr").at(i % rows * columns + i / rows));
            },
            kExact);
        builder.constant("M", m).constant("N", n).warps(warps);
        expectRun(builder);
      }
}

} // namespace
} // namespace tilec::harness::test
