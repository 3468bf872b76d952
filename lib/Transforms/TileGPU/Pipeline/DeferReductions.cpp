// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes out of a loop what threads exchange for a sum that is only added up there:
//
//   for { sum = sum * s + reduce(x) }          s the same for all that is reduced; or none
//   =>
//   for { own = own * s + partial_reduce(x) }  an element per thread
//   sum = reduce(own)
//
// So do the row sums of online softmax (FlashAttention-2, section 3.1), and maxima and minima that
// nothing in the loop reads. A loop that goes on with the sum of one before goes on with its
// elements.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Layout/AxisHolders.h"
#include "tilec/Layout/TensorLayouts.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDEFERREDUCTIONSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// A value carried around a loop that only takes in the reduction of each iteration.
struct RunningReduction {
  scf::ForOp loop;
  unsigned number = 0;
  tile::ReduceOp reduce;
  /// Combines it with the reduction.
  Operation *update = nullptr;
  /// The multiplication in front of that, or null, and what by.
  arith::MulFOp scaling;
  Value factor;

  /// Whether an element may be taken in several times: maxima and minima.
  bool isIdempotent() const { return !isa<arith::AddFOp, arith::AddIOp>(update); }
};

/// The layout of the elements that threads keep, and how many there are.
struct OwnElements {
  LinearLayout layout;
  int32_t count = 1;
};
} // namespace

/// The operation that combines two elements, if it is one that the value carried may use as well.
static Operation *combinerOf(tile::ReduceOp reduce) {
  Block &block = reduce.getCombine().front();
  if (reduce.getNumResults() != 1 || block.getOperations().size() != 2)
    return nullptr;
  Operation *op = &block.front();
  if (!isa<arith::AddFOp, arith::AddIOp, arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp,
           arith::MinimumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(op) ||
      op->getOperand(0) == op->getOperand(1))
    return nullptr;
  return op;
}

static std::optional<RunningReduction> match(scf::ForOp loop, unsigned number) {
  RunningReduction found;
  found.loop = loop;
  found.number = number;
  Value argument = loop.getRegionIterArg(number), result = loop.getYieldedValues()[number];
  found.update = result.getDefiningOp();
  if (!found.update || found.update->getBlock() != loop.getBody() || !result.hasOneUse() ||
      !argument.hasOneUse() || found.update->getNumOperands() != 2)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    auto reduce = found.update->getOperand(i).getDefiningOp<tile::ReduceOp>();
    Operation *combiner = reduce ? combinerOf(reduce) : nullptr;
    if (!combiner || combiner->getName() != found.update->getName() ||
        !reduce.getResult(0).hasOneUse() || reduce->getBlock() != loop.getBody())
      continue;
    found.reduce = reduce;
    Value other = found.update->getOperand(1 - i);
    if (other == argument)
      return found;
    found.scaling = other.getDefiningOp<arith::MulFOp>();
    if (!found.scaling || !other.hasOneUse() || !isa<arith::AddFOp>(found.update))
      continue;
    for (unsigned j : {0, 1})
      if (found.scaling->getOperand(j) == argument) {
        found.factor = found.scaling->getOperand(1 - j);
        return found;
      }
  }
  return std::nullopt;
}

/// The element that each thread has behind its own part of the reduction. None where threads share
/// no axis, or where their parts are not told apart by bits of their numbers.
static std::optional<OwnElements> ownElements(const LinearLayout &source, unsigned axis) {
  std::optional<std::vector<AxisHolder>> holders = holdersAlong(source, axis);
  if (!holders)
    return std::nullopt;
  LinearLayout slice = expandDimsLayout(sliceLayout(source, axis), axis);
  std::vector<LinearLayout::InDimBases> bases;
  for (StringRef in : {kRegister, kLane, kWarp, kBlock}) {
    LinearLayout::InDimBases &made = bases.emplace_back();
    made.name = in.str();
    for (int32_t bit = 0; bit < slice.getInDimSizeLog2(in); ++bit)
      made.bases.push_back(slice.getBasis(in, bit));
  }
  OwnElements own;
  for (const AxisHolder &holder : *holders) {
    if (holder.dim == kBlock)
      return std::nullopt;
    if (holder.dim == kRegister)
      continue;
    auto dim = llvm::find_if(bases, [&](auto &made) { return made.name == holder.dim; });
    dim->bases[holder.bit][axis] = own.count;
    own.count *= 2;
  }
  if (own.count == 1)
    return std::nullopt;
  std::vector<LinearLayout::OutDim> outs = slice.getOutDims();
  outs[axis].second = own.count;
  own.layout = llvm::cantFail(LinearLayout::create(std::move(bases), outs));
  return own;
}

