// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dataflow behind the plan. The state after an `if` is the union over its branches; the state
// at the head of a loop is the union of what enters and what the body leaves. A point that was
// found stays while a loop is repeated, so the found set only grows; for a fixed found set the
// states only grow.

#include "tilec/Analysis/Synchronisation.h"

#include "GlobalOrder.h"
#include "SharedAccesses.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

bool tilec::isCtaBarrier(Operation *op) {
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
    return !barrier.getNumberOfThreads();
  return isa<tile::BarrierOp, NVVM::Barrier0Op, ClusterBarrierOp>(op) ||
         op->getName().getStringRef() == "gpu.barrier";
}

namespace {

/// The two accesses that show that a point is needed, and who waits for whom.
struct Reason {
  unsigned earlier, later;
  SyncThreads threads;
};

using Points = std::map<SyncPosition, Reason>;

/// The accesses of other threads that may not be done, or not be fenced.
using State = SharedAccesses;

void unite(State &target, const State &source) { target.insert(source.begin(), source.end()); }

class Synchroniser {
public:
  /// `plan` has points that are certain.
  Synchroniser(FunctionOpInterface function, const SharedAllocation &allocation,
               ArrayRef<SyncPoint> plan)
      : func(function), reader(function, allocation) {
    for (const SyncPoint &point : plan)
      given.insert({reader.numberOf(point.op), point.isBehind});
  }

  SmallVector<SyncPoint> plan();

private:
  void runOnRegion(Region &region, State &state) {
    if (region.hasOneBlock())
      return runOnBlock(region.front(), state);
    runOnGraph(region, state);
  }
  void runOnBlock(Block &block, State &state);
  void runOnGraph(Region &region, State &state);
  void runOnOp(Operation *op, State &state);
  void runOnAccess(Operation *op, State &state);
  void runOnWait(AsyncWaitOpInterface wait, State &state);
  void runOnFragments(WgmmaOp product, State &state);
  void closeGroups(AsyncOpInterface op, State &state);
  void runOnFor(scf::ForOp loop, State &state);
  void runOnOther(Operation *op, State &state);
  void forgetValuesOf(Operation *op, State &state);
  /// Runs `body` until it finds nothing new and `head` covers what it leaves. `body` turns the
  /// state at the head of the loop into the one at the back edge.
  void iterate(State &head, llvm::function_ref<State(State)> body);

  void applyBarrier(SyncPosition position, SyncThreads threads, State &state);
  void addBarrier(SyncPosition place, Reason reason);
  static void applyFence(State &state);
  /// Where a barrier between `conflicts` and `op` goes.
  SyncPosition placeOf(Operation *op, ArrayRef<const SyncAccess *> conflicts);
  Operation *firstCopyWith(Operation *op, ArrayRef<const SyncAccess *> conflicts);
  SyncPosition placeOfFence(const SyncAccess &earlier, unsigned later);
  void findFences(ArrayRef<SyncAccess> accesses, const State &state);
  void findFencesOfRelease(SlotReleaseOp release, const State &state);

  void run() {
    State state;
    runOnRegion(func.getFunctionBody(), state);
  }
  /// Removes a point if nothing is missing then.
  bool removeIfRedundant(Points &points, SyncPosition position);
  void removeRedundantBarriers();
  void hoistBarriers();
  void removeRedundantFences();

  FunctionOpInterface func;
  SharedAccessReader reader;
  /// Barriers that are planned already.
  std::set<SyncPosition> given;
  Points barriers, fences;
  /// How often one of `barriers` has become one of more threads.
  size_t widened = 0;
  bool findsFences = false;
  /// Whether it is only checked that the points are enough, and whether they are.
  bool isChecking = false, isEnough = true;
  /// The last wait for copies and the last one for products, in the block that is run.
  Operation *copyWait = nullptr, *productWait = nullptr;
};

} // namespace

//===--------------------------------------------------------------------------------------------===//
// Operations
//===--------------------------------------------------------------------------------------------===//

void Synchroniser::applyFence(State &state) {
  update(state, [](SyncAccess &access) {
    access.isFenced |= access.progress != Progress::InFlight;
    return !access.isFenced || access.progress != Progress::KnownToAll;
  });
}

void Synchroniser::applyBarrier(SyncPosition position, SyncThreads threads, State &state) {
  bool isOfAll = threads == SyncThreads::Cta;
  update(state, [&](SyncAccess &access) {
    if (access.progress == Progress::InFlight || (!isOfAll && !reader.isParted(access.alloc)))
      return true;
    access.progress =
        isOfAll ? Progress::KnownToAll : std::max(access.progress, Progress::KnownToWarpgroup);
    access.barrier = position;
    access.knownSince = 0;
    return access.progress != Progress::KnownToAll ||
           (findsFences && !access.isFenced && !access.usesAsyncProxy);
  });
}

