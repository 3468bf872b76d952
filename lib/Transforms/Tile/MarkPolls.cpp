// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that wait for memory: the loads that decide whether they go on become volatile.

#include "tilec/Transforms/Tile/Passes.h"

#include "dialects/Tile/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilec {
#define GEN_PASS_DEF_TILEMARKPOLLSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// The loads that a loop's condition depends on, in whichever iteration.
class PollFinder {
public:
  explicit PollFinder(scf::WhileOp whileOp) : loop(whileOp) {}

  SmallVector<LoadOp> find() {
    pending.push_back(loop.getConditionOp().getCondition());
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value))
        follow(argument);
      else
        follow(value.getDefiningOp());
    }
    return std::move(polls);
  }

private:
  bool isInside(Operation *op) const { return loop->isProperAncestor(op); }

  void follow(BlockArgument argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (!seenArguments.insert(argument).second)
      return;
    unsigned number = argument.getArgNumber();
    if (argument.getOwner() == loop.getBeforeBody())
      pending.push_back(loop.getYieldOp().getOperand(number));
    else if (argument.getOwner() == loop.getAfterBody())
      pending.push_back(loop.getConditionOp().getArgs()[number]);
    else if (isInside(owner))
      follow(owner);
  }

  void follow(Operation *op) {
    if (!isInside(op) || !seen.insert(op).second)
      return;
    llvm::append_range(pending, op->getOperands());
    // What is inside of an operation counts as deciding its results.
    for (Region &region : op->getRegions())
      for (Operation &nested : region.getOps())
        follow(&nested);
    auto load = dyn_cast<LoadOp>(op);
    if (load && !varies(load.getPointer()) &&
        (!isa<RankedTensorType>(load.getType()) || op->getBlock() == loop.getBeforeBody()))
      polls.push_back(load);
  }

  /// Whether a value may be another one in the next iteration.
  bool varies(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return loop->isAncestor(cast<BlockArgument>(value).getOwner()->getParentOp());
    if (!isInside(op))
      return false;
    if (auto known = varying.find(value); known != varying.end())
      return known->second;
    bool result = op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
                  llvm::any_of(op->getOperands(), [&](Value operand) { return varies(operand); });
    return varying[value] = result;
  }

  scf::WhileOp loop;
  SmallVector<Value> pending;
  SmallVector<LoadOp> polls;
  DenseSet<BlockArgument> seenArguments;
  DenseSet<Operation *> seen;
  DenseMap<Value, bool> varying;
};

struct MarkPolls final : tilec::impl::TileMarkPollsPassBase<MarkPolls> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](scf::WhileOp loop) {
      for (LoadOp load : PollFinder(loop).find()) {
        load.setIsVolatile(true);
        if (load.getCache() == CacheModifier::cv)
          load.setCache(CacheModifier::none); // A volatile load does that by itself.
      }
    });
  }
};

} // namespace
