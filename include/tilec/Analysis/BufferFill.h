// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of which nothing is made but what a buffer in shared memory holds: a copy may fill the
// buffer in their place.

#ifndef TILEC_ANALYSIS_BUFFERFILL_H
#define TILEC_ANALYSIS_BUFFERFILL_H

#include "dialects/TileGPU/TileGPUOps.h"

namespace tilec {

/// What a buffer is filled with: a load of the same block of code whose result goes there alone,
/// through conversions and one permutation.
struct BufferFill {
  /// A tile.load or a tile.descriptor_load.
  mlir::Operation *load = nullptr;
  tilegpu::LocalStoreOp store;
  /// Order that takes the loaded tensor's dimensions to the buffer's; empty when the same.
  llvm::SmallVector<int32_t> order;
  /// What lies between, the last one first.
  llvm::SmallVector<mlir::Operation *> between;
};

/// The fill that `store` is; none when it stores anything else.
std::optional<BufferFill> matchFill(tilegpu::LocalStoreOp store);

/// The fill that `load`, an operation with one result, is made for.
std::optional<BufferFill> fillBy(mlir::Operation *load);

/// The fill of a buffer, or of that which it is a permuted view of.
std::optional<BufferFill> fillOf(mlir::Value buffer);

} // namespace tilec

#endif // TILEC_ANALYSIS_BUFFERFILL_H
