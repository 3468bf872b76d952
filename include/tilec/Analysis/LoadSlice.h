// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What warps that only load have to run of a function: the copies, and all that decides whether
// they are made, from where, and where to.

#ifndef TILEC_ANALYSIS_LOADSLICE_H
#define TILEC_ANALYSIS_LOADSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {

/// A backward slice over structured control flow: scalars, loops and branches.
class LoadSlice {
public:
  /// Why there is no slice.
  struct Obstacle {
    mlir::Operation *op = nullptr;
    llvm::StringRef reason;
  };

  /// Adds `root`, an operation that the warps run, with what it depends on. False, and then
  /// `getObstacle` says why, when that takes tensors, writes, reads what the function may have
  /// written, or control flow that cannot be followed.
  bool add(mlir::Operation *root);
  const Obstacle &getObstacle() const { return obstacle; }

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  /// Whether the slice needs what a loop carries in place `number`.
  bool needsCarried(mlir::scf::ForOp loop, unsigned number) const {
    return carried.contains({loop.getOperation(), number});
  }
  /// Whether the slice needs a result of a branch.
  bool needsResult(mlir::scf::IfOp branch, unsigned number) const {
    return carried.contains({branch.getOperation(), number});
  }

private:
  bool addOp(mlir::Operation *op);
  bool addValue(mlir::Value value);
  bool addCarried(mlir::scf::ForOp loop, unsigned number);
  bool fail(mlir::Operation *op, llvm::StringRef reason);

  llvm::SetVector<mlir::Operation *> ops;
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> carried;
  Obstacle obstacle;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_LOADSLICE_H
