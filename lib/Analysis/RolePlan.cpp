// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RolePlan.h.

#include "tilec/Analysis/RolePlan.h"

#include "mlir/IR/TypeUtilities.h"
#include "tilec/Analysis/BufferFill.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/LoadSlice.h"
#include "tilec/Analysis/ProductUnit.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Analysis/StoreParts.h"
#include "tilec/Analysis/WrittenMemory.h"
#include "tilec/Layout/WgmmaLayout.h"

using namespace mlir;
using namespace tilec::tilegpu;

namespace tilec {

/// A wgmma is of this many warps, and so is a change of registers.
static constexpr int kWarpsOfGroup = 4;
/// The fewest that setmaxnreg takes.
static constexpr int kLoadRegisters = 24;
/// What the fastest kernels of two computing groups take; a multiple of 8.
static constexpr int kMostComputeRegisters = 240;

int loadWarpsFor(int numWarps) { return numWarps == 2 * kWarpsOfGroup ? kWarpsOfGroup : 1; }

std::optional<RoleRegisters> roleRegistersOf(Operation *op) {
  int computing = 32 * computingWarpsOf(op), loading = launchedThreadsOf(op) - computing;
  if (loading != 32 * kWarpsOfGroup)
    return std::nullopt;
  int left = (Processor::kRegisters - loading * kLoadRegisters) / computing;
  left -= left % Processor::kRegisterUnit;
  return RoleRegisters{kLoadRegisters, std::min(left, kMostComputeRegisters)};
}

std::optional<bool> asksForRoles(scf::ForOp loop) {
  for (Operation *op = loop; op; op = op->getParentOp())
    if (Attribute asked = op->getAttr(tile::TileDialect::kWarpSpecializeAttr)) {
      auto flag = dyn_cast<BoolAttr>(asked);
      return !flag || flag.getValue();
    }
  return std::nullopt;
}

/// Whether an operand of the dot is computed in the loop, rather than copied.
static bool readsWhatIsComputed(WgmmaOp dot, const LoopSchedule &schedule) {
  scf::ForOp loop = schedule.loop;
  return llvm::any_of(ValueRange{dot.getLhs(), dot.getRhs()}, [&](Value operand) {
    if (!isa<MemDescType>(operand.getType()))
      return true;
    while (auto view = operand.getDefiningOp<MemDescPermuteOp>())
      operand = view.getSource();
    return operand.getParentRegion() == &loop.getRegion() &&
           llvm::none_of(schedule.streams, [&](const Stream &stream) {
             LocalAllocOp buffer = stream.buffer;
             return buffer && buffer.getResult() == operand;
           });
  });
}

static SmallVector<WgmmaOp> dotsOf(const LoopSchedule &schedule) {
  SmallVector<WgmmaOp> dots;
  for (const ScheduleStep &step : schedule.steps)
    if (step.kind == ScheduleStep::Kind::Compute)
      if (auto dot = dyn_cast<WgmmaOp>(step.op))
        dots.push_back(dot);
  return dots;
}

/// Whether threads compute between the dots of warpgroups: what one gives is another one's operand,
/// or they widen an operand.
static bool computesBetweenDots(const LoopSchedule &schedule) {
  SmallVector<WgmmaOp> dots = dotsOf(schedule);
  auto reads = [&](WgmmaOp dot) { return readsWhatIsComputed(dot, schedule); };
  auto widens = [](WgmmaOp dot) { return dot.widensFragments(); };
  return llvm::any_of(dots, widens) || (dots.size() > 1 && llvm::any_of(dots, reads));
}

/// Whether a warpgroup's part of the product is one accumulator of the instruction.
static bool hasOneAccumulator(WgmmaOp dot) {
  LinearLayout product = dot.getProductLayout();
  std::optional<WgmmaProductForm> form = matchWgmmaProduct(product);
  return form &&
         layoutShape(product) == std::vector<int64_t>{int32_t(kWgmmaRowsOfWarp) * form->rowWarps,
                                                      form->columns * form->columnGroups};
}

/// Whether the loop makes one tile of a product. With several accumulators to a warpgroup load
/// warps are slower (docs/benchmarks/steps.md), unless another warpgroup multiplies meanwhile.
static bool makesTile(const LoopSchedule &schedule) {
  SmallVector<WgmmaOp> dots = dotsOf(schedule);
  return dots.size() == 1 && !dots.front().getFragmentsOf() && !schedule.hasThreadCopies() &&
         !readsWhatIsComputed(dots.front(), schedule) &&
         (numWarpsOf(dots.front()) == kWarpsOfGroup || hasOneAccumulator(dots.front()));
}

/// Whether the loop makes one tile of a product, and a loop around it one tile after the other.
/// Load warps start the copies of the next one while this one is stored.
static bool makesTilesInTurn(const LoopSchedule &schedule) {
  scf::ForOp loop = schedule.loop;
  auto tiles = dyn_cast<scf::ForOp>(loop->getParentOp());
  return tiles && llvm::none_of(tiles.getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
         makesTile(schedule);
}

/// Whether a multiprocessor has room for one CTA only.
static bool fillsSharedMemory(func::FuncOp func, ArrayRef<LoopSchedule> schedules) {
  int64_t ahead = 0;
  for (const LoopSchedule &schedule : schedules)
    ahead = std::max(ahead, schedule.ringBytes() - schedule.bytesPerStage());
  int64_t bytes = SharedAllocation(func).getTotalBytes() + ahead;
  return 2 * bytes > processorOf(func).maxSharedBytesPerCta();
}

/// Whether the value is computed, element by element, from products of the loop.
static bool isMadeOfProducts(Value value, scf::ForOp loop) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || !isa<RankedTensorType>(value.getType()))
    return false;
  if (isa<WgmmaOp, WgmmaWaitOp>(op))
    return true;
  return (op->hasTrait<OpTrait::Elementwise>() || isa<ConvertLayoutOp, tile::NarrowOp>(op)) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isMadeOfProducts(operand, loop); });
}

