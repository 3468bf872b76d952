// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits and fences of wgmma that order nothing.
//
// Groups finish in the order in which they are committed. So behind a wait that leaves one in
// flight, and another one committed, a wait for all but two is idle: one for the groups of the
// iteration before, where this iteration has waited for its own.
//
// `wgmma.fence` is between a thread's access to a register and the wgmma that reads or adds to it
// (PTX ISA, "wgmma.fence"). Where threads have touched none of a group's registers since the last
// fence, that one is enough.

#include "Patterns.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Whether an operation inside of `op` closes a group.
static bool commitsInside(Operation &op) {
  return op.walk([](NVVM::WgmmaGroupSyncAlignedOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static void dropIdleWaits(Block &block) {
  // The most groups that may be in flight; nothing where that is not known.
  std::optional<int64_t> inFlight;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumRegions() > 0) {
      // The branch of one thread that starts a tensor copy leaves the groups as they are.
      if (commitsInside(op))
        inFlight.reset();
    } else if (inFlight && isa<NVVM::WgmmaGroupSyncAlignedOp>(op)) {
      ++*inFlight;
    } else if (auto wait = dyn_cast<ThreadWgmmaWaitOp>(op)) {
      if (inFlight && *inFlight <= wait.getPending()) {
        wait.replaceAllUsesWith(wait.getValues());
        wait.erase();
      } else {
        inFlight = wait.getPending();
      }
    }
  }
}

/// Whether threads may have touched a register of the group behind `fence` since `earlier`, a fence
/// of the same block.
static bool touchesRegisters(Operation *earlier, Operation *fence) {
  auto isBetween = [&](Operation *op) {
    Operation *inBlock = fence->getBlock()->findAncestorOpInBlock(*op);
    return inBlock && earlier->isBeforeInBlock(inBlock) && inBlock->isBeforeInBlock(fence);
  };
  auto isTouched = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return (def && isBetween(def) && !isa<LLVM::UndefOp>(def)) ||
           llvm::any_of(value.getUsers(), isBetween);
  };
  for (Operation *op = fence->getNextNode(); op; op = op->getNextNode()) {
    if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op))
      return false;
    auto product = dyn_cast<ThreadWgmmaOp>(op);
    if (product &&
        (llvm::any_of(product.getA(), isTouched) || llvm::any_of(product.getAcc(), isTouched)))
      return true;
  }
  return true;
}

static void dropIdleFences(Block &block) {
  Operation *last = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    // Registers that were waited for are the threads' again.
    if (op.getNumRegions() > 0 || isa<ThreadWgmmaWaitOp>(op))
      last = nullptr;
    else if (!isa<NVVM::WgmmaFenceAlignedOp>(op))
      continue;
    else if (last && !touchesRegisters(last, &op))
      op.erase();
    else
      last = &op;
  }
}

void tilec::dropIdleWgmmaOrder(Operation *op) {
  op->walk([](Block *block) {
    dropIdleWaits(*block);
    dropIdleFences(*block);
  });
}
