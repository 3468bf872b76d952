// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over the programs that a persistent CTA runs.
//
//   all = gx * gy * gz, c = this CTA, n = CTAs
//   for turn = 0 to turns { t = turn * n + place; (x, y, z) = program number t; body }
//
// `place` is c. Where programs are ordered by how long they take, it is n - 1 - c in every second
// turn, so that the CTA that gets the longest program of one turn gets the shortest of the next.

#include "ProgramGroup.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/BufferFill.h"
#include "tilec/Analysis/ProductLoops.h"
#include "tilec/Analysis/RolePlan.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/TileGPU/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUMAKEPERSISTENTPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
class PersistentLoop {
public:
  PersistentLoop(func::FuncOp function, const PersistencePlan &decided, int64_t bytesOfIteration)
      : func(function), plan(decided), iterationBytes(bytesOfIteration), loc(function.getLoc()),
        builder(function.getContext()) {}

  void make() {
    takeSizes();
    Operation *first = keepShared();
    if (first)
      builder.setInsertionPoint(first);
    makeLoop();
    moveBody();
    replaceGrid();
  }

private:
  /// The launch's numbers of programs.
  void takeSizes();
  /// Leaves what is the same for all programs in front; returns what comes behind.
  Operation *keepShared();
  void makeLoop();
  /// Number `at` of `all` in an order in which the longest come first becomes another such number:
  /// in two turns a CTA runs a long program and a short one.
  Value mixLengths(Value at, Value all);
  void moveBody();
  void replaceGrid();
  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); }
  template <typename Op> Value binary(Value a, Value b) { return Op::create(builder, loc, a, b); }

  func::FuncOp func;
  const PersistencePlan &plan;
  int64_t iterationBytes;
  Location loc;
  OpBuilder builder;
  Value sizes[3];
  /// The number of this CTA, and how many there are.
  tile::ProgramIdOp cta;
  tile::NumProgramsOp ctas;
  Value tile, group;
  scf::ForOp loop;
  /// In front of the loop.
  SmallPtrSet<Operation *, 16> shared;
};
} // namespace

void PersistentLoop::takeSizes() {
  for (int axis = 0; axis < 3; ++axis) {
    unsigned index = func.getNumArguments();
    auto attrs = builder.getDictionaryAttr(
        builder.getNamedAttr(tile::TileDialect::kProgramsAttr, builder.getI32IntegerAttr(axis)));
    (void)func.insertArgument(index, builder.getI32Type(), attrs, loc);
    sizes[axis] = func.getArgument(index);
  }
}

/// Tensors are made again for each program: they would be in registers all the time.
Operation *PersistentLoop::keepShared() {
  Operation *last = nullptr;
  for (Operation &op : func.front().without_terminator()) {
    bool isScalar =
        op.getNumRegions() == 0 && !isa<tile::ProgramIdOp>(op) &&
        (isPure(&op) || isa<tile::AssumeOp>(op)) &&
        llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType, MemDescType>);
    bool isKnown = llvm::all_of(op.getOperands(), [&](Value operand) {
      Operation *from = operand.getDefiningOp();
      return from ? shared.contains(from) : true;
    });
    if (isScalar && isKnown)
      shared.insert(&op);
  }
  for (Operation &op : llvm::make_early_inc_range(func.front())) {
    if (!shared.contains(&op))
      continue;
    if (last)
      op.moveAfter(last);
    else
      op.moveBefore(&func.front(), func.front().begin());
    last = &op;
  }
  for (Operation &op : func.front())
    if (!shared.contains(&op))
      return &op;
  return nullptr;
}