void Synchroniser::addBarrier(SyncPosition place, Reason reason) {
  auto [barrier, isNew] = barriers.try_emplace(place, reason);
  if (isNew || barrier->second.threads >= reason.threads)
    return;
  barrier->second = reason;
  ++widened;
}

SyncPosition Synchroniser::placeOf(Operation *op, ArrayRef<const SyncAccess *> conflicts) {
  auto isRightBehind = [&](Operation *wait) {
    if (!wait)
      return false;
    unsigned number = reader.numberOf(wait);
    SmallVector<SyncAccess, 2> accesses = reader.of(op);
    auto isOfSameRing = [&](const SyncAccess *earlier) {
      return reader.slotsOf(earlier->alloc).buffers() > 1 &&
             llvm::any_of(accesses,
                          [&](const SyncAccess &access) { return access.alloc == earlier->alloc; });
    };
    return llvm::any_of(conflicts, isOfSameRing) &&
           llvm::all_of(conflicts, [&](const SyncAccess *earlier) {
             return earlier->knownSince <= number && earlier->progress == Progress::KnownToSome;
           });
  };
  bool starts = isa<AsyncCopyOp, TmaLoadOp>(op);
  Operation *place = nullptr;
  for (Operation *wait : {copyWait, starts ? productWait : nullptr})
    if (isRightBehind(wait) && (!place || place->isBeforeInBlock(wait)))
      place = wait;
  if (place)
    return {reader.numberOf(place), true};
  return {reader.numberOf(starts ? firstCopyWith(op, conflicts) : op), false};
}

/// The first of the copies that are started one behind the other up to `op`; a barrier in front of
/// it does for all of them, with one fence.
Operation *Synchroniser::firstCopyWith(Operation *op, ArrayRef<const SyncAccess *> conflicts) {
  Operation *first = op;
  for (Operation *prev = op->getPrevNode(); prev; prev = prev->getPrevNode()) {
    unsigned number = reader.numberOf(prev);
    bool isConflict =
        llvm::any_of(conflicts, [&](const SyncAccess *earlier) { return earlier->op == number; });
    if (isConflict || given.count({number, false}) || given.count({number, true}))
      break;
    if (isa<AsyncCopyOp, TmaLoadOp>(prev))
      first = prev;
    else if (!isMemoryEffectFree(prev))
      break;
  }
  return first;
}

