// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Example 47: attention of one query per sequence over a paged cache, split along the keys, and the
// kernel that joins the splits.

#include "Cases.h"
#include "ProductReferences.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilec::harness {
namespace {

constexpr const char *kFile = "47-decode-attention.tile";
constexpr double kLog2E = 1.4426950408889634;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Problem {
  DType type = DType::f16;
  std::vector<int64_t> lengths;
  int64_t kvHeads = 2, group = 4, width = 32, page = 16;
  int64_t blockN = 64, splits = 2;

  int64_t pagesPerSequence() const {
    int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    return std::max<int64_t>(1, (longest + page - 1) / page);
  }
  int64_t pages() const { return pagesPerSequence() * int64_t(lengths.size()); }
  double scale() const { return 1 / std::sqrt(static_cast<double>(width)); }
};

/// The keys of a split.
struct Range {
  int64_t begin = 0, end = 0;
};

Range rangeOf(const Problem &p, int64_t length, int64_t split) {
  auto ceilDiv = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  int64_t share = ceilDiv(ceilDiv(length, p.splits), p.blockN) * p.blockN;
  return {split * share, std::min(split * share + share, length)};
}

/// Page `i` of all sequences' pages together: they are spread over the cache, from its end.
int64_t pageNumber(const Problem &p, uint64_t i) {
  int64_t pages = p.pages();
  int64_t step = pages % 7 ? 7 : 11;
  return pages % step ? pages - 1 - int64_t(i) * step % pages : pages - 1 - int64_t(i);
}

/// Keys or values of a range of a sequence, for one head of the cache.
DoubleMatrix gather(const Problem &p, const HostArray &cache, int64_t sequence, int64_t head,
                    Range range) {
  DoubleMatrix result{uint64_t(range.end - range.begin), uint64_t(p.width), {}};
  for (int64_t key = range.begin; key < range.end; ++key) {
    int64_t page = pageNumber(p, uint64_t(sequence * p.pagesPerSequence() + key / p.page));
    int64_t row = (page * p.page + key % p.page) * p.kvHeads + head;
    for (int64_t d = 0; d < p.width; ++d)
      result.values.push_back(cache.at(uint64_t(row * p.width + d)));
  }
  return result;
}

/// The average of the values and the logarithm of the sum of the weights, of one split.
struct Part {
  std::vector<double> average;
  double lse2 = -kInfinity;
};

Part attendPart(const RunBuilder &builder, const Problem &p, int64_t sequence, int64_t head,
                int64_t split) {
  auto width = uint64_t(p.width);
  Part part{std::vector<double>(width)};
  Range range = rangeOf(p, p.lengths[size_t(sequence)], split);
  if (range.end <= range.begin)
    return part;
  auto queryHead = uint64_t(sequence * p.kvHeads * p.group + head);
  DoubleMatrix q = readMatrix(builder.array("q_ptr"), 1, width, queryHead * width, width, 1);
  auto read = [&](const char *name) {
    return gather(p, builder.array(name), sequence, head / p.group, range);
  };
  std::vector<double> logSums;
  part.average = attend(q, read("k_ptr"), read("v_ptr"), p.scale(), false, &logSums).values;
  part.lse2 = logSums[0] * kLog2E;
  return part;
}

Result<KernelRun> buildDecode(const Problem &p, uint64_t seed) {
  RunBuilder builder(kFile, "decode_attention", seed);
  auto sequences = int64_t(p.lengths.size()), heads = p.kvHeads * p.group;
  builder.randn("q_ptr", p.type, {sequences, heads, p.width});
  for (const char *name : {"k_ptr", "v_ptr"})
    builder.randn(name, p.type, {p.pages(), p.page, p.kvHeads, p.width});
  builder.fill("table_ptr", DType::i32, {sequences, p.pagesPerSequence()},
               [&](uint64_t i) { return double(pageNumber(p, i)); });
  builder.fill("lengths_ptr", DType::i32, {sequences},
               [&](uint64_t i) { return double(p.lengths[i]); });
  std::vector<Part> parts;
  for (int64_t sequence = 0; sequence < sequences; ++sequence)
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t split = 0; split < p.splits; ++split)
        parts.push_back(attendPart(builder, p, sequence, head, split));
  auto width = uint64_t(p.width);
  builder.output(
      "partial_ptr", DType::f32, {sequences, heads, p.splits, p.width},
      [&](HostArray &partial) {
        for (uint64_t i = 0; i < partial.size(); ++i)
          partial.set(i, parts[i / width].average[i % width]);
      },
      attentionTolerance(p.type));
  builder.output(
      "lse2_ptr", DType::f32, {sequences, heads, p.splits},
      [&](HostArray &lse2) {
        for (uint64_t i = 0; i < lse2.size(); ++i)
          lse2.set(i, parts[i].lse2);
      },
      logSumTolerance(p.type));
  builder.i32("kv_heads", p.kvHeads).i32("table_stride", p.pagesPerSequence());
  builder.f32("scale", p.scale());
  builder.constant("HEAD_DIM", p.width).constant("PAGE", p.page).constant("GROUP", p.group);
  builder.constant("BLOCK_H", 16).constant("BLOCK_N", p.blockN).constant("SPLITS", p.splits);
  builder.grid(uint64_t(p.splits), uint64_t(p.kvHeads), uint64_t(sequences));
  return builder.take();
}

