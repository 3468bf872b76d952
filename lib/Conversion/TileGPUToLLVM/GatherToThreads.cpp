// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of shared-memory buffers at positions that are data. The buffer's layout is linear, so
// the address is the exclusive or of what the thread's own coordinates and what the index give.

#include "ThreadPattern.h"

#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// `value` as i32.
static Value toI32(OpBuilder &builder, Location loc, Value value) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (bits < 32)
    return arith::ExtSIOp::create(builder, loc, builder.getI32Type(), value);
  if (bits > 32)
    return arith::TruncIOp::create(builder, loc, builder.getI32Type(), value);
  return value;
}

namespace {
struct LocalGather : ThreadPattern<LocalGatherOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LocalGatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tensor = cast<RankedTensorType>(op.getType());
    Type scalar = lowering.types.convertScalar(tensor.getElementType());
    unsigned bytes = tile::bytesOf(tensor.getElementType());
    std::string along = dimName(op.getAxis());
    LinearLayout offsetOf = op.getBuffer().getType().getLayout().getLayout().invert();
    LinearLayout own = layoutOf(tensor).resizeOutDim(along, 1).compose(offsetOf);
    LinearIndex thread = threadPart(rewriter, op, lowering.position, own, bytes);
    SmallVector<Value> results;
    for (auto [r, number] : llvm::enumerate(adaptor.getIndices())) {
      LinearIndex index = thread;
      addLinear(rewriter, loc, toI32(rewriter, loc, number), offsetOf.getFlatBases(along), bytes,
                index);
      Value offset = index.at(rewriter, loc, registerPart(own, r) * bytes);
      Value address = bytesBehind(rewriter, loc, adaptor.getBuffer().front(), offset);
      Value word = LdSharedOp::create(rewriter, loc, accessWordType(getContext(), bytes), address);
      results.push_back(unpackWord(rewriter, loc, word, scalar, 1).front());
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct LocalCount : ThreadPattern<LocalCountOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LocalCountOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const LinearLayout &layout = layoutOf(cast<RankedTensorType>(op.getSource().getType()));
    MemDescType counters = op.getCounters().getType();
    LinearLayout offsetOf = counters.getLayout().getLayout().invert();
    Value unique = isFirstReplica(rewriter, op, lowering.position, layout);
    Value one = constantI32(rewriter, loc, 1);
    Value bins = constantI32(rewriter, loc, counters.getShape().front());
    int64_t replicas = layout.getFreeVariableMask(kRegister);
    for (auto [r, number] : llvm::enumerate(adaptor.getSource())) {
      if (int64_t(r) & replicas)
        continue;
      // Negative numbers are large ones here.
      Value counts = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, number, bins);
      if (unique)
        counts = arith::AndIOp::create(rewriter, loc, counts, unique);
      if (op.getMask())
        counts = arith::AndIOp::create(rewriter, loc, counts, adaptor.getMask()[r]);
      LinearIndex index;
      addLinear(rewriter, loc, number, offsetOf.getFlatBases(dimName(0)), 4, index);
      Value address =
          bytesBehind(rewriter, loc, adaptor.getCounters().front(), index.at(rewriter, loc, 0));
      AtomicAddSharedOp::create(rewriter, loc, one, address, counts);
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilec::populateGatherPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<LocalGather, LocalCount>(lowering, patterns.getContext());
}
