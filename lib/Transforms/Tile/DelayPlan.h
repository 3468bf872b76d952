// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to tile-delay-dots: which operations of a loop's body run an iteration later.

#ifndef TILEC_LIB_TRANSFORMS_TILE_DELAYPLAN_H
#define TILEC_LIB_TRANSFORMS_TILE_DELAYPLAN_H

#include "dialects/Tile/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {

/// 32-bit registers of all threads.
struct RegisterCount {
  /// For the results of a loop's dots, of the first ones among them, and for what is computed early
  /// and used late.
  int64_t dots = 0, firstDots = 0, handed = 0;
};

/// Which operations of a loop's body run an iteration later. Each operation is of the early stage,
/// of the late one, or of both.
class DelayPlan {
public:
  explicit DelayPlan(mlir::scf::ForOp forOp) : loop(forOp), body(forOp.getBody()) {}

  /// False when there is nothing to delay, or it cannot be.
  bool make();
  RegisterCount countRegisters() const;
  mlir::scf::ForOp getLoop() const { return loop; }
  /// Whether the loop takes what one behind which it stands gives, and would do the same late: its
  /// first iteration may do what the other one's last has left. The iterations have to be numbered
  /// as those of one loop.
  bool goesOnFrom(const DelayPlan &before) const;
  /// Whether the loop does the same late as `other`, with values of the same kinds.
  bool leavesSame(const DelayPlan &other) const;

  /// The dots that run late, and the others, which they depend on.
  llvm::SmallVector<tile::DotOp> lateDots, firstDots;
  llvm::DenseSet<mlir::Operation *> late, early;
  /// Of the early ones: what the first dots are computed from, and what only the late dots of the
  /// next iteration wait for.
  llvm::DenseSet<mlir::Operation *> first, last;
  /// Computed early and used late.
  llvm::SetVector<mlir::Value> handed;
  /// Numbers of the carried values that late dots yield; that only the late stage uses; and, of
  /// scalars, that both use.
  llvm::SetVector<unsigned> results, lateArgs, sharedArgs;

  /// The sum that the late dot of result `number` adds to, where it is handed on: without an
  /// iteration it is the result.
  mlir::Value handedSum(unsigned number) const;
  bool isKept(unsigned number) const {
    return !results.contains(number) && !lateArgs.contains(number);
  }

private:
  mlir::Operation *inBody(mlir::Value value) const {
    mlir::Operation *op = value.getDefiningOp();
    return op && op->getBlock() == body ? op : nullptr;
  }
  std::optional<unsigned> carriedNumber(mlir::Value value) const;
  bool hasOnlyLoads() const;
  bool partDots();
  /// All of the body that depends on `values`.
  llvm::DenseSet<mlir::Operation *> usersOf(llvm::ArrayRef<mlir::Value> values) const;
  /// Adds what `value` is computed from in the body to `ops`, and the carried values among it.
  void addSources(mlir::Value value, llvm::DenseSet<mlir::Operation *> &ops,
                  llvm::DenseSet<unsigned> &args) const;
  /// The same of the late stage; what depends on the first dots is handed on.
  bool addLate(mlir::Value value);
  void findEarly();
  bool areSharedScalars() const;
  void findLast();

  mutable mlir::scf::ForOp loop;
  mlir::Block *body;
  /// What depends on the first dots, and what on the sums that the late ones make.
  llvm::DenseSet<mlir::Operation *> behindFirst, behindLate;
  llvm::DenseSet<unsigned> reachedLate, reachedEarly;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILE_DELAYPLAN_H
