// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NextTile.h.

#include "NextTile.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

bool NextTile::isScalarCode(Operation *op) {
  if (op->getNumRegions() > 0 ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile() && !written.mayContain(load.getPointer());
  return isMemoryEffectFree(op);
}

bool NextTile::addCode(Operation *op, llvm::SetVector<Operation *> &ops,
                       llvm::function_ref<bool(Value)> addOperand) {
  if (!isScalarCode(op) || !llvm::all_of(op->getOperands(), addOperand))
    return false;
  ops.insert(op);
  return true;
}

bool NextTile::addHandedOn(Value value) {
  Operation *op = value.getDefiningOp();
  return !isInBody(op) || op->isBeforeInBlock(place) || early.contains(op) ||
         addCode(op, early, [&](Value operand) { return addHandedOn(operand); });
}

bool NextTile::add(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != tiles.getBody() || argument == tiles.getInductionVar())
      return true;
    arguments.insert(argument);
    return addHandedOn(tiles.getTiedLoopYieldedValue(argument)->get());
  }
  Operation *op = value.getDefiningOp();
  // Rings have memory of their own in all of the loop.
  return !isInBody(op) || code.contains(op) || isa<LocalAllocOp>(op) ||
         addCode(op, code, [&](Value operand) { return add(operand); });
}

Operation *NextTile::bringEarly(Operation *before) {
  while (early.contains(before))
    before = before->getNextNode();
  for (Operation *op : early)
    if (!op->isBeforeInBlock(before))
      op->moveBefore(before);
  return before;
}

void NextTile::clone(OpBuilder &builder, IRMapping &mapping) const {
  for (Operation *op : code)
    builder.clone(*op, mapping);
}

SmallVector<Value> NextTile::results() const {
  SmallVector<Value> used;
  for (Operation *op : code)
    for (Value result : op->getResults())
      if (!llvm::all_of(result.getUsers(), [&](Operation *user) { return code.contains(user); }))
        used.push_back(result);
  return used;
}
