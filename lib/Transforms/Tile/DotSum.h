// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dot whose result is only added to, and which can get another shape: its sum begins with a
// constant of one value, and is carried by the loop around the dot, or made at once.

#ifndef TILEC_LIB_TRANSFORMS_TILE_DOTSUM_H
#define TILEC_LIB_TRANSFORMS_TILE_DOTSUM_H

#include "dialects/Tile/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tilec::tile {

class DotSum {
public:
  static std::optional<DotSum> find(DotOp dot);

  /// Gives the sum another shape, and `replacement(builder, sum)` what it had, to its users. The
  /// dot's operands are the caller's.
  void reshape(mlir::RankedTensorType type,
               llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> replacement);

private:
  DotOp dot;
  /// Null when the dot is by itself.
  mlir::scf::ForOp loop;
  unsigned place = 0;

  mlir::OpOperand &init();
};

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_DOTSUM_H
