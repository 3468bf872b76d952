// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bounds of loops that a run of the protocol's check chooses, so that loops have the counts of
// iterations that it asks for (ScalarCode.h).

#include "ScalarCode.h"

#include <functional>

using namespace mlir;
using namespace tilec;

bool ScalarCode::isMadeOf(Id id, llvm::function_ref<bool(Id)> matches) const {
  SmallVector<Id> open{id};
  llvm::DenseSet<Id> seen;
  while (!open.empty()) {
    Id next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (matches(next))
      return true;
    const Expr &expr = exprs[size_t(next)];
    open.append(expr.operands.begin(), expr.operands.end());
  }
  return false;
}

bool ScalarCode::canChoose(Id id, Id other, Id step) const {
  const Expr &expr = exprs[size_t(id)];
  if (expr.kind == Kind::Constant || expr.kind == Kind::Set)
    return false;
  if (isMadeOf(id, [&](Id part) { return exprs[size_t(part)].loop >= 0; }))
    return false;
  // What it is computed from is known when it is asked for: not what a loop leaves, which may not
  // have run yet, and nothing that waits for it.
  std::function<bool(Id)> isLate = [&](Id part) {
    const Expr &used = exprs[size_t(part)];
    if (part == id || used.isResult)
      return true;
    return used.loop >= 0 &&
           (isMadeOf(used.other, isLate) || isMadeOf(loops[size_t(used.loop)].step, isLate));
  };
  auto isInside = [&](Id inner) {
    return frames[size_t(exprs[size_t(inner)].frame)].depth > frames[size_t(expr.frame)].depth;
  };
  return !isInside(other) && !isInside(step) && !isMadeOf(other, isLate) && !isMadeOf(step, isLate);
}

void ScalarCode::chooseBounds() {
  // An expression has a larger number than those that it is made of.
  SmallVector<int> order = llvm::to_vector(llvm::seq<int>(0, int(loops.size())));
  llvm::sort(order, [&](int a, int b) {
    return std::pair(loops[size_t(a)].upper, a) < std::pair(loops[size_t(b)].upper, b);
  });
  SmallVector<Id> bounds;
  for (int number : order) {
    const Loop &chosen = loops[size_t(number)];
    if (!canChoose(chosen.upper, chosen.lower, chosen.step))
      continue;
    choose(chosen.upper, chosen.lower, sameLoop(number), /*isLower=*/false, /*ahead=*/0);
    bounds.push_back(chosen.upper);
  }
  for (int number : order) {
    const Loop &chosen = loops[size_t(number)];
    if (!isConstant(chosen.upper) || !canChoose(chosen.lower, chosen.upper, chosen.step))
      continue;
    choose(chosen.lower, chosen.upper, sameLoop(number), /*isLower=*/true, /*ahead=*/0);
    bounds.push_back(chosen.lower);
  }
  for (Id bound : bounds)
    chooseElsewhere(bound);
}

int ScalarCode::sameLoop(int number) {
  const Loop inner = loops[size_t(number)];
  auto isAround = [&](const Loop &loop) {
    return loop.frame == frames[size_t(inner.frame)].parent;
  };
  auto own = llvm::find_if(loops, isAround);
  if (own == loops.end() || own->turns == 1)
    return number;
  for (auto [candidate, other] : llvm::enumerate(loops)) {
    int parent = frames[size_t(other.frame)].parent;
    auto around = llvm::find_if(loops, [&](const Loop &loop) { return loop.frame == parent; });
    if (around == loops.end() || around->turns > 1)
      continue;
    auto there = [&](Id id) { return replaced(id, own->counter, around->counter); };
    if (there(inner.lower) == other.lower && there(inner.upper) == other.upper &&
        there(inner.step) == other.step)
      return int(candidate);
  }
  return number;
}

ScalarCode::Id ScalarCode::stepAmongAll(const Loop &loop) {
  const Expr &step = exprs[size_t(loop.step)];
  if (loop.turns == 1)
    return loop.step;
  if (step.kind == Kind::Constant)
    return constant(step.constant / loop.turns);
  bool isProduct = step.kind == Kind::Arith && step.arith == Arith::Mul;
  return isProduct && step.operands[1] == constant(loop.turns) ? step.operands[0] : kNone;
}

