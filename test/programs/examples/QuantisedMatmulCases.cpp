// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 50, 51, 56 and 65: products of activations with quantised weights.

#include "Cases.h"
#include "ProductReferences.h"

#include <cmath>

namespace tilec::harness {
namespace {

uint64_t blocks(int64_t count, int64_t block) {
  return static_cast<uint64_t>((count + block - 1) / block);
}

struct Problem {
  DType type = DType::bf16;
  int64_t m = 0, n = 0, k = 0;
  /// The weights are stored with the columns of C, not K, as neighbours.
  bool columnsFirst = false;
  int64_t splits = 1;
  int64_t blockM = 16, blockN = 32, blockK = 32;
  int warps = 4;

  uint64_t bytes() const {
    auto halves = static_cast<uint64_t>(m * k + m * n);
    return halves * tilecrt::dtypeSize(type) + static_cast<uint64_t>(n * k);
  }
};

/// Sums of `depth` products of numbers of size 1 and 74, then scaled, rounded to the type.
tilecrt::Tolerance sumTolerance(DType type, int64_t depth) {
  return toleranceFor(type, 40 * std::sqrt(static_cast<double>(depth)));
}

/// C = A x W * scale, W being as many columns as C and a scale for each.
void expectScaled(RunBuilder &builder, const Problem &p, const DoubleMatrix &weights) {
  builder.output(
      "c_ptr", p.type, {p.m, p.n},
      [&](HostArray &out) {
        auto m = static_cast<uint64_t>(p.m), k = static_cast<uint64_t>(p.k);
        DoubleMatrix product = multiply(readMatrix(builder.array("a_ptr"), m, k, 0, k, 1), weights);
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, product.values[i] *
                         builder.array("scale_ptr").at(i % static_cast<uint64_t>(p.n)));
      },
      sumTolerance(p.type, p.k));
}

/// Activations, weights, scales and the product that they must give.
void addOperands(RunBuilder &builder, const Problem &p) {
  builder.randn("a_ptr", p.type, {p.m, p.k});
  builder.randint("w_ptr", DType::i8,
                  p.columnsFirst ? std::vector<int64_t>{p.k, p.n} : std::vector<int64_t>{p.n, p.k},
                  -128, 128);
  builder.rand("scale_ptr", DType::f32, {p.n});
  auto n = static_cast<uint64_t>(p.n), k = static_cast<uint64_t>(p.k);
  expectScaled(
      builder, p,
      readMatrix(builder.array("w_ptr"), k, n, 0, p.columnsFirst ? n : 1, p.columnsFirst ? 1 : k));
}

/// The workspace of programs that share tiles. What the parts are is nobody's business; the
/// counters must be zero again.
void addWorkspace(RunBuilder &builder, const Problem &p, uint64_t tiles) {
  builder.unchecked("parts_ptr", DType::f32, {p.splits, p.m, p.n});
  builder.fill("arrivals_ptr", DType::i32, {static_cast<int64_t>(tiles)},
               [](uint64_t) { return 0; });
  builder.changes("arrivals_ptr", [](HostArray &out) {
    for (uint64_t i = 0; i < out.size(); ++i)
      out.set(i, 0);
  });
}

Result<KernelRun> buildMatmul(const Problem &p, uint64_t seed) {
  RunBuilder builder("50-w8a16-matmul.tile", "w8a16_matmul", seed);
  addOperands(builder, p);
  uint64_t tiles = blocks(p.m, p.blockM) * blocks(p.n, p.blockN);
  addWorkspace(builder, p, tiles);
  builder.i32("M", p.m).i32("N", p.n).i32("K", p.k);
  builder.i32("stride_wn", p.columnsFirst ? 1 : p.k).i32("stride_wk", p.columnsFirst ? p.n : 1);
  builder.constant("BLOCK_M", p.blockM).constant("BLOCK_N", p.blockN);
  builder.constant("BLOCK_K", p.blockK).constant("GROUP_M", 8).constant("SPLIT_K", p.splits);
  builder.warps(p.warps).grid(tiles, static_cast<uint64_t>(p.splits));
  return builder.idealBytes(p.bytes()).take();
}

Result<KernelRun> buildGemv(const Problem &p, uint64_t seed) {
  RunBuilder builder("51-w8a16-gemv.tile", "w8a16_gemv", seed);
  addOperands(builder, p);
  builder.i32("N", p.n).i32("K", p.k);
  builder.constant("BLOCK_N", p.blockN).constant("BLOCK_K", p.blockK);
  builder.warps(p.warps).grid(blocks(p.n, p.blockN));
  return builder.idealBytes(p.bytes()).take();
}

/// Activations, 4-bit weights in groups of `blockK` whose halves share the bytes, scales, and the
/// product that they must give.
void addGroups(RunBuilder &builder, const Problem &p) {
  auto m = static_cast<uint64_t>(p.m), n = static_cast<uint64_t>(p.n),
       k = static_cast<uint64_t>(p.k), group = static_cast<uint64_t>(p.blockK);
  builder.randn("a_ptr", p.type, {p.m, p.k});
  builder.randint("w_ptr", DType::u8, {p.n, p.k / 2}, 0, 256);
  builder.rand("scale_ptr", p.type, {p.k / p.blockK, p.n});
  builder.output(
      "c_ptr", p.type, {p.m, p.n},
      [&](HostArray &out) {
        DoubleMatrix weights{k, n, std::vector<double>(k * n)};
        for (uint64_t row = 0; row < k; ++row)
          for (uint64_t column = 0; column < n; ++column) {
            uint64_t place = row % group, byte = row / group * (group / 2) + place % (group / 2);
            auto both = static_cast<int>(builder.array("w_ptr").at(column * (k / 2) + byte));
            int nibble = place < group / 2 ? both & 15 : both >> 4;
            weights.values[row * n + column] =
                (nibble - 8) * builder.array("scale_ptr").at(row / group * n + column);
          }
        DoubleMatrix product = multiply(readMatrix(builder.array("a_ptr"), m, k, 0, k, 1), weights);
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, product.values[i]);
      },
      toleranceFor(p.type, 4 * std::sqrt(static_cast<double>(p.k))));
  builder.i32("M", p.m).i32("N", p.n).i32("K", p.k).i32("stride_wn", p.k / 2);
  builder.constant("BLOCK_M", p.blockM).constant("BLOCK_N", p.blockN);
  builder.constant("GROUP", p.blockK).warps(p.warps);
  builder.idealBytes(p.bytes() - n * k / 2);
}

