// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps more loads of a streaming loop in flight. A thread issues in order and stops at the first
// use of a load, so a loop that loads and accumulates has one iteration's loads in flight. The loop
//
//   for i = lb to ub step s { x = load p(i); acc = f(acc, x) }
//
// becomes a main loop that does U iterations with all their loads first, and the old loop for what
// is left over:
//
//   for i = lb to mid step U*s { x0 = load p(i); x1 = load p(i+s); ...; acc = f(acc, x0); acc =
//   f(acc, x1); ... } for i = mid to ub step s { ... }

#include "tilec/Analysis/RegisterPressure.h"
#include "tilec/Analysis/RolePlan.h"
#include "tilec/Layout/TensorLayouts.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUUNROLLLOOPSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Loops with reductions inside are unrolled once, up to this many loaded bytes per thread and
/// iteration.
static constexpr int64_t kReductionLoopBytes = 128;

/// More load instructions than this per thread do not come back earlier: they queue.
static constexpr int64_t kMaxLoads = 16;

namespace {
/// What a thread loads in one iteration.
struct LoadVolume {
  int64_t elements = 0;
  int64_t bytes = 0;
  int64_t instructions = 0;
};
} // namespace

static LoadVolume loadVolume(scf::ForOp loop) {
  LoadVolume volume;
  for (auto load : loop.getOps<tile::LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || !hasLayout(type))
      continue;
    LinearLayout layout = layoutOf(type);
    int64_t size = tile::bytesOf(type.getElementType());
    int64_t elements = layout.getInDimSize(kRegister);
    int64_t vector = 1;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      vector = std::max<int64_t>(vector, int64_t(1) << contiguousRegisterBits(layout, axis).size());
    vector = std::min<int64_t>(vector, 16 / size);
    volume.elements += elements;
    volume.bytes += elements * size;
    volume.instructions += elements / vector;
  }
  return volume;
}

/// Only loads touch memory: then any of them may be done earlier.
static bool onlyLoads(scf::ForOp loop) {
  return !loop.getBody()
              ->walk([](Operation *op) {
                if (isa<scf::ForOp, scf::WhileOp>(op))
                  return WalkResult::interrupt();
                auto load = dyn_cast<tile::LoadOp>(op);
                if (load ? load.getIsVolatile() : !isMemoryEffectFree(op) && !isa<scf::IfOp>(op))
                  return WalkResult::interrupt();
                return WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
class LoopUnroller {
public:
  LoopUnroller(scf::ForOp forOp, int64_t unrollFactor)
      : loop(forOp), factor(unrollFactor), builder(forOp), loc(forOp.getLoc()) {}

  /// Makes the main loop in front of the old one, which goes on where it ends.
  scf::ForOp run() {
    Value middle = mainEnd();
    Value bigStep = arith::MulIOp::create(builder, loc, loop.getStep(),
                                          constant(loop.getStep().getType(), factor));
    auto main =
        scf::ForOp::create(builder, loc, loop.getLowerBound(), middle, bigStep, loop.getInitArgs(),
                           [&](OpBuilder &inner, Location, Value iv, ValueRange carried) {
                             cloneIterations(inner, iv, carried);
                           });
    loop.getLowerBoundMutable().assign(middle);
    loop.getInitArgsMutable().assign(main.getResults());
    return main;
  }

private:
  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  }

  /// The end of the largest multiple of `factor` iterations after which the induction variable
  /// still has its type's range; computed in 64 bits.
  Value mainEnd() {
    Type type = loop.getStep().getType(), i64 = builder.getI64Type();
    auto widen = [&](Value value) -> Value {
      if (type == i64)
        return value;
      return arith::ExtSIOp::create(builder, loc, i64, value);
    };
    Value lower = widen(loop.getLowerBound()), upper = widen(loop.getUpperBound()),
          step = widen(loop.getStep());
    Value bigStep = arith::MulIOp::create(builder, loc, step, constant(i64, factor));
    Value span = arith::SubIOp::create(builder, loc, upper, lower);
    // Whole groups: every iteration of a group starts below the upper bound.
    Value last = arith::SubIOp::create(builder, loc, bigStep, step);
    Value usable = arith::SubIOp::create(builder, loc, span, last);
    usable = arith::AddIOp::create(builder, loc, usable,
                                   arith::SubIOp::create(builder, loc, bigStep, constant(i64, 1)));
    usable = arith::MaxSIOp::create(builder, loc, usable, constant(i64, 0));
    Value groups = arith::DivSIOp::create(builder, loc, usable, bigStep);
    Value end = arith::AddIOp::create(builder, loc, lower,
                                      arith::MulIOp::create(builder, loc, groups, bigStep));
    if (type == i64)
      return end;
    Value limit =
        constant(i64, APInt::getSignedMaxValue(type.getIntOrFloatBitWidth()).getSExtValue());
    Value tooFar = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, end, limit);
    Value shorter = arith::SubIOp::create(builder, loc, end, bigStep);
    end = arith::SelectOp::create(builder, loc, tooFar, shorter, end);
    return arith::TruncIOp::create(builder, loc, type, end);
  }

  void cloneIterations(OpBuilder &inner, Value iv, ValueRange carried) {
    SmallVector<Value> values(carried);
    for (int64_t i = 0; i < factor; ++i) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), iv);
      for (auto [arg, value] : llvm::zip(loop.getRegionIterArgs(), values))
        mapping.map(arg, value);
      for (Operation &op : loop.getBody()->without_terminator())
        inner.clone(op, mapping);
      for (auto [value, yielded] : llvm::zip(values, loop.getYieldedValues()))
        value = mapping.lookupOrDefault(yielded);
      if (i + 1 < factor)
        iv = arith::AddIOp::create(inner, loc, iv, loop.getStep());
    }
    scf::YieldOp::create(inner, loc, values);
  }

  scf::ForOp loop;
  int64_t factor;
  OpBuilder builder;
  Location loc;
};

