// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Example 48: attention with groups of query heads, strides, more keys than queries or fewer, and
// windows.

#include "Cases.h"
#include "ProductReferences.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilec::harness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Problem {
  DType type = DType::f16;
  int64_t queries = 0, keys = 0, width = 32;
  int64_t blockM = 32, blockN = 32;
  bool isCausal = false;
  int64_t window = 0;
  int64_t batch = 2, kvHeads = 2, group = 2;
  /// Whether a head's rows lie together; else those of a position do.
  bool headsOutside = false;
  int warps = 4;
  bool isPersistent = false;

  int64_t heads() const { return kvHeads * group; }
};

/// Strides of the batch, the head and the row.
struct Strides {
  int64_t batch, head, row;
};

Strides stridesOf(const Problem &p, int64_t heads, int64_t length) {
  if (p.headsOutside)
    return {heads * length * p.width, length * p.width, p.width};
  return {length * heads * p.width, p.width, heads * p.width};
}

std::vector<int64_t> shapeOf(const Problem &p, int64_t heads, int64_t length) {
  if (p.headsOutside)
    return {p.batch, heads, length, p.width};
  return {p.batch, length, heads, p.width};
}

DoubleMatrix readHead(const Problem &p, const HostArray &array, int64_t heads, int64_t length,
                      int64_t batch, int64_t head) {
  Strides strides = stridesOf(p, heads, length);
  return readMatrix(array, uint64_t(length), uint64_t(p.width),
                    uint64_t(batch * strides.batch + head * strides.head), uint64_t(strides.row),
                    1);
}

/// Calls `take` with each query's result and logarithm.
template <typename Take>
void attendHead(const Problem &p, const RunBuilder &builder, int64_t batch, int64_t head,
                Take take) {
  DoubleMatrix q = readHead(p, builder.array("q_ptr"), p.heads(), p.queries, batch, head);
  DoubleMatrix k = readHead(p, builder.array("k_ptr"), p.kvHeads, p.keys, batch, head / p.group);
  DoubleMatrix v = readHead(p, builder.array("v_ptr"), p.kvHeads, p.keys, batch, head / p.group);
  double scale = 1 / std::sqrt(double(p.width));
  for (int64_t query = 0; query < p.queries; ++query) {
    int64_t position = query + p.keys - p.queries;
    int64_t begin = p.window ? std::max<int64_t>(0, position - p.window + 1) : 0;
    int64_t end = p.isCausal ? std::clamp<int64_t>(position + 1, 0, p.keys) : p.keys;
    DoubleMatrix row{1, q.columns, {}}, keys{0, q.columns, {}}, values{0, q.columns, {}};
    auto slice = [&](const DoubleMatrix &from, int64_t first, int64_t last) {
      return std::vector<double>(from.values.begin() + first * p.width,
                                 from.values.begin() + last * p.width);
    };
    if (begin >= end) {
      take(query, std::vector<double>(size_t(p.width)), -kInfinity);
      continue;
    }
    row.values = slice(q, query, query + 1);
    keys.values = slice(k, begin, end);
    values.values = slice(v, begin, end);
    keys.rows = values.rows = uint64_t(end - begin);
    std::vector<double> logSums;
    take(query, attend(row, keys, values, scale, false, &logSums).values, logSums[0]);
  }
}

