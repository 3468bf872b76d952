// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of warps with roles.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LogicalResult SlotReleaseOp::verify() {
  if (getWithout() && numCtasOf(*this) == 1)
    return emitOpError("expects a cluster, of which CTAs have ended");
  return success();
}

LogicalResult WarpRolesOp::verify() {
  if (!isa<FunctionOpInterface>((*this)->getParentOp()))
    return emitOpError("expects to be at the top level of a function");
  WalkResult result = getLoad().walk([&](Operation *op) {
    if (isa<NVVM::Barrier0Op, tile::BarrierOp, WarpgroupBarrierOp>(op)) {
      op->emitOpError("is a barrier in the role that loads, where no other warp comes");
      return WalkResult::interrupt();
    }
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>)) {
      op->emitOpError("is a tensor in the role that loads, whose warps hold none");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
