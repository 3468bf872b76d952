// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's accesses of one buffer in shared memory with a tensor's layout: addresses are the
// linear map from register, lane and warp to the buffer's offset, vectors are as wide as that map
// allows.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_BUFFERACCESS_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_BUFFERACCESS_H

#include "Patterns.h"

#include "tilec/Layout/MatrixAccess.h"

namespace tilec {

class BufferAccess {
public:
  BufferAccess(mlir::OpBuilder &builder, mlir::Operation *at, const ThreadLowering &lowering,
               mlir::RankedTensorType tensor, tilegpu::MemDescType buffer);

  /// Loads the registers that are `wanted` (whole vectors of which the first is) to their places in
  /// `results`.
  void load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
            llvm::function_ref<bool(int64_t)> wanted,
            llvm::MutableArrayRef<mlir::Value> results) const;

  /// Calls `visit` with the elements of each word that is to be stored, of which each element is in
  /// one, and with its offset in the buffer in bytes.
  void forEachWord(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange values,
                   llvm::function_ref<void(llvm::ArrayRef<mlir::Value>, mlir::Value)> visit) const;

  /// Stores `values`, those of all registers, one of each that have the same element, and from one
  /// of the threads that have it: the one for which `unique` holds, if that is not null.
  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base, mlir::Value unique,
             mlir::ValueRange values) const;

private:
  /// The address of register `reg`'s element in the buffer that begins at `base`.
  mlir::Value address(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                      int64_t reg) const;
  /// The same with another part of the thread: for the row of a matrix that the lane points to.
  mlir::Value addressAt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                        const LinearIndex &thread, int64_t reg) const;
  LinearIndex rowsOfLane(mlir::OpBuilder &builder, mlir::Location loc) const;
  void loadMatrices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                    llvm::function_ref<bool(int64_t)> wanted,
                    llvm::MutableArrayRef<mlir::Value> results) const;
  void storeMatrices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                     mlir::ValueRange values) const;

  mlir::Operation *place;
  const ThreadPosition &position;
  mlir::Type scalar;
  unsigned bytes;
  SharedAccess access;
  LinearIndex index;
  /// The registers that one instruction accesses, in the order of memory.
  llvm::SmallVector<llvm::SmallVector<int64_t>> groups;
  /// Of loads by ldmatrix and stores by stmatrix.
  std::optional<MatrixAccess> matrices;
};

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_BUFFERACCESS_H
