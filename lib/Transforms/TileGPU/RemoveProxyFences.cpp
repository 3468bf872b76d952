// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-remove-proxy-fences: forward dataflow over structured control flow. The state of a point
// is whether threads may have accessed shared memory (the generic proxy) since their last fence;
// loops are repeated until it is stable. Fences that no path reaches in that state go.
//
// PTX ISA, "Async proxy": a fence.proxy.async is needed between accesses of the same memory through
// the generic proxy and through the async proxy, in which tensor copies and wgmma read and write.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUREMOVEPROXYFENCESPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {

class FenceFinder {
public:
  /// The state behind a region that is entered in `state`.
  bool runOnRegion(Region &region, bool state);
  bool isNeeded(ProxyFenceOp fence) const { return needed.contains(fence); }

private:
  bool runOnOp(Operation *op, bool state);
  bool runOnWhile(scf::WhileOp loop, bool state);

  llvm::DenseSet<Operation *> needed;
};

/// Whether the threads themselves access shared memory.
bool accessesShared(Operation *op) {
  // These go through the async proxy, or touch barrier objects alone, which have a fence of their
  // own.
  if (isa<TmaLoadOp, TmaStoreOp, MbarrierInitOp, MbarrierWaitOp>(op))
    return false;
  // Except for an operand whose fragments the threads load.
  if (auto product = dyn_cast<WgmmaOp>(op))
    return product.getFragmentsOf().has_value();
  if (isa<LocalAllocOp, func::CallOp>(op))
    return isa<func::CallOp>(op);
  return !isMemoryEffectFree(op) &&
         llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<MemDescType>(type); });
}

} // namespace

bool FenceFinder::runOnRegion(Region &region, bool state) {
  if (region.empty())
    return state;
  if (!region.hasOneBlock()) {
    region.walk([&](ProxyFenceOp fence) { needed.insert(fence); });
    return true;
  }
  for (Operation &op : region.front())
    state = runOnOp(&op, state);
  return state;
}

bool FenceFinder::runOnWhile(scf::WhileOp loop, bool state) {
  for (;;) {
    bool behindCondition = runOnRegion(loop.getBefore(), state);
    bool behindBody = runOnRegion(loop.getAfter(), behindCondition);
    if (state || !behindBody)
      return behindCondition;
    state = true;
  }
}

bool FenceFinder::runOnOp(Operation *op, bool state) {
  if (auto fence = dyn_cast<ProxyFenceOp>(op)) {
    if (state)
      needed.insert(fence);
    return false;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return runOnWhile(loop, state);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool behindThen = runOnRegion(branch.getThenRegion(), state);
    return runOnRegion(branch.getElseRegion(), state) | behindThen;
  }
  if (op->getNumRegions() == 0)
    return state || accessesShared(op);
  // A loop, or something like one, whose body may also not run.
  bool behind = state;
  for (int round = 0; round < 2; ++round)
    for (Region &region : op->getRegions())
      behind |= runOnRegion(region, behind);
  return behind;
}

namespace {
struct RemoveProxyFences final : tilec::impl::TileGPURemoveProxyFencesPassBase<RemoveProxyFences> {
  using Base::Base;
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      FenceFinder finder;
      finder.runOnRegion(func.getBody(), /*state=*/false);
      SmallVector<ProxyFenceOp> fences;
      func.walk([&](ProxyFenceOp fence) { fences.push_back(fence); });
      for (ProxyFenceOp fence : fences)
        if (!finder.isNeeded(fence))
          fence.erase();
    }
  }
};
} // namespace
