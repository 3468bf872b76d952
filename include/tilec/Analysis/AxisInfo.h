// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known at compile time about the values of integer and pointer tensors along each of their
// dimensions: runs of consecutive values, runs of equal values, powers of two that divide the start
// of every run. Decides how wide a global access may be, in which order threads should walk a
// tensor, and how masks group.
//
// Algorithm: optimistic sparse forward dataflow over SSA values and structured control flow; the
// join takes gcds.

#ifndef TILEC_ANALYSIS_AXISINFO_H
#define TILEC_ANALYSIS_AXISINFO_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
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

/// What to take for granted about an argument of a function, beyond its attributes.
struct AxisAssumption {
  /// Divides the value, or a pointer's address.
  int64_t divisibility = 1;
  /// The value itself. Integers only.
  std::optional<int64_t> constant;
};
using AxisAssumptions = llvm::SmallDenseMap<mlir::Value, AxisAssumption>;

/// The axis facts of every value below an operation.
///
/// Usage:
///   AxisInfoAnalysis axes(func);
///   unsigned vec = axes.getMaxVectorElements(load.getPointer(), load.getMask(), /*dim=*/1);
///
/// Built once, in time about linear in the number of operations (loops are revisited until their
/// facts are stable); queries are hash lookups. Layout encodings play no role and
/// `tilegpu.convert_layout` is transparent, so facts survive a change of layouts. Creating values
/// keeps the facts of the existing ones; a value made later is answered pessimistically, and after
/// *erasing* an analysed op the analysis must not be asked about new values, which may reuse its
/// storage. Not thread safe.
class AxisInfoAnalysis {
public:
  /// Analyses all functions in `root` (a module, a function, or any op with regions).
  explicit AxisInfoAnalysis(mlir::Operation *root) : AxisInfoAnalysis(root, AxisAssumptions()) {}

  /// What would be known if arguments of functions were as assumed. Answers "would it help if ..."
  /// for people; never a ground to transform anything.
  AxisInfoAnalysis(mlir::Operation *root, const AxisAssumptions &assumptions);

  /// Facts about `value`; always answers. The reference lives as long as the analysis.
  const AxisInfo &get(mlir::Value value) const;

  /// Length of the runs of consecutive elements of a pointer (or integer) tensor along `dim`,
  /// whatever the alignment.
  unsigned getPtrContiguity(mlir::Value ptr, unsigned dim) const;

  /// The most elements of the pointee that one aligned access through `ptr` may cover along `dim`:
  /// limited by the runs and by the byte alignment of their starts. At least 1; no upper limit by
  /// the machine's widest access.
  unsigned getMaxVectorElements(mlir::Value ptr, unsigned dim) const;

  /// The same under a mask, which must be constant over what one access covers. `mask` may be null.
  unsigned getMaxVectorElements(mlir::Value ptr, mlir::Value mask, unsigned dim) const;

  /// Length of the runs of equal values of `mask` along `dim`.
  unsigned getMaskConstancy(mlir::Value mask, unsigned dim) const;

  /// Bytes that divide the address of the first element of each run along `dim`.
  int64_t getPtrAlignment(mlir::Value ptr, unsigned dim) const;

private:
  mutable llvm::DenseMap<mlir::Value, const AxisInfo *> facts;
  mutable std::deque<AxisInfo> storage;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_AXISINFO_H
