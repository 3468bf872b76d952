// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spills registers to shared memory (parks them) over the points of too high register pressure. A
// *gap* of a tensor lies between two uses that follow each other: nothing reads it there. For the
// points above their budget, largest excess first, the gap that helps most other such points gives
// up as many 16-byte vectors as are needed and as shared memory has room for. A tensor is written
// once, behind its definition, and read back behind each of its gaps that gave something.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/RegisterPressure.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Layout/TensorLayouts.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUPARKTENSORSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Registers that a vector of 16 bytes frees.
static int64_t registersPerVector(Value value) {
  return registersOf(value) / registerVectors(cast<RankedTensorType>(value.getType()));
}

/// Slots begin at multiples of this; what the other buffers lose by it.
static constexpr int64_t kAlignmentLoss = 1024;
/// Where so many times a thread's registers are left over, its code is mostly spills.
static constexpr int64_t kManyTimes = 4;

namespace {
/// Where a tensor waits: behind one use, up to the next.
struct Gap {
  Value value;
  /// The next use; null at the end of a block.
  Operation *next;
  /// Numbers of the exceeded points in it.
  SmallVector<unsigned> points;
  int64_t parked = 0;
  /// It can give no more.
  bool isExhausted = false;
};

/// The first and last operation, by number, between which slots of a tensor are in use.
struct Interval {
  Value value;
  unsigned begin, end;
  int64_t slots;

  bool isInUseAt(unsigned number) const { return begin <= number && number < end; }
};

class TensorParker {
public:
  explicit TensorParker(func::FuncOp function)
      : func(function), pressure(func), threads(int64_t(numWarpsOf(func)) * 32) {}

  void run() {
    if (isCrowded())
      func->setAttr(TileGPUDialect::kFewRegistersAttr, UnitAttr::get(func.getContext()));
    if (!pressure.isExceeded())
      return;
    func->walk<WalkOrder::PreOrder>([&](Operation *op) { numbers[op] = numbers.size(); });
    for (const RegisterPressure::Point &point : pressure.getPoints())
      excess.push_back(pressure.excessAt(point));
    int64_t used = SharedAllocation(func).getTotalBytes();
    room = (processorOf(func).maxSharedBytesPerCta() / wantedCtas(func) - used - kAlignmentLoss) /
           slotBytes();
    collectGaps();
    SmallVector<int64_t> before = excess;
    chooseVectors();
    // Where more than all the registers of a thread is left over, the assembler spills in any case,
    // and parking costs it time only.
    int64_t leftOver = *llvm::max_element(excess);
    if (leftOver >= pressure.getLimit()) {
      excess = before;
      gaps.clear();
    }
    if (leftOver > 0)
      demandRegisters();
    if (leftOver >= kManyTimes * pressure.getLimit())
      func->getParentOfType<ModuleOp>()->setAttr(TileGPUDialect::kSpillsAttr,
                                                 UnitAttr::get(func.getContext()));
    emit();
    report();
  }

private:
  int64_t slotBytes() const { return 16 * threads; }

  /// Registers are short somewhere, or would be if all tensors of a region were there at once.
  bool isCrowded() const {
    return pressure.isExceeded() || pressure.getPeak() + kOtherRegisters >= pressure.getLimit();
  }

  /// Without a number of CTAs to hold to, the assembler can take code that spills anyway down to a
  /// few registers, for more CTAs on a multiprocessor, and spill six times as much.
  void demandRegisters() {
    auto module = func->getParentOfType<ModuleOp>();
    if (!module->hasAttr(TileGPUDialect::kMinCtasAttr))
      module->setAttr(TileGPUDialect::kMinCtasAttr,
                      Builder(module.getContext()).getI32IntegerAttr(1));
  }

  void collectGaps() {
    for (auto [number, point] : llvm::enumerate(pressure.getPoints()))
      if (excess[number] > 0)
        for (Value value : point.live)
          if (canPark(value))
            addToGap(value, number);
  }

