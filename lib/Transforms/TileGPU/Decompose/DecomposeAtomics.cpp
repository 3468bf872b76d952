// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An atomic is performed once for each element, by one of the threads that hold it (a scalar by the
// first thread). This pass brings the old value to the others, through a buffer in shared memory:
//
//   %old = tile.atomic_rmw ... : tensor<16x!tile.ptr<f32>, #replicated>
//   =>
//   %old = tile.atomic_rmw ...
//   %slot = tilegpu.local_alloc
//   tilegpu.local_store %old, %slot               the threads that performed it
//   %all = tilegpu.local_load %slot               all threads; barriers are inserted later
//
// A volatile load, whose memory others may change meanwhile, hands around what the first threads
// found.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Layout/TensorLayouts.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDECOMPOSEATOMICSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

//===--------------------------------------------------------------------------------------------===//
// Old values
//===--------------------------------------------------------------------------------------------===//

/// Several threads hold the same element of a tensor with this layout.
static bool isReplicated(const LinearLayout &layout) {
  return layout.getFreeVariableMask(kLane) != 0 || layout.getFreeVariableMask(kWarp) != 0;
}

/// The tensor in the threads that first hold its elements, read back by all of them.
static Value shareTensor(OpBuilder &builder, Location loc, Value old) {
  auto type = cast<RankedTensorType>(old.getType());
  SmallVector<std::string> dims;
  for (const auto &out : layoutOf(type).getOutDims())
    dims.push_back(out.first);
  LinearLayout memory = linearSharedLayout(type.getShape(), rowMajorOrder(type.getRank()))
                            .sublayout({kOffset}, llvm::to_vector_of<StringRef>(dims));
  auto buffer = LocalAllocOp::create(
      builder, loc,
      MemDescType::get(builder.getContext(), type.getShape(), type.getElementType(),
                       LinearAttr::get(builder.getContext(), memory)),
      IntegerAttr());
  LocalStoreOp::create(builder, loc, old, buffer);
  return LocalLoadOp::create(builder, loc, type, buffer);
}

/// A scalar by way of a tensor with one element, of which every thread holds a replica.
static Value shareScalar(OpBuilder &builder, Location loc, Value old, int numWarps) {
  auto type =
      withLayout(RankedTensorType::get({1}, old.getType()), defaultBlockedLayout({1}, numWarps));
  Value shared = shareTensor(builder, loc, tile::SplatOp::create(builder, loc, type, old));
  auto single = tile::ReduceOp::create(builder, loc, ValueRange(shared), 0);
  OpBuilder::InsertionGuard guard(builder);
  Block *block =
      builder.createBlock(&single.getCombine(), {}, {old.getType(), old.getType()}, {loc, loc});
  tile::YieldOp::create(builder, loc, ValueRange(block->getArgument(0)));
  return single->getResult(0);
}

/// Brings what the first threads with an element found to all with that element; false when there
/// is nobody to bring it to.
static bool shareResult(Operation *access) {
  Value old = access->getResult(0);
  // A store is made by the same thread.
  if (llvm::all_of(old.getUsers(), llvm::IsaPred<tile::StoreOp>))
    return false;
  auto tensor = dyn_cast<RankedTensorType>(old.getType());
  if (tensor && !isReplicated(layoutOf(tensor)))
    return false;
  OpBuilder builder(access->getContext());
  builder.setInsertionPointAfter(access);
  Value shared = tensor ? shareTensor(builder, access->getLoc(), old)
                        : shareScalar(builder, access->getLoc(), old, numWarpsOf(access));
  // Everything but what was just made: it stands between the access and the insertion point.
  SmallPtrSet<Operation *, 8> made;
  for (Operation *op = access->getNextNode(); op != shared.getDefiningOp(); op = op->getNextNode())
    made.insert(op);
  old.replaceAllUsesExcept(shared, made);
  return true;
}

/// Whether warps may find different values with a volatile load. Lanes of one warp load together.
static bool mayDiffer(tile::LoadOp load) {
  auto tensor = dyn_cast<RankedTensorType>(load.getType());
  return tensor ? layoutOf(tensor).getFreeVariableMask(kWarp) != 0 : numWarpsOf(load) > 1;
}

//===--------------------------------------------------------------------------------------------===//
// Order
//===--------------------------------------------------------------------------------------------===//

/// A tensor's atomics that nothing follows acquire nothing; one instruction of one thread stays
/// what the source says.
template <typename AtomicOp> static void relaxLast(AtomicOp atomic) {
  if (tile::isAcquire(atomic.getSem()) && isa<RankedTensorType>(atomic.getType()) &&
      atomic->use_empty() && !isFollowedByAccess(atomic))
    atomic.setSem(tile::isRelease(atomic.getSem()) ? tile::MemSemantic::release
                                                   : tile::MemSemantic::relaxed);
}

/// An error where the target has no instruction for an atomic that the language has.
static LogicalResult checkTarget(Operation *atomic) {
  const Processor &processor = processorOf(atomic);
  auto rmw = dyn_cast<tile::AtomicRMWOp>(atomic);
  if (processor.has(Feature::BFloat16Atomics) || !rmw || rmw.getKind() != tile::AtomicKind::add ||
      !getElementTypeOrSelf(atomic->getResult(0).getType()).isBF16())
    return success();
  return atomic->emitError("an atomic addition of bf16 needs sm_90 or newer, got ")
         << processor.name;
}

template <typename AtomicOp> static void decompose(AtomicOp atomic) {
  shareResult(atomic);
  relaxLast(atomic);
}

namespace {
struct DecomposeAtomics final : tilec::impl::TileGPUDecomposeAtomicsPassBase<DecomposeAtomics> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<Operation *> atomics;
    SmallVector<tile::LoadOp> volatileLoads;
    getOperation().walk([&](Operation *op) {
      auto load = dyn_cast<tile::LoadOp>(op);
      if (isa<tile::AtomicRMWOp, tile::AtomicCasOp>(op))
        atomics.push_back(op);
      else if (load && load.getIsVolatile() && mayDiffer(load))
        volatileLoads.push_back(load);
    });
    for (Operation *atomic : atomics) {
      if (failed(checkTarget(atomic)))
        return signalPassFailure();
      if (auto rmw = dyn_cast<tile::AtomicRMWOp>(atomic))
        decompose(rmw);
      else
        decompose(cast<tile::AtomicCasOp>(atomic));
    }
    for (tile::LoadOp load : volatileLoads)
      shareResult(load);
  }
};
} // namespace
