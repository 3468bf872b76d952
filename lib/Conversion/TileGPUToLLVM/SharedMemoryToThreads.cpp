// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers in shared memory: where they are, stores to them and loads from them.

#include "BufferAccess.h"
#include "ThreadPattern.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
struct LocalAlloc : ThreadPattern<LocalAllocOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LocalAllocOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitError("expected an offset: run tilegpu-allocate-shared-memory first");
    auto type = LLVM::LLVMPointerType::get(getContext(), 3);
    Value base = SharedBaseOp::create(rewriter, op.getLoc(), type);
    if (isOfComputeGroup(op)) {
      Value behind = arith::MulIOp::create(rewriter, op.getLoc(), lowering.position.group(op),
                                           constantI32(rewriter, op.getLoc(), groupBytesOf(op)));
      base = LLVM::GEPOp::create(rewriter, op.getLoc(), type, rewriter.getI8Type(), base,
                                 ArrayRef<LLVM::GEPArg>{behind});
    }
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, type, rewriter.getI8Type(), base,
                                             ArrayRef<LLVM::GEPArg>{int32_t(*op.getOffset())});
    return success();
  }
};

struct LocalStore : ThreadPattern<LocalStoreOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LocalStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tensor = cast<RankedTensorType>(op.getValue().getType());
    BufferAccess plan(rewriter, op, lowering, tensor, op.getBuffer().getType());
    Value unique = isFirstReplica(rewriter, op, lowering.position, layoutOf(tensor));
    plan.store(rewriter, op.getLoc(), adaptor.getBuffer().front(), unique, adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LocalLoad : ThreadPattern<LocalLoadOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LocalLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tensor = cast<RankedTensorType>(op.getType());
    BufferAccess plan(rewriter, op, lowering, tensor, op.getBuffer().getType());
    SmallVector<Value> results(numRegisters(tensor));
    plan.load(
        rewriter, op.getLoc(), adaptor.getBuffer().front(), [](int64_t) { return true; }, results);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};
} // namespace

void tilec::populateSharedMemoryPatterns(RewritePatternSet &patterns,
                                         const ThreadLowering &lowering) {
  patterns.add<LocalAlloc, LocalStore, LocalLoad>(lowering, patterns.getContext());
}
