// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes of tensors whose extents are no powers of two.

#ifndef TILEC_LIB_TRANSFORMS_TILE_PADDEDRESHAPE_H
#define TILEC_LIB_TRANSFORMS_TILE_PADDEDRESHAPE_H

#include "dialects/Tile/TileOps.h"
#include "mlir/IR/Builders.h"

namespace tilec::tile {

/// Whether the padded source's elements, in row-major order, are those of the padded result.
bool keepsPadding(llvm::ArrayRef<int64_t> source, llvm::ArrayRef<int64_t> result);

/// The reshaped value when padding does not stay padding: elements are gathered. `source` is the
/// padded value with `from` elements in it, the result is padded and has `to` elements.
mlir::Value reshapeByGather(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                            llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// Makes reductions over all elements of tensors of several dimensions go axis by axis where the
/// tensors cannot be flattened for nothing.
void reduceAxisByAxis(mlir::func::FuncOp func);

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_PADDEDRESHAPE_H
