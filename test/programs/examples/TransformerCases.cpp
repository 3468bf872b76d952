// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 21 to 23 and 25: what a transformer does between its matrix products, from the embedding
// to the loss.

#include "References.h"
#include "RowCases.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness {
namespace {

constexpr DType floats[] = {DType::f32, DType::f16, DType::bf16};

uint64_t blocks(int64_t count, int64_t block) {
  return static_cast<uint64_t>((count + block - 1) / block);
}

Result<KernelRun> buildCrossEntropyBlocks(DType type, int64_t rows, int64_t columns, int64_t block,
                                          int warps, uint64_t seed) {
  constexpr int64_t ignored = -100;
  RunBuilder builder("21-cross-entropy.tile", "cross_entropy", seed);
  builder.randn("x_ptr", type, {rows, columns});
  // The first, the last, one that does not count, and others.
  auto target = [=](uint64_t row) {
    auto i = static_cast<int64_t>(row);
    return i % 5 == 2 ? ignored : i == 1 ? columns - 1 : i * 7919 % columns;
  };
  builder.fill("target_ptr", DType::i64, {rows},
               [&](uint64_t row) { return static_cast<double>(target(row)); });
  tilecrt::Tolerance tolerance = toleranceFor(DType::f32, 10);
  builder.output(
      "loss_ptr", DType::f32, {rows},
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr");
        logSumExpRows(out, x);
        mapElements(out, [&](uint64_t row) {
          uint64_t begin = row * static_cast<uint64_t>(columns);
          int64_t at = target(row);
          return at == ignored ? 0.0 : out.at(row) - x.at(begin + static_cast<uint64_t>(at));
        });
      },
      tolerance);
  builder.output(
      "lse_ptr", DType::f32, {rows},
      [&](HostArray &out) { logSumExpRows(out, builder.array("x_ptr")); }, tolerance);
  builder.i32("stride", columns).i32("n", columns).i32("ignored", ignored);
  builder.constant("BLOCK", block).warps(warps ? warps : 4).grid(static_cast<uint64_t>(rows));
  uint64_t elements = static_cast<uint64_t>(rows * columns);
  return builder.idealBytes(elements * tilecrt::dtypeSize(type)).take();
}

Result<KernelRun> buildCrossEntropy(DType type, int64_t rows, int64_t columns, int warps,
                                    uint64_t seed) {
  // Short blocks on small sizes, so that rows take several.
  int64_t block = columns >= 4096 ? 4096 : 512;
  return buildCrossEntropyBlocks(type, rows, columns, block, warps, seed);
}

Result<KernelRun> buildWideCrossEntropy(DType type, int64_t rows, int64_t columns, int warps,
                                        uint64_t seed) {
  return buildCrossEntropyBlocks(type, rows, columns, columns > 32768 ? 65536 : 32768, warps, seed);
}

Result<KernelRun> buildRope(DType type, int64_t tokens, int64_t heads, int64_t half,
                            uint64_t seed) {
  RunBuilder builder("22-rope.tile", "rope", seed);
  builder.randn("x_ptr", type, {tokens, heads, 2 * half});
  auto angle = [=](uint64_t i) {
    auto token = static_cast<int64_t>(i) / half, d = static_cast<int64_t>(i) % half;
    double exponent = -static_cast<double>(d) / static_cast<double>(half);
    return static_cast<double>(token) * std::pow(10000.0, exponent);
  };
  builder.fill("cos_ptr", DType::f32, {tokens, half},
               [&](uint64_t i) { return std::cos(angle(i)); });
  builder.fill("sin_ptr", DType::f32, {tokens, half},
               [&](uint64_t i) { return std::sin(angle(i)); });
  builder.output(
      "y_ptr", type, {tokens, heads, 2 * half},
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr");
        auto width = static_cast<uint64_t>(half);
        mapElements(out, [&](uint64_t i) {
          uint64_t token = i / (2 * width * static_cast<uint64_t>(heads));
          uint64_t d = i % width, at = token * width + d;
          double cos = builder.array("cos_ptr").at(at), sin = builder.array("sin_ptr").at(at);
          bool isLeft = i % (2 * width) < width;
          return isLeft ? x.at(i) * cos - x.at(i + width) * sin
                        : x.at(i) * cos + x.at(i - width) * sin;
        });
      },
      toleranceFor(type, 2));
  int64_t headBlock = 1, halfBlock = 1;
  while (headBlock < heads)
    headBlock *= 2;
  while (halfBlock < half)
    halfBlock *= 2;
  builder.i32("heads", heads).i32("half", half);
  builder.constant("HEADS", headBlock).constant("HALF", halfBlock);
  builder.grid(static_cast<uint64_t>(tokens));
  uint64_t elements = static_cast<uint64_t>(tokens * heads * half * 2);
  return builder.idealBytes(2 * elements * tilecrt::dtypeSize(type)).take();
}

