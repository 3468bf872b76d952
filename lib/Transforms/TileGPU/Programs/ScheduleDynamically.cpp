// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dynamic tile scheduler: persistent CTAs take the number of their next program from a counter of
// the launch. How long programs take is then nobody's business but the GPU's: a CTA that is done
// goes on with the longest program that is left. Static turns (MakePersistent) leave up to a turn
// of the longest programs to some CTAs alone.
//
//   load                                         compute
//   for each turn {                              for each turn {
//     ticket = atomically counter++                ...
//     load the blocks of this program              wait for full[slot]
//     wait for empty[slot]                         next = number[slot]
//     number[slot] = next = CTAs + ticket          release empty[slot]
//     arrive at full[slot]                       } while (next < all)
//   } while (next < all)
//
// The counter's latency is hidden behind the loads. Each CTA takes one number more than it has
// programs, so that a launch takes as many as it has programs: the last one resets the counter.

#include "../Pipeline/BarrierObjects.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/TileGPU/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUSCHEDULEDYNAMICALLYPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Numbers that the load warp may be ahead by.
static constexpr int64_t kLog2Slots = 1, kSlots = int64_t(1) << kLog2Slots;

/// Turns of all CTAs that the last group of neighbours is enough for: more of them read together
/// what fits the second cache worse, and of fewer the longest still run when all else is done.
static constexpr int64_t kTurnsOfLast = 3;

/// The loop of a role over programs of which the longest come first; null where it has none.
static scf::ForOp findTurns(Region &role) {
  for (auto loop : role.front().getOps<scf::ForOp>())
    for (auto index : loop.getBody()->getOps<ProgramOfTileOp>())
      if (index.getFirst())
        return loop;
  return nullptr;
}

namespace {
/// A slot of the ring of numbers, and the parities of its phases for either role.
struct NumberSlot {
  Value slot, filled, emptied;
};

class DynamicScheduler {
public:
  DynamicScheduler(func::FuncOp function, WarpRolesOp op)
      : func(function), roles(op), loc(op.getLoc()), rewriter(op.getContext()) {}

  bool run() {
    scf::ForOp loads = findTurns(roles.getLoad()), computes = findTurns(roles.getCompute());
    if (!loads || !computes)
      return false;
    makeCounter();
    makeCounts(loads);
    makeRing();
    takeNumbers(loads);
    sendNumbers(loads);
    receiveNumbers(computes);
    return true;
  }

private:
  void makeCounter();
  /// The numbers of CTAs and programs, for both roles.
  void makeCounts(scf::ForOp turns);
  void makeRing();
  /// What CTAs have taken says which programs they run.
  void useNumbers(scf::ForOp turns);
  void takeNumbers(scf::ForOp turns);
  void sendNumbers(scf::ForOp turns);
  void receiveNumbers(scf::ForOp turns);
  NumberSlot slotOf(scf::ForOp turns);
  Value constant(int64_t value) { return arith::ConstantIntOp::create(rewriter, loc, value, 32); }
  template <typename Op> Value binary(Value a, Value b) { return Op::create(rewriter, loc, a, b); }

  func::FuncOp func;
  WarpRolesOp roles;
  Location loc;
  IRRewriter rewriter;
  Value counter, cta, ctas, all, least;
  Value numbers, full, empty;
  MemDescType numberType;
  Value ticket;
};
} // namespace

void DynamicScheduler::makeCounter() {
  unsigned index = func.getNumArguments();
  auto attrs = rewriter.getDictionaryAttr(
      rewriter.getNamedAttr(tile::TileDialect::kProgramCounterAttr, rewriter.getUnitAttr()));
  (void)func.insertArgument(index, LLVM::LLVMPointerType::get(func.getContext(), 1), attrs, loc);
  counter = func.getArgument(index);
}

void DynamicScheduler::makeCounts(scf::ForOp turns) {
  rewriter.setInsertionPoint(roles);
  Type i32 = rewriter.getI32Type();
  auto index = *turns.getBody()->getOps<ProgramOfTileOp>().begin();
  Value plane = binary<arith::MulIOp>(index.getSizeX(), index.getSizeY());
  all = binary<arith::MulIOp>(plane, index.getSizeZ());
  cta = tile::ProgramIdOp::create(rewriter, loc, i32, 0);
  ctas = tile::NumProgramsOp::create(rewriter, loc, i32, 0);
  Value sizes[] = {index.getSizeX(), index.getSizeY(), index.getSizeZ()};
  Value last = binary<arith::MulIOp>(ctas, constant(kTurnsOfLast));
  least = binary<arith::DivUIOp>(last, sizes[*index.getFirst()]);
  least = binary<arith::AddIOp>(least, constant(1));
}