/// Whether the loop masks elements of its products, as those do that walk over the ends of
/// sequences: few iterations. ptxas takes 50 registers more for masks in front of a dot where an
/// iteration waits in two places.
static bool masksProducts(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<arith::SelectOp>(), [&](arith::SelectOp select) {
    return isa<RankedTensorType>(select.getCondition().getType()) &&
           isMadeOfProducts(select.getResult(), loop);
  });
}

/// Whether an iteration stores to shared memory, beside what copies bring: for that all warps meet.
static bool storesToShared(const LoopSchedule &schedule) {
  return llvm::any_of(schedule.steps, [](const ScheduleStep &step) {
    return step.kind == ScheduleStep::Kind::Compute && isa<LocalStoreOp>(step.op);
  });
}

/// Whether computing warps release slots one by one, rather than meet at a barrier.
static bool releasesSlotsByWarps(const LoopSchedule &schedule) {
  return numWarpsOf(schedule.loop) > kWarpsOfGroup && canReleaseSlots(schedule) &&
         computesBetweenDots(schedule) && !storesToShared(schedule) &&
         !masksProducts(schedule.loop);
}

void applyRoles(const RolePlan &plan, MutableArrayRef<LoopSchedule> schedules) {
  for (LoopSchedule &schedule : schedules) {
    if (plan.hasLoadWarps && schedule.numTensorCopies())
      giveToLoadWarps(schedule);
    else if (releasesSlotsByWarps(schedule))
      releaseSlots(schedule);
  }
}

static bool pays(func::FuncOp func, ArrayRef<LoopSchedule> schedules, bool inCluster) {
  auto gains = [&](const LoopSchedule &schedule) {
    return computesBetweenDots(schedule) || makesTilesInTurn(schedule) ||
           (inCluster && !dotsOf(schedule).empty());
  };
  return llvm::any_of(schedules, gains) && fillsSharedMemory(func, schedules);
}

