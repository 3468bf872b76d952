// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of a warp (mma.sync): how warps share a product, and buffers that its operands
// are read from without bank conflicts.

#ifndef TILEC_LAYOUT_MMALAYOUT_H
#define TILEC_LAYOUT_MMALAYOUT_H

#include "tilec/Layout/TensorLayouts.h"

namespace tilec {

/// Warps along each dimension of a product of `shape` (two dimensions, or a batch in front): fewest
/// instructions per warp, then fewest operand elements. With `keepRows` a row is not split as long
/// as there are rows for all warps.
std::vector<int32_t> chooseMmaWarps(Shape shape, int32_t numWarps, bool keepRows);

/// `layout` with the coordinate bits of `dim` from `first` up to `last` rotated, so that positions
/// that were `last` apart are `first` apart: neighbours if it is 1. Where those are in a thread's
/// registers, it gives fragments and products of 8-bit operands that memory has along `dim`.
LinearLayout pairNeighbours(const LinearLayout &layout, unsigned dim, int64_t last,
                            int64_t first = 1);

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