/// Some splits have no keys; the last head has none at all.
Result<KernelRun> buildJoin(DType type, int64_t heads, int64_t splits, int64_t width,
                            uint64_t seed) {
  RunBuilder builder(kFile, "join_splits", seed);
  builder.randn("partial_ptr", DType::f32, {heads, splits, width});
  builder.fill("lse2_ptr", DType::f32, {heads, splits}, [&](uint64_t i) {
    bool isEmpty = i % 5 == 3 || i / uint64_t(splits) + 1 == uint64_t(heads);
    return isEmpty ? -kInfinity : double(i * 29 % 17) - 120;
  });
  builder.output("out_ptr", type, {heads, width}, [&](HostArray &out) {
    auto columns = uint64_t(width), parts = uint64_t(splits);
    for (uint64_t head = 0; head < uint64_t(heads); ++head) {
      double total = 0;
      std::vector<double> sum(columns);
      for (uint64_t i = head * parts; i < (head + 1) * parts; ++i) {
        double weight = std::exp2(builder.array("lse2_ptr").at(i));
        total += weight;
        for (uint64_t d = 0; d < columns; ++d)
          sum[d] += weight * builder.array("partial_ptr").at(i * columns + d);
      }
      for (uint64_t d = 0; d < columns; ++d)
        out.set(head * columns + d, total > 0 ? sum[d] / total : 0);
    }
  });
  builder.constant("HEAD_DIM", width).constant("SPLITS", splits);
  builder.grid(uint64_t(heads));
  return builder.take();
}

} // namespace

void addDecodeAttentionCases(std::vector<Case> &cases) {
  auto add = [&](const Problem &p, Scale scale) {
    int64_t longest = *std::max_element(p.lengths.begin(), p.lengths.end());
    auto sequences = int64_t(p.lengths.size());
    cases.push_back({"decode_attention page=" + std::to_string(p.page), p.type,
                     sizeText({sequences, p.kvHeads * p.group, longest, p.width}), scale,
                     [=](uint64_t seed) { return buildDecode(p, seed); }});
  };
  for (DType type : {DType::f16, DType::bf16, DType::f32}) {
    Scale scale = type == DType::f16 ? Scale::Quick : Scale::Full;
    add({type, {150, 1, 0, 64}, 2, 4, 32, 16, 64, 2}, scale);
    add({type, {200, 129}, 1, 8, 64, 64, 64, 4}, Scale::Full);
    // More heads than rows of a page, a group of one, blocks below a warpgroup's rows.
    add({type, {70, 33}, 3, 1, 16, 32, 32, 2}, Scale::Full);
    // Long enough for loops to use the buffers of their rings again.
    add({type, {530, 1}, 1, 4, 32, 16, 64, 1}, Scale::Full);
    add({type, {530, 300}, 1, 8, 64, 64, 64, 2}, Scale::Full);
    add({type, {330}, 1, 2, 16, 32, 32, 1}, Scale::Full);
    cases.push_back({"join_splits", type, sizeText({6, 4, 32}), scale,
                     [=](uint64_t seed) { return buildJoin(type, 6, 4, 32, seed); }});
    add({type, {4096, 1, 0, 3333, 100}, 4, 8, 128, 16, 64, 8}, Scale::Large);
  }
}

} // namespace tilec::harness