/// What accesses of global memory behind it wait for, and copies of `copying` may be behind: a
/// volatile load, an atomic that acquires, and a barrier if the program may write what is copied:
/// it orders nothing else. The load warps do not come there. Null when there is nothing.
static Operation *findOrder(func::FuncOp func, ArrayRef<const LoopSchedule *> copying) {
  WrittenMemory written(func);
  bool copiesWritten = llvm::any_of(copying, [&](const LoopSchedule *schedule) {
    return llvm::any_of(schedule->streams, [&](const Stream &stream) {
      return written.mayContain(stream.source()->getOperand(0));
    });
  });
  // Whatever stands behind the last loop runs when all copies have landed.
  Operation *last = nullptr;
  for (const LoopSchedule *schedule : copying) {
    Operation *loop = func.getBody().findAncestorOpInRegion(*schedule->loop);
    if (!last || last->isBeforeInBlock(loop))
      last = loop;
  }
  for (Operation &op : *last->getBlock()) {
    Operation *found = findAccessOrder(&op, copiesWritten);
    if (found || &op == last)
      return found;
  }
  return nullptr;
}

/// What keeps load warps from starting the copies of a loop; `slice` is what they run so far.
static RolePlan findObstacle(const LoopSchedule &schedule, LoadSlice &slice) {
  scf::ForOp loop = schedule.loop;
  auto refuse = [](Operation *op, StringRef reason) { return RolePlan{false, false, op, reason}; };
  if (schedule.hasThreadCopies())
    return refuse(loop, "some of its copies are not tensor copies");
  Operation *home = loop->getParentOp();
  while (isa<scf::ForOp>(home))
    home = home->getParentOp();
  auto func = dyn_cast<func::FuncOp>(home);
  if (!func || !func.getBody().hasOneBlock())
    return refuse(loop, "it is in a branch, or in a loop that is not counted");
  int warps = numWarpsOf(loop);
  if (32 * (warps + loadWarpsFor(warps)) > Processor::kMaxThreadsPerCta)
    return refuse(loop, "the kernel has no warp left");
  for (const Stream &stream : schedule.streams)
    if (!slice.add(stream.source()))
      return refuse(slice.getObstacle().op, slice.getObstacle().reason);
  return {true, false, nullptr, {}};
}

/// Whether the value is computed from the counter of the loop.
static bool dependsOnCounter(Value value, scf::ForOp loop, DenseSet<Value> &seen) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  return op && loop->isProperAncestor(op) && seen.insert(value).second &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOnCounter(operand, loop, seen); });
}

