// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, and the exchanges among the lanes of a warp. Values travel as 32-bit words.

#include "SimBuilder.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilecrt/sim/SimAbi.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;

static Lowered lowerBarrier(NVVM::BarrierOp op, SimBuilder &b) {
  if (op.getReductionOp())
    return reportUnsupported(op, "a barrier with a reduction");
  Location loc = op.getLoc();
  Value id = op.getBarrierId() ? op.getBarrierId() : b.constantI32(loc, 0);
  Value threads = op.getNumberOfThreads() ? op.getNumberOfThreads() : b.constantI32(loc, 0);
  b.call(loc, "tilec_sim_barrier", {id, threads, b.site(op, "barrier")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerBarrier0(NVVM::Barrier0Op op, SimBuilder &b) {
  Value zero = b.constantI32(op.getLoc(), 0);
  b.call(op.getLoc(), "tilec_sim_barrier", {zero, zero, b.site(op, "barrier")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerNamedBarrier(tilegpu::NamedBarrierOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  Value id = b.constantI32(loc, op.getNameAttr().getInt());
  if (op.getGroup())
    id = LLVM::AddOp::create(b.rewriter, loc, id, op.getGroup());
  Value threads = b.constantI32(loc, op.getThreads());
  if (op.getArrive())
    b.call(loc, "tilec_sim_barrier_arrive", {id, threads, b.site(op, "arrival at a barrier")});
  else
    b.call(loc, "tilec_sim_barrier", {id, threads, b.site(op, "barrier")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerArrive(NVVM::BarrierArriveOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  Value id = op.getBarrierId() ? op.getBarrierId() : b.constantI32(loc, 0);
  b.call(loc, "tilec_sim_barrier_arrive",
         {id, op.getNumberOfThreads(), b.site(op, "arrival at a barrier")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerWarpBarrier(NVVM::SyncWarpOp op, SimBuilder &b) {
  b.call(op.getLoc(), "tilec_sim_warp_barrier", {op.getMask(), b.site(op, "warp barrier")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static ShuffleMode shuffleMode(NVVM::ShflKind kind) {
  switch (kind) {
  case NVVM::ShflKind::bfly:
    return ShuffleBfly;
  case NVVM::ShflKind::up:
    return ShuffleUp;
  case NVVM::ShflKind::down:
    return ShuffleDown;
  case NVVM::ShflKind::idx:
    break;
  }
  return ShuffleIdx;
}

static Value isNonZero(Location loc, SimBuilder &b, Value word) {
  return LLVM::ICmpOp::create(b.rewriter, loc, LLVM::ICmpPredicate::ne, word,
                              b.constantI32(loc, 0));
}

static Lowered lowerShuffle(NVVM::ShflOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  Type type = op.getVal().getType();
  bool wantsRange = op.getReturnValueAndIsValid().value_or(false);
  Value inRange = wantsRange ? b.scratch(op, SimBuilder::Slot::Result, 4)
                             : LLVM::ZeroOp::create(b.rewriter, loc, b.pointer()).getResult();
  Value word = b.call(loc, "tilec_sim_shfl",
                      {b.constantI32(loc, shuffleMode(op.getKind())), op.getThreadMask(),
                       b.bits(loc, op.getVal(), b.i32()), op.getOffset(), op.getMaskAndClamp(),
                       inRange, b.site(op, "shuffle")});
  Value result = b.bits(loc, word, type);
  if (wantsRange) {
    Value isValid = isNonZero(loc, b, b.loadFrom(loc, inRange, b.i32()));
    Value pair = LLVM::PoisonOp::create(b.rewriter, loc, op.getType());
    pair = LLVM::InsertValueOp::create(b.rewriter, loc, pair, result, ArrayRef<int64_t>{0});
    result = LLVM::InsertValueOp::create(b.rewriter, loc, pair, isValid, ArrayRef<int64_t>{1});
  }
  b.rewriter.replaceOp(op, result);
  return Lowered::Yes;
}

static std::optional<ReduxKind> reduxKind(NVVM::ReduxOp op) {
  switch (op.getKind()) {
  case NVVM::ReduxKind::ADD:
    return ReduxAdd;
  case NVVM::ReduxKind::AND:
    return ReduxAnd;
  case NVVM::ReduxKind::MAX:
    return ReduxMax;
  case NVVM::ReduxKind::MIN:
    return ReduxMin;
  case NVVM::ReduxKind::OR:
    return ReduxOr;
  case NVVM::ReduxKind::UMAX:
    return ReduxUMax;
  case NVVM::ReduxKind::UMIN:
    return ReduxUMin;
  case NVVM::ReduxKind::XOR:
    return ReduxXor;
  case NVVM::ReduxKind::FMIN:
    return op.getNan() ? ReduxFMinNaN : ReduxFMin;
  case NVVM::ReduxKind::FMAX:
    return op.getNan() ? ReduxFMaxNaN : ReduxFMax;
  default:
    return std::nullopt;
  }
}

static Lowered lowerRedux(NVVM::ReduxOp op, SimBuilder &b) {
  std::optional<ReduxKind> kind = reduxKind(op);
  if (!kind)
    return reportUnsupported(op, "expected a kind of reduction");
  Location loc = op.getLoc();
  Value value = op.getVal();
  if (op.getAbs())
    value = LLVM::FAbsOp::create(b.rewriter, loc, value);
  Value word = b.call(loc, "tilec_sim_redux",
                      {b.constantI32(loc, *kind), op.getMaskAndClamp(), b.bits(loc, value, b.i32()),
                       b.site(op, "warp reduction")});
  b.rewriter.replaceOp(op, b.bits(loc, word, op.getType()));
  return Lowered::Yes;
}

static VoteKind voteKind(NVVM::VoteSyncKind kind) {
  switch (kind) {
  case NVVM::VoteSyncKind::any:
    return VoteAny;
  case NVVM::VoteSyncKind::all:
    return VoteAll;
  case NVVM::VoteSyncKind::uni:
    return VoteUni;
  case NVVM::VoteSyncKind::ballot:
    break;
  }
  return VoteBallot;
}

static Lowered lowerVote(NVVM::VoteSyncOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  Value word = b.call(loc, "tilec_sim_vote",
                      {b.constantI32(loc, voteKind(op.getKind())), op.getMask(),
                       b.predicate(loc, op.getPred()), b.site(op, "vote")});
  b.rewriter.replaceOp(op, op.getType().isInteger(1) ? isNonZero(loc, b, word) : word);
  return Lowered::Yes;
}

static Lowered lowerMatch(NVVM::MatchSyncOp op, SimBuilder &b) {
  if (op.getKind() != NVVM::MatchSyncKind::any)
    return reportUnsupported(op, "expected kind 'any'");
  Location loc = op.getLoc();
  Value value = op.getVal();
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (bits < 64)
    value = LLVM::ZExtOp::create(b.rewriter, loc, b.i64(), value);
  b.rewriter.replaceOp(
      op, b.call(loc, "tilec_sim_match_any",
                 {op.getThreadMask(), value, b.constantI32(loc, bits), b.site(op, "match")}));
  return Lowered::Yes;
}

/// The lowest lane of the mask leads; the vote makes the lanes meet.
static Lowered lowerElect(NVVM::ElectSyncOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  Value mask = op.getMembermask() ? op.getMembermask() : b.constantI32(loc, -1);
  Value lanes =
      b.call(loc, "tilec_sim_vote",
             {b.constantI32(loc, VoteBallot), mask, b.constantI32(loc, 1), b.site(op, "election")});
  Value leader = LLVM::CountTrailingZerosOp::create(b.rewriter, loc, b.i32(), lanes,
                                                    /*is_zero_poison=*/false);
  Value lane = b.call(loc, "tilec_sim_laneid", {});
  b.rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::eq, lane, leader);
  return Lowered::Yes;
}

Lowered tilec::lowerWarpOp(Operation *op, SimBuilder &b) {
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](NVVM::BarrierOp barrier) { return lowerBarrier(barrier, b); })
      .Case([&](NVVM::Barrier0Op barrier) { return lowerBarrier0(barrier, b); })
      .Case([&](tilegpu::NamedBarrierOp barrier) { return lowerNamedBarrier(barrier, b); })
      .Case([&](NVVM::BarrierArriveOp arrive) { return lowerArrive(arrive, b); })
      .Case([&](NVVM::SyncWarpOp barrier) { return lowerWarpBarrier(barrier, b); })
      .Case([&](NVVM::ShflOp shuffle) { return lowerShuffle(shuffle, b); })
      .Case([&](NVVM::ReduxOp redux) { return lowerRedux(redux, b); })
      .Case([&](NVVM::VoteSyncOp vote) { return lowerVote(vote, b); })
      .Case([&](NVVM::MatchSyncOp match) { return lowerMatch(match, b); })
      .Case([&](NVVM::ElectSyncOp elect) { return lowerElect(elect, b); })
      .Default([](Operation *) { return Lowered::No; });
}
