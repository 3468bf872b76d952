// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slot arithmetic. A step to the next buffer is `select(x + 1 == buffers, 0, x + 1)`, or `x ^ 1`
// for two buffers. Two slots that a loop carries and that take the same steps keep their distance:
// one of them, the leader, stands for both.

#include "tilec/Analysis/RingSlots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;

tilegpu::LocalAllocOp tilec::allocOf(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (auto alloc = dyn_cast<tilegpu::LocalAllocOp>(op))
      return alloc;
    if (!isa<tilegpu::MemDescIndexOp, tilegpu::MemDescPermuteOp>(op))
      break;
    view = op->getOperand(0);
  }
  return {};
}

Value tilec::filledBy(Operation *op) {
  if (auto copy = dyn_cast<tilegpu::TmaLoadOp>(op))
    return copy.getBuffer();
  auto send = dyn_cast<tilegpu::SendProgramOp>(op);
  return send ? Value(send.getBuffer()) : Value();
}

SmallVector<Operation *, 2> tilec::fillsBehind(tilegpu::SlotAcquireOp acquire) {
  SmallVector<Operation *, 2> fills;
  for (Operation *user : acquire.getFull().getUsers())
    if (filledBy(user))
      fills.push_back(user);
  return fills;
}

bool tilec::mayRelease(tilegpu::SlotReleaseOp release, Value view) {
  tilegpu::LocalAllocOp objects = allocOf(release.getEmpty()), ring = allocOf(view);
  if (!objects || !ring)
    return true;
  bool isAcquired = false;
  for (Operation *user : objects->getUsers()) {
    auto acquire = dyn_cast<tilegpu::SlotAcquireOp>(user);
    if (!acquire || acquire.getEmpty() != objects.getResult())
      continue;
    isAcquired = true;
    for (Operation *fill : fillsBehind(acquire)) {
      tilegpu::LocalAllocOp filled = allocOf(filledBy(fill));
      if (!filled || filled == ring)
        return true;
    }
  }
  return !isAcquired;
}

Operation *tilec::lastUser(Block *block, Value buffer) {
  Operation *last = nullptr;
  for (Operation *user : buffer.getUsers()) {
    Operation *op = block->findAncestorOpInBlock(*user);
    if (op && isa<tilegpu::MemDescIndexOp, tilegpu::MemDescPermuteOp>(user))
      if (Operation *inner = lastUser(block, user->getResult(0)))
        op = inner;
    if (op && (!last || last->isBeforeInBlock(op)))
      last = op;
  }
  return last;
}

Operation *tilec::lastWaitFor(Operation *op) {
  Operation *last = op;
  for (Operation *user : op->getUsers())
    if (isa<tilegpu::WgmmaWaitOp>(user) && user->getBlock() == op->getBlock() &&
        last->isBeforeInBlock(user))
      last = user;
  return last;
}

/// The number of the buffer.
static int64_t wrap(int64_t slot, int64_t modulus) {
  return ((slot % modulus) + modulus) % modulus;
}

static bool isInside(Value value, scf::ForOp loop) {
  return value && loop->isAncestor(value.getParentBlock()->getParentOp());
}

RingSlots::RingSlots(tilegpu::LocalAllocOp alloc) : modulus(alloc.getType().getBuffers()) {
  for (Operation *user : alloc->getUsers())
    if (auto view = dyn_cast<tilegpu::MemDescIndexOp>(user))
      roots.insert(of(view.getIndex()).root);
    else if (auto wait = dyn_cast<tilegpu::AsyncWaitOpInterface>(user))
      roots.insert(of(wait.getBarrierObject().second).root);
    else if (auto copy = dyn_cast<tilegpu::TmaLoadOp>(user);
             copy && copy.getBarriers() == alloc.getResult())
      roots.insert(of(copy.getSlot()).root);
}

