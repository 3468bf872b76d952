// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic that is legal and yet likely to be a mistake: divisions that differ from
// Python's, addresses that overflow, accesses without the mask that others have.
//
// Works on the tile dialect as it comes from the source, before anything is simplified.

#ifndef TILEC_ANALYSIS_INDEXTRAPS_H
#define TILEC_ANALYSIS_INDEXTRAPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tilec {

struct IndexTrap {
  /// The name of the warning (tilec/Support/WarningOptions.h).
  llvm::StringRef warning;
  mlir::Operation *op = nullptr;
  std::string message;
  /// Where the thing is that it is at odds with, and what to say there; may be null.
  mlir::Operation *other = nullptr;
  std::string note = {};
};

/// Those of a function, in program order.
llvm::SmallVector<IndexTrap> findIndexTraps(mlir::func::FuncOp func);

} // namespace tilec

#endif // TILEC_ANALYSIS_INDEXTRAPS_H
