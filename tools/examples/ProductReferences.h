// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels built of matrix products must compute, in double precision.

#ifndef TILEC_TOOLS_EXAMPLES_PRODUCTREFERENCES_H
#define TILEC_TOOLS_EXAMPLES_PRODUCTREFERENCES_H

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

} // namespace tilec::harness

#endif // TILEC_TOOLS_EXAMPLES_PRODUCTREFERENCES_H
