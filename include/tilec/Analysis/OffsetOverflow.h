// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds arithmetic of 32 bits or fewer that an address is computed from and that can overflow, as
// in `row * stride` for a tensor of more than 2^31 elements.
//
// Algorithm: intervals over definitions, with what types, program indices, ranges, loops and
// tl.assume say. Programs and loops are taken to be no more than a 32-bit extent needs: a multiple
// of a program index by a constant (`pid * BLOCK`) is in range unless it is compared with a 64-bit
// value.

#ifndef TILEC_ANALYSIS_OFFSETOVERFLOW_H
#define TILEC_ANALYSIS_OFFSETOVERFLOW_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tilec {

/// One operation whose result may not fit its type.
struct OffsetOverflow {
  mlir::Operation *op = nullptr;
  unsigned bits = 32;
  /// The operands as the source calls them, e.g. "tl.program_id(0)" and "'stride'".
  std::string left;
  std::string right;
  /// Bounds of the exact result; saturated.
  int64_t low = 0;
  int64_t high = 0;
  /// Whether the bounds follow from constants, ranges and promises alone.
  bool isKnown = false;
  /// The 64-bit value that the result is compared with, when that is the ground; may be empty.
  bool isCompared = false;
  std::string bound;
};

/// Those of a function, in program order, each operation once.
llvm::SmallVector<OffsetOverflow> findOffsetOverflows(mlir::func::FuncOp func);

} // namespace tilec

#endif // TILEC_ANALYSIS_OFFSETOVERFLOW_H
