// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries out the register plan: tensors are written to shared memory (parked) behind their
// definition, and read back behind each of their gaps that gave something.

#include "RegisterSteps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/RegisterPlan.h"
#include "tilec/Layout/TensorLayouts.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// A vector of each thread.
static MemDescType slotType(func::FuncOp func) {
  int64_t words = int64_t(numWarpsOf(func)) * 32 * 4;
  MLIRContext *context = func.getContext();
  return MemDescType::get(context, {words}, IntegerType::get(context, 32),
                          LinearAttr::get(context, linearSharedLayout({words}, {0})));
}

static void park(const SharedSpill &spill, ArrayRef<Value> slots) {
  Value value = spill.value;
  Block *home = value.getParentBlock();
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    uses.push_back(&use);

  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  // Buffers of copies in flight have memory to reuse only when these are done.
  auto isNext = [&](Operation *op) {
    return llvm::any_of(spill.reloads, [&](auto &reload) { return reload.before == op; });
  };
  while (isa<AsyncWaitOp>(*builder.getInsertionPoint()) && !isNext(&*builder.getInsertionPoint()))
    builder.setInsertionPoint(builder.getInsertionPoint()->getNextNode());
  ParkOp::create(builder, value.getLoc(), value, slots);
  for (const SharedSpill::Reload &reload : spill.reloads) {
    builder.setInsertionPoint(reload.before);
    Value back = UnparkOp::create(builder, reload.before->getLoc(), value.getType(), value,
                                  slots.take_front(reload.vectors));
    for (OpOperand *use : uses) {
      Operation *here = ancestorIn(home, use->getOwner());
      if (here == reload.before || reload.before->isBeforeInBlock(here))
        use->set(back);
    }
  }
  int64_t all = registerVectors(cast<RankedTensorType>(value.getType())) * 16;
  remark::passed(value.getLoc(),
                 remark::RemarkOpts::name("Parked").category(remarks::kRegisterPressure))
      << llvm::formatv("{0} of this tensor's {1} bytes per thread are spilled to shared memory",
                       slots.size() * 16, all)
             .str();
}

/// Gives slots from one pool, the first that are free; so there are never more than in use at once.
/// What is in a pool for the whole function shares memory with nothing else, which saves barriers.
static void spill(func::FuncOp func, const RegisterPlan &plan) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  SmallVector<Value> pool;
  SmallVector<unsigned> freeFrom;
  for (const SharedSpill &tensor : plan.spills) {
    SmallVector<Value> slots;
    for (size_t i = 0; int64_t(slots.size()) < tensor.slots; ++i) {
      if (i == pool.size()) {
        pool.push_back(LocalAllocOp::create(builder, func.getLoc(), slotType(func), IntegerAttr()));
        freeFrom.push_back(0);
      }
      if (freeFrom[i] > tensor.begin)
        continue;
      freeFrom[i] = tensor.end;
      slots.push_back(pool[i]);
    }
    park(tensor, slots);
  }
}

/// What is left goes to local memory.
static void reportLeftOver(const RegisterPlan &plan) {
  if (!plan.leftAt)
    return;
  remark::missed(plan.leftAt->getLoc(),
                 remark::RemarkOpts::name("Spills").category(remarks::kRegisterPressure))
      << llvm::formatv("register pressure: the tensors that are live here take {0} registers "
                       "per thread of {1}, so at least {2} bytes per thread spill to local "
                       "memory; use more warps, or a loop over blocks as in "
                       "examples/11-online-softmax.tile",
                       plan.leftLive, plan.limit, (plan.leftLive - plan.limit) * 4)
             .str();
}

void tilec::spillToShared(PlannedFunction &function) {
  func::FuncOp func = function.get();
  RegisterPlan plan = planRegisters(func, function.getPressure());
  auto module = func->getParentOfType<ModuleOp>();
  Builder builder(func.getContext());
  if (plan.isCrowded)
    func->setAttr(TileGPUDialect::kFewRegistersAttr, builder.getUnitAttr());
  // Without a number of CTAs to hold to, the assembler can take code that spills anyway down to a
  // few registers, for more CTAs on a multiprocessor, and spill six times as much.
  if (plan.leftOver > 0 && !module->hasAttr(TileGPUDialect::kMinCtasAttr))
    module->setAttr(TileGPUDialect::kMinCtasAttr, builder.getI32IntegerAttr(1));
  if (plan.isHopeless())
    module->setAttr(TileGPUDialect::kSpillsAttr, builder.getUnitAttr());
  spill(func, plan);
  reportLeftOver(plan);
}
