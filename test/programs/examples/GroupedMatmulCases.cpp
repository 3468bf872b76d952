// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 53 to 55, 61 and 64: products with a bias and an activation, many products in one
// launch, and one whose work is cut into equal parts.

#include "Cases.h"
#include "ProductReferences.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness {
namespace {

uint64_t blocks(int64_t count, int64_t block) {
  return static_cast<uint64_t>((count + block - 1) / block);
}

struct Problem {
  DType type = DType::f32;
  int64_t m = 0, n = 0, k = 0;
};

/// Sums of `depth` products of numbers of size 1; tensor cores cut f32 off to tf32.
tilecrt::Tolerance sumTolerance(DType type, int64_t depth) {
  double size = std::sqrt(static_cast<double>(depth));
  return type == DType::f32 ? tilecrt::Tolerance{2e-3, 3e-3 * size} : toleranceFor(type, 10 * size);
}

/// A x B^T.
DoubleMatrix productOf(const RunBuilder &builder, const Problem &p, const std::string &a = "a_ptr",
                       const std::string &b = "b_ptr") {
  auto m = static_cast<uint64_t>(p.m), n = static_cast<uint64_t>(p.n),
       k = static_cast<uint64_t>(p.k);
  return multiply(readMatrix(builder.array(a), m, k, 0, k, 1),
                  readMatrix(builder.array(b), k, n, 0, 1, k));
}

double activate(double x, const std::string &name) {
  if (name == "relu")
    return std::max(x, 0.0);
  if (name == "silu")
    return x / (1 + std::exp(-x));
  if (name == "gelu")
    return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
  if (name == "gelu_tanh")
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  return x;
}

Result<KernelRun> buildFused(const Problem &p, const std::string &activation, uint64_t seed) {
  constexpr int64_t block = 32;
  RunBuilder builder("53-matmul-bias-activation.tile", "matmul_bias_activation", seed);
  builder.randn("a_ptr", p.type, {p.m, p.k}).randn("b_ptr", p.type, {p.n, p.k});
  builder.randn("bias_ptr", p.type, {p.n});
  builder.output(
      "c_ptr", p.type, {p.m, p.n},
      [&](HostArray &out) {
        DoubleMatrix product = productOf(builder, p);
        for (uint64_t i = 0; i < out.size(); ++i) {
          double bias = builder.array("bias_ptr").at(i % static_cast<uint64_t>(p.n));
          out.set(i, activate(product.values[i] + bias, activation));
        }
      },
      sumTolerance(p.type, p.k));
  builder.i32("M", p.m).i32("N", p.n).i32("K", p.k);
  builder.i32("stride_bk", 1).i32("stride_bn", p.k);
  builder.constant("BLOCK_M", block).constant("BLOCK_N", block).constant("BLOCK_K", block);
  builder.constant("GROUP_M", 8).constant("ACTIVATION", "'" + activation + "'");
  return builder.grid(blocks(p.m, block) * blocks(p.n, block)).take();
}

/// The tables of a grouped product, with their matrices.
void addProblems(RunBuilder &builder, DType type, const std::vector<Problem> &problems) {
  std::vector<std::string> a, b, c;
  std::vector<double> sizes;
  for (const Problem &p : problems) {
    std::string number = std::to_string(a.size());
    a.push_back("a" + number);
    b.push_back("b" + number);
    c.push_back("c" + number);
    builder.randn(a.back(), type, {p.m, p.k}).randn(b.back(), type, {p.n, p.k});
    builder.output(
        c.back(), type, {p.m, p.n},
        [&](HostArray &out) {
          DoubleMatrix product = productOf(builder, p, a.back(), b.back());
          for (uint64_t i = 0; i < out.size(); ++i)
            out.set(i, product.values[i]);
        },
        sumTolerance(type, p.k));
    for (int64_t size : {p.m, p.n, p.k})
      sizes.push_back(static_cast<double>(size));
  }
  builder.addresses("a_table", a).addresses("b_table", b).addresses("c_table", c);
  builder.values("sizes_ptr", DType::i32, sizes);
  builder.i32("problems", static_cast<int64_t>(problems.size()));
  builder.constant("DTYPE", tilecrt::tritonName(type));
}

Result<KernelRun> buildGrouped(DType type, const std::vector<Problem> &problems, int64_t align,
                               uint64_t programs, uint64_t seed) {
  constexpr int64_t block = 32;
  RunBuilder builder("54-grouped-matmul.tile", "grouped_matmul", seed);
  addProblems(builder, type, problems);
  builder.constant("ALIGN", align);
  builder.constant("BLOCK_M", block).constant("BLOCK_N", block).constant("BLOCK_K", block);
  return builder.grid(programs).take();
}

Result<KernelRun> buildGroupedDescriptors(DType type, const std::vector<Problem> &problems,
                                          int64_t rows, int64_t columns, int64_t depth, int warps,
                                          uint64_t programs, uint64_t seed) {
  RunBuilder builder("64-grouped-matmul-descriptors.tile", "grouped_matmul_descriptors", seed);
  addProblems(builder, type, problems);
  builder.constant("BLOCK_M", rows).constant("BLOCK_N", columns).constant("BLOCK_K", depth);
  return builder.warps(warps).grid(programs).take();
}

/// The rows of A by expert, `sizes` of them each; tiles of `rows` rows and `block` columns.
Result<KernelRun> buildGroupedRows(DType type, const std::vector<int64_t> &sizes, int64_t n,
                                   int64_t k, int64_t rows, int64_t block, uint64_t seed) {
  RunBuilder builder("61-grouped-rows-matmul.tile", "grouped_rows_matmul", seed);
  std::vector<double> ends;
  int64_t m = 0, experts = static_cast<int64_t>(sizes.size());
  for (int64_t size : sizes)
    ends.push_back(static_cast<double>(m += size));
  builder.randn("a_ptr", type, {m, k}).randn("b_ptr", type, {experts, n, k});
  builder.output(
      "c_ptr", type, {m, n},
      [&](HostArray &out) {
        auto columns = static_cast<uint64_t>(n), depth = static_cast<uint64_t>(k);
        uint64_t begin = 0;
        for (uint64_t e = 0; e < ends.size(); ++e) {
          auto end = static_cast<uint64_t>(ends[e]);
          DoubleMatrix product = multiply(
              readMatrix(builder.array("a_ptr"), end - begin, depth, begin * depth, depth, 1),
              readMatrix(builder.array("b_ptr"), depth, columns, e * columns * depth, 1, depth));
          for (uint64_t i = 0; i < product.values.size(); ++i)
            out.set(begin * columns + i, product.values[i]);
          begin = end;
        }
      },
      sumTolerance(type, k));
  builder.values("ends_ptr", DType::i32, ends);
  builder.i32("M", m).i32("N", n).i32("K", k).i32("experts", experts);
  builder.constant("BLOCK_M", rows).constant("BLOCK_N", block).constant("BLOCK_K", 32);
  builder.constant("EXPERTS", 8);
  return builder.grid((static_cast<uint64_t>(m / rows) + ends.size()) * blocks(n, block)).take();
}

struct StreamBlocks {
  int64_t m = 32, n = 32, k = 32;
  int warps = 4;
};

/// `whole` tiles are not cut.
Result<KernelRun> buildStreamK(const Problem &p, int64_t programs, int64_t whole, uint64_t seed,
                               const StreamBlocks &block = {}) {
  RunBuilder builder("55-stream-k-matmul.tile", "stream_k_matmul", seed);
  builder.randn("a_ptr", p.type, {p.m, p.k}).randn("b_ptr", p.type, {p.n, p.k});
  builder.output(
      "c_ptr", p.type, {p.m, p.n},
      [&](HostArray &out) {
        DoubleMatrix product = productOf(builder, p);
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, product.values[i]);
      },
      sumTolerance(p.type, p.k));
  auto tiles = static_cast<int64_t>(blocks(p.m, block.m) * blocks(p.n, block.n));
  builder.unchecked("parts_ptr", DType::f32, {programs, block.m, block.n});
  // The counters must be zero again.
  builder.fill("counters_ptr", DType::i32, {tiles}, [](uint64_t) { return 0; });
  builder.changes("counters_ptr", [](HostArray &out) {
    for (uint64_t i = 0; i < out.size(); ++i)
      out.set(i, 0);
  });
  builder.i32("M", p.m).i32("N", p.n).i32("K", p.k).i32("stream_tiles", tiles - whole);
  builder.constant("BLOCK_M", block.m).constant("BLOCK_N", block.n).constant("BLOCK_K", block.k);
  builder.constant("GROUP_M", 2).warps(block.warps).grid(static_cast<uint64_t>(programs));
  return builder.take();
}