  bool canPark(Value value) {
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
      best->parked += take;
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

  static int64_t vectorsLeft(const Gap &gap) {
    Value value = gap.value;
    return registerVectors(cast<RankedTensorType>(value.getType())) - gap.parked;
  }

  int64_t helps(const Gap &gap) const {
    return llvm::count_if(gap.points, [&](unsigned point) { return excess[point] > 0; });
  }

  /// Vectors that the gap can still give and shared memory can take.
  int64_t available(Gap &gap) {
    int64_t before = gap.parked;
    int64_t low = 0, high = vectorsLeft(gap);
    while (low < high) {
      int64_t middle = (low + high + 1) / 2;
      gap.parked = before + middle;
      if (slotsNeeded() <= room)
        low = middle;
      else
        high = middle - 1;
    }
    gap.parked = before;
    return low;
  }

  /// When each tensor that parks something has slots in use, by beginning.
  SmallVector<Interval> intervals() const {
    llvm::MapVector<Value, Interval> byValue;
    for (const Gap &gap : gaps) {
      if (gap.parked == 0)
        continue;
      Value value = gap.value;
      Operation *def = value.getDefiningOp();
      unsigned begin = numbers.lookup(def ? def : value.getParentBlock()->getParentOp());
      Interval &interval = byValue.insert({value, {value, begin, begin, 0}}).first->second;
      interval.end = std::max(interval.end, numbers.lookup(gap.next));
      interval.slots = std::max(interval.slots, gap.parked);
    }
    SmallVector<std::pair<unsigned, unsigned>> order;
    for (auto [i, entry] : llvm::enumerate(byValue))
      order.push_back({entry.second.begin, i});
    llvm::sort(order);
    SmallVector<Interval> sorted;
    for (auto [begin, i] : order)
      sorted.push_back(byValue.begin()[i].second);
    return sorted;
  }

  /// Slots that are in use behind an operation.
  int64_t slotsInUse(Operation *op) const {
    int64_t slots = 0;
    for (const Interval &interval : intervals())
      if (interval.isInUseAt(numbers.lookup(op)))
        slots += interval.slots;
    return slots;
  }

  /// The largest number of slots in use at once.
  int64_t slotsNeeded() const {
    SmallVector<Interval> all = intervals();
    int64_t most = 0;
    for (const Interval &interval : all) {
      int64_t together = 0;
      for (const Interval &other : all)
        if (other.isInUseAt(interval.begin))
          together += other.slots;
      most = std::max(most, together);
    }
    return most;
  }

  /// Gives slots from one pool, the first that are free; so there are never more than in use at
  /// once. What is in a pool for the whole function shares memory with nothing else, which saves
  /// barriers.
  void emit() {
    OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
    SmallVector<Value> pool;
    SmallVector<unsigned> freeFrom;
    for (const Interval &interval : intervals()) {
      SmallVector<Value> slots;
      for (size_t i = 0; int64_t(slots.size()) < interval.slots; ++i) {
        if (i == pool.size()) {
          pool.push_back(LocalAllocOp::create(builder, func.getLoc(), slotType(), IntegerAttr()));
          freeFrom.push_back(0);
        }
        if (freeFrom[i] > interval.begin)
          continue;
        freeFrom[i] = interval.end;
        slots.push_back(pool[i]);
      }
      park(interval.value, slots);
    }
  }

  void park(Value value, ArrayRef<Value> slots) {
    SmallVector<Gap *> ofValue;
    for (Gap &gap : gaps)
      if (gap.value == value && gap.parked > 0)
        ofValue.push_back(&gap);
    llvm::sort(ofValue, [](Gap *a, Gap *b) { return a->next->isBeforeInBlock(b->next); });
    Block *home = value.getParentBlock();
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);

    OpBuilder builder(func.getContext());
    builder.setInsertionPointAfterValue(value);
    // Buffers of copies in flight have memory to reuse only when these are done.
    auto isNext = [&](Operation *op) {
      return llvm::any_of(ofValue, [&](Gap *gap) { return gap->next == op; });
    };
    while (isa<AsyncWaitOp>(*builder.getInsertionPoint()) && !isNext(&*builder.getInsertionPoint()))
      builder.setInsertionPoint(builder.getInsertionPoint()->getNextNode());
    ParkOp::create(builder, value.getLoc(), value, slots);
    for (Gap *gap : ofValue) {
      builder.setInsertionPoint(gap->next);
      Value back = UnparkOp::create(builder, gap->next->getLoc(), value.getType(), value,
                                    slots.take_front(gap->parked));
      for (OpOperand *use : uses) {
        Operation *here = ancestorIn(home, use->getOwner());
        if (here == gap->next || gap->next->isBeforeInBlock(here))
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

  MemDescType slotType() {
    LinearLayout layout = linearSharedLayout({threads * 4}, {0});
    MLIRContext *context = func.getContext();
    return MemDescType::get(context, {threads * 4}, IntegerType::get(context, 32),
                            LinearAttr::get(context, layout));
  }

  /// What is left goes to local memory.
  void report() const {
    int64_t most = pressure.getLimit();
    Operation *where = nullptr;
    for (auto [number, point] : llvm::enumerate(pressure.getPoints())) {
      int64_t live = excess[number] + pressure.budgetAt(point);
      if (excess[number] > 0 && live > most) {
        most = live;
        where = point.op;
      }
    }
    if (where)
      remark::missed(where->getLoc(),
                     remark::RemarkOpts::name("Spills").category(remarks::kRegisterPressure))
          << llvm::formatv("register pressure: the tensors that are live here take {0} registers "
                           "per thread of {1}, so at least {2} bytes per thread spill to local "
                           "memory; use more warps, or a loop over blocks as in "
                           "examples/11-online-softmax.tile",
                           most, pressure.getLimit(), (most - pressure.getLimit()) * 4)
                 .str();
  }

  func::FuncOp func;
  RegisterPressure pressure;
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

struct ParkTensors final : tilec::impl::TileGPUParkTensorsPassBase<ParkTensors> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp func) {
      if (!func.isExternal() && !multipliesMatrices(func))
        TensorParker(func).run();
    });
  }
};
} // namespace
