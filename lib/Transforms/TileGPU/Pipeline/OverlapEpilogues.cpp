// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-overlap-epilogues: the first tensor copies of a loop's next run are started in front of
// what comes behind it.
//
//   for tile { copies of iterations 0 to d-1; for k { ...; copies of k + d }; epilogue }
//
// becomes, where the loop has n iterations,
//
//   copies of iterations 0 to d-1 of the first tile
//   for tile {
//     for k { ...; k + d < n ? copies of k + d : copies of k + d - n of the next tile }
//     copies of iterations 0 to d-n-1 of the next tile
//     epilogue
//   }
//
// so that the ring is never empty (LoopContinuation); the copies behind the loop are for loops that
// are shorter than the ring. Where the loop's copies do not go on, all of the next tile's are
// there. Kernels with load warps need none of it: those run ahead by themselves.

#include "LoopContinuation.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/RingSlots.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/TileGPU/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUOVERLAPEPILOGUESPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// The copies into one ring that the body of a loop over tiles starts in front of a loop inside.
class FirstCopies {
public:
  FirstCopies(scf::ForOp tileLoop, Value barrierObjects)
      : tiles(tileLoop), barriers(barrierObjects), written(tileLoop) {}

  /// Finds the copies, and what they depend on. False, and then `getReason` says why, where they
  /// can't be started for the next tile.
  bool find();
  StringRef getReason() const { return reason; }
  /// Gives the rings memory of their own in all of the loop over tiles. False, and nothing is
  /// changed, where less than `leastCtas` fit on a multiprocessor then.
  bool keepRings(int64_t leastCtas);
  /// Has the loop inside start those of the next tile, where it can and where that gains more than
  /// the arithmetic for it costs in each iteration: those of at least `leastProduct`
  /// multiplications of 16-bit elements, or of as many bits of others. Without, they start behind
  /// the loop.
  void goOn(int64_t leastProduct) { goesOn = continuation && isLarge(leastProduct); }
  /// Returns the loop over tiles.
  scf::ForOp move();

private:
  bool fail(StringRef why) {
    reason = why;
    return false;
  }
  bool findCopies();
  bool findLastUser();
  bool isLarge(int64_t leastProduct);
  /// Starts the copies of a tile where `condition` holds; with `missing`, those of so many
  /// iterations, as the loop counts them. Gives the tile's values, or `otherwise`.
  ValueRange start(OpBuilder &builder, Value condition, Value tile, ValueRange carried,
                   Value missing, ValueRange otherwise);

  scf::ForOp tiles;
  Value barriers;
  WrittenMemory written;
  SmallVector<TmaLoadOp> copies;
  SmallVector<LocalAllocOp> rings;
  scf::ForOp loop;
  /// The copies of the next tile that the loop does not start are started behind it.
  Operation *last = nullptr;
  std::optional<NextTile> behind;
  std::optional<LoopContinuation> continuation;
  bool goesOn = false;
  StringRef reason;
};
} // namespace

bool FirstCopies::findCopies() {
  for (Operation *user : barriers.getUsers())
    if (auto copy = dyn_cast<TmaLoadOp>(user); copy && copy->getBlock() == tiles.getBody())
      copies.push_back(copy);
  llvm::sort(copies, [](TmaLoadOp a, TmaLoadOp b) { return a->isBeforeInBlock(b); });
  for (TmaLoadOp copy : copies) {
    LocalAllocOp ring = allocOf(copy.getBuffer());
    if (!ring || written.mayContain(copy.getDesc()))
      return fail("a tile's epilogue may write what is copied for the next one");
    if (!llvm::is_contained(rings, ring))
      rings.push_back(ring);
  }
  if (findAccessOrder(tiles, /*barriers=*/false))
    return fail("a tile orders accesses of memory, which the copies would run ahead of");
  return true;
}

bool FirstCopies::findLastUser() {
  Block *body = tiles.getBody();
  last = lastUser(body, barriers);
  for (LocalAllocOp ring : rings)
    if (Operation *user = lastUser(body, ring); last->isBeforeInBlock(user))
      last = user;
  loop = dyn_cast<scf::ForOp>(last);
  if (!loop)
    return fail("its copies are read outside of a loop");
  // The products of the last iteration read the ring until they have been waited for.
  last = lastWaitFor(loop);
  return true;
}