void addStreamK(std::vector<Case> &cases, DType type, Scale first) {
  auto add = [&](const std::string &variant, const Problem &p, int64_t programs, int64_t whole,
                 Scale scale, const StreamBlocks &block = {}) {
    std::string size = sizeText({p.m, p.n, p.k}) + " " + std::to_string(programs);
    cases.push_back({"stream_k_matmul" + variant, type, size, scale,
                     [=](uint64_t seed) { return buildStreamK(p, programs, whole, seed, block); }});
    auto tiles = static_cast<int64_t>(blocks(p.m, block.m) * blocks(p.n, block.n));
    cases.back().waitsForOthers = whole < tiles;
  };
  // Tiles cut twice, all of them whole, more programs than steps.
  Problem p{type, 70, 90, 200}, small{type, 32, 20, 96}, deep{type, 70, 90, 700};
  add("", p, 5, 3, first);
  add("", p, 13, 0, Scale::Full);
  add("", small, 4, 0, Scale::Full);
  add("", small, 13, 0, Scale::Full);
  add("", deep, 5, 3, Scale::Full);
  // Load warps run ahead over tiles, parts of tiles and the wait for other programs.
  if (type != DType::f32) {
    add(" 128x256", {type, 200, 264, 328}, 4, 1, Scale::Full, {128, 256, 64, 8});
    // Columns that one instruction makes, of a wider block.
    add(" 64x48", {type, 200, 104, 328}, 5, 3, Scale::Full, {64, 48, 64, 4});
    add(" 256x144", {type, 300, 296, 328}, 4, 2, Scale::Full, {256, 144, 64, 8});
    // Rows that are columns of the transposed dot.
    add(" 104x64", {type, 240, 104, 328}, 5, 3, Scale::Full, {104, 64, 64, 4});
    add(" 168x256", {type, 340, 296, 328}, 4, 2, Scale::Full, {168, 256, 64, 8});
  }
  add(" whole", p, 2, 9, Scale::Full);
}

} // namespace

