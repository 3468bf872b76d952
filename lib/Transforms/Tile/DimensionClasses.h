// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions of tensors that belong together: where one is cut, all must be cut, at the same
// places. And what it costs to cut them.

#ifndef TILEC_LIB_TRANSFORMS_TILE_DIMENSIONCLASSES_H
#define TILEC_LIB_TRANSFORMS_TILE_DIMENSIONCLASSES_H

#include "dialects/Tile/TileOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/IntEqClasses.h"

namespace tilec::tile {

/// The shape of a tensor or of a descriptor's block; empty for anything else.
llvm::ArrayRef<int64_t> blockShapeOf(mlir::Type type);

/// Whether an operation does the same for each element of tensors of one shape.
bool isElementwise(mlir::Operation *op);

/// Whether a combine region can be applied to whole tensors.
bool isElementwise(mlir::Region &combine);

/// For each dimension of an access through a descriptor the descriptor's dimension.
llvm::SmallVector<unsigned> accessedDims(DescType desc, mlir::Type accessed);

/// A part of a dimension.
struct Piece {
  int64_t start, size;
};

class DimensionClasses {
public:
  /// Finds the classes of a function, and cuts those that are no powers of two into pieces where
  /// that costs less than padding. `copies`: accesses through pointers that are going to be
  /// accesses through descriptors where their pieces allow it.
  explicit DimensionClasses(mlir::func::FuncOp func, llvm::ArrayRef<mlir::Operation *> copies = {});

  /// The pieces of a dimension, at least one.
  llvm::ArrayRef<Piece> piecesOf(mlir::Value value, unsigned dim) const;
  /// How many pieces a value is in.
  size_t numPieces(mlir::Value value) const;
  /// Says that `made` has taken the place of `value`.
  void substitute(mlir::Value value, mlir::Value made);
  /// Whether something is in pieces.
  bool hasPieces() const { return !cut.empty(); }
  /// The classes that are in pieces: their pieces, and the operation that they come from.
  struct Cut {
    llvm::SmallVector<Piece> pieces;
    mlir::Operation *origin = nullptr;
  };
  llvm::ArrayRef<Cut> getCuts() const { return cut; }

private:
  struct Class {
    int64_t extent = 0;
    /// Whether an operation needs the whole dimension.
    bool isFixed = false;
    /// Operations with a value in the class.
    llvm::SmallVector<mlir::Operation *> users;
    llvm::SmallVector<Piece> pieces;
    mlir::Operation *origin = nullptr;
  };

  void number(mlir::Value value);
  unsigned idOf(mlir::Value value, unsigned dim) const;
  void link(mlir::Value a, unsigned dimA, mlir::Value b, unsigned dimB);
  void linkAll(mlir::Value a, mlir::Value b);
  void fix(mlir::Value value, unsigned dim);
  void fixAll(mlir::Value value);
  void visit(mlir::Operation *op);
  void visitShape(ShapeOpInterface op);
  void visitReduce(ReduceOp op);
  void visitDot(DotOp op);
  void visitGather(GatherOp op);
  void visitNarrow(NarrowOp op);
  void visitScatter(ReduceScatterOp op);
  void visitControlFlow(mlir::Operation *op);
  void collect(mlir::func::FuncOp func);
  void choose(Class &chosen);
  double costOf(const Class &some) const;
  double costOf(mlir::Operation *op) const;
  /// Whether it is, or is going to be, an access through a descriptor.
  bool isCopy(mlir::Operation *op) const;
  /// Whether the pieces of such an access may be tensor copies.
  bool hasTensorMap(mlir::Operation *access) const;

  llvm::DenseMap<mlir::Value, unsigned> firstIds;
  unsigned numIds = 0;
  llvm::IntEqClasses equal;
  llvm::SmallVector<unsigned> fixed;
  std::vector<Class> classes;
  llvm::SmallVector<Cut> cut;
  llvm::SmallVector<mlir::Operation *> copied;
};

/// The extents that `tile-split-tensors` leaves. Classes are found when they are asked for.
class PieceExtents {
public:
  explicit PieceExtents(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Operation *> copies = {})
      : func(function), copied(copies) {}

  /// Of the pieces of a tensor's dimension, at least one.
  llvm::SmallVector<int64_t> of(mlir::Value value, unsigned dim);

private:
  mlir::func::FuncOp func;
  llvm::SmallVector<mlir::Operation *> copied;
  std::optional<DimensionClasses> classes;
};

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_DIMENSIONCLASSES_H
