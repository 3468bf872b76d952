// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spilling registers to shared memory, and rematerialisation. A slot holds 16 bytes for every
// thread, so a warp's access of one is 512 consecutive bytes and free of bank conflicts. A value is
// refreshed by an exclusive or with a zero that optimisers do not know; ptxas looks through
// anything less.

#include "ThreadPattern.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int64_t kVectorBytes = 16;

/// Bytes that an element takes in memory.
static int64_t bytesOf(Type tensor) { return tile::bytesOf(getElementTypeOrSelf(tensor)); }

/// The running thread's place in `slot`.
static Value placeIn(OpBuilder &builder, Operation *op, const ThreadPosition &position,
                     Value slot) {
  Location loc = op->getLoc();
  Value offset = arith::ShLIOp::create(builder, loc, position.thread(op),
                                       constantI32(builder, loc, llvm::Log2_64(kVectorBytes)));
  return LLVM::GEPOp::create(builder, loc, slot.getType(), builder.getI8Type(), slot,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// Says which slot an access is of, for the order of the thread's code.
static void nameSlot(OpBuilder &builder, Operation *access, Value slot) {
  auto alloc = slot.getDefiningOp<LocalAllocOp>();
  if (alloc && alloc.getOffset())
    access->setAttr(TileGPUDialect::kSlotAttr, builder.getI32IntegerAttr(*alloc.getOffset()));
}

namespace {
struct Park : ThreadPattern<ParkOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ParkOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t count = kVectorBytes / bytesOf(op.getValue().getType());
    for (auto [i, slot] : llvm::enumerate(adaptor.getSlots())) {
      Value word = packWord(rewriter, op.getLoc(), adaptor.getValue().slice(i * count, count));
      auto store =
          StSharedOp::create(rewriter, op.getLoc(), word,
                             placeIn(rewriter, op, lowering.position, slot.front()), Value());
      nameSlot(rewriter, store, op.getSlots()[i]);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct Unpark : ThreadPattern<UnparkOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(UnparkOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t count = kVectorBytes / bytesOf(op.getType());
    Type scalar = lowering.types.convertScalar(getElementTypeOrSelf(op.getType()));
    SmallVector<Value> results = llvm::to_vector(adaptor.getValue());
    for (auto [i, slot] : llvm::enumerate(adaptor.getSlots())) {
      auto load =
          LdSharedOp::create(rewriter, op.getLoc(), accessWordType(getContext(), kVectorBytes),
                             placeIn(rewriter, op, lowering.position, slot.front()),
                             /*kept=*/true);
      nameSlot(rewriter, load, op.getSlots()[i]);
      llvm::copy(unpackWord(rewriter, op.getLoc(), load, scalar, count),
                 results.begin() + i * count);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct Refresh : ThreadPattern<RefreshOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(RefreshOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value zero = OpaqueZeroOp::create(rewriter, loc, rewriter.getI32Type());
    ValueRange registers = adaptor.getValue();
    int64_t bytes = bytesOf(op.getType());
    int64_t count = std::min<int64_t>(4 / bytes, registers.size());
    auto wordType = rewriter.getIntegerType(count * bytes * 8);
    if (wordType != zero.getType())
      zero = LLVM::TruncOp::create(rewriter, loc, wordType, zero);
    SmallVector<Value> results;
    for (size_t first = 0; first < registers.size(); first += count) {
      ValueRange group = registers.slice(first, count);
      Value word = packWord(rewriter, loc, group);
      if (word.getType() != wordType)
        word = LLVM::BitcastOp::create(rewriter, loc, wordType, word);
      word = LLVM::XOrOp::create(rewriter, loc, word, zero);
      llvm::append_range(results, unpackWord(rewriter, loc, word, group[0].getType(), count));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};
} // namespace

void tilec::populateRegisterPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<Park, Unpark, Refresh>(lowering, patterns.getContext());
}
