// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of integers and of the elements of integer tensors: intervals over definitions, with what
// types, program indices, ranges, loops and tl.assume say. For warnings, not for transformations: a
// result that may leave its type is taken not to.

#ifndef TILEC_ANALYSIS_INTEGERRANGES_H
#define TILEC_ANALYSIS_INTEGERRANGES_H

#include "dialects/Tile/TileOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tilec {

/// Bounds that saturate at those of int64_t.
struct Interval {
  int64_t low = 0;
  int64_t high = 0;
  /// Follows from constants, ranges and promises alone, not from the width of a type or from an
  /// assumption about sizes.
  bool isTight = false;
  /// Some program or element is known to have the bound as its value.
  bool takesLow = false;
  bool takesHigh = false;

  /// All signed integers of so many bits.
  static Interval ofWidth(unsigned width);
  bool isConstant() const { return low == high; }
  bool isWithin(const Interval &other) const { return low >= other.low && high <= other.high; }
};

/// Bits of an integer or of the elements of a tensor of them, 64 for an index; else 0.
unsigned integerWidth(mlir::Value value);

/// The ranges of the values of one function, computed on demand and remembered. Invalidated by any
/// change to the IR.
class IntegerRanges {
public:
  explicit IntegerRanges(mlir::func::FuncOp func);

  Interval of(mlir::Value value);

  /// The range of the result as if it had any number of bits; none for other operations than sums,
  /// products and shifts.
  std::optional<Interval> exact(mlir::Operation *op);

private:
  void promise(mlir::Block *block, mlir::Value value, mlir::arith::CmpIPredicate predicate,
               const llvm::APInt &bound);
  Interval compute(mlir::Value value);
  Interval computeOp(mlir::Operation *op, const Interval &whole);

  llvm::DenseMap<mlir::Value, Interval> known;
  llvm::DenseMap<mlir::Value, Interval> promised;
  unsigned depth = 0;
};

/// Calls `visit` for every comparison of a value with a constant that `assume` promises, with the
/// constant as the right side.
void forEachPromise(
    tile::AssumeOp assume,
    llvm::function_ref<void(mlir::Value, mlir::arith::CmpIPredicate, const llvm::APInt &)> visit);

} // namespace tilec

#endif // TILEC_ANALYSIS_INTEGERRANGES_H
