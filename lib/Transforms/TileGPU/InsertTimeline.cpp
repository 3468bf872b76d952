// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts marks around what takes time in a kernel, for a timeline of its warps.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "tilecrt/KernelMetadata.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUINSERTTIMELINEPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Whether it is no copy that has to land, but the number of the next program.
static bool waitsForProgram(MbarrierWaitOp wait) {
  return llvm::any_of(wait.getBarriers().getUsers(), llvm::IsaPred<SendProgramOp>);
}

/// The kind of span that an operation is; empty: none.
static StringRef kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case(
          [](MbarrierWaitOp wait) { return waitsForProgram(wait) ? "program-wait" : "copy-wait"; })
      .Case([](SlotAcquireOp) { return "slot-wait"; })
      .Case([](TurnWaitOp) { return "turn-wait"; })
      .Case([](AsyncWaitOp) { return "async-wait"; })
      .Case<WgmmaOp, MmaOp, DotOp>([](Operation *) { return "dot"; })
      .Case([](WgmmaWaitOp) { return "dot-wait"; })
      .Case<NVVM::Barrier0Op, tile::BarrierOp, WarpgroupBarrierOp>(
          [](Operation *) { return "barrier"; })
      .Case<TmaLoadOp, AsyncCopyOp>([](Operation *) { return "copy"; })
      .Case([](tile::LoadOp) { return "load"; })
      .Case<tile::StoreOp, TmaStoreOp, tile::AtomicRMWOp, tile::AtomicCasOp>(
          [](Operation *) { return "store"; })
      .Case([](TmaStoreWaitOp) { return "store-wait"; })
      .Default([](Operation *) { return ""; });
}

/// Groups of wgmma that an operation commits or leaves in flight; null where it is about none.
static IntegerAttr groupsOf(Operation *op, Builder &builder) {
  if (auto wait = dyn_cast<WgmmaWaitOp>(op))
    return wait.getPendingAttr();
  if (auto product = dyn_cast<WgmmaOp>(op))
    return builder.getI32IntegerAttr(int32_t(product.numGroups()));
  return {};
}

/// Behind the arguments that have a name, in front of tensor maps and the sizes of the grid.
static unsigned placeOfBuffer(func::FuncOp func) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (func.getArgAttr(i, tile::TileDialect::kTensorMapAttr) ||
        func.getArgAttr(i, tile::TileDialect::kProgramsAttr))
      return i;
  return func.getNumArguments();
}

namespace {
struct InsertTimeline final : tilec::impl::TileGPUInsertTimelinePassBase<InsertTimeline> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (capacity == 0 || !func->hasAttr(tile::TileDialect::kKernelAttr))
      return;
    events = 0;
    OpBuilder builder = OpBuilder::atBlockBegin(&func.front());
    log = TimelineOpenOp::create(builder, func.getLoc(), LLVM::LLVMPointerType::get(&getContext()),
                                 takeBuffer(func), int32_t(firstCta), int32_t(lastCta),
                                 int32_t(capacity));
    // In the order of the program, which gives the events their numbers.
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (StringRef kind = kindOf(op); !kind.empty())
        markOperation(op, kind);
      else if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        markIterations(loop);
    });
    func.walk([&](func::ReturnOp end) {
      builder.setInsertionPoint(end);
      TimelineCloseOp::create(builder, end.getLoc(), log);
    });
  }

private:
  Value takeBuffer(func::FuncOp func) {
    Builder builder(&getContext());
    using tile::TileDialect;
    auto attrs = builder.getDictionaryAttr(
        {builder.getNamedAttr(TileDialect::kNameAttr,
                              builder.getStringAttr(tilecrt::timelineArgument)),
         builder.getNamedAttr(TileDialect::kTypeTextAttr, builder.getStringAttr("*i64")),
         builder.getNamedAttr(TileDialect::kDivisibilityAttr, builder.getI32IntegerAttr(16))});
    unsigned place = placeOfBuffer(func);
    (void)func.insertArgument(place, tile::PtrType::get(builder.getI64Type()), attrs,
                              func.getLoc());
    return func.getArgument(place);
  }

  void mark(OpBuilder &builder, Location loc, bool isEnd, StringRef kind, IntegerAttr groups = {}) {
    TimelineMarkOp::create(builder, loc, log, isEnd ? builder.getUnitAttr() : UnitAttr(),
                           builder.getI32IntegerAttr(events), builder.getStringAttr(kind), groups);
  }

  void markOperation(Operation *op, StringRef kind) {
    OpBuilder builder(op);
    IntegerAttr groups = groupsOf(op, builder);
    mark(builder, op->getLoc(), /*isEnd=*/false, kind, groups);
    builder.setInsertionPointAfter(op);
    mark(builder, op->getLoc(), /*isEnd=*/true, kind, groups);
    ++events;
  }

  void markIterations(LoopLikeOpInterface loop) {
    // Of a loop with a condition in front, what the condition lets through.
    Block &body = loop.getLoopRegions().back()->front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    mark(builder, loop.getLoc(), /*isEnd=*/false, "iteration");
    builder.setInsertionPoint(body.getTerminator());
    mark(builder, loop.getLoc(), /*isEnd=*/true, "iteration");
    ++events;
  }

  Value log;
  int32_t events = 0;
};
} // namespace
