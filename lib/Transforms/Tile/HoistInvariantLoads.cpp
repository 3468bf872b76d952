// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of the same memory in each iteration of a loop are made once, in front of it, under the
// condition that there is an iteration.

#include "tilec/Transforms/Tile/Passes.h"

#include "TrueMasks.h"
#include "dialects/Tile/TileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/GlobalAccess.h"

namespace tilec {
#define GEN_PASS_DEF_TILEHOISTINVARIANTLOADSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Whether the result of a load is worth its registers: it stays in them all through the loop.
static bool isSmall(LoadOp load, int64_t threads, int64_t registers) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type)
    return true;
  int64_t bits = type.getNumElements() * bitWidthOf(type.getElementType());
  return bits <= threads * registers * 32;
}

/// Whether something in the loop may let others change memory between two iterations.
static bool mayChangeMemory(scf::ForOp loop) {
  return loop
      .walk([](Operation *op) {
        bool isHarmless = isa<LoadOp, DescriptorLoadOp, AssumeOp, PrintOp, AssertOp>(op);
        auto load = dyn_cast<LoadOp>(op);
        if ((load && load.getIsVolatile()) ||
            (!isHarmless && op->getNumRegions() == 0 && !isMemoryEffectFree(op)))
          return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the loop has an iteration, as an i1; null where it is certain.
static Value hasIteration(OpBuilder &builder, scf::ForOp loop) {
  if (std::optional<APInt> trips = loop.getStaticTripCount(); trips && !trips->isZero())
    return Value();
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, loop.getLoc(), predicate, loop.getLowerBound(),
                               loop.getUpperBound());
}

static void hoist(LoadOp load, scf::ForOp loop, Value condition) {
  load->moveBefore(loop);
  if (!condition)
    return;
  OpBuilder builder(load);
  Location loc = load.getLoc();
  Value mask = condition;
  if (auto type = dyn_cast<RankedTensorType>(load.getPointer().getType()))
    mask = SplatOp::create(builder, loc, type.clone(builder.getI1Type()), condition);
  if (load.getMask())
    mask = arith::AndIOp::create(builder, loc, load.getMask(), mask);
  load.getMaskMutable().assign(mask);
}

namespace {
struct HoistInvariantLoads final
    : tilec::impl::TileHoistInvariantLoadsPassBase<HoistInvariantLoads> {
  using Base::Base;

  void runOnOperation() override {
    auto warps =
        getOperation()->getParentOp()->getAttrOfType<IntegerAttr>(TileDialect::kNumWarpsAttr);
    int64_t threads = 32 * (warps ? std::max<int64_t>(1, warps.getInt()) : 4);
    // Inner loops come first: what leaves one may leave the next.
    getOperation().walk([&](scf::ForOp loop) {
      SmallVector<LoadOp> loads;
      for (auto load : loop.getBody()->getOps<LoadOp>())
        if (llvm::all_of(load->getOperands(),
                         [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); }) &&
            isSmall(load, threads, registers))
          loads.push_back(load);
      if (loads.empty() || mayChangeMemory(loop))
        return;
      OpBuilder builder(loop);
      Value condition = hasIteration(builder, loop);
      for (LoadOp load : loads)
        hoist(load, loop, condition);
    });
  }
};
} // namespace
