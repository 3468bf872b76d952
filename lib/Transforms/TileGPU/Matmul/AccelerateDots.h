// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of tilegpu-accelerate-dots: questions about a dot's operands, and dots by mma.sync.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_MATMUL_ACCELERATEDOTS_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_MATMUL_ACCELERATEDOTS_H

#include "dialects/TileGPU/TileGPUOps.h"

#include <optional>
#include <string>

namespace tilec {

/// The dimension along which the tensor's elements are neighbours in memory, as far as the load
/// behind it tells.
unsigned contiguousDimOf(mlir::Value value);

/// Whether the value is computed, element by element, from the result of a product.
bool comesFromProduct(mlir::Value value);

/// The place before `op` and before all loops around it that `value` does not change in.
mlir::Operation *outsideOfLoops(mlir::Operation *op, mlir::Value value);

/// The layout in which the copy engine writes a tensor that a descriptor loads; none of others.
std::optional<LinearLayout> tensorCopyLayout(mlir::Value tensor);

/// Why mma.sync does not compute this product; nothing when it does.
std::optional<std::string> whyNotMma(tilegpu::DotOp dot);

/// Whether the right operand of a product of few rows is widened from a narrower type.
bool widensSmallProduct(tilegpu::DotOp dot);

/// Puts transpositions of an operand in front of what widens it.
void widenLast(tilegpu::DotOp dot);

/// In a loop, what widens an operand behind a buffer of the narrow one, whose load can then be
/// copied ahead; the same tensor where nothing widens it or nothing is gained.
mlir::Value widenBehindBuffer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

/// Replaces the product by a `tilegpu.mma`. Precondition: whyNotMma says nothing.
void replaceByMma(tilegpu::DotOp dot);

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_MATMUL_ACCELERATEDOTS_H
