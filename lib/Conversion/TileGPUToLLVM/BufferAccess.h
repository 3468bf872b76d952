// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's accesses of one buffer in shared memory with a tensor's layout: addresses are the
// linear map from register, lane and warp to the buffer's offset, vectors are as wide as that map
// allows.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_BUFFERACCESS_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_BUFFERACCESS_H

#include "Patterns.h"

#include "tilec/Layout/MmaLayout.h"
#include "tilec/Layout/SharedSwizzle.h"

namespace tilec {

class BufferAccess {
public:
  BufferAccess(mlir::OpBuilder &builder, mlir::Operation *at, const ThreadLowering &lowering,
               mlir::RankedTensorType tensor, tilegpu::MemDescType buffer);

  /// The registers that one instruction accesses, in the order of memory.
  llvm::ArrayRef<llvm::SmallVector<int64_t>> vectors() const { return groups; }
  /// The address of register `reg`'s element in the buffer that begins at `base`.
  mlir::Value address(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                      int64_t reg) const;

  /// Loads the registers that are `wanted` (whole vectors of which the first is) to their places in
  /// `results`.
  void load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
            llvm::function_ref<bool(int64_t)> wanted,
            llvm::MutableArrayRef<mlir::Value> results) const;

private:
  void loadMatrices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                    llvm::function_ref<bool(int64_t)> wanted,
                    llvm::MutableArrayRef<mlir::Value> results) const;

  mlir::Operation *place;
  const ThreadPosition &position;
  mlir::Type scalar;
  unsigned bytes;
  SharedAccess access;
  LinearIndex index;
  llvm::SmallVector<llvm::SmallVector<int64_t>> groups;
  /// Of loads by ldmatrix.
  std::optional<MatrixLoad> matrices;
};

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_BUFFERACCESS_H
