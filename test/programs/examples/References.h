// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels must compute, in double precision from the inputs as they are after rounding to
// their type. `out` is always an array of doubles.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_REFERENCES_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_REFERENCES_H

#include "tilecrt/data/HostArray.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilec::harness {

using tilecrt::HostArray;

/// Calls work(begin, end) for ranges that cover [0, count), on several threads when count * cost is
/// large. `cost` is the work of one index, in elements.
void forRanges(uint64_t count, uint64_t cost, const std::function<void(uint64_t, uint64_t)> &work);

/// out[i] = value(i).
template <typename Value> void mapElements(HostArray &out, const Value &value) {
  auto *to = out.as<double>();
  forRanges(out.size(), 1, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i)
      to[i] = value(i);
  });
}

double geluErf(double x);
double geluTanh(double x);
/// x * sigmoid(x).
double silu(double x);

/// Softmax of each row of a matrix.
void softmaxRows(HostArray &out, const HostArray &x);

/// Mean and 1 / sqrt(variance + eps) of each row.
struct RowStatistics {
  std::vector<double> mean, rstd;
};
RowStatistics rowStatistics(const HostArray &x, double eps);
void layerNormRows(HostArray &out, const HostArray &x, const HostArray &weight,
                   const HostArray &bias, const RowStatistics &statistics);
void rmsNormRows(HostArray &out, const HostArray &x, const HostArray &weight, double eps);

void logSoftmaxRows(HostArray &out, const HostArray &x);
/// log(sum(exp(x))) of each row; out[m].
void logSumExpRows(HostArray &out, const HostArray &x);
/// The gradient of layerNormRows with respect to x, `dy` being that of its result.
void layerNormBackwardRows(HostArray &out, const HostArray &x, const HostArray &dy,
                           const HostArray &weight, const RowStatistics &statistics);
/// The gradients with respect to weight and bias that rows [first, last) contribute; dw[n], db[n].
/// Either may be null.
void layerNormBackwardWeights(double *dw, double *db, const HostArray &x, const HostArray &dy,
                              const RowStatistics &statistics, uint64_t first, uint64_t last);

/// Largest value of each row, or the column where it is first; out[m].
void maxRows(HostArray &out, const HostArray &x);
void argmaxRows(HostArray &out, const HostArray &x);
/// Largest magnitude of each row.
std::vector<double> rowPeaks(const HostArray &x);
/// Running sums along each row.
void cumulativeSumRows(HostArray &out, const HostArray &x);

/// The four numbers in [0, 1) that tl.rand4x(seed, offset) gives; the first is tl.rand's. Exact.
std::array<float, 4> uniforms(uint64_t seed, uint32_t offset);

/// Sums of the rows (out[m]) or columns (out[n]) of a matrix.
void sumRows(HostArray &out, const HostArray &x);
void sumColumns(HostArray &out, const HostArray &x);
/// The sum of a whole array.
double sumAll(const HostArray &x);

void transpose(HostArray &out, const HostArray &x);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_REFERENCES_H
