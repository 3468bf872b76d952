// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accumulators of a thread in local memory, for matrix products of which a thread has more than
// it has registers.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_LOCALSUMS_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_LOCALSUMS_H

#include "mlir/IR/Builders.h"

namespace tilec {

/// An array of `count` scalars of type `element`, a multiple of 16 bytes, at the start of the
/// function around `op`. Arrays of one type and length share memory: nothing is kept there from one
/// product to the next.
class LocalSums {
public:
  LocalSums(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Type element, int64_t count);

  /// `count` scalars from number `first` + `offset` on, a multiple of 16 bytes.
  llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &builder, mlir::Location loc,
                                      mlir::Value first, int64_t offset, int64_t count) const;
  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange sums, mlir::Value first,
             int64_t offset) const;

private:
  /// Scalars of an access.
  int64_t perAccess() const;
  mlir::Value placeOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value first,
                      int64_t offset) const;

  mlir::Type scalar;
  mlir::Value address;
};

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_LOCALSUMS_H
