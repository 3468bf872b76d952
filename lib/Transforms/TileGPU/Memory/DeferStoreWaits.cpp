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
/// A tensor copy to global memory in each iteration of a loop, and the wait right behind it.
struct LoopStore {
  scf::ForOp loop;
  LocalAllocOp buffer;
  LocalStoreOp fill;
  TmaStoreWaitOp wait;

  static std::optional<LoopStore> match(TmaStoreWaitOp wait);
  /// Lets the next iteration wait. The buffer has memory of its own in all of them; `fills` are
  /// those of all stores of which that is so.
  void deferWait(const DenseSet<Operation *> &fills);
};
} // namespace

std::optional<LoopStore> LoopStore::match(TmaStoreWaitOp wait) {
  auto loop = dyn_cast<scf::ForOp>(wait->getParentOp());
  auto store = dyn_cast_or_null<TmaStoreOp>(wait->getPrevNode());
  if (!loop || !store || wait.getPending() != 0)
    return std::nullopt;
  LoopStore found{loop, store.getBuffer().getDefiningOp<LocalAllocOp>(), {}, wait};
  if (!found.buffer || found.buffer->getBlock() != loop.getBody())
    return std::nullopt;
  for (Operation *user : found.buffer->getUsers()) {
    auto fill = dyn_cast<LocalStoreOp>(user);
    if (user == store)
      continue;
    if (!fill || found.fill || fill->getBlock() != loop.getBody())
      return std::nullopt;
    found.fill = fill;
  }
  return found.fill ? std::optional(found) : std::nullopt;
}

void LoopStore::deferWait(const DenseSet<Operation *> &fills) {
  // In front of another store to shared memory, so that the barrier behind that one serves both. Of
  // a tile that is stored in parts it is the first part's: behind one of its copies a wait would be
  // for that copy, too.
  Operation *place = fill;
  for (Operation *op = fill->getPrevNode(); op && fills.contains(place); op = op->getPrevNode())
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
    DenseSet<Operation *> fills;
    int64_t before = residentCtas(func);
    llvm::erase_if(stores, [&](LoopStore &store) {
      Operation *next = store.buffer->getNextNode();
      store.buffer->moveBefore(store.loop);
      if (residentCtas(func) == before) {
        fills.insert(store.fill);
        return false;
      }
      store.buffer->moveBefore(next);
      return true;
    });
    for (LoopStore &store : stores)
      store.deferWait(fills);
    // Those of two stores of an iteration have come together.
    func.walk([](TmaStoreWaitOp wait) {
      if (isRepeated(wait))
        wait.erase();
    });
  }
};
} // namespace
