// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of a warp (mma.sync): how warps share a product, buffers that its operands are
// read from without bank conflicts, and the reads that ldmatrix does.

#ifndef TILEC_LAYOUT_MMALAYOUT_H
#define TILEC_LAYOUT_MMALAYOUT_H

#include "tilec/Layout/TensorLayouts.h"

#include <array>

namespace tilec {

/// Warps along each dimension of a product of `shape` (two dimensions, or a batch in front): fewest
/// instructions per warp, then fewest operand elements. With `keepRows` a row is not split as long
/// as there are rows for all warps.
std::vector<int32_t> chooseMmaWarps(Shape shape, int32_t numWarps, bool keepRows);

/// `layout` with the lowest coordinate bits of `dim` up to `last` rotated, so that positions that
/// were `last` apart are neighbours. Where those are in a thread's registers, it gives fragments
/// and products of 8-bit operands that memory has along `dim`.
LinearLayout pairNeighbours(const LinearLayout &layout, unsigned dim, int64_t last);

/// A read of shared memory by ldmatrix: 8 x 8 matrices of 16-bit units, up to four at a time.
struct MatrixLoad {
  /// Lanes get columns instead of rows (`.trans`, elements of 16 bits only).
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
};

/// Whether ldmatrix reads with `offsets` (register, lane, warp -> offset in elements of `bits`
/// bits).
std::optional<MatrixLoad> matchMatrixLoad(const LinearLayout &offsets, int32_t bits);

/// The layout of a buffer in which vectors of up to 16 bytes along `contiguousDim` stay together
/// and from which `operand` (a register layout) is read with the fewest wavefronts.
LinearLayout mmaSharedLayout(Shape shape, int32_t elementBits, unsigned contiguousDim,
                             const LinearLayout &operand);

/// Where the registers of a product's operands and result are, as mma.sync wants them. Rows come in
/// groups of 8 (two to an instruction of 16), columns in groups of 8.
struct MmaRegisters {
  static constexpr int32_t kNone = -1;
  int64_t batches = 1;
  /// Groups of 8 rows and of 8 columns that a warp computes, and elements along K of a thread.
  int64_t rowGroups = 1, columnGroups = 1, depth = 1;
  /// a[(batch * rowGroups + row) * depth + k], b[(batch * columnGroups + column) * depth + k].
  std::vector<int32_t> a, b;
  /// c[((batch * rowGroups + row) * columnGroups + column) * 2 + i]; kNone where the tensor is
  /// narrower than the instruction.
  std::vector<int32_t> c;
  /// Bits of the lane that must be zero for a thread's part of K to count.
  int32_t idleLanes = 0;
};

/// Matches the layouts of A [.., M, K], B [.., K, N] and the product [.., M, N]; nothing when an
/// instruction cannot compute one from the others. K may be in any order, the same in both.
std::optional<MmaRegisters> matchMma(const LinearLayout &a, const LinearLayout &b,
                                     const LinearLayout &product);

} // namespace tilec

#endif // TILEC_LAYOUT_MMALAYOUT_H