Result<KernelRun> buildGrouped(const Problem &p, uint64_t seed) {
  RunBuilder builder("48-grouped-query-attention.tile", "grouped_query_attention", seed);
  builder.randn("q_ptr", p.type, shapeOf(p, p.heads(), p.queries));
  for (const char *name : {"k_ptr", "v_ptr"})
    builder.randn(name, p.type, shapeOf(p, p.kvHeads, p.keys));
  Strides q = stridesOf(p, p.heads(), p.queries), kv = stridesOf(p, p.kvHeads, p.keys);
  auto forHeads = [&](auto take) {
    for (int64_t batch = 0; batch < p.batch; ++batch)
      for (int64_t head = 0; head < p.heads(); ++head)
        attendHead(p, builder, batch, head,
                   [&](int64_t query, const std::vector<double> &result, double logSum) {
                     take(batch, head, query, result, logSum);
                   });
  };
  builder.output(
      "out_ptr", p.type, shapeOf(p, p.heads(), p.queries),
      [&](HostArray &out) {
        forHeads([&](int64_t batch, int64_t head, int64_t query, const std::vector<double> &result,
                     double) {
          for (int64_t d = 0; d < p.width; ++d)
            out.set(uint64_t(batch * q.batch + head * q.head + query * q.row + d),
                    result[size_t(d)]);
        });
      },
      attentionTolerance(p.type));
  builder.output(
      "lse_ptr", DType::f32, {p.batch, p.heads(), p.queries},
      [&](HostArray &lse) {
        forHeads([&](int64_t batch, int64_t head, int64_t query, const std::vector<double> &,
                     double logSum) {
          lse.set(uint64_t((batch * p.heads() + head) * p.queries + query), logSum);
        });
      },
      logSumTolerance(p.type));
  auto addStrides = [&](const char *name, Strides strides, char row) {
    std::string prefix = std::string("stride_") + name;
    builder.i32(prefix + "b", strides.batch).i32(prefix + "h", strides.head);
    builder.i32(prefix + row, strides.row);
  };
  addStrides("q", q, 'm');
  addStrides("k", kv, 'n');
  addStrides("v", kv, 'n');
  addStrides("o", q, 'm');
  builder.i32("heads", p.heads()).i32("q_length", p.queries).i32("k_length", p.keys);
  builder.f32("scale", 1 / std::sqrt(double(p.width)));
  builder.constant("HEAD_DIM", p.width).constant("GROUP", p.group);
  builder.constant("BLOCK_M", p.blockM).constant("BLOCK_N", p.blockN);
  builder.constant("CAUSAL", p.isCausal ? "True" : "False").constant("WINDOW", p.window);
  builder.warps(p.warps);
  if (p.isPersistent)
    builder.persistent(true);
  builder.grid(uint64_t((p.queries + p.blockM - 1) / p.blockM), uint64_t(p.heads()),
               uint64_t(p.batch));
  return builder.take();
}

} // namespace

void addGroupedAttentionCases(std::vector<Case> &cases) {
  auto add = [&](const Problem &p, Scale scale) {
    std::string variant = std::string("grouped_query_attention") + (p.isCausal ? " causal" : "") +
                          (p.window ? " window=" + std::to_string(p.window) : "") +
                          (p.headsOutside ? " bhsd" : "") + (p.isPersistent ? " persistent" : "");
    cases.push_back({variant, p.type, sizeText({p.heads(), p.queries, p.keys, p.width}), scale,
                     [=](uint64_t seed) { return buildGrouped(p, seed); }});
  };
  // Load warps that fetch the next program's queries; windows with and without blocks that all
  // queries of a block see.
  for (int64_t window : {0, 300, 70})
    add({DType::f16, 500, 500, 128, 128, 128, true, window, 1, 1, 2, false, 8, true}, Scale::Full);
  add({DType::f16, 300, 300, 128, 128, 128, false, 0, 1, 1, 2, false, 8, true}, Scale::Full);
  for (DType type : {DType::f16, DType::bf16, DType::f32}) {
    Scale scale = type == DType::f16 ? Scale::Quick : Scale::Full;
    add({type, 70, 100, 32, 32, 32, true, 40}, scale);
    add({type, 100, 100, 32, 32, 32, false}, scale);
    add({type, 130, 130, 64, 64, 64, true, 0, 1, 1, 3, true}, Scale::Full);
    // A window smaller than a block, queries before the first key, and one query of many.
    add({type, 100, 70, 32, 64, 32, true, 7, 1}, Scale::Full);
    add({type, 90, 50, 16, 32, 64, true, 0, 1, 2, 1}, Scale::Full);
    add({type, 1, 90, 32, 32, 32, false, 33, 1, 1, 4}, Scale::Full);
    add({type, 100, 140, 32, 32, 32, false, 20, 1, 1, 2, true}, Scale::Full);
    // Long enough for loops to use the buffers of their rings again.
    add({type, 250, 250, 32, 32, 32, false, 0, 1, 1, 2}, Scale::Full);
    add({type, 250, 290, 32, 32, 32, true, 40, 1, 1, 2}, Scale::Full);
    add({type, 330, 330, 64, 64, 64, true, 0, 1, 1, 1, true}, Scale::Full);
    add({type, 200, 330, 32, 64, 32, true, 7, 1, 1, 1}, Scale::Full);
    add({type, 90, 430, 16, 32, 64, true, 0, 1, 1, 1}, Scale::Full);
    add({type, 1, 390, 32, 32, 32, false, 170, 1, 1, 4}, Scale::Full);
    // No block of keys that needs a mask, and several.
    add({type, 100, 128, 32, 32, 32, false}, Scale::Full);
    add({type, 180, 180, 64, 64, 32, true, 0, 1, 1, 1, true}, Scale::Full);
    for (bool isCausal : {true, false})
      for (int64_t window : {0, 300})
        add({type, 1000, 1100, 128, 128, 64, isCausal, window, 1, 2, 2, false, 8}, Scale::Large);
  }
}

} // namespace tilec::harness
