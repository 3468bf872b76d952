// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The TMA copies of a pipelined loop: rings of buffers with an mbarrier (barrier object) for each
// slot. One thread starts the copies of a stage; everybody waits for the slot's phase at the
// top of the iteration that reads it.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_STREAMBYTMA_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_STREAMBYTMA_H

#include "BarrierObjects.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// `buffer` with the dimensions of the block that is copied into it: dimension i of the block is
/// dimension `order[i]` of the buffer (an empty order: the same).
mlir::Value viewAsBlock(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
                        llvm::ArrayRef<int32_t> order, const LinearLayout &memory);

/// Barrier objects of a loop's ring, and the slot and parity that its iterations begin with.
class TensorCopyRing {
public:
  /// For `numCopies` copies an iteration into `stages` slots. Emits what has to lie before the
  /// first copy in front of the loop.
  TensorCopyRing(mlir::scf::ForOp loop, int64_t stages, int64_t numCopies);

  /// The slot and the parity of a loop's first copy, behind the loops that have used the ring.
  std::pair<mlir::Value, mlir::Value> first(mlir::scf::ForOp loop) const {
    llvm::SmallVector<mlir::Value> state = barriers.stateAt(loop);
    return {state[0], state[1]};
  }
  /// Starts the copy of the block at `load`'s offsets, as `mapping` has them, into `buffer`. It
  /// arrives for `arrivals` of the slot's copies, of those that are not made, too.
  void start(mlir::OpBuilder &builder, tile::DescriptorLoadOp load, const mlir::IRMapping &mapping,
             mlir::Value buffer, mlir::Value slot, mlir::Value predicate, int64_t arrivals);
  void wait(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot, mlir::Value parity);
  /// Says with which slot and parity the loop has ended.
  void finish(mlir::Value slot, mlir::Value parity);
  llvm::ArrayRef<BarrierObjects::Replaced> replaced() const { return barriers.replaced(); }

  /// `warps` release each slot before it is filled again.
  void addEmptyObjects(mlir::scf::ForOp loop, int64_t stages, int32_t warps);
  /// Waits until the slot may be filled for the phase with `parity`; `elected`: in the thread alone
  /// that starts the copies, and only if `predicate` is null or holds.
  void acquire(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot, mlir::Value parity,
               bool elected, mlir::Value predicate);
  void release(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot,
               mlir::Value predicate);

private:
  mlir::IRRewriter rewriter;
  BarrierObjects barriers;
  std::optional<BarrierObjects> empty;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_STREAMBYTMA_H
