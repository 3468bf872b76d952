// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of matrix products as doubles (which hold every product of two of them, and every s8
// sum, exactly), and sums of products rounded once to an accumulator's type.
#ifndef TILEC_RUNTIME_SIM_MATRIXTYPES_H
#define TILEC_RUNTIME_SIM_MATRIXTYPES_H

#include "tilecrt/sim/SimMatrixAbi.h"
#include <cstddef>

namespace tilecrt::sim {

/// Bits of an element; 0 for a number that is no type.
unsigned matrixTypeBits(int32_t type);
const char *matrixTypeName(int32_t type);

/// Whether A and B may have these types in one product, and their product go to `acc`.
bool matrixTypesFit(int32_t typeA, int32_t typeB, int32_t acc);

/// `count` packed elements as doubles.
void decodeElements(int32_t type, const void *packed, size_t count, double *out);

/// The accumulator element `index` in registers packed as PTX does.
double loadAccumulator(int32_t type, const void *registers, size_t index);
/// Stores `value` there, rounded; s32 wraps around or saturates.
void storeAccumulator(int32_t type, void *registers, size_t index, double value, bool saturate);

/// out[i][j] += sum over l of a[i][l] * b[j][l], for an m x k and an n x k matrix.
void multiplyAdd(const double *a, const double *b, double *out, size_t m, size_t n, size_t k);

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_MATRIXTYPES_H
