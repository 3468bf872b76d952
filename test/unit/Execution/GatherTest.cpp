// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers along each axis and histograms, over element types, shapes and numbers of warps.

#include "Execution.h"

namespace tilec::harness::test {
namespace {

struct GatherCase {
  DType type;
  DType indexType;
  std::vector<int64_t> shape;
  int axis;
  /// Size of the result along the axis.
  int64_t picked;
  int warps;
};

std::string gatherName(const ::testing::TestParamInfo<GatherCase> &info) {
  const GatherCase &c = info.param;
  std::string name =
      std::string(tilecrt::dtypeName(c.type)) + "_by_" + tilecrt::dtypeName(c.indexType);
  for (int64_t extent : c.shape)
    name += "_" + std::to_string(extent);
  return name + "_axis" + std::to_string(c.axis) + "_to" + std::to_string(c.picked) + "_warps" +
         std::to_string(c.warps);
}

class GatherTest : public ::testing::TestWithParam<GatherCase> {};

TEST_P(GatherTest, matchesTheLoop) {
  const GatherCase &c = GetParam();
  bool isMatrix = c.shape.size() == 2;
  RunBuilder builder = kernelOf("gathers.tile", isMatrix ? "gather_2d" : "gather_1d");
  builder.randint("x_ptr", c.type, c.shape, 0, 100);
  std::vector<int64_t> result = c.shape;
  result[c.axis] = c.picked;
  int64_t limit = std::min<int64_t>(c.shape[c.axis], c.indexType == DType::i8 ? 128 : 1 << 20);
  builder.randint("index_ptr", c.indexType, result, 0, limit);
  uint64_t inner = c.axis + 1 < static_cast<int>(c.shape.size()) ? c.shape[1] : 1;
  auto count = static_cast<uint64_t>(c.shape[c.axis]), picked = static_cast<uint64_t>(c.picked);
  builder.output(
      "out_ptr", c.type, result,
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i) {
          uint64_t line = i / inner / picked;
          auto along = static_cast<uint64_t>(builder.array("index_ptr").at(i));
          out.set(i, builder.array("x_ptr").at((line * count + along) * inner + i % inner));
        }
      },
      kExact);
  if (isMatrix)
    builder.constant("AXIS", c.axis).constant("M", c.shape[0]).constant("N", c.shape[1]);
  else
    builder.constant("N", c.shape[0]);
  builder.constant("K", c.picked).warps(c.warps);
  expectRun(builder);
}

std::vector<GatherCase> gatherCases() {
  std::vector<GatherCase> cases;
  const int warps[] = {4, 1, 8, 2};
  size_t next = 0;
  for (int64_t size : {1, 8, 128, 1024, 4096, 3, 257})
    for (int64_t picked : {1, 32, 512, 96})
      cases.push_back({DType::f32, DType::i32, {size}, 0, picked, warps[next++ % 4]});
  const std::vector<std::vector<int64_t>> shapes = {{1, 64},  {16, 16}, {64, 32}, {128, 4},
                                                    {8, 256}, {3, 5},   {48, 80}};
  for (const std::vector<int64_t> &shape : shapes)
    for (int axis : {0, 1})
      for (int64_t picked : {2, 64})
        cases.push_back({DType::f32, DType::i32, shape, axis, picked, warps[next++ % 4]});
  for (DType type :
       {DType::f16, DType::bf16, DType::i8, DType::u8, DType::i16, DType::i64, DType::f64})
    for (int axis : {0, 1})
      cases.push_back({type, DType::i32, {32, 32}, axis, 64, warps[next++ % 4]});
  for (DType indexType : {DType::i8, DType::u8, DType::i16, DType::u32, DType::i64})
    cases.push_back({DType::f32, indexType, {256}, 0, 256, warps[next++ % 4]});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, GatherTest, ::testing::ValuesIn(gatherCases()), gatherName);

TEST(GatherFormsTest, sourcesAndIndicesOfAllKinds) {
  constexpr int64_t n = 256;
  for (int warps : {1, 4, 8}) {
    RunBuilder builder = kernelOf("gathers.tile", "gather_forms");
    builder.randint("x_ptr", DType::i32, {n}, 0, n);
    auto expect = [&](const std::string &name, auto value) {
      builder.output(
          name, DType::i32, {n},
          [&](HostArray &out) {
            for (uint64_t i = 0; i < n; ++i)
              out.set(i, value(i));
          },
          kExact);
    };
    auto x = [&](double i) { return builder.array("x_ptr").at(static_cast<uint64_t>(i)); };
    expect("reversed_ptr", [&](uint64_t i) { return x(static_cast<double>(n - 1 - i)); });
    expect("twice_ptr", [&](uint64_t i) { return x(static_cast<double>(i ^ 3)); });
    expect("table_ptr", [&](uint64_t i) { return static_cast<double>(i % 16 * (i % 16)); });
    expect("chased_ptr", [&](uint64_t i) { return x(x(x(static_cast<double>(i)))); });
    builder.constant("N", n).warps(warps);
    expectRun(builder);
  }
}