/// Where a fence between `earlier` and an operation goes: in front of the barrier that lies
/// between, else right before, but outside of loops that `earlier` is not in. When the barrier
/// comes in the next iteration it goes behind the wait for `earlier`: what is left of this one
/// hides its latency.
SyncPosition Synchroniser::placeOfFence(const SyncAccess &earlier, unsigned later) {
  SyncPosition place = earlier.barrier.value_or(SyncPosition(later, false));
  if (earlier.doneBy > place.first && earlier.doneBy != earlier.op)
    return {earlier.doneBy, true};
  Operation *done = reader.operation(earlier.doneBy);
  for (Operation *parent = reader.operation(place.first)->getParentOp();
       parent && !parent->isAncestor(done); parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      place = SyncPosition(reader.numberOf(parent), false);
  return place;
}

void Synchroniser::findFences(ArrayRef<SyncAccess> accesses, const State &state) {
  for (const SyncAccess &access : accesses)
    for (const SyncAccess &earlier : state)
      if (access.usesAsyncProxy && !earlier.usesAsyncProxy && !earlier.isFenced &&
          earlier.progress != Progress::InFlight && reader.conflict(earlier, access)) {
        if (isChecking)
          isEnough = false;
        else
          fences.try_emplace(placeOfFence(earlier, access.op),
                             Reason{earlier.op, access.op, SyncThreads::None});
      }
}

/// Copies that overwrite what this thread has read through the generic proxy may start behind its
/// release.
void Synchroniser::findFencesOfRelease(SlotReleaseOp release, const State &state) {
  DenseSet<Operation *> rings = reader.releasedBy(release);
  unsigned number = reader.numberOf(release);
  for (const SyncAccess &earlier : state)
    if (rings.contains(earlier.alloc) && reader.isCopiedByLoadWarps(earlier.alloc) &&
        !earlier.usesAsyncProxy && !earlier.isFenced && earlier.progress != Progress::InFlight) {
      if (isChecking)
        isEnough = false;
      else
        fences.try_emplace(SyncPosition(number, false),
                           Reason{earlier.op, number, SyncThreads::None});
    }
}

void Synchroniser::runOnAccess(Operation *op, State &state) {
  SmallVector<SyncAccess, 2> accesses = reader.of(op);
  if (accesses.empty())
    return;
  SmallVector<const SyncAccess *> conflicts;
  SyncThreads threads = SyncThreads::Warpgroup;
  for (const SyncAccess &earlier : state) {
    Progress needed = Progress::InFlight;
    for (const SyncAccess &access : accesses)
      if (earlier.progress != Progress::KnownToAll && reader.conflict(earlier, access))
        needed = std::max(needed, reader.progressFor(earlier, access));
    if (earlier.progress >= needed)
      continue;
    conflicts.push_back(&earlier);
    if (needed == Progress::KnownToAll)
      threads = SyncThreads::Cta;
  }
  if (!conflicts.empty() && isChecking) {
    isEnough = false;
    return;
  }
  if (!conflicts.empty()) {
    SyncPosition place = placeOf(op, conflicts);
    addBarrier(place, Reason{conflicts.front()->op, reader.numberOf(op), threads});
    // What has come to be known behind the place is still open.
    State open;
    for (const SyncAccess &access : state)
      if (access.progress == Progress::KnownToSome && SyncPosition(access.knownSince, true) > place)
        open.insert(access);
    applyBarrier(place, threads, state);
    unite(state, open);
  }
  if (findsFences)
    findFences(accesses, state);
  for (const SyncAccess &access : accesses)
    state.insert(access);
}

void Synchroniser::closeGroups(AsyncOpInterface op, State &state) {
  int64_t groups = op.getNumAsyncGroups();
  if (!groups)
    return;
  update(state, [&](SyncAccess &access) {
    if (access.progress == Progress::InFlight && access.kind == op.getAsyncKind())
      access.age = access.age < 0 ? 0 : std::min(access.age + groups, SyncAccess::kMaxAge);
    return true;
  });
}

void Synchroniser::runOnWait(AsyncWaitOpInterface wait, State &state) {
  std::optional<int64_t> most = wait.getMaxGroupsInFlight();
  std::pair<Value, Value> object = wait.getBarrierObject();
  Operation *ring = object.first ? reader.ringOf(object.first) : nullptr;
  update(state, [&](SyncAccess &access) {
    if (access.kind != wait.getAsyncKind())
      return true;
    if (most) {
      if (access.progress == Progress::InFlight && access.age >= *most) {
        access.progress = Progress::KnownToSome;
        access.doneBy = access.knownSince = reader.numberOf(wait);
      }
      return true;
    }
    // All threads wait for a barrier object, and know.
    return !ring || access.objects != ring ||
           !reader.slotsOf(ring).mayBeSame(access.object, reader.slotsOf(ring).of(object.second));
  });
  if (isa<WgmmaWaitOp>(wait))
    productWait = wait;
  else if (isa<AsyncWaitOp, MbarrierWaitOp>(wait))
    copyWait = wait;
}

/// The thread has waited for all products before this one when it has read the fragments.
void Synchroniser::runOnFragments(WgmmaOp product, State &state) {
  update(state, [&](SyncAccess &access) {
    if (access.kind == AsyncKind::Wgmma && access.progress == Progress::InFlight &&
        access.age >= 0) {
      access.progress = Progress::KnownToSome;
      access.doneBy = access.knownSince = reader.numberOf(product);
    }
    return true;
  });
}

void Synchroniser::runOnOp(Operation *op, State &state) {
  if (!isEnough)
    return;
  SyncPosition before(reader.numberOf(op), false), behind(reader.numberOf(op), true);
  if (fences.count(before))
    applyFence(state);
  if (auto barrier = barriers.find(before); barrier != barriers.end())
    applyBarrier(before, barrier->second.threads, state);
  if (isCtaBarrier(op) || given.count(before))
    applyBarrier(before, SyncThreads::Cta, state);
  else if (isa<WarpgroupBarrierOp>(op))
    applyBarrier(before, SyncThreads::Warpgroup, state);
  else if (isa<ProxyFenceOp>(op))
    applyFence(state);
  if (op->getNumRegions() > 0) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      runOnFor(loop, state);
    else
      runOnOther(op, state);
    copyWait = productWait = nullptr;
    return;
  }
  // What others write is written behind the barrier.
  if (!isa<ClusterBarrierOp>(op))
    runOnAccess(op, state);
  if (auto release = dyn_cast<SlotReleaseOp>(op); release && findsFences)
    findFencesOfRelease(release, state);
  if (auto product = dyn_cast<WgmmaOp>(op); product && product.getFragmentsOf())
    runOnFragments(product, state);
  if (auto async = dyn_cast<AsyncOpInterface>(op))
    closeGroups(async, state);
  if (auto wait = dyn_cast<AsyncWaitOpInterface>(op))
    runOnWait(wait, state);
  if (fences.count(behind))
    applyFence(state);
  if (auto barrier = barriers.find(behind); barrier != barriers.end())
    applyBarrier(behind, barrier->second.threads, state);
  if (given.count(behind))
    applyBarrier(behind, SyncThreads::Cta, state);
}

