// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-defer-store-waits: a loop goes on while the copy engine still reads what an iteration has
// stored.

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Transforms/TileGPU/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDEFERSTOREWAITSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// Tensor copies to global memory in each iteration of a loop, and the wait right behind them.
struct LoopStore {
  scf::ForOp loop;
  /// What is waited for reads them, and nothing else does.
  llvm::SetVector<LocalAllocOp> buffers;
  /// What writes them, and which of it does first.
  SmallVector<LocalStoreOp> fills;
  LocalStoreOp first;
  TmaStoreWaitOp wait;

  static std::optional<LoopStore> match(TmaStoreWaitOp wait);
  /// Lets the next iteration wait. The buffers have memory of their own in all of them; `deferred`
  /// are the fills of all stores of which that is so.
  void deferWait(const DenseSet<Operation *> &deferred);

private:
  bool findBuffers();
  bool findFills();
};
} // namespace

std::optional<LoopStore> LoopStore::match(TmaStoreWaitOp wait) {
  auto loop = dyn_cast<scf::ForOp>(wait->getParentOp());
  if (!loop || wait.getPending() != 0 || !isa_and_nonnull<TmaStoreOp>(wait->getPrevNode()))
    return std::nullopt;
  LoopStore found{loop, {}, {}, {}, wait};
  return found.findBuffers() && found.findFills() ? std::optional(found) : std::nullopt;
}

/// The copies go back to a wait in front of them that is not for one of their buffers.
bool LoopStore::findBuffers() {
  auto isUsedBefore = [&](Operation *op) {
    return llvm::any_of(buffers, [&](LocalAllocOp buffer) {
      return llvm::any_of(buffer->getUsers(), [&](Operation *user) {
        return user->getBlock() == op->getBlock() && user->isBeforeInBlock(op);
      });
    });
  };
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    auto before = dyn_cast<TmaStoreWaitOp>(op);
    if (before && before.getPending() == 0 && !isUsedBefore(before))
      break;
    auto store = dyn_cast<TmaStoreOp>(op);
    if (!store)
      continue;
    auto buffer = store.getBuffer().getDefiningOp<LocalAllocOp>();
    if (!buffer || buffer->getBlock() != loop.getBody())
      return false;
    buffers.insert(buffer);
  }
  return true;
}

bool LoopStore::findFills() {
  for (LocalAllocOp buffer : buffers)
    for (Operation *user : buffer->getUsers()) {
      if (user->getBlock() != loop.getBody() || wait->isBeforeInBlock(user))
        return false;
      auto store = dyn_cast<LocalStoreOp>(user);
      if (!store && !isa<TmaStoreOp>(user))
        return false;
      if (!store)
        continue;
      fills.push_back(store);
      if (!first || store->isBeforeInBlock(first))
        first = store;
    }
  return bool(first);
}

void LoopStore::deferWait(const DenseSet<Operation *> &deferred) {
  // In front of another store to shared memory, so that the barrier behind that one serves both. Of
  // a tile that is stored in parts it is the first part's: behind one of its copies a wait would be
  // for that copy, too.
  Operation *place = first;
  for (Operation *op = first->getPrevNode(); op && deferred.contains(place); op = op->getPrevNode())
    if (isa<LocalStoreOp>(op))
      place = op;
  wait->moveBefore(place);
  OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(loop);
  TmaStoreWaitOp::create(builder, wait.getLoc(), 0);
}

/// Whether all that a wait is for has been waited for in front of it, in its block.
static bool isRepeated(TmaStoreWaitOp wait) {
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto earlier = dyn_cast<TmaStoreWaitOp>(op); earlier && earlier.getPending() == 0)
      return true;
    if (op->walk([](TmaStoreOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return false;
  }
  return false;
}

namespace {
struct DeferStoreWaits final : tilec::impl::TileGPUDeferStoreWaitsPassBase<DeferStoreWaits> {
  using Base::Base;
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<LoopStore> stores;
    func.walk([&](TmaStoreWaitOp wait) {
      if (std::optional<LoopStore> store = LoopStore::match(wait))
        stores.push_back(*store);
    });
    if (stores.empty())
      return;
    DenseSet<Operation *> deferred;
    int64_t before = residentCtas(func);
    llvm::erase_if(stores, [&](LoopStore &store) {
      SmallVector<Operation *> nexts;
      for (LocalAllocOp buffer : store.buffers) {
        nexts.push_back(buffer->getNextNode());
        buffer->moveBefore(store.loop);
      }
      if (residentCtas(func) == before) {
        deferred.insert(store.fills.begin(), store.fills.end());
        return false;
      }
      for (auto [buffer, next] :
           llvm::zip_equal(llvm::reverse(store.buffers), llvm::reverse(nexts)))
        buffer->moveBefore(next);
      return true;
    });
    for (LoopStore &store : stores)
      store.deferWait(deferred);
    // Those of two stores of an iteration have come together.
    func.walk([](TmaStoreWaitOp wait) {
      if (isRepeated(wait))
        wait.erase();
    });
  }
};
} // namespace