Result<KernelRun> buildW4(const Problem &p, uint64_t seed) {
  RunBuilder builder("56-w4a16-matmul.tile", "w4a16_matmul", seed);
  addGroups(builder, p);
  uint64_t tiles = blocks(p.m, p.blockM) * blocks(p.n, p.blockN);
  addWorkspace(builder, p, tiles);
  builder.constant("SPLIT_K", p.splits).grid(tiles, static_cast<uint64_t>(p.splits));
  return builder.take();
}

/// A step takes as many groups as there are warps.
Result<KernelRun> buildFewRows(const Problem &p, uint64_t seed) {
  RunBuilder builder("65-w4a16-few-rows.tile", "w4a16_few_rows", seed);
  addGroups(builder, p);
  builder.constant("STEP", p.warps).grid(blocks(p.m, p.blockM) * blocks(p.n, p.blockN));
  return builder.take();
}

using Build = Result<KernelRun> (*)(const Problem &, uint64_t);

void addCase(std::vector<Case> &cases, const std::string &name, Scale scale, Build build,
             const Problem &p) {
  std::string variant = name + (p.columnsFirst ? " t" : "");
  if (p.splits > 1)
    variant += " split" + std::to_string(p.splits);
  cases.push_back({variant, p.type, sizeText({p.m, p.n, p.k}), scale,
                   [=](uint64_t seed) { return build(p, seed); }});
}

} // namespace

