// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 40 to 44, 52, 57 and 60: matrix products, by pointers, batched, by block pointers, by
// descriptors, split along K, persistent, by descriptors that the launch passes, of any size.

#include "Cases.h"
#include "ProductReferences.h"

#include <cmath>

namespace tilec::harness {
namespace {

uint64_t blocks(int64_t count, int64_t block) {
  return static_cast<uint64_t>((count + block - 1) / block);
}

/// The type of the product of matrices of a type.
DType productType(DType type) {
  switch (type) {
  case DType::i8:
  case DType::u8:
    return DType::i32;
  case DType::f8e4m3:
  case DType::f8e5m2:
    return DType::f16;
  default:
    return type;
  }
}

std::string accumulatorText(DType type) {
  DType product = productType(type);
  return product == DType::i32 ? "tl.int32" : product == DType::f64 ? "tl.float64" : "tl.float32";
}

/// Sums of `depth` products of numbers of size 1. Tensor cores cut f32 operands off to tf32 (2^-10
/// each), add 8-bit floats in a short accumulator, and round towards zero when they add.
tilecrt::Tolerance productTolerance(DType type, int64_t depth) {
  double size = std::sqrt(static_cast<double>(depth));
  if (type == DType::f32 || type == DType::f8e4m3 || type == DType::f8e5m2)
    return {2e-3, 3e-3 * size};
  return toleranceFor(productType(type), 10 * size);
}

void addMatrix(RunBuilder &builder, const std::string &name, DType type,
               std::vector<int64_t> shape) {
  if (tilecrt::isFloat(type))
    builder.randn(name, type, std::move(shape));
  else
    builder.randint(name, type, std::move(shape), type == DType::u8 ? 0 : -128,
                    type == DType::u8 ? 256 : 128);
}

struct Problem {
  DType type = DType::f32;
  int64_t m = 0, n = 0, k = 0;
  /// Stored by columns.
  bool transA = false, transB = false;
  bool leaky = false;
  /// Parts that K is cut into.
  int64_t splits = 1;
  /// Rows and columns of a tile, where the kernel takes any.
  int64_t block = 32;
  /// Rows of a tile, where they are not its columns.
  int64_t rows = 64;
  /// Of a program.
  int warps = 4;
  /// Programs of a cluster.
  int ctas = 1;
  /// CTAs of a cluster that run a program together.
  int parts = 1;

