// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of programs: the first lane of a warp reads and writes them, and tells the others.

#include "ThreadPattern.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static Value isFirstLane(OpBuilder &builder, Operation *op, const ThreadPosition &position) {
  return arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::eq, position.lane(op),
                               constantI32(builder, op->getLoc(), 0));
}

/// The numbers order nothing but themselves.
static Value combine(OpBuilder &builder, Location loc, tile::AtomicKind kind, Value counter,
                     int64_t value, Value predicate) {
  return AtomicRMWGlobalOp::create(builder, loc, builder.getI32Type(), kind, counter,
                                   constantI32(builder, loc, value), predicate,
                                   tile::MemSemantic::relaxed, tile::MemScope::gpu);
}

namespace {
struct TakeProgram : ThreadPattern<TakeProgramOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TakeProgramOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       combine(rewriter, op.getLoc(), tile::AtomicKind::add, adaptor.getCounter(),
                               1, isFirstLane(rewriter, op, lowering.position)));
    return success();
  }
};

struct SendProgram : ThreadPattern<SendProgramOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(SendProgramOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value ticket = sameInWarp(rewriter, loc, adaptor.getTicket());
    Value program = arith::AddIOp::create(rewriter, loc, ticket, adaptor.getFirst());
    Value isFirst = isFirstLane(rewriter, op, lowering.position);
    Value last =
        arith::SubIOp::create(rewriter, loc, adaptor.getAll(), constantI32(rewriter, loc, 1));
    Value isLast = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, ticket, last);
    combine(rewriter, loc, tile::AtomicKind::store, adaptor.getCounter(), 0,
            arith::AndIOp::create(rewriter, loc, isFirst, isLast));
    StSharedOp::create(rewriter, loc, program, adaptor.getBuffer(), isFirst);
    // Of no bytes, which has a predicate: an arrival, as that of a release.
    Value object = objectAt(rewriter, loc, adaptor.getBarriers(), op.getBarriers().getType(),
                            adaptor.getSlot());
    NVVM::MBarrierArriveExpectTxOp::create(rewriter, loc, Type(), object,
                                           constantI32(rewriter, loc, 0), NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, isFirst);
    rewriter.replaceOp(op, program);
    return success();
  }
};

struct ReceiveProgram : ThreadPattern<ReceiveProgramOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ReceiveProgramOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value read = LdSharedOp::create(rewriter, loc, rewriter.getI32Type(), adaptor.getBuffer());
    NVVM::SyncWarpOp::create(rewriter, loc, constantI32(rewriter, loc, -1));
    rewriter.replaceOp(op, sameInWarp(rewriter, loc, read));
    return success();
  }
};
} // namespace

void tilec::populateSchedulerPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<TakeProgram, SendProgram, ReceiveProgram>(lowering, patterns.getContext());
}
