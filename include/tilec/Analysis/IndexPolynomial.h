// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices and addresses as polynomials, over scalars and the places of elements in their tensor:
// `p + (pid * 128 + arange(0, 128))[:, None] * stride + arange(0, 64)[None, :]` is, from `p` on,
//
//   128 * pid * stride  +  i0 * stride  +  i1
//
// where i0 and i1 count the elements along the tensor's dimensions. What a loop carries and moves
// on by the same amount each time is what it starts with and the number of steps times the amount.
// Indices are taken not to leave their types.

#ifndef TILEC_ANALYSIS_INDEXPOLYNOMIAL_H
#define TILEC_ANALYSIS_INDEXPOLYNOMIAL_H

#include "dialects/Tile/TileOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <vector>

namespace tilec {

/// The number of something that polynomials are made of.
using IndexAtom = unsigned;

/// A sum of products of atoms, each with a coefficient that is not 0.
class IndexPolynomial {
public:
  /// In order; an atom may occur several times. Empty for a constant.
  using Product = llvm::SmallVector<IndexAtom, 3>;

  IndexPolynomial() = default;
  explicit IndexPolynomial(int64_t constant);
  static IndexPolynomial of(IndexAtom atom);

  const std::map<Product, int64_t> &getTerms() const { return terms; }
  bool isZero() const { return terms.empty(); }
  /// The number that it is; none when it has atoms.
  std::optional<int64_t> getConstant() const;

  /// Adds `coefficient * product`. False when numbers get too large or terms too many; it is
  /// unusable then.
  [[nodiscard]] bool add(const Product &product, int64_t coefficient);
  [[nodiscard]] bool add(const IndexPolynomial &other, int64_t factor = 1);
  /// None when numbers get too large or terms too many.
  std::optional<IndexPolynomial> times(const IndexPolynomial &other) const;

  bool operator==(const IndexPolynomial &other) const { return terms == other.terms; }

private:
  std::map<Product, int64_t> terms;
};

/// The polynomials of a function's values, computed on demand and remembered. Values that are
/// computed alike, from operands with equal polynomials, are one atom. New operations may be made
/// meanwhile; erasing one invalidates it.
class IndexPolynomials {
public:
  struct Atom {
    enum class Kind {
      /// A scalar.
      Scalar,
      /// The place of an element along dimension `dim`.
      Index,
      /// `dividend` where that is less than `size`, and something else where it is not.
      Wrapped
    };
    Kind kind = Kind::Scalar;
    /// All values that are this scalar.
    llvm::SmallVector<mlir::Value, 1> values = {};
    unsigned dim = 0;
    IndexPolynomial dividend = {};
    IndexPolynomial size = {};
  };
  /// A pointer, or a tensor of them: elements from `root`.
  struct Address {
    mlir::Value root;
    IndexPolynomial offset;
  };
  /// What holds where a mask is on: each of `below` is less than 0. Maybe more, when not `isAll`.
  struct Bounds {
    llvm::SmallVector<IndexPolynomial, 4> below;
    bool isAll = true;
  };

  explicit IndexPolynomials(mlir::func::FuncOp function) : func(function), dominance(function) {}

  /// Of an integer, or a tensor of them; none when it is no polynomial.
  std::optional<IndexPolynomial> of(mlir::Value value);
  std::optional<Address> ofPointer(mlir::Value pointer);
  /// Of a boolean, or a tensor of them.
  Bounds boundsOf(mlir::Value mask);

  const Atom &atom(IndexAtom number) const { return atoms[number]; }
  /// The place of an element along a dimension.
  IndexAtom index(unsigned dim);
  /// Whether the host can compute it before the launch.
  bool isKnownToHost(IndexAtom number) const;
  bool isKnownToHost(const IndexPolynomial &polynomial) const;
  /// Whether it is the same in all iterations of a loop.
  bool isInvariant(const IndexPolynomial &polynomial, mlir::LoopLikeOpInterface loop) const;
  /// The values that are this scalar and can be used at `place`.
  llvm::SmallVector<mlir::Value, 2> valuesAt(IndexAtom number, mlir::Operation *place) const;

private:
  std::optional<IndexPolynomial> compute(mlir::Value value);
  std::optional<IndexPolynomial> computeOp(mlir::Operation *op);
  std::optional<Address> computePointer(mlir::Value pointer);
  std::optional<IndexPolynomial> wrapped(mlir::Value dividend, mlir::Value size);
  std::optional<IndexPolynomial> chosen(mlir::arith::SelectOp select);
  /// What a value that a loop carries has become since it started.
  std::optional<IndexPolynomial> movedSinceStart(mlir::BlockArgument argument);
  /// With the places in the operand of a shape operation as those in its result.
  std::optional<IndexPolynomial> moved(const IndexPolynomial &polynomial,
                                       tile::ShapeOpInterface shape);
  std::optional<IndexAtom> moved(IndexAtom number, tile::ShapeOpInterface shape, bool &isZero);
  IndexAtom scalar(mlir::Value value);
  /// The same for equal polynomials only.
  size_t numberOf(const IndexPolynomial &polynomial);
  IndexAtom intern(std::vector<uintptr_t> key, Atom atom);
  bool isInvariant(IndexAtom number, mlir::LoopLikeOpInterface loop) const;
  bool isInvariant(mlir::Value value, mlir::LoopLikeOpInterface loop, unsigned depth) const;

  mlir::func::FuncOp func;
  mlir::DominanceInfo dominance;
  std::vector<Atom> atoms;
  std::map<std::vector<uintptr_t>, IndexAtom> numbers;
  std::map<std::map<IndexPolynomial::Product, int64_t>, size_t> polynomials;
  llvm::DenseMap<mlir::Value, IndexAtom> scalars;
  llvm::DenseMap<mlir::Value, std::optional<IndexPolynomial>> known;
  unsigned depth = 0;
};

/// An i32 as a value plus a constant; without a value, a constant.
std::pair<mlir::Value, int64_t> splitConstant(mlir::Value value);

} // namespace tilec

#endif // TILEC_ANALYSIS_INDEXPOLYNOMIAL_H
