// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of memory operations: an operand or result has the type that the pointer asks for.

#ifndef TILEC_DIALECTS_TILE_EXPECTEDTYPE_H
#define TILEC_DIALECTS_TILE_EXPECTEDTYPE_H

#include "mlir/IR/Operation.h"

namespace tilec::tile {

/// Error unless `type` is `expected`; `what` names the operand or result in the message.
inline mlir::LogicalResult expectType(mlir::Operation *op, llvm::StringRef what, mlir::Type type,
                                      mlir::Type expected) {
  if (type == expected)
    return mlir::success();
  return op->emitOpError("expects ") << what << " of type " << expected << ", got " << type;
}

} // namespace tilec::tile

#endif // TILEC_DIALECTS_TILE_EXPECTEDTYPE_H
