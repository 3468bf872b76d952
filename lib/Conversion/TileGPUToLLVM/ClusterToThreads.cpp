// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of CTAs: their barrier, and stores to each other's shared memory.

#include "BufferAccess.h"
#include "ThreadPattern.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LLVM::LLVMPointerType tilec::clusterPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context, unsigned(NVVM::NVVMMemorySpace::SharedCluster));
}

namespace {
struct ClusterBarrier : ThreadPattern<ClusterBarrierOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ClusterBarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // The lanes of a warp may have gone different ways.
    if (op.getRelaxed())
      NVVM::ClusterArriveRelaxedOp::create(rewriter, op.getLoc(), /*aligned=*/UnitAttr());
    else
      NVVM::ClusterArriveOp::create(rewriter, op.getLoc(), /*aligned=*/UnitAttr());
    rewriter.replaceOpWithNewOp<NVVM::ClusterWaitOp>(op, /*aligned=*/UnitAttr());
    return success();
  }
};

struct LaneCta : ThreadPattern<LaneCtaOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LaneCtaOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value last = constantI32(rewriter, op.getLoc(), numCtasOf(op) - 1);
    rewriter.replaceOpWithNewOp<arith::AndIOp>(op, lowering.position.lane(op), last);
    return success();
  }
};

struct SharingCtas : ThreadPattern<SharingCtasOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(SharingCtasOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    auto constant = [&](int64_t value) { return constantI32(rewriter, loc, value); };
    auto countBits = [&](Value value) -> Value {
      return LLVM::CtPopOp::create(rewriter, loc, i32, value);
    };
    Value lanes = NVVM::VoteSyncOp::create(rewriter, loc, i32, constant(-1),
                                           adaptor.getSame().front(), NVVM::VoteSyncKind::ballot);
    Value ctas =
        arith::AndIOp::create(rewriter, loc, lanes, constant((int64_t(1) << numCtasOf(op)) - 1));
    Value count = countBits(ctas);
    Value last = arith::SubIOp::create(rewriter, loc, count, constant(1));
    Value rank = NVVM::ClusterId::create(rewriter, loc, i32);
    Value own = arith::ShLIOp::create(rewriter, loc, constant(1), rank);
    if (numCtasOf(op) > 2) {
      // x and x - 1 have a bit in common where x is no power of two.
      Value odd =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne,
                                arith::AndIOp::create(rewriter, loc, count, last), constant(0));
      ctas = arith::SelectOp::create(rewriter, loc, odd, own, ctas);
      last = arith::SelectOp::create(rewriter, loc, odd, constant(0), last);
    }
    Value lower = arith::SubIOp::create(rewriter, loc, own, constant(1));
    Value place = countBits(arith::AndIOp::create(rewriter, loc, ctas, lower));
    rewriter.replaceOp(op, {ctas, last, place});
    return success();
  }
};

/// The ring as one buffer of all rows: that of the first part, then that of the second one.
MemDescType wholeOf(MemDescType ring) {
  SmallVector<int64_t> shape(ring.getShape());
  shape.front() *= ring.getBuffers();
  LinearLayout layout = ring.getLayout().getLayout() *
                        LinearLayout::identity1D(int32_t(ring.getBuffers()), kOffset, dimName(0));
  return MemDescType::get(ring.getContext(), shape, ring.getElementType(),
                          LinearAttr::get(ring.getContext(), layout));
}

struct ClusterStore : ThreadPattern<ClusterStoreOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ClusterStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tensor = cast<RankedTensorType>(op.getValue().getType());
    MemDescType ring = op.getBuffer().getType();
    int64_t bytes = ring.getBufferBytes();
    Value part = adaptor.getPart().front();
    Value slot = arith::MulIOp::create(rewriter, loc, part, constantI32(rewriter, loc, bytes));
    Value base = adaptor.getBuffer().front();
    Value unique = isFirstReplica(rewriter, op, lowering.position, layoutOf(tensor));
    Value shift = constantI32(rewriter, loc, llvm::Log2_64(uint64_t(bytes)));
    Value mask = constantI32(rewriter, loc, bytes - 1);
    BufferAccess plan(rewriter, op, lowering, tensor, wholeOf(ring));
    // Where an element is in the ring says which CTA gets it, and where in the buffer.
    unsigned elementBytes = tile::bytesOf(tensor.getElementType());
    auto storeAll = [&](OpBuilder &builder) {
      auto store = [&](ArrayRef<Value> parts, Value offset) {
        Value word = packWord(builder, loc, parts);
        Value owner = arith::ShRUIOp::create(builder, loc, offset, shift);
        Value place = arith::AndIOp::create(builder, loc, offset, mask);
        place = arith::AddIOp::create(builder, loc, place, slot);
        Value here = LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                                         ArrayRef<LLVM::GEPArg>{place});
        Value there = NVVM::MapaOp::create(builder, loc, clusterPointer(getContext()), here, owner);
        LLVM::StoreOp::create(builder, loc, word, there, elementBytes * unsigned(parts.size()));
      };
      plan.forEachWord(builder, loc, adaptor.getValue(), store);
    };
    if (unique)
      scf::IfOp::create(rewriter, loc, unique, [&](OpBuilder &builder, Location) {
        storeAll(builder);
        scf::YieldOp::create(builder, loc);
      });
    else
      storeAll(rewriter);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilec::populateClusterPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<ClusterBarrier, LaneCta, SharingCtas, ClusterStore>(lowering, patterns.getContext());
}