/// `value`, of the type of the reduction, for each of the elements.
static Value repeat(OpBuilder &builder, Location loc, Value value, RankedTensorType own,
                    unsigned axis) {
  auto source = dyn_cast<RankedTensorType>(value.getType());
  if (!source)
    return tile::SplatOp::create(builder, loc, own.clone(value.getType()), value);
  SmallVector<int64_t> shape(own.getShape());
  shape[axis] = 1;
  auto expanded = withLayout(RankedTensorType::get(shape, source.getElementType()),
                             broadcastOperandLayout(layoutOf(own), shape));
  value = tile::ExpandDimsOp::create(builder, loc, expanded, value, int32_t(axis));
  return tile::BroadcastOp::create(builder, loc, own, value);
}

/// What the elements are in front of the loop; null where that is not known.
static Value initialElements(OpBuilder &builder, RunningReduction running, RankedTensorType own) {
  Value init = running.loop.getInitArgs()[running.number];
  unsigned axis = running.reduce.getAxis();
  Location loc = running.loop.getLoc();
  // Of a loop before, whose reduction was deferred as well.
  if (auto before = init.getDefiningOp<tile::ReduceOp>())
    if (Operation *combiner = combinerOf(before);
        combiner && combiner->getName() == running.update->getName() && before.getAxis() == axis &&
        before.getOperands()[0].getType() == own)
      return before.getOperands()[0];
  if (running.isIdempotent())
    return repeat(builder, loc, init, own, axis);
  if (!matchPattern(init, m_AnyZeroFloat()) && !matchPattern(init, m_Zero()))
    return {};
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(own)));
}

/// A reduction of `source` that combines as `like`, to `type`.
template <typename Op>
static Value reduceAs(OpBuilder &builder, tile::ReduceOp like, Value source, Type type) {
  auto made = Op::create(builder, like.getLoc(), type, source, like.getAxis());
  IRMapping mapping;
  like.getCombine().cloneInto(&made.getCombine(), mapping);
  return made->getResult(0);
}

/// Carries the elements instead of what they add up to.
static void defer(RunningReduction running) {
  tile::ReduceOp reduce = running.reduce;
  scf::ForOp loop = running.loop;
  auto source = cast<RankedTensorType>(reduce.getOperands()[0].getType());
  unsigned axis = reduce.getAxis();
  std::optional<OwnElements> elements =
      hasLayout(source) ? ownElements(layoutOf(source), axis) : std::nullopt;
  if (!elements)
    return;
  SmallVector<int64_t> shape(source.getShape());
  shape[axis] = elements->count;
  auto own = withLayout(RankedTensorType::get(shape, source.getElementType()), elements->layout);
  Type sum = reduce.getResult(0).getType();
  if (auto tensor = dyn_cast<RankedTensorType>(sum);
      tensor && !sliceLayout(elements->layout, axis).equalUpToDimOrder(layoutOf(tensor)))
    return;
  OpBuilder builder(loop);
  Value init = initialElements(builder, running, own);
  if (!init)
    return;
  Operation *before = loop.getInitArgs()[running.number].getDefiningOp();
  loop.getInitArgsMutable()[running.number].set(init);
  if (before && isOpTriviallyDead(before))
    before->erase();
  Value carried = loop.getRegionIterArg(running.number);
  carried.setType(own);

  builder.setInsertionPoint(running.update);
  Location loc = running.update->getLoc();
  if (running.factor) {
    Value factor = repeat(builder, loc, running.factor, own, axis);
    carried = arith::MulFOp::create(builder, loc, carried, factor, running.scaling.getFastmath());
  }
  Value part = reduceAs<PartialReduceOp>(builder, reduce, reduce.getOperands()[0], own);
  Operation *update = builder.clone(*running.update);
  update->setOperands({carried, part});
  update->getResult(0).setType(own);
  loop.getBody()->getTerminator()->setOperand(running.number, update->getResult(0));
  running.update->erase();
  if (running.scaling)
    running.scaling->erase();

  builder.setInsertionPointAfter(loop);
  Value result = loop.getResult(running.number);
  result.setType(own);
  Value added = reduceAs<tile::ReduceOp>(builder, reduce, result, sum);
  result.replaceAllUsesExcept(added, added.getDefiningOp());
  reduce.erase();
}

namespace {
struct DeferReductions final : tilec::impl::TileGPUDeferReductionsPassBase<DeferReductions> {
  using Base::Base;

  void runOnOperation() override {
    // A loop comes before those that go on with its results.
    getOperation().walk([](scf::ForOp loop) {
      for (unsigned i = 0, e = loop.getNumResults(); i < e; ++i)
        if (std::optional<RunningReduction> running = match(loop, i))
          defer(*running);
    });
  }
};
} // namespace
