// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CTA i of a program has the iterations i, i + parts, i + 2 parts, ... of the loop, so that all of
// them walk through memory together. What the loop carries beside sums, pointers for example, moves
// by `parts` steps at a time then. Behind the loop each goes on with its part of the rows
// (RowParts.h).

#include "tilec/Transforms/Tile/Passes.h"

#include "RowParts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/PersistencePlan.h"
#include "tilec/Support/Processor.h"
#include "tilec/Support/RemarkCategory.h"

namespace tilec {
#define GEN_PASS_DEF_TILESPLITKPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// CTAs of a cluster that every device can run (CUDA C++ Programming Guide, "Thread Block
/// Clusters").
static constexpr int kMostParts = 8;

namespace {
class KSplitter {
public:
  KSplitter(func::FuncOp kernel, int64_t parts) : func(kernel), count(parts) {}

  /// Whether the kernel has been split; says why not. `isAlone`: it is the only one of its module.
  bool run(bool isAlone);

private:
  bool refuse(Operation *op, StringRef reason);
  bool findLoop();
  bool findCarried();
  bool findStores();
  void numberParts();
  /// Makes the stores anew for the rows of a part; false when there are none of some of them.
  bool partStores();
  void numberPrograms();
  void partLoop();
  /// `init`, moved by as many steps, each `by` so much, as the part's number says.
  Value startOf(OpBuilder &builder, Value init, Operation *step, Value by);

  func::FuncOp func;
  int64_t count;
  scf::ForOp loop;
  /// Which of the values that the loop carries are sums; what the others grow by.
  SmallVector<unsigned> sums;
  SmallVector<std::pair<unsigned, Operation *>> steps;
  SmallVector<Operation *> stores;
  /// The number of the CTA along x, and that of the part.
  ProgramIdOp cta;
  Value part;
};
} // namespace

bool KSplitter::refuse(Operation *op, StringRef reason) {
  remark::missed(op->getLoc(), remark::RemarkOpts::name("NotSplit").category(remarks::kPersistent))
      << "K is not split: " << reason;
  return false;
}

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

bool KSplitter::findLoop() {
  auto hasDots = [](Operation &op) {
    return op.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
  };
  for (Operation &op : func.front()) {
    if (!hasDots(op))
      continue;
    if (loop || isa<DotOp>(op))
      return refuse(&op, "there are dots outside of one loop");
    loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return refuse(&op, "the loop of dots is not at the top level of the kernel");
  }
  return loop || refuse(func, "it has no loop of dots");
}

/// Whether all that happens to `argument`, a tensor, is that something is added to it.
static bool isSum(BlockArgument argument, Value yielded) {
  if (!isa<RankedTensorType>(argument.getType()))
    return false;
  for (Value sum = argument; sum.hasOneUse();) {
    OpOperand &use = *sum.use_begin();
    Operation *user = use.getOwner();
    if (isa<scf::YieldOp>(user))
      return sum == yielded;
    auto dot = dyn_cast<DotOp>(user);
    bool adds = dot ? use.getOperandNumber() == dot.getAccMutable().getOperandNumber()
                    : isa<arith::AddFOp, arith::AddIOp>(user);
    if (!adds || user->getParentRegion() != argument.getParentRegion())
      return false;
    sum = user->getResult(0);
  }
  return false;
}

bool KSplitter::findCarried() {
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    unsigned place = argument.getArgNumber() - 1;
    Value yielded = loop.getYieldedValues()[place];
    // Pointers that were moved before tensor copies took their place.
    if (yielded == argument)
      continue;
    Operation *step = yielded.getDefiningOp();
    bool isStep = isa_and_nonnull<arith::AddIOp, AddPtrOp>(step) &&
                  step->getOperand(0) == argument &&
                  loop.isDefinedOutsideOfLoop(step->getOperand(1));
    if (isStep && loop.getResult(place).use_empty())
      steps.emplace_back(place, step);
    else if (isStep)
      return refuse(step, "what the loop steps through is used behind it");
    else if (isSum(argument, yielded))
      sums.push_back(place);
    else
      return refuse(step ? step : loop,
                    "the loop carries something else than sums of dots and steps");
  }
  if (sums.empty())
    return refuse(loop, "no dot of the loop is added to a sum");
  for (unsigned place : sums) {
    int64_t rows = cast<RankedTensorType>(loop.getResult(place).getType()).getDimSize(0);
    // Others are cut in pieces of several sizes (tile-split-tensors).
    if (rows < count || !llvm::isPowerOf2_64(uint64_t(rows)))
      return refuse(loop, "the rows are no power of two, or less than the parts");
  }
  return true;
}

