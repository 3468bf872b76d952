// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two programs of a cluster fill each other's slots (PTX ISA, "cp.async.bulk.tensor",
// .multicast::cluster). Where both of them load the same block, one copy brings it to both: that of
// the first program in every second iteration, and of the second one in between.
//
// Both programs use the slots of their rings in the same order, so that slot s of one is slot s of
// the other. A slot may be filled when the computing warps of both have released it, whether or not
// this copy is shared: whether the next one is may differ. So the loops are as long for both, but
// for one around them all, in which the one that has an iteration more goes on alone.
//
//   for tile = program to tiles step programs {
//     alone = other program's tile >= tiles
//     shared = !alone && n of this tile == n of the other program's
//     for k { acquire slot; load A[m, k], slot; load B[k, n], slot to shared ? 3 or 0 : own bit }
//   }

#include "PeerProgram.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/TileGPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUMULTICASTCOPIESPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Programs of a cluster.
static constexpr int kCtas = 2;

namespace {
/// The loop around all slots of a role that one program may run longer than the other; null: none.
struct SideBySide {
  scf::ForOp outer;
  /// Why the programs do not use the slots in the same order; empty: they do.
  StringRef reason;
  Operation *obstacle = nullptr;
};

class Multicast {
public:
  explicit Multicast(WarpRolesOp op) : roles(op), builder(op.getContext()) {}

  /// Whether the programs can be paired; says why not.
  bool plan();
  void apply();

private:
  SideBySide findOuter(ArrayRef<Operation *> slots);
  bool refuse(Operation *op, StringRef reason);
  /// What decides in front of `loop` where the copies in it come from; false when that is not known
  /// there.
  bool findRoots(Value value, Operation *loop, llvm::SetVector<Value> &roots,
                 DenseSet<Value> &seen);
  /// Whether the copy's block is the peer's, too, made in front of the loops around it; null when
  /// that is not known.
  Value makeShared(TmaLoadOp copy);
  Value compareWithPeer(ArrayRef<Value> roots, Location loc);
  void share(TmaLoadOp copy, Value shared);

  WarpRolesOp roles;
  OpBuilder builder;
  SmallVector<SlotAcquireOp> acquires;
  /// Into the slots that are acquired.
  SmallVector<TmaLoadOp> copies;
  SmallVector<SlotReleaseOp> releases;
  scf::ForOp loadOuter;
  /// Whether the other program is done with all its iterations of the outer loop; null: never.
  Value aloneInLoad, aloneInCompute;
  /// What says that all of these values are the peer's, too.
  SmallVector<std::pair<SmallVector<Value>, Value>> sharedBy;
};
} // namespace

bool Multicast::refuse(Operation *op, StringRef reason) {
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name("NotMulticast").category(remarks::kPipeline))
      << "programs do not copy for each other: " << reason;
  return false;
}

SideBySide Multicast::findOuter(ArrayRef<Operation *> slots) {
  SideBySide found;
  auto fail = [&](Operation *op, StringRef reason) {
    found.obstacle = op;
    found.reason = reason;
    return found;
  };
  auto isOuter = [&](scf::ForOp loop) {
    return loop->getParentOp() == roles && isSameForAll(loop.getStep());
  };
  for (Operation *slot : slots)
    for (Operation *op = slot->getParentOp(); op != roles; op = op->getParentOp()) {
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        if (!isSameForAll(branch.getCondition()))
          return fail(op, "which one loads here differs between programs");
        continue;
      }
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop)
        return fail(op, "the number of iterations is not known");
      if (isSameForAll(loop.getLowerBound()) && isSameForAll(loop.getUpperBound()) &&
          isSameForAll(loop.getStep()))
        continue;
      if (!isOuter(loop) || (found.outer && found.outer != loop))
        return fail(op, "the number of iterations differs between programs");
      found.outer = loop;
    }
  if (found.outer)
    for (Operation *slot : slots)
      if (!found.outer->isProperAncestor(slot))
        return fail(slot, "it is outside of the loop that differs between programs");
  return found;
}

bool Multicast::plan() {
  roles.getLoad().walk([&](SlotAcquireOp acquire) { acquires.push_back(acquire); });
  roles.getCompute().walk([&](SlotReleaseOp release) { releases.push_back(release); });
  roles.getLoad().walk([&](TmaLoadOp copy) {
    if (llvm::any_of(acquires, [&](SlotAcquireOp acquire) {
          return acquire.getFull() == copy.getBarriers();
        }))
      copies.push_back(copy);
  });
  for (SlotReleaseOp release : releases)
    if (release.getPredicate() && !isSameForAll(release.getPredicate()))
      return refuse(release, "whether it is done with a block differs between programs");
  SmallVector<Operation *> filled(acquires.begin(), acquires.end());
  llvm::append_range(filled, copies);
  SideBySide load = findOuter(filled);
  SideBySide compute = findOuter(SmallVector<Operation *>(releases.begin(), releases.end()));
  for (const SideBySide &role : {load, compute})
    if (role.obstacle)
      return refuse(role.obstacle, role.reason);
  loadOuter = load.outer;
  for (auto [outer, alone] :
       {std::pair(load.outer, &aloneInLoad), std::pair(compute.outer, &aloneInCompute)}) {
    if (!outer)
      continue;
    builder.setInsertionPointToStart(outer.getBody());
    *alone = PeerProgram(builder, outer).isAlone();
    if (!*alone)
      return refuse(outer, "how long the other program's loop is, only that knows");
  }
  return true;
}

