// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that the program encodes: the first thread claims memory for them, warps encode, each
// another one, and all threads acquire what they have written, as any may start copies.

#include "ThreadPattern.h"

#include "tilec/Layout/TensorMapLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int32_t kMapBytes = kTensorMapBytes;

/// CTAs of the kernel that fit on a multiprocessor, whatever else they need.
static uint32_t mostCtas(Operation *op, const Processor &processor) {
  return uint32_t(std::min(processor.maxThreads / launchedThreadsOf(op), processor.maxCtas));
}

namespace {
struct TensorMapsOpen : ThreadPattern<TensorMapsOpenOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TensorMapsOpenOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value scratch = adaptor.getScratch().front();
    Value first = isFirstThread(rewriter, op, lowering.position);
    scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &builder, Location) {
      Value number = ThreadClaimMapsOp::create(builder, loc, builder.getI32Type(),
                                               mostCtas(op, lowering.processor));
      StSharedOp::create(builder, loc, number, scratch, /*predicate=*/Value());
      scf::YieldOp::create(builder, loc);
    });
    NVVM::Barrier0Op::create(rewriter, loc);
    Value number = LdSharedOp::create(rewriter, loc, rewriter.getI32Type(), scratch);
    rewriter.replaceOpWithNewOp<ThreadMapsOp>(op, op.getMaps().getType(), number, op.getCount(),
                                              mostCtas(op, lowering.processor));
    return success();
  }
};

struct EncodeTensorMap : ThreadPattern<EncodeTensorMapOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(EncodeTensorMapOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int32_t offset = int32_t(op.getSlot()) * kMapBytes;
    if (op.getSlot() == op.getFirst()) {
      Value first = isFirstThread(rewriter, op, lowering.position);
      scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &builder, Location) {
        // Stores by what the slots held.
        NVVM::CpAsyncBulkWaitGroupOp::create(builder, loc, builder.getI32IntegerAttr(0),
                                             UnitAttr());
        scf::YieldOp::create(builder, loc);
      });
      NVVM::Barrier0Op::create(rewriter, loc);
    }
    Value encoder =
        constantI32(rewriter, loc, int64_t(op.getSlot() - op.getFirst()) % lowering.numWarps);
    Value encodes = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                          lowering.position.warp(op), encoder);
    scf::IfOp::create(rewriter, loc, encodes, [&](OpBuilder &builder, Location) {
      ThreadEncodeMapOp::create(
          builder, loc, bytesBehind(builder, loc, adaptor.getMaps().front(), offset),
          bytesBehind(builder, loc, adaptor.getScratch().front(), offset),
          lowering.position.lane(op), adaptor.getBase().front(), firstOfEach(adaptor.getShape()),
          firstOfEach(adaptor.getStrides()), TypeAttr::get(op.getMap().getType()));
      scf::YieldOp::create(builder, loc);
    });
    auto generic = [&](uint32_t slot) -> Value {
      return LLVM::AddrSpaceCastOp::create(
          rewriter, loc, LLVM::LLVMPointerType::get(getContext()),
          bytesBehind(rewriter, loc, adaptor.getMaps().front(), int32_t(slot) * kMapBytes));
    };
    if (op.getLast()) {
      NVVM::Barrier0Op::create(rewriter, loc);
      for (uint32_t slot = op.getFirst(); slot <= op.getSlot(); ++slot)
        NVVM::FenceProxyAcquireOp::create(rewriter, loc, NVVM::MemScopeKind::GPU, generic(slot),
                                          constantI32(rewriter, loc, kMapBytes),
                                          NVVM::ProxyKind::GENERIC, NVVM::ProxyKind::TENSORMAP);
    }
    rewriter.replaceOp(op, generic(op.getSlot()));
    return success();
  }
};

struct TensorMapsClose : ThreadPattern<TensorMapsCloseOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TensorMapsCloseOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // The thread that starts all copies, and has waited for those to shared memory.
    Value first = isFirstThread(rewriter, op, lowering.position);
    scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &builder, Location) {
      NVVM::CpAsyncBulkWaitGroupOp::create(builder, loc, builder.getI32IntegerAttr(0), UnitAttr());
      ThreadReleaseMapsOp::create(builder, loc, adaptor.getMaps().front(), op.getCount(),
                                  mostCtas(op, lowering.processor));
      scf::YieldOp::create(builder, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilec::populateTensorMapPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<TensorMapsOpen, EncodeTensorMap, TensorMapsClose>(lowering, patterns.getContext());
}
