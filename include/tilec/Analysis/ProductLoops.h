// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that multiply by warpgroups, whose accumulators take most registers of a thread.

#ifndef TILEC_ANALYSIS_PRODUCTLOOPS_H
#define TILEC_ANALYSIS_PRODUCTLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

/// Whether the loop multiplies by warpgroups itself, rather than in a loop inside.
bool isLoopOfProducts(mlir::scf::ForOp loop);

/// The last such loop in each block of `func`. What only the code behind it needs should not be in
/// registers in front of it.
llvm::SmallVector<mlir::scf::ForOp> lastLoopsOfProducts(mlir::func::FuncOp func);

} // namespace tilec

#endif // TILEC_ANALYSIS_PRODUCTLOOPS_H
