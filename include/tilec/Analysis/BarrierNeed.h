// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the operations that need a CTA barrier in front of them, because they touch bytes of
// shared memory that another thread may still be reading or writing.
//
// Algorithm: forward dataflow over structured control flow. The state is the set of accesses since
// the last barrier; an access that conflicts with it (read after write, write after read, write
// after write) needs a barrier, which empties the state. Loops are repeated until no barrier is
// added and the state at the back edge is stable.

#ifndef TILEC_ANALYSIS_BARRIERNEED_H
#define TILEC_ANALYSIS_BARRIERNEED_H

#include "tilec/Analysis/SharedAllocation.h"

namespace tilec {

/// The operations of `func` that need a barrier immediately before them, in program order.
/// `allocation` is that of the function as it stands.
///
/// Barriers that exist (`tile.barrier`, `gpu.barrier`, `nvvm.barrier` of the whole CTA) are taken
/// into account, so that a function into which the barriers were inserted needs none. Accesses of
/// the same operation do not conflict with each other: a thread that repeats a store hits the
/// elements it hit before.
llvm::SmallVector<mlir::Operation *> findNeededBarriers(mlir::FunctionOpInterface func,
                                                        const SharedAllocation &allocation);

} // namespace tilec

#endif // TILEC_ANALYSIS_BARRIERNEED_H
