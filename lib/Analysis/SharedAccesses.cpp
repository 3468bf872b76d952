// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses from the memory effects and the asynchronous interfaces of operations.

#include "SharedAccesses.h"

#include "dialects/Tile/LoopCounter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/IndexPolynomial.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Whether threads read from a ring, or from a view of it, only what they have copied themselves.
static bool isPrivateRing(Value view) {
  return llvm::all_of(view.getUsers(), [](Operation *user) {
    if (isa<MemDescIndexOp, MemDescPermuteOp>(user))
      return isPrivateRing(user->getResult(0));
    return isa<AsyncCopyOp>(user) ||
           (isa<LocalLoadOp>(user) && user->hasAttr(TileGPUDialect::kOwnPartAttr));
  });
}

SharedAccessReader::SharedAccessReader(FunctionOpInterface func,
                                       const SharedAllocation &sharedAllocation)
    : allocation(sharedAllocation) {
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = operations.size();
    operations.push_back(op);
  });
  for (auto &entry : allocation.getBuffers()) {
    LocalAllocOp alloc = entry.first;
    slots.emplace(alloc, RingSlots(alloc));
    if (alloc.getType().getBuffers() > 1 && isPrivateRing(alloc))
      privateRings.insert(alloc);
  }
  func.walk([&](TmaStoreOp store) {
    if (store.getWarpgroups())
      partedBuffers.insert(ringOf(store.getBuffer()));
  });
  func.walk([&](SlotAcquireOp acquire) {
    DenseSet<Operation *> &released = ringsOfEmpty[ringOf(acquire.getEmpty())];
    for (Operation *fill : fillsBehind(acquire)) {
      Operation *ring = ringOf(filledBy(fill));
      released.insert(ring);
      if (isa<TmaLoadOp>(fill))
        copiedRings.insert(ring);
    }
  });
}

DenseSet<Operation *> SharedAccessReader::releasedBy(SlotReleaseOp release) const {
  return ringsOfEmpty.lookup(ringOf(release.getEmpty()));
}

Operation *SharedAccessReader::ringOf(Value descriptor) const {
  ArrayRef<LocalAllocOp> buffers = allocation.getBuffersOf(descriptor);
  return buffers.size() == 1 ? LocalAllocOp(buffers.front()).getOperation() : nullptr;
}

SmallVector<SyncAccess, 2> SharedAccessReader::of(Operation *op) const {
  SmallVector<SyncAccess, 2> accesses;
  // Descriptors that control flow only passes on.
  if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() > 0)
    return accesses;
  auto async = dyn_cast<AsyncOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayRef<LocalAllocOp> buffers = allocation.getBuffersOf(operand.get());
    if (buffers.empty())
      continue;
    bool reads = true;
    bool writes = true;
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
      SmallVector<MemoryEffects::EffectInstance> instances;
      effects.getEffectsOnValue(operand.get(), instances);
      auto has = [&](auto effect) {
        return llvm::any_of(instances, [](const MemoryEffects::EffectInstance &instance) {
          return isa<decltype(effect)>(instance.getEffect());
        });
      };
      reads = has(MemoryEffects::Read());
      writes = has(MemoryEffects::Write());
    }
    for (LocalAllocOp alloc : buffers) {
      const SharedBuffer &buffer = allocation.getBuffers().find(alloc)->second;
      SyncAccess access;
      access.begin = buffer.offset;
      access.end = buffer.end();
      access.alloc = alloc;
      access.op = access.doneBy = access.knownSince = numberOf(op);
      if (buffers.size() == 1)
        access.slot = slotsOf(alloc).ofView(operand.get());
      access.isPrivate = isa<ParkOp, UnparkOp>(op) || privateRings.contains(alloc);
      access.isElected = isa<MbarrierInitOp, MbarrierInvalOp>(op);
      if (async && !async.isSynchronous(operand)) {
        access.usesAsyncProxy = async.usesAsyncProxy(operand);
        access.kind = async.getAsyncKind();
        access.age = -1;
        // TMA loads are waited for in time: whoever has started one does.
        if (access.kind != AsyncKind::TensorLoad)
          access.progress = Progress::InFlight;
      }
      auto copy = dyn_cast<TmaLoadOp>(op);
      access.hasPredicate = copy && copy.getPredicate();
      if (copy && access.usesAsyncProxy) {
        access.objects = ringOf(copy.getBarriers());
        if (access.objects)
          access.object = slotsOf(access.objects).of(copy.getSlot());
      }
      for (bool isWrite : {false, true})
        if (isWrite ? writes : reads) {
          access.isWrite = isWrite;
          accesses.push_back(access);
        }
    }
  }
  return accesses;
}

/// Whether `op` has the bounds of `loop` as operands.
static bool takesBounds(Operation *op, scf::ForOp loop) {
  auto isSame = [](Value a, Value b) { return splitConstant(a) == splitConstant(b); };
  Value a = op->getOperand(0), b = op->getOperand(1);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  return (isSame(a, lower) && isSame(b, upper)) || (isSame(a, upper) && isSame(b, lower));
}

static bool isMinOfBounds(Value value, scf::ForOp loop) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  return op && (loop.getUnsignedCmp() ? isa<arith::MinUIOp>(op) : isa<arith::MinSIOp>(op)) &&
         takesBounds(op, loop);
}