void PersistentLoop::makeLoop() {
  Type i32 = builder.getI32Type();
  Value all = binary<arith::MulIOp>(binary<arith::MulIOp>(sizes[0], sizes[1]), sizes[2]);
  cta = tile::ProgramIdOp::create(builder, loc, i32, 0);
  ctas = tile::NumProgramsOp::create(builder, loc, i32, 0);
  Value zero = constant(0), one = constant(1);
  if (plan.longestAxis)
    group = binary<arith::ShLIOp>(one, ProgramGroup(builder, loc, plan, sizes, [&](Operation *op) {
                                         return shared.contains(op);
                                       }).makeLog2(iterationBytes));
  // A CTA whose place in the last turn has no program is done before.
  Value before = binary<arith::DivUIOp>(binary<arith::SubIOp>(all, one), ctas);
  Value rest = binary<arith::SubIOp>(all, binary<arith::MulIOp>(before, ctas));
  Value comes = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, cta, rest);
  Value turns = binary<arith::AddIOp>(before, arith::ExtUIOp::create(builder, loc, i32, comes));
  loop = scf::ForOp::create(builder, loc, zero, turns, one);
  // Nothing is copied ahead of a program, but by what is inside.
  loop->setAttr(tile::TileDialect::kNumStagesAttr, builder.getI32IntegerAttr(1));
  loop->setAttr(tile::TileDialect::kUnrollAttr, builder.getI32IntegerAttr(1));
  builder.setInsertionPointToStart(loop.getBody());
  Value turn = loop.getInductionVar();
  tile = binary<arith::AddIOp>(binary<arith::MulIOp>(turn, ctas), cta);
  if (plan.longestAxis)
    tile = mixLengths(tile, all);
}

/// Two turns of all CTAs are pairs: the first half of their numbers the longer ones, the second
/// half the others. Pair j of a group of m programs is its j-th longest and its j-th shortest,
/// which together are as long as those of any other pair. Groups of an odd number keep the order.
Value PersistentLoop::mixLengths(Value at, Value all) {
  Value zero = constant(0), one = constant(1), two = constant(2);
  auto compare = [&](arith::CmpIPredicate how, Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, how, a, b);
  };
  auto choose = [&](Value condition, Value a, Value b) -> Value {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  };
  auto half = [&](Value value) { return binary<arith::ShRUIOp>(value, one); };
  Value length = sizes[*plan.longestAxis];
  Value neighbours = one;
  for (int axis = 0; axis < 3; ++axis)
    if (axis != int(*plan.longestAxis))
      neighbours = binary<arith::MulIOp>(neighbours, sizes[axis]);
  Value width = binary<arith::MinUIOp>(group, neighbours);
  Value members = binary<arith::MulIOp>(width, length);
  // All groups are of an even number: the last one has the neighbours that are left.
  Value odd = binary<arith::AndIOp>(length, binary<arith::OrIOp>(width, neighbours));
  Value isEven = compare(arith::CmpIPredicate::eq, binary<arith::AndIOp>(odd, one), zero);

  Value turns = binary<arith::MulIOp>(ctas, two);
  Value round = binary<arith::DivUIOp>(at, turns);
  Value begin = binary<arith::MulIOp>(round, turns);
  Value pairs = half(binary<arith::MinUIOp>(turns, binary<arith::SubIOp>(all, begin)));
  Value within = binary<arith::SubIOp>(at, begin);
  Value isShort = compare(arith::CmpIPredicate::uge, within, pairs);
  within = choose(isShort, binary<arith::SubIOp>(within, pairs), within);
  Value pair = binary<arith::AddIOp>(half(begin), within);

  Value perGroup = binary<arith::MaxUIOp>(half(members), one);
  Value first = binary<arith::DivUIOp>(pair, perGroup);
  Value place = binary<arith::SubIOp>(pair, binary<arith::MulIOp>(first, perGroup));
  first = binary<arith::MulIOp>(first, members);
  Value last = binary<arith::SubIOp>(
      binary<arith::MinUIOp>(members, binary<arith::SubIOp>(all, first)), one);
  place = choose(isShort, binary<arith::SubIOp>(last, place), place);
  return choose(isEven, binary<arith::AddIOp>(first, place), at);
}

void PersistentLoop::moveBody() {
  Block &body = func.front();
  loop.getBody()->getOperations().splice(loop.getBody()->getTerminator()->getIterator(),
                                         body.getOperations(), std::next(loop->getIterator()),
                                         body.getTerminator()->getIterator());
}

