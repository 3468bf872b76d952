// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of buffers, async copies (cp.async) and their groups.

#include "ThreadPattern.h"

#include "tilec/Layout/SharedSwizzle.h"
#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
struct MemDescIndex : ThreadPattern<MemDescIndexOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(MemDescIndexOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value base = adaptor.getRing().front();
    Value bytes = constantI32(rewriter, loc, op.getRing().getType().getBufferBytes());
    Value offset = arith::MulIOp::create(rewriter, loc, adaptor.getIndex().front(), bytes);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, base.getType(), rewriter.getI8Type(), base,
                                             ArrayRef<LLVM::GEPArg>{offset});
    return success();
  }
};

struct MemDescPermute : ThreadPattern<MemDescPermuteOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(MemDescPermuteOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource().front());
    return success();
  }
};

struct AsyncCopy : ThreadPattern<AsyncCopyOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(AsyncCopyOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto pointers = cast<RankedTensorType>(op.getPointer().getType());
    MemDescType buffer = op.getBuffer().getType();
    unsigned bytes = tile::bytesOf(buffer.getElementType());
    const LinearLayout &layout = layoutOf(pointers);
    SharedAccess access =
        analyseSharedAccess(layout, buffer.getLayout().getLayout(), int32_t(bytes * 8));
    std::vector<unsigned> bits = copyRegisterBits(layout, lowering.vectors.lookup(op),
                                                  buffer.getLayout().getLayout(), bytes);
    unsigned size = bytes << bits.size();
    if (size < kLeastCopyBytes)
      return op.emitError("expected vectors of at least ")
             << kLeastCopyBytes << " bytes, got " << size;
    LinearIndex index = threadPart(rewriter, op, lowering.position, access.offsets, bytes);
    Value unique = isFirstReplica(rewriter, op, lowering.position, layout);
    int64_t replicas = layout.getFreeVariableMask(kRegister);
    Value base = adaptor.getBuffer().front();
    auto cache = size == kMostCopyBytes && op.getCache() != tile::CacheModifier::ca
                     ? NVVM::LoadCacheModifierKind::CG
                     : NVVM::LoadCacheModifierKind::CA;
    for (const auto &group : groupRegisters(numRegisters(pointers), bits)) {
      if (group.front() & replicas)
        continue;
      Value offset = index.at(rewriter, loc, registerPart(access.offsets, group.front()) * bytes);
      Value target = LLVM::GEPOp::create(rewriter, loc, base.getType(), rewriter.getI8Type(), base,
                                         ArrayRef<LLVM::GEPArg>{offset});
      Value valid;
      if (op.getMask()) {
        Value zero = constantI32(rewriter, loc, 0), all = constantI32(rewriter, loc, size);
        valid = arith::SelectOp::create(rewriter, loc, adaptor.getMask()[group.front()], all, zero);
      }
      auto start = [&](OpBuilder &builder) {
        auto copy = NVVM::CpAsyncOp::create(
            builder, loc, target, adaptor.getPointer()[group.front()],
            builder.getI32IntegerAttr(size),
            NVVM::LoadCacheModifierKindAttr::get(getContext(), cache), valid);
        if (op.getEvict() != tile::EvictionPolicy::normal)
          copy->setAttr(TileGPUDialect::kEvictAttr, op.getEvictAttr());
        // A warp's copies of 4 bytes take whole lines by themselves.
        if (op.getWholeLines() && size == kMostCopyBytes)
          copy->setAttr(TileGPUDialect::kWholeLinesAttr, builder.getUnitAttr());
      };
      if (!unique) {
        start(rewriter);
        continue;
      }
      scf::IfOp::create(rewriter, loc, unique, [&](OpBuilder &builder, Location) {
        start(builder);
        scf::YieldOp::create(builder, loc);
      });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncCommit : ThreadPattern<AsyncCommitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(AsyncCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct AsyncWait : ThreadPattern<AsyncWaitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(AsyncWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, op.getPending());
    return success();
  }
};

struct ProxyFence : ThreadPattern<ProxyFenceOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ProxyFenceOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bool isAll = op.getAllMemory();
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(
        op,
        NVVM::ProxyKindAttr::get(getContext(),
                                 isAll ? NVVM::ProxyKind::async : NVVM::ProxyKind::async_shared),
        isAll ? NVVM::SharedSpaceAttr()
              : NVVM::SharedSpaceAttr::get(getContext(), NVVM::SharedSpace::shared_cta));
    return success();
  }
};
} // namespace

void tilec::populateAsyncPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<MemDescIndex, MemDescPermute, AsyncCopy, AsyncCommit, AsyncWait, ProxyFence>(
      lowering, patterns.getContext());
}
