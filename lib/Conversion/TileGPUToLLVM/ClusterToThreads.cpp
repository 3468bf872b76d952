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
    NVVM::ClusterArriveOp::create(rewriter, op.getLoc(), /*aligned=*/UnitAttr());
    rewriter.replaceOpWithNewOp<NVVM::ClusterWaitOp>(op, /*aligned=*/UnitAttr());
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
  patterns.add<ClusterBarrier, ClusterStore>(lowering, patterns.getContext());
}
