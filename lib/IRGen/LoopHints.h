// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints about variables that a loop changes: `tl.multiple_of(ptrs, 16)` in the body of a loop that
// advances `ptrs`.

#ifndef TILEC_LIB_IRGEN_LOOPHINTS_H
#define TILEC_LIB_IRGEN_LOOPHINTS_H

#include "mlir/IR/Builders.h"

#include "llvm/ADT/SmallVector.h"

namespace tilec::irgen {

/// Notes a fact (`attribute`, a number for each dimension) on the op that computes a value, beside
/// what is known of it.
void addHint(mlir::Operation *definition, llvm::StringRef attribute,
             llvm::ArrayRef<int32_t> numbers);

/// The hints about arguments of the loops that are being generated. An op carries hints and an
/// argument does not, so they are noted on what computes its first value and those of later
/// iterations.
class LoopHints {
public:
  /// Notes a fact about the argument of a loop's body, which holds in every iteration.
  void add(mlir::BlockArgument argument, llvm::StringRef attribute,
           llvm::ArrayRef<int32_t> numbers);

  /// Ends a loop: `value` is what `argument` is in its first iteration, or in those after, and
  /// `builder` is where that is handed on, the loop's own or its terminator's place. Returns the
  /// value to hand on: a copy carries the hint where others use the value, too.
  mlir::Value carry(mlir::OpBuilder &builder, mlir::BlockArgument argument, mlir::Value value);

private:
  struct Hint {
    mlir::BlockArgument argument;
    llvm::StringRef attribute;
    llvm::SmallVector<int32_t, 4> numbers;
  };
  llvm::SmallVector<Hint> hints;
};

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_LOOPHINTS_H
