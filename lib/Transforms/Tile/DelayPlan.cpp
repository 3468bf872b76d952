// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DelayPlan.h.

#include "DelayPlan.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

std::optional<unsigned> DelayPlan::carriedNumber(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != body || argument == loop.getInductionVar())
    return std::nullopt;
  return argument.getArgNumber() - 1;
}

bool DelayPlan::hasOnlyLoads() const {
  return llvm::all_of(body->without_terminator(), [](Operation &op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return !load.getIsVolatile();
    return isa<DescriptorLoadOp>(op) || isMemoryEffectFree(&op);
  });
}

DenseSet<Operation *> DelayPlan::usersOf(ArrayRef<Value> values) const {
  DenseSet<Operation *> found;
  SmallVector<Value> pending(values);
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      Operation *op = body->findAncestorOpInBlock(*user);
      if (op && !op->hasTrait<OpTrait::IsTerminator>() && found.insert(op).second)
        llvm::append_range(pending, op->getResults());
    }
  return found;
}

bool DelayPlan::partDots() {
  SmallVector<DotOp> dots(body->getOps<DotOp>());
  SmallVector<Value> values = llvm::map_to_vector(dots, [](DotOp dot) -> Value { return dot; });
  for (DotOp dot : dots) {
    SmallVector<Value> others;
    llvm::copy_if(values, std::back_inserter(others), [&](Value v) { return v != dot; });
    DenseSet<Operation *> behind = usersOf(others);
    auto waits = [&](Value operand) { return behind.contains(inBody(operand)); };
    bool isYielded = dot->hasOneUse() && *dot->user_begin() == body->getTerminator();
    if (!isYielded || (!waits(dot.getLhs()) && !waits(dot.getRhs()))) {
      firstDots.push_back(dot);
      continue;
    }
    lateDots.push_back(dot);
    results.insert(dot->use_begin()->getOperandNumber());
  }
  return !lateDots.empty() && !firstDots.empty();
}

void DelayPlan::addSources(Value value, DenseSet<Operation *> &ops,
                           DenseSet<unsigned> &args) const {
  if (std::optional<unsigned> number = carriedNumber(value))
    args.insert(*number);
  Operation *op = inBody(value);
  if (!op || !ops.insert(op).second)
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      addSources(operand, ops, args);
  });
}

bool DelayPlan::addLate(Value value) {
  if (std::optional<unsigned> number = carriedNumber(value)) {
    if (!reachedLate.insert(*number).second || results.contains(*number))
      return true;
    return addLate(loop.getYieldedValues()[*number]);
  }
  Operation *op = inBody(value);
  if (!op || late.contains(op))
    return true;
  if (behindFirst.contains(op) || behindLate.contains(op)) {
    handed.insert(value);
    return getElementTypeOrSelf(value.getType()).isIntOrFloat();
  }
  if (op->getNumRegions() > 0)
    return false;
  late.insert(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) { return addLate(operand); });
}

Value DelayPlan::handedSum(unsigned number) const {
  Value sum = loop.getYieldedValues()[number].getDefiningOp<DotOp>().getAcc();
  return handed.contains(sum) ? sum : Value();
}

void DelayPlan::findEarly() {
  early.clear();
  reachedEarly.clear();
  for (DotOp dot : firstDots)
    addSources(dot, early, reachedEarly);
  for (Value value : handed)
    addSources(value, early, reachedEarly);
  for (auto [number, value] : llvm::enumerate(loop.getYieldedValues()))
    if (isKept(number))
      addSources(value, early, reachedEarly);
}

bool DelayPlan::areSharedScalars() const {
  return llvm::all_of(sharedArgs, [&](unsigned number) {
    return !isa<RankedTensorType>(loop.getRegionIterArg(number).getType());
  });
}

void DelayPlan::findLast() {
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    bool isForLate = llvm::all_of(op.getUsers(), [&](Operation *user) {
      Operation *place = body->findAncestorOpInBlock(*user);
      return last.contains(place) || llvm::is_contained(lateDots, place);
    });
    if (early.contains(&op) && !first.contains(&op) && !behindLate.contains(&op) && isForLate)
      last.insert(&op);
  }
}

