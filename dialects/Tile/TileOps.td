//===- All operations of the tile dialect --------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEOPS_TD
#define TILEC_DIALECTS_TILE_TILEOPS_TD

include "dialects/Tile/TileShapeOps.td"
include "dialects/Tile/TileElementwiseOps.td"
include "dialects/Tile/TileMemoryOps.td"
include "dialects/Tile/TileAtomicOps.td"
include "dialects/Tile/TileReduceOps.td"
include "dialects/Tile/TileInlineOps.td"
include "dialects/Tile/TileScanOps.td"
include "dialects/Tile/TileMatrixOps.td"
include "dialects/Tile/TileDescriptorOps.td"
include "dialects/Tile/TileProgramOps.td"

#endif // TILEC_DIALECTS_TILE_TILEOPS_TD
