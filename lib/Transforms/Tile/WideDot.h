// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dots `tile-widen-dots` widens to a power of two of columns.

#ifndef TILEC_LIB_TRANSFORMS_TILE_WIDEDOT_H
#define TILEC_LIB_TRANSFORMS_TILE_WIDEDOT_H

#include "dialects/Tile/TileOps.h"

namespace tilec::tile {

/// Whether an instruction by warpgroups, or two, make all columns of the dot, which are no power of
/// two, if its right operand is loaded through a descriptor.
bool canBeWidened(DotOp dot);

/// The columns that a dot which is widened gets.
int64_t widenedColumns(DotOp dot);

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_WIDEDOT_H