void addQuantisedMatmulCases(std::vector<Case> &cases) {
  Scale first = Scale::Quick;
  for (DType type : {DType::bf16, DType::f16}) {
    addCase(cases, "w8a16_matmul", first, buildMatmul, {type, 5, 72, 160, false, 2});
    addCase(cases, "w8a16_matmul", Scale::Full, buildMatmul, {type, 16, 64, 128});
    addCase(cases, "w8a16_matmul", Scale::Full, buildMatmul, {type, 45, 33, 70, true, 3});
    addCase(cases, "w8a16_matmul", Scale::Full, buildMatmul,
            {type, 64, 128, 128, false, 1, 64, 64, 64});
    addCase(cases, "w8a16_matmul", Scale::Full, buildMatmul,
            {type, 130, 100, 96, true, 1, 128, 64, 32, 8});
    addCase(cases, "w8a16_matmul", Scale::Full, buildMatmul, {type, 1, 1, 1});
    for (const Problem &manyRows : {
             // Weights are widened in registers, and copied by TMA or, at odd places, by threads.
             Problem{type, 300, 150, 320, false, 1, 256, 128, 64, 8},
             Problem{type, 150, 300, 352, false, 1, 128, 256, 32, 8},
             Problem{type, 200, 100, 200, false, 1, 128, 128, 64},
             // Rows that are no power of two are columns of the transposed dot.
             Problem{type, 250, 208, 320, false, 1, 176, 128, 64, 8},
             Problem{type, 140, 80, 448, false, 2, 136, 64, 64},
             // Of two instructions, which share the weights in registers; and few columns of one.
             Problem{type, 280, 200, 320, false, 1, 272, 128, 64, 8},
             Problem{type, 100, 80, 448, false, 2, 72, 64, 64},
             Problem{type, 64, 144, 640, false, 2, 64, 128, 128, 8},
         })
      addCase(cases, "w8a16_matmul", Scale::Full, buildMatmul, manyRows);
    // Long enough for loops to use the buffers of their rings again.
    addCase(cases, "w8a16_matmul", Scale::Full, buildMatmul, {type, 16, 64, 352});
    addCase(cases, "w8a16_matmul", Scale::Full, buildMatmul, {type, 5, 72, 480, false, 2});
    addCase(cases, "w8a16_matmul", Scale::Full, buildMatmul, {type, 45, 33, 646, true, 3});
    addCase(cases, "w4a16_matmul", Scale::Full, buildW4, {type, 5, 40, 960, false, 2, 16, 32, 64});
    addCase(cases, "w4a16_matmul", Scale::Full, buildW4, {type, 70, 33, 672, false, 3, 64, 32, 32});
    addCase(cases, "w8a16_gemv", first, buildGemv, {type, 1, 30, 200, false, 1, 1, 4, 128});
    addCase(cases, "w8a16_gemv", Scale::Full, buildGemv, {type, 1, 64, 256, false, 1, 1, 8, 256});
    addCase(cases, "w4a16_matmul", first, buildW4, {type, 5, 40, 192, false, 2, 16, 32, 64});
    addCase(cases, "w4a16_matmul", Scale::Full, buildW4,
            {type, 16, 64, 256, false, 1, 16, 64, 128});
    addCase(cases, "w4a16_matmul", Scale::Full, buildW4, {type, 70, 33, 96, false, 3, 64, 32, 32});
    addCase(cases, "w4a16_matmul", Scale::Full, buildW4,
            {type, 130, 64, 128, false, 1, 128, 64, 64, 8});
    addCase(cases, "w4a16_few_rows", first, buildFewRows, {type, 1, 40, 1152, false, 1, 1, 32, 64});
    addCase(cases, "w4a16_few_rows", Scale::Full, buildFewRows,
            {type, 1, 64, 1280, false, 1, 1, 64, 128, 8});
    addCase(cases, "w4a16_few_rows", Scale::Full, buildFewRows,
            {type, 13, 80, 896, false, 1, 8, 32, 64, 2});
    addCase(cases, "w4a16_few_rows", Scale::Full, buildFewRows,
            {type, 16, 33, 192, false, 1, 16, 64, 32});
    addCase(cases, "w4a16_few_rows", Scale::Large, buildFewRows,
            {type, 1, 8192, 8192, false, 1, 1, 32, 128});
    addCase(cases, "w4a16_matmul", Scale::Large, buildW4,
            {type, 16, 8192, 8192, false, 4, 16, 64, 128});
    addCase(cases, "w8a16_matmul", Scale::Large, buildMatmul,
            {type, 16, 8192, 8192, false, 4, 16, 64, 128});
    addCase(cases, "w8a16_matmul", Scale::Large, buildMatmul,
            {type, 64, 8000, 8192, false, 4, 64, 128, 64});
    addCase(cases, "w8a16_gemv", Scale::Large, buildGemv,
            {type, 1, 8192, 8192, false, 1, 1, 8, 1024});
    first = Scale::Full;
  }
}

} // namespace tilec::harness
