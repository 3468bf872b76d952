// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barrier objects (mbarriers) of a pipelined loop or copy: where they are initialised, and the
// values that say which of them is next and in which phase it is, carried around the loops between.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_BARRIEROBJECTS_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_BARRIEROBJECTS_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tilec {

/// Barrier objects, initialised once around all `scf.for` loops that the user is in (other control
/// flow ends the way up), and the state of their use. A user is an operation that runs with the
/// values of `stateAt` and leaves those that `advance` is given.
class BarrierObjects {
public:
  /// A loop that was rebuilt because it carries the state now.
  using Replaced = std::pair<mlir::Operation *, mlir::scf::ForOp>;

  /// `count` objects that `arrivals` complete a phase of; the state begins with `inits`, which are
  /// constants; without any, the loops stay as they are.
  BarrierObjects(mlir::RewriterBase &rewriter, mlir::Operation *user, int64_t count,
                 int32_t arrivals, llvm::ArrayRef<int32_t> inits);

  mlir::Value objects() const { return ring; }
  /// What the state is where `user` is: the first one, or a later one in a block around the one
  /// before.
  llvm::SmallVector<mlir::Value> stateAt(mlir::Operation *user) const;
  /// Says what the state is behind the user in whose block `next` is; after it is in place.
  void advance(mlir::ValueRange next);
  llvm::ArrayRef<Replaced> replaced() const { return rebuilt; }

private:
  mlir::Value ring;
  /// Behind the last user.
  llvm::SmallVector<mlir::Value> values;
  /// From the outermost in.
  llvm::SmallVector<mlir::scf::ForOp> loops;
  llvm::SmallVector<Replaced> rebuilt;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_BARRIEROBJECTS_H
