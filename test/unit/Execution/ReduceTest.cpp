// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions along each axis, over shapes larger and smaller than what the warps hold, with one to
// eight warps.

#include "Execution.h"

#include <cmath>

namespace tilec::harness::test {
namespace {

struct ReduceCase {
  DType type;
  std::string op;
  std::vector<int64_t> shape;
  int axis;
  int warps;
};

std::string reduceName(const ::testing::TestParamInfo<ReduceCase> &info) {
  const ReduceCase &c = info.param;
  std::string name = c.op + "_" + tilecrt::dtypeName(c.type);
  for (int64_t extent : c.shape)
    name += "_" + std::to_string(extent);
  return name + "_axis" + std::to_string(c.axis) + "_warps" + std::to_string(c.warps);
}

/// The result of one reduction of `count` elements of x from `first` in steps of `step`.
double fold(const std::string &op, const HostArray &x, uint64_t first, uint64_t step,
            uint64_t count) {
  double best = x.at(first), total = 0;
  int64_t bits = 0;
  uint64_t index = 0;
  for (uint64_t i = 0; i < count; ++i) {
    double value = x.at(first + i * step);
    total += value;
    bits ^= static_cast<int64_t>(value);
    bool isMax = op == "max" || op == "argmax";
    // The first of equal values wins.
    if (i != 0 && (isMax ? value > best : value < best)) {
      best = value;
      index = i;
    }
  }
  if (op == "sum")
    return total;
  if (op == "xor")
    return static_cast<double>(bits);
  return op == "argmax" || op == "argmin" ? static_cast<double>(index) : best;
}

class ReduceTest : public ::testing::TestWithParam<ReduceCase> {};

TEST_P(ReduceTest, matchesTheLoop) {
  const ReduceCase &c = GetParam();
  RunBuilder builder =
      kernelOf("reductions.tile", "reduce_" + std::to_string(c.shape.size()) + "d");
  // Few different values, so that there are ties.
  if (tilecrt::isFloat(c.type))
    builder.fill("x_ptr", c.type, c.shape, [](uint64_t i) {
      return std::round(40 * std::sin(static_cast<double>(i * i + 1))) / 4;
    });
  else
    builder.randint("x_ptr", c.type, c.shape, tilecrt::isSignedInteger(c.type) ? -20 : 0, 20);

  uint64_t inner = 1, count = static_cast<uint64_t>(c.shape[c.axis]), outer = 1;
  std::vector<int64_t> rest;
  for (int i = 0; i < static_cast<int>(c.shape.size()); ++i) {
    (i < c.axis ? outer : inner) *= i == c.axis ? 1 : static_cast<uint64_t>(c.shape[i]);
    if (i != c.axis)
      rest.push_back(c.shape[i]);
  }
  if (rest.empty())
    rest = {1};
  bool isIndex = c.op == "argmax" || c.op == "argmin";
  DType outType = isIndex ? DType::i32 : tilecrt::isFloat(c.type) ? DType::f32 : DType::i64;
  builder.output(
      "out_ptr", outType, rest,
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr");
        for (uint64_t i = 0; i < outer * inner; ++i)
          out.set(i, fold(c.op, x, i / inner * inner * count + i % inner, inner, count));
      },
      tilecrt::Tolerance{c.type == DType::f16 ? 2e-2 : 1e-6, c.type == DType::f16 ? 0.5 : 1e-5});
  builder.constant("OP", "'" + c.op + "'").warps(c.warps);
  const char *names[][3] = {{"N"}, {"M", "N"}, {"A", "B", "C"}};
  if (c.shape.size() > 1)
    builder.constant("AXIS", c.axis);
  for (size_t i = 0; i < c.shape.size(); ++i)
    builder.constant(names[c.shape.size() - 1][i], c.shape[i]);
  expectRun(builder);
}

std::vector<ReduceCase> reduceCases() {
  std::vector<ReduceCase> cases;
  const std::vector<std::vector<int64_t>> shapes = {
      {1},        {2},        {32},      {64},     {1024},    {4096},     {1, 32},
      {64, 1},    {2, 256},   {128, 4},  {16, 64}, {32, 32},  {64, 128},  {4, 8, 16},
      {2, 2, 64}, {32, 4, 2}, {1, 1, 8}, {3},      {96},      {257},      {1000},
      {3, 5},     {48, 80},   {257, 3},  {16, 96}, {3, 5, 7}, {24, 1, 80}};
  const int warps[] = {1, 2, 4, 8};
  size_t next = 0;
  for (const std::vector<int64_t> &shape : shapes)
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
      for (const char *op : {"sum", "max", "argmin"})
        cases.push_back({DType::f32, op, shape, axis, warps[next++ % 4]});
  for (const char *op : {"sum", "max", "min", "argmax", "argmin"})
    for (int axis : {0, 1})
      for (DType type : {DType::f16, DType::i8, DType::u8, DType::i16, DType::i32, DType::i64})
        cases.push_back({type, op, {16, 64}, axis, warps[next++ % 4]});
  for (int count : warps)
    for (int axis : {0, 1})
      for (DType type : {DType::i32, DType::i64, DType::u32})
        cases.push_back({type, "xor", {8, 128}, axis, count});
  for (int count : warps)
    cases.push_back({DType::f64, "sum", {32, 64}, count % 3 == 1, count});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, ReduceTest, ::testing::ValuesIn(reduceCases()), reduceName);

TEST(ReduceFormsTest, wholeBlockKeptDimensionTwoResultsOwnCombination) {
  constexpr uint64_t m = 16, n = 32;
  for (int warps : {1, 4}) {
    RunBuilder builder = kernelOf("reductions.tile", "reduce_forms");
    builder.randn("x_ptr", DType::f32, {m, n});
    builder.output(
        "out_ptr", DType::f32, {6},
        [&](HostArray &out) {
          const HostArray &x = builder.array("x_ptr");
          double total = 0, below = 0, peaks = 0, where = 0, magnitude = 0, best = -INFINITY;
          for (uint64_t i = 0; i < m * n; ++i) {
            total += x.at(i);
            if (std::fabs(x.at(i)) > std::fabs(magnitude))
              magnitude = x.at(i);
          }
          for (uint64_t row = 0; row < m; ++row) {
            double peak = fold("max", x, row * n, 1, n);
            below += fold("sum", x, row * n, 1, n) - n * peak;
          }
          for (uint64_t column = 0; column < n; ++column) {
            peaks += fold("max", x, column, n, m);
            where += fold("argmax", x, column, n, m);
            best = std::max(best, fold("sum", x, column, n, m));
          }
          const double expected[] = {total, below, peaks, where, magnitude, best};
          for (uint64_t i = 0; i < 6; ++i)
            out.set(i, expected[i]);
        },
        tilecrt::Tolerance{1e-5, 1e-4});
    builder.constant("M", m).constant("N", n).warps(warps);
    expectRun(builder);
  }
}

} // namespace
} // namespace tilec::harness::test
