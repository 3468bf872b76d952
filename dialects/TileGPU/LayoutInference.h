// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the operations that move elements between dimensions tie their operand's layout to their
// result's.

#ifndef TILEC_DIALECTS_TILEGPU_LAYOUTINFERENCE_H
#define TILEC_DIALECTS_TILEGPU_LAYOUTINFERENCE_H

#include "dialects/TileGPU/TileGPUOps.h"
#include <optional>

namespace tilec::tilegpu {

/// Operations whose result layout is a function of the operand's, or the other way round.
bool isShapeOp(mlir::Operation *op);

/// The operand layout with which a shape op (broadcast, expand_dims, reshape, permute) gives
/// `result` without moving data. `operandShape` is the operand's shape.
LinearLayout inferOperandLayout(mlir::Operation *op, const LinearLayout &result,
                                llvm::ArrayRef<int64_t> operandShape);

/// The layout that a shape op's or reduction's result has when its operand has `operand`. For a
/// broadcast there are several; this is one that adds registers only where no replicas can be used.
LinearLayout inferResultLayout(mlir::Operation *op, const LinearLayout &operand);

} // namespace tilec::tilegpu

#endif // TILEC_DIALECTS_TILEGPU_LAYOUTINFERENCE_H
