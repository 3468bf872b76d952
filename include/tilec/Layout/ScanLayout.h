// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a scan along one axis follows a register layout. The bits of the coordinate along the axis,
// lowest first, are expected in four groups, each of which may be empty:
//
//   vector   register bits: consecutive elements of one thread, scanned one after the other
//   lanes    lane bits, ascending: scanned with shuffles
//   warps    warp bits: the warps' totals go through a layout conversion
//   chunks   register bits again: what wraps around, carried from one chunk to the next
//
// Layouts of another form are converted first.

#ifndef TILEC_LAYOUT_SCANLAYOUT_H
#define TILEC_LAYOUT_SCANLAYOUT_H

#include "tilec/Layout/TensorLayouts.h"

namespace tilec {

/// The four groups, as bit numbers of their input dimension, lowest coordinate bit first.
struct ScanPlan {
  std::vector<unsigned> vectorBits;
  std::vector<unsigned> laneBits;
  std::vector<unsigned> warpBits;
  std::vector<unsigned> chunkBits;

  int32_t laneMask() const;
  int32_t numWarps() const { return 1 << warpBits.size(); }
  int32_t numChunks() const { return 1 << chunkBits.size(); }
};

/// The groups of a layout along `axis`; nullopt when it is not of the expected form.
std::optional<ScanPlan> planScan(const LinearLayout &layout, unsigned axis);

/// The two layouts of the totals that warps leave: the tensor's shape with one element per chunk
/// and warp along `axis` (chunk * number of warps + warp).
struct ScanTotalsLayouts {
  /// Each warp holds its own totals.
  LinearLayout perWarp;
  /// Each thread holds the totals of all warps, in its registers.
  LinearLayout gathered;
};
ScanTotalsLayouts scanTotalsLayouts(const LinearLayout &layout, unsigned axis,
                                    const ScanPlan &plan);

/// A layout for scans: as much of the axis as possible in each thread, the rest over lanes, then
/// over warps; the other dimensions take lanes and warps first.
LinearLayout scanFriendlyLayout(Shape shape, unsigned axis, int32_t numWarps);

} // namespace tilec

#endif // TILEC_LAYOUT_SCANLAYOUT_H
