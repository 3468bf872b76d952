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

static constexpr int kWarpgroupThreads = 128;
/// The name of the first warpgroup's barrier, behind those of all and of the computing warps.
static constexpr int kWarpgroupBarrier = 2;

/// How long a thread may sleep at a barrier object before it looks again, in nanoseconds.
static constexpr int64_t kSuspendNanoseconds = 0x989680;

/// Whether `op` is in the role that loads, which one warp runs.
static bool isLoading(Operation *op) {
  auto roles = op->getParentOfType<WarpRolesOp>();
  return roles && roles.getLoad().isAncestor(op->getParentRegion());
}

Value tilec::isFirstThread(OpBuilder &builder, Operation *op, const ThreadPosition &position) {
  return arith::CmpIOp::create(
      builder, op->getLoc(), arith::CmpIPredicate::eq, position.thread(op),
      constantI32(builder, op->getLoc(), isLoading(op) ? 32 * computingWarpsOf(op) : 0));
}

/// Whether the thread is its warp's elected one: the same question for all copies of a block of
/// code, which become one branch.
static Value isElected(OpBuilder &builder, Location loc) {
  auto before = llvm::reverse(
      llvm::make_range(builder.getInsertionBlock()->begin(), builder.getInsertionPoint()));
  auto election = llvm::find_if(before, llvm::IsaPred<NVVM::ElectSyncOp>);
  if (election != before.end())
    return cast<NVVM::ElectSyncOp>(*election).getPred();
  return NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(), Value());
}

/// Whether the thread starts the tensor copies of its role: of warps that load the elected one, of
/// which the assembler knows that it is alone, so that it takes addresses and coordinates from
/// uniform registers; for one that is the first by its number it makes a loop over the threads that
/// may be there.
static Value startsCopies(OpBuilder &builder, Operation *op, const ThreadPosition &position) {
  return isLoading(op) ? isElected(builder, op->getLoc()) : isFirstThread(builder, op, position);
}

/// Whether the running thread is the first of its warpgroup.
static Value isFirstOfWarpgroup(OpBuilder &builder, Operation *op, const ThreadPosition &position) {
  Location loc = op->getLoc();
  Value within = arith::AndIOp::create(builder, loc, position.thread(op),
                                       constantI32(builder, loc, kWarpgroupThreads - 1));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, within,
                               constantI32(builder, loc, 0));
}

/// The number of the running thread's warpgroup.
static Value warpgroupOf(OpBuilder &builder, Operation *op, const ThreadPosition &position) {
  Location loc = op->getLoc();
  return arith::DivUIOp::create(builder, loc, position.thread(op),
                                constantI32(builder, loc, kWarpgroupThreads));
}

static Value at(OpBuilder &builder, Location loc, Value base, int64_t bytes) {
  return bytes == 0 ? base : bytesBehind(builder, loc, base, int32_t(bytes));
}

Value tilec::objectAt(OpBuilder &builder, Location loc, Value base, MemDescType ring, Value slot) {
  Value bytes = constantI32(builder, loc, ring.getBufferBytes());
  Value offset = arith::MulIOp::create(builder, loc, slot, bytes);
  return bytesBehind(builder, loc, base, offset);
}

void tilec::arriveIf(OpBuilder &builder, Location loc, Value predicate, Value object) {
  // One instruction instead of a branch: NVVM's arrival without bytes has no predicate, and that of
  // zero bytes is the same.
  NVVM::MBarrierArriveExpectTxOp::create(builder, loc, Type(), object, constantI32(builder, loc, 0),
                                         NVVM::MemScopeKind::CTA, /*relaxed=*/false, predicate);
}

/// `op` becomes a wait for the phase of object number `slot`.
static void waitForPhase(OpBuilder &builder, Location loc, Value base, MemDescType ring, Value slot,
                         Value parity) {
  Value object = objectAt(builder, loc, base, ring, slot);
  Value ticks = constantI32(builder, loc, kSuspendNanoseconds);
  NVVM::MBarrierTryWaitParityOp::create(builder, loc, object, parity, ticks);
}

/// Where in a block its boxes begin.
using BoxStarts = std::vector<std::vector<int64_t>>;

