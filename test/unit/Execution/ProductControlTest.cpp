// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products in branches, loops and behind returns that depend on data; products over nothing; and
// descriptors that a launch gives wrong strides to.

#include "DotTolerance.h"

namespace tilec::harness::test {
namespace {

constexpr int64_t kSteps = 5, kStep = 32, kDepth = kSteps * kStep;
constexpr int64_t kRows = 64, kColumns = 64;

/// How often a step counts, 0 for not at all.
using Weight = std::function<double(const std::vector<double> &flags, uint64_t step)>;

RunBuilder productOf(const std::string &kernel, DType type, int stages) {
  RunBuilder builder = kernelOf("product-control.tile", kernel);
  builder.randn("a_ptr", type, {kRows, kDepth}).randn("b_ptr", type, {kDepth, kColumns});
  builder.constant("M", kRows).constant("N", kColumns).constant("STEP", kStep);
  builder.constant("STAGES", stages);
  return builder;
}

void sumSteps(RunBuilder &builder, const std::function<double(uint64_t)> &weight, HostArray &out,
              uint64_t first = 0) {
  const HostArray &a = builder.array("a_ptr"), &b = builder.array("b_ptr");
  for (uint64_t i = 0; i < kRows; ++i)
    for (uint64_t j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (uint64_t x = 0; x < kDepth; ++x)
        if (double factor = weight(x / kStep))
          sum += factor * a.at(i * kDepth + x) * b.at(x * kColumns + j);
      out.set(first + i * kColumns + j, sum);
    }
}

void expectProduct(const std::string &kernel, const std::vector<double> &flags,
                   const Weight &weight,
                   const std::vector<std::pair<std::string, int>> &constants = {}) {
  for (DType type : {DType::f16, DType::f32})
    for (int stages : {1, 3}) {
      SCOPED_TRACE(kernel + " of " + tilecrt::dtypeName(type) + ", stages " +
                   std::to_string(stages));
      RunBuilder builder = productOf(kernel, type, stages);
      builder.values("flag_ptr", DType::i32, flags);
      builder.output(
          "out_ptr", DType::f32, {kRows, kColumns},
          [&](HostArray &out) {
            sumSteps(builder, [&](uint64_t step) { return weight(flags, step); }, out);
          },
          dotTolerance(type, DType::f32, kDepth, false));
      for (const auto &[name, value] : constants)
        builder.constant(name, value);
      expectRun(builder.i32("K", kDepth), {"sm_80"});
    }
}

double isSet(const std::vector<double> &flags, uint64_t step) { return flags[step] > 0; }

/// Up to the first flag that is not set; a 2 leaves a step out.
double untilUnset(const std::vector<double> &flags, uint64_t step) {
  for (uint64_t i = 0; i <= step; ++i)
    if (flags[i] == 0)
      return 0;
  return flags[step] == 1;
}

const std::vector<double> kFlagSets[] = {
    {1, 0, 1, 1, 0, 0}, {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 0}, {0, 1, 0, 0, 1, 0}};

TEST(ProductControl, underIf) {
  for (const std::vector<double> &flags : kFlagSets)
    for (int loads : {0, 1})
      expectProduct("under_if", flags, isSet, {{"LOADS", loads}});
}

TEST(ProductControl, inBothBranches) {
  for (const std::vector<double> &flags : kFlagSets)
    expectProduct("in_both_branches", flags, [](const std::vector<double> &set, uint64_t step) {
      return set[step] > 0 ? 1.0 : -1.0;
    });
}

TEST(ProductControl, inWhile) {
  for (const std::vector<double> &flags : kFlagSets)
    expectProduct("in_while", flags, untilUnset);
}

TEST(ProductControl, withBreakAndContinue) {
  for (const std::vector<double> &flags :
       {std::vector<double>{1, 2, 1, 0, 1, 0}, {0, 1, 1, 1, 1, 0}, {2, 2, 1, 2, 1, 0}})
    expectProduct("with_break", flags, untilUnset);
}

TEST(ProductControl, copiesUnderIf) {
  for (const std::vector<double> &flags : kFlagSets)
    expectProduct("copies_under_if", flags, [](const std::vector<double> &set, uint64_t step) {
      return set[0] > 0 ? isSet(set, step) : double(step > 0);
    });
}

TEST(ProductControl, afterReturn) {
  const std::vector<double> steps = {3, 0, 5, 1};
  for (int stages : {1, 3}) {
    RunBuilder builder = productOf("after_return", DType::f16, stages);
    builder.values("flag_ptr", DType::i32, steps);
    builder.fill("out_ptr", DType::f32, {4, kRows, kColumns}, [](uint64_t) { return 7.0; });
    builder.changes(
        "out_ptr",
        [&](HostArray &out) {
          for (uint64_t tile = 0; tile < steps.size(); ++tile)
            for (uint64_t i = 0; i < kRows * kColumns && steps[tile] == 0; ++i)
              out.set(tile * kRows * kColumns + i, 7.0);
          for (uint64_t tile = 0; tile < steps.size(); ++tile)
            if (steps[tile] > 0)
              sumSteps(
                  builder, [&](uint64_t step) { return double(double(step) < steps[tile]); }, out,
                  tile * kRows * kColumns);
        },
        dotTolerance(DType::f16, DType::f32, kDepth, false));
    expectRun(builder.i32("K", kDepth).grid(4), {"sm_80"});
  }
}

TEST(ProductControl, overNothing) {
  for (DType type : {DType::f16, DType::f32, DType::f8e4m3})
    for (int stages : {1, 2, 3}) {
      RunBuilder builder = kernelOf("product-control.tile", "product");
      builder.randn("a_ptr", type, {kRows, 1}).randn("b_ptr", type, {1, kColumns});
      builder.output("out_ptr", DType::f32, {kRows, kColumns}, [](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, 0);
      });
      builder.constant("M", kRows).constant("N", kColumns).constant("STEP", kStep);
      expectRun(builder.i32("K", 0).constant("STAGES", stages), {"sm_80"});
    }
}

/// A copy of 16 rows of 32 elements that are `stride` apart; the output is that of 40.
RunBuilder copyOf(int64_t rows, int64_t stride) {
  RunBuilder builder = kernelOf("product-control.tile", "copy");
  builder.randn("x_ptr", DType::f16, {16 * 64});
  builder.output("out_ptr", DType::f16, {16, 32}, [&](HostArray &out) {
    for (uint64_t i = 0; i < out.size(); ++i)
      out.set(i, builder.array("x_ptr").at(i / 32 * 40 + i % 32));
  });
  builder.i32("M", rows).i32("N", 32).i32("stride", stride);
  builder.constant("BLOCK_M", 16).constant("BLOCK_N", 32);
  return builder;
}

TEST(DescriptorMistakes, refusedAtLaunch) {
  RunBuilder right = copyOf(16, 40);
  expectRun(right, {"sm_80"});
  for (auto [rows, stride, message] :
       {std::tuple(16, 36, "the stride 36 in dimension 0, expected a multiple of 16 bytes"),
        std::tuple(16, -40, "the stride -40 in dimension 0, expected a multiple of 16 bytes"),
        std::tuple(0, 40, "the size 0 in dimension 0, expected 1 to 2^32 - 1")}) {
    RunBuilder builder = copyOf(rows, stride);
    Outcome outcome = simulateRun(builder);
    EXPECT_EQ(outcome.simulation.status, tilecrt::sim::LaunchStatus::Invalid);
    EXPECT_NE(outcome.simulation.error.find(message), std::string::npos)
        << outcome.simulation.error;
  }
}

TEST(DescriptorMistakes, foundWhereTheyAreUsedAsPointers) {
  for (auto [stride, offset] : {std::pair(34, 0), std::pair(40, 2)}) {
    RunBuilder builder = copyOf(16, stride);
    builder.skew("x_ptr", uint64_t(offset));
    Outcome outcome = simulateRun(builder, "sm_80");
    ASSERT_FALSE(outcome.simulation.findings.empty());
    EXPECT_EQ(outcome.simulation.findings[0].kind, tilecrt::sim::FindingKind::MisalignedAccess);
    EXPECT_NE(outcome.findings[0].find("misaligned-access: global load"), std::string::npos)
        << outcome.findings[0];
  }
}

} // namespace
} // namespace tilec::harness::test
