// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dots `tile-transpose-dots` computes as transposed dots.

#ifndef TILEC_LIB_TRANSFORMS_TILE_TRANSPOSEDDOT_H
#define TILEC_LIB_TRANSFORMS_TILE_TRANSPOSEDDOT_H

#include "dialects/Tile/TileOps.h"

namespace tilec::tile {

/// What a dot's operand is loaded by, for the dot alone, as it is, transposed, or as bytes that
/// become floats; null if it is not loaded so.
struct LoadedOperand {
  explicit LoadedOperand(mlir::Value operand);

  mlir::Operation *load = nullptr;
  bool isTransposed = false, isWidened = false;
};

/// Whether one instruction, or two, make all columns of the transposed dot, in warpgroups below
/// each other, and none do those of the dot, if both operands are loaded through descriptors for it
/// alone.
bool isBetterTransposed(DotOp dot);

/// The columns that the transposed dot gets when it is widened.
int64_t transposedColumns(DotOp dot);

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_TRANSPOSEDDOT_H