/// Calls `copy` with the place in shared memory and the coordinates, the fastest first, of boxes of
/// a block: of those that begin at `starts`, or all.
static void forEachBox(OpBuilder &builder, Location loc, tile::DescType desc, BoxStarts starts,
                       Value base, ValueRange offsets,
                       llvm::function_ref<void(Value, ValueRange)> copy) {
  TensorMapTile form = boxesOf(desc);
  if (starts.empty())
    starts = form.boxStarts();
  int64_t bits = int64_t(tile::bitWidthOf(desc.getElementType()));
  for (const std::vector<int64_t> &start : starts) {
    SmallVector<Value> coordinates;
    for (auto [offset, first] : llvm::zip(offsets, start))
      coordinates.push_back(
          first == 0 ? Value(offset)
                     : arith::AddIOp::create(builder, loc, offset, constantI32(builder, loc, first))
                           .getResult());
    std::reverse(coordinates.begin(), coordinates.end());
    copy(at(builder, loc, base, form.offsetOf(start) * bits / 8), coordinates);
  }
}

/// The halves of a block; nothing when no dimension has an even number of boxes.
static std::optional<BoxParts> halvesOf(tile::DescType desc) {
  TensorMapTile form = boxesOf(desc);
  for (size_t dim = 0; dim < form.box.size(); ++dim) {
    int64_t boxes = llvm::divideCeil(form.used[dim], form.box[dim]);
    if (boxes % 2 == 0)
      return form.partsOf(unsigned(dim), boxes / 2 * form.box[dim], 2);
  }
  return std::nullopt;
}

/// Part number `part` of a block begins there: `offsets` are moved, and its place in shared memory
/// comes back.
static Value moveToPart(OpBuilder &builder, Location loc, tile::DescType desc,
                        const BoxParts &parts, Value part, Value base,
                        MutableArrayRef<Value> offsets) {
  int64_t bits = int64_t(tile::bitWidthOf(desc.getElementType()));
  Value bytes =
      arith::MulIOp::create(builder, loc, part, constantI32(builder, loc, parts.offset * bits / 8));
  Value ahead =
      arith::MulIOp::create(builder, loc, part, constantI32(builder, loc, parts.elements));
  offsets[parts.dim] = arith::AddIOp::create(builder, loc, offsets[parts.dim], ahead);
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

SmallVector<Value> tilec::firstOfEach(ArrayRef<ValueRange> values) {
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
    waitForPhase(rewriter, op.getLoc(), adaptor.getBarriers().front(), op.getBarriers().getType(),
                 adaptor.getSlot().front(), adaptor.getParity().front());
    rewriter.eraseOp(op);
    return success();
  }
};

