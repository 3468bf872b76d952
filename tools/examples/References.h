// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels must compute, in double precision from the inputs as they are after rounding to
// their type. `out` is always an array of doubles.

#ifndef TILEC_TOOLS_EXAMPLES_REFERENCES_H
#define TILEC_TOOLS_EXAMPLES_REFERENCES_H

#include "tilecrt/data/HostArray.h"

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

/// Sums of the rows (out[m]) or columns (out[n]) of a matrix.
void sumRows(HostArray &out, const HostArray &x);
void sumColumns(HostArray &out, const HostArray &x);
/// The sum of a whole array.
double sumAll(const HostArray &x);

void transpose(HostArray &out, const HostArray &x);

} // namespace tilec::harness

#endif // TILEC_TOOLS_EXAMPLES_REFERENCES_H
