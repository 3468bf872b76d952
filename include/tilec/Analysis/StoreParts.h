// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that leave shared memory for global memory in parts, one behind the other, through few
// small buffers (tilegpu-lower-tensor-stores).

#ifndef TILEC_ANALYSIS_STOREPARTS_H
#define TILEC_ANALYSIS_STOREPARTS_H

#include "dialects/Tile/TileOps.h"

namespace tilec {

/// Bytes of the largest parts that are tried: of larger ones copies begin later.
inline constexpr int64_t kLargestStorePart = 16384;
/// The most buffers for parts of one type.
inline constexpr int64_t kMostStoreBuffers = 2;

/// Whether `store`, a descriptor store or reduction, writes through a map that can be for smaller
/// blocks: one that is an argument of the kernel, for blocks like the tile but for dimensions of
/// size one in front.
bool canLeaveInParts(mlir::Operation *store);

/// The bytes of the tensor that `op` stores to global memory, which may be converted on the way; 0
/// for an operation that stores none.
int64_t storedBytes(mlir::Operation *op);

/// The least bytes of shared memory that such a store takes: those of a tile, or of the buffers of
/// its parts.
int64_t leastStoreBytes(mlir::Operation *op);

} // namespace tilec

#endif // TILEC_ANALYSIS_STOREPARTS_H