//===--------------------------------------------------------------------------------------------===//
// Control flow
//===--------------------------------------------------------------------------------------------===//

void Synchroniser::runOnBlock(Block &block, State &state) {
  copyWait = productWait = nullptr;
  update(state, [](SyncAccess &access) {
    access.knownSince = 0;
    return true;
  });
  for (Operation &op : block)
    runOnOp(&op, state);
}

void Synchroniser::iterate(State &head, llvm::function_ref<State(State)> body) {
  const State entry = head;
  for (;;) {
    size_t foundBefore = barriers.size() + fences.size() + widened;
    State next = body(head);
    unite(next, head);
    // What is behind a conflict that a check has found does not matter.
    if (!isEnough)
      return;
    if (barriers.size() + fences.size() + widened != foundBefore) {
      // With what was found less is open: start over.
      head = entry;
      continue;
    }
    if (next == head)
      return;
    head = std::move(next);
  }
}

/// Whether the body of `loop` certainly runs.
static bool runsAtLeastOnce(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  return lower && upper && !loop.getUnsignedCmp() && *lower < *upper;
}

static bool hasLoopsInside(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void Synchroniser::runOnFor(scf::ForOp loop, State &state) {
  using Step = std::optional<RingSlot> (RingSlots::*)(const RingSlot &, scf::ForOp) const;
  auto move = [&](State &accesses, Step step) {
    update(accesses, [&](SyncAccess &access) {
      access.knownSince = 0;
      if (access.slot)
        access.slot = (reader.slotsOf(access.alloc).*step)(*access.slot, loop);
      if (access.object)
        access.object = (reader.slotsOf(access.objects).*step)(*access.object, loop);
      return true;
    });
  };
  move(state, &RingSlots::atEntry);
  bool isCounted = !hasLoopsInside(loop);
  State last, skipped = state;
  update(skipped, [&](SyncAccess &access) { return reader.mayHappenWithout(access, loop); });
  auto pass = [&](State head) {
    runOnBlock(*loop.getBody(), head);
    move(head, &RingSlots::atBackEdge);
    isCounted ? reader.countPass(loop, head) : reader.endPass(loop, head);
    last = head;
    return head;
  };
  bool repeats = !loop->hasAttr(tile::TileDialect::kRunsOnceAttr);
  repeats ? iterate(state, pass) : void(pass(state));
  state = std::move(last);
  if (isCounted)
    reader.dropCopiesPastEnd(loop, state);
  if (!runsAtLeastOnce(loop))
    unite(state, skipped);
  move(state, &RingSlots::atExit);
}

/// Slots that are relative to values inside `op` are any slots behind it.
void Synchroniser::forgetValuesOf(Operation *op, State &state) {
  auto forget = [&](std::optional<RingSlot> &slot) {
    if (slot && slot->root && op->isAncestor(slot->root.getParentBlock()->getParentOp()))
      slot.reset();
  };
  update(state, [&](SyncAccess &access) {
    access.knownSince = 0;
    forget(access.slot);
    forget(access.object);
    return true;
  });
  reader.endPass(op, state);
}

void Synchroniser::runOnOther(Operation *op, State &state) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    State other = state;
    runOnRegion(branch.getThenRegion(), state);
    if (!branch.getElseRegion().empty())
      runOnRegion(branch.getElseRegion(), other);
    unite(state, other);
  } else if (auto roles = dyn_cast<WarpRolesOp>(op)) {
    // What one role leaves to the other is handed over by barrier objects.
    State other = state;
    runOnRegion(roles.getLoad(), other);
    runOnRegion(roles.getCompute(), state);
    unite(state, other);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    State exit;
    iterate(state, [&](State head) {
      runOnRegion(loop.getBefore(), head);
      exit = head;
      runOnRegion(loop.getAfter(), head);
      forgetValuesOf(op, head);
      return head;
    });
    state = std::move(exit);
  } else {
    // Any other op with regions is treated as a loop over all of them that may not run.
    iterate(state, [&](State head) {
      for (Region &region : op->getRegions())
        runOnRegion(region, head);
      forgetValuesOf(op, head);
      return head;
    });
  }
  forgetValuesOf(op, state);
}

