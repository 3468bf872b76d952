// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lattice of axis facts, which operations say the facts of their results in.

#ifndef TILEC_DIALECTS_TILE_AXISFACTS_H
#define TILEC_DIALECTS_TILE_AXISFACTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tilec {

/// Facts about one value. All vectors have one entry per dimension; a scalar (and a value of any
/// other type) has rank 1 and size 1. Every entry is a power of two, at least 1.
///
/// Example, `r = make_range 16 to 24`, and `r` as a row of a 4x8 tensor:
///                     r                    the 4x8 tensor
///   contiguity        [8]                  [1, 8]
///   divisibility      [16]                 [1, 16]
///   constancy         [1]                  [4, 1]
///
/// Wrap-around: within a run, the first min(contiguity, divisibility) values never straddle an
/// integer overflow, so an access or a mask group of that size is exact on every input. Longer runs
/// hold unless the arithmetic that made them overflows; use them to choose between layouts, not to
/// prove an access safe. Signed division and remainder add the assumptions of `nonNegative`.
struct AxisInfo {
  using DimVector = llvm::SmallVector<int64_t, 4>;

  /// The divisibility of zero: more than any value or address needs.
  static constexpr int64_t kMaxDivisibility = int64_t(1) << 62;

  /// contiguity[d] = C: along dimension d, each group of C values that starts at a multiple of C
  /// counts up by one (by one element for pointers). At most the dimension's size.
  DimVector contiguity;
  /// divisibility[d]: divides the first value of each such group, whatever the other coordinates
  /// are. In bytes of the address for pointers. With contiguity[d] = 1 it divides every value.
  DimVector divisibility;
  /// constancy[d] = K: along dimension d, each group of K values that starts at a multiple of K
  /// holds equal values.
  DimVector constancy;
  /// The value of every element when it is an integer known at compile time: sign-extended, but 0
  /// and 1 for booleans.
  std::optional<int64_t> constantValue;
  /// Difference of consecutive values: bytes of the pointee for pointers, else 1.
  int64_t unit = 1;
  /// No element is negative as a signed integer. Assumes that index arithmetic on such values does
  /// not overflow and that divisors are positive.
  bool nonNegative = false;

  unsigned getRank() const { return contiguity.size(); }

  /// The dimension that vectors should run along: the one with the longest runs, the last among
  /// equals.
  unsigned getFastAxis() const;

  /// The power of two that divides every value whose coordinate along `dim` is a multiple of the
  /// power of two `group`: divisibility[dim] when runs are no longer than that, less when `group`
  /// splits a run.
  int64_t getDivisibilityAt(unsigned dim, int64_t group) const;

  /// The power of two that divides every element.
  int64_t getElementDivisibility() const;

  /// What holds for a value that is described by `lhs` or by `rhs`. Precondition: same rank and
  /// unit.
  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);

  /// Nothing known: ones everywhere, but a pointer is aligned to its element.
  static AxisInfo pessimistic(mlir::Type type);
  static AxisInfo pessimistic(mlir::Value value) { return pessimistic(value.getType()); }

  /// All elements equal `value`.
  static AxisInfo constant(mlir::Type type, int64_t value);

  bool operator==(const AxisInfo &other) const;
  bool operator!=(const AxisInfo &other) const { return !(*this == other); }

  /// `contiguity = [1, 8], divisibility = [1, 16], constancy = [4, 1], constant = 7, nonnegative`.
  void print(llvm::raw_ostream &os) const;
};

/// The largest power of two that divides `value`; AxisInfo::kMaxDivisibility for zero.
int64_t powerOfTwoDivisor(int64_t value);

/// The facts of an operation's operands.
using AxisOperands = llvm::ArrayRef<const AxisInfo *>;

/// lhs + rhs, where one step of `rhs` moves the sum by lhs.unit (pointer arithmetic, or unit 1).
AxisInfo addAxisInfo(mlir::Type type, const AxisInfo &lhs, const AxisInfo &rhs);

/// The same values seen as a type with another unit: runs survive only when the unit stays.
AxisInfo changeAxisUnit(mlir::Type type, const AxisInfo &source);

/// Sizes per dimension; a scalar is one dimension of size 1.
AxisInfo::DimVector axisShape(mlir::Type type);

/// a * b for positive powers of two, at most AxisInfo::kMaxDivisibility.
int64_t saturatingProduct(int64_t a, int64_t b);

} // namespace tilec

#endif // TILEC_DIALECTS_TILE_AXISFACTS_H