bool FirstCopies::isLarge(int64_t leastProduct) {
  // A warpgroup alone has nobody to run while it computes coordinates.
  if (numWarpsOf(loop) < 8)
    return false;
  int64_t multiplications = 0;
  for (auto product : loop.getBody()->getOps<WgmmaOp>()) {
    // Threads that read operands have no time left.
    if (product.getFragmentsOf())
      return false;
    ArrayRef<int64_t> shape = product.getRhs().getType().getShape();
    multiplications += product.getType().getShape()[0] * shape[0] * shape[1] *
                       int64_t(tile::bitWidthOf(product.getRhs().getType().getElementType())) / 16;
  }
  auto isRead = [&](LocalLoadOp load) {
    return llvm::is_contained(rings, allocOf(load.getBuffer()));
  };
  return multiplications >= leastProduct &&
         llvm::none_of(loop.getBody()->getOps<LocalLoadOp>(), isRead);
}

bool FirstCopies::find() {
  if (!findCopies() || !findLastUser())
    return false;
  behind.emplace(tiles, last->getNextNode(), written);
  for (TmaLoadOp copy : copies)
    if (!llvm::all_of(copy->getOperands(), [&](Value operand) { return behind->add(operand); }))
      return fail("what is copied for the next tile is known behind this one's epilogue only");
  continuation.emplace(tiles, loop, written);
  bool areBound =
      llvm::all_of(copies, [&](TmaLoadOp copy) { return continuation->isBoundOf(copy); });
  if (!areBound || !continuation->find(barriers))
    continuation.reset();
  return true;
}

bool FirstCopies::keepRings(int64_t leastCtas) {
  SmallVector<std::pair<LocalAllocOp, Operation *>> moved;
  for (LocalAllocOp ring : rings)
    if (ring->getBlock() == tiles.getBody()) {
      moved.emplace_back(ring, ring->getNextNode());
      ring->moveBefore(tiles);
    }
  if (residentCtas(tiles->getParentOfType<func::FuncOp>()) >= leastCtas)
    return true;
  for (auto [ring, next] : llvm::reverse(moved))
    ring->moveBefore(next);
  return fail("shared memory for it would leave room for fewer CTAs");
}

/// Makes a copy only where its iteration comes before a number.
static void limit(TmaLoadOp copy, Value number) {
  OpBuilder builder(copy);
  auto bound = copy.getPredicate().getDefiningOp<arith::CmpIOp>();
  Value isBefore =
      arith::CmpIOp::create(builder, copy.getLoc(), bound.getPredicate(), bound.getLhs(), number);
  copy.getPredicateMutable().assign(
      arith::AndIOp::create(builder, copy.getLoc(), bound.getResult(), isBefore));
}

ValueRange FirstCopies::start(OpBuilder &builder, Value condition, Value tile, ValueRange carried,
                              Value missing, ValueRange otherwise) {
  Location loc = copies.front().getLoc();
  auto branch = scf::IfOp::create(builder, loc, otherwise.getTypes(), condition,
                                  /*withElseRegion=*/!otherwise.empty());
  OpBuilder body = OpBuilder::atBlockBegin(branch.thenBlock());
  IRMapping mapping;
  mapping.map(tiles.getInductionVar(), tile);
  mapping.map(tiles.getRegionIterArgs(), carried);
  behind->clone(body, mapping);
  Value end;
  if (missing)
    end = arith::AddIOp::create(body, loc, mapping.lookupOrDefault(loop.getLowerBound()), missing);
  for (TmaLoadOp copy : copies) {
    auto clone = cast<TmaLoadOp>(body.clone(*copy, mapping));
    if (end)
      limit(clone, end);
  }
  if (otherwise.empty())
    return {};
  scf::YieldOp::create(body, loc, continuation->computeFor(body, tile, carried));
  OpBuilder other = OpBuilder::atBlockBegin(branch.elseBlock());
  scf::YieldOp::create(other, loc, otherwise);
  return branch.getResults();
}

