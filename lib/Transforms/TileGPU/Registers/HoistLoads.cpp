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

#include "RegisterSteps.h"

#include "llvm/ADT/SetVector.h"

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
class LoadHoister {
public:
  LoadHoister(const RegisterPressure &estimate, int64_t mostRegisters)
      : pressure(estimate), registers(mostRegisters) {
    for (const RegisterPressure::Point &point : pressure.getPoints()) {
      int64_t &most = needed[point.op];
      most = std::max(most, point.registers + kOtherRegisters);
    }
  }

  /// Moves the load to the next one in front of it, over at least one point, when nothing in
  /// between forbids it.
  void hoist(tile::LoadOp load) {
    if (!pressure.isData(load.getResult()) || mayWriteGlobal(load))
      return;
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

  bool hasMoved() const { return isChanged; }

private:
  void moveBehind(Operation *place, tile::LoadOp load, ArrayRef<Operation *> passed) {
    SetVector<Operation *> slice;
    if (!collectAddress(load, place, slice))
      return;
    isChanged = true;
    for (Operation *op : slice) {
      op->moveAfter(place);
      place = op;
    }
    for (Operation *point : passed)
      needed[point] += registersOf(load.getResult());
  }

  const RegisterPressure &pressure;
  int64_t registers;
  /// What the points need, with the loads that were hoisted over them; by the operation of a point.
  DenseMap<Operation *, int64_t> needed;
  bool isChanged = false;
};
} // namespace

void tilec::hoistLoads(PlannedFunction &function, int64_t registers) {
  SmallVector<tile::LoadOp> loads;
  function.get().walk([&](tile::LoadOp load) { loads.push_back(load); });
  LoadHoister hoister(function.getPressure(), registers);
  for (tile::LoadOp load : loads)
    hoister.hoist(load);
  if (hoister.hasMoved())
    function.noteChange();
}
