// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a comparison of index tensors holds for all of its elements. Both sides are taken apart into
// scalars and ranges; what remains to be shown is a few sums of scalars that must not be negative,
// in exact arithmetic.

#ifndef TILEC_LIB_TRANSFORMS_TILE_INDEXPROOF_H
#define TILEC_LIB_TRANSFORMS_TILE_INDEXPROOF_H

#include "dialects/Tile/TileOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace tilec {

/// constant + sum of coefficient * scalar over the integers: nothing wraps around. Scalars are
/// signed, of at most 64 bits, and in order of their first appearance.
struct IndexSum {
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2> terms;
  int64_t constant = 0;

  [[nodiscard]] bool isConstant() const { return terms.empty(); }

  /// The sum that is one scalar or constant; none when the constant is too large.
  static std::optional<IndexSum> of(mlir::Value scalar);

  /// Adds `factor * other`. False when the numbers get too large for the limits below; the sum is
  /// unusable then.
  [[nodiscard]] bool add(const IndexSum &other, int64_t factor);
  [[nodiscard]] bool add(mlir::Value scalar, int64_t coefficient);

  /// The coefficient of `scalar`, 0 when it does not occur.
  int64_t coefficientOf(mlir::Value scalar) const;

  /// The sum without its term in `scalar`.
  IndexSum without(mlir::Value scalar) const;

  /// Bounds of the sum, when every 64-bit scalar is within its guard (see `guardLimit`).
  int64_t getMin() const;
  int64_t getMax() const;

  /// With these, sums stay below 2^61 in magnitude, so that the difference of two, and a few
  /// numbers more, can be computed in 64 bits.
  static constexpr int64_t kMaxTerms = 4;
  static constexpr int64_t kMaxCoefficient = int64_t(1) << 26;
  static constexpr int64_t kMaxConstant = int64_t(1) << 57;
};

/// A 64-bit scalar that occurs with `coefficient` must be in [-limit, limit) for the bounds of sums
/// to be right. Narrower scalars always are.
int64_t guardLimit(int64_t coefficient);

/// Whether values of this type need a guard.
inline bool needsGuard(mlir::Type type) { return type.getIntOrFloatBitWidth() > 32; }

/// A comparison and what makes it true for all elements: that every sum is at least zero. Sums that
/// always are, are left out, but for the first one, which says that the largest smaller element is
/// small enough; the others say that no element wraps around.
struct WholeTileProof {
  mlir::arith::CmpIOp compare;
  llvm::SmallVector<IndexSum, 2> conditions;
  /// Sums whose 64-bit scalars must be within their guards for all this to be right.
  llvm::SmallVector<IndexSum, 2> guarded;
};

/// The conditions in terms of the scalars for which `isTerm` holds; scalars for which it does not
/// hold are taken apart. None when the comparison is no order of index sums, or never holds as a
/// whole.
std::optional<WholeTileProof> proveWholeTile(mlir::arith::CmpIOp compare,
                                             llvm::function_ref<bool(mlir::Value)> isTerm);

/// Emits arithmetic in 64 bits. Constants that end up without a use are erased with the emitter.
class IndexEmitter {
public:
  IndexEmitter(mlir::OpBuilder &opBuilder, mlir::Location location)
      : builder(opBuilder), loc(location) {}
  IndexEmitter(const IndexEmitter &) = delete;
  IndexEmitter &operator=(const IndexEmitter &) = delete;
  ~IndexEmitter();

  mlir::Value constant(int64_t value);
  mlir::Value widen(mlir::Value scalar);
  mlir::Value emit(const IndexSum &sum);
  /// lhs <predicate> rhs
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  /// A binary operation of arith, folded if possible.
  template <typename OpTy> mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return builder.createOrFold<OpTy>(loc, lhs, rhs);
  }
  mlir::Value select(mlir::Value condition, mlir::Value ifTrue, mlir::Value ifFalse) {
    return builder.createOrFold<mlir::arith::SelectOp>(loc, condition, ifTrue, ifFalse);
  }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::MapVector<int64_t, mlir::Value> constants;
};

/// Conditions on which a piece of code may be used, ready to be emitted.
class Conditions {
public:
  /// Adds `sum >= 0`; false when it never holds.
  [[nodiscard]] bool require(const IndexSum &sum);
  /// Adds the guards of the scalars of a sum that is computed in some other way.
  void requireGuards(const IndexSum &sum);
  void requireGuard(mlir::Value scalar, int64_t coefficient);
  bool empty() const { return sums.empty() && guards.empty(); }
  /// The conjunction as an i1; null when there are none.
  mlir::Value emit(IndexEmitter &emitter) const;

private:
  llvm::SmallVector<IndexSum, 4> sums;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 4> guards;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILE_INDEXPROOF_H
