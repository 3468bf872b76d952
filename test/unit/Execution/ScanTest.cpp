// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans along each axis in both directions, over shapes larger and smaller than what the warps
// hold, with one to eight warps, against a loop.

#include "Execution.h"

namespace tilec::harness::test {
namespace {

struct ScanCase {
  DType type;
  std::string op;
  std::vector<int64_t> shape;
  int axis;
  bool reverse;
  int warps;
};

std::string scanName(const ::testing::TestParamInfo<ScanCase> &info) {
  const ScanCase &c = info.param;
  std::string name = c.op + "_" + tilecrt::dtypeName(c.type);
  for (int64_t extent : c.shape)
    name += "_" + std::to_string(extent);
  return name + "_axis" + std::to_string(c.axis) + (c.reverse ? "_reverse" : "") + "_warps" +
         std::to_string(c.warps);
}

/// The running state of one scan, in the arithmetic of the kernel.
class Fold {
public:
  explicit Fold(std::string name) : op(std::move(name)) {}

  double next(double element) {
    auto number = static_cast<uint32_t>(static_cast<int64_t>(element));
    if (isFirst) {
      isFirst = false;
      value = element;
      added = number ^ 5;
    } else if (op == "sum") {
      value += element;
    } else if (op == "prod") {
      value *= element;
    } else if (op == "max") {
      value = std::max(value, element);
    } else if (op == "last_odd") {
      value = static_cast<int32_t>(number) % 2 == 1 ? element : value;
    } else {
      added = added * number + (number ^ 5);
    }
    return op == "compose" ? static_cast<double>(static_cast<int32_t>(added)) : value;
  }

private:
  std::string op;
  bool isFirst = true;
  double value = 0;
  uint32_t added = 0;
};

class ScanTest : public ::testing::TestWithParam<ScanCase> {};

TEST_P(ScanTest, matchesTheLoop) {
  const ScanCase &c = GetParam();
  RunBuilder builder = kernelOf("scans.tile", "scan_" + std::to_string(c.shape.size()) + "d");
  if (c.op == "prod") // Stays finite: mostly ones.
    builder.fill("x_ptr", c.type, c.shape, [](uint64_t i) {
      return i % 7 == 3 ? -1.0 : i % 11 == 5 ? 2.0 : i % 11 == 9 ? 0.5 : 1.0;
    });
  else
    builder.randint("x_ptr", c.type, c.shape, tilecrt::isSignedInteger(c.type) ? -20 : 0, 20);

  uint64_t inner = 1, count = static_cast<uint64_t>(c.shape[c.axis]), outer = 1;
  for (int i = 0; i < static_cast<int>(c.shape.size()); ++i)
    if (i != c.axis)
      (i < c.axis ? outer : inner) *= static_cast<uint64_t>(c.shape[i]);
  DType outType = c.op == "compose"          ? DType::i32
                  : tilecrt::isFloat(c.type) ? DType::f32
                                             : DType::i64;
  builder.output(
      "out_ptr", outType, c.shape,
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr");
        for (uint64_t line = 0; line < outer * inner; ++line) {
          Fold fold(c.op);
          for (uint64_t k = 0; k < count; ++k) {
            uint64_t along = c.reverse ? count - 1 - k : k;
            uint64_t i = line / inner * inner * count + along * inner + line % inner;
            out.set(i, fold.next(x.at(i)));
          }
        }
      },
      tilecrt::Tolerance{0, 0});
  builder.constant("OP", "'" + c.op + "'").constant("REVERSE", c.reverse ? "True" : "False");
  builder.warps(c.warps);
  const char *names[][3] = {{"N"}, {"M", "N"}, {"A", "B", "C"}};
  if (c.shape.size() > 1)
    builder.constant("AXIS", c.axis);
  for (size_t i = 0; i < c.shape.size(); ++i)
    builder.constant(names[c.shape.size() - 1][i], c.shape[i]);
  expectRun(builder);
}

std::vector<ScanCase> scanCases() {
  std::vector<ScanCase> cases;
  const std::vector<std::vector<int64_t>> shapes = {
      {1},       {2},       {16},       {32},       {64},       {256},     {1024},      {4096},
      {8192},    {1, 32},   {64, 1},    {2, 256},   {128, 4},   {16, 64},  {32, 128},   {64, 128},
      {128, 32}, {256, 64}, {4, 8, 16}, {2, 2, 64}, {32, 4, 2}, {1, 1, 8}, {64, 2, 16}, {3},
      {96},      {257},     {1000},     {3, 5},     {48, 80},   {3, 5, 7}};
  const int warps[] = {4, 1, 8, 2};
  size_t next = 0;
  for (const std::vector<int64_t> &shape : shapes)
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
      for (bool reverse : {false, true}) {
        cases.push_back({DType::i32, "compose", shape, axis, reverse, warps[next % 4]});
        cases.push_back({DType::f32, "sum", shape, axis, reverse, warps[++next % 4]});
      }
  for (bool reverse : {false, true})
    for (int axis : {0, 1}) {
      for (DType type : {DType::f16, DType::bf16, DType::i8, DType::u8, DType::i16, DType::i64})
        cases.push_back({type, "max", {16, 64}, axis, reverse, warps[next++ % 4]});
      for (DType type : {DType::i8, DType::u8, DType::i16, DType::u32, DType::i64, DType::f64})
        cases.push_back({type, "sum", {32, 64}, axis, reverse, warps[next++ % 4]});
      for (DType type : {DType::f32, DType::f64})
        cases.push_back({type, "prod", {8, 128}, axis, reverse, warps[next++ % 4]});
      for (int count : warps)
        for (const std::vector<int64_t> &shape : {std::vector<int64_t>{64, 64}, {24, 96}})
          cases.push_back({DType::i32, "last_odd", shape, axis, reverse, count});
    }
  for (int count : warps)
    for (bool reverse : {false, true}) {
      cases.push_back({DType::i32, "compose", {2048}, 0, reverse, count});
      cases.push_back({DType::i32, "last_odd", {512}, 0, reverse, count});
    }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, ScanTest, ::testing::ValuesIn(scanCases()), scanName);

TEST(ScanFormsTest, operandsOfAllKinds) {
  constexpr int64_t m = 16, n = 64;
  for (int warps : {1, 2, 4, 8}) {
    RunBuilder builder = kernelOf("scans.tile", "scan_forms");
    builder.randint("x_ptr", DType::i32, {m, n}, -9, 9);
    builder.output(
        "rows_ptr", DType::i32, {m},
        [&](HostArray &out) {
          double total = 0;
          for (uint64_t i = 0; i < m * n; ++i) {
            total += builder.array("x_ptr").at(i);
            if (i % n == n - 1)
              out.set(i / n, total);
          }
        },
        kExact);
    builder.output(
        "columns_ptr", DType::i32, {m, n},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < m * n; ++i)
            out.set(i, builder.array("x_ptr").at(i) + (i < n ? 0 : out.at(i - n)));
        },
        kExact);
    builder.output(
        "count_ptr", DType::i32, {n},
        [&](HostArray &out) {
          for (int64_t i = n - 1, total = 0; i >= 0; --i)
            out.set(static_cast<uint64_t>(i), static_cast<double>(total += i));
        },
        kExact);
    builder.output(
        "flat_ptr", DType::i32, {m * n},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < m * n; ++i)
            out.set(i, builder.array("x_ptr").at(i) + (i == 0 ? 0 : out.at(i - 1)));
        },
        kExact);
    builder.output(
        "where_ptr", DType::i32, {m, n},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < m * n; ++i)
            out.set(i, (builder.array("x_ptr").at(i) > 0) + (i % n == 0 ? 0 : out.at(i - 1)));
        },
        kExact);
    builder.output(
        "loop_ptr", DType::i32, {m, n},
        [&](HostArray &out) {
          for (uint64_t i = 0; i < m * n; ++i)
            out.set(i, 0);
          for (int step = 0; step < 2; ++step) {
            for (uint64_t i = m * n; i-- > 0;)
              out.set(i, out.at(i) + builder.array("x_ptr").at(i) +
                             (i % n == n - 1 ? 0 : out.at(i + 1)));
            for (uint64_t i = n; i < m * n; ++i)
              out.set(i, out.at(i) + out.at(i - n));
          }
        },
        kExact);
    builder.constant("M", m).constant("N", n).warps(warps);
    expectRun(builder);
  }
}

TEST(ScanFormsTest, typesOfSums) {
  RunBuilder builder = kernelOf("scans.tile", "types_of_sums");
  builder.output(
      "out_ptr", DType::i32, {8},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < 8; ++i)
          out.set(i, static_cast<double>(i + i * (i + 1) / 2));
      },
      tilecrt::Tolerance{0, 0});
  expectRun(builder);
}

} // namespace
} // namespace tilec::harness::test
