// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of a timeline. The log is a variable of the thread with the place of the next mark, how
// many find room, and where the first one is. Threads that write none have no room, so that a mark
// is one predicated store and needs no branch.

#include "ThreadPattern.h"

#include "tilecrt/TimelineBuffer.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;
using namespace tilecrt::timeline;

namespace {
/// The members of a log.
enum Member : int32_t { Count, Room, Marks };

class Log {
public:
  Log(OpBuilder &opBuilder, Location at, Value variable = {})
      : builder(opBuilder), loc(at), log(variable) {}

  Value create() {
    Value one = constantI32(builder, loc, 1);
    return log = LLVM::AllocaOp::create(builder, loc, pointer(0), type(), one, 8);
  }
  Value get(Member member) {
    return LLVM::LoadOp::create(builder, loc, typeOf(member), address(member));
  }
  void set(Member member, Value value) {
    LLVM::StoreOp::create(builder, loc, value, address(member));
  }

  Type pointer(unsigned space) { return LLVM::LLVMPointerType::get(builder.getContext(), space); }
  Value constantI64(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64); }
  /// A place of the buffer.
  Value offset(Value base, Value bytes) {
    return LLVM::GEPOp::create(builder, loc, pointer(1), builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }
  /// Writes a word of the header in front of the marks.
  void writeHeader(HeaderWord word, Value value, Value predicate) {
    Value place = offset(get(Marks), constantI64(8 * (int64_t(word) - int64_t(headerWords))));
    StGlobalOp::create(builder, loc, value, place, predicate);
  }
  /// Whether this thread writes marks at all.
  Value writes() {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, get(Room),
                                 constantI32(builder, loc, 0));
  }
  Value clock() { return NVVM::Clock64Op::create(builder, loc, builder.getI64Type()); }
  Value time() { return NVVM::GlobalTimerOp::create(builder, loc, builder.getI64Type()); }

private:
  Type typeOf(Member member) { return member == Marks ? pointer(1) : builder.getI32Type(); }
  Type type() {
    return LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                            {typeOf(Count), typeOf(Room), typeOf(Marks)});
  }
  Value address(Member member) {
    return LLVM::GEPOp::create(builder, loc, pointer(0), type(), log,
                               ArrayRef<LLVM::GEPArg>{0, int32_t(member)});
  }

  OpBuilder &builder;
  Location loc;
  Value log;
};

struct TimelineOpen : ThreadPattern<TimelineOpenOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TimelineOpenOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Log log(rewriter, loc);
    Value variable = log.create();
    Value cta = numberOfCta(rewriter, loc);
    auto compare = [&](arith::CmpIPredicate predicate, Value a, int64_t b) -> Value {
      return arith::CmpIOp::create(rewriter, loc, predicate, a, constantI32(rewriter, loc, b));
    };
    Value isSeen = arith::AndIOp::create(rewriter, loc,
                                         compare(arith::CmpIPredicate::uge, cta, op.getFirstCta()),
                                         compare(arith::CmpIPredicate::ule, cta, op.getLastCta()));
    Value isFirst = compare(arith::CmpIPredicate::eq, lowering.position.lane(op), 0);
    Value writes = arith::AndIOp::create(rewriter, loc, isSeen, isFirst);
    Value room =
        arith::SelectOp::create(rewriter, loc, writes, constantI32(rewriter, loc, op.getCapacity()),
                                constantI32(rewriter, loc, 0));
    log.set(Count, constantI32(rewriter, loc, 0));
    log.set(Room, room);
    log.set(Marks, placeOfMarks(op, adaptor.getBuffer().front(), cta, log, rewriter));

    Value processor = NVVM::SmIdOp::create(rewriter, loc, rewriter.getI32Type());
    // Zero is what nobody wrote.
    processor = arith::AddIOp::create(rewriter, loc, processor, constantI32(rewriter, loc, 1));
    processor = arith::ExtUIOp::create(rewriter, loc, rewriter.getI64Type(), processor);
    log.writeHeader(HeaderWord::processor, processor, writes);
    log.writeHeader(HeaderWord::beginTime, log.time(), writes);
    log.writeHeader(HeaderWord::beginClock, log.clock(), writes);
    rewriter.replaceOp(op, variable);
    return success();
  }

private:
  /// Of the CTAs of the grid, x counting fastest.
  static Value numberOfCta(OpBuilder &builder, Location loc) {
    Type i32 = builder.getI32Type();
    Value x = NVVM::BlockIdXOp::create(builder, loc, i32);
    Value y = NVVM::BlockIdYOp::create(builder, loc, i32);
    Value z = NVVM::BlockIdZOp::create(builder, loc, i32);
    Value sizeX = NVVM::GridDimXOp::create(builder, loc, i32);
    Value sizeY = NVVM::GridDimYOp::create(builder, loc, i32);
    Value plane =
        arith::AddIOp::create(builder, loc, y, arith::MulIOp::create(builder, loc, z, sizeY));
    return arith::AddIOp::create(builder, loc, x,
                                 arith::MulIOp::create(builder, loc, plane, sizeX));
  }

  Value placeOfMarks(TimelineOpenOp op, Value buffer, Value cta, Log &log,
                     OpBuilder &builder) const {
    Location loc = op.getLoc();
    int64_t warps = launchedThreadsOf(op) / 32;
    Value first = constantI32(builder, loc, op.getFirstCta());
    Value number =
        arith::MulIOp::create(builder, loc, arith::SubIOp::create(builder, loc, cta, first),
                              constantI32(builder, loc, warps));
    number = arith::AddIOp::create(builder, loc, number, lowering.position.warp(op));
    number = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), number);
    Value bytes = arith::MulIOp::create(
        builder, loc, number, log.constantI64(8 * int64_t(wordsOfWarp(op.getCapacity()))));
    bytes = arith::AddIOp::create(builder, loc, bytes, log.constantI64(8 * headerWords));
    return log.offset(buffer, bytes);
  }
};

struct TimelineMark : ThreadPattern<TimelineMarkOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TimelineMarkOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Log log(rewriter, loc, adaptor.getLog().front());
    Value clock = NVVM::ClockOp::create(rewriter, loc, rewriter.getI32Type());
    Value count = log.get(Count);
    Value fits =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, count, log.get(Room));
    Value bytes = arith::ExtUIOp::create(rewriter, loc, rewriter.getI64Type(), count);
    bytes = arith::MulIOp::create(rewriter, loc, bytes, log.constantI64(8));
    Value what = constantI32(rewriter, loc, 2 * int64_t(op.getEvent()) + op.getEnd());
    Value word = packWord(rewriter, loc, {what, clock});
    StGlobalOp::create(rewriter, loc, word, log.offset(log.get(Marks), bytes), fits);
    log.set(Count, arith::AddIOp::create(rewriter, loc, count, constantI32(rewriter, loc, 1)));
    rewriter.eraseOp(op);
    return success();
  }
};

struct TimelineClose : ThreadPattern<TimelineCloseOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(TimelineCloseOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Log log(rewriter, loc, adaptor.getLog().front());
    Value clock = log.clock(), time = log.time();
    Value count = arith::ExtUIOp::create(rewriter, loc, rewriter.getI64Type(), log.get(Count));
    Value writes = log.writes();
    log.writeHeader(HeaderWord::count, count, writes);
    log.writeHeader(HeaderWord::endTime, time, writes);
    log.writeHeader(HeaderWord::endClock, clock, writes);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilec::populateTimelinePatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<TimelineOpen, TimelineMark, TimelineClose>(lowering, patterns.getContext());
}
