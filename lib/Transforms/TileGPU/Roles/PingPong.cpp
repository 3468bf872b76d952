// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-ping-pong: two groups of computing warps take the tiles of a loop in turn (CUTLASS's
// "ping-pong" kernels), so that one multiplies while the other one stores its tile and begins the
// next one. The load warp fills the ring tile after tile and knows nothing of it:
//
//   for tile = first to tiles step n { for k { wait full[slot], phase; ... } store }
//
// becomes, where a tile takes T(tile) slots,
//
//   g = group; slot, phase = g == 0 ? 0, 0 : T(first) slots further
//   for tile = first + g * n to tiles step 2 * n {
//     wait for the turn; for k { last ? pass it on; ... }; store
//     slot, phase = T(tile + n) slots further
//   }
//
// Turns keep a group from waiting for a phase that the other one's slots come before: the parity of
// a barrier object does not tell phases apart that are two rounds from each other.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/Tile/LoopCounter.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/RolePlan.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUPINGPONGPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int kGroups = 2;

namespace {
/// A slot of a ring and the parity of its phase.
struct Place {
  Value slot, parity;
};

/// A number of slots: rounds of the ring, of which the parity counts, and those beyond.
struct Distance {
  Value slots, odd;
};

class TurnTaker {
public:
  explicit TurnTaker(WarpRolesOp op)
      : roles(op), loc(op.getLoc()), builder(op.getContext()),
        i32(IntegerType::get(op.getContext(), 32)) {}

  /// Whether the role that computes makes tiles in a loop, and nothing besides, and knows how many
  /// slots another tile takes; says why not.
  bool plan();
  void apply();

private:
  bool refuse(Operation *op, StringRef reason);
  bool findTiles();
  /// The loops of a tile that use slots, and what they carry through them.
  bool findLoops();
  bool isSlotLoop(Operation &op) const;
  bool findPlace(scf::ForOp loop, MbarrierWaitOp wait);
  /// Whether the value is computed from the number of a tile; adds the code.
  bool addCode(Value value);

  /// The slots that a tile takes, the iterations of its loops.
  Distance distanceOf(Value tile);
  Value iterationsOf(scf::ForOp loop, const IRMapping &mapping);
  Place advance(Place from, Distance by);
  void countSlots();
  void takeTurns();
  void passOn(Value step);
  Value constant(int64_t value, Type type) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  }
  Value constant(int64_t value) { return constant(value, i32); }
  template <typename Op> Value binary(Value a, Value b) { return Op::create(builder, loc, a, b); }

  WarpRolesOp roles;
  Location loc;
  OpBuilder builder;
  Type i32;
  scf::ForOp tiles;
  SmallVector<scf::ForOp> loops;
  /// Of the slot and the parity among what the loop over tiles carries.
  unsigned slotNumber = 0, parityNumber = 0;
  int64_t depth = 0;
  /// What the bounds of the loops are computed from, and whether the number of the tile is.
  llvm::SetVector<Operation *> code;
  bool usesTile = false;
  /// What the slots of a tile begin and end with.
  Place begin, end;
  Value group, isSecond;
};
} // namespace

bool TurnTaker::refuse(Operation *op, StringRef reason) {
  remark::missed(op->getLoc(), remark::RemarkOpts::name("NotPingPong").category(remarks::kPipeline))
      << "tiles are not taken in turn by two warpgroups: " << reason;
  return false;
}

bool TurnTaker::findTiles() {
  for (Operation &op : roles.getCompute().front()) {
    if (isMemoryEffectFree(&op) || isa<LocalAllocOp, LaneCtaOp>(op))
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || tiles)
      return refuse(&op, "they are not all that the kernel makes");
    tiles = loop;
  }
  return tiles || refuse(roles, "there is no loop over tiles");
}