void ScalarCode::choose(Id bound, Id other, int loop, bool isLower, int ahead) {
  Expr &expr = exprs[size_t(bound)];
  expr.loop = loop;
  expr.other = other;
  expr.isLower = isLower;
  expr.ahead = ahead;
}

ScalarCode::Id ScalarCode::replaced(Id id, Id from, Id to) {
  if (id == from)
    return to;
  Expr expr = exprs[size_t(id)];
  if (!expr.key || expr.operands.empty())
    return id;
  SmallVector<Id, 3> operands;
  for (Id operand : expr.operands) {
    operands.push_back(replaced(operand, from, to));
    if (operands.back() == kNone)
      return kNone;
  }
  if (operands == expr.operands)
    return id;
  expr.operands = operands;
  if (expr.kind == Kind::Arith && llvm::all_of(operands, [&](Id part) { return isConstant(part); }))
    return constant(computeArith(expr));
  std::vector<int64_t> key(expr.key->begin(), expr.key->end() - int64_t(operands.size()));
  key.insert(key.end(), operands.begin(), operands.end());
  auto found = known.find(key);
  return found != known.end() ? found->second : kNone;
}

void ScalarCode::chooseElsewhere(Id bound) {
  const Expr chosen = exprs[size_t(bound)];
  for (size_t i = 0; i < loops.size(); ++i) {
    const Loop around = loops[i];
    if (!isMadeOf(bound, [&](Id part) { return part == around.counter; }))
      continue;
    auto chooseAt = [&](Id counter, int ahead) {
      Id there = replaced(bound, around.counter, counter);
      Id other = replaced(chosen.other, around.counter, counter);
      if (there != kNone && other != kNone && !isConstant(there) && exprs[size_t(there)].loop < 0)
        choose(there, other, chosen.loop, chosen.isLower, ahead);
    };
    chooseAt(around.lower, 0);
    Expr next;
    next.arith = Arith::Add;
    next.width = next.from = exprs[size_t(around.counter)].width;
    next.operands = {around.counter, stepAmongAll(around)};
    if (auto found = known.find(keyOf(next)); found != known.end())
      chooseAt(found->second, 1);
  }
}

bool ScalarCode::isMultipleOf(Id id, int64_t number) const {
  const Expr &expr = exprs[size_t(id)];
  if (expr.kind == Kind::Constant)
    return expr.constant % number == 0;
  auto isMultiple = [&](Id operand) { return isMultipleOf(operand, number); };
  if (expr.kind != Kind::Arith)
    return false;
  switch (expr.arith) {
  case Arith::Mul:
    return llvm::any_of(expr.operands, isMultiple);
  case Arith::Add:
  case Arith::Sub:
  case Arith::MinS:
  case Arith::MaxS:
    return llvm::all_of(expr.operands, isMultiple);
  default:
    return false;
  }
}

int64_t ScalarCode::chosenBound(const Expr &expr) {
  const Loop &loop = loops[size_t(expr.loop)];
  constexpr int kCounts = 6, kPasses = 3;
  int depth = loop.depth;
  int index = scenario.count;
  if (scenario.isVaried)
    index += 2 * expr.loop + passOf(expr.frame) + expr.ahead;
  const int counts[kCounts] = {0, 1, depth - 1, depth, depth + 1, 2 * depth + 1};
  int64_t count = loop.isOuter ? kPasses : counts[index % kCounts];
  int64_t step = value(loop.step);
  int64_t length = count * step;
  // The last one is not whole where it need not be, or the end is in front of the beginning.
  if (scenario.isVaried && count == 0)
    length -= step;
  else if (scenario.isVaried && !isMultipleOf(Id(&expr - exprs.data()), step))
    length -= step / 2;
  int64_t other = value(expr.other);
  return expr.isLower ? other - length : other + length;
}