bool DelayPlan::make() {
  if (!hasOnlyLoads() || !partDots())
    return false;
  behindFirst = usersOf(llvm::map_to_vector(firstDots, [](DotOp dot) -> Value { return dot; }));
  behindLate = usersOf(llvm::map_to_vector(
      results, [&](unsigned number) -> Value { return loop.getRegionIterArg(number); }));
  DenseSet<unsigned> firstArgs;
  for (DotOp dot : firstDots)
    addSources(dot, first, firstArgs);
  bool waitsForLate = llvm::any_of(lateDots, [&](DotOp dot) {
    // Behind another one that is late, through its operands.
    return behindLate.contains(inBody(dot.getLhs())) || behindLate.contains(inBody(dot.getRhs()));
  });
  if (waitsForLate || llvm::any_of(first, [&](Operation *op) { return behindLate.contains(op); }))
    return false;
  for (DotOp dot : lateDots)
    late.insert(dot);
  for (DotOp dot : lateDots)
    for (Value operand : dot->getOperands())
      if (!addLate(operand))
        return false;
  // What the late stage alone uses is carried with it; a scalar that both use is carried twice.
  for (unsigned number : reachedLate)
    lateArgs.insert(number);
  for (bool changed = true; changed;) {
    findEarly();
    changed = false;
    for (unsigned number : SmallVector<unsigned>(lateArgs.begin(), lateArgs.end()))
      if (reachedEarly.contains(number)) {
        lateArgs.remove(number);
        sharedArgs.insert(number);
        changed = true;
      }
  }
  bool loadsTwice = llvm::any_of(late, [&](Operation *op) {
    return early.contains(op) && isa<LoadOp, DescriptorLoadOp, DotOp>(op);
  });
  bool sharesSums =
      llvm::any_of(sharedArgs, [&](unsigned number) { return results.contains(number); });
  if (loadsTwice || sharesSums || !areSharedScalars())
    return false;
  findLast();
  return true;
}

RegisterCount DelayPlan::countRegisters() const {
  auto registersOf = [](Value value) -> int64_t {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getNumElements() * bitWidthOf(type.getElementType()) / 32 : 0;
  };
  RegisterCount count;
  for (DotOp dot : loop.getBody()->getOps<DotOp>())
    count.dots += registersOf(dot.getResult());
  for (DotOp dot : firstDots)
    count.firstDots += registersOf(dot.getResult());
  for (Value value : handed)
    if (!behindLate.contains(inBody(value)))
      count.handed += registersOf(value);
  return count;
}

/// Whether two operations make the same, where `same` maps what the first one uses to what the
/// second one does, or that is computed alike.
static bool isSame(Operation *a, Operation *b, IRMapping &same) {
  auto isComputedAlike = [&](Value x, Value y) {
    Operation *of = x.getDefiningOp(), *other = y.getDefiningOp();
    return of && other && of->getNumResults() == 1 && of->getNumRegions() == 0 && isPure(of) &&
           isSame(of, other, same);
  };
  return OperationEquivalence::isEquivalentTo(
      a, b,
      [&](Value x, Value y) {
        return success(same.lookupOrDefault(x) == y || isComputedAlike(x, y));
      },
      [&](Value x, Value y) { same.map(x, y); }, OperationEquivalence::IgnoreLocations);
}

bool DelayPlan::goesOnFrom(const DelayPlan &before) const {
  scf::ForOp other = before.loop;
  auto isTaken = [&](auto pair) {
    auto [init, result] = pair;
    return init == result && result.hasOneUse();
  };
  return llvm::equal(loop.getInitArgs().getTypes(), other.getResultTypes()) &&
         llvm::all_of(llvm::zip(loop.getInitArgs(), other.getResults()), isTaken) &&
         leavesSame(before);
}

bool DelayPlan::leavesSame(const DelayPlan &before) const {
  scf::ForOp other = before.loop;
  if (!llvm::equal(results, before.results) || !llvm::equal(lateArgs, before.lateArgs) ||
      !llvm::equal(sharedArgs, before.sharedArgs) || handed.size() != before.handed.size() ||
      late.size() != before.late.size())
    return false;
  IRMapping same;
  same.map(other.getBody()->getArguments(), loop.getBody()->getArguments());
  for (auto [theirs, ours] : llvm::zip(before.handed, handed)) {
    if (theirs.getType() != ours.getType())
      return false;
    same.map(theirs, ours);
  }
  // The late operations of both, in the order of the bodies.
  auto lateOf = [](const DelayPlan &plan) {
    SmallVector<Operation *> ops;
    for (Operation &op : plan.body->without_terminator())
      if (plan.late.contains(&op))
        ops.push_back(&op);
    return ops;
  };
  for (auto [theirs, ours] : llvm::zip(lateOf(before), lateOf(*this)))
    if (!isSame(theirs, ours, same))
      return false;
  auto yieldsSame = [&](unsigned number) {
    return same.lookupOrDefault(other.getYieldedValues()[number]) ==
           loop.getYieldedValues()[number];
  };
  return llvm::all_of(results, yieldsSame) && llvm::all_of(lateArgs, yieldsSame);
}
