// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A *gap* of a tensor lies between two uses that follow each other: nothing reads it there, and its
// registers can be had for something else.

#include "tilec/Analysis/RegisterPlan.h"

#include "tilec/Analysis/RegisterPressure.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Layout/TensorLayouts.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilec::tilegpu;

namespace tilec {

namespace {

/// Slots begin at multiples of this; what the other buffers lose by it.
constexpr int64_t kAlignmentLoss = 1024;
/// Where so many times a thread's registers are left over, its code is mostly spills.
constexpr int64_t kManyTimes = 4;

int64_t vectorsOf(Value value) { return registerVectors(cast<RankedTensorType>(value.getType())); }

/// Registers that a vector of 16 bytes frees.
int64_t registersPerVector(Value value) { return registersOf(value) / vectorsOf(value); }

/// Where a tensor waits: behind one use, up to the next.
struct Gap {
  Value value;
  /// The next use; null at the end of a block.
  Operation *next;
  /// Numbers of the exceeded points in it.
  SmallVector<unsigned> points;
  int64_t vectors = 0;
  /// It can give no more.
  bool isExhausted = false;
};

class Planner {
public:
  Planner(func::FuncOp function, const RegisterPressure &estimate)
      : func(function), pressure(estimate), threads(int64_t(numWarpsOf(func)) * 32) {}

  RegisterPlan run() {
    RegisterPlan plan;
    plan.ctas = wantedCtas(func);
    plan.limit = pressure.getLimit();
    plan.peak = pressure.getPeak();
    plan.isCrowded = pressure.isExceeded() || plan.peak + kOtherRegisters >= plan.limit;
    if (!pressure.isExceeded())
      return plan;
    func->walk<WalkOrder::PreOrder>([&](Operation *op) { numbers[op] = numbers.size(); });
    for (const RegisterPressure::Point &point : pressure.getPoints())
      excess.push_back(pressure.excessAt(point));
    int64_t used = SharedAllocation(func).getTotalBytes();
    room = (processorOf(func).maxSharedBytesPerCta() / plan.ctas - used - kAlignmentLoss) /
           slotBytes();
    collectGaps();
    SmallVector<int64_t> before = excess;
    chooseVectors();
    plan.leftOver = std::max<int64_t>(0, *llvm::max_element(excess));
    // Where more than all the registers of a thread is left over, the assembler spills in any case,
    // and spilling to shared memory costs it time only.
    if (plan.leftOver >= plan.limit) {
      excess = before;
      gaps.clear();
    }
    findWorst(plan);
    plan.spills = spills();
    return plan;
  }

private:
  int64_t slotBytes() const { return 16 * threads; }

  void collectGaps() {
    for (auto [number, point] : llvm::enumerate(pressure.getPoints()))
      if (excess[number] > 0)
        for (Value value : point.live)
          if (canSpill(value))
            addToGap(value, number);
  }

  bool canSpill(Value value) {
    // The slots are made in front of everything.
    if (isa<BlockArgument>(value) && value.getParentBlock()->isEntryBlock() &&
        value.getParentRegion() == &func.getBody())
      return false;
    auto type = cast<RankedTensorType>(value.getType());
    return registerVectors(type) > 0 && !layoutOf(type).getFreeVariableMask(kRegister) &&
           tile::bitWidthOf(type.getElementType()) > 1;
  }

  /// Finds the gap of `value` that the point lies in.
  void addToGap(Value value, unsigned number) {
    Operation *point = pressure.getPoints()[number].op;
    Block *home = value.getParentBlock();
    Operation *place = ancestorIn(home, point), *next = nullptr;
    for (Operation *user : value.getUsers()) {
      Operation *here = ancestorIn(home, user);
      // Used inside a loop or branch around the point: it does not wait there.
      if (!here || (here == place && place != point))
        return;
      if (place->isBeforeInBlock(here) && (!next || here->isBeforeInBlock(next)))
        next = here;
    }
    if (!next)
      return;
    auto [entry, isNew] = gapNumbers.try_emplace({value, next}, gaps.size());
    if (isNew)
      gaps.push_back({value, next, {}});
    gaps[entry->second].points.push_back(number);
    gapsAt[number].push_back(entry->second);
  }

  void chooseVectors() {
    for (;;) {
      std::optional<unsigned> worst;
      for (unsigned i = 0; i < excess.size(); ++i)
        if (excess[i] > 0 && !hopeless.contains(i) && (!worst || excess[i] > excess[*worst]))
          worst = i;
      if (!worst)
        return;
      Gap *best = room > slotsInUse(pressure.getPoints()[*worst].op) ? bestGapAt(*worst) : nullptr;
      if (!best) {
        hopeless.insert(*worst);
        continue;
      }
      int64_t perVector = registersPerVector(best->value);
      int64_t needed = llvm::divideCeil(excess[*worst], perVector);
      int64_t take = std::min(available(*best), needed);
      best->isExhausted = take < needed;
      best->vectors += take;
      for (unsigned point : best->points)
        excess[point] -= take * perVector;
    }
  }

  Gap *bestGapAt(unsigned point) {
    Gap *best = nullptr;
    auto rank = [&](const Gap &gap) { return std::make_pair(helps(gap), vectorsLeft(gap)); };
    for (unsigned i : gapsAt.lookup(point))
      if (!gaps[i].isExhausted && vectorsLeft(gaps[i]) > 0 &&
          (!best || rank(gaps[i]) > rank(*best)))
        best = &gaps[i];
    return best;
  }