static bool isMaxOfBounds(Value value, scf::ForOp loop) {
  Operation *op = value.getDefiningOp();
  return op && (loop.getUnsignedCmp() ? isa<arith::MaxUIOp>(op) : isa<arith::MaxSIOp>(op)) &&
         takesBounds(op, loop);
}

/// The predicate, if it says that something is less than a bound, as `loop` compares.
static arith::CmpIOp boundOf(TmaLoadOp copy, scf::ForOp loop) {
  auto bound = copy.getPredicate().getDefiningOp<arith::CmpIOp>();
  return bound && bound.getPredicate() == lessOf(loop) ? bound : nullptr;
}

bool SharedAccessReader::mayHappenWithout(SyncAccess &access, scf::ForOp loop) const {
  if (!access.hasPredicate)
    return true;
  arith::CmpIOp bound = boundOf(cast<TmaLoadOp>(operation(access.op)), loop);
  if (!bound)
    return true;
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), end = bound.getRhs();
  auto [place, offset] = splitConstant(bound.getLhs());
  auto [first, start] = splitConstant(lower);
  if (end == upper)
    return place != first || offset < start;
  if (access.skipped) {
    auto before = cast<scf::ForOp>(operation(access.skipped));
    if (before.getUpperBound() == lower && isMinOfBounds(place, before) &&
        isMaxOfBounds(end, loop) && offset >= 0)
      return false;
  }
  if (isMinOfBounds(place, loop))
    access.skipped = numberOf(loop);
  return true;
}

std::optional<int64_t> SharedAccessReader::iterationsAhead(const SyncAccess &access,
                                                           scf::ForOp loop) const {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!access.hasPredicate || !step || *step <= 0)
    return std::nullopt;
  Operation *copy = operation(access.op);
  arith::CmpIOp bound = boundOf(cast<TmaLoadOp>(copy), loop);
  if (!bound || bound.getRhs() != loop.getUpperBound())
    return std::nullopt;
  bool isInside = loop->isAncestor(copy);
  auto [place, offset] = splitConstant(bound.getLhs());
  auto [first, start] = splitConstant(isInside ? loop.getInductionVar() : loop.getLowerBound());
  if (place != first || offset < start)
    return std::nullopt;
  return (offset - start) / *step;
}

void SharedAccessReader::endPass(Operation *op, SharedAccesses &accesses) const {
  update(accesses, [&](SyncAccess &access) {
    if (op->isAncestor(operation(access.op))) {
      access.hasPredicate = false;
      access.skipped = 0;
    }
    return true;
  });
}

void SharedAccessReader::countPass(scf::ForOp loop, SharedAccesses &accesses) const {
  update(accesses, [&](SyncAccess &access) {
    if (std::optional<int64_t> ahead = iterationsAhead(access, loop))
      access.passes = std::min(access.passes + 1, *ahead + 1);
    else if (loop->isAncestor(operation(access.op)))
      access.hasPredicate = false;
    return true;
  });
}

void SharedAccessReader::dropCopiesPastEnd(scf::ForOp loop, SharedAccesses &accesses) const {
  update(accesses, [&](SyncAccess &access) {
    std::optional<int64_t> ahead = iterationsAhead(access, loop);
    return !ahead || std::exchange(access.passes, 0) > *ahead;
  });
  endPass(loop, accesses);
}

bool SharedAccessReader::mayOverlap(const SyncAccess &a, const SyncAccess &b) const {
  if (a.alloc == b.alloc)
    return slotsOf(a.alloc).mayBeSame(a.slot, b.slot);
  return a.begin < b.end && b.begin < a.end;
}

/// The types that say which bytes of a buffer each thread writes; none without a layout.
static std::pair<RankedTensorType, MemDescType> typesOfWrite(Operation *op) {
  std::pair<RankedTensorType, MemDescType> types;
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    types = {copy.getPointer().getType(), copy.getBuffer().getType()};
  else if (auto store = dyn_cast<LocalStoreOp>(op))
    types = {store.getValue().getType(), store.getBuffer().getType()};
  if (types.first && !types.first.getEncoding())
    types = {};
  return types;
}

bool SharedAccessReader::writeSameParts(const SyncAccess &a, const SyncAccess &b) const {
  Operation *first = operation(a.op), *second = operation(b.op);
  auto types = typesOfWrite(first);
  return types.first && types == typesOfWrite(second) && first->getName() == second->getName() &&
         first->getParentOfType<WarpRolesOp>() == second->getParentOfType<WarpRolesOp>() &&
         (a.begin - b.begin) % types.second.getBufferBytes() == 0;
}

bool SharedAccessReader::conflict(const SyncAccess &earlier, const SyncAccess &later) const {
  if ((!earlier.isWrite && !later.isWrite) ||
      (earlier.op == later.op && earlier.isWrite == later.isWrite))
    return false;
  bool isSameBuffer = earlier.begin == later.begin && earlier.end == later.end;
  if (isSameBuffer &&
      ((earlier.isPrivate && later.isPrivate) || (earlier.isElected && later.isElected)))
    return false;
  // Copies past a loop's end are waited for by the thread that has started them; what a thread
  // stores twice, it stores in order.
  if (earlier.progress != Progress::InFlight && writeSameParts(earlier, later))
    return false;
  // The thread that starts TMA loads has waited for those before, and where it acquires slots, for
  // those that have read them.
  if (later.kind == AsyncKind::TensorLoad && earlier.alloc == later.alloc &&
      (earlier.kind == AsyncKind::TensorLoad || copiedRings.contains(later.alloc)))
    return false;
  return mayOverlap(earlier, later);
}