void Synchroniser::runOnGraph(Region &region, State &state) {
  if (region.empty())
    return;
  // Unstructured control flow: every block may follow every other one.
  iterate(state, [&](State head) {
    State all;
    for (Block &block : region) {
      State inside = head;
      runOnBlock(block, inside);
      unite(all, inside);
    }
    forgetValuesOf(region.getParentOp(), all);
    return all;
  });
}

//===--------------------------------------------------------------------------------------------===//
// The plan
//===--------------------------------------------------------------------------------------------===//

bool Synchroniser::removeIfRedundant(Points &points, SyncPosition position) {
  auto point = points.extract(position);
  isChecking = true;
  run();
  isChecking = false;
  bool enough = std::exchange(isEnough, true);
  if (!enough)
    points.insert(std::move(point));
  return enough;
}

/// In the first round over a loop's body its end has not been seen: a barrier that was found then
/// may have one behind it that does its work, too. Those behind waits stay where they can.
void Synchroniser::removeRedundantBarriers() {
  SmallVector<SyncPosition> candidates;
  for (bool isBehindWait : {false, true})
    for (const auto &[position, reason] : barriers)
      if (position.second == isBehindWait &&
          reader.operation(position.first)->getParentOfType<LoopLikeOpInterface>())
        candidates.push_back(position);
  for (SyncPosition position : candidates)
    removeIfRedundant(barriers, position);
}

/// A barrier that only the first iteration needs goes in front of the loop. There it may do the
/// work of others behind the loop, which were found for when it does not run.
void Synchroniser::hoistBarriers() {
  bool isAnyHoisted = false;
  for (SyncPosition position : llvm::to_vector(llvm::make_first_range(barriers))) {
    if (isAnyHoisted && removeIfRedundant(barriers, position))
      continue;
    auto loop = reader.operation(position.first)->getParentOfType<LoopLikeOpInterface>();
    if (!loop)
      continue;
    SyncPosition before(reader.numberOf(loop), false);
    auto [added, isNew] = barriers.try_emplace(before, barriers.at(position));
    if (removeIfRedundant(barriers, position))
      isAnyHoisted = true;
    else if (isNew)
      barriers.erase(added);
  }
}

/// A fence in front of a loop waits for what is in flight there; one inside may do its work, too.
void Synchroniser::removeRedundantFences() {
  for (SyncPosition position : llvm::to_vector(llvm::make_first_range(fences)))
    removeIfRedundant(fences, position);
}

SmallVector<SyncPoint> Synchroniser::plan() {
  run();
  removeRedundantBarriers();
  hoistBarriers();
  func.walk([&](Operation *op) {
    findsFences |=
        llvm::any_of(reader.of(op), [](const SyncAccess &access) { return access.usesAsyncProxy; });
  });
  // A fence serves all that comes before it: with a new one, start over.
  for (size_t found = ~size_t(0); findsFences && found != fences.size();) {
    found = fences.size();
    run();
  }
  removeRedundantFences();
  std::map<SyncPosition, SyncPoint> points;
  auto add = [&](const Points &found, auto need) {
    for (auto [position, reason] : found) {
      SyncPoint &point = points[position];
      point.op = reader.operation(position.first);
      point.isBehind = position.second;
      need(point, reason);
      if (!point.earlier) {
        point.earlier = reader.operation(reason.earlier);
        point.later = reader.operation(reason.later);
      }
    }
  };
  add(barriers, [](SyncPoint &point, const Reason &reason) { point.barrier = reason.threads; });
  add(fences, [](SyncPoint &point, const Reason &) {
    point.needsFence = true;
    // One lane releases for its warp.
    if (isa<SlotReleaseOp>(point.op))
      point.barrier = SyncThreads::Warp;
  });
  return llvm::to_vector(llvm::make_second_range(points));
}

SmallVector<SyncPoint> tilec::planSynchronisation(FunctionOpInterface func,
                                                  const SharedAllocation &allocation) {
  SmallVector<SyncPoint> plan = planAtomicOrder(func);
  llvm::append_range(plan, Synchroniser(func, allocation, plan).plan());
  llvm::append_range(plan, planAccessOrder(func, plan));
  return plan;
}
