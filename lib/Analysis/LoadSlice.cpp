// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LoadSlice.h.

#include "tilec/Analysis/LoadSlice.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/GlobalAccess.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

bool LoadSlice::fail(Operation *op, StringRef reason) {
  obstacle = {op, reason};
  return false;
}

bool LoadSlice::add(Operation *root) {
  if (!ops.insert(root))
    return true;
  for (Operation *parent = root->getParentOp(); !isa<FunctionOpInterface>(parent);
       parent = parent->getParentOp())
    if (!addOp(parent))
      return false;
  return llvm::all_of(root->getOperands(), [&](Value operand) { return addValue(operand); });
}

bool LoadSlice::addOp(Operation *op) {
  if (ops.contains(op))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    ops.insert(op);
    return addValue(loop.getLowerBound()) && addValue(loop.getUpperBound()) &&
           addValue(loop.getStep());
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    ops.insert(op);
    return addValue(branch.getCondition());
  }
  if (op->getNumRegions() > 0)
    return fail(op, "whether it is made depends on a loop that is not counted");
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return fail(op, "its coordinates depend on tensors");
  if (isa<tile::MakeTensorDescriptorOp>(op))
    return fail(op, "the computing warps encode its tensor map");
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (load.getIsVolatile() || mayComeBefore(load, mayWriteGlobal))
      return fail(op, "its coordinates depend on memory that the kernel may write");
  } else if (!isMemoryEffectFree(op) && !isa<LocalAllocOp>(op)) {
    return fail(op, "its coordinates depend on what has effects");
  }
  ops.insert(op);
  for (Operation *parent = op->getParentOp(); !isa<FunctionOpInterface>(parent);
       parent = parent->getParentOp())
    if (!addOp(parent))
      return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return addValue(operand); });
}

bool LoadSlice::addCarried(scf::ForOp loop, unsigned number) {
  if (!carried.insert({loop.getOperation(), number}).second)
    return true;
  return addOp(loop) && addValue(loop.getInitArgs()[number]) &&
         addValue(loop.getYieldedValues()[number]);
}

bool LoadSlice::addValue(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<FunctionOpInterface>(parent))
      return true;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return fail(parent, "its coordinates depend on a loop that is not counted");
    return argument == loop.getInductionVar() ? addOp(loop)
                                              : addCarried(loop, argument.getArgNumber() - 1);
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (isa<RankedTensorType>(value.getType()))
    return fail(op, "its coordinates depend on tensors");
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addCarried(loop, number);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (!carried.insert({op, number}).second)
      return true;
    for (Operation *yield : {branch.thenYield(), branch.elseYield()})
      if (!addValue(yield->getOperand(number)))
        return false;
  }
  return addOp(op);
}
