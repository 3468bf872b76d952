// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point operations: elementary functions against libm in double precision, minimum,
// maximum and comparisons with NaN, division in its forms.

#include "Execution.h"

#include <cmath>
#include <functional>

namespace tilec::harness::test {
namespace {

using Function = std::function<double(double)>;

/// Relative error allowed for a function in fp32 (with fast paths) and in fp64.
constexpr tilecrt::Tolerance singleTolerance{2e-6, 2e-7}, doubleTolerance{1e-14, 1e-15};

void expectUnary(const char *op, DType type, const std::vector<double> &inputs,
                 const Function &fn) {
  RunBuilder builder = kernelOf("elementwise.tile", "unary");
  builder.values("x_ptr", type, inputs);
  builder.output(
      "out_ptr", type, {static_cast<int64_t>(inputs.size())},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, fn(builder.array("x_ptr").at(i)));
      },
      type == DType::f64 ? doubleTolerance : singleTolerance);
  builder.i32("n", static_cast<int64_t>(inputs.size())).constant("OP", "'" + std::string(op) + "'");
  builder.constant("BLOCK", 256).grid((inputs.size() + 255) / 256);
  expectRun(builder);
}

/// Evenly spaced from low to high.
std::vector<double> spaced(double low, double high, size_t count = 400) {
  std::vector<double> list;
  for (size_t i = 0; i < count; ++i)
    list.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1));
  return list;
}

TEST(MathTest, elementaryFunctions) {
  for (DType type : {DType::f32, DType::f64}) {
    expectUnary("exp2", type, spaced(-20, 20), [](double x) { return std::exp2(x); });
    expectUnary("exp", type, spaced(-8, 8), [](double x) { return std::exp(x); });
    expectUnary("log", type, spaced(0.01, 50), [](double x) { return std::log(x); });
    expectUnary("log2", type, spaced(0.01, 50), [](double x) { return std::log2(x); });
    expectUnary("sin", type, spaced(-30, 30), [](double x) { return std::sin(x); });
    expectUnary("cos", type, spaced(-30, 30), [](double x) { return std::cos(x); });
    expectUnary("sqrt", type, spaced(0, 100), [](double x) { return std::sqrt(x); });
    expectUnary("rsqrt", type, spaced(0.01, 100), [](double x) { return 1 / std::sqrt(x); });
    expectUnary("erf", type, spaced(-4, 4), [](double x) { return std::erf(x); });
    expectUnary("floor", type, spaced(-4, 4), [](double x) { return std::floor(x); });
    expectUnary("ceil", type, spaced(-4, 4), [](double x) { return std::ceil(x); });
    expectUnary("abs", type, spaced(-4, 4), [](double x) { return std::fabs(x); });
    expectUnary("neg", type, spaced(-4, 4), [](double x) { return -x; });
    expectUnary("sigmoid", type, spaced(-8, 8), [](double x) { return 1 / (1 + std::exp(-x)); });
    expectUnary("clamp", type, spaced(-2, 2), [](double x) { return std::clamp(x, -0.5, 0.75); });
    expectUnary("fma", type, spaced(-4, 4), [](double x) { return std::fma(x, x, x); });
  }
  expectUnary("sqrt_rn", DType::f32, spaced(0, 100), [](double x) { return std::sqrt(x); });
}

TEST(MathTest, specialValues) {
  const std::vector<double> list = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 1e-40, 200, -200};
  for (DType type : {DType::f32, DType::f64}) {
    expectUnary("exp", type, {0.0, INFINITY, -INFINITY, NAN, -1000, 1000},
                [](double x) { return std::exp(x); });
    expectUnary("sqrt", type, list, [](double x) { return std::sqrt(x); });
    expectUnary("abs", type, list, [](double x) { return std::fabs(x); });
    expectUnary("neg", type, list, [](double x) { return -x; });
    expectUnary("floor", type, list, [](double x) { return std::floor(x); });
    expectUnary("log", type, {0.0, INFINITY, -1, NAN, 1}, [](double x) { return std::log(x); });
  }
}

