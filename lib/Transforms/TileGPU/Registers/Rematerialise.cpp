// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rematerialisation. At a point of too high register pressure, a live tensor that a short chain of
// cheap operations makes from a narrower one is computed again behind the point:
//
//   x = extf h; s = sum(x); y = x * s   ->   x = extf h; s = sum(x); h' = refresh h; x' = extf h';
//   y = x' * s
//
// Points come in program order, at each point the best gain first.

#include "RegisterSteps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Longer chains are not cheaper than keeping the tensor in shared memory.
static constexpr unsigned kMaxChain = 4;

/// `tilegpu.refresh` is for these.
static bool canRefresh(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  unsigned bits = tile::bitWidthOf(element);
  return !isa<tile::PtrType>(element) && (bits == 8 || bits == 16 || bits == 32);
}

namespace {
/// How to make a tensor again, and what that saves.
struct Recipe {
  Value value;
  Value source;
  /// From the source to the value.
  SmallVector<Operation *, kMaxChain> chain;
  int64_t gain = 0;
};
} // namespace

static Recipe findRecipe(Value value, const RegisterPressure::Point &point,
                         const RegisterPressure &pressure) {
  Recipe best, current;
  current.value = best.value = current.source = value;
  while (current.chain.size() < kMaxChain) {
    Operation *def = current.source.getDefiningOp();
    if (!def || !isCheapElementwise(def))
      break;
    Value operand;
    for (Value candidate : def->getOperands()) {
      if (!pressure.isData(candidate) || candidate == operand)
        continue;
      if (operand)
        return best;
      operand = candidate;
    }
    if (!operand)
      break;
    current.chain.insert(current.chain.begin(), def);
    current.source = operand;
    int64_t cost = llvm::is_contained(point.live, operand) ? 0 : registersOf(operand);
    current.gain = registersOf(value) - cost;
    if (current.gain > best.gain && canRefresh(operand))
      best = current;
  }
  return best;
}

/// The first operation behind the point that uses `value`, in the value's own block; null when a
/// loop around the point uses it or nothing does.
static Operation *firstUseAfter(Value value, Operation *point) {
  Block *home = value.getParentBlock();
  Operation *place = ancestorIn(home, point);
  if (!place)
    return nullptr;
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *here = ancestorIn(home, user);
    if (!here || (here == place && place != point))
      return nullptr;
    if (place->isBeforeInBlock(here) && (!first || here->isBeforeInBlock(first)))
      first = here;
  }
  return first;
}

static void recompute(Recipe recipe, Operation *point, RegisterPressure &pressure) {
  Operation *first = firstUseAfter(recipe.value, point);
  Block *home = recipe.value.getParentBlock();
  OpBuilder builder(first);
  IRMapping mapping;
  SmallVector<Operation *> made{
      RefreshOp::create(builder, recipe.source.getLoc(), recipe.source.getType(), recipe.source)};
  mapping.map(recipe.source, made.front()->getResult(0));
  for (Operation *op : recipe.chain)
    made.push_back(builder.clone(*op, mapping));
  recipe.value.replaceUsesWithIf(made.back()->getResult(0), [&](OpOperand &use) {
    Operation *here = ancestorIn(home, use.getOwner());
    return here == first || first->isBeforeInBlock(here);
  });
  pressure.noteRecomputed(recipe.value, recipe.source, ancestorIn(home, point), first, made);
}

static bool improve(RegisterPressure &pressure, size_t number) {
  const RegisterPressure::Point &point = pressure.getPoints()[number];
  if (pressure.excessAt(point) <= 0)
    return false;
  Recipe best;
  for (Value value : point.live) {
    Recipe recipe = findRecipe(value, point, pressure);
    if (recipe.gain <= best.gain)
      continue;
    // What a write needs must be there in front of it.
    Operation *first = firstUseAfter(value, point.op);
    if (first && first != point.write)
      best = recipe;
  }
  if (best.gain <= 0)
    return false;
  recompute(std::move(best), point.op, pressure);
  return true;
}

void tilec::rematerialise(PlannedFunction &function) {
  // Each step takes a value away from a point and adds none to it or to earlier ones.
  RegisterPressure &pressure = function.getPressure();
  bool isChanged = false;
  for (size_t number = 0; number < pressure.getPoints().size(); ++number)
    while (improve(pressure, number))
      isChanged = true;
  if (isChanged)
    function.noteChange();
}
