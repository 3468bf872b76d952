// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of programs: the first lane of a warp takes and writes them, and tells the others. A loop
// over turns ends where they do.

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
    arriveIf(rewriter, loc, isFirst,
             objectAt(rewriter, loc, adaptor.getBarriers(), op.getBarriers().getType(),
                      adaptor.getSlot()));
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

/// A loop over turns that `next` may end becomes one that carries the program's number.
static void endByProgram(NextProgramOp next) {
  auto turns = cast<scf::ForOp>(next->getParentOp());
  IRRewriter rewriter(turns);
  Location loc = turns.getLoc();
  SmallVector<TurnProgramOp> asked;
  turns.walk([&](TurnProgramOp program) {
    if (program.getTurn() == turns.getInductionVar())
      asked.push_back(program);
  });
  SmallVector<Value> carried{turns.getLowerBound(), asked.front().getFirst()};
  llvm::append_range(carried, turns.getInitArgs());
  auto before = [&](OpBuilder &builder, Location, ValueRange values) {
    Value more =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, values[1], next.getAll());
    scf::ConditionOp::create(builder, loc, more, values);
  };
  auto after = [&](OpBuilder &builder, Location, ValueRange values) {
    Value turn = arith::AddIOp::create(builder, loc, values[0], turns.getStep());
    SmallVector<Value> further{turn, next.getProgram()};
    llvm::append_range(further, turns.getYieldedValues());
    scf::YieldOp::create(builder, loc, further);
  };
  auto loop =
      scf::WhileOp::create(rewriter, loc, ValueRange(carried).getTypes(), carried, before, after);
  Block *body = loop.getAfterBody();
  for (TurnProgramOp program : asked)
    rewriter.replaceOp(program, body->getArgument(1));
  SmallVector<Value> arguments{body->getArgument(0)};
  llvm::append_range(arguments, body->getArguments().drop_front(2));
  rewriter.eraseOp(turns.getBody()->getTerminator());
  rewriter.inlineBlockBefore(turns.getBody(), body, body->begin(), arguments);
  rewriter.eraseOp(next);
  rewriter.replaceOp(turns, loop.getResults().drop_front(2));
}

void tilec::endLoopsByProgram(ModuleOp module) {
  SmallVector<NextProgramOp> ends;
  module.walk([&](NextProgramOp next) { ends.push_back(next); });
  llvm::for_each(ends, endByProgram);
}