TEST(MathTest, negationKeepsTheZerosSign) {
  RunBuilder builder = kernelOf("elementwise.tile", "unary");
  builder.values("x_ptr", DType::f32, {0.0, -0.0});
  builder.unchecked("out_ptr", DType::f32, {2});
  builder.i32("n", 2).constant("OP", "'neg'").constant("BLOCK", 2);
  Outcome outcome = simulateRun(builder);
  ASSERT_EQ(outcome.outputs.size(), 1u);
  EXPECT_TRUE(std::signbit(outcome.outputs[0].at(0)));
  EXPECT_FALSE(std::signbit(outcome.outputs[0].at(1)));
}

using Function2 = std::function<double(double, double)>;

void expectBinary(const char *op, DType type, DType outType, const Function2 &fn,
                  tilecrt::Tolerance tolerance = {0, 0}) {
  const std::vector<double> special = {0.0, -0.0, 1, -1, 2.5, NAN, INFINITY, -INFINITY, 7, -7};
  std::vector<double> x, y;
  for (double a : special)
    for (double b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  RunBuilder builder = kernelOf("elementwise.tile", "binary");
  builder.values("x_ptr", type, x).values("y_ptr", type, y);
  builder.output(
      "out_ptr", outType, {static_cast<int64_t>(x.size())},
      [&](HostArray &out) {
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, fn(x[i], y[i]));
      },
      tolerance);
  builder.i32("n", static_cast<int64_t>(x.size())).constant("OP", "'" + std::string(op) + "'");
  builder.constant("BLOCK", 128);
  expectRun(builder);
}

TEST(MathTest, minimumAndMaximumWithNaN) {
  for (DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    // By default the operand that is a number wins.
    expectBinary("min", type, type, [](double a, double b) { return std::fmin(a, b); });
    expectBinary("max", type, type, [](double a, double b) { return std::fmax(a, b); });
    auto either = [](double a, double b) { return std::isnan(a) || std::isnan(b); };
    expectBinary("min_all", type, type,
                 [=](double a, double b) { return either(a, b) ? NAN : std::fmin(a, b); });
    expectBinary("max_all", type, type,
                 [=](double a, double b) { return either(a, b) ? NAN : std::fmax(a, b); });
    expectBinary("where", type, type, [](double a, double b) { return a > b ? a : b; });
  }
}

TEST(MathTest, comparisonsWithNaN) {
  for (DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    expectBinary("lt", type, DType::boolean, [](double a, double b) { return a < b; });
    expectBinary("le", type, DType::boolean, [](double a, double b) { return a <= b; });
    expectBinary("gt", type, DType::boolean, [](double a, double b) { return a > b; });
    expectBinary("ge", type, DType::boolean, [](double a, double b) { return a >= b; });
    expectBinary("eq", type, DType::boolean, [](double a, double b) { return a == b; });
    expectBinary("ne", type, DType::boolean, [](double a, double b) { return a != b; });
  }
}

TEST(MathTest, floatArithmetic) {
  for (DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    tilecrt::Tolerance tolerance = toleranceFor(type);
    expectBinary("add", type, type, [](double a, double b) { return a + b; }, tolerance);
    expectBinary("sub", type, type, [](double a, double b) { return a - b; }, tolerance);
    expectBinary("mul", type, type, [](double a, double b) { return a * b; }, tolerance);
    expectBinary("div", type, type, [](double a, double b) { return a / b; }, tolerance);
    expectBinary("mod", type, type, [](double a, double b) { return std::fmod(a, b); }, tolerance);
  }
  expectBinary(
      "fdiv", DType::f32, DType::f32, [](double a, double b) { return a / b; }, singleTolerance);
  expectBinary(
      "div_rn", DType::f32, DType::f32, [](double a, double b) { return a / b; }, singleTolerance);
}

TEST(MathTest, integersDivideToFloats) {
  RunBuilder builder = kernelOf("elementwise.tile", "binary");
  builder.randint("x_ptr", DType::i32, {200}, -1000, 1000)
      .randint("y_ptr", DType::i32, {200}, 1, 99);
  builder.output("out_ptr", DType::f32, {200}, [&](HostArray &out) {
    for (uint64_t i = 0; i < 200; ++i)
      out.set(i, builder.array("x_ptr").at(i) / builder.array("y_ptr").at(i));
  });
  builder.i32("n", 200).constant("OP", "'div'").constant("BLOCK", 256);
  expectRun(builder);
}

} // namespace
} // namespace tilec::harness::test
