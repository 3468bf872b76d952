// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Example 47: attention of one query per sequence over a paged cache, split along the keys, and the
// kernel that joins the splits. Example 63: the same by one kernel.

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
  int64_t joined = 1, blockH = 16;

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

/// A query head's attention to a range of keys.
DoubleMatrix attendRange(const RunBuilder &builder, const Problem &p, int64_t sequence,
                         int64_t head, Range range, std::vector<double> *logSums) {
  auto width = uint64_t(p.width);
  auto queryHead = uint64_t(sequence * p.kvHeads * p.group + head);
  DoubleMatrix q = readMatrix(builder.array("q_ptr"), 1, width, queryHead * width, width, 1);
  auto read = [&](const char *name) {
    return gather(p, builder.array(name), sequence, head / p.group, range);
  };
  return attend(q, read("k_ptr"), read("v_ptr"), p.scale(), false, logSums);
}

/// The average of the values and the logarithm of the sum of the weights, of one split.
struct Part {
  std::vector<double> average;
  double lse2 = -kInfinity;
};

Part attendPart(const RunBuilder &builder, const Problem &p, int64_t sequence, int64_t head,
                int64_t split) {
  Part part{std::vector<double>(uint64_t(p.width))};
  Range range = rangeOf(p, p.lengths[size_t(sequence)], split);
  if (range.end <= range.begin)
    return part;
  std::vector<double> logSums;
  part.average = attendRange(builder, p, sequence, head, range, &logSums).values;
  part.lse2 = logSums[0] * kLog2E;
  return part;
}

void addInputs(RunBuilder &builder, const Problem &p) {
  auto sequences = int64_t(p.lengths.size()), heads = p.kvHeads * p.group;
  builder.randn("q_ptr", p.type, {sequences, heads, p.width});
  for (const char *name : {"k_ptr", "v_ptr"})
    builder.randn(name, p.type, {p.pages(), p.page, p.kvHeads, p.width});
  builder.fill("table_ptr", DType::i32, {sequences, p.pagesPerSequence()},
               [&](uint64_t i) { return double(pageNumber(p, i)); });
  builder.fill("lengths_ptr", DType::i32, {sequences},
               [&](uint64_t i) { return double(p.lengths[i]); });
}

void addNumbers(RunBuilder &builder, const Problem &p) {
  builder.i32("kv_heads", p.kvHeads).i32("table_stride", p.pagesPerSequence());
  builder.f32("scale", p.scale());
  builder.constant("HEAD_DIM", p.width).constant("PAGE", p.page).constant("GROUP", p.group);
  builder.constant("BLOCK_H", p.blockH).constant("BLOCK_N", p.blockN).constant("SPLITS", p.splits);
  builder.grid(uint64_t(p.splits), uint64_t(p.kvHeads), p.lengths.size());
}

Result<KernelRun> buildDecode(const Problem &p, uint64_t seed) {
  RunBuilder builder(kFile, "decode_attention", seed);
  auto sequences = int64_t(p.lengths.size()), heads = p.kvHeads * p.group;
  addInputs(builder, p);
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
  addNumbers(builder, p);
  return builder.take();
}

/// The last program of a sequence and a head of the cache joins.
Result<KernelRun> buildJoined(const Problem &p, uint64_t seed) {
  RunBuilder builder("63-decode-attention-joined.tile", "decode_attention_joined", seed);
  auto sequences = int64_t(p.lengths.size()), heads = p.kvHeads * p.group;
  addInputs(builder, p);
  builder.unchecked("parts_ptr", DType::f32, {sequences, p.kvHeads, p.splits, p.group, p.width});
  for (const char *name : {"largest_ptr", "totals_ptr"})
    builder.unchecked(name, DType::f32, {sequences, p.kvHeads, p.splits, p.group});
  // The counters must be zero again.
  builder.fill("counters_ptr", DType::i32, {sequences, p.kvHeads}, [](uint64_t) { return 0; });
  builder.changes("counters_ptr", [](HostArray &out) {
    for (uint64_t i = 0; i < out.size(); ++i)
      out.set(i, 0);
  });
  builder.output(
      "out_ptr", p.type, {sequences, heads, p.width},
      [&](HostArray &out) {
        for (int64_t row = 0; row < sequences * heads; ++row) {
          int64_t sequence = row / heads, length = p.lengths[size_t(sequence)];
          std::vector<double> logSums, average(uint64_t(p.width), 0.0);
          if (length > 0)
            average = attendRange(builder, p, sequence, row % heads, {0, length}, &logSums).values;
          for (int64_t d = 0; d < p.width; ++d)
            out.set(uint64_t(row * p.width + d), average[size_t(d)]);
        }
      },
      attentionTolerance(p.type));
  addNumbers(builder, p);
  builder.constant("JOINED", p.joined);
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
  auto sizeOf = [](const Problem &p) {
    int64_t longest = *std::max_element(p.lengths.begin(), p.lengths.end());
    return sizeText({int64_t(p.lengths.size()), p.kvHeads * p.group, longest, p.width});
  };
  auto add = [&](const Problem &p, Scale scale) {
    cases.push_back({"decode_attention page=" + std::to_string(p.page), p.type, sizeOf(p), scale,
                     [=](uint64_t seed) { return buildDecode(p, seed); }});
  };
  auto addJoined = [&](const Problem &p, Scale scale) {
    cases.push_back({"decode_attention_joined splits=" + std::to_string(p.splits), p.type,
                     sizeOf(p), scale, [=](uint64_t seed) { return buildJoined(p, seed); }});
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
    // Sequences without keys, and with fewer blocks than splits; parts read at once and in turns.
    addJoined({type, {150, 1, 0, 64}, 2, 4, 32, 16, 64, 3, 2}, scale);
    addJoined({type, {300, 129}, 1, 8, 64, 64, 64, 5, 8, type == DType::f32 ? 16 : 8}, Scale::Full);
    // A group that is no power of two, and as large as the block; one split.
    addJoined({type, {70, 33, 200}, 2, 3, 16, 32, 32, 4, 4}, Scale::Full);
    addJoined({type, {330, 64}, 1, 16, 32, 16, 64, 1}, Scale::Full);
    addJoined({type, {4096, 1, 0, 3333, 100}, 4, 8, 128, 16, 64, 33, 32}, Scale::Large);
  }
}

} // namespace tilec::harness
