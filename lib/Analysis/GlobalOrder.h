// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the synchronisation plan: the barriers of global memory.

#ifndef TILEC_LIB_ANALYSIS_GLOBALORDER_H
#define TILEC_LIB_ANALYSIS_GLOBALORDER_H

#include "tilec/Analysis/Synchronisation.h"

namespace tilec {

/// The barriers of atomics that order for the whole program. A scalar atomic is performed by one
/// thread: before it releases, the others have to be done with what it publishes, and behind one
/// that acquires, they have to wait for it, unless they wait for its old value anyway.
llvm::SmallVector<SyncPoint> planAtomicOrder(mlir::FunctionOpInterface func);

/// The barriers between accesses of different threads to the same place that the points of `plan`
/// do not order.
llvm::SmallVector<SyncPoint> planAccessOrder(mlir::FunctionOpInterface func,
                                             llvm::ArrayRef<SyncPoint> plan);

} // namespace tilec

#endif // TILEC_LIB_ANALYSIS_GLOBALORDER_H
