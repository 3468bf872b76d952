// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits for tensor stores that another one repeats. From behind a wait its block is followed to the
// next one; loops and branches on the way run or do not, and have no conflict in front of a wait of
// their own.

#include "SharedAccesses.h"
#include "tilec/Analysis/Synchronisation.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {

class IdleWaits {
public:
  IdleWaits(FunctionOpInterface function, const SharedAllocation &sharedAllocation)
      : func(function), allocation(sharedAllocation), reader(function, allocation) {}

  SmallVector<TmaStoreWaitOp> find();

private:
  enum class Way { Waits, Ends, Conflicts };
  /// What comes first from `begin` on: a wait in the block, its end, or something that may only be
  /// done when the stores have read their sources.
  Way follow(Block::iterator begin, Block::iterator end) const;
  /// Whether `store` may be in flight at `wait`.
  bool mayStartBefore(TmaStoreOp store, TmaStoreWaitOp wait) const;
  /// Whether `op` writes a source, or tells others that they may.
  bool conflicts(Operation *op) const;

  bool overlapsSources(int64_t begin, int64_t end) const {
    return llvm::any_of(sources, [&](const SyncAccess &source) {
      return begin < source.end && source.begin < end;
    });
  }

  FunctionOpInterface func;
  const SharedAllocation &allocation;
  SharedAccessReader reader;
  DenseSet<Operation *> idle;
  /// What the stores read that the wait in question may be for.
  SmallVector<SyncAccess> sources;
};

} // namespace

bool IdleWaits::mayStartBefore(TmaStoreOp store, TmaStoreWaitOp wait) const {
  if (reader.numberOf(store) < reader.numberOf(wait))
    return true;
  for (Operation *parent = wait->getParentOp(); parent != func; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent) && parent->isAncestor(store))
      return true;
  return false;
}

bool IdleWaits::conflicts(Operation *op) const {
  if (isa<NamedBarrierOp, ClusterBarrierOp, WarpRolesOp, tile::BarrierOp>(op))
    return true;
  if (auto release = dyn_cast<SlotReleaseOp>(op)) {
    DenseSet<Operation *> rings = reader.releasedBy(release);
    return rings.empty() || llvm::any_of(rings, [&](Operation *ring) {
             auto buffer = allocation.getBuffers().find(dyn_cast_or_null<LocalAllocOp>(ring));
             return buffer == allocation.getBuffers().end() ||
                    overlapsSources(buffer->second.offset, buffer->second.end());
           });
  }
  return llvm::any_of(reader.of(op), [&](const SyncAccess &access) {
    return access.isWrite && overlapsSources(access.begin, access.end);
  });
}

IdleWaits::Way IdleWaits::follow(Block::iterator begin, Block::iterator end) const {
  for (Operation &op : llvm::make_range(begin, end)) {
    auto wait = dyn_cast<TmaStoreWaitOp>(op);
    if (wait && wait.getPending() == 0 && !idle.contains(wait))
      return Way::Waits;
    if (conflicts(&op))
      return Way::Conflicts;
    for (Region &region : op.getRegions())
      for (Block &block : region)
        if (follow(block.begin(), block.end()) == Way::Conflicts)
          return Way::Conflicts;
  }
  return Way::Ends;
}

SmallVector<TmaStoreWaitOp> IdleWaits::find() {
  SmallVector<TmaStoreWaitOp> found;
  func.walk([&](TmaStoreWaitOp wait) {
    sources.clear();
    func.walk([&](TmaStoreOp store) {
      if (mayStartBefore(store, wait))
        llvm::append_range(sources, reader.of(store));
    });
    if (follow(std::next(wait->getIterator()), wait->getBlock()->end()) == Way::Waits) {
      idle.insert(wait);
      found.push_back(wait);
    }
  });
  return found;
}

SmallVector<TmaStoreWaitOp> tilec::findIdleStoreWaits(FunctionOpInterface func,
                                                      const SharedAllocation &allocation) {
  return IdleWaits(func, allocation).find();
}
