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
//     c = lane_cta
//     same = tile of c < tiles && n of this tile == n of c's
//     ctas = sharing_ctas same
//     for k { acquire slot; load A[m, k], slot; load B[k, n], slot to ctas }
//   }
//
// What the other programs load is computed by the lanes of the warp at once, a lane for each
// program: one after the other would take registers, and in small products as long as some blocks
// of K.

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
  /// The programs that load the copy's block, too, made in front of the loops around it; null when
  /// that is not known.
  SharingCtasOp makeSharing(TmaLoadOp copy);
  SharingCtasOp compareWithOthers(ArrayRef<Value> roots, Location loc);
  void share(TmaLoadOp copy, SharingCtasOp sharing);
  /// Has the load warp wait until all slots of a ring are released for the last time, so that
  /// nobody arrives at the barrier objects of a CTA that has ended; false when it cannot say when
  /// that is.
  bool drain(Value empty);

  WarpRolesOp roles;
  int ctas;
  OpBuilder builder;
  SmallVector<SlotAcquireOp> acquires;
  /// Into the slots that are acquired.
  SmallVector<TmaLoadOp> copies;
  SmallVector<SlotReleaseOp> releases;
  scf::ForOp loadOuter;
  /// The CTA of a lane, and whether its program is done with all its iterations of the outer loop;
  /// null: none is before this one.
  Value laneInLoad, endedInLoad, endedInCompute;
  /// What says which of the other programs have all of these values, too.
  SmallVector<std::pair<SmallVector<Value>, SharingCtasOp>> sharedBy;
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
  builder.setInsertionPointToStart(&roles.getLoad().front());
  laneInLoad = LaneCtaOp::create(builder, roles.getLoc());
  builder.setInsertionPointToStart(&roles.getCompute().front());
  Value laneInCompute = LaneCtaOp::create(builder, roles.getLoc());
  for (auto [outer, lane, ended] : {std::tuple(load.outer, laneInLoad, &endedInLoad),
                                    std::tuple(compute.outer, laneInCompute, &endedInCompute)}) {
    if (!outer)
      continue;
    builder.setInsertionPointToStart(outer.getBody());
    *ended = PeerProgram(builder, outer, lane, ctas).hasEnded();
    if (!*ended)
      return refuse(outer, "how long another program's loop is, only that knows");
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

SharingCtasOp Multicast::makeSharing(TmaLoadOp copy) {
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
  for (const auto &[values, sharing] : sharedBy)
    if (values == key)
      return sharing;
  builder.setInsertionPoint(top);
  SharingCtasOp sharing = compareWithOthers(key, copy.getLoc());
  sharedBy.emplace_back(key, sharing);
  return sharing;
}

SharingCtasOp Multicast::compareWithOthers(ArrayRef<Value> roots, Location loc) {
  PeerProgram peer(builder, loadOuter, laneInLoad, ctas);
  Value yes = arith::ConstantIntOp::create(builder, loc, true, 1);
  Value same = yes;
  for (Value root : roots) {
    Value other = peer.of(root);
    if (!other || !root.getType().isSignlessIntOrIndex())
      return {};
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, root, other);
    same = arith::AndIOp::create(builder, loc, same, equal);
  }
  if (endedInLoad) {
    Value runs = arith::XOrIOp::create(builder, loc, endedInLoad, yes);
    same = arith::AndIOp::create(builder, loc, same, runs);
  }
  return SharingCtasOp::create(builder, loc, same);
}

/// The acquisition of the slot that the copy fills.
static SlotAcquireOp acquireOf(TmaLoadOp copy) {
  for (auto acquire : copy->getBlock()->getOps<SlotAcquireOp>())
    if (acquire.getFull() == copy.getBarriers() && acquire.getSlot() == copy.getSlot())
      return acquire;
  return {};
}

/// The programs take turns from slot to slot, and where a ring has no multiple of as many, from
/// turn to turn of the ring as well.
void Multicast::share(TmaLoadOp copy, SharingCtasOp sharing) {
  builder.setInsertionPoint(copy);
  Value turn = copy.getSlot();
  if (SlotAcquireOp acquire = acquireOf(copy);
      acquire && copy.getBarriers().getType().getBuffers() % ctas)
    turn = arith::XOrIOp::create(builder, copy.getLoc(), turn, acquire.getParity());
  turn = arith::SubIOp::create(builder, copy.getLoc(), turn, sharing.getPlace());
  copy.getCtasMutable().assign(sharing.getCtas());
  copy.getLastMutable().assign(sharing.getLast());
  copy.getTurnMutable().assign(turn);
}

