// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether any CTA may run any program of a kernel: persistent ones are launched with as many CTAs
// as fit at once, each of which runs one program after the other. And in which order they end
// together.

#ifndef TILEC_ANALYSIS_PERSISTENCEPLAN_H
#define TILEC_ANALYSIS_PERSISTENCEPLAN_H

#include "dialects/Tile/TileOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace tilec {

/// The decision for one kernel.
struct PersistencePlan {
  bool isPersistent = false;
  /// Where it cannot be: which operation is in the way, and why.
  mlir::Operation *obstacle = nullptr;
  llvm::StringRef reason;
  /// The axis along which programs have more and more iterations of their loops to do, or fewer and
  /// fewer.
  std::optional<unsigned> longestAxis;
  bool isLongestFirst = false;
  /// What their loops count through together, by steps of one of them: a sum of values by factors.
  mlir::SmallVector<std::pair<mlir::Value, int>> extent;
  mlir::scf::ForOp loop;
};

/// Whether `func`, a kernel, can be persistent, and the order in which its programs run then.
PersistencePlan planPersistence(mlir::func::FuncOp func);

/// Whether the kernel's own assembly asks which CTA it is in, or leaves.
bool knowsItsCta(tile::InlineAsmOp assembly);

} // namespace tilec

#endif // TILEC_ANALYSIS_PERSISTENCEPLAN_H