/// Whether tiles may be made at the same time that the text makes one after the other: none reads
/// what another one may write, and each writes somewhere else. Programs are independent anyway.
static bool areIndependent(scf::ForOp tiles) {
  if (!tiles.getBody()->getOps<EnterProgramOp>().empty())
    return true;
  WrittenMemory written(tiles);
  auto isHandle = [](Value value) {
    return isa<tile::PtrType, tile::DescType>(getElementTypeOrSelf(value.getType()));
  };
  auto mayMeet = [&](Operation *op) {
    if (isa<tile::StoreOp, tile::DescriptorStoreOp>(op)) {
      DenseSet<Value> seen;
      return llvm::none_of(op->getOperands(), [&](Value operand) {
        return (operand.getType().isIntOrIndex() || isHandle(operand)) &&
               dependsOnCounter(operand, tiles, seen);
      });
    }
    if (isa<tile::DescriptorReduceOp>(op) || isMemoryEffectFree(op))
      return false;
    return writesGlobal(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
             return isHandle(operand) && written.mayContain(operand);
           });
  };
  return !tiles
              .walk([&](Operation *op) {
                return op->getNumRegions() == 0 && mayMeet(op) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether a second warpgroup has something to do: there is one only, and a multiprocessor has no
/// room for another CTA.
static bool takesTilesInTurn(func::FuncOp func, ArrayRef<LoopSchedule> schedules,
                             ArrayRef<const LoopSchedule *> copying) {
  auto makesTiles = [&](const LoopSchedule *schedule) {
    return makesTilesInTurn(*schedule) &&
           schedule->loop->getParentOp() == copying.front()->loop->getParentOp();
  };
  return numWarpsOf(func) == kWarpsOfGroup && llvm::all_of(copying, makesTiles) &&
         areIndependent(cast<scf::ForOp>(copying.front()->loop->getParentOp())) &&
         fillsSharedMemory(func, schedules);
}

RolePlan planRoles(func::FuncOp func, ArrayRef<LoopSchedule> schedules, std::optional<bool> forced,
                   bool inCluster) {
  SmallVector<const LoopSchedule *> copying;
  for (const LoopSchedule &schedule : schedules) {
    if (!schedule.numTensorCopies())
      continue;
    std::optional<bool> asked = asksForRoles(schedule.loop);
    if (asked == false)
      return {};
    if (asked)
      forced = true;
    copying.push_back(&schedule);
  }
  if (copying.empty() || !forced.value_or(pays(func, schedules, inCluster)))
    return {};
  LoadSlice slice;
  for (const LoopSchedule *schedule : copying)
    if (RolePlan plan = findObstacle(*schedule, slice); !plan.hasLoadWarps)
      return plan;
  if (Operation *order = findOrder(func, copying))
    return {false, false, order,
            "the kernel orders accesses of memory, which the copies would run ahead of"};
  return {true, takesTilesInTurn(func, schedules, copying), nullptr, {}};
}

int64_t slotsBeside(Operation *scope, int64_t ringBytes, int64_t bytes) {
  constexpr int64_t barrierBytes = 1024, mostSlots = 2;
  int64_t left = processorOf(scope).maxSharedBytesPerCta() - barrierBytes - ringBytes;
  int64_t whole = 0, inParts = 0;
  scope->walk([&](Operation *op) {
    whole = std::max(whole, storedBytes(op));
    inParts = std::max(inParts, leastStoreBytes(op));
  });
  int64_t slots = (left - std::max(bytes, whole)) / bytes;
  return slots > 0 ? std::min(slots, mostSlots) : int64_t(left >= bytes + inParts);
}

/// Whether there can be a slot of a block that each program copies once.
static bool canCopyBlockAhead(func::FuncOp func, int64_t ringBytes, LoadSlice &slice) {
  return llvm::any_of(
      func.front().getOps<tile::DescriptorLoadOp>(), [&](tile::DescriptorLoadOp load) {
        std::optional<BufferFill> fill = fillBy(load);
        auto buffer = fill ? fill->store.getBuffer().getDefiningOp<LocalAllocOp>() : LocalAllocOp();
        return buffer && slice.add(load) &&
               slotsBeside(func, ringBytes, buffer.getType().getSizeInBytes()) > 0;
      });
}

bool gainsFromTurns(func::FuncOp func, ArrayRef<LoopSchedule> schedules) {
  LoadSlice slice;
  int64_t ringBytes = 0;
  bool makesTiles = true, computes = false;
  for (const LoopSchedule &schedule : schedules) {
    if (!schedule.numTensorCopies())
      continue;
    if (!isa<func::FuncOp>(schedule.loop->getParentOp()) || asksForRoles(schedule.loop) == false ||
        !findObstacle(schedule, slice).hasLoadWarps)
      return false;
    ringBytes = std::max(ringBytes, schedule.ringBytes());
    makesTiles &= makesTile(schedule);
    computes |= computesBetweenDots(schedule);
  }
  // The next program's copies would run ahead of all that this one does.
  auto orders = [](Operation &op) { return findAccessOrder(&op, /*barriers=*/true) != nullptr; };
  return ringBytes > 0 && llvm::none_of(func.front(), orders) &&
         fillsSharedMemory(func, schedules) &&
         (makesTiles || (computes && canCopyBlockAhead(func, ringBytes, slice)));
}

} // namespace tilec
