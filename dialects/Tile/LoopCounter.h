// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a loop's counter, compared as the loop does: signed, or unsigned.

#ifndef TILEC_DIALECTS_TILE_LOOPCOUNTER_H
#define TILEC_DIALECTS_TILE_LOOPCOUNTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

/// The comparison that says whether there is an iteration: `counter < end`.
mlir::arith::CmpIPredicate lessOf(mlir::scf::ForOp loop);

/// Whether one value of the counter is less than another one.
mlir::Value isLess(mlir::OpBuilder &builder, mlir::scf::ForOp loop, mlir::Value counter,
                   mlir::Value other);
/// Whether the loop has an iteration for a value of the counter.
mlir::Value isIteration(mlir::OpBuilder &builder, mlir::scf::ForOp loop, mlir::Value counter);
/// Whether the loop has any iteration.
mlir::Value hasIterations(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

/// The lesser and the greater one of two values of the counter.
mlir::Value lesserOf(mlir::OpBuilder &builder, mlir::scf::ForOp loop, mlir::Value a, mlir::Value b);
mlir::Value greaterOf(mlir::OpBuilder &builder, mlir::scf::ForOp loop, mlir::Value a,
                      mlir::Value b);

} // namespace tilec

#endif // TILEC_DIALECTS_TILE_LOOPCOUNTER_H
