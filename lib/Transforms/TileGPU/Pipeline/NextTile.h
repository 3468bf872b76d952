// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to tilegpu-overlap-epilogues: scalars of a loop's next iteration, computed in this one.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_NEXTTILE_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_NEXTTILE_H

#include "dialects/Tile/LoopCounter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Analysis/WrittenMemory.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::tilegpu {

/// The code that values of the next iteration of a loop over tiles depend on.
class NextTile {
public:
  /// The values are for code right in front of `place`, an operation of the loop's body.
  NextTile(mlir::scf::ForOp tileLoop, mlir::Operation *codePlace, WrittenMemory &writtenMemory)
      : tiles(tileLoop), place(codePlace), written(writtenMemory) {}

  /// Adds a value of the body, or one from outside. False when the next one is not known yet, or
  /// takes tensors or effects.
  bool add(mlir::Value value);
  /// Brings what this iteration hands to the next one in front of an operation, and returns that
  /// one: not one of those that are brought.
  mlir::Operation *bringEarly(mlir::Operation *before);
  /// Clones the code with the iteration's counter and carried values in the mapping.
  void clone(mlir::OpBuilder &builder, mlir::IRMapping &mapping) const;
  bool contains(mlir::Operation *op) const { return code.contains(op); }
  /// What other operations use of the code.
  llvm::SmallVector<mlir::Value> results() const;
  /// The values that the loop carries and the code uses.
  llvm::ArrayRef<mlir::BlockArgument> carried() const { return arguments.getArrayRef(); }

private:
  bool isInBody(mlir::Operation *op) { return op && op->getBlock() == tiles.getBody(); }
  /// Whether the code may run again, or at another place.
  bool isScalarCode(mlir::Operation *op);
  bool addHandedOn(mlir::Value value);
  /// Adds an operation to `ops`, with what it depends on.
  bool addCode(mlir::Operation *op, llvm::SetVector<mlir::Operation *> &ops,
               llvm::function_ref<bool(mlir::Value)> addOperand);

  mlir::scf::ForOp tiles;
  mlir::Operation *place;
  WrittenMemory &written;
  llvm::SetVector<mlir::Operation *> code, early;
  llvm::SetVector<mlir::BlockArgument> arguments;
};

} // namespace tilec::tilegpu

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_PIPELINE_NEXTTILE_H
