// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TMA copies and their mbarriers: the first thread of the CTA, or of the role
// that loads, issues; everybody waits.

#include "ThreadPattern.h"

#include "tilec/Layout/TensorMapLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// How long a thread may sleep at a barrier object before it looks again, in nanoseconds.
static constexpr int64_t kSuspendNanoseconds = 0x989680;

/// Whether the thread is the first one of its role.
static Value isFirstThread(OpBuilder &builder, Operation *op, const ThreadPosition &position) {
  auto roles = op->getParentOfType<WarpRolesOp>();
  bool loads = roles && roles.getLoad().isAncestor(op->getParentRegion());
  return arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::eq, position.thread(op),
                               constantI32(builder, op->getLoc(), loads ? 32 * numWarpsOf(op) : 0));
}

static Value at(OpBuilder &builder, Location loc, Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

/// Object number `slot` of a ring.
static Value objectAt(OpBuilder &builder, Location loc, Value base, MemDescType ring, Value slot) {
  Value bytes = constantI32(builder, loc, ring.getBufferBytes());
  Value offset = arith::MulIOp::create(builder, loc, slot, bytes);
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// `op` becomes a wait for the phase of object number `slot`.
static void waitForPhase(RewriterBase &rewriter, Operation *op, Value base, MemDescType ring,
                         Value slot, Value parity) {
  Location loc = op->getLoc();
  Value object = objectAt(rewriter, loc, base, ring, slot);
  Value ticks = constantI32(rewriter, loc, kSuspendNanoseconds);
  rewriter.replaceOpWithNewOp<NVVM::MBarrierTryWaitParityOp>(op, object, parity, ticks);
}

/// Calls `copy` with the place in shared memory and the coordinates, the fastest first, of every
/// box of a block. The buffer may lack dimensions of size one.
static void forEachBox(OpBuilder &builder, Location loc, tile::DescType desc, MemDescType buffer,
                       Value base, ValueRange offsets,
                       llvm::function_ref<void(Value, ValueRange)> copy) {
  int32_t bits = int32_t(tile::bitWidthOf(buffer.getElementType()));
  Shape block = desc.getBlockShape();
  std::optional<TensorMapTile> form = tensorMapTile(block, bits);
  for (const std::vector<int64_t> &start : form->boxStarts(block)) {
    SmallVector<Value> coordinates;
    for (auto [offset, first] : llvm::zip(offsets, start))
      coordinates.push_back(
          first == 0 ? Value(offset)
                     : arith::AddIOp::create(builder, loc, offset, constantI32(builder, loc, first))
                           .getResult());
    std::reverse(coordinates.begin(), coordinates.end());
    copy(at(builder, loc, base, form->offsetOf(start) * bits / 8), coordinates);
  }
}

static SmallVector<Value> firstOfEach(ArrayRef<ValueRange> values) {
  return llvm::map_to_vector(values, [](ValueRange range) { return range.front(); });
}

/// The copy engine's name of a combination.
static NVVM::TMAReduxKind reductionOf(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::add:
    return NVVM::TMAReduxKind::ADD;
  case tile::AtomicKind::min:
  case tile::AtomicKind::umin:
    return NVVM::TMAReduxKind::MIN;
  case tile::AtomicKind::max:
  case tile::AtomicKind::umax:
    return NVVM::TMAReduxKind::MAX;
  case tile::AtomicKind::bit_and:
    return NVVM::TMAReduxKind::AND;
  case tile::AtomicKind::bit_or:
    return NVVM::TMAReduxKind::OR;
  case tile::AtomicKind::bit_xor:
  case tile::AtomicKind::xchg:
  case tile::AtomicKind::load:
  case tile::AtomicKind::store:
    break;
  }
  return NVVM::TMAReduxKind::XOR;
}

namespace {
struct MbarrierInit : ThreadPattern<MbarrierInitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(MbarrierInitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemDescType ring = op.getBarriers().getType();
    Value base = adaptor.getBarriers().front();
    Value first = isFirstThread(rewriter, op, lowering.position);
    scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &builder, Location) {
      Value count = constantI32(builder, loc, op.getCount());
      for (int64_t i = 0; i < ring.getBuffers(); ++i)
        NVVM::MBarrierInitOp::create(
            builder, loc, at(builder, loc, base, i * ring.getBufferBytes()), count, Value());
      NVVM::FenceMbarrierInitOp::create(builder, loc);
      scf::YieldOp::create(builder, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct MbarrierInval : ThreadPattern<MbarrierInvalOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(MbarrierInvalOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemDescType ring = op.getBarriers().getType();
    Value base = adaptor.getBarriers().front();
    Value first = isFirstThread(rewriter, op, lowering.position);
    scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &builder, Location) {
      for (int64_t i = 0; i < ring.getBuffers(); ++i)
        NVVM::MBarrierInvalOp::create(builder, loc,
                                      at(builder, loc, base, i * ring.getBufferBytes()));
      scf::YieldOp::create(builder, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct MbarrierWait : ThreadPattern<MbarrierWaitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(MbarrierWaitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    waitForPhase(rewriter, op, adaptor.getBarriers().front(), op.getBarriers().getType(),
                 adaptor.getSlot().front(), adaptor.getParity().front());
    return success();
  }
};

struct SlotAcquire : ThreadPattern<SlotAcquireOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(SlotAcquireOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    waitForPhase(rewriter, op, adaptor.getEmpty().front(), op.getEmpty().getType(),
                 adaptor.getSlot().front(), adaptor.getParity().front());
    return success();
  }
};

struct SlotRelease : ThreadPattern<SlotReleaseOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(SlotReleaseOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value arrives =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, lowering.position.lane(op),
                              constantI32(rewriter, loc, 0));
    if (op.getPredicate())
      arrives = arith::AndIOp::create(rewriter, loc, arrives, adaptor.getPredicate().front());
    Value object = objectAt(rewriter, loc, adaptor.getEmpty().front(), op.getEmpty().getType(),
                            adaptor.getSlot().front());
    // One instruction instead of a branch: NVVM's arrival without bytes has no predicate, and that
    // of zero bytes is the same.
    NVVM::MBarrierArriveExpectTxOp::create(rewriter, loc, Type(), object,
                                           constantI32(rewriter, loc, 0), NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, arrives);
    rewriter.eraseOp(op);
    return success();
  }
};

struct TmaLoad : ThreadPattern<TmaLoadOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TmaLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value issues = isFirstThread(rewriter, op, lowering.position);
    if (op.getPredicate())
      issues = arith::AndIOp::create(rewriter, loc, issues, adaptor.getPredicate().front());
    MemDescType buffer = op.getBuffer().getType();
    scf::IfOp::create(rewriter, loc, issues, [&](OpBuilder &builder, Location) {
      Value object = objectAt(builder, loc, adaptor.getBarriers().front(),
                              op.getBarriers().getType(), adaptor.getSlot().front());
      for (uint32_t i = 1; i < op.getArrivals(); ++i)
        NVVM::MBarrierArriveOp::create(builder, loc, Type(), object, Value());
      Value bytes = constantI32(builder, loc, buffer.getSizeInBytes());
      NVVM::MBarrierArriveExpectTxOp::create(builder, loc, Type(), object, bytes,
                                             NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
      auto clusterPointer = LLVM::LLVMPointerType::get(builder.getContext(), 7);
      forEachBox(builder, loc, op.getDesc().getType(), buffer, adaptor.getBuffer().front(),
                 firstOfEach(adaptor.getOffsets()), [&](Value place, ValueRange coordinates) {
                   Value target =
                       LLVM::AddrSpaceCastOp::create(builder, loc, clusterPointer, place);
                   NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
                       builder, loc, target, adaptor.getDesc().front(), coordinates, object,
                       /*im2colOffsets=*/ValueRange(), /*multicastMask=*/Value(),
                       /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
                       /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
                 });
      scf::YieldOp::create(builder, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct TmaStore : ThreadPattern<TmaStoreOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TmaStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value issues = isFirstThread(rewriter, op, lowering.position);
    scf::IfOp::create(rewriter, loc, issues, [&](OpBuilder &builder, Location) {
      forEachBox(builder, loc, op.getDesc().getType(), op.getBuffer().getType(),
                 adaptor.getBuffer().front(), firstOfEach(adaptor.getOffsets()),
                 [&](Value place, ValueRange coordinates) {
                   if (op.getReduction()) {
                     NVVM::CpAsyncBulkTensorReduceOp::create(
                         builder, loc, adaptor.getDesc().front(), place,
                         reductionOf(*op.getReduction()), NVVM::TMAStoreMode::TILE, coordinates,
                         /*l2CacheHint=*/Value());
                     return;
                   }
                   NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
                       builder, loc, adaptor.getDesc().front(), place, coordinates,
                       /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
                 });
      NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
      scf::YieldOp::create(builder, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct TmaStoreWait : ThreadPattern<TmaStoreWaitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TmaStoreWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // Threads that have started nothing do not wait.
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(op, op.getPending(),
                                                              rewriter.getUnitAttr());
    return success();
  }
};
} // namespace

void tilec::populateTmaPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<MbarrierInit, MbarrierInval, MbarrierWait, SlotAcquire, SlotRelease, TmaLoad,
               TmaStore, TmaStoreWait>(lowering, patterns.getContext());
}