  static int64_t vectorsLeft(const Gap &gap) { return vectorsOf(gap.value) - gap.vectors; }

  int64_t helps(const Gap &gap) const {
    return llvm::count_if(gap.points, [&](unsigned point) { return excess[point] > 0; });
  }

  /// Vectors that the gap can still give and shared memory can take.
  int64_t available(Gap &gap) {
    int64_t before = gap.vectors;
    int64_t low = 0, high = vectorsLeft(gap);
    while (low < high) {
      int64_t middle = (low + high + 1) / 2;
      gap.vectors = before + middle;
      if (slotsNeeded() <= room)
        low = middle;
      else
        high = middle - 1;
    }
    gap.vectors = before;
    return low;
  }

  /// What is spilled so far.
  SmallVector<SharedSpill, 4> spills() const {
    llvm::MapVector<Value, SharedSpill> byValue;
    for (const Gap &gap : gaps) {
      if (gap.vectors == 0)
        continue;
      SharedSpill &spill = byValue[gap.value];
      if (!spill.value) {
        Value value = gap.value;
        Operation *def = value.getDefiningOp();
        spill.value = value;
        spill.begin = spill.end = numbers.lookup(def ? def : value.getParentBlock()->getParentOp());
      }
      spill.end = std::max(spill.end, numbers.lookup(gap.next));
      spill.slots = std::max(spill.slots, gap.vectors);
      spill.reloads.push_back({gap.next, gap.vectors});
    }
    SmallVector<std::pair<unsigned, unsigned>> order;
    for (auto [i, entry] : llvm::enumerate(byValue)) {
      order.push_back({entry.second.begin, i});
      llvm::sort(entry.second.reloads,
                 [](const SharedSpill::Reload &a, const SharedSpill::Reload &b) {
                   return a.before->isBeforeInBlock(b.before);
                 });
    }
    llvm::sort(order);
    SmallVector<SharedSpill, 4> sorted;
    for (auto [begin, i] : order)
      sorted.push_back(byValue.begin()[i].second);
    return sorted;
  }

  /// Slots that are in use behind an operation.
  int64_t slotsInUse(Operation *op) const {
    int64_t slots = 0;
    for (const SharedSpill &spill : spills())
      if (spill.isInUseAt(numbers.lookup(op)))
        slots += spill.slots;
    return slots;
  }

  /// The largest number of slots in use at once.
  int64_t slotsNeeded() const {
    SmallVector<SharedSpill, 4> all = spills();
    int64_t most = 0;
    for (const SharedSpill &spill : all) {
      int64_t together = 0;
      for (const SharedSpill &other : all)
        if (other.isInUseAt(spill.begin))
          together += other.slots;
      most = std::max(most, together);
    }
    return most;
  }

  /// Where most is left over.
  void findWorst(RegisterPlan &plan) const {
    plan.leftLive = plan.limit;
    for (auto [number, point] : llvm::enumerate(pressure.getPoints())) {
      int64_t live = excess[number] + pressure.budgetAt(point);
      if (excess[number] > 0 && live > plan.leftLive) {
        plan.leftLive = live;
        plan.leftAt = point.op;
      }
    }
  }

  func::FuncOp func;
  const RegisterPressure &pressure;
  int64_t threads;
  /// Slots that shared memory has room for.
  int64_t room = 0;
  /// Operations in program order.
  DenseMap<Operation *, unsigned> numbers;
  /// By point.
  SmallVector<int64_t> excess;
  SmallVector<Gap> gaps;
  /// Places in `gaps`, by value and next use, and by point.
  DenseMap<std::pair<Value, Operation *>, unsigned> gapNumbers;
  DenseMap<unsigned, SmallVector<unsigned>> gapsAt;
  /// Points that nothing helps any more.
  llvm::SmallDenseSet<unsigned> hopeless;
};

} // namespace

bool RegisterPlan::isHopeless() const { return leftOver >= kManyTimes * limit; }

void RegisterPlan::print(llvm::raw_ostream &os) const {
  os << "registers: " << peak << " for tensors of " << limit << " a thread with " << ctas
     << (ctas == 1 ? " CTA" : " CTAs") << (isCrowded ? ", crowded" : "") << '\n';
  for (const SharedSpill &spill : spills) {
    auto type = cast<RankedTensorType>(spill.value.getType());
    os << "  spill ";
    llvm::interleave(type.getShape(), os, "x");
    os << 'x' << type.getElementType();
    if (Operation *def = spill.value.getDefiningOp())
      os << " of " << def->getName();
    os << ": " << spill.slots * 16 << " of " << vectorsOf(spill.value) * 16 << " bytes a thread";
    for (const SharedSpill::Reload &reload : spill.reloads)
      os << ", " << reload.vectors * 16 << " back before " << reload.before->getName();
    os << '\n';
  }
  if (leftAt)
    os << "  left over: " << leftLive - limit << " registers, behind " << leftAt->getName() << '\n';
}

RegisterPlan planRegisters(func::FuncOp func, const RegisterPressure &pressure) {
  return Planner(func, pressure).run();
}

} // namespace tilec
