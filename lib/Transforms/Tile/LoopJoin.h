// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to tile-delay-dots: one loop for two that do the same but for masks.

#ifndef TILEC_LIB_TRANSFORMS_TILE_LOOPJOIN_H
#define TILEC_LIB_TRANSFORMS_TILE_LOOPJOIN_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tilec {

/// A loop over `[a, m)` and one over `[m, e)` that does the same but for masks, as the loop over
/// blocks that need a mask and the one over those that need none. Where one of them has
///
///   y = select(mask, x, other)
///
/// and the other one x, a loop over `[a, e)` has `select(i >= m, y, x)`. That the first one has
/// whole steps, and the second one takes its results, is to be known.
class LoopJoin {
public:
  LoopJoin(mlir::scf::ForOp before, mlir::scf::ForOp behind) : first(before), second(behind) {}

  /// Whether the bodies, of dots, elementwise operations and loads, do the same but for masks.
  bool match();
  /// Makes the one loop, in front of the second one. Both stay.
  mlir::scf::ForOp join();

private:
  /// Whether `x` of the first loop and `y` of the second one are the same in iterations that are.
  bool isSame(mlir::Value x, mlir::Value y);
  bool compare(mlir::Value x, mlir::Value y);
  bool isSameOperation(mlir::Operation *a, mlir::Operation *b);
  /// Whether one of the two is what a select takes that the other one is.
  bool isMasked(mlir::Value x, mlir::Value y);
  bool matches(mlir::Value x, mlir::Value y);
  /// Whether a value of the first loop can be computed in all iterations, in front of `place` in
  /// the second loop.
  bool mayTakeOver(mlir::Value x, mlir::Operation *place) const;
  /// A value of the first loop in the new one, at the builder's place.
  mlir::Value takeOver(mlir::OpBuilder &builder, mlir::Value x, mlir::IRMapping &mapping);
  /// `made`, of the second loop, or in iterations of the first one what that has instead.
  mlir::Value choose(mlir::OpBuilder &builder, mlir::Value made, mlir::Value x,
                     mlir::Value inSecond, mlir::IRMapping &mapping);

  mlir::scf::ForOp first, second;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> known;
  /// What of the second loop each value of the first one is.
  llvm::DenseMap<mlir::Value, mlir::Value> counterparts;
  /// What the first loop has instead of a value of the second one.
  llvm::MapVector<mlir::Value, mlir::Value> differs;
  /// Values of the second loop that are the same in the first one; and of those that differ, those
  /// that nothing but a select of the first one is the same as.
  llvm::DenseSet<mlir::Value> same, onlyMasked;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILE_LOOPJOIN_H
