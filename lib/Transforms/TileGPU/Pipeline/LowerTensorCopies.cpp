// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptor loads outside of software pipelines, by TMA. A load is a copy into a buffer, waited
// for at once; where it does nothing but fill a buffer that a product reads, it is a copy into that
// one, waited for in front of what reads it. Where load warps run ahead over a loop over tiles,
// they start that copy of the next tile, too, as soon as this one's products have read the buffer.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "LastReaders.h"
#include "StreamByTma.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/BufferFill.h"
#include "tilec/Analysis/LoadSlice.h"
#include "tilec/Analysis/LoopSchedule.h"
#include "tilec/Analysis/RingSlots.h"
#include "tilec/Analysis/RolePlan.h"
#include "tilec/Analysis/WrittenMemory.h"
#include "tilec/Layout/TensorLayouts.h"
#include "tilec/Layout/TensorMapLayout.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPULOWERTENSORCOPIESPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Whether an operation may write global memory.
static bool mayWriteMemory(Operation *op) {
  return !isMemoryEffectFree(op) &&
         !isa<tile::DescriptorLoadOp, tile::LoadOp, LocalAllocOp, LocalLoadOp, LocalStoreOp,
              MbarrierInitOp, MbarrierWaitOp, TmaLoadOp>(op);
}

/// Whether anything between two operations of a block may write global memory.
static bool writesBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op && op != last; op = op->getNextNode())
    if (mayWriteMemory(op))
      return true;
  return false;
}

/// Whether an operation, or one inside it, uses a buffer or a view of it.
static bool usesBuffer(Operation *op, Value buffer) {
  for (Operation *user : buffer.getUsers())
    if (isa<MemDescPermuteOp, MemDescIndexOp>(user) ? usesBuffer(op, user->getResult(0))
                                                    : op->isAncestor(user))
      return true;
  return false;
}

/// The operation in front of which a copy into `buffer` that starts in front of `op` has to have
/// arrived: other copies start before.
static Operation *firstUser(Operation *op, Value buffer) {
  while (!op->hasTrait<OpTrait::IsTerminator>() && !mayWriteMemory(op) && !usesBuffer(op, buffer))
    op = op->getNextNode();
  return op;
}

/// Bytes of the buffers that load warps fill in a loop over tiles.
static int64_t bytesOfRings(scf::ForOp tiles) {
  DenseSet<Value> full;
  tiles.walk([&](SlotAcquireOp acquire) {
    if (!acquire.getElected())
      full.insert(acquire.getFull());
  });
  DenseSet<Operation *> rings;
  int64_t bytes = 0;
  tiles.walk([&](TmaLoadOp copy) {
    LocalAllocOp ring = allocOf(copy.getBuffer());
    if (full.contains(copy.getBarriers()) && ring && rings.insert(ring).second)
      bytes += ring.getType().getSizeInBytes();
  });
  return bytes;
}

namespace {
/// What a load only fills.
struct Target {
  LocalStoreOp store;
  /// Order that takes the buffer's dimensions to the block's; empty when the same.
  SmallVector<int32_t> inverse;
  LinearLayout memory;
  /// Between load and store, the last one first.
  SmallVector<Operation *> chain;
};

class LoadLowering {
public:
  LoadLowering(IRRewriter &irRewriter, tile::DescriptorLoadOp descriptorLoad)
      : rewriter(irRewriter), load(descriptorLoad) {}

  void run() {
    std::optional<Target> target = findTarget();
    Operation *place = target ? target->store.getOperation() : load.getOperation();
    int64_t slots = target ? slotsForLoadWarps(*target) : 0;
    // The slot, where there are several, and its parity.
    BarrierObjects barriers(rewriter, place, std::max<int64_t>(slots, 1), 1,
                            slots > 1 ? ArrayRef<int32_t>{0, 0} : ArrayRef<int32_t>{0});
    rewriter.setInsertionPoint(target && bringBuffer(*target) ? load.getOperation() : place);
    Location loc = load.getLoc();
    Value one = arith::ConstantIntOp::create(rewriter, loc, 1, 32);
    Value slot = slots > 1 ? barriers.stateAt(place).front()
                           : arith::ConstantIntOp::create(rewriter, loc, 0, 32).getResult();
    Value parity = barriers.stateAt(place).back();
    if (slots > 1)
      makeRing(*target, slots, slot);
    Value buffer = target ? viewAsBlock(rewriter, loc, target->store.getBuffer(), target->inverse,
                                        target->memory)
                          : makeBuffer(loc);
    if (slots)
      handToLoadWarps(*target, barriers, slots, slot,
                      arith::XOrIOp::create(rewriter, loc, parity, one));
    TmaLoadOp::create(rewriter, loc, load.getDesc(), load.getOffsets(), buffer, barriers.objects(),
                      slot, /*predicate=*/Value(), /*ctas=*/Value(), /*last=*/Value(),
                      /*turn=*/Value(), /*arrivals=*/1, load.getEvict());
    if (target)
      rewriter.setInsertionPoint(firstUser(place->getNextNode(), target->store.getBuffer()));
    MbarrierWaitOp::create(rewriter, loc, barriers.objects(), slot, parity);
    // Behind the second of two slots begins another round of phases.
    if (slots > 1)
      barriers.advance({arith::XOrIOp::create(rewriter, loc, slot, one),
                        arith::XOrIOp::create(rewriter, loc, parity, slot)});
    else
      barriers.advance(Value(arith::XOrIOp::create(rewriter, loc, parity, one)));
    if (target) {
      eraseFilled(*target);
      return;
    }
    readInto(buffer);
  }

private:
  Value makeBuffer(Location loc) {
    auto type = cast<RankedTensorType>(load.getType());
    return LocalAllocOp::create(rewriter, loc, copyBufferType(type), IntegerAttr());
  }

