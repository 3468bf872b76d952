// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations made anew for a piece of their tensors.

#ifndef TILEC_LIB_TRANSFORMS_TILE_PIECES_H
#define TILEC_LIB_TRANSFORMS_TILE_PIECES_H

#include "dialects/Tile/TileOps.h"

namespace tilec::tile {

/// A tensor or descriptor type with other extents.
mlir::Type withShape(mlir::Type type, llvm::ArrayRef<int64_t> shape);

/// A hint holds for a piece as far as the piece's start keeps it: `starts` are numbers that the
/// start along each dimension is a multiple of, or zero.
void clipHints(mlir::Operation *op, llvm::ArrayRef<int64_t> starts);

/// The constant, all elements of which are equal, takes the shape of its type.
void resizeSplat(mlir::arith::ConstantOp constant);

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_PIECES_H