void PersistentLoop::replaceGrid() {
  builder.setInsertionPointAfterValue(tile);
  Value ids[3];
  auto first = plan.longestAxis ? builder.getI32IntegerAttr(*plan.longestAxis) : IntegerAttr();
  auto last = plan.longestAxis && !plan.isLongestFirst ? builder.getUnitAttr() : UnitAttr();
  for (int axis = 0; axis < 3; ++axis)
    ids[axis] = ProgramOfTileOp::create(builder, loc, builder.getI32Type(),
                                        builder.getI32IntegerAttr(axis), tile, sizes[0], sizes[1],
                                        sizes[2], first, last, group, /*least=*/Value());
  EnterProgramOp::create(builder, loc, ids[0], ids[1], ids[2]);
  func.walk([&](tile::ProgramIdOp id) {
    if (id == cta)
      return;
    id.replaceAllUsesWith(ids[id.getAxis()]);
    id.erase();
  });
  func.walk([&](tile::NumProgramsOp number) {
    if (number == ctas)
      return;
    number.replaceAllUsesWith(sizes[number.getAxis()]);
    number.erase();
  });
}

/// Whether a stride of 16-bit elements, in the notation of tensor maps, is an argument that is no
/// multiple of 32 bytes: a launch promises 16 of those that are multiples of 16, and 8 of others.
static bool isBetweenSectors(func::FuncOp func, StringRef stride) {
  unsigned number = 0;
  if (!stride.consume_front("%") || stride.getAsInteger(10, number))
    return false;
  auto known = func.getArgAttrOfType<IntegerAttr>(number, tile::TileDialect::kDivisibilityAttr);
  return known && known.getInt() == 8;
}

/// The tensor map through which an operand of a product is loaded; null for any other operand.
static BlockArgument mapOf(Value buffer) {
  std::optional<BufferFill> fill = fillOf(buffer);
  auto load = fill ? dyn_cast<tile::DescriptorLoadOp>(fill->load) : tile::DescriptorLoadOp();
  return load ? dyn_cast<BlockArgument>(load.getDesc()) : nullptr;
}

/// Whether B is what copies of two programs for each other save most of: programs that run at once
/// mostly have the same columns, tiles have no more rows than columns, and rows of B in memory
/// begin between sectors.
static bool sharesBetweenSectors(WgmmaOp product) {
  RankedTensorType tile = product.getType();
  BlockArgument map = mapOf(product.getRhs());
  auto func = product->getParentOfType<func::FuncOp>();
  if (!map || tile.getDimSize(0) > tile.getDimSize(1) ||
      cast<tile::DescType>(map.getType()).getElementType().getIntOrFloatBitWidth() != 16)
    return false;
  auto attr =
      func.getArgAttrOfType<DictionaryAttr>(map.getArgNumber(), tile::TileDialect::kTensorMapAttr);
  if (!attr)
    return false;
  auto strides = attr.getAs<ArrayAttr>("strides").getAsRange<StringAttr>();
  return llvm::any_of(strides,
                      [&](StringAttr stride) { return isBetweenSectors(func, stride.getValue()); });
}

/// A larger tile is exchanged this much at a time.
static constexpr int64_t kMostExchanged = int64_t(64) << 10;
/// For barrier objects, and what else is small.
static constexpr int64_t kSharedBeside = 1024;

/// The bytes of tiles that threads store: they exchange them first, through what memory is left.
/// Buffers of tensor copies need all of theirs, and `num_stages` is reduced for them.
static int64_t bytesExchanged(func::FuncOp func) {
  int64_t bytes = 0;
  for (auto store : func.front().getOps<tile::StoreOp>())
    if (auto type = dyn_cast<RankedTensorType>(store.getValue().getType()))
      bytes += tile::tensorBytesOf(type);
  return bytes;
}

static void setStages(scf::ForOp loop, int64_t stages) {
  loop->setAttr(tile::TileDialect::kNumStagesAttr,
                IntegerAttr::get(IntegerType::get(loop.getContext(), 32), stages));
}

/// The rings of products leave room for the exchange: while the next tile is loaded it has no
/// memory in common with them, and in small parts, one after the other, it takes longer than
/// another stage saves (docs/benchmarks/steps.md).
static void leaveRoomForExchanges(func::FuncOp func, ArrayRef<LoopSchedule> schedules) {
  int64_t room = processorOf(func).maxSharedBytesPerCta() - kSharedBeside -
                 std::min(bytesExchanged(func), kMostExchanged);
  for (const LoopSchedule &schedule : schedules) {
    int64_t bytes = schedule.bytesPerStage();
    if (!isLoopOfProducts(schedule.loop) || bytes == 0)
      continue;
    int64_t fit = std::max<int64_t>(room / bytes, 2);
    if (schedule.stages <= fit)
      continue;
    setStages(schedule.loop, fit);
    remark::missed(schedule.loop->getLoc(),
                   remark::RemarkOpts::name("RoomForExchanges").category(remarks::kPipeline))
        << "'num_stages' is reduced from " << std::to_string(schedule.stages) << " to "
        << std::to_string(fit) << ": what is stored is exchanged beside the ring";
  }
}

