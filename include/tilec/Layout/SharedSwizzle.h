// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Swizzled shared-memory layouts for register-to-register conversions, and the closed forms for
// bank conflicts and global-memory sectors of a linear access.
//
// The layout is built over GF(2): vector bits common to both sides come lowest, bank bits next, and
// the segment bits (which choose the row of 128 bytes) are taken outside of what the lanes of
// either side span, so that no two lanes of a wavefront meet in a bank.

#ifndef TILEC_LAYOUT_SHAREDSWIZZLE_H
#define TILEC_LAYOUT_SHAREDSWIZZLE_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// One side (store or load) of a conversion through shared memory.
struct SharedAccess {
  /// Elements per vector access (a power of two; vector bytes at most 16).
  int32_t vectorWidth = 1;
  /// Register bits of the layout that are the vector's bits, lowest first.
  std::vector<unsigned> vectorRegisterBits;
  /// Wavefronts of one warp-wide vector access, and the number that moving its bytes needs.
  int32_t wavefronts = 1;
  int32_t idealWavefronts = 1;
  /// Vector accesses per thread.
  int32_t requests = 1;
  /// Positions (register, lane, warp, block) -> element offset, block: where each element goes.
  LinearLayout offsets;

  int32_t conflicts() const { return wavefronts - idealWavefronts; }
};

/// A conversion through shared memory: store by the source layout, barrier, load by the
/// destination.
struct SwizzledShared {
  /// offset (elements), block -> tensor dimensions; invertible.
  LinearLayout memory;
  /// Size of the buffer in elements.
  int64_t bufferElements = 1;
  /// Number of store-barrier-load rounds (1: the whole tensor at once).
  int32_t reps = 1;
  /// Store by the source layout; replicated lanes and warps store the same value to the same place.
  SharedAccess store;
  SharedAccess load;
};

/// Conflict-avoiding memory layout for moving a tensor of `bitwidth`-bit elements from `src` to
/// `dst`. Both are register layouts of the same shape, surjective, with the same block bases and
/// without replicated registers (see removeRegisterReplication).
SwizzledShared optimalSwizzle(const LinearLayout &src, const LinearLayout &dst, int32_t bitwidth);

/// Description of one access of `layout` (register layout) to `memory` (offset -> tensor): the
/// widest vector that registers allow, at most `maxVectorBits`, and its wavefronts. `memory`
/// reaches every element of `layout`.
SharedAccess analyseSharedAccess(const LinearLayout &layout, const LinearLayout &memory,
                                 int32_t bitwidth, int32_t maxVectorBits = 128);

/// Shared-memory wavefronts of one warp-wide access, all phases together. `laneByteAddresses` are
/// the byte addresses of the lane bits (a linear address), `vectorBytes` is the width per lane.
/// Lanes go together in phases of 32 for up to 4 bytes, 16 for 8 bytes, 8 for 16 bytes.
int32_t wavefrontsPerRequest(llvm::ArrayRef<uint64_t> laneByteAddresses, int32_t vectorBytes);

/// 32-byte sectors that one warp-wide access touches.
int32_t sectorsPerRequest(llvm::ArrayRef<uint64_t> laneByteAddresses, int32_t vectorBytes);

} // namespace tilec

#endif // TILEC_LAYOUT_SHAREDSWIZZLE_H
