// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of shared memory by ldmatrix and stmatrix, which distribute rows of 16 bytes over the
// lanes of a warp as mma.sync and wgmma have their fragments and results.

#ifndef TILEC_LAYOUT_MATRIXACCESS_H
#define TILEC_LAYOUT_MATRIXACCESS_H

#include "tilec/Layout/SharedSwizzle.h"

#include <array>
#include <optional>

namespace tilec {

/// A read by ldmatrix or a write by stmatrix: 8 x 8 matrices of 16-bit units, up to four at a time.
struct MatrixAccess {
  /// Lanes have columns instead of rows (`.trans`, elements of 16 bits only).
  bool isTransposed = false;
  /// Transposed 8-bit elements: a unit has two of them, which belong to two columns. The words of
  /// two matrices (the first of matrixBits) exchange their halves.
  bool isPaired = false;
  /// Register bits of the elements of one 32-bit word, lowest first.
  std::vector<unsigned> wordBits;
  /// Register bits that tell apart the matrices of one instruction.
  std::vector<unsigned> matrixBits;
  /// What each bit of the lane adds to the address (in elements) of the row that the lane points
  /// to; replaces the lane's part of the access.
  std::array<uint64_t, 5> rowOffsets{};
  /// Wavefronts of one instruction, and the number that moving its bytes needs.
  int32_t wavefronts = 1, idealWavefronts = 1;

  /// Register bits of one instruction, in the order of its words.
  std::vector<unsigned> registerBits() const;
  /// Instructions for so many registers of a thread.
  int64_t requests(int64_t registers) const {
    return registers >> (wordBits.size() + matrixBits.size());
  }
};

/// Whether the instructions move what `offsets` (register, lane, warp -> offset in elements of
/// `bits` bits) says.
std::optional<MatrixAccess> matchMatrixAccess(const LinearLayout &offsets, int32_t bits);

/// The same for a store that takes fewer instructions of stmatrix than of vectors; wavefronts are
/// never more. Every thread has elements of its own: the instruction has no predicate.
std::optional<MatrixAccess> matchMatrixStore(const SharedAccess &store, int32_t bits);

/// A memory layout for moving a tensor from `src` to `dst` in which a row of stmatrix is a vector
/// of 16 bytes that `dst` loads, both without bank conflicts; nothing where there
/// is none, or where vectors of 16 bytes are in the registers of both. See optimalSwizzle; here
/// `store` has the requests and wavefronts of stmatrix.
std::optional<SwizzledShared> matrixSwizzle(const LinearLayout &src, const LinearLayout &dst,
                                            int32_t bitwidth);

} // namespace tilec

#endif // TILEC_LAYOUT_MATRIXACCESS_H
