// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base of the conversion patterns from tensors to one thread's registers.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADPATTERN_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADPATTERN_H

#include "Patterns.h"

namespace tilec {

template <typename Op> struct ThreadPattern : mlir::OpConversionPattern<Op> {
  ThreadPattern(const ThreadLowering &threadLowering, mlir::MLIRContext *context)
      : mlir::OpConversionPattern<Op>(threadLowering.types, context), lowering(threadLowering) {}
  const ThreadLowering lowering;
};

/// `base`, a pointer, and so many bytes.
inline mlir::Value bytesBehind(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                               mlir::LLVM::GEPArg bytes) {
  return mlir::LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                                   llvm::ArrayRef(bytes));
}

/// Barrier object number `slot` of a ring at `base`.
mlir::Value objectAt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
                     tilegpu::MemDescType ring, mlir::Value slot);

/// Arrives at a barrier object of this CTA where `predicate` holds.
void arriveIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value predicate,
              mlir::Value object);

/// Whether the thread is the first one of its role, the one that starts tensor copies.
mlir::Value isFirstThread(mlir::OpBuilder &builder, mlir::Operation *op,
                          const ThreadPosition &position);

/// Of operands that are one value each.
llvm::SmallVector<mlir::Value> firstOfEach(llvm::ArrayRef<mlir::ValueRange> values);

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADPATTERN_H
