// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of a cluster fill each other's slots (PTX ISA, "cp.async.bulk.tensor",
// .multicast::cluster). Where several of them load the same block, one copy brings it to all, which
// they start by turns. Four programs whose tiles are two by two share the rows of A by two and the
// columns of B by two.
//
// All programs use the slots of their rings in the same order, so that slot s of one is slot s of
// the others. A slot may be filled when the computing warps of all have released it, whether or not
// this copy is shared: whether the next one is may differ. So the loops are as long for all, but
// for one around them, in which those that have an iteration more go on without the others.
//
//   for tile = program to tiles step programs {
//     for each other program d {
//       ended[d] = tile of d >= tiles
//       shared[d] = !ended[d] && n of this tile == n of d's
//     }
//     for k { acquire slot; load A[m, k], slot; load B[k, n], slot to those with shared[d] }
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

/// Programs of a cluster where the compiler chooses it.
static constexpr int kPair = 2;

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
  Multicast(WarpRolesOp op, int ctas) : roles(op), ctas(ctas), builder(op.getContext()) {}

  /// Whether the programs can be a cluster; says why not.
  bool plan();
  void apply();

private:
  SideBySide findOuter(ArrayRef<Operation *> slots);
  bool refuse(Operation *op, StringRef reason);
  /// What decides in front of `loop` where the copies in it come from; false when that is not known
  /// there.
  bool findRoots(Value value, Operation *loop, llvm::SetVector<Value> &roots,
                 DenseSet<Value> &seen);
  /// Whether the copy's block is that of each other program, too, made in front of the loops around
  /// it; nothing when that is not known.
  SmallVector<Value> makeShared(TmaLoadOp copy);
  SmallVector<Value> compareWithOthers(ArrayRef<Value> roots, Location loc);
  void share(TmaLoadOp copy, ArrayRef<Value> shared);

  WarpRolesOp roles;
  int ctas;
  OpBuilder builder;
  SmallVector<SlotAcquireOp> acquires;
  /// Into the slots that are acquired.
  SmallVector<TmaLoadOp> copies;
  SmallVector<SlotReleaseOp> releases;
  scf::ForOp loadOuter;
  /// Which of the other programs are done with all their iterations of the outer loop; empty: none
  /// is before this one.
  SmallVector<Value> endedInLoad, endedInCompute;
  /// What says of which of the other programs all of these values are, too.
  SmallVector<std::pair<SmallVector<Value>, SmallVector<Value>>> sharedBy;
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
  for (auto [outer, ended] :
       {std::pair(load.outer, &endedInLoad), std::pair(compute.outer, &endedInCompute)}) {
    if (!outer)
      continue;
    builder.setInsertionPointToStart(outer.getBody());
    for (int other = 1; other < ctas; ++other) {
      ended->push_back(PeerProgram(builder, outer, other).hasEnded());
      if (!ended->back())
        return refuse(outer, "how long another program's loop is, only that knows");
    }
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

SmallVector<Value> Multicast::makeShared(TmaLoadOp copy) {
  Operation *top = copy;
  Operation *home = loadOuter ? loadOuter.getOperation() : roles.getOperation();
  while (top->getParentOp() != home)
    top = top->getParentOp();
  llvm::SetVector<Value> roots;
  DenseSet<Value> seen;
  for (Value offset : copy.getOffsets())
    if (!findRoots(offset, top, roots, seen))
      return {};
  if (copy.getPredicate() && !isSameForAll(copy.getPredicate()))
    return {};
  roots.remove_if(isSameForAll);
  // Copies of later iterations, and those of the loop itself, come behind the first of them.
  SmallVector<Value> key(roots.getArrayRef());
  for (const auto &[values, shared] : sharedBy)
    if (values == key)
      return shared;
  builder.setInsertionPoint(top);
  SmallVector<Value> shared = compareWithOthers(key, copy.getLoc());
  sharedBy.emplace_back(key, shared);
  return shared;
}

SmallVector<Value> Multicast::compareWithOthers(ArrayRef<Value> roots, Location loc) {
  auto constant = [&](bool value) { return arith::ConstantIntOp::create(builder, loc, value, 1); };
  SmallVector<Value> result;
  for (int distance = 1; distance < ctas; ++distance) {
    PeerProgram peer(builder, loadOuter, distance);
    Value shared = constant(true);
    for (Value root : roots) {
      Value other = peer.of(root);
      if (!other || !root.getType().isSignlessIntOrIndex())
        return {};
      Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, root, other);
      shared = arith::AndIOp::create(builder, loc, shared, equal);
    }
    if (!endedInLoad.empty()) {
      Value runs =
          arith::XOrIOp::create(builder, loc, endedInLoad[size_t(distance - 1)], constant(true));
      shared = arith::AndIOp::create(builder, loc, shared, runs);
    }
    result.push_back(shared);
  }
  return result;
}

/// The acquisition of the slot that the copy fills, where that is in the same iteration; the slots
/// of the first iterations were acquired at the end of the loop before.
static SlotAcquireOp acquireOf(TmaLoadOp copy) {
  for (auto acquire : copy->getBlock()->getOps<SlotAcquireOp>())
    if (acquire.getFull() == copy.getBarriers() && acquire.getSlot() == copy.getSlot())
      return acquire;
  return {};
}

/// The programs take turns from slot to slot, and where a ring has no multiple of as many, from
/// turn to turn of the ring as well.
void Multicast::share(TmaLoadOp copy, ArrayRef<Value> shared) {
  builder.setInsertionPoint(copy);
  Value turn = copy.getSlot();
  if (SlotAcquireOp acquire = acquireOf(copy);
      acquire && copy.getBarriers().getType().getBuffers() % ctas)
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
        init.setCount(init.getCount() * uint32_t(ctas));
  for (TmaLoadOp copy : copies)
    if (SmallVector<Value> shared = makeShared(copy); !shared.empty())
      share(copy, shared);
  for (SlotReleaseOp release : releases)
    release.getWithoutMutable().assign(endedInCompute);
  builder.setInsertionPoint(roles);
  ClusterBarrierOp::create(builder, roles.getLoc());
  builder.setInsertionPointAfter(roles);
  ClusterBarrierOp::create(builder, roles.getLoc());
  module->setAttr(TileGPUDialect::kNumCtasAttr, builder.getI32IntegerAttr(ctas));
  remark::passed(roles.getLoc(), remark::RemarkOpts::name("Multicast").category(remarks::kPipeline))
      << (ctas == 2 ? "two programs of a cluster copy blocks that both load for each other"
                    : std::to_string(ctas) +
                          " programs of a cluster copy blocks that several load for each other");
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
      if (numCtas <= 1 && !isPaired)
        return;
      if (Multicast multicast(roles, numCtas > 1 ? numCtas : kPair); multicast.plan())
        multicast.apply();
    });
  }
};
} // namespace