scf::ForOp FirstCopies::move() {
  OpBuilder builder(tiles);
  Location loc = tiles.getLoc();
  // The barrier objects are initialised for all, whether there is a first tile or not.
  NVVM::Barrier0Op::create(builder, loc);
  SmallVector<Value> none, ofFirst;
  if (continuation)
    for (Type type : continuation->types())
      none.push_back(ub::PoisonOp::create(builder, loc, type));
  Value lower = tiles.getLowerBound();
  llvm::append_range(ofFirst,
                     start(builder, isIteration(builder, tiles, lower), lower, tiles.getInitArgs(),
                           /*missing=*/Value(), none));
  if (continuation)
    continuation->bringEarly();
  if (goesOn) {
    continuation->make();
    if (last == loop)
      last = continuation->getLoop();
    loop = continuation->getLoop();
  }
  builder.setInsertionPoint(behind->bringEarly(last->getNextNode()));
  Value next = arith::AddIOp::create(builder, loc, tiles.getInductionVar(), tiles.getStep());
  Value condition = isIteration(builder, tiles, next), missing;
  if (goesOn) {
    missing = continuation->missing(builder);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(missing.getType(), 0));
    Value isShort = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, missing, zero);
    condition = arith::AndIOp::create(builder, loc, condition, isShort);
  }
  ValueRange ofNext = start(builder, condition, next, tiles.getYieldedValues(), missing,
                            goesOn ? continuation->results() : ValueRange(none));
  for (TmaLoadOp copy : copies)
    copy.erase();
  return continuation ? continuation->handOver(ofFirst, ofNext) : tiles;
}

namespace {
struct OverlapEpilogues final : tilec::impl::TileGPUOverlapEpiloguesPassBase<OverlapEpilogues> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      overlap(loop);
  }

private:
  /// The barrier objects of copies that the body starts for loops inside.
  static llvm::SetVector<Value> findRings(scf::ForOp tiles) {
    llvm::SetVector<Value> found;
    for (auto copy : tiles.getBody()->getOps<TmaLoadOp>())
      for (Operation *user : copy.getBarriers().getUsers())
        if (isa<TmaLoadOp>(user) && tiles->isProperAncestor(user) &&
            user->getBlock() != tiles.getBody())
          found.insert(copy.getBarriers());
    return found;
  }

  /// CTAs that have to fit on a multiprocessor. A loop that steps by a constant and asks to be
  /// flattened is for a grid of one CTA for each multiprocessor.
  static int64_t leastCtasOf(scf::ForOp tiles, bool isAsked) {
    if (isAsked && getConstantIntValue(tiles.getStep()))
      return 1;
    return residentCtas(tiles->getParentOfType<func::FuncOp>());
  }

  void overlap(scf::ForOp tiles) {
    // Load warps have a loop of their own.
    if (tiles.getBody()->getOps<scf::ForOp>().empty() || tiles->getParentOfType<WarpRolesOp>() ||
        tiles->hasAttr(tile::TileDialect::kRunsOnceAttr))
      return;
    bool isAsked = tiles->hasAttr("tile.flatten"), isOverlapped = false;
    StringRef reason = "no tensor copies run ahead in a loop inside";
    for (Value barriers : findRings(tiles)) {
      FirstCopies copies(tiles, barriers);
      if (!copies.find() || !copies.keepRings(leastCtasOf(tiles, isAsked))) {
        reason = copies.getReason();
        continue;
      }
      if (isAsked)
        copies.goOn(leastProduct);
      tiles = copies.move();
      isOverlapped = true;
    }
    if (isOverlapped)
      remark::passed(tiles.getLoc(),
                     remark::RemarkOpts::name("Overlapped").category(remarks::kPipeline))
          << "the first copies of a tile start in front of the epilogue of the tile before";
    else if (isAsked)
      remark::missed(tiles.getLoc(),
                     remark::RemarkOpts::name("NoEffect").category(remarks::kPipeline))
          << "'flatten' has no effect: " << reason;
  }
};
} // namespace