/// Whether the kernel gains, with fewer stages where its rings leave no room for what load warps
/// copy once for each program: to have the next program's beside this one's saves more than another
/// stage (docs/benchmarks/steps.md). Then `schedules` have so many.
static bool gains(func::FuncOp func, std::vector<LoopSchedule> &schedules) {
  int64_t most = 2;
  for (const LoopSchedule &schedule : schedules)
    most = std::max(most, schedule.numTensorCopies() ? schedule.stages : 0);
  for (int64_t stages = most; stages >= 2; --stages) {
    std::vector<LoopSchedule> fewer = schedules;
    for (LoopSchedule &schedule : fewer)
      if (schedule.numTensorCopies())
        schedule.stages = std::min(schedule.stages, stages);
    if (gainsFromTurns(func, fewer)) {
      schedules = std::move(fewer);
      return true;
    }
  }
  return false;
}

/// Gives the loops the stages of `schedules`, where they asked for more.
static void leaveRoomForNextProgram(ArrayRef<LoopSchedule> asked,
                                    ArrayRef<LoopSchedule> schedules) {
  for (auto [before, schedule] : llvm::zip_equal(asked, schedules)) {
    if (before.stages == schedule.stages)
      continue;
    setStages(schedule.loop, schedule.stages);
    remark::missed(scf::ForOp(schedule.loop).getLoc(),
                   remark::RemarkOpts::name("RoomForNextProgram").category(remarks::kPipeline))
        << "'num_stages' is reduced from " << std::to_string(before.stages) << " to "
        << std::to_string(schedule.stages)
        << ": what the next program begins with is copied beside the ring";
  }
}

namespace {
struct MakePersistent final : tilec::impl::TileGPUMakePersistentPassBase<MakePersistent> {
  using Base::Base;

  /// Programs of different lengths have to go to the CTA that is done first, by the GPU or by
  /// ScheduleDynamically.
  bool mayPay(const PersistencePlan &plan) {
    return plan.isPersistent && (dynamic || !plan.longestAxis) &&
           llvm::any_of(getOperation().front().getOps<scf::ForOp>(), isLoopOfProducts);
  }

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr(tile::TileDialect::kKernelAttr))
      return;
    PersistencePlan plan = planPersistence(func);
    bool isForced = persistent == "on";
    if (!isForced && !mayPay(plan))
      return;
    if (plan.obstacle)
      remark::missed(plan.obstacle->getLoc(),
                     remark::RemarkOpts::name("NotPersistent").category(remarks::kPersistent))
          << "kernel is not persistent: " << plan.reason;
    if (!plan.isPersistent)
      return;
    SmallVector<PipelineObstacle> obstacles;
    const std::vector<LoopSchedule> asked =
        scheduleLoops(func, getAnalysis<AxisInfoAnalysis>(), reductionStages, obstacles);
    std::vector<LoopSchedule> schedules = asked;
    if (!gains(func, schedules) && !isForced)
      return;
    if (persistent == "off") {
      func->setAttr(TileGPUDialect::kGainsFromTurnsAttr, UnitAttr::get(&getContext()));
      return;
    }
    leaveRoomForNextProgram(asked, schedules);
    if (persistent == "auto")
      func.walk([&](WgmmaOp product) {
        if (sharesBetweenSectors(product))
          func->setAttr(TileGPUDialect::kPairedAttr, UnitAttr::get(&getContext()));
      });
    leaveRoomForExchanges(func, schedules);
    PersistentLoop(func, plan, bytesPerIteration(schedules)).make();
    remark::passed(func.getLoc(),
                   remark::RemarkOpts::name("Persistent").category(remarks::kPersistent))
        << (plan.longestAxis ? "CTAs run one program after the other, the longest first"
                             : "CTAs run one program after the other");
  }
};
} // namespace