/// Whether it is nothing to others that several CTAs do it.
static bool canRepeat(Operation *op) {
  return isMemoryEffectFree(op) || isa<LoadOp, AssumeOp, AssertOp, ReduceScatterOp>(op) ||
         isa<DescriptorLoadOp, GridDependencyWaitOp, GridDependencyLaunchOp>(op);
}

bool KSplitter::findStores() {
  for (Operation &op : func.front().without_terminator()) {
    if (op.getNumRegions() != 0 && !isMemoryEffectFree(&op)) {
      WalkResult writes = op.walk([&](Operation *inner) {
        return inner->getNumRegions() != 0 || canRepeat(inner) ? WalkResult::advance()
                                                               : WalkResult::interrupt();
      });
      if (writes.wasInterrupted())
        return refuse(&op, "a loop or a branch writes memory");
    } else if (!canRepeat(&op)) {
      if (op.isBeforeInBlock(loop))
        return refuse(&op, "it writes memory in front of the loop");
      stores.push_back(&op);
    }
  }
  WalkResult assembly = func.walk([](InlineAsmOp op) {
    return knowsItsCta(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (assembly.wasInterrupted())
    return refuse(func, "its assembly asks for the CTA that it is in");
  return !stores.empty() || refuse(func, "nothing is stored behind the loop");
}

//===----------------------------------------------------------------------===//
// The change
//===----------------------------------------------------------------------===//

void KSplitter::numberParts() {
  OpBuilder builder(&func.front(), func.front().begin());
  Location loc = func.getLoc();
  cta = ProgramIdOp::create(builder, loc, builder.getI32Type(), 0);
  Value mask = arith::ConstantIntOp::create(builder, loc, count - 1, 32);
  part = arith::AndIOp::create(builder, loc, cta, mask);
}

/// Numbers of programs are those of clusters.
void KSplitter::numberPrograms() {
  SmallVector<Operation *> asked;
  func.walk([&](Operation *op) {
    auto id = dyn_cast<ProgramIdOp>(op);
    auto grid = dyn_cast<NumProgramsOp>(op);
    if ((id && id != cta && id.getAxis() == 0) || (grid && grid.getAxis() == 0))
      asked.push_back(op);
  });
  for (Operation *op : asked) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value shift =
        arith::ConstantIntOp::create(builder, op->getLoc(), int64_t(llvm::Log2_64(count)), 32);
    auto programs = arith::ShRUIOp::create(builder, op->getLoc(), op->getResult(0), shift);
    op->getResult(0).replaceAllUsesExcept(programs, programs);
  }
}

bool KSplitter::partStores() {
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfter(loop);
  RowParts rows(part, count);
  SmallVector<Operation *> scatters;
  for (unsigned place : sums) {
    Value sum = loop.getResult(place);
    auto type = cast<RankedTensorType>(sum.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.front() /= count;
    auto scatter = ReduceScatterOp::create(builder, loop.getLoc(), type.clone(shape), sum, part);
    scatters.push_back(scatter);
    rows.define(sum, scatter);
  }
  for (Operation *store : stores)
    if (!rows.store(store)) {
      rows.undo();
      llvm::for_each(scatters, [](Operation *op) { op->erase(); });
      return refuse(store, "what it stores is not made of rows of the sums");
    }
  llvm::for_each(stores, [](Operation *op) { op->erase(); });
  return true;
}

/// An i32 that is not negative, as another integer.
static Value castTo(OpBuilder &builder, Location loc, Type type, Value number) {
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, number);
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits > 32)
    return arith::ExtSIOp::create(builder, loc, type, number);
  return bits < 32 ? arith::TruncIOp::create(builder, loc, type, number).getResult() : number;
}

/// What a step adds; pointers are moved in 64 bits.
static Value amountOf(OpBuilder &builder, Operation *step) {
  Value by = step->getOperand(1);
  if (!isa<AddPtrOp>(step) || getElementTypeOrSelf(by.getType()).isInteger(64))
    return by;
  Type wide = builder.getI64Type();
  if (auto shaped = dyn_cast<RankedTensorType>(by.getType()))
    wide = shaped.clone(wide);
  return arith::ExtSIOp::create(builder, step->getLoc(), wide, by);
}

Value KSplitter::startOf(OpBuilder &builder, Value init, Operation *step, Value by) {
  Location loc = step->getLoc();
  Value times = castTo(builder, loc, getElementTypeOrSelf(by.getType()), part);
  if (auto shaped = dyn_cast<RankedTensorType>(by.getType()))
    times = SplatOp::create(builder, loc, shaped, times);
  Value ahead = builder.createOrFold<arith::MulIOp>(loc, by, times);
  if (isa<AddPtrOp>(step))
    return AddPtrOp::create(builder, loc, init.getType(), init, ahead);
  return arith::AddIOp::create(builder, loc, init, ahead);
}

/// `value` times a number, of integers of any type or tensors of them.
static Value multiply(OpBuilder &builder, Location loc, Value value, int64_t factor) {
  Type element = getElementTypeOrSelf(value.getType());
  TypedAttr number = builder.getIntegerAttr(element, factor);
  if (auto shaped = dyn_cast<RankedTensorType>(value.getType()))
    number = DenseElementsAttr::get(shaped, Attribute(number));
  Value constant = arith::ConstantOp::create(builder, loc, number);
  return builder.createOrFold<arith::MulIOp>(loc, value, constant);
}

void KSplitter::partLoop() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value number = castTo(builder, loc, loop.getInductionVar().getType(), part);
  Value ahead = builder.createOrFold<arith::MulIOp>(loc, number, loop.getStep());
  loop.setLowerBound(builder.createOrFold<arith::AddIOp>(loc, loop.getLowerBound(), ahead));
  loop.setStep(multiply(builder, loc, loop.getStep(), count));
  for (auto [place, step] : steps) {
    OpOperand &init = loop.getInitsMutable()[place];
    Value by = amountOf(builder, step);
    init.set(startOf(builder, init.get(), step, by));
    step->setOperand(1, multiply(builder, loc, by, count));
  }
  for (unsigned place : sums) {
    OpOperand &init = loop.getInitsMutable()[place];
    if (matchPattern(init.get(), m_Zero()) || matchPattern(init.get(), m_AnyZeroFloat()))
      continue;
    // The first one begins with what was there.
    auto type = cast<RankedTensorType>(init.get().getType());
    Value zeros = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    Value none = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, part, none);
    init.set(arith::SelectOp::create(builder, loc, isFirst, init.get(), zeros));
  }
}

