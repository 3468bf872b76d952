// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory operations whose mask is known: the same decision for loads, stores and atomics.

#ifndef TILEC_DIALECTS_TILE_CONSTANTMASK_H
#define TILEC_DIALECTS_TILE_CONSTANTMASK_H

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace tilec::tile {

/// Simplifies `op` by its `mask`, which may be null: `dropMask` changes it in place when the mask
/// is constant true, `replace` replaces or erases it when the mask is constant false.
inline mlir::LogicalResult simplifyConstantMask(mlir::Operation *op, mlir::Value mask,
                                                mlir::PatternRewriter &rewriter,
                                                llvm::function_ref<void()> dropMask,
                                                llvm::function_ref<void()> replace) {
  if (!mask)
    return rewriter.notifyMatchFailure(op, "no mask");
  if (mlir::matchPattern(mask, mlir::m_One())) {
    rewriter.modifyOpInPlace(op, dropMask);
    return mlir::success();
  }
  if (!mlir::matchPattern(mask, mlir::m_Zero()))
    return rewriter.notifyMatchFailure(op, "mask is not constant");
  replace();
  return mlir::success();
}

} // namespace tilec::tile

#endif // TILEC_DIALECTS_TILE_CONSTANTMASK_H