  std::optional<Target> findTarget() {
    std::optional<BufferFill> fill = fillBy(load);
    if (!fill)
      return std::nullopt;
    Target target;
    target.store = fill->store;
    target.chain = fill->between;
    ArrayRef<int32_t> order = fill->order;
    target.memory = target.store.getBuffer().getType().getLayout().getLayout();
    if (!order.empty()) {
      target.inverse.resize(order.size());
      for (auto [i, dim] : llvm::enumerate(order))
        target.inverse[dim] = int32_t(i);
      target.memory = permuteLayout(target.memory, target.inverse);
    }
    if (!isFilledByTensorCopy(load, target.memory) || writesBetween(load, target.store))
      return std::nullopt;
    return target;
  }

  /// Has the buffer in front of the load, so that copies for stores behind each other are in flight
  /// together; not one that others may use there.
  bool bringBuffer(Target &target) {
    auto alloc = target.store.getBuffer().getDefiningOp<LocalAllocOp>();
    if (!alloc || alloc->getBlock() != load->getBlock() || alloc->isBeforeInBlock(load))
      return false;
    alloc->moveBefore(load);
    return true;
  }

  /// The slots of the buffer where it can be a ring of load warps: those fill others in the loop
  /// over tiles that the load is in, know where the block is, and nothing writes it. 0 where the
  /// buffer is none of theirs.
  int64_t slotsForLoadWarps(Target &target) {
    auto tiles = dyn_cast<scf::ForOp>(load->getParentOp());
    auto alloc = target.store.getBuffer().getDefiningOp<LocalAllocOp>();
    if (!tiles || !alloc || alloc->getBlock() != load->getBlock())
      return 0;
    int64_t filled = bytesOfRings(tiles);
    if (filled == 0 || !LoadSlice().add(load) || WrittenMemory(tiles).mayContain(load.getDesc()))
      return 0;
    return slotsBeside(tiles, filled, alloc.getType().getSizeInBytes());
  }

  /// The buffer becomes a slot of a ring.
  void makeRing(Target &target, int64_t slots, Value slot) {
    auto alloc = target.store.getBuffer().getDefiningOp<LocalAllocOp>();
    Location loc = alloc.getLoc();
    auto ring =
        LocalAllocOp::create(rewriter, loc, alloc.getType().withBuffers(slots), IntegerAttr());
    rewriter.replaceOpWithNewOp<MemDescIndexOp>(alloc, alloc.getType(), ring, slot);
  }

  void handToLoadWarps(Target &target, BarrierObjects &full, int64_t slots, Value slot,
                       Value before) {
    OpBuilder::InsertionGuard guard(rewriter);
    BarrierObjects empty(rewriter, load, slots, numWarpsOf(load), /*inits=*/{});
    Location loc = load.getLoc();
    SlotAcquireOp::create(rewriter, loc, empty.objects(), slot, before, full.objects(),
                          /*elected=*/false, /*predicate=*/Value());
    auto release = [&](OpBuilder &builder, Value predicate) {
      SlotReleaseOp::create(builder, loc, empty.objects(), slot, predicate, /*without=*/Value());
    };
    if (slots == 1) {
      LastReaders(rewriter, target.store).emit(release);
      return;
    }
    // The next block goes to the other one of two slots: nobody waits for this one yet.
    rewriter.setInsertionPointAfter(
        lastWaitFor(lastUser(load->getBlock(), target.store.getBuffer())));
    release(rewriter, Value());
  }

  void eraseFilled(Target &target) {
    rewriter.eraseOp(target.store);
    for (Operation *op : target.chain)
      rewriter.eraseOp(op);
    rewriter.eraseOp(load);
  }

  void readInto(Value buffer) {
    // One conversion is no work: the threads read what they need.
    Value result = load.getResult();
    ConvertLayoutOp convert;
    if (result.hasOneUse())
      convert = dyn_cast<ConvertLayoutOp>(*result.user_begin());
    Operation *replaced = convert ? convert.getOperation() : load.getOperation();
    auto type = replaced->getResult(0).getType();
    Value loaded = LocalLoadOp::create(rewriter, load.getLoc(), type, buffer);
    rewriter.replaceOp(replaced, loaded);
    if (convert)
      rewriter.eraseOp(load);
  }

  IRRewriter &rewriter;
  tile::DescriptorLoadOp load;
};

struct LowerTensorCopies final : tilec::impl::TileGPULowerTensorCopiesPassBase<LowerTensorCopies> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<tile::DescriptorLoadOp> loads;
    getOperation().walk([&](tile::DescriptorLoadOp load) { loads.push_back(load); });
    IRRewriter rewriter(&getContext());
    for (tile::DescriptorLoadOp load : loads)
      LoadLowering(rewriter, load).run();
  }
};
} // namespace