void DynamicScheduler::makeRing() {
  full = BarrierObjects(rewriter, roles, kSlots, /*arrivals=*/1, /*inits=*/{}).objects();
  empty = BarrierObjects(rewriter, roles, kSlots, numWarpsOf(roles), /*inits=*/{}).objects();
  auto objects = cast<MemDescType>(full.getType());
  numberType = MemDescType::get(func.getContext(), objects.getShape(), rewriter.getI32Type(),
                                objects.getLayout());
  rewriter.setInsertionPoint(full.getDefiningOp());
  numbers = LocalAllocOp::create(rewriter, loc, numberType.withBuffers(kSlots), IntegerAttr());
}

void DynamicScheduler::useNumbers(scf::ForOp turns) {
  rewriter.setInsertionPointToStart(turns.getBody());
  Value program = TurnProgramOp::create(rewriter, loc, turns.getInductionVar(), cta);
  for (auto index : turns.getBody()->getOps<ProgramOfTileOp>()) {
    index.getTileMutable().assign(program);
    index.getLeastMutable().assign(least);
  }
  // The number of a turn's program is no arithmetic any more.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*turns.getBody())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  rewriter.setInsertionPointAfterValue(program);
  // One CTA may run all of them.
  turns.setUpperBound(all);
}

NumberSlot DynamicScheduler::slotOf(scf::ForOp turns) {
  Value turn = turns.getInductionVar(), one = constant(1);
  Value round = binary<arith::ShRUIOp>(turn, constant(kLog2Slots));
  NumberSlot result;
  result.slot = binary<arith::AndIOp>(turn, constant(kSlots - 1));
  result.filled = binary<arith::AndIOp>(round, one);
  result.emptied = binary<arith::XOrIOp>(result.filled, one);
  return result;
}

void DynamicScheduler::takeNumbers(scf::ForOp turns) {
  useNumbers(turns);
  ticket = TakeProgramOp::create(rewriter, loc, rewriter.getI32Type(), counter);
}

void DynamicScheduler::sendNumbers(scf::ForOp turns) {
  rewriter.setInsertionPoint(turns.getBody()->getTerminator());
  NumberSlot at = slotOf(turns);
  SlotAcquireOp::create(rewriter, loc, empty, at.slot, at.emptied, full, /*elected=*/false,
                        /*predicate=*/Value());
  Value number = MemDescIndexOp::create(rewriter, loc, numberType, numbers, at.slot);
  Value next = SendProgramOp::create(rewriter, loc, rewriter.getI32Type(), ticket, all, ctas,
                                     number, full, at.slot, counter);
  NextProgramOp::create(rewriter, loc, next, all);
}

void DynamicScheduler::receiveNumbers(scf::ForOp turns) {
  useNumbers(turns);
  rewriter.setInsertionPoint(turns.getBody()->getTerminator());
  NumberSlot at = slotOf(turns);
  MbarrierWaitOp::create(rewriter, loc, full, at.slot, at.filled);
  Value number = MemDescIndexOp::create(rewriter, loc, numberType, numbers, at.slot);
  Value next = ReceiveProgramOp::create(rewriter, loc, rewriter.getI32Type(), number);
  SlotReleaseOp::create(rewriter, loc, empty, at.slot, /*predicate=*/Value(),
                        /*without=*/Value());
  NextProgramOp::create(rewriter, loc, next, all);
}

namespace {
struct ScheduleDynamically final
    : tilec::impl::TileGPUScheduleDynamicallyPassBase<ScheduleDynamically> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!programCounter || numCtasOf(module) > 1 || computeGroupsOf(module) > 1)
      return;
    for (auto func : module.getOps<func::FuncOp>())
      for (auto roles : llvm::to_vector(func.getOps<WarpRolesOp>()))
        if (DynamicScheduler(func, roles).run())
          remark::passed(func.getLoc(),
                         remark::RemarkOpts::name("DynamicPrograms").category(remarks::kPersistent))
              << "a CTA that is done takes the next program from a counter";
  }
};
} // namespace