bool TurnTaker::isSlotLoop(Operation &op) const {
  return op
      .walk([](Operation *inner) {
        return isa<MbarrierWaitOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool TurnTaker::addCode(Value value) {
  usesTile |= value == tiles.getInductionVar();
  if (value == tiles.getInductionVar() ||
      !tiles->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != tiles.getBody() || op->getNumRegions() > 0 ||
      !isMemoryEffectFree(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return addCode(operand); }))
    return false;
  code.insert(op);
  return true;
}

/// The number of an argument among what the loop carries.
static std::optional<unsigned> carriedBy(scf::ForOp loop, Value argument) {
  auto carried = dyn_cast<BlockArgument>(argument);
  if (!carried || carried.getOwner() != loop.getBody() || carried.getArgNumber() == 0)
    return std::nullopt;
  return carried.getArgNumber() - 1;
}

bool TurnTaker::findPlace(scf::ForOp loop, MbarrierWaitOp wait) {
  std::optional<unsigned> slot = carriedBy(loop, wait.getSlot());
  std::optional<unsigned> parity = carriedBy(loop, wait.getParity());
  if (!slot || !parity)
    return false;
  Place init{loop.getInitArgs()[*slot], loop.getInitArgs()[*parity]};
  if (loops.empty()) {
    begin = init;
    depth = wait.getBarriers().getType().getBuffers();
  } else if (init.slot != end.slot || init.parity != end.parity) {
    return false;
  }
  end = {loop.getResult(*slot), loop.getResult(*parity)};
  return true;
}

bool TurnTaker::findLoops() {
  for (Operation &op : *tiles.getBody()) {
    if (!isSlotLoop(op))
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    auto waits = loop ? llvm::to_vector(loop.getBody()->getOps<MbarrierWaitOp>())
                      : SmallVector<MbarrierWaitOp>();
    if (waits.size() != 1)
      return refuse(&op, "slots are used in a branch, or those of several rings");
    if (!findPlace(loop, waits.front()))
      return refuse(&op, "its slots are not counted");
    if (!llvm::all_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
                      [&](Value bound) { return addCode(bound); }))
      return refuse(&op, "how many blocks another tile has is not known");
    loops.push_back(loop);
  }
  // With the last block a turn is passed on: the slot behind it has been used in this tile, or
  // before.
  if (!loops.empty() && depth < 2)
    return refuse(tiles, "the ring has one slot");
  std::optional<unsigned> slot, parity;
  if (!loops.empty() && tiles.getNumRegionIterArgs() == 2) {
    slot = carriedBy(tiles, begin.slot);
    parity = carriedBy(tiles, begin.parity);
  }
  if (!slot || !parity || tiles.getYieldedValues()[*slot] != end.slot ||
      tiles.getYieldedValues()[*parity] != end.parity)
    return refuse(tiles, "a tile depends on the one before");
  slotNumber = *slot;
  parityNumber = *parity;
  return true;
}

bool TurnTaker::plan() { return findTiles() && findLoops(); }

Value TurnTaker::iterationsOf(scf::ForOp loop, const IRMapping &mapping) {
  Value lower = mapping.lookupOrDefault(loop.getLowerBound());
  Value upper = mapping.lookupOrDefault(loop.getUpperBound());
  Value step = mapping.lookupOrDefault(loop.getStep());
  Type type = step.getType();
  Value one = constant(1, type), zero = constant(0, type);
  Value last = binary<arith::SubIOp>(binary<arith::SubIOp>(upper, lower), one);
  Value count = binary<arith::AddIOp>(binary<arith::DivUIOp>(last, step), one);
  count = arith::SelectOp::create(builder, loc, isLess(builder, loop, lower, upper), count, zero);
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, i32, count);
  return type.getIntOrFloatBitWidth() > 32
             ? arith::TruncIOp::create(builder, loc, i32, count).getResult()
             : count;
}

Distance TurnTaker::distanceOf(Value tile) {
  IRMapping mapping;
  mapping.map(tiles.getInductionVar(), tile);
  for (Operation *op : code)
    builder.clone(*op, mapping);
  Value sum;
  for (scf::ForOp loop : loops) {
    Value count = iterationsOf(loop, mapping);
    sum = sum ? binary<arith::AddIOp>(sum, count) : count;
  }
  Value rounds = binary<arith::DivUIOp>(sum, constant(depth));
  return {binary<arith::RemUIOp>(sum, constant(depth)), binary<arith::AndIOp>(rounds, constant(1))};
}

Place TurnTaker::advance(Place from, Distance by) {
  Value next = binary<arith::AddIOp>(from.slot, by.slots);
  Value wraps =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, next, constant(depth));
  Value back = binary<arith::SubIOp>(next, constant(depth));
  Value parity = binary<arith::XOrIOp>(from.parity, by.odd);
  Value round = arith::ExtUIOp::create(builder, loc, i32, wraps);
  return {arith::SelectOp::create(builder, loc, wraps, back, next),
          binary<arith::XOrIOp>(parity, round)};
}

