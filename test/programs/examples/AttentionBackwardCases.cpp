// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples 46 and 62: the kernels of attention's gradients, each with the inputs that the others
// would give it.

#include "Cases.h"
#include "ProductReferences.h"

#include <algorithm>
#include <cmath>

namespace tilec::harness {
namespace {

constexpr const char *kFile = "46-attention-backward.tile";
constexpr const char *kFusedFile = "62-attention-backward-fused.tile";
constexpr double kLog2E = 1.4426950408889634;

struct Problem {
  DType type = DType::f16;
  int64_t heads = 2, length = 0, width = 32;
  int64_t blockM = 32, blockN = 32;
  bool isCausal = false;
  int warps = 4;
  bool roundsWeights = false;

  double scale() const { return 1 / std::sqrt(static_cast<double>(width)); }
  std::vector<int64_t> shape() const { return {heads, length, width}; }
  /// Numbers for each row of queries: `rowStride` for each head.
  std::vector<int64_t> rowShape(int64_t rowStride) const { return {heads, rowStride}; }
  /// What example 62 takes: rows of numbers that a tensor copy reads.
  int64_t paddedLength() const { return (length + 3) / 4 * 4; }
};

/// What the kernels of one head compute, in double precision.
struct Gradients {
  std::vector<double> logSums, delta;
  DoubleMatrix dq, dk, dv;
};

DoubleMatrix zeros(uint64_t rows, uint64_t columns) {
  return {rows, columns, std::vector<double>(rows * columns)};
}

Gradients differentiate(const DoubleMatrix &q, const DoubleMatrix &k, const DoubleMatrix &v,
                        const DoubleMatrix &dout, double scale, bool isCausal) {
  Gradients result;
  DoubleMatrix out = attend(q, k, v, scale, isCausal, &result.logSums);
  uint64_t length = q.rows, width = q.columns;
  result.dq = result.dk = result.dv = zeros(length, width);
  auto dot = [&](const DoubleMatrix &a, uint64_t i, const DoubleMatrix &b, uint64_t j) {
    double sum = 0;
    for (uint64_t d = 0; d < width; ++d)
      sum += a.values[i * width + d] * b.values[j * width + d];
    return sum;
  };
  auto add = [&](DoubleMatrix &to, uint64_t i, double factor, const DoubleMatrix &from,
                 uint64_t j) {
    for (uint64_t d = 0; d < width; ++d)
      to.values[i * width + d] += factor * from.values[j * width + d];
  };
  for (uint64_t i = 0; i < length; ++i) {
    result.delta.push_back(dot(out, i, dout, i));
    for (uint64_t j = 0; j < (isCausal ? i + 1 : length); ++j) {
      double p = std::exp(scale * dot(q, i, k, j) - result.logSums[i]);
      double ds = scale * p * (dot(dout, i, v, j) - result.delta[i]);
      add(result.dv, j, p, dout, i);
      add(result.dk, j, ds, q, i);
      add(result.dq, i, ds, k, j);
    }
  }
  return result;
}

/// The weights and the gradients of the scores are rounded to the type, and sums of up to `length`
/// of them have size 1. The tensor cores cut both operands of an f32 product off to tf32: a
/// gradient of a score is then off by 1e-3 in the root mean square, and is multiplied with a query
/// or key of size 1. With one key only the true gradient is 0, so 4 deviations of each must fit.
tilecrt::Tolerance gradientTolerance(DType type) {
  return {1e-2, type == DType::bf16 ? 4e-2 : type == DType::f32 ? 2e-2 : 6e-3};
}

Gradients gradientsOfHead(const RunBuilder &builder, const Problem &p, uint64_t head) {
  auto length = static_cast<uint64_t>(p.length), width = static_cast<uint64_t>(p.width);
  auto read = [&](const char *name) {
    return readMatrix(builder.array(name), length, width, head * length * width, width, 1);
  };
  return differentiate(read("q_ptr"), read("k_ptr"), read("v_ptr"), read("dout_ptr"), p.scale(),
                       p.isCausal);
}

/// Where example 62 has an element of dQ among its sums: of 32 columns the even groups of four come
/// first, then the odd ones.
uint64_t placeInSums(uint64_t element, uint64_t width) {
  uint64_t columns = std::min<uint64_t>(width, 32), column = element % columns;
  return element - column + column % 8 / 4 * (columns / 2) + column / 8 * 4 + column % 4;
}

uint64_t blocks(int64_t count, int64_t block) {
  return static_cast<uint64_t>((count + block - 1) / block);
}

/// What is done with rows before the gradients; `isFused`: it clears the sums of dQ, too.
Result<KernelRun> buildRows(const Problem &p, bool isFused, uint64_t seed) {
  RunBuilder builder(isFused ? kFusedFile : kFile,
                     isFused ? "attention_backward_prepare" : "attention_backward_rows", seed);
  builder.randn("out_ptr", p.type, p.shape()).randn("dout_ptr", p.type, p.shape());
  builder.randn("lse_ptr", DType::f32, p.rowShape(p.length));
  auto width = static_cast<uint64_t>(p.width), length = static_cast<uint64_t>(p.length);
  int64_t rowStride = isFused ? p.paddedLength() : p.length;
  // Zeros behind the rows of a head.
  auto ofRows = [=](const std::function<double(uint64_t)> &value) {
    return [=](HostArray &rows) {
      auto stride = static_cast<uint64_t>(rowStride);
      for (uint64_t i = 0; i < rows.size(); ++i)
        rows.set(i, i % stride < length ? value(i / stride * length + i % stride) : 0);
    };
  };
  builder.output("lse2_ptr", DType::f32, p.rowShape(rowStride),
                 ofRows([&](uint64_t row) { return builder.array("lse_ptr").at(row) * kLog2E; }));
  builder.output("delta_ptr", DType::f32, p.rowShape(rowStride), ofRows([&](uint64_t row) {
                   double sum = 0;
                   for (uint64_t d = row * width; d < (row + 1) * width; ++d)
                     sum += builder.array("out_ptr").at(d) * builder.array("dout_ptr").at(d);
                   return sum;
                 }),
                 toleranceFor(DType::f32, 10 * std::sqrt(static_cast<double>(p.width))));
  if (isFused)
    builder.output("dq_sum_ptr", DType::f32, p.shape(), [](HostArray &sums) {
      for (uint64_t i = 0; i < sums.size(); ++i)
        sums.set(i, 0);
    });
  builder.i32("seq_len", p.length);
  if (isFused)
    builder.i32("row_stride", rowStride);
  builder.constant("HEAD_DIM", p.width).constant("BLOCK_M", p.blockM).warps(p.warps);
  builder.grid(blocks(p.length, p.blockM), static_cast<uint64_t>(p.heads));
  return builder.take();
}

Result<KernelRun> buildFinish(const Problem &p, uint64_t seed) {
  RunBuilder builder(kFusedFile, "attention_backward_finish", seed);
  builder.randn("dq_sum_ptr", DType::f32, p.shape());
  builder.output("dq_ptr", p.type, p.shape(), [&](HostArray &dq) {
    for (uint64_t i = 0; i < dq.size(); ++i)
      dq.set(i, p.scale() *
                    builder.array("dq_sum_ptr").at(placeInSums(i, static_cast<uint64_t>(p.width))));
  });
  builder.i32("seq_len", p.length).f32("scale", p.scale());
  builder.constant("HEAD_DIM", p.width).constant("BLOCK_M", p.blockM).warps(p.warps);
  builder.grid(blocks(p.length, p.blockM), static_cast<uint64_t>(p.heads));
  return builder.take();
}

/// The kernel that makes dK and dV, the one that makes dQ, or the one that makes all of them.
enum class Part { Keys, Queries, All };

const char *nameOf(Part part) {
  switch (part) {
  case Part::Keys:
    return "attention_backward_keys";
  case Part::Queries:
    return "attention_backward_queries";
  case Part::All:
    break;
  }
  return "attention_backward_fused";
}

Result<KernelRun> buildGradients(const Problem &p, Part part, uint64_t seed) {
  RunBuilder builder(part == Part::All ? kFusedFile : kFile, nameOf(part), seed);
  for (const char *name : {"q_ptr", "k_ptr", "v_ptr", "dout_ptr"})
    builder.randn(name, p.type, p.shape());
  std::vector<Gradients> gradients;
  auto heads = static_cast<uint64_t>(p.heads), length = static_cast<uint64_t>(p.length);
  for (uint64_t head = 0; head < heads; ++head)
    gradients.push_back(gradientsOfHead(builder, p, head));
  int64_t rowStride = part == Part::All ? p.paddedLength() : p.length;
  auto fillRows = [&](const char *name, std::vector<double> Gradients::*member, double factor) {
    auto stride = static_cast<uint64_t>(rowStride);
    builder.fill(name, DType::f32, p.rowShape(rowStride), [&, stride, member, factor](uint64_t i) {
      return i % stride < length ? factor * (gradients[i / stride].*member)[i % stride]
                                 : std::nan("");
    });
  };
  fillRows("lse2_ptr", &Gradients::logSums, kLog2E);
  fillRows("delta_ptr", &Gradients::delta, 1);
  auto gradient = [&](DoubleMatrix Gradients::*member, double factor) {
    return [&gradients, perHead = length * static_cast<uint64_t>(p.width), member,
            factor](HostArray &out) {
      for (uint64_t i = 0; i < out.size(); ++i)
        out.set(i, factor * (gradients[i / perHead].*member).values[i % perHead]);
    };
  };
  auto output = [&](const char *name, DoubleMatrix Gradients::*member) {
    builder.output(name, p.type, p.shape(), gradient(member, 1), gradientTolerance(p.type));
  };
  if (part != Part::Queries) {
    output("dk_ptr", &Gradients::dk);
    output("dv_ptr", &Gradients::dv);
  }
  if (part == Part::Queries)
    output("dq_ptr", &Gradients::dq);
  if (part == Part::All) {
    // The scale comes later.
    tilecrt::Tolerance tolerance = gradientTolerance(p.type);
    tolerance.atol /= p.scale();
    builder.fill("dq_sum_ptr", DType::f32, p.shape(), [](uint64_t) { return 0.0; });
    auto sums = [&](HostArray &out) {
      auto width = static_cast<uint64_t>(p.width);
      for (uint64_t i = 0; i < out.size(); ++i)
        out.set(placeInSums(i, width),
                gradients[i / (length * width)].dq.values[i % (length * width)] / p.scale());
    };
    builder.changes("dq_sum_ptr", sums, tolerance);
    builder.i32("heads", p.heads).i32("row_stride", rowStride);
  }
  builder.i32("seq_len", p.length).f32("scale", p.scale());
  builder.constant("HEAD_DIM", p.width).constant("BLOCK_M", p.blockM);
  builder.constant("BLOCK_N", p.blockN).constant("CAUSAL", p.isCausal ? "True" : "False");
  if (p.roundsWeights)
    builder.constant("ROUND_WEIGHTS", "True");
  builder.warps(p.warps);
  builder.grid(blocks(p.length, part == Part::Queries ? p.blockM : p.blockN), heads);
  return builder.take();
}

void addPart(std::vector<Case> &cases, const Problem &p, Part part, Scale scale) {
  std::string variant = p.isCausal ? " causal" : "";
  if (p.blockM != 32 || p.blockN != 32)
    variant += " " + sizeText({p.blockM, p.blockN});
  if (p.roundsWeights)
    variant += " rounded";
  cases.push_back({nameOf(part) + variant, p.type, sizeText({p.heads, p.length, p.width}), scale,
                   [=](uint64_t seed) { return buildGradients(p, part, seed); }});
}

void addProblem(std::vector<Case> &cases, const Problem &p, Scale scale) {
  for (Part part : {Part::Keys, Part::Queries, Part::All})
    addPart(cases, p, part, scale);
}

} // namespace

void addAttentionBackwardCases(std::vector<Case> &cases) {
  for (DType type : {DType::f16, DType::bf16, DType::f32})
    for (int64_t length : {100, 1}) {
      Problem p{type, 2, length, 32};
      Scale scale = type == DType::f16 && length == 100 ? Scale::Quick : Scale::Full;
      std::string size = sizeText({p.heads, length, p.width});
      cases.push_back({"attention_backward_rows", type, size, scale,
                       [=](uint64_t seed) { return buildRows(p, false, seed); }});
      cases.push_back({"attention_backward_prepare", type, size, scale,
                       [=](uint64_t seed) { return buildRows(p, true, seed); }});
      cases.push_back({"attention_backward_finish", type, size, scale,
                       [=](uint64_t seed) { return buildFinish(p, seed); }});
    }
  for (DType type : {DType::f16, DType::bf16, DType::f32})
    for (bool isCausal : {true, false}) {
      Scale scale = type == DType::f16 && isCausal ? Scale::Quick : Scale::Full;
      addProblem(cases, {type, 2, 100, 32, 32, 32, isCausal}, scale);
      for (int64_t length : {1, 70})
        addProblem(cases, {type, 2, length, 16, 32, 32, isCausal}, Scale::Full);
      // Warpgroups, blocks of queries and keys of different sizes, and a whole number of one of
      // them.
      addProblem(cases, {type, 1, 150, 64, 64, 64, isCausal}, Scale::Full);
      addProblem(cases, {type, 1, 128, 32, 32, 64, isCausal}, Scale::Full);
      addProblem(cases, {type, 1, 130, 32, 64, 32, isCausal}, Scale::Full);
      // Long enough for loops to use the buffers of their rings again.
      for (int64_t blocks : {4, 5, 6}) {
        addProblem(cases, {type, 1, 32 * blocks + 10, 32, 32, 32, isCausal}, Scale::Full);
        for (auto [blockM, blockN, width] :
             {std::array<int64_t, 3>{64, 64, 64}, {32, 64, 32}, {64, 32, 32}})
          addProblem(cases, {type, 1, 64 * blocks + 10, width, blockM, blockN, isCausal},
                     Scale::Full);
      }
      // Load warps: loops of one and of several rounds of the ring.
      if (type != DType::f32)
        for (int64_t length : {130, 394})
          for (bool rounds : {false, true}) {
            Problem p{type,     1, length, rounds ? 64 : 128, rounds ? 128 : 64, 128,
                      isCausal, 8, rounds};
            addPart(cases, p, Part::All, Scale::Full);
          }
      int64_t blockM = type == DType::f32 ? 32 : 64;
      for (int64_t length : {1000, 1024})
        addProblem(cases, {type, 3, length, 128, blockM, 128, isCausal, 8}, Scale::Large);
    }
}

} // namespace tilec::harness
