// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses from the memory effects and the asynchronous interfaces of operations.

#include "SharedAccesses.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

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
      if (auto copy = dyn_cast<TmaLoadOp>(op); copy && access.usesAsyncProxy) {
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

bool SharedAccessReader::mayOverlap(const SyncAccess &a, const SyncAccess &b) const {
  if (a.alloc == b.alloc)
    return slotsOf(a.alloc).mayBeSame(a.slot, b.slot);
  return a.begin < b.end && b.begin < a.end;
}

bool SharedAccessReader::conflict(const SyncAccess &earlier, const SyncAccess &later) const {
  if ((!earlier.isWrite && !later.isWrite) ||
      (earlier.op == later.op && earlier.isWrite == later.isWrite))
    return false;
  bool isSameBuffer = earlier.begin == later.begin && earlier.end == later.end;
  if (isSameBuffer &&
      ((earlier.isPrivate && later.isPrivate) || (earlier.isElected && later.isElected)))
    return false;
  // The thread that starts TMA loads has waited for those before.
  if (earlier.kind == AsyncKind::TensorLoad && later.kind == AsyncKind::TensorLoad &&
      earlier.alloc == later.alloc)
    return false;
  return mayOverlap(earlier, later);
}
