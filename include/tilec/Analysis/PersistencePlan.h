// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a kernel is persistent: launched with as many CTAs as fit at once, each of which runs one
// program of the grid after the other; and in which order.

#ifndef TILEC_ANALYSIS_PERSISTENCEPLAN_H
#define TILEC_ANALYSIS_PERSISTENCEPLAN_H

#include "tilec/Analysis/RolePlan.h"

namespace tilec {

/// The decision for one kernel.
struct PersistencePlan {
  bool isPersistent = false;
  /// Where somebody has asked for it and it cannot be had: which operation is in the way, and why.
  mlir::Operation *obstacle = nullptr;
  llvm::StringRef reason;
  /// The axis along which programs have more and more iterations of their loops to do, or fewer and
  /// fewer.
  std::optional<unsigned> longestAxis;
  bool isLongestFirst = false;
  /// The iterations of their loops together: from the sum of `begins` to that of `ends`, by steps
  /// of one of the loops.
  mlir::SmallVector<mlir::Value> begins, ends;
  mlir::scf::ForOp loop;
};

/// Plans the order in which the programs of `func` run. `forced` decides; a kernel that nobody asks
/// about is left as it is.
PersistencePlan planPersistence(mlir::func::FuncOp func, const RolePlan &roles,
                                std::optional<bool> forced);

} // namespace tilec

#endif // TILEC_ANALYSIS_PERSISTENCEPLAN_H
