// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products and attention by plain loops over rows.

#include "ProductReferences.h"

#include "References.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilec::harness {

DoubleMatrix readMatrix(const HostArray &array, uint64_t rows, uint64_t columns, uint64_t offset,
                        uint64_t rowStride, uint64_t columnStride) {
  DoubleMatrix matrix{rows, columns, std::vector<double>(rows * columns)};
  for (uint64_t row = 0; row < rows; ++row)
    for (uint64_t column = 0; column < columns; ++column)
      matrix.values[row * columns + column] =
          array.at(offset + row * rowStride + column * columnStride);
  return matrix;
}

DoubleMatrix multiply(const DoubleMatrix &a, const DoubleMatrix &b) {
  DoubleMatrix product{a.rows, b.columns, std::vector<double>(a.rows * b.columns)};
  forRanges(a.rows, a.columns * b.columns, [&](uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; ++row)
      for (uint64_t k = 0; k < a.columns; ++k) {
        double factor = a.values[row * a.columns + k];
        const double *from = &b.values[k * b.columns];
        double *to = &product.values[row * b.columns];
        for (uint64_t column = 0; column < b.columns; ++column)
          to[column] += factor * from[column];
      }
  });
  return product;
}

DoubleMatrix attend(const DoubleMatrix &q, const DoubleMatrix &k, const DoubleMatrix &v,
                    double scale, bool isCausal, std::vector<double> *logSums) {
  DoubleMatrix result{q.rows, v.columns, std::vector<double>(q.rows * v.columns)};
  if (logSums)
    logSums->assign(q.rows, 0);
  forRanges(q.rows, k.rows * q.columns, [&](uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; ++row) {
      uint64_t keys = isCausal ? std::min(row + 1, k.rows) : k.rows;
      std::vector<double> weights(keys);
      double peak = -std::numeric_limits<double>::infinity();
      for (uint64_t key = 0; key < keys; ++key) {
        for (uint64_t i = 0; i < q.columns; ++i)
          weights[key] += q.values[row * q.columns + i] * k.values[key * k.columns + i];
        weights[key] *= scale;
        peak = std::max(peak, weights[key]);
      }
      double sum = 0;
      for (double &weight : weights)
        sum += weight = std::exp(weight - peak);
      for (uint64_t key = 0; key < keys; ++key)
        for (uint64_t i = 0; i < v.columns; ++i)
          result.values[row * v.columns + i] += weights[key] / sum * v.values[key * v.columns + i];
      if (logSums)
        (*logSums)[row] = peak + std::log(sum);
    }
  });
  return result;
}

tilecrt::Tolerance attentionTolerance(tilecrt::DType type) {
  return {1e-2, type == tilecrt::DType::bf16 ? 2e-2 : type == tilecrt::DType::f32 ? 6e-3 : 3e-3};
}

tilecrt::Tolerance logSumTolerance(tilecrt::DType type) {
  return type == tilecrt::DType::f32 ? tilecrt::Tolerance{2e-3, 1e-2}
                                     : tilecrt::Tolerance{1e-4, 3e-3};
}

} // namespace tilec::harness