/// Moves the loads of a block, with the address arithmetic they need, to its start.
class IterationLoadHoister {
public:
  explicit IterationLoadHoister(Block *body) : block(body) {}

  void run() {
    SmallVector<tile::LoadOp> loads = llvm::to_vector(block->getOps<tile::LoadOp>());
    for (tile::LoadOp load : loads) {
      SetVector<Operation *> slice;
      if (!collect(load, slice))
        continue;
      // Block order is a topological order of the slice.
      SmallVector<Operation *> ordered(slice.begin(), slice.end());
      llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
      for (Operation *op : ordered)
        moveUp(op);
    }
  }

private:
  /// The operations of the block that `op` depends on and that were not moved yet; false when one
  /// of them is not cheap address arithmetic.
  bool collect(Operation *op, SetVector<Operation *> &slice) {
    if (moved.contains(op) || slice.contains(op))
      return true;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || def->getBlock() != block)
        continue;
      bool cheap = isMemoryEffectFree(def) && def->getNumRegions() == 0 &&
                   !isa<ConvertLayoutOp, tile::ReduceOp>(def);
      if (!cheap && !moved.contains(def))
        return false;
      if (!collect(def, slice))
        return false;
    }
    slice.insert(op);
    return true;
  }

  void moveUp(Operation *op) {
    if (last)
      op->moveAfter(last);
    else
      op->moveBefore(block, block->begin());
    last = op;
    moved.insert(op);
  }

  Block *block;
  Operation *last = nullptr;
  DenseSet<Operation *> moved;
};

/// Reductions and conversions inside the loop: other CTAs hide their latency, so registers matter
/// more.
static bool movesDataBetweenThreads(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](Operation *op) {
        return isa<tile::ReduceOp, ConvertLayoutOp>(op) ? WalkResult::interrupt()
                                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

struct UnrollLoops final : tilec::impl::TileGPUUnrollLoopsPassBase<UnrollLoops> {
  using Base::Base;

  void runOnOperation() override {
    int64_t threads = numWarpsOf(getOperation()) * 32;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      bool isStream = false;
      int64_t factor = chooseFactor(loop, threads, isStream);
      LoadVolume volume = loadVolume(loop);
      if (factor <= 1)
        continue;
      scf::ForOp main = LoopUnroller(loop, factor).run();
      if (onlyLoads(main))
        IterationLoadHoister(main.getBody()).run();
      if (isStream)
        setRegisterBudget(factor * std::max(volume.instructions, volume.bytes / 4), threads);
      remark::passed(loop.getLoc(), remark::RemarkOpts::name("Unrolled").category(remarks::kUnroll))
          << llvm::formatv("loop unrolled by {0} to keep more loads in flight", factor).str();
    }
  }

private:
  /// Few registers in flight leave room for more threads, but where warps share out all that a
  /// multiprocessor has.
  void setRegisterBudget(int64_t loadRegisters, int64_t threads) {
    if (roleRegistersOf(getOperation()))
      return;
    constexpr int64_t fewRegisters = 16;
    int64_t resident = (loadRegisters <= fewRegisters ? 2 : 1) * threadsPerMultiprocessor;
    int64_t ctas = std::clamp<int64_t>(resident / threads, 1, 32);
    if (auto before = getOperation()->getAttrOfType<IntegerAttr>(TileGPUDialect::kMinCtasAttr))
      ctas = std::min(ctas, before.getInt());
    getOperation()->setAttr(TileGPUDialect::kMinCtasAttr,
                            Builder(&getContext()).getI32IntegerAttr(ctas));
  }

  /// The factor that the source asks for, or the one that brings a thread's loads in flight to the
  /// goal. `isStream` is set for a loop that only loads and accumulates.
  int64_t chooseFactor(scf::ForOp loop, int64_t threads, bool &isStream) {
    // The bounds are computed in 64 bits; the front end makes no other loops.
    auto counter = dyn_cast<IntegerType>(loop.getStep().getType());
    if (!counter || counter.getWidth() > 64)
      return 1;
    if (auto asked = loop->getAttrOfType<IntegerAttr>(tile::TileDialect::kUnrollAttr))
      return asked.getInt();
    auto [elements, bytes, instructions] = loadVolume(loop);
    if (bytes == 0 || !onlyLoads(loop) || multipliesMatrices(loop))
      return 1;
    // The elements of two iterations take at most a quarter of the registers.
    if (movesDataBetweenThreads(loop))
      return bytes <= kReductionLoopBytes && 8 * elements <= registersPerThread(loop) + 1 ? 2 : 1;
    // A small CTA needs more for each of its threads.
    int64_t goal = threads <= 128 ? 2 * bytesInFlight : int64_t(bytesInFlight);
    if (bytes >= goal)
      return 1;
    int64_t factor = llvm::PowerOf2Ceil(llvm::divideCeil(uint64_t(goal), bytes));
    factor = std::min<int64_t>(factor, maxFactor);
    factor = std::min<int64_t>(factor, llvm::PowerOf2Ceil(kMaxLoads / instructions));
    isStream = factor > 1;
    return factor;
  }
};
} // namespace
