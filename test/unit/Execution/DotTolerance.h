// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a matrix product may be off.

#ifndef TILEC_TEST_UNIT_EXECUTION_DOTTOLERANCE_H
#define TILEC_TEST_UNIT_EXECUTION_DOTTOLERANCE_H

#include "Execution.h"

#include <cmath>

namespace tilec::harness::test {

/// Sums of `depth` products of numbers of size 1 in the accumulator's type. Tensor cores cut f32
/// operands off to tf32 (2^-10 each), add 8-bit floats in a short accumulator, and round towards
/// zero when they add. An f16 accumulator is cut off after every instruction, 32 bytes of depth, by
/// 2^-10 of a partial sum; the largest partial sum of a tile is about five deviations. A single
/// product may be several times as large as others, and what it is added to may take it away again.
inline tilecrt::Tolerance dotTolerance(DType operand, DType result, int64_t depth, bool isExact) {
  constexpr double largestProduct = 3;
  double size = std::sqrt(static_cast<double>(depth));
  tilecrt::Tolerance tolerance = toleranceFor(result, 10 * size);
  bool isFloat8 = operand == DType::f8e4m3 || operand == DType::f8e5m2;
  if (isFloat8 || result == DType::f16 || (operand == DType::f32 && !isExact))
    tolerance = {2e-3, 3e-3 * (size + largestProduct)};
  if (result == DType::f16) {
    double steps = static_cast<double>(depth) / (isFloat8 ? 32 : 16);
    tolerance.atol += 5 * size * std::ldexp(steps, -10);
  }
  return tolerance;
}

} // namespace tilec::harness::test

#endif // TILEC_TEST_UNIT_EXECUTION_DOTTOLERANCE_H
