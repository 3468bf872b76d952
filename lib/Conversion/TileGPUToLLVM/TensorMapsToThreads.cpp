// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that the program encodes: the first thread claims memory for them, warps encode, each
// another one, and all threads acquire what they have written, as any may start copies.

#include "ThreadPattern.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int32_t kMapBytes = 128;

/// CTAs of the kernel that fit on a multiprocessor, whatever else they need.
static uint32_t mostCtas(Operation *op) {
  constexpr int threadsOfProcessor = 2048, ctasOfProcessor = 32;
  return uint32_t(std::min(threadsOfProcessor / launchedThreadsOf(op), ctasOfProcessor));
}

static Value isEqual(OpBuilder &builder, Location loc, Value value, int64_t number) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                               constantI32(builder, loc, number));
}

static Value behind(OpBuilder &builder, Location loc, Value base, int32_t bytes) {
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

namespace {
struct TensorMapsOpen : ThreadPattern<TensorMapsOpenOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TensorMapsOpenOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value scratch = adaptor.getScratch().front();
    Value first = isEqual(rewriter, loc, lowering.position.thread(op), 0);
    scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &builder, Location) {
      Value number = ThreadClaimMapsOp::create(builder, loc, builder.getI32Type(), op.getCount(),
                                               mostCtas(op));
      StSharedOp::create(builder, loc, number, scratch, /*predicate=*/Value());
      scf::YieldOp::create(builder, loc);
    });
    NVVM::Barrier0Op::create(rewriter, loc);
    Value number = LdSharedOp::create(rewriter, loc, rewriter.getI32Type(), scratch);
    rewriter.replaceOpWithNewOp<ThreadMapsOp>(op, op.getMaps().getType(), number, op.getCount(),
                                              mostCtas(op));
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
      Value first = isEqual(rewriter, loc, lowering.position.thread(op), 0);
      scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &builder, Location) {
        // Stores by what the slots held.
        NVVM::CpAsyncBulkWaitGroupOp::create(builder, loc, builder.getI32IntegerAttr(0),
                                             UnitAttr());
        scf::YieldOp::create(builder, loc);
      });
      NVVM::Barrier0Op::create(rewriter, loc);
    }
    Value encodes = isEqual(rewriter, loc, lowering.position.warp(op),
                            int64_t(op.getSlot() - op.getFirst()) % lowering.numWarps);
    auto firstOfEach = [](ArrayRef<ValueRange> values) {
      return llvm::map_to_vector(values, [](ValueRange range) { return range.front(); });
    };
    scf::IfOp::create(rewriter, loc, encodes, [&](OpBuilder &builder, Location) {
      ThreadEncodeMapOp::create(builder, loc, behind(builder, loc, adaptor.getMaps().front(), offset),
                                behind(builder, loc, adaptor.getScratch().front(), offset),
                                lowering.position.lane(op), adaptor.getBase().front(),
                                firstOfEach(adaptor.getShape()), firstOfEach(adaptor.getStrides()),
                                TypeAttr::get(op.getMap().getType()));
      scf::YieldOp::create(builder, loc);
    });
    auto generic = [&](uint32_t slot) -> Value {
      return LLVM::AddrSpaceCastOp::create(
          rewriter, loc, LLVM::LLVMPointerType::get(getContext()),
          behind(rewriter, loc, adaptor.getMaps().front(), int32_t(slot) * kMapBytes));
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
    Value first = isEqual(rewriter, loc, lowering.position.thread(op), 0);
    scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &builder, Location) {
      NVVM::CpAsyncBulkWaitGroupOp::create(builder, loc, builder.getI32IntegerAttr(0), UnitAttr());
      ThreadReleaseMapsOp::create(builder, loc, adaptor.getMaps().front(), op.getCount(),
                                  mostCtas(op));
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