void addGroupedMatmulCases(std::vector<Case> &cases) {
  auto add = [&](const std::string &name, DType type, const std::string &size, Scale scale,
                 std::function<Result<KernelRun>(uint64_t)> build) {
    cases.push_back({name, type, size, scale, std::move(build)});
  };
  Scale first = Scale::Quick;
  for (DType type : {DType::bf16, DType::f16, DType::f32}) {
    for (const char *activation : {"gelu", "gelu_tanh", "relu", "silu", ""}) {
      Problem p{type, 50, 45, 77};
      std::string name = activation;
      add("matmul_bias_activation" + (name.empty() ? name : " " + name), type,
          sizeText({p.m, p.n, p.k}), name == "gelu" ? first : Scale::Full,
          [=](uint64_t seed) { return buildFused(p, name, seed); });
    }
    std::vector<Problem> aligned = {{type, 40, 48, 64},
                                    {type, 9, 80, 16},
                                    {type, 0, 16, 16},
                                    {type, 100, 16, 48},
                                    {type, 1, 32, 128}};
    add("grouped_matmul", type, "5 problems", first,
        [=](uint64_t seed) { return buildGrouped(type, aligned, 16, 3, seed); });
    add("grouped_matmul ragged", type, "3 problems", Scale::Full, [=](uint64_t seed) {
      return buildGrouped(type, {{type, 33, 7, 70}, {type, 1, 1, 1}, {type, 20, 65, 31}}, 1, 4,
                          seed);
    });
    add("grouped_matmul_descriptors", type, "5 problems", first, [=](uint64_t seed) {
      return buildGroupedDescriptors(type, aligned, 32, 32, 32, 4, 3, seed);
    });
    add("grouped_matmul_descriptors", type, "3 problems of 128x64", Scale::Full,
        [=](uint64_t seed) {
          return buildGroupedDescriptors(
              type, {{type, 300, 136, 200}, {type, 130, 72, 8}, {type, 7, 200, 328}}, 128, 64,
              type == DType::f32 ? 32 : 64, 8, 2, seed);
        });
    add("grouped_rows_matmul", type, "5 experts", first, [=](uint64_t seed) {
      return buildGroupedRows(type, {40, 0, 9, 64, 1}, 48, 64, 32, 32, seed);
    });
    add("grouped_rows_matmul ragged", type, "3 experts", Scale::Full,
        [=](uint64_t seed) { return buildGroupedRows(type, {33, 1, 20}, 65, 77, 32, 32, seed); });
    add("grouped_rows_matmul", type, "2 experts of 64x64", Scale::Full,
        [=](uint64_t seed) { return buildGroupedRows(type, {70, 130}, 80, 200, 64, 64, seed); });
    add("grouped_rows_matmul", type, "2 experts of 104x64", Scale::Full,
        [=](uint64_t seed) { return buildGroupedRows(type, {70, 230}, 80, 200, 104, 64, seed); });
    addStreamK(cases, type, first);
    first = Scale::Full;
  }
}

} // namespace tilec::harness
