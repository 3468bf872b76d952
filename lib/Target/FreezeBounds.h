// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of loops that the passes on induction variables leave as they are.

#ifndef TILEC_LIB_TARGET_FREEZEBOUNDS_H
#define TILEC_LIB_TARGET_FREEZEBOUNDS_H

#include "llvm/IR/PassManager.h"

namespace tilec {

/// In front of IndVarSimplify, which rewrites the test that ends a loop and expands its bound for
/// that. A bound that is divided, and changes with a loop around it, it would compute again in each
/// iteration: nothing takes a division out of a loop whose divisor might be zero. Those bounds get
/// a `freeze`, which nothing looks through.
struct FreezeBoundsPass : llvm::PassInfoMixin<FreezeBoundsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilec

#endif // TILEC_LIB_TARGET_FREEZEBOUNDS_H
