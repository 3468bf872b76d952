// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels built of matrix products must compute, in double precision.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_PRODUCTREFERENCES_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_PRODUCTREFERENCES_H

#include "tilecrt/data/Compare.h"
#include "tilecrt/data/HostArray.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilec::harness {

using tilecrt::HostArray;

/// A matrix, stored in any way, as plain doubles in row-major order.
struct DoubleMatrix {
  uint64_t rows = 0, columns = 0;
  std::vector<double> values;
};

/// Takes `rows` x `columns` elements of an array, element (r, c) at offset + r * rowStride + c *
/// columnStride.
DoubleMatrix readMatrix(const HostArray &array, uint64_t rows, uint64_t columns, uint64_t offset,
                        uint64_t rowStride, uint64_t columnStride);

/// The product; the columns of `a` are as many as the rows of `b`.
DoubleMatrix multiply(const DoubleMatrix &a, const DoubleMatrix &b);

/// softmax(q k^T * scale) v for one head, the queries and keys `q`, `k`, `v` of [length, width].
/// With `isCausal` a query sees the keys up to its own position. `logSums`, when not null, gets the
/// logarithm of each query's sum of exponentials.
DoubleMatrix attend(const DoubleMatrix &q, const DoubleMatrix &k, const DoubleMatrix &v,
                    double scale, bool isCausal, std::vector<double> *logSums);

/// Of averages of numbers of size 1 by attention: the weights are rounded to the type, and the
/// tensor cores cut f32 off to tf32. In f32 the scores, products of cut-off numbers, are off too.
tilecrt::Tolerance attentionTolerance(tilecrt::DType type);

/// Of the logarithms of sums, natural or to the base 2. In f32 a score is smaller by up to 2^-9 of
/// itself, since both factors are cut off after 10 binary digits, and where its terms cancel each
/// other by as much of them.
tilecrt::Tolerance logSumTolerance(tilecrt::DType type);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_PRODUCTREFERENCES_H