struct SlotAcquire : ThreadPattern<SlotAcquireOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(SlotAcquireOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value empty = adaptor.getEmpty().front(), slot = adaptor.getSlot().front();
    Value parity = adaptor.getParity().front();
    if (!op.getElected()) {
      waitForPhase(rewriter, op.getLoc(), empty, op.getEmpty().getType(), slot, parity);
    } else {
      Value waits = isFirstThread(rewriter, op, lowering.position);
      if (op.getPredicate())
        waits = arith::AndIOp::create(rewriter, op.getLoc(), waits, adaptor.getPredicate().front());
      auto branch = scf::IfOp::create(rewriter, op.getLoc(), waits, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      waitForPhase(rewriter, op.getLoc(), empty, op.getEmpty().getType(), slot, parity);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct SlotRelease : ThreadPattern<SlotReleaseOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(SlotReleaseOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int ctas = numCtasOf(op);
    Value lane = lowering.position.lane(op);
    // A lane for each CTA.
    auto isOne = ctas == 1 ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ult;
    Value arrives = arith::CmpIOp::create(rewriter, loc, isOne, lane,
                                          constantI32(rewriter, loc, ctas == 1 ? 0 : ctas));
    if (op.getPredicate())
      arrives = arith::AndIOp::create(rewriter, loc, arrives, adaptor.getPredicate().front());
    Value object = objectAt(rewriter, loc, adaptor.getEmpty().front(), op.getEmpty().getType(),
                            adaptor.getSlot().front());
    if (ctas == 1) {
      arriveIf(rewriter, loc, arrives, object);
    } else {
      scf::IfOp::create(rewriter, loc, arrives, [&](OpBuilder &builder, Location) {
        Value cta = lane;
        if (op.getWithout()) {
          Value rank = NVVM::ClusterId::create(builder, loc, builder.getI32Type());
          cta = arith::SelectOp::create(builder, loc, adaptor.getWithout().front(), rank, lane);
        }
        Value there = NVVM::MapaOp::create(builder, loc, clusterPointer(getContext()), object, cta);
        // Not a release in the cluster, which takes a fence of all memory: what the warp has read
        // of the slot is in registers or retired, and it has written nothing there.
        NVVM::MBarrierArriveOp::create(builder, loc, Type(), there, /*count=*/Value(),
                                       NVVM::MemScopeKind::CTA);
        scf::YieldOp::create(builder, loc);
      });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct TmaLoad : ThreadPattern<TmaLoadOp> {
  using ThreadPattern::ThreadPattern;

  /// Starts the copies of boxes; with a mask, to those CTAs of the cluster.
  struct BoxCopy {
    OpBuilder &builder;
    Location loc;
    Value desc, object, mask;
    bool inCluster;
    tile::EvictionPolicy evict;

    void operator()(Value place, ValueRange coordinates) const {
      Type pointer = clusterPointer(builder.getContext());
      Value target;
      if (inCluster) {
        // A CTA's own shared memory has the same addresses in that of the cluster. A cast goes
        // through generic addresses; without it some kernels take more registers.
        Value address = LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), place);
        target = LLVM::IntToPtrOp::create(builder, loc, pointer, address);
      } else {
        target = LLVM::AddrSpaceCastOp::create(builder, loc, pointer, place);
      }
      auto copy = NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          builder, loc, target, desc, coordinates, object,
          /*im2colOffsets=*/ValueRange(), mask, /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE,
          /*isCTAOnly=*/false, /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
      if (evict != tile::EvictionPolicy::normal)
        copy->setAttr(TileGPUDialect::kEvictAttr,
                      tile::EvictionPolicyAttr::get(builder.getContext(), evict));
    }
  };

  /// Its half of a block that both CTAs of a cluster load; false where a block has no halves.
  static bool copyHalf(OpBuilder &builder, TmaLoadOp op, OneToNOpAdaptor adaptor, Value object) {
    Location loc = op.getLoc();
    std::optional<BoxParts> halves = halvesOf(op.getDesc().getType());
    if (!halves || numCtasOf(op) > 2)
      return false;
    Value base = adaptor.getBuffer().front();
    SmallVector<Value> offsets = firstOfEach(adaptor.getOffsets());
    Value rank = NVVM::ClusterId::create(builder, loc, builder.getI32Type());
    Value both = arith::ConstantIntOp::create(builder, loc, 3, 16);
    Value place = moveToPart(builder, loc, op.getDesc().getType(), *halves, rank, base, offsets);
    forEachBox(builder, loc, op.getDesc().getType(), halves->starts, place, offsets,
               BoxCopy{builder, loc, adaptor.getDesc().front(), object, both, /*inCluster=*/true,
                       op.getEvict()});
    return true;
  }

  /// The boxes that are this CTA's by its turn, for all that load the block.
  static void copyInTurn(OpBuilder &builder, TmaLoadOp op, OneToNOpAdaptor adaptor, Value object) {
    Location loc = op.getLoc();
    Value targets =
        arith::TruncIOp::create(builder, loc, builder.getI16Type(), adaptor.getCtas().front());
    Value turn = adaptor.getTurn().front(), last = adaptor.getLast().front();
    forEachBox(builder, loc, op.getDesc().getType(), {}, adaptor.getBuffer().front(),
               firstOfEach(adaptor.getOffsets()), [&](Value box, ValueRange coordinates) {
                 Value left = arith::AndIOp::create(builder, loc, turn, last);
                 Value mine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, left,
                                                    constantI32(builder, loc, 0));
                 SmallVector<Value> there(coordinates);
                 scf::IfOp::create(builder, loc, mine, [&](OpBuilder &inner, Location) {
                   BoxCopy{inner,        loc,     adaptor.getDesc().front(),
                           object,       targets, /*inCluster=*/true,
                           op.getEvict()}(box, there);
                   scf::YieldOp::create(inner, loc);
                 });
                 turn = arith::AddIOp::create(builder, loc, turn, constantI32(builder, loc, 1));
               });
  }

  LogicalResult matchAndRewrite(TmaLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value issues = startsCopies(rewriter, op, lowering.position);
    if (op.getPredicate())
      issues = arith::AndIOp::create(rewriter, loc, issues, adaptor.getPredicate().front());
    scf::IfOp::create(rewriter, loc, issues, [&](OpBuilder &builder, Location) {
      Value object = objectAt(builder, loc, adaptor.getBarriers().front(),
                              op.getBarriers().getType(), adaptor.getSlot().front());
      for (uint32_t i = 1; i < op.getArrivals(); ++i)
        NVVM::MBarrierArriveOp::create(builder, loc, Type(), object, Value());
      TensorMapTile form = boxesOf(op.getDesc().getType());
      int64_t bits = int64_t(tile::bitWidthOf(op.getDesc().getType().getElementType()));
      int64_t elements = form.boxElements() * int64_t(form.boxStarts().size());
      Value bytes = constantI32(builder, loc, elements * bits / 8);
      NVVM::MBarrierArriveExpectTxOp::create(builder, loc, Type(), object, bytes,
                                             NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
      auto copyAlone = [&](OpBuilder &inner) {
        forEachBox(inner, loc, op.getDesc().getType(), {}, adaptor.getBuffer().front(),
                   firstOfEach(adaptor.getOffsets()),
                   BoxCopy{inner, loc, adaptor.getDesc().front(), object, /*mask=*/Value(),
                           numCtasOf(op) > 1, op.getEvict()});
      };
      if (!op.getCtas()) {
        copyAlone(builder);
      } else {
        // A multicast for one CTA alone is slower than a copy.
        Value isShared =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, adaptor.getLast().front(),
                                  constantI32(builder, loc, 0));
        auto shared = [&](OpBuilder &inner, Location) {
          if (!copyHalf(inner, op, adaptor, object))
            copyInTurn(inner, op, adaptor, object);
          scf::YieldOp::create(inner, loc);
        };
        auto alone = [&](OpBuilder &inner, Location) {
          copyAlone(inner);
          scf::YieldOp::create(inner, loc);
        };
        scf::IfOp::create(builder, loc, isShared, shared, alone);
      }
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
    tile::DescType desc = op.getDesc().getType();
    std::optional<BoxParts> parts = op.getParts();
    Value issues = parts ? isFirstOfWarpgroup(rewriter, op, lowering.position)
                         : isFirstThread(rewriter, op, lowering.position);
    // What only the store needs is not computed by one thread while its warpgroup waits for it.
    if (parts)
      WallOp::create(rewriter, loc, firstOfEach(adaptor.getOffsets()));
    scf::IfOp::create(rewriter, loc, issues, [&](OpBuilder &builder, Location) {
      Value base = adaptor.getBuffer().front();
      SmallVector<Value> offsets = firstOfEach(adaptor.getOffsets());
      if (parts)
        base = moveToPart(builder, loc, desc, *parts, warpgroupOf(builder, op, lowering.position),
                          base, offsets);
      forEachBox(builder, loc, desc, parts ? parts->starts : BoxStarts(), base, offsets,
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
      if (!op.getCommitAll())
        NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
      scf::YieldOp::create(builder, loc);
    });
    if (op.getCommitAll())
      scf::IfOp::create(rewriter, loc, isFirstOfWarpgroup(rewriter, op, lowering.position),
                        [&](OpBuilder &builder, Location) {
                          NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
                          scf::YieldOp::create(builder, loc);
                        });
    rewriter.eraseOp(op);
    return success();
  }
};

struct WarpgroupBarrier : ThreadPattern<WarpgroupBarrierOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(WarpgroupBarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // The barrier of a group of computing warps, which is one warpgroup.
    if (computeGroupsOf(op) > 1) {
      rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
      return success();
    }
    Value group = warpgroupOf(rewriter, op, lowering.position);
    rewriter.replaceOpWithNewOp<NamedBarrierOp>(op, kWarpgroupBarrier, kWarpgroupThreads, group,
                                                /*arrive=*/false);
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
               TmaStore, TmaStoreWait, WarpgroupBarrier>(lowering, patterns.getContext());
}
