// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small matrix products of every operand type, form and option. Large ones are in the examples.

#include "BlockProgram.h"
#include "LanguageCases.h"

#include <cmath>

namespace tilec::harness::language {
namespace {

double element(const BlockProgram &p, const char *name, DType type, uint64_t i) {
  return tilecrt::isFloat(type) ? p.at(name, i) : static_cast<double>(p.intAt(name, i));
}

struct Product {
  DType left, right, result;
  int64_t m, n, k;
  const char *options = "";
  double rtol = 2e-3;
};

void writeProduct(BlockProgram &p, const Product &row) {
  bool isFloat = tilecrt::isFloat(row.left);
  p.builder().warps(4);
  p.in("a", row.left, {row.m, row.k}, isFloat ? normal() : bits());
  p.in("b", row.right, {row.k, row.n}, isFloat ? normal() : bits());
  p.in("c", row.result, {row.m, row.n});
  std::string options = row.options;
  p.body("x = tl.dot(a, b" + options + ")\ny = tl.dot(a, b, c" + options + ")\nz = tl.dot(a, b" +
         options + ") + c");
  auto product = [&](uint64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < row.k; ++k)
      sum += element(p, "a", row.left, i / row.n * row.k + k) *
             element(p, "b", row.right, k * row.n + i % row.n);
    return sum;
  };
  auto sum = [&](uint64_t i) { return product(i) + element(p, "c", row.result, i); };
  const Shape shape = {row.m, row.n};
  if (!isFloat) {
    p.outInt("x", row.result, shape, [&](uint64_t i) { return static_cast<Int>(product(i)); });
    for (const char *name : {"y", "z"})
      p.outInt(name, row.result, shape, [&](uint64_t i) { return static_cast<Int>(sum(i)); });
    return;
  }
  tilecrt::Tolerance tolerance{row.rtol, row.rtol * std::sqrt(static_cast<double>(row.k)) * 4};
  p.out("x", row.result, shape, product, tolerance);
  p.out("y", row.result, shape, sum, tolerance);
  p.out("z", row.result, shape, sum, tolerance);
}

/// Batches, transposed operands, and operands that are computed.
void writeForms(BlockProgram &p, DType type) {
  p.builder().warps(4);
  p.in("a", type, {2, 16, 32})
      .in("b", type, {2, 32, 16})
      .in("s", type, {16, 32})
      .in("t", type, {16, 32});
  p.body("x = tl.dot(a, b)\ny = tl.dot(s, tl.trans(t))\nz = tl.dot(s, t.T)\n"
         "w = tl.dot(tl.full((16, 16), 1, s.dtype), (s + s), out_dtype=tl.float32)");
  const tilecrt::Tolerance tolerance{2e-3, 2e-2};
  p.out(
      "x", DType::f32, {2, 16, 16},
      [&](uint64_t i) {
        double sum = 0;
        for (uint64_t k = 0; k < 32; ++k)
          sum += p.at("a", i / 16 * 32 + k) * p.at("b", i / 256 * 512 + k * 16 + i % 16);
        return sum;
      },
      tolerance);
  auto outer = [&](uint64_t i) {
    double sum = 0;
    for (uint64_t k = 0; k < 32; ++k)
      sum += p.at("s", i / 16 * 32 + k) * p.at("t", i % 16 * 32 + k);
    return sum;
  };
  p.out("y", DType::f32, {16, 16}, outer, tolerance);
  p.out("z", DType::f32, {16, 16}, outer, tolerance);
  p.out(
      "w", DType::f32, {16, 32},
      [&](uint64_t i) {
        double sum = 0;
        for (uint64_t k = 0; k < 16; ++k)
          sum += 2 * p.at("s", k * 32 + i % 32);
        return sum;
      },
      tilecrt::Tolerance{4e-3, 4e-2});
}

/// Integers that are widened behind reshapes: several dimensions that become one, rows and columns
/// that are transposed in between, and batches that are rows.
void writeReshaped(BlockProgram &p, DType type) {
  p.builder().warps(4);
  p.in("a", type, {16, 64})
      .in("v", DType::i8, {2, 32, 16}, bits())
      .in("w", DType::i8, {16, 64}, bits())
      .in("c", type, {2, 1, 32});
  p.body("x = tl.dot(a, v.reshape(64, 16).to(a.dtype))\n"
         "y = tl.dot(a, w.reshape(16, 2, 32).trans(0, 2, 1).trans(0, 2, 1).reshape(16, "
         "64).T.to(a.dtype))\n"
         "z = tl.dot(c, w.T.reshape(2, 32, 16).to(a.dtype))");
  auto sumOf = [](uint64_t depth, auto term) {
    double sum = 0;
    for (uint64_t k = 0; k < depth; ++k)
      sum += term(k);
    return sum;
  };
  auto weight = [&](const char *name, uint64_t i) { return static_cast<double>(p.intAt(name, i)); };
  const tilecrt::Tolerance tolerance{2e-3, 8};
  p.out(
      "x", DType::f32, {16, 16},
      [&](uint64_t i) {
        return sumOf(64, [&](uint64_t k) {
          return p.at("a", i / 16 * 64 + k) * weight("v", k * 16 + i % 16);
        });
      },
      tolerance);
  p.out(
      "y", DType::f32, {16, 16},
      [&](uint64_t i) {
        return sumOf(64, [&](uint64_t k) {
          return p.at("a", i / 16 * 64 + k) * weight("w", i % 16 * 64 + k);
        });
      },
      tolerance);
  p.out(
      "z", DType::f32, {2, 1, 16},
      [&](uint64_t i) {
        return sumOf(32, [&](uint64_t k) {
          return p.at("c", i / 16 * 32 + k) * weight("w", i % 16 * 64 + i / 16 * 32 + k);
        });
      },
      tolerance);
}

/// Elements of 4 bits, two in a byte, and of 8, with a scale for every 32.
void writeScaled(BlockProgram &p, bool fourBits) {
  p.builder().warps(4);
  p.in("a", DType::u8, {16, fourBits ? 32 : 64}, fourBits ? bits() : uniform(0, 120));
  p.in("b", DType::u8, {64, 16}, uniform(0, 120));
  p.in("sa", DType::u8, {16, 2}, uniform(120, 132)).in("sb", DType::u8, {16, 2}, uniform(120, 132));
  p.body(std::string("x = tl.dot_scaled(a, sa, \"") + (fourBits ? "e2m1" : "e4m3") +
         "\", b, sb, \"e4m3\")");
  static constexpr double small[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  auto left = [&](uint64_t row, uint64_t k) {
    if (!fourBits)
      return tilecrt::f8e4m3ToDouble(static_cast<uint8_t>(p.intAt("a", row * 64 + k)));
    auto code = static_cast<unsigned>(p.intAt("a", row * 32 + k / 2)) >> (k % 2 * 4) & 15;
    return small[code & 7] * (code & 8 ? -1 : 1);
  };
  p.out(
      "x", DType::f32, {16, 16},
      [&](uint64_t i) {
        uint64_t row = i / 16, column = i % 16;
        double sum = 0;
        for (uint64_t k = 0; k < 64; ++k)
          sum += left(row, k) *
                 std::ldexp(1, static_cast<int>(p.intAt("sa", row * 2 + k / 32)) - 127) *
                 tilecrt::f8e4m3ToDouble(static_cast<uint8_t>(p.intAt("b", k * 16 + column))) *
                 std::ldexp(1, static_cast<int>(p.intAt("sb", column * 2 + k / 32)) - 127);
        return sum;
      },
      tilecrt::Tolerance{1e-4, 1});
}

} // namespace

void addMatrixCases(std::vector<Case> &cases) {
  const Product products[] = {
      {DType::f16, DType::f16, DType::f32, 32, 32, 32},
      {DType::f16, DType::f16, DType::f32, 64, 64, 64},
      {DType::f16, DType::f16, DType::f16, 32, 32, 32, ", out_dtype=tl.float16", 6e-3},
      {DType::bf16, DType::bf16, DType::f32, 32, 64, 32},
      {DType::f32, DType::f32, DType::f32, 32, 32, 32, "", 4e-3},
      {DType::f32, DType::f32, DType::f32, 32, 32, 32, ", input_precision=\"ieee\"", 1e-5},
      {DType::f32, DType::f32, DType::f32, 32, 32, 32, ", input_precision=\"tf32x3\"", 3e-5},
      {DType::f32, DType::f32, DType::f32, 32, 32, 32, ", input_precision=\"bf16x3\"", 3e-5},
      {DType::f32, DType::f32, DType::f32, 32, 16, 32, ", input_precision=\"bf16x6\"", 1e-5},
      {DType::f32, DType::f32, DType::f32, 16, 16, 16, ", allow_tf32=False", 1e-5},
      {DType::f64, DType::f64, DType::f64, 16, 16, 16, "", 1e-13},
      {DType::i8, DType::i8, DType::i32, 32, 32, 32},
      {DType::u8, DType::u8, DType::i32, 16, 16, 32},
      {DType::i8, DType::i8, DType::i32, 16, 16, 32, ", out_dtype=tl.int8"},
      {DType::f8e4m3, DType::f8e4m3, DType::f32, 32, 32, 64, "", 2e-3},
      {DType::f8e5m2, DType::f8e4m3, DType::f32, 32, 32, 32, "", 2e-3},
      {DType::f8e4m3, DType::f8e4m3, DType::f32, 64, 64, 64, ", max_num_imprecise_acc=32", 2e-3},
      {DType::f8e5m2, DType::f8e4m3, DType::f32, 128, 64, 128, ", max_num_imprecise_acc=64", 2e-3},
      {DType::f16, DType::f16, DType::f32, 1, 16, 32},
      {DType::f16, DType::f16, DType::f32, 16, 2, 16},
      {DType::f32, DType::f32, DType::f32, 8, 4, 8, "", 4e-3}};
  for (const Product &row : products)
    addCase(cases, "dot", row.left,
            std::to_string(row.m) + "x" + std::to_string(row.n) + "x" + std::to_string(row.k) +
                row.options,
            [=](BlockProgram &p) { writeProduct(p, row); });
  for (DType type : {DType::f16, DType::bf16, DType::f32})
    addCase(cases, "dot forms", type, "", [=](BlockProgram &p) { writeForms(p, type); });
  for (DType type : {DType::f16, DType::bf16})
    addCase(cases, "dot reshaped", type, "", [=](BlockProgram &p) { writeReshaped(p, type); });
  addCase(cases, "dot_scaled", DType::u8, "e2m1", [](BlockProgram &p) { writeScaled(p, true); });
  addCase(cases, "dot_scaled", DType::u8, "e4m3", [](BlockProgram &p) { writeScaled(p, false); });
}

} // namespace tilec::harness::language