std::pair<Value, int64_t> RingSlots::stripSteps(Value index) const {
  int64_t steps = 0;
  for (;; ++steps) {
    if (auto flip = index.getDefiningOp<arith::XOrIOp>();
        flip && modulus == 2 && getConstantIntValue(flip.getRhs()) == 1) {
      index = flip.getLhs();
      continue;
    }
    auto select = index.getDefiningOp<arith::SelectOp>();
    if (!select || getConstantIntValue(select.getTrueValue()) != 0)
      break;
    auto wraps = select.getCondition().getDefiningOp<arith::CmpIOp>();
    auto next = select.getFalseValue().getDefiningOp<arith::AddIOp>();
    if (!wraps || !next || wraps.getPredicate() != arith::CmpIPredicate::eq ||
        wraps.getLhs() != next.getResult() || getConstantIntValue(wraps.getRhs()) != modulus ||
        getConstantIntValue(next.getRhs()) != 1)
      break;
    index = next.getLhs();
  }
  return {index, steps};
}

RingSlot RingSlots::of(Value index) const {
  auto [base, steps] = stripSteps(index);
  if (std::optional<int64_t> constant = getConstantIntValue(base))
    return {Value(), wrap(*constant + steps, modulus)};
  if (auto argument = dyn_cast<BlockArgument>(base)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument != loop.getInductionVar()) {
      auto [leader, distance] =
          leaderOf(loop, argument.getArgNumber() - loop.getNumInductionVars());
      return {loop.getRegionIterArg(leader), distance + steps};
    }
  } else if (auto loop = base.getDefiningOp<scf::ForOp>()) {
    auto [leader, distance] = leaderOf(loop, cast<OpResult>(base).getResultNumber());
    return {loop.getResult(leader), distance + steps};
  }
  return {base, steps};
}

std::optional<RingSlot> RingSlots::ofView(Value view) const {
  while (auto permute = view.getDefiningOp<tilegpu::MemDescPermuteOp>())
    view = permute.getSource();
  if (view.getDefiningOp<tilegpu::LocalAllocOp>() && modulus == 1)
    return RingSlot{};
  auto index = view.getDefiningOp<tilegpu::MemDescIndexOp>();
  if (!index || !index.getRing().getDefiningOp<tilegpu::LocalAllocOp>())
    return std::nullopt;
  return of(index.getIndex());
}

std::pair<unsigned, int64_t> RingSlots::leaderOf(scf::ForOp loop, unsigned number) const {
  auto stepsOf = [&](unsigned i) -> std::optional<int64_t> {
    auto [base, steps] = stripSteps(loop.getYieldedValues()[i]);
    return base == loop.getRegionIterArg(i) ? std::optional(steps) : std::nullopt;
  };
  Value argument = loop.getRegionIterArg(number);
  std::optional<int64_t> steps = stepsOf(number);
  if (!steps)
    return {number, 0};
  RingSlot init = of(loop.getInitArgs()[number]);
  for (unsigned i = 0; i < number; ++i) {
    if (loop.getRegionIterArg(i).getType() != argument.getType() || stepsOf(i) != steps)
      continue;
    RingSlot other = of(loop.getInitArgs()[i]);
    if (other.root == init.root)
      return {i, init.offset - other.offset};
  }
  return {number, 0};
}

bool RingSlots::isLeader(scf::ForOp loop, unsigned number) const {
  return roots.contains(loop.getRegionIterArg(number));
}

bool RingSlots::mayBeSame(const std::optional<RingSlot> &a,
                          const std::optional<RingSlot> &b) const {
  return !a || !b || a->root != b->root || (a->offset - b->offset) % modulus == 0;
}

std::optional<RingSlot> RingSlots::atEntry(const RingSlot &slot, scf::ForOp loop) const {
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
    if (isLeader(loop, i))
      if (RingSlot first = of(init); first.root == slot.root)
        return RingSlot{loop.getRegionIterArg(i), wrap(slot.offset - first.offset, modulus)};
  return slot;
}

std::optional<RingSlot> RingSlots::atBackEdge(const RingSlot &slot, scf::ForOp loop) const {
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
    if (isLeader(loop, i))
      if (RingSlot next = of(value); next.root == slot.root)
        return RingSlot{loop.getRegionIterArg(i), wrap(slot.offset - next.offset, modulus)};
  return isInside(slot.root, loop) ? std::nullopt : std::optional(slot);
}

std::optional<RingSlot> RingSlots::atExit(const RingSlot &slot, scf::ForOp loop) const {
  if (!isInside(slot.root, loop))
    return slot;
  auto argument = dyn_cast<BlockArgument>(slot.root);
  if (!argument || argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
    return std::nullopt;
  return RingSlot{loop.getResult(argument.getArgNumber() - loop.getNumInductionVars()),
                  slot.offset};
}
