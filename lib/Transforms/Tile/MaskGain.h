// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a load, store or atomic gains when comparisons in its mask are known to be true: it can
// cover more elements, or needs no mask at all.

#ifndef TILEC_LIB_TRANSFORMS_TILE_MASKGAIN_H
#define TILEC_LIB_TRANSFORMS_TILE_MASKGAIN_H

#include "dialects/Tile/TileOps.h"
#include "tilec/Analysis/AxisInfo.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {

/// Threads of a CTA: those of the module's warps, of 4 when it does not say.
int64_t threadsOf(mlir::func::FuncOp func);

/// Comparisons, in the order in which they were found.
using CompareSet = llvm::SmallSetVector<mlir::arith::CmpIOp, 4>;

/// The mask of a load, store or atomic of a tensor; null for other operations and where there is
/// none.
mlir::Value maskOf(mlir::Operation *op);

/// The comparisons whose conjunction, broadcast and reshaped, a mask is made of; others of its
/// parts are left out.
CompareSet comparisonsIn(mlir::Value mask);

/// Whether the mask is true everywhere when the comparisons in `known` are.
bool isTrueWith(mlir::Value mask, const CompareSet &known);

/// Widths of accesses.
class AccessWidths {
public:
  explicit AccessWidths(mlir::func::FuncOp func);

  /// The fewest of the comparisons that make the access wider when they are true; empty when it
  /// gets no wider.
  CompareSet findWidening(mlir::Operation *access, CompareSet comparisons) const;

private:
  /// Elements that one instruction of a thread covers when the comparisons in `known` are true.
  int64_t widthWith(mlir::Operation *access, const CompareSet &known) const;

  AxisInfoAnalysis axes;
  int64_t threads;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILE_MASKGAIN_H
