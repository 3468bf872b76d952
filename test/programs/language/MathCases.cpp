// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one, two and three numbers: an expression, its reference, and where it is sampled.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <cmath>

namespace tilec::harness::language {
namespace {

const Shape shape = {128};

struct Unary {
  const char *expression;
  double (*reference)(double);
  double low, high;
  /// Tolerance for fp32; fp64 results are as exact as the library.
  double rtol = 2e-6, atol = 1e-7;
};

double rsqrt(double x) { return 1 / std::sqrt(x); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

const Unary unaries[] = {
    {"tl.exp(x)", std::exp, -20, 20, 5e-6},
    {"tl.math.exp(x)", std::exp, -3, 3},
    {"x.exp()", std::exp, -3, 3},
    {"tl.exp2(x)", std::exp2, -30, 30},
    {"tl.math.exp2(x)", std::exp2, -3, 3},
    {"x.exp2()", std::exp2, -3, 3},
    {"tl.log(x)", std::log, 1e-3, 50, 2e-6, 2e-7},
    {"tl.math.log(x)", std::log, 1e-3, 50, 2e-6, 2e-7},
    {"tl.log2(x)", std::log2, 1e-3, 50, 2e-6, 2e-7},
    {"tl.math.log2(x)", std::log2, 1e-3, 50, 2e-6, 2e-7},
    {"tl.sin(x)", std::sin, -50, 50, 2e-6, 2e-7},
    {"tl.cos(x)", std::cos, -50, 50, 2e-6, 2e-7},
    {"tl.sqrt(x)", std::sqrt, 0, 100},
    {"tl.math.sqrt(x)", std::sqrt, 0, 100},
    {"tl.rsqrt(x)", rsqrt, 0.01, 100},
    {"tl.math.rsqrt(x)", rsqrt, 0.01, 100},
    {"tl.erf(x)", std::erf, -3, 3},
    {"tl.math.erf(x)", std::erf, -3, 3},
    {"tl.floor(x)", std::floor, -9, 9, 0, 0},
    {"tl.math.floor(x)", std::floor, -9, 9, 0, 0},
    {"tl.ceil(x)", std::ceil, -9, 9, 0, 0},
    {"tl.math.ceil(x)", std::ceil, -9, 9, 0, 0},
    {"tl.abs(x)", std::abs, -9, 9, 0, 0},
    {"tl.math.abs(x)", std::abs, -9, 9, 0, 0},
    {"tl.sqrt_rn(x)", std::sqrt, 0, 100, 6e-8, 0},
    {"tl.sigmoid(x)", sigmoid, -10, 10, 5e-6},
    {"x.sigmoid()", sigmoid, -10, 10, 5e-6},
    {"tl.fma(x, x, 1.0)", [](double x) { return x * x + 1; }, -3, 3},
    {"tl.clamp(x, -1.0, 2.0)", [](double x) { return std::fmin(std::fmax(x, -1), 2); }, -3, 3, 0,
     0},
    {"tl.fdiv(1.0, x)", [](double x) { return 1 / x; }, 1, 9},
    {"tl.math.tanh(x)", std::tanh, -3, 3},
    {"tl.math.log1p(x)", std::log1p, -0.5, 3},
    {"tl.math.pow(x, 2.5)", [](double x) { return std::pow(x, 2.5); }, 0.1, 9, 5e-6},
    {"tl.math.round(x)", std::round, -9, 9, 0, 0},
};

void writeUnaries(BlockProgram &p, DType type, const std::vector<Unary> &rows) {
  int count = 0;
  for (const Unary &row : rows) {
    std::string x = "x" + std::to_string(count), y = "y" + std::to_string(count);
    ++count;
    p.in(x, type, shape, uniform(row.low, row.high));
    p.body("x = " + x + "\n" + y + " = " + row.expression);
    tilecrt::Tolerance tolerance{row.rtol, row.atol};
    if (type == DType::f64)
      tolerance = {row.rtol == 0 ? 0 : 1e-14, row.atol == 0 ? 0 : 1e-15};
    p.out(y, type, shape, [&](uint64_t i) { return row.reference(p.at(x, i)); }, tolerance);
  }
}

/// Two operands, the precise forms exact to the last place.
void writeDivisions(BlockProgram &p, DType type) {
  p.in("x", type, shape, normal()).in("y", type, shape, uniform(0.5, 9));
  p.body(
      "a = tl.fdiv(x, y)\nb = tl.fdiv(x, y, ieee_rounding=True)\nc = tl.div_rn(x, y)\nd = x / y");
  if (type != DType::f64)
    p.body("e = tl.fdiv(x, y, approx=True)");
  DType result = type == DType::f64 ? type : DType::f32;
  auto quotient = [&](uint64_t i) { return p.at("x", i) / p.at("y", i); };
  tilecrt::Tolerance precise{type == DType::f64 ? 0 : 6e-8, 0};
  p.out("a", result, shape, quotient);
  p.out("b", result, shape, quotient, precise);
  p.out("c", result, shape, quotient, precise);
  p.out("d", result, shape, quotient);
  if (type != DType::f64)
    p.out("e", result, shape, quotient);
}

void writeHalfFma(BlockProgram &p, DType type) {
  p.in("x", type, shape).in("y", type, shape).in("z", type, shape);
  p.body("a = tl.fma(x, y, z)\nb = tl.clamp(x, -0.5, 0.5)\nc = tl.clamp(x, y, z + 4)");
  p.out("a", type, shape, [&](uint64_t i) { return p.at("x", i) * p.at("y", i) + p.at("z", i); });
  p.out("b", type, shape,
        [&](uint64_t i) { return std::fmin(std::fmax(p.at("x", i), -0.5), 0.5); });
  p.out("c", type, shape, [&](uint64_t i) {
    return std::fmin(std::fmax(p.at("x", i), p.at("y", i)), p.at("z", i) + 4);
  });
}

void writeMulHi(BlockProgram &p, DType type) {
  p.in("x", type, shape, bits()).in("y", type, shape, bits());
  p.body("a = tl.umulhi(x, y)\nb = tl.math.umulhi(x, y)");
  for (const char *name : {"a", "b"})
    p.outInt(name, type, shape, [&](uint64_t i) {
      unsigned width = bitWidth(type);
      auto mask = (static_cast<unsigned __int128>(1) << width) - 1;
      auto x = static_cast<unsigned __int128>(p.intAt("x", i)) & mask;
      auto y = static_cast<unsigned __int128>(p.intAt("y", i)) & mask;
      return static_cast<Int>((x * y) >> width);
    });
}

void writeIntegers(BlockProgram &p, DType type) {
  p.in("x", type, shape, uniform(isUnsigned(type) ? 0 : -100, 100));
  p.in("y", type, shape, uniform(1, 20));
  p.body("a = tl.abs(x)\nb = tl.cdiv(y, 3)\nc = tl.add(x, y)\nd = tl.sub(x, y)\ne = tl.mul(x, 2)\n"
         "f = tl.where(x > y, x, 0)\ng = tl.math.max(x, y)\nh = tl.math.min(x, y)\n"
         "k = tl.clamp(x, y, 50)\nl = tl.clamp(x, 3, 9)");
  auto x = [&](uint64_t i) { return p.intAt("x", i); };
  auto y = [&](uint64_t i) { return p.intAt("y", i); };
  p.outInt("a", type, shape, [&](uint64_t i) { return x(i) < 0 ? -x(i) : x(i); });
  p.outInt("b", type, shape, [&](uint64_t i) { return (y(i) + 2) / 3; });
  p.outInt("c", type, shape, [&](uint64_t i) { return x(i) + y(i); });
  p.outInt("d", type, shape, [&](uint64_t i) { return x(i) - y(i); });
  p.outInt("e", type, shape, [&](uint64_t i) { return x(i) * 2; });
  p.outInt("f", type, shape, [&](uint64_t i) { return x(i) > y(i) ? x(i) : 0; });
  p.outInt("g", type, shape, [&](uint64_t i) { return std::max(x(i), y(i)); });
  p.outInt("h", type, shape, [&](uint64_t i) { return std::min(x(i), y(i)); });
  p.outInt("k", type, shape, [&](uint64_t i) { return std::min<Int>(std::max(x(i), y(i)), 50); });
  p.outInt("l", type, shape, [&](uint64_t i) { return std::min<Int>(std::max<Int>(x(i), 3), 9); });
}

void writeSoftmax(BlockProgram &p, DType type) {
  p.in("x", type, {8, 32}).body("a = tl.softmax(x, 1)\nb = x.softmax(0)");
  auto soft = [&](uint64_t i, bool rows) {
    double sum = 0;
    uint64_t row = i / 32, column = i % 32;
    for (uint64_t k = 0; k < (rows ? 32 : 8); ++k)
      sum += std::exp(p.at("x", rows ? row * 32 + k : k * 32 + column));
    return std::exp(p.at("x", i)) / sum;
  };
  p.out("a", type, {8, 32}, [&](uint64_t i) { return soft(i, true); });
  p.out("b", type, {8, 32}, [&](uint64_t i) { return soft(i, false); });
}

} // namespace

void addMathCases(std::vector<Case> &cases) {
  for (DType type : {DType::f32, DType::f64}) {
    for (size_t start = 0; start < std::size(unaries); start += 6) {
      std::vector<Unary> rows(unaries + start, unaries + std::min(start + 6, std::size(unaries)));
      addCase(
          cases, "math", type, rows.front().expression,
          [=](BlockProgram &p) { writeUnaries(p, type, rows); },
          type == DType::f32 ? Scale::Quick : Scale::Full);
    }
    addCase(cases, "softmax", type, "8x32", [=](BlockProgram &p) { writeSoftmax(p, type); });
  }
  for (DType type : {DType::f32, DType::f64, DType::f16, DType::bf16})
    addCase(cases, "divide", type, "", [=](BlockProgram &p) { writeDivisions(p, type); });
  for (DType type : {DType::f32, DType::f64, DType::f16})
    addCase(cases, "fma", type, "", [=](BlockProgram &p) { writeHalfFma(p, type); });
  for (DType type : {DType::i32, DType::i64, DType::u32, DType::u64})
    addCase(cases, "umulhi", type, "", [=](BlockProgram &p) { writeMulHi(p, type); });
  for (DType type : {DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::u16,
                     DType::u32, DType::u64})
    addCase(cases, "integer functions", type, "", [=](BlockProgram &p) { writeIntegers(p, type); });
}

} // namespace tilec::harness::language
