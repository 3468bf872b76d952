// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to tilegpu-overlap-epilogues: a loop inside of a loop over tiles whose last iterations
// start the first copies of the next tile, in place of those of iterations past the end.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_LOOPCONTINUATION_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_LOOPCONTINUATION_H

#include "NextTile.h"
#include "dialects/TileGPU/TileGPUOps.h"

namespace tilec::tilegpu {

class LoopContinuation {
public:
  LoopContinuation(mlir::scf::ForOp tileLoop, mlir::scf::ForOp innerLoop,
                   WrittenMemory &writtenMemory)
      : tiles(tileLoop), loop(innerLoop), during(tileLoop, innerLoop, writtenMemory) {}

  /// Finds the loop's copies that arrive at `barriers`. False when they can't go on.
  bool find(mlir::Value barriers);
  /// Whether a copy is made if its iteration is one of the loop.
  bool isBoundOf(TmaLoadOp copy);
  /// Brings what this tile hands to the next one in front of the loop.
  void bringEarly() { during.bringEarly(loop); }
  /// Behind that: rewrites the loop.
  void make();
  mlir::scf::ForOp getLoop() const { return loop; }

  /// What the next tile's copies are computed from, and more that this tile has of it.
  mlir::TypeRange types() const { return mlir::ValueRange(values).getTypes(); }
  /// These values of a tile that there is.
  llvm::SmallVector<mlir::Value> computeFor(mlir::OpBuilder &builder, mlir::Value tile,
                                            mlir::ValueRange carried);
  /// Those that the loop leaves of the next tile, if it has run.
  mlir::ValueRange results() { return loop.getResults().take_back(values.size()); }
  /// Has the tile's own values handed over by the tile before: `ofFirst` in front of the first one.
  /// Returns the loop over tiles.
  mlir::scf::ForOp handOver(mlir::ValueRange ofFirst, mlir::ValueRange ofNext);

  /// How many of the copies of a full ring the loop was too short for, as the loop counts: more
  /// than 0, or none.
  mlir::Value missing(mlir::OpBuilder &builder);

private:
  bool add(mlir::Value value);
  mlir::Value endOfLoop(mlir::OpBuilder &builder);
  /// The next tile's values, computed while the first products run.
  mlir::ValueRange computeNext(mlir::OpBuilder &builder, mlir::IRMapping mapping);
  void startCopies(mlir::OpBuilder &builder, mlir::IRMapping mapping);

  mlir::scf::ForOp tiles, loop;
  llvm::SmallVector<TmaLoadOp> copies;
  /// Outside of the loop, and in it.
  NextTile during;
  llvm::SetVector<mlir::Operation *> inside;
  /// Of the tile, what the loop's copies and the epilogue use.
  llvm::SmallVector<mlir::Value> values;
  /// What the loop counts between an iteration and the one whose copies it starts.
  int64_t distance = 0;
  /// Behind the last iteration, as the loop counts, and whether there is a next tile.
  mlir::Value end, hasNext;
};

} // namespace tilec::tilegpu

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_LOOPCONTINUATION_H
