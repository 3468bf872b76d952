// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 64-bit descriptors through which wgmma finds a matrix in shared memory.
//
// A matrix is made of 16-byte units along its contiguous dimension. Bits 0 to 13 are the start
// address, 16 to 29 the leading byte offset, 32 to 45 the stride byte offset, each in units of 16
// bytes; 49 to 51 the base offset; 62 and 63 the swizzle: none, 128, 64 or 32 bytes. Eight lines of
// the swizzle's width (16 bytes for none) make a core.
//
//   K-major    lines are rows (of M or N); the stride leads to the next eight rows; units of a line
//              follow one another, but without swizzle the leading offset leads to the next one
//   MN-major   lines are columns (of K); the leading offset leads to the units beyond the line, the
//              stride to the next eight columns; without swizzle the two change places
#ifndef TILEC_RUNTIME_SIM_MATRIXDESCRIPTOR_H
#define TILEC_RUNTIME_SIM_MATRIXDESCRIPTOR_H

#include <cstdint>

namespace tilecrt::sim {

struct MatrixDescriptor {
  uint32_t start = 0, leading = 0, stride = 0; ///< In bytes.
  uint32_t base = 0;
  uint32_t swizzleBytes = 0;

  explicit MatrixDescriptor(uint64_t bits);

  /// Offset in shared memory of a unit of a K-major matrix: of a row, its unit along K.
  uint32_t rowUnit(uint32_t row, uint32_t unit) const;
  /// Of an MN-major matrix: of a column (index along K), its unit along M or N.
  uint32_t columnUnit(uint32_t column, uint32_t unit) const;
};

/// The descriptor with these fields.
uint64_t encodeMatrixDescriptor(uint32_t start, uint32_t leading, uint32_t stride,
                                uint32_t swizzleBytes, uint32_t base = 0);

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_MATRIXDESCRIPTOR_H
