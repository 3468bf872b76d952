// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of convert-thread-to-ptx, one function for each group of operations, and the counts
// they report.

#ifndef TILEC_LIB_CONVERSION_THREADTOPTX_THREADLOWERING_H
#define TILEC_LIB_CONVERSION_THREADTOPTX_THREADLOWERING_H

#include "CachePolicies.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tilec {

/// What a run did, for the pass's statistics.
struct ThreadLoweringCounts {
  unsigned plainAccesses = 0;
  unsigned inlineAccesses = 0;
  unsigned droppedHints = 0;
};

/// Lowers ld_global, st_global, ld_shared, st_shared and shared_base in `module`. Emits an error
/// and fails for an access that no instruction has.
mlir::LogicalResult lowerAccesses(mlir::ModuleOp module, mlir::RewriterBase &rewriter,
                                  CachePolicies &policies, ThreadLoweringCounts &counts);

/// Lowers atomic_rmw_global and atomic_cas_global in `module`. Emits an error and fails for one
/// outside a function.
mlir::LogicalResult lowerAtomics(mlir::ModuleOp module, mlir::RewriterBase &rewriter);

/// Lowers atomic_add_shared in `module`.
void lowerSharedAtomics(mlir::ModuleOp module, mlir::RewriterBase &rewriter);

/// Lowers those of NVVM's cp.async in `module` that say more than that operation can.
void lowerCopies(mlir::ModuleOp module, mlir::RewriterBase &rewriter, CachePolicies &policies);

/// Lowers thread_mma, thread_wgmma and thread_wgmma_wait in `module`.
void lowerWgmma(mlir::ModuleOp module, mlir::RewriterBase &rewriter);

/// Lowers thread_claim_maps, thread_maps, thread_release_maps and thread_encode_map in `module`.
void lowerTensorMaps(mlir::ModuleOp module, mlir::RewriterBase &rewriter);

/// Lowers opaque_zero and wall in `module`.
void lowerRegisterOps(mlir::ModuleOp module, mlir::RewriterBase &rewriter);

/// Turns tilegpu.named_barrier into the NVVM dialect's barrier.
void lowerNamedBarriers(mlir::ModuleOp module, mlir::RewriterBase &rewriter);

/// Lowers thread_assert and thread_print in `module` to calls of the device's runtime functions.
/// Emits an error and fails for a value that cannot be printed.
mlir::LogicalResult lowerDeviceCalls(mlir::ModuleOp module, mlir::RewriterBase &rewriter);

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_THREADTOPTX_THREADLOWERING_H
