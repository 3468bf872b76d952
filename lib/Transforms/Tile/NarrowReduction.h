// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic minimum and maximum of f16 and bf16 elements, which no instruction does.

#ifndef TILEC_LIB_TRANSFORMS_TILE_NARROWREDUCTION_H
#define TILEC_LIB_TRANSFORMS_TILE_NARROWREDUCTION_H

#include "dialects/Tile/TileOps.h"
#include "mlir/IR/Builders.h"

namespace tilec::tile {

/// Replaces each element at `pointers` whose `mask` is true by the smaller or larger of it and of
/// that of `values`, in one step. A NaN counts as no number.
void reduceByExchange(mlir::OpBuilder &builder, mlir::Location loc, AtomicKind kind,
                      mlir::Value pointers, mlir::Value values, mlir::Value mask);

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_NARROWREDUCTION_H