bool Multicast::findRoots(Value value, Operation *loop, llvm::SetVector<Value> &roots,
                          DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return true;
  if (!loop->isAncestor(value.getParentRegion()->getParentOp())) {
    roots.insert(value);
    return true;
  }
  auto findAll = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value of) { return findRoots(of, loop, roots, seen); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto around = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (argument == around.getInductionVar())
      return findAll({around.getLowerBound(), around.getStep()});
    // What goes around is what came in, and what the iterations make of it.
    return findAll(
        {around.getTiedLoopInit(argument)->get(), around.getTiedLoopYieldedValue(argument)->get()});
  }
  Operation *op = value.getDefiningOp();
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && findAll(op->getOperands());
}

Value Multicast::makeShared(TmaLoadOp copy) {
  Operation *top = copy;
  Operation *home = loadOuter ? loadOuter.getOperation() : roles.getOperation();
  while (top->getParentOp() != home)
    top = top->getParentOp();
  llvm::SetVector<Value> roots;
  DenseSet<Value> seen;
  for (Value offset : copy.getOffsets())
    if (!findRoots(offset, top, roots, seen))
      return nullptr;
  if (copy.getPredicate() && !isSameForAll(copy.getPredicate()))
    return nullptr;
  roots.remove_if(isSameForAll);
  // Copies of later iterations, and those of the loop itself, come behind the first of them.
  SmallVector<Value> key(roots.getArrayRef());
  for (const auto &[values, shared] : sharedBy)
    if (values == key)
      return shared;
  builder.setInsertionPoint(top);
  Value shared = compareWithPeer(key, copy.getLoc());
  sharedBy.emplace_back(key, shared);
  return shared;
}

Value Multicast::compareWithPeer(ArrayRef<Value> roots, Location loc) {
  PeerProgram peer(builder, loadOuter);
  auto constant = [&](bool value) { return arith::ConstantIntOp::create(builder, loc, value, 1); };
  Value shared = constant(true);
  for (Value root : roots) {
    Value other = peer.of(root);
    if (!other || !root.getType().isSignlessIntOrIndex())
      return nullptr;
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, root, other);
    shared = arith::AndIOp::create(builder, loc, shared, equal);
  }
  if (!aloneInLoad)
    return shared;
  Value both = arith::XOrIOp::create(builder, loc, aloneInLoad, constant(true));
  return arith::AndIOp::create(builder, loc, shared, both);
}

/// The acquisition of the slot that the copy fills, where that is in the same iteration; the slots
/// of the first iterations were acquired at the end of the loop before.
static SlotAcquireOp acquireOf(TmaLoadOp copy) {
  for (auto acquire : copy->getBlock()->getOps<SlotAcquireOp>())
    if (acquire.getFull() == copy.getBarriers() && acquire.getSlot() == copy.getSlot())
      return acquire;
  return {};
}

/// The programs take turns from slot to slot, and where a ring has an odd number of them, from turn
/// to turn of the ring as well.
void Multicast::share(TmaLoadOp copy, Value shared) {
  builder.setInsertionPoint(copy);
  Value turn = copy.getSlot();
  if (SlotAcquireOp acquire = acquireOf(copy);
      acquire && copy.getBarriers().getType().getBuffers() % 2)
    turn = arith::XOrIOp::create(builder, copy.getLoc(), turn, acquire.getParity());
  copy.getSharedMutable().assign(shared);
  copy.getTurnMutable().assign(turn);
}

void Multicast::apply() {
  auto module = roles->getParentOfType<ModuleOp>();
  // Objects at which all warps of a cluster arrive.
  DenseSet<Value> empty;
  for (SlotAcquireOp acquire : acquires)
    empty.insert(acquire.getEmpty());
  for (Value ring : empty)
    for (Operation *user : ring.getUsers())
      if (auto init = dyn_cast<MbarrierInitOp>(user))
        init.setCount(init.getCount() * kCtas);
  for (TmaLoadOp copy : copies)
    if (Value shared = makeShared(copy))
      share(copy, shared);
  for (SlotReleaseOp release : releases)
    if (aloneInCompute)
      release.getAloneMutable().assign(aloneInCompute);
  builder.setInsertionPoint(roles);
  ClusterBarrierOp::create(builder, roles.getLoc());
  builder.setInsertionPointAfter(roles);
  ClusterBarrierOp::create(builder, roles.getLoc());
  module->setAttr(TileGPUDialect::kNumCtasAttr, builder.getI32IntegerAttr(kCtas));
  remark::passed(roles.getLoc(), remark::RemarkOpts::name("Multicast").category(remarks::kPipeline))
      << "two programs of a cluster copy blocks that both load for each other";
}

namespace {
struct MulticastCopies final : tilec::impl::TileGPUMulticastCopiesPassBase<MulticastCopies> {
  using Base::Base;

  void runOnOperation() override {
    // Programs of which a cluster runs one have no neighbour in it.
    if (splitKOf(getOperation()) > 1)
      return;
    getOperation().walk([&](WarpRolesOp roles) {
      bool isPaired = roles->getParentOfType<func::FuncOp>()->hasAttr(TileGPUDialect::kPairedAttr);
      if (numCtas != kCtas && !isPaired)
        return;
      if (Multicast multicast(roles); multicast.plan())
        multicast.apply();
    });
  }
};
} // namespace
