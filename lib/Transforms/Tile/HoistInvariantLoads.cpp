// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of the same memory in each iteration of a loop are made once, in front of it, under the
// condition that there is an iteration.

#include "tilec/Transforms/Tile/Passes.h"

#include "MaskGain.h"
#include "dialects/Tile/LoopCounter.h"
#include "mlir/IR/Builders.h"
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

/// Whether the loop has an iteration, as an i1; null where it is certain.
static Value hasIteration(OpBuilder &builder, scf::ForOp loop) {
  if (std::optional<APInt> trips = loop.getStaticTripCount(); trips && !trips->isZero())
    return Value();
  return hasIterations(builder, loop);
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
    int64_t threads = threadsOf(getOperation());
    // Inner loops come first: what leaves one may leave the next.
    getOperation().walk([&](scf::ForOp loop) {
      SmallVector<LoadOp> loads;
      for (auto load : loop.getBody()->getOps<LoadOp>())
        if (llvm::all_of(load->getOperands(),
                         [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); }) &&
            isSmall(load, threads, registers))
          loads.push_back(load);
      if (loads.empty() || mayWriteGlobal(loop))
        return;
      OpBuilder builder(loop);
      Value condition = hasIteration(builder, loop);
      for (LoadOp load : loads)
        hoist(load, loop, condition);
    });
  }
};
} // namespace