  uint64_t bytes() const {
    auto elements = static_cast<uint64_t>(m * k + k * n);
    return elements * tilecrt::dtypeSize(type) +
           static_cast<uint64_t>(m * n) * tilecrt::dtypeSize(productType(type));
  }
};

DoubleMatrix leftOf(const RunBuilder &builder, const Problem &p) {
  auto m = static_cast<uint64_t>(p.m), k = static_cast<uint64_t>(p.k);
  return readMatrix(builder.array("a_ptr"), m, k, 0, p.transA ? 1 : k, p.transA ? m : 1);
}

DoubleMatrix rightOf(const RunBuilder &builder, const Problem &p) {
  auto n = static_cast<uint64_t>(p.n), k = static_cast<uint64_t>(p.k);
  return readMatrix(builder.array("b_ptr"), k, n, 0, p.transB ? 1 : n, p.transB ? k : 1);
}

void expectProduct(RunBuilder &builder, const Problem &p) {
  builder.output(
      "c_ptr", productType(p.type), {p.m, p.n},
      [&](HostArray &out) {
        DoubleMatrix product = multiply(leftOf(builder, p), rightOf(builder, p));
        for (uint64_t i = 0; i < out.size(); ++i) {
          double value = product.values[i];
          out.set(i, p.leaky && value < 0 ? 0.01 * value : value);
        }
      },
      productTolerance(p.type, p.k));
}

void addOperands(RunBuilder &builder, const Problem &p) {
  addMatrix(builder, "a_ptr", p.type,
            p.transA ? std::vector<int64_t>{p.k, p.m} : std::vector<int64_t>{p.m, p.k});
  addMatrix(builder, "b_ptr", p.type,
            p.transB ? std::vector<int64_t>{p.n, p.k} : std::vector<int64_t>{p.k, p.n});
  expectProduct(builder, p);
  builder.i32("M", p.m).i32("N", p.n).i32("K", p.k);
}

/// Strides of one are part of the code where tiles are those of warpgroups.
void addStrides(RunBuilder &builder, const Problem &p) {
  auto add = [&](const char *name, int64_t stride) {
    if (stride == 1 && p.block > 32)
      builder.constant(name, stride);
    else
      builder.i32(name, stride);
  };
  add("stride_am", p.transA ? 1 : p.k), add("stride_ak", p.transA ? p.m : 1);
  add("stride_bk", p.transB ? 1 : p.n), add("stride_bn", p.transB ? p.k : 1);
  add("stride_cm", p.n), add("stride_cn", 1);
}

Result<KernelRun> buildMatmul(const Problem &p, uint64_t seed) {
  int64_t block = p.block, rows = block > 32 ? p.rows : block;
  RunBuilder builder("40-matmul.tile", "matmul", seed);
  addOperands(builder, p);
  addStrides(builder, p);
  builder.constant("BLOCK_M", rows).constant("BLOCK_N", block).constant("BLOCK_K", block);
  builder.constant("GROUP_M", 8).constant("ACC", accumulatorText(p.type));
  builder.constant("ACTIVATION", p.leaky ? "'leaky_relu'" : "''");
  if (p.parts > 1)
    builder.splitK(p.parts);
  builder.grid(blocks(p.m, rows) * blocks(p.n, block));
  return builder.idealBytes(p.bytes()).take();
}

Result<KernelRun> buildBlockPointers(const Problem &p, uint64_t seed) {
  constexpr int64_t blockM = 32, blockN = 64, blockK = 16;
  RunBuilder builder("42-matmul-block-pointers.tile", "matmul_block_pointers", seed);
  addOperands(builder, p);
  addStrides(builder, p);
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", blockN).constant("BLOCK_K", blockK);
  builder.grid(blocks(p.m, blockM) * blocks(p.n, blockN));
  return builder.idealBytes(p.bytes()).take();
}

Result<KernelRun> buildDescriptors(const Problem &p, uint64_t seed) {
  constexpr int64_t blockM = 32, blockN = 32, blockK = 32;
  RunBuilder builder("43-matmul-descriptors.tile", "matmul_descriptors", seed);
  addOperands(builder, p);
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", blockN).constant("BLOCK_K", blockK);
  builder.constant("GROUP_M", 2).grid(4);
  return builder.idealBytes(p.bytes()).take();
}

/// With descriptors that the launch passes; in several parts, which are added to what C holds.
Result<KernelRun> buildHostDescriptors(const Problem &p, uint64_t seed) {
  constexpr int64_t blockM = 64, blockN = 32, blockK = 32;
  RunBuilder builder("57-matmul-host-descriptors.tile", "matmul_host_descriptors", seed);
  addMatrix(builder, "a_desc", p.type, {p.m, p.k});
  addMatrix(builder, "b_desc", p.type, {p.n, p.k});
  DType result = p.splits > 1 ? DType::f32 : productType(p.type);
  if (p.splits > 1)
    builder.randn("c_desc", result, {p.m, p.n});
  auto expect = [&](HostArray &out) {
    auto m = static_cast<uint64_t>(p.m), n = static_cast<uint64_t>(p.n);
    auto k = static_cast<uint64_t>(p.k);
    DoubleMatrix product = multiply(readMatrix(builder.array("a_desc"), m, k, 0, k, 1),
                                    readMatrix(builder.array("b_desc"), k, n, 0, 1, k));
    for (uint64_t i = 0; i < out.size(); ++i)
      out.set(i, product.values[i] + (p.splits > 1 ? builder.array("c_desc").at(i) : 0));
  };
  if (p.splits > 1)
    builder.changes("c_desc", expect, productTolerance(p.type, p.k));
  else
    builder.output("c_desc", result, {p.m, p.n}, expect, productTolerance(p.type, p.k));
  builder.descriptor("a_desc", {blockM, blockK}).descriptor("b_desc", {blockN, blockK});
  builder.descriptor("c_desc", {blockM, blockN});
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", blockN).constant("BLOCK_K", blockK);
  builder.constant("GROUP_M", 2).constant("SPLIT_K", p.splits);
  builder.grid(blocks(p.m, blockM) * blocks(p.n, blockN), static_cast<uint64_t>(p.splits));
  return builder.idealBytes(p.bytes()).take();
}

/// With tensor descriptors, in any orientation; a tile is stored in one piece or, of several, in
/// two. Long problems have rings that fill a multiprocessor, and so load warps.
Result<KernelRun> buildPersistent(const Problem &p, uint64_t seed) {
  int64_t blockM = p.rows, blockN = p.block;
  bool fills = p.m > 4 * blockM || p.warps > 4;
  int64_t blockK = fills ? 64 : 32;
  RunBuilder builder("52-matmul-persistent.tile", "matmul_persistent", seed);
  addOperands(builder, p);
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", blockN).constant("BLOCK_K", blockK);
  builder.constant("GROUP_M", 2).constant("STORES", p.n > blockN && blockN == 32 ? 2 : 1);
  if (fills)
    builder.stages(20 / int(tilecrt::dtypeSize(p.type)));
  builder.constant("A_ROWS", p.transA ? "False" : "True");
  builder.constant("B_ROWS", p.transB ? "False" : "True");
  if (p.ctas > 1)
    builder.ctas(p.ctas);
  builder.warps(p.warps).grid(p.ctas > 1 ? 4 : 3);
  return builder.idealBytes(p.bytes()).take();
}

/// Programs of one tile add their sums up; C is stored through pointers where its rows are no whole
/// 16 bytes.
Result<KernelRun> buildAnySize(const Problem &p, uint64_t seed) {
  int64_t blockM = p.rows, blockN = p.block;
  // Programs of a cluster have a multiprocessor to themselves.
  int64_t blockK = p.ctas > 1 ? 64 : 32;
  RunBuilder builder("60-matmul-any-size.tile", "matmul_any_size", seed);
  addOperands(builder, p);
  auto tiles = static_cast<int64_t>(blocks(p.m, blockM) * blocks(p.n, blockN));
  builder.unchecked("parts_ptr", DType::f32, {tiles * p.splits, blockM, blockN});
  // The counters must be zero again.
  builder.fill("counters_ptr", DType::i32, {tiles}, [](uint64_t) { return 0; });
  builder.changes("counters_ptr", [](HostArray &out) {
    for (uint64_t i = 0; i < out.size(); ++i)
      out.set(i, 0);
  });
  builder.i32("a_stride", p.transA ? p.m : p.k).i32("b_stride", p.transB ? p.k : p.n);
  builder.i32("c_stride", p.n);
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", blockN).constant("BLOCK_K", blockK);
  builder.constant("GROUP_M", 2).constant("A_ROWS", p.transA ? "False" : "True");
  builder.constant("B_ROWS", p.transB ? "False" : "True");
  bool copies = p.n * static_cast<int64_t>(tilecrt::dtypeSize(p.type)) % 16 == 0;
  builder.constant("C_COPIES", copies ? "True" : "False").constant("SPLIT", p.splits);
  builder.constant("SUMMING", p.splits > 2 ? 2 : p.splits);
  if (p.ctas > 1)
    builder.ctas(p.ctas).stages(20 / int(tilecrt::dtypeSize(p.type)));
  if (p.parts > 1)
    builder.splitK(p.parts);
  builder.grid(static_cast<uint64_t>(tiles), static_cast<uint64_t>(p.splits));
  return builder.idealBytes(p.bytes()).take();
}

/// Rows get longer, to a whole number of 16 bytes.
Result<KernelRun> buildPadRows(DType type, int64_t rows, int64_t columns, uint64_t seed) {
  constexpr int64_t blockM = 8;
  int64_t whole = 16 / static_cast<int64_t>(tilecrt::dtypeSize(type));
  int64_t padded = (columns + whole - 1) / whole * whole;
  RunBuilder builder("60-matmul-any-size.tile", "pad_rows", seed);
  builder.randn("from_ptr", type, {rows, columns});
  builder.output("to_ptr", type, {rows, padded}, [&](HostArray &out) {
    for (int64_t i = 0; i < rows * padded; ++i) {
      int64_t row = i / padded, column = i % padded;
      out.set(uint64_t(i), column < columns
                               ? builder.array("from_ptr").at(uint64_t(row * columns + column))
                               : 0);
    }
  });
  builder.i32("rows", rows).i32("columns", columns);
  builder.i32("from_stride", columns).i32("to_stride", padded);
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", 32).grid(blocks(rows, blockM));
  return builder.take();
}

/// Those of two matrices in one launch.
Result<KernelRun> buildPadOperands(DType type, std::array<int64_t, 2> rows,
                                   std::array<int64_t, 2> columns, uint64_t seed) {
  constexpr int64_t blockM = 8;
  int64_t whole = 16 / static_cast<int64_t>(tilecrt::dtypeSize(type));
  RunBuilder builder("60-matmul-any-size.tile", "pad_operands", seed);
  for (size_t operand = 0; operand < 2; ++operand) {
    std::string name = operand == 0 ? "a" : "b";
    int64_t height = rows[operand], width = columns[operand];
    int64_t padded = (width + whole - 1) / whole * whole;
    builder.randn(name + "_ptr", type, {height, width});
    builder.output(name + "_to_ptr", type, {height, padded}, [=, &builder](HostArray &out) {
      for (int64_t i = 0; i < height * padded; ++i) {
        int64_t row = i / padded, column = i % padded;
        out.set(uint64_t(i), column < width
                                 ? builder.array(name + "_ptr").at(uint64_t(row * width + column))
                                 : 0);
      }
    });
    builder.i32(name + "_rows", height).i32(name + "_columns", width);
    builder.i32(name + "_to_stride", padded);
  }
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", 32);
  builder.grid(blocks(std::max(rows[0], rows[1]), blockM), 2);
  return builder.take();
}

/// C holds something before, which the parts are added to.
Result<KernelRun> buildSplitK(const Problem &p, uint64_t seed) {
  constexpr int64_t blockM = 16, blockN = 32, blockK = 32, splits = 4;
  RunBuilder builder("44-split-k-matmul.tile", "split_k_matmul", seed);
  addMatrix(builder, "a_ptr", p.type, {p.m, p.k});
  addMatrix(builder, "b_ptr", p.type, {p.k, p.n});
  builder.randn("c_ptr", DType::f32, {p.m, p.n});
  tilecrt::Tolerance tolerance = toleranceFor(DType::f32, 10 * std::sqrt(double(p.k)));
  if (p.type == DType::f32)
    tolerance = productTolerance(p.type, p.k);
  builder.changes(
      "c_ptr",
      [&](HostArray &out) {
        DoubleMatrix product = multiply(leftOf(builder, p), rightOf(builder, p));
        for (uint64_t i = 0; i < out.size(); ++i)
          out.set(i, builder.array("c_ptr").at(i) + product.values[i]);
      },
      tolerance);
  builder.i32("M", p.m).i32("N", p.n).i32("K", p.k);
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", blockN).constant("BLOCK_K", blockK);
  builder.constant("SPLIT_K", splits).grid(blocks(p.m, blockM) * blocks(p.n, blockN), splits);
  return builder.idealBytes(p.bytes()).take();
}

void expectBatch(RunBuilder &builder, DType type, int64_t batch, int64_t m, int64_t n, int64_t k) {
  addMatrix(builder, "a_ptr", type, {batch, m, k});
  addMatrix(builder, "b_ptr", type, {batch, k, n});
  builder.output(
      "c_ptr", productType(type), {batch, m, n},
      [&](HostArray &out) {
        auto rows = static_cast<uint64_t>(m), columns = static_cast<uint64_t>(n),
             depth = static_cast<uint64_t>(k);
        for (uint64_t i = 0; i < static_cast<uint64_t>(batch); ++i) {
          DoubleMatrix product = multiply(
              readMatrix(builder.array("a_ptr"), rows, depth, i * rows * depth, depth, 1),
              readMatrix(builder.array("b_ptr"), depth, columns, i * depth * columns, columns, 1));
          for (uint64_t j = 0; j < rows * columns; ++j)
            out.set(i * rows * columns + j, product.values[j]);
        }
      },
      productTolerance(type, k));
}

Result<KernelRun> buildBatched(const Problem &p, uint64_t seed) {
  constexpr int64_t batch = 3, blockM = 32, blockN = 32, blockK = 16;
  RunBuilder builder("41-batched-matmul.tile", "batched_matmul", seed);
  expectBatch(builder, p.type, batch, p.m, p.n, p.k);
  builder.i32("M", p.m).i32("N", p.n).i32("K", p.k);
  builder.constant("BLOCK_M", blockM).constant("BLOCK_N", blockN).constant("BLOCK_K", blockK);
  builder.grid(blocks(p.m, blockM) * blocks(p.n, blockN), batch);
  return builder.idealBytes(batch * p.bytes()).take();
}

Result<KernelRun> buildSmall(DType type, int64_t count, uint64_t seed) {
  constexpr int64_t m = 8, n = 4, k = 16, batch = 4;
  RunBuilder builder("41-batched-matmul.tile", "small_matmuls", seed);
  expectBatch(builder, type, count, m, n, k);
  builder.i32("count", count).constant("M", m).constant("N", n).constant("K", k);
  builder.constant("BATCH", batch).grid(blocks(count, batch));
  return builder.take();
}

using Build = Result<KernelRun> (*)(const Problem &, uint64_t);

void addCase(std::vector<Case> &cases, const std::string &name, Scale scale, Build build,
             const Problem &p) {
  std::string variant = name;
  if (p.transA || p.transB)
    variant += std::string(" ") + (p.transA ? "t" : "n") + (p.transB ? "t" : "n");
  if (p.splits > 1)
    variant += " split";
  if (p.ctas > 1)
    variant += " pairs";
  if (p.parts > 1)
    variant += " parts";
  cases.push_back({variant + (p.leaky ? " leaky" : ""), p.type, sizeText({p.m, p.n, p.k}), scale,
                   [=](uint64_t seed) { return build(p, seed); }});
}

} // namespace

void addMatmulCases(std::vector<Case> &cases) {
  const DType halves[] = {DType::f16, DType::bf16, DType::f32};
  addCase(cases, "matmul", Scale::Quick, buildMatmul,
          {DType::f16, 100, 50, 77, false, false, true});
  for (DType type : {DType::f16, DType::bf16, DType::f32, DType::f8e4m3, DType::f8e5m2, DType::i8,
                     DType::u8, DType::f64}) {
    for (auto [m, n, k] : {std::array<int64_t, 3>{64, 96, 64}, {45, 33, 70}})
      for (bool transA : {false, true})
        for (bool transB : {false, true})
          addCase(cases, "matmul", Scale::Full, buildMatmul, {type, m, n, k, transA, transB});
    addCase(cases, "matmul", Scale::Full, buildMatmul, {type, 1, 1, 1});
    // Rows of whole 16 bytes, for tensor copies.
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        Problem aligned = {type, 144, 80, 208, transA, transB};
        aligned.block = 64;
        addCase(cases, "matmul", Scale::Full, buildMatmul, aligned);
        // Rows that are columns of the transposed dot, for which operands have 16 bits or lie along
        // K.
        if (tilecrt::dtypeSize(type) != 2 && (transA || !transB || type == DType::f64))
          continue;
        aligned.m = 240;
        aligned.rows = 104;
        addCase(cases, "matmul 104x64", Scale::Full, buildMatmul, aligned);
      }
  }
  Scale first = Scale::Quick;
  for (DType type : halves) {
    addCase(cases, "batched_matmul", first, buildBatched, {type, 50, 40, 70});
    addCase(cases, "batched_matmul", Scale::Full, buildBatched, {type, 64, 32, 32});
    cases.push_back({"small_matmuls", type, sizeText({21, 8, 4, 16}), first,
                     [=](uint64_t seed) { return buildSmall(type, 21, seed); }});
    addCase(cases, "matmul_block_pointers", first, buildBlockPointers, {type, 70, 100, 45});
    addCase(cases, "matmul_block_pointers", Scale::Full, buildBlockPointers, {type, 64, 64, 64});
    addCase(cases, "matmul_block_pointers", Scale::Full, buildBlockPointers,
            {type, 64, 40, 33, true, true});
    // Rows of whole 16 bytes; B is stored by columns.
    addCase(cases, "matmul_descriptors", first, buildDescriptors, {type, 100, 56, 72, false, true});
    addCase(cases, "matmul_descriptors", Scale::Full, buildDescriptors,
            {type, 64, 64, 64, false, true});
    for (bool transA : {false, true})
      for (bool transB : {false, true})
        addCase(cases, "matmul_persistent", transA && transB ? first : Scale::Full, buildPersistent,
                {type, 136, 56, 72, transA, transB});
    for (auto [m, k] : {std::pair<int64_t, int64_t>(64, 128), {320, 1000}})
      addCase(cases, "matmul_persistent", Scale::Full, buildPersistent,
              {type, m, 32, k, false, true});
    addCase(cases, "matmul_host_descriptors", first, buildHostDescriptors,
            {type, 136, 56, 72, false, true});
    addCase(cases, "matmul_host_descriptors", Scale::Full, buildHostDescriptors,
            {type, 64, 32, 128, false, true});
    for (int64_t k : {264, 600}) {
      Problem split = {type, 72, 40, k, false, true};
      split.splits = 3;
      addCase(cases, "matmul_host_descriptors", k == 264 ? first : Scale::Full,
              buildHostDescriptors, split);
    }
    // Parts of several steps, of one, and of none; rows of C that tensor copies do not store. The
    // interpreter, which has the quick cases, runs one program after another: none may wait.
    for (auto [n, k, splits] : {std::array<int64_t, 3>{56, 264, 3},
                                {56, 264, 1},
                                {48, 392, 2},
                                {45, 264, 2},
                                {45, 232, 1},
                                {40, 64, 4}}) {
      Problem any = {type, 136, n, k, false, true};
      any.splits = splits;
      addCase(cases, "matmul_any_size", n == 56 && splits == 1 ? first : Scale::Full, buildAnySize,
              any);
      cases.back().waitsForOthers = splits > 1;
    }
    Problem rows = {type, 136, 56, 600, true, false};
    rows.splits = 4;
    addCase(cases, "matmul_any_size", Scale::Full, buildAnySize, rows);
    cases.back().waitsForOthers = true;
    // Several iterations for each CTA, one, and for some of them none.
    for (auto [parts, k] : {std::pair<int, int64_t>{2, 600}, {4, 232}, {8, 104}}) {
      Problem shared = {type, 136, 56, k, false, true};
      shared.parts = parts;
      addCase(cases, "matmul_any_size", Scale::Full, buildAnySize, shared);
      shared = {type, 144, 80, 2 * k, false, false};
      shared.parts = parts;
      shared.block = 64;
      addCase(cases, "matmul", Scale::Full, buildMatmul, shared);
      if (type != DType::f32) {
        shared.rows = 104;
        addCase(cases, "matmul 104x64", Scale::Full, buildMatmul, shared);
      }
    }
    cases.push_back({"pad_rows", type, sizeText({30, 77}), first,
                     [=](uint64_t seed) { return buildPadRows(type, 30, 77, seed); }});
    cases.push_back({"pad_operands", type, sizeText({30, 77}), first, [=](uint64_t seed) {
                       return buildPadOperands(type, {30, 51}, {77, 45}, seed);
                     }});
    addCase(cases, "split_k_matmul", first, buildSplitK, {type, 20, 30, 500});
    addCase(cases, "split_k_matmul", Scale::Full, buildSplitK, {type, 16, 64, 128});
    // Long enough for loops to use the buffers of their rings again, tile after tile.
    addCase(cases, "matmul_descriptors", Scale::Full, buildDescriptors,
            {type, 136, 72, 232, false, true});
    for (bool transA : {false, true})
      for (bool transB : {false, true})
        // With steps that fill the rings more than once in a tile.
        for (auto [m, n, k] :
             {std::array<int64_t, 3>{264, 136, 232}, {264, 40, 1000}, {136, 56, 104}})
          addCase(cases, "matmul_persistent", Scale::Full, buildPersistent,
                  {type, m, n, k, transA, transB});
    // Programs of a cluster copy for each other; 25 tiles leave one of them alone at the end.
    Problem pairs = {type, 264, 136, 232, false, true};
    pairs.ctas = 2;
    addCase(cases, "matmul_persistent", Scale::Full, buildPersistent, pairs);
    // Rows that are no power of two: columns of the transposed dot.
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        Problem tall = {type, 216, 136, 232, transA, transB};
        tall.rows = 104;
        tall.block = 64;
        addCase(cases, "matmul_any_size", Scale::Full, buildAnySize, tall);
        tall.k = 600;
        tall.parts = 4;
        addCase(cases, "matmul_any_size", Scale::Full, buildAnySize, tall);
      }
    for (int64_t k : {232, 1000}) {
      pairs = {type, 264, 128, k, false, true};
      pairs.ctas = 2;
      addCase(cases, "matmul_any_size", Scale::Full, buildAnySize, pairs);
      // The same with programs that share a tile, long enough for their rings to be used again.
      pairs.splits = 2;
      pairs.k = 2 * k;
      addCase(cases, "matmul_any_size", Scale::Full, buildAnySize, pairs);
      cases.back().waitsForOthers = true;
    }
    // Columns that are no power of two: of one instruction, stored in pieces.
    for (bool transB : {false, true})
      for (auto [n, blockN] :
           {std::pair<int64_t, int64_t>(128, 104), {344, 168}, {424, 208}, {88, 48}}) {
        Problem wide = {type, 136, n, 104, false, transB};
        wide.block = blockN;
        addCase(cases, "matmul_persistent", Scale::Full, buildPersistent, wide);
      }
    // Tiles beside whose rings there is memory for a part of them: cut along columns, along rows,
    // in pieces of which warpgroups share some, of one and of two programs.
    auto addParted = [&, ofType = type](int64_t tileRows, int64_t blockN, int warps, int ctas,
                                        int64_t wholeRows, int64_t k) {
      Problem parted = {ofType, wholeRows * tileRows + 72, 2 * blockN + 24, k, false, true};
      parted.rows = tileRows, parted.block = blockN, parted.warps = warps, parted.ctas = ctas;
      addCase(cases, "matmul_persistent " + std::to_string(tileRows) + "x" + std::to_string(blockN),
              Scale::Full, buildPersistent, parted);
    };
    addParted(128, 256, 8, 1, 2, 232);
    addParted(128, 256, 8, 2, 2, 232);
    addParted(192, 208, 8, 2, 2, 232);
    addParted(224, 128, 8, 1, 2, 232);
    // That two warpgroups take in turn.
    if (type != DType::f32) {
      addParted(128, 160, 4, 1, 4, 232);
      addParted(128, 160, 4, 2, 4, 1000);
      addParted(192, 128, 4, 2, 4, 232);
      addParted(64, 256, 4, 1, 4, 1000);
    }
    for (int64_t k : {104, 200})
      addCase(cases, "matmul_host_descriptors", Scale::Full, buildHostDescriptors,
              {type, 136, 56, k, false, true});
    first = Scale::Full;
  }
}

} // namespace tilec::harness
