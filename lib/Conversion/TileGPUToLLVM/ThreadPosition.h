// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread is, and linear functions of it: the run-time half of a layout. The register half
// is known at compile time, so an index is `thread part ^ register constant`.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADPOSITION_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADPOSITION_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// Lane and warp of the running thread, as i32 values at the start of each function, and again for
/// each program that a persistent CTA runs and behind loops that multiply by warpgroups: what is
/// computed from them would otherwise be in registers meanwhile.
class ThreadPosition {
public:
  /// Inserts the thread's coordinates in all these places.
  explicit ThreadPosition(mlir::ModuleOp module);

  mlir::Value lane(mlir::Operation *op) const { return find(op).lane; }
  mlir::Value warp(mlir::Operation *op) const { return find(op).warp; }
  /// The warp, known to be the same in all its lanes: what is computed from it can be in uniform
  /// registers, and does not take a shuffle in each iteration of a loop.
  mlir::Value uniformWarp(mlir::Operation *op) const { return find(op).uniformWarp; }
  /// The number of the thread, among several groups of computing warps that in its own one.
  mlir::Value thread(mlir::Operation *op) const { return find(op).thread; }
  /// Which group of computing warps it is in, the same in all of a warp.
  mlir::Value group(mlir::Operation *op) const;

private:
  struct Coordinates {
    mlir::Value thread, lane, warp, uniformWarp;
    /// The numbers of threads are below this one.
    int64_t threads = 0;
  };
  static Coordinates place(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number,
                           int64_t threads);
  void addFunction(mlir::func::FuncOp func);
  void addGroups(tilegpu::WarpRolesOp roles);
  void refreshBehind(mlir::Operation *op);
  const Coordinates &find(mlir::Operation *op) const;
  llvm::DenseMap<mlir::Operation *, Coordinates> functions;
  /// By an operation behind which they are the ones to use, in its block.
  llvm::SmallVector<std::pair<mlir::Operation *, Coordinates>> refreshed;
  llvm::DenseMap<mlir::Operation *, mlir::Value> groups;
};

/// A linear function's value at run time: `base`, the part of lane and warp, and which bits it may
/// set.
struct LinearIndex {
  mlir::Value base;
  uint64_t baseBits = 0;

  /// base ^ constant: an addition of the bits that the base cannot have.
  mlir::Value at(mlir::OpBuilder &builder, mlir::Location loc, uint64_t constant) const;
};

/// The part of `layout`'s flattened output that lane and warp decide, scaled by `scale` (a power of
/// two).
LinearIndex threadPart(mlir::OpBuilder &builder, mlir::Operation *at,
                       const ThreadPosition &position, const LinearLayout &layout,
                       uint64_t scale = 1);

/// Adds a linear function of an i32 `input` to `index`: bit i of `input` gives `bases[i] * scale`.
/// Bits beyond the bases are expected to be zero.
void addLinear(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input,
               llvm::ArrayRef<uint64_t> bases, uint64_t scale, LinearIndex &index);

/// The flattened output of `layout` at register `reg` of lane 0 of warp 0.
uint64_t registerPart(const LinearLayout &layout, int64_t reg);

/// Whether the running thread is the first of the threads that hold the same elements; null when
/// every thread is.
mlir::Value isFirstReplica(mlir::OpBuilder &builder, mlir::Operation *at,
                           const ThreadPosition &position, const LinearLayout &layout);

/// An i32 that is the same in all of a warp, from one lane, so that this is seen of it.
mlir::Value sameInWarp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// An i32 constant.
mlir::Value constantI32(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADPOSITION_H
