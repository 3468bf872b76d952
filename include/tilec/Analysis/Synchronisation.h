// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a function needs barriers and proxy fences: because threads, async copies, warpgroup
// products and TMA copies touch the same bytes of shared memory, because different threads access
// the same place in global memory, and because one thread's atomic orders for all.
//
// Algorithm for shared memory: forward dataflow over structured control flow. The state is the set
// of accesses that not all threads know to be done. An asynchronous access is in flight until a
// wait retires it, and known to the threads that have waited; a barrier tells the others. Where
// threads read fragments of a product, they have waited for the products before. An access that
// conflicts with the state (read after write, write after read, write after write) needs a barrier.
// Accesses of one ring conflict when their slots may be the same (RingSlots.h). Copies past the end
// of a loop need no barrier in front of the next loop's where both have the same layouts: every
// thread has waited for what it writes again, and what it stores twice it stores in order. TMA
// copies past the end are not started: of those with a predicate that compares with the loop's
// bound, iterations are counted. Loops are repeated until no barrier is added and the state at the
// back edge is stable.
//
// Fences come second. An access through the generic proxy that conflicts with a later one through
// the async proxy needs a `fence.proxy.async` of its thread in front of the barrier between the
// two: PTX ISA, "Async proxy" and "Causality order". Points that others make superfluous go.
//
// Barriers of global memory: GlobalOrder.cpp.

#ifndef TILEC_ANALYSIS_SYNCHRONISATION_H
#define TILEC_ANALYSIS_SYNCHRONISATION_H

#include "tilec/Analysis/SharedAllocation.h"

namespace tilec {

/// Whether all threads of the CTA meet in `op`.
bool isCtaBarrier(mlir::Operation *op);

/// Who waits for whom.
enum class SyncThreads { None, Warp, Warpgroup, Cta };

/// What a point is for.
enum class SyncPurpose {
  /// Accesses of shared memory.
  SharedMemory,
  /// Accesses of the same place in global memory.
  GlobalAccesses,
  /// Release or acquire of an atomic that one thread performs for the program.
  Atomics,
};

/// What has to be inserted next to an operation.
struct SyncPoint {
  mlir::Operation *op = nullptr;
  /// Behind `op` rather than in front of it.
  bool isBehind = false;
  bool needsFence = false;
  SyncThreads barrier = SyncThreads::None;
  SyncPurpose purpose = SyncPurpose::SharedMemory;
  /// The two accesses, of possibly many, that showed it: for the barrier, else for the fence.
  mlir::Operation *earlier = nullptr;
  mlir::Operation *later = nullptr;
};

/// What `func` needs, in the order in which points at one place follow each other: atomics', shared
/// memory's, other global accesses'; each in program order, and the fence of a point before its
/// barrier. `allocation` is that of the function as it stands.
///
/// A barrier of shared memory is needed immediately before an operation, of copies that are started
/// together before the first. Where that refills or reads a slot of a ring behind a wait in the
/// same block, the barrier is directly behind the wait: warps stop there anyway. One that only the
/// first iteration of a loop needs is in front of the loop.
///
/// A barrier of each warpgroup does where all accesses that meet are of buffers that warpgroups
/// store to global memory by parts (`tma_store` with `warpgroups`).
///
/// Barriers that exist (`tile.barrier`, `gpu.barrier`, `nvvm.barrier` of the whole CTA) and fences
/// are taken into account, so that a function into which the points were inserted needs none.
/// Accesses of the same operation do not conflict with each other: a thread that repeats a store
/// hits the elements it hit before.
llvm::SmallVector<SyncPoint> planSynchronisation(mlir::FunctionOpInterface func,
                                                 const SharedAllocation &allocation);

/// Waits for tensor stores behind which another one comes, on each path, before anything writes
/// what the stores read or lets others do so. Without all of them every store is still waited for
/// in time.
llvm::SmallVector<tilegpu::TmaStoreWaitOp> findIdleStoreWaits(mlir::FunctionOpInterface func,
                                                              const SharedAllocation &allocation);

/// One line for each point: where it is, and the two accesses.
void print(llvm::ArrayRef<SyncPoint> plan, llvm::raw_ostream &os);

} // namespace tilec

#endif // TILEC_ANALYSIS_SYNCHRONISATION_H
