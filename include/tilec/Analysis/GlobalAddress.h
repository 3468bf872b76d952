// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an access to global memory goes, as a sum: the memory it starts from, scalars that move the
// access as a whole, and a pattern over its elements. Layouts play no part: the same expression in
// two layouts is the same address. Two accesses are compared by their sums, so `p + i * 64 + r` and
// `p + 64 * i + 1 + r` are one byte apart (for one-byte elements), whatever `p` and `i` are.

#ifndef TILEC_ANALYSIS_GLOBALADDRESS_H
#define TILEC_ANALYSIS_GLOBALADDRESS_H

#include "dialects/Tile/TileOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>

namespace tilec {

/// A number that stands for an expression: equal numbers mean equal values.
using ExpressionId = unsigned;

/// A sum of scalars and of tensors; bytes from `root` for a pointer.
struct AddressSum {
  /// A scalar times a constant.
  struct Shift {
    ExpressionId expression;
    int64_t factor;
    bool operator==(const Shift &other) const {
      return expression == other.expression && factor == other.factor;
    }
  };
  /// A tensor times a constant.
  struct Part {
    ExpressionId expression;
    int64_t factor;
    /// The largest element before the factor; the smallest is 0. None when it is not known.
    std::optional<int64_t> last;
    /// Dimensions along which elements differ, a bit each.
    uint64_t dims;
    /// Elements that differ in one of these dimensions differ.
    bool isOneToOne;
    /// Elements count up by one, or by `stride` where there is one, along one dimension.
    bool isCount = false;
    mlir::Value stride = {};
    bool operator==(const Part &other) const {
      return expression == other.expression && factor == other.factor;
    }
  };

  /// The expression that a pointer starts from; none for an integer.
  std::optional<ExpressionId> root;
  /// The pointer may come from several places: `root` says nothing.
  bool isAnywhere = false;
  int64_t constant = 0;
  /// Ordered by expression, each of which occurs once, without factors of 0.
  llvm::SmallVector<Shift, 2> shifts;
  llvm::SmallVector<Part, 2> parts;

  bool operator==(const AddressSum &other) const {
    return root == other.root && isAnywhere == other.isAnywhere && constant == other.constant &&
           shifts == other.shifts && parts == other.parts;
  }
};

/// How far neighbouring elements are apart along a dimension: constant + factor * scale, the same
/// everywhere; bytes for pointers. For people, not for transformations: that nothing overflows is
/// taken for granted.
struct AddressStep {
  bool isKnown = true;
  int64_t constant = 0;
  /// A scalar that is not known at compile time; null when there is none.
  mlir::Value factor = {};
  int64_t scale = 0;

  static AddressStep unknown() { return {/*isKnown=*/false}; }
  bool isConstant() const { return isKnown && !factor; }
};

/// How two accesses lie to each other.
enum class AddressRelation {
  /// The same element of both has the same address, and no other.
  Same,
  /// No byte is in both.
  Apart,
  /// Some bytes are in both, or may be, for all that is known of the patterns.
  Overlapping,
  /// They are moved by scalars whose difference is not known.
  Unknown,
};

/// The sums of values, computed on demand and remembered. Invalidated by any change to the IR.
class GlobalAddresses {
public:
  /// The sum of a pointer or integer, or of a tensor of them.
  const AddressSum &of(mlir::Value value);

  /// One step per dimension of a tensor.
  llvm::SmallVector<AddressStep, 2> stepsOf(mlir::Value value);

  /// Of two pointers (or tensors of them) where both are evaluated in the same iteration of all
  /// loops around them. Pointers with different roots are taken to be apart, as everywhere in the
  /// language.
  AddressRelation compare(mlir::Value first, mlir::Value second);

  /// As above, where `first` is of an earlier iteration of `loop` than `second`. An address that
  /// the loop moves is taken to be in another block every time.
  AddressRelation compareAcross(mlir::Operation *loop, mlir::Value first, mlir::Value second);

private:
  using Key = llvm::SmallVector<uintptr_t, 6>;

  AddressSum compute(mlir::Value value);
  AddressSum ofLoopPointer(mlir::BlockArgument argument);
  AddressSum ofOperation(mlir::Operation *op);
  AddressSum ofProduct(mlir::Operation *op);
  AddressSum ofExclusiveOr(mlir::Operation *op);
  AddressSum reshaped(tile::ShapeOpInterface op);
  /// `value` as one term of which nothing is known but where it comes from, and along which
  /// dimensions its elements may differ.
  AddressSum opaque(mlir::Value value);

  ExpressionId number(mlir::Value value);
  ExpressionId intern(Key key, mlir::Operation *place);
  /// The deeper one of two loops, one of which is around the other.
  static mlir::Operation *deeper(mlir::Operation *first, mlir::Operation *second);
  bool changesIn(mlir::Operation *loop, ExpressionId expression) const;

  llvm::DenseMap<mlir::Value, AddressSum> sums;
  llvm::DenseMap<mlir::Value, ExpressionId> numbers;
  std::map<std::vector<uintptr_t>, ExpressionId> expressions;
  /// The innermost loop that an expression may change in, by its number; null for none.
  llvm::SmallVector<mlir::Operation *> places;
  unsigned depth = 0;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_GLOBALADDRESS_H
