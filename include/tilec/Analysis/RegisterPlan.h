// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel without dots does about its registers: for how many CTAs of a multiprocessor a
// thread's share is counted, which tensors are spilled to shared memory between two uses, and what
// is left over for the assembler to spill. `tilegpu-plan-registers` carries it out; nothing here
// changes the IR. `tile-opt --test-print-register-plan` prints plans.

#ifndef TILEC_ANALYSIS_REGISTERPLAN_H
#define TILEC_ANALYSIS_REGISTERPLAN_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilec {

class RegisterPressure;

/// A tensor that is spilled to shared memory: written once, behind its definition, and read back
/// in front of each of its reloads.
struct SharedSpill {
  /// Where 16-byte vectors of a thread come back.
  struct Reload {
    mlir::Operation *before;
    int64_t vectors;
  };
  mlir::Value value;
  /// Vectors of a thread in shared memory.
  int64_t slots = 0;
  /// The first and last operation, numbered in program order, between which they are in use.
  unsigned begin = 0, end = 0;
  /// In program order.
  llvm::SmallVector<Reload, 2> reloads;

  bool isInUseAt(unsigned number) const { return begin <= number && number < end; }
};

struct RegisterPlan {
  /// CTAs that a multiprocessor is to hold, and the registers that a thread can have then.
  int64_t ctas = 1, limit = 0;
  /// Registers for tensors where most of them are live, and the operation that this is behind.
  int64_t peak = 0;
  /// Registers are short somewhere, or would be if all tensors of a region were there at once.
  bool isCrowded = false;
  /// By beginning.
  llvm::SmallVector<SharedSpill, 4> spills;
  /// Registers above the budget in spite of all, which the assembler spills; and how many tensors
  /// take then, behind which operation.
  int64_t leftOver = 0, leftLive = 0;
  mlir::Operation *leftAt = nullptr;

  /// The code is mostly spills.
  bool isHopeless() const;
  void print(llvm::raw_ostream &os) const;
};

/// The plan of a function with an estimate of its registers. Algorithm: for the points
/// above their budget, largest excess first, the gap between two uses of a tensor that helps most
/// other such points gives up as many vectors as are needed and as shared memory has room for.
RegisterPlan planRegisters(mlir::func::FuncOp func, const RegisterPressure &pressure);

} // namespace tilec

#endif // TILEC_ANALYSIS_REGISTERPLAN_H
