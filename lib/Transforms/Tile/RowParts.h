// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values made anew for one of equal parts along a dimension, whose number is known at run time.

#ifndef TILEC_LIB_TRANSFORMS_TILE_ROWPARTS_H
#define TILEC_LIB_TRANSFORMS_TILE_ROWPARTS_H

#include "dialects/Tile/TileOps.h"

namespace tilec::tile {

class RowParts {
public:
  /// `part` (i32) is the number of the part, of `parts`; it is there in front of everything.
  RowParts(mlir::Value part, int64_t parts) : number(part), count(parts) {}

  /// Says what the part of a value along its first dimension is.
  void define(mlir::Value value, mlir::Value part) { made[{value, 0}] = part; }

  /// The part of a tensor or descriptor along a dimension, made behind the operation that makes the
  /// whole; null where that is none that can be made for a part.
  mlir::Value take(mlir::Value value, unsigned dim);

  /// Makes a store of a tensor anew for the part along one of its dimensions; null where none can
  /// be taken.
  mlir::Operation *store(mlir::Operation *op);

  /// Erases all that has been made.
  void undo();

private:
  mlir::Value make(mlir::OpBuilder &builder, mlir::Operation *op, unsigned result, unsigned dim);
  mlir::Operation *cloneElementwise(mlir::OpBuilder &builder, mlir::Operation *op, unsigned dim);
  mlir::Value takeReduction(mlir::OpBuilder &builder, ReduceOp op, unsigned result, unsigned dim);
  /// The offsets of an access through a descriptor, further on by the part along a dimension.
  mlir::SmallVector<mlir::Value> offsetsOf(mlir::OpBuilder &builder, mlir::Operation *op,
                                           mlir::ValueRange offsets, unsigned dim, int64_t size);
  /// The part's start: its number times its size.
  mlir::Value startOf(mlir::OpBuilder &builder, mlir::Location loc, int64_t size);
  mlir::Operation *note(mlir::Operation *op) {
    created.push_back(op);
    return op;
  }

  mlir::Value number;
  int64_t count;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> made;
  mlir::SmallVector<mlir::Operation *> created;
};

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_ROWPARTS_H
