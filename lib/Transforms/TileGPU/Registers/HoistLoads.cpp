// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves loads up over the reductions that their addresses do not depend on:
//
//   x = load p; s = sum(x); w = load q; y = x * s * w   ->   x = load p; w = load q; s = sum(x);
//   ...
//
// A block runs as a whole, so a load that is done anyway may be done earlier in it; only writes in
// between forbid it.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "tilec/Analysis/RegisterPressure.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUHOISTLOADSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// What a load needs of its block behind `place`; false when that is no cheap arithmetic.
static bool collectAddress(Operation *op, Operation *place, SetVector<Operation *> &slice) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || def->getBlock() != place->getBlock() || def == place || def->isBeforeInBlock(place))
      continue;
    bool isCheap = isMemoryEffectFree(def) && def->getNumRegions() == 0 &&
                   (def->hasTrait<OpTrait::ConstantLike>() || isa<tile::MakeRangeOp>(def) ||
                    isCheapElementwise(def));
    if (!isCheap || !collectAddress(def, place, slice))
      return false;
  }
  slice.insert(op);
  return true;
}

namespace {
struct HoistLoads final : tilec::impl::TileGPUHoistLoadsPassBase<HoistLoads> {
  using Base::Base;

  void runOnOperation() override {
    if (registers <= 0)
      return;
    getOperation().walk([&](func::FuncOp func) {
      if (multipliesMatrices(func))
        return;
      SmallVector<tile::LoadOp> loads;
      func.walk([&](tile::LoadOp load) { loads.push_back(load); });
      RegisterPressure pressure(func);
      // What the points need, with the loads that were hoisted over them.
      needed.clear();
      for (const RegisterPressure::Point &point : pressure.getPoints()) {
        int64_t &most = needed[point.op];
        most = std::max(most, point.registers + kOtherRegisters);
      }
      for (tile::LoadOp load : loads)
        if (pressure.isData(load.getResult()) && !mayWriteGlobal(load))
          hoist(load, pressure);
    });
  }

private:
  /// Moves the load to the next one in front of it, over at least one point, when nothing in
  /// between forbids it.
  void hoist(tile::LoadOp load, const RegisterPressure &pressure) {
    int64_t own = registersOf(load.getResult());
    int64_t most = std::min<int64_t>(registers, registersFor(load, /*ctas=*/2));
    SmallVector<Operation *> passed;
    for (Operation *op = load->getPrevNode(); op && !mayWriteGlobal(op); op = op->getPrevNode()) {
      if (!passed.empty() && isa<tile::LoadOp>(op) && pressure.isData(op->getResult(0)))
        return moveBehind(op, load, passed);
      if (auto point = needed.find(op); point != needed.end()) {
        if (point->second + own > most)
          return;
        passed.push_back(op);
      }
      // Points inside have the load's result, too.
      if (op->getNumRegions() > 0 && !isa<tile::ReduceOp, PartialReduceOp>(op))
        return;
    }
  }

  void moveBehind(Operation *place, tile::LoadOp load, ArrayRef<Operation *> passed) {
    SetVector<Operation *> slice;
    if (!collectAddress(load, place, slice))
      return;
    for (Operation *op : slice) {
      op->moveAfter(place);
      place = op;
    }
    for (Operation *point : passed)
      needed[point] += registersOf(load.getResult());
  }

  /// By the operation of a point.
  DenseMap<Operation *, int64_t> needed;
};
} // namespace