bool KSplitter::run(bool isAlone) {
  if (!isAlone)
    return refuse(func, "its module has other kernels");
  if (!processorOf(func).has(Feature::Clusters))
    return refuse(func, "the target has no clusters");
  if (!func.getBody().hasOneBlock())
    return refuse(func, "its control flow is not structured");
  if (!findLoop() || !findCarried() || !findStores())
    return false;
  numberParts();
  if (!partStores()) {
    Operation *mask = part.getDefiningOp()->getOperand(1).getDefiningOp();
    for (Operation *op : {part.getDefiningOp(), mask, cta.getOperation()})
      op->erase();
    return false;
  }
  numberPrograms();
  partLoop();
  // What was made for whole tensors.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return true;
}

namespace {
struct SplitK final : tilec::impl::TileSplitKPassBase<SplitK> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (parts <= 1)
      return markAllAnalysesPreserved();
    if (parts > kMostParts || !llvm::isPowerOf2_32(uint32_t(int(parts)))) {
      module.emitError("expected 'parts' to be a power of two up to ")
          << kMostParts << ", got " << int(parts);
      return signalPassFailure();
    }
    auto kernels = llvm::to_vector(
        llvm::make_filter_range(module.getOps<func::FuncOp>(), [](func::FuncOp func) {
          return func->hasAttr(TileDialect::kKernelAttr);
        }));
    // How many CTAs there are is said of all kernels.
    bool isAlone = kernels.size() == 1;
    for (func::FuncOp kernel : kernels)
      if (KSplitter(kernel, parts).run(isAlone))
        module->setAttr(TileDialect::kSplitKAttr, Builder(module).getI32IntegerAttr(parts));
  }
};
} // namespace
