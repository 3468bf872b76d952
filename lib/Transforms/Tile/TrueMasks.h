// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces comparisons by true and lets that simplify what depends on them.

#ifndef TILEC_LIB_TRANSFORMS_TILE_TRUEMASKS_H
#define TILEC_LIB_TRANSFORMS_TILE_TRUEMASKS_H

#include "dialects/Tile/TileOps.h"

namespace tilec {

/// True, in the boolean or tensor of booleans `type`.
mlir::Value createTrue(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// Folds and canonicalises the operations of `region` that use one of `constants`, and what depends
/// on these. Erases the constants, which are outside of the region, when no use is left.
void simplifyUsers(llvm::ArrayRef<mlir::Value> constants, mlir::Region &region);

/// The operations in the regions of `op`.
int64_t countNestedOps(mlir::Operation *op);

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILE_TRUEMASKS_H
