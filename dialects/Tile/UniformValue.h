// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors whose elements are one scalar.

#ifndef TILEC_DIALECTS_TILE_UNIFORMVALUE_H
#define TILEC_DIALECTS_TILE_UNIFORMVALUE_H

#include "mlir/IR/Builders.h"

namespace tilec::tile {

/// The scalar that all elements of `tensor` are, of a constant a new one at the insertion point;
/// null when there is none to be seen.
mlir::Value uniformValueOf(mlir::OpBuilder &builder, mlir::Value tensor);

} // namespace tilec::tile

#endif // TILEC_DIALECTS_TILE_UNIFORMVALUE_H