void TurnTaker::apply() {
  builder.setInsertionPointToStart(&roles.getCompute().front());
  group = ComputeGroupOp::create(builder, loc, i32);
  builder.setInsertionPoint(tiles);
  isSecond = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, group, constant(0));
  countSlots();
  takeTurns();
}

void TurnTaker::countSlots() {
  Distance distance = distanceOf(tiles.getLowerBound());
  Place first{tiles.getInitArgs()[slotNumber], tiles.getInitArgs()[parityNumber]};
  Place second = advance(first, distance);
  auto choose = [&](Value ofSecond, Value ofFirst) -> Value {
    return arith::SelectOp::create(builder, loc, isSecond, ofSecond, ofFirst);
  };
  tiles.getInitArgsMutable()[slotNumber].assign(choose(second.slot, first.slot));
  tiles.getInitArgsMutable()[parityNumber].assign(choose(second.parity, first.parity));

  Operation *yield = tiles.getBody()->getTerminator();
  builder.setInsertionPoint(yield);
  if (usesTile)
    distance = distanceOf(binary<arith::AddIOp>(tiles.getInductionVar(), tiles.getStep()));
  Place next = advance(end, distance);
  yield->setOperand(slotNumber, next.slot);
  yield->setOperand(parityNumber, next.parity);
}

void TurnTaker::takeTurns() {
  Value lower = tiles.getLowerBound(), step = tiles.getStep();
  builder.setInsertionPoint(tiles);
  Value own =
      arith::SelectOp::create(builder, loc, isSecond, binary<arith::AddIOp>(lower, step), lower);
  tiles.getLowerBoundMutable().assign(own);
  tiles.getStepMutable().assign(binary<arith::MulIOp>(step, constant(kGroups, step.getType())));

  // The first tile is nobody's turn before.
  Value hasTiles = isIteration(builder, tiles, lower);
  TurnPassOp::create(builder, loc, group, binary<arith::AndIOp>(isSecond, hasTiles));

  builder.setInsertionPoint(loops.front());
  TurnWaitOp::create(builder, loc, group);
  passOn(step);
}

/// With the last block, whose slot is known to be the next: the other group's first dots are
/// started while this one's last are computed. Where there is no block, behind the loop.
void TurnTaker::passOn(Value step) {
  scf::ForOp last = loops.back();
  builder.setInsertionPoint(last);
  Value next = binary<arith::AddIOp>(tiles.getInductionVar(), step);
  Value hasNext = isIteration(builder, tiles, next);
  Value yes = arith::ConstantIntOp::create(builder, loc, true, 1);
  auto isEnd = [&](Value at) {
    Value goesOn = isIteration(builder, last, at);
    return binary<arith::AndIOp>(hasNext, binary<arith::XOrIOp>(goesOn, yes));
  };
  builder.setInsertionPointToStart(last.getBody());
  TurnPassOp::create(builder, loc, group,
                     isEnd(binary<arith::AddIOp>(last.getInductionVar(), last.getStep())));
  builder.setInsertionPointAfter(last);
  TurnPassOp::create(builder, loc, group, isEnd(last.getLowerBound()));
}

namespace {
struct PingPong final : tilec::impl::TileGPUPingPongPassBase<PingPong> {
  using Base::Base;

  void runOnOperation() override {
    Builder attributes(&getContext());
    getOperation().walk([&](WarpRolesOp roles) {
      if (!roles->getParentOp()->hasAttr(TileGPUDialect::kPingPongAttr))
        return;
      TurnTaker taker(roles);
      if (!taker.plan())
        return;
      taker.apply();
      int warps = kGroups * numWarpsOf(roles);
      getOperation()->setAttr(TileGPUDialect::kComputeGroupsAttr,
                              attributes.getI32IntegerAttr(kGroups));
      getOperation()->setAttr(TileGPUDialect::kLoadWarpsAttr,
                              attributes.getI32IntegerAttr(loadWarpsFor(warps)));
      remark::passed(roles.getLoc(),
                     remark::RemarkOpts::name("PingPong").category(remarks::kPipeline))
          << "two warpgroups take the tiles in turn";
    });
  }
};
} // namespace