/// The value that `value` of the loop's body would have in an iteration behind the last one; null
/// when it is not computed from what the loop carries.
static Value valueBehind(OpBuilder &builder, scf::ForOp loop, Value value) {
  if (!loop.getRegion().isAncestor(value.getParentRegion()))
    return value;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop.getBody() && argument != loop.getInductionVar()
               ? loop.getTiedLoopResult(argument)
               : Value();
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != loop.getBody() || op->getNumRegions() != 0 || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op))
    return {};
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value behind = valueBehind(builder, loop, operand);
    if (!behind)
      return {};
    mapping.map(operand, behind);
  }
  return builder.clone(*op, mapping)->getResult(0);
}

/// `values`, which an iteration of the loop computes, of its last one; `none` where there is none.
static SmallVector<Value> yieldLast(scf::ForOp &loop, ArrayRef<Value> values, ValueRange none) {
  IRRewriter rewriter(loop.getContext());
  size_t before = loop.getNumResults();
  auto yielded = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return SmallVector<Value>(values);
  };
  rewriter.setInsertionPoint(loop);
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, none, /*replaceInitOperandUsesInLoop=*/false, yielded));
  return SmallVector<Value>(loop.getResults().drop_front(before));
}

/// The next acquisitions of all slots, which a copy into each would wait for. What the loops carry
/// says in which phase they are: slots in front of the next one have been filled once more. A fresh
/// object lets parity 1 through.
bool Multicast::drain(Value empty) {
  auto isOfRing = [&](SlotAcquireOp acquire) { return acquire.getEmpty() == empty; };
  if (llvm::count_if(acquires, isOfRing) != 1)
    return false;
  // Where the last slots are not released, nobody can wait for that.
  auto isPartly = [&](SlotReleaseOp release) {
    return release.getEmpty() == empty && release.getPredicate();
  };
  if (llvm::count_if(releases, isPartly) == 1)
    return false;
  SlotAcquireOp acquire = *llvm::find_if(acquires, isOfRing);
  auto loop = dyn_cast<scf::ForOp>(acquire->getParentOp());
  if (!loop)
    return false;
  Location loc = acquire.getLoc();
  builder.setInsertionPointAfter(loop);
  SmallVector<Value> next{valueBehind(builder, loop, acquire.getSlot()),
                          valueBehind(builder, loop, acquire.getParity())};
  if (!next[0] || !next[1])
    return false;
  for (Operation *around = loop->getParentOp(); around != roles;) {
    auto outer = dyn_cast<scf::ForOp>(around);
    if (!outer)
      return false;
    builder.setInsertionPoint(outer);
    Value first = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value trivial = arith::ConstantIntOp::create(builder, loc, 1, 32);
    bool wasOuter = outer == loadOuter;
    next = yieldLast(outer, next, {first, trivial});
    if (wasOuter)
      loadOuter = outer;
    around = outer->getParentOp();
  }
  builder.setInsertionPointToEnd(&roles.getLoad().front());
  for (int64_t i = 0; i < cast<MemDescType>(empty.getType()).getBuffers(); ++i) {
    Value slot = arith::ConstantIntOp::create(builder, loc, i, 32);
    Value isFilled = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, slot, next[0]);
    Value once = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isFilled);
    Value parity = arith::XOrIOp::create(builder, loc, next[1], once);
    SlotAcquireOp::create(builder, loc, empty, slot, parity, acquire.getFull(), false, Value());
  }
  return true;
}

void Multicast::apply() {
  auto module = roles->getParentOfType<ModuleOp>();
  // Objects at which all warps of a cluster arrive.
  llvm::SetVector<Value> empty;
  for (SlotAcquireOp acquire : acquires)
    empty.insert(acquire.getEmpty());
  for (Value ring : empty)
    for (Operation *user : ring.getUsers())
      if (auto init = dyn_cast<MbarrierInitOp>(user))
        init.setCount(init.getCount() * uint32_t(ctas));
  for (TmaLoadOp copy : copies)
    if (SharingCtasOp sharing = makeSharing(copy))
      share(copy, sharing);
  if (endedInCompute)
    for (SlotReleaseOp release : releases)
      release.getWithoutMutable().assign(endedInCompute);
  builder.setInsertionPoint(roles);
  ClusterBarrierOp::create(builder, roles.getLoc(), ValueRange(), /*relaxed=*/true);
  if (!llvm::all_of(empty, [&](Value ring) { return drain(ring); })) {
    builder.setInsertionPointAfter(roles);
    ClusterBarrierOp::create(builder, roles.getLoc());
  }
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
