// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sinks loads, and cheap operations on them, to their first use where register pressure is too
// high. Operations are tried in reverse program order, so a conversion has
// moved before the load that it converts.

#include "RegisterSteps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The first operation of `op`'s block that uses its result or has a use inside; null when the
/// result goes elsewhere or nowhere.
static Operation *firstUse(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = ancestorIn(op->getBlock(), user);
    if (!here)
      return nullptr;
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return first;
}

/// Whether a load of `op` may be done right before `target`.
static bool noWriteBetween(Operation *op, Operation *target) {
  for (Operation *between = op->getNextNode(); between != target; between = between->getNextNode())
    if (mayWriteGlobal(between))
      return false;
  return true;
}

/// A point in front of `target`, behind `op`, is above its budget.
static bool isShortBetween(Operation *op, Operation *target, const RegisterPressure &pressure) {
  return llvm::any_of(pressure.getPoints(), [&](const RegisterPressure::Point &point) {
    Operation *here = ancestorIn(op->getBlock(), point.op);
    return here && pressure.excessAt(point) > 0 && op->isBeforeInBlock(here) &&
           here->isBeforeInBlock(target);
  });
}

/// Operands that would live longer for it take fewer registers than the result.
static bool takesLess(Operation *op, Operation *target, const RegisterPressure &pressure) {
  int64_t longer = 0;
  for (Value operand : op->getOperands())
    if (pressure.isData(operand) && !RegisterPressure::isUsedAfter(operand, target->getPrevNode()))
      longer += registersOf(operand);
  return longer < registersOf(op->getResult(0));
}

void tilec::sinkLoads(PlannedFunction &function) {
  const RegisterPressure &pressure = function.getPressure();
  if (!pressure.isExceeded())
    return;
  SmallVector<Operation *> candidates;
  function.get()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() == 1 && pressure.isData(op->getResult(0)) &&
        (isa<tile::LoadOp>(op) || isCheapElementwise(op)))
      candidates.push_back(op);
  });
  bool isChanged = false;
  for (Operation *op : llvm::reverse(candidates)) {
    Operation *target = firstUse(op);
    if (!target || !isShortBetween(op, target, pressure) || !takesLess(op, target, pressure) ||
        (isa<tile::LoadOp>(op) && (mayWriteGlobal(op) || !noWriteBetween(op, target))))
      continue;
    op->moveBefore(target);
    isChanged = true;
  }
  if (isChanged)
    function.noteChange();
}