Result<KernelRun> buildGated(bool isGelu, DType type, int64_t rows, int64_t columns,
                             uint64_t seed) {
  constexpr int64_t block = 1024;
  RunBuilder builder("23-gated-linear-units.tile", isGelu ? "geglu" : "swiglu", seed);
  builder.randn("x_ptr", type, {rows, 2 * columns});
  tilecrt::Tolerance tolerance = toleranceFor(type);
  tolerance.atol = 4e-6;
  builder.output(
      "y_ptr", type, {rows, columns},
      [&](HostArray &out) {
        const HostArray &x = builder.array("x_ptr");
        auto width = static_cast<uint64_t>(columns);
        mapElements(out, [&](uint64_t i) {
          uint64_t at = i / width * 2 * width + i % width;
          return (isGelu ? geluErf(x.at(at)) : silu(x.at(at))) * x.at(at + width);
        });
      },
      tolerance);
  builder.i32("n", columns).constant("BLOCK", block);
  builder.grid(static_cast<uint64_t>(rows), blocks(columns, block));
  uint64_t elements = static_cast<uint64_t>(rows * columns);
  return builder.idealBytes(3 * elements * tilecrt::dtypeSize(type)).take();
}

Result<KernelRun> buildEmbedding(DType type, int64_t vocabulary, int64_t count, int64_t columns,
                                 uint64_t seed) {
  int64_t rowBlock = columns >= 1024 ? 1 : 4, columnBlock = columns >= 1024 ? 1024 : 64;
  RunBuilder builder("25-embedding.tile", "embedding", seed);
  builder.randn("table_ptr", type, {vocabulary, columns});
  builder.randint("index_ptr", DType::i64, {count}, 0, vocabulary);
  builder.output(
      "out_ptr", type, {count, columns},
      [&](HostArray &out) {
        auto width = static_cast<uint64_t>(columns);
        mapElements(out, [&](uint64_t i) {
          auto row = static_cast<uint64_t>(builder.array("index_ptr").at(i / width));
          return builder.array("table_ptr").at(row * width + i % width);
        });
      },
      tilecrt::Tolerance{0, 0});
  builder.i32("m", count).i32("n", columns);
  builder.constant("ROWS", rowBlock).constant("COLS", columnBlock);
  builder.grid(blocks(count, rowBlock), blocks(columns, columnBlock));
  uint64_t elements = static_cast<uint64_t>(count * columns);
  return builder.idealBytes(2 * elements * tilecrt::dtypeSize(type)).take();
}

/// A case for each of three float types; the first is quick.
template <typename Build>
void addFloats(std::vector<Case> &cases, const std::string &name, const std::string &size,
               Scale scale, const Build &build) {
  for (DType type : floats)
    cases.push_back({name, type, size,
                     scale == Scale::Quick && type != DType::f32 ? Scale::Full : scale,
                     [=](uint64_t seed) { return build(type, seed); }});
}

} // namespace

void addTransformerCases(std::vector<Case> &cases) {
  addRowCases(cases, "cross_entropy", buildCrossEntropy);
  addWideRowCases(cases, "cross_entropy", buildWideCrossEntropy);
  addFloats(cases, "cross_entropy", "4096x32000", Scale::Large, [](DType type, uint64_t seed) {
    return buildCrossEntropy(type, 4096, 32000, 0, seed);
  });
  struct RopeSize {
    int64_t tokens, heads, half;
    Scale scale;
  };
  for (RopeSize s : {RopeSize{7, 6, 40, Scale::Quick}, RopeSize{5, 8, 64, Scale::Full},
                     RopeSize{1, 1, 1, Scale::Full}, RopeSize{16384, 32, 64, Scale::Large}})
    addFloats(cases, "rope", sizeText({s.tokens, s.heads, 2 * s.half}), s.scale,
              [=](DType type, uint64_t seed) {
                return buildRope(type, s.tokens, s.heads, s.half, seed);
              });
  struct GatedSize {
    int64_t rows, columns;
    Scale scale;
  };
  for (bool isGelu : {false, true})
    for (GatedSize s : {GatedSize{5, 1001, Scale::Quick}, GatedSize{3, 2048, Scale::Full},
                        GatedSize{1, 1, Scale::Full}, GatedSize{8192, 11008, Scale::Large}})
      addFloats(cases, isGelu ? "geglu" : "swiglu", sizeText({s.rows, s.columns}), s.scale,
                [=](DType type, uint64_t seed) {
                  return buildGated(isGelu, type, s.rows, s.columns, seed);
                });
  struct EmbeddingSize {
    int64_t vocabulary, count, columns;
    Scale scale;
  };
  for (EmbeddingSize s :
       {EmbeddingSize{50, 37, 200, Scale::Quick}, EmbeddingSize{9, 5, 2048, Scale::Full},
        EmbeddingSize{1, 1, 1, Scale::Full}, EmbeddingSize{50257, 16384, 4096, Scale::Large}})
    addFloats(cases, "embedding", sizeText({s.count, s.columns}), s.scale,
              [=](DType type, uint64_t seed) {
                return buildEmbedding(type, s.vocabulary, s.count, s.columns, seed);
              });
}

} // namespace tilec::harness