TEST(GatherFormsTest, anIndexOutOfRangeIsFound) {
  RunBuilder builder = kernelOf("gathers.tile", "gather_far");
  builder.randint("x_ptr", DType::i32, {128}, 0, 9);
  builder.unchecked("out_ptr", DType::i32, {128}).constant("N", 128);
  Outcome outcome = simulateRun(builder);
  EXPECT_FALSE(outcome.findings.empty());
}

struct CountCase {
  int64_t size;
  int64_t bins;
  DType type;
  int warps;
};

std::string countName(const ::testing::TestParamInfo<CountCase> &info) {
  return std::string(tilecrt::dtypeName(info.param.type)) + "_" + std::to_string(info.param.size) +
         "_in" + std::to_string(info.param.bins) + "_warps" + std::to_string(info.param.warps);
}

class HistogramTest : public ::testing::TestWithParam<CountCase> {
protected:
  /// Counts the first `count` elements of x.
  static RunBuilder::Expectation countsOf(const RunBuilder &builder, int64_t count) {
    return [&builder, count](HostArray &out) {
      for (uint64_t i = 0; i < out.size(); ++i)
        out.set(i, 0);
      for (uint64_t i = 0; i < static_cast<uint64_t>(count); ++i) {
        double x = builder.array("x_ptr").at(i);
        if (x >= 0 && x < static_cast<double>(out.size()))
          out.set(static_cast<uint64_t>(x), out.at(static_cast<uint64_t>(x)) + 1);
      }
    };
  }
  /// Random numbers of which some are out of range on both sides.
  static void addNumbers(RunBuilder &builder, int64_t size, const CountCase &c) {
    int64_t high = c.type == DType::i8 ? 128 : c.bins + c.bins / 4 + 1;
    builder.randint("x_ptr", c.type, {size}, tilecrt::isSignedInteger(c.type) ? -5 : 0, high);
  }
};

TEST_P(HistogramTest, matchesTheLoop) {
  const CountCase &c = GetParam();
  {
    RunBuilder builder = kernelOf("gathers.tile", "count");
    addNumbers(builder, c.size, c);
    builder.output("out_ptr", DType::i32, {c.bins}, countsOf(builder, c.size), kExact);
    builder.constant("N", c.size).constant("BINS", c.bins).warps(c.warps);
    expectRun(builder);
  }
  {
    RunBuilder builder = kernelOf("gathers.tile", "count_masked");
    int64_t n = c.size / 2 + 1;
    addNumbers(builder, n, c);
    builder.output("out_ptr", DType::i32, {c.bins}, countsOf(builder, n), kExact);
    builder.i32("n", n).constant("N", c.size).constant("BINS", c.bins).warps(c.warps);
    expectRun(builder);
  }
  {
    RunBuilder builder = kernelOf("gathers.tile", "count_loop");
    int64_t n = 3 * c.size + 1;
    addNumbers(builder, n, c);
    builder.output("out_ptr", DType::i32, {c.bins}, countsOf(builder, n), kExact);
    builder.i32("n", n).constant("BLOCK", c.size).constant("BINS", c.bins).warps(c.warps);
    expectRun(builder);
  }
}

std::vector<CountCase> countCases() {
  std::vector<CountCase> cases;
  const int warps[] = {4, 1, 8, 2};
  size_t next = 0;
  for (int64_t size : {1, 64, 1024, 2048})
    for (int64_t bins : {1, 2, 16, 256, 1024})
      cases.push_back({size, bins, DType::i32, warps[next++ % 4]});
  for (DType type : {DType::u8, DType::i8, DType::i16, DType::u32})
    cases.push_back({512, 64, type, warps[next++ % 4]});
  for (int64_t size : {3, 257, 1000})
    for (int64_t bins : {3, 80, 1000})
      cases.push_back({size, bins, DType::i32, warps[next++ % 4]});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, HistogramTest, ::testing::ValuesIn(countCases()), countName);

} // namespace
} // namespace tilec::harness::test
