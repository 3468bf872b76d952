// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a layout for every tensor from the layouts of the global accesses. Values are *fixed*
// (they have one layout) or *free* (they are recomputed in every layout that a user asks for):
//   1. global accesses fix their results; layouts flow forward through elementwise operations,
//   reductions, permutations
//      and region results until nothing changes;
//   2. values that go round a loop or come out of a region and are still free take the layout that
//   a user wants;
//   3. one sweep asks for every operand in the layout that its operation needs: a fixed value gets
//   a conversion, a free
//      value a clone of its definition.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/LayoutInference.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Layout/ScanLayout.h"

#define DEBUG_TYPE "tilegpu-remove-layout-conversions"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUREMOVELAYOUTCONVERSIONSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The value behind layout conversions.
static Value stripConversions(Value value) {
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    value = convert.getSource();
  return value;
}

static LinearAttr attrOf(MLIRContext *context, const LinearLayout &layout) {
  return LinearAttr::get(context, layout);
}

static bool isAtomic(Operation *op) { return isa<tile::AtomicRMWOp, tile::AtomicCasOp>(op); }

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1;
}

namespace {
class LayoutAssignment {
public:
  explicit LayoutAssignment(func::FuncOp funcOp)
      : func(funcOp), context(funcOp.getContext()), numWarps(numWarpsOf(funcOp)) {}

  void run() {
    findAnchors();
    propagateToFixpoint();
    fixRegionValues();
    fixHeavyResults();
    fixReductionOperands();
    setFixedTypes();
    rewriteOperands();
    eraseDeadCode();
  }

private:
  using TensorType = RankedTensorType;

  //===------------------------------------------------------------------------------------------===//
  // 1. Fixed layouts, forward
  //===------------------------------------------------------------------------------------------===//

  /// Accesses with at least an element per thread keep the layout that coalescing gave them, and so
  /// do all atomics: they cannot be recomputed.
  void findAnchors() {
    func.walk([&](Operation *op) {
      if (!isa<tile::LoadOp, tile::StoreOp>(op) && !isAtomic(op))
        return;
      auto type = dyn_cast<TensorType>(op->getOperand(0).getType());
      if (type && (isAtomic(op) || type.getNumElements() >= numWarps * 32))
        anchors[op] = cast<LinearAttr>(type.getEncoding());
    });
  }

  LinearAttr fixedLayout(Value value) const { return fixed.lookup(stripConversions(value)); }

  bool fix(Value value, LinearAttr layout) {
    if (!layout || !isa<TensorType>(value.getType()))
      return false;
    return fixed.try_emplace(value, layout).second;
  }

  bool fixAll(ValueRange values, LinearAttr layout) {
    bool changed = false;
    for (Value value : values)
      changed |= fix(value, layout);
    return changed;
  }

  /// The first fixed layout among a group of values that must agree.
  LinearAttr firstFixed(ValueRange values) const {
    for (Value value : values)
      if (LinearAttr layout = fixedLayout(value))
        return layout;
    return {};
  }

  void propagateToFixpoint() {
    bool changed = true;
    while (changed) {
      changed = false;
      func.walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= propagate(op); });
    }
  }

  bool propagate(Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      LinearAttr anchor = anchors.lookup(op);
      return fix(load, anchor ? anchor : fixedLayout(load.getPointer()));
    }
    if (isAtomic(op))
      return fix(op->getResult(0), anchors.lookup(op));
    if (isElementwise(op))
      return fix(op->getResult(0), firstFixed(op->getOperands()));
    if (isa<tile::ReshapeOp, tile::PermuteOp>(op)) {
      LinearAttr source = fixedLayout(op->getOperand(0));
      return source &&
             fix(op->getResult(0), attrOf(context, inferResultLayout(op, source.getLayout())));
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      return propagateReduce(reduce);
    if (isa<tile::ScanOp>(op))
      return fixAll(op->getResults(), firstFixed(op->getOperands()));
    if (auto gather = dyn_cast<tile::GatherOp>(op))
      return fix(gather, fixedLayout(gather.getIndices()));
    bool changed = false;
    for (const SmallVector<Value> &group : tiedGroups(op)) {
      LinearAttr layout = firstFixed(group);
      for (Value value : group)
        if (layout && isRegionValue(value))
          changed |= fix(value, layout);
    }
    return changed;
  }

  bool propagateReduce(tile::ReduceOp reduce) {
    LinearAttr source = firstFixed(reduce.getOperands());
    if (!source)
      return false;
    LinearAttr slice = attrOf(context, inferResultLayout(reduce, source.getLayout()));
    return fixAll(reduce.getResults(), slice);
  }

  //===------------------------------------------------------------------------------------------===//
  // Values that enter and leave regions
  //===------------------------------------------------------------------------------------------===//

  /// A result or block argument of a structured control-flow operation.
  static bool isRegionValue(Value value) {
    if (isa<BlockArgument>(value))
      return true;
    return isa<scf::ForOp, scf::IfOp, scf::WhileOp>(value.getDefiningOp());
  }

  /// Groups of values that control flow makes one variable; all of a group get the same layout.
  static SmallVector<SmallVector<Value>> tiedGroups(Operation *op) {
    SmallVector<SmallVector<Value>> groups;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, arg, yielded, result] :
           llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                     loop.getResults()))
        groups.push_back({arg, result, stripConversions(init), stripConversions(yielded)});
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (OpResult result : branch.getResults())
        groups.push_back(
            {result, stripConversions(branch.thenYield().getOperand(result.getResultNumber())),
             stripConversions(branch.elseYield().getOperand(result.getResultNumber()))});
    } else if (auto whileLoop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [init, arg, yielded] :
           llvm::zip(whileLoop.getInits(), whileLoop.getBeforeArguments(),
                     whileLoop.getYieldOp().getOperands()))
        groups.push_back({arg, stripConversions(init), stripConversions(yielded)});
      for (auto [passed, arg, result] :
           llvm::zip(whileLoop.getConditionOp().getArgs(), whileLoop.getAfterArguments(),
                     whileLoop.getResults()))
        groups.push_back({arg, result, stripConversions(passed)});
    }
    return groups;
  }

  //===------------------------------------------------------------------------------------------===//
  // 2. Layouts wanted by users
  //===------------------------------------------------------------------------------------------===//

  LinearAttr defaultLayout(Value value) const {
    return attrOf(context,
                  defaultBlockedLayout(cast<TensorType>(value.getType()).getShape(), numWarps));
  }

  /// The layout in which some user, possibly far down a chain of free values, wants `value`.
  LinearAttr wantedLayout(Value value, DenseSet<Value> &visited) {
    if (!visited.insert(value).second)
      return {};
    for (Operation *user : value.getUsers()) {
      if (LinearAttr anchor = anchors.lookup(user))
        return anchor;
      if (user->getNumResults() == 0 && !isa<scf::YieldOp, scf::ConditionOp>(user))
        continue;
      if (LinearAttr wanted = wantedThrough(user, value, visited))
        return wanted;
    }
    return {};
  }

  LinearAttr wantedThrough(Operation *user, Value value, DenseSet<Value> &visited) {
    auto resultLayout = [&](Value result) {
      LinearAttr layout = fixed.lookup(result);
      return layout ? layout : wantedLayout(result, visited);
    };
    if (isa<ConvertLayoutOp>(user))
      return wantedLayout(user->getResult(0), visited);
    auto gather = dyn_cast<tile::GatherOp>(user);
    if (isElementwise(user) || isa<tile::ScanOp>(user) || (gather && gather.getIndices() == value))
      return resultLayout(user->getResult(0));
    if (isShapeOp(user)) {
      LinearAttr layout = resultLayout(user->getResult(0));
      if (!layout)
        return {};
      auto shape = cast<TensorType>(value.getType()).getShape();
      return attrOf(context, inferOperandLayout(user, layout.getLayout(), shape));
    }
    Operation *regionOp = isa<scf::YieldOp, scf::ConditionOp>(user) ? user->getParentOp() : user;
    for (const SmallVector<Value> &group : tiedGroups(regionOp)) {
      if (!llvm::is_contained(group, stripConversions(value)))
        continue;
      for (Value other : group)
        if (isRegionValue(other))
          if (LinearAttr layout = resultLayout(other))
            return layout;
    }
    return {};
  }

  void fixRegionValues() {
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool changed = false;
      for (const SmallVector<Value> &group : tiedGroups(op)) {
        LinearAttr layout = firstFixed(group);
        if (!isa<TensorType>(group.front().getType()) || layout)
          continue;
        DenseSet<Value> visited;
        for (Value value : group)
          if (!layout && isRegionValue(value))
            layout = wantedLayout(value, visited);
        for (Value value : group)
          if (isRegionValue(value))
            changed |= fix(value, layout ? layout : defaultLayout(value));
      }
      if (changed)
        propagateToFixpoint();
    });
  }

  /// Reductions of values that no access fixed work in the default layout.
  void fixReductionOperands() {
    func.walk([&](tile::ReduceOp reduce) {
      if (firstFixed(reduce.getOperands()))
        return;
      LinearAttr layout = defaultLayout(reduce.getOperands()[0]);
      reductionLayouts[reduce] = layout;
      LinearAttr slice = attrOf(context, inferResultLayout(reduce, layout.getLayout()));
      for (Value result : reduce.getResults())
        fix(result, slice);
      propagateToFixpoint();
    });
  }

  /// Scans, gathers and histograms are too much work to be repeated: those that no access fixed
  /// take the layout that a user wants.
  void fixHeavyResults() {
    func.walk([&](Operation *op) {
      if (!isa<tile::ScanOp, tile::GatherOp, tile::HistogramOp>(op) || firstFixed(op->getResults()))
        return;
      LinearAttr layout;
      for (Value result : op->getResults()) {
        DenseSet<Value> visited;
        if (!layout)
          layout = wantedLayout(result, visited);
      }
      fixAll(op->getResults(), layout ? layout : ownLayout(op));
      propagateToFixpoint();
    });
  }

  /// The layout of a result that nobody wants in a particular one.
  LinearAttr ownLayout(Operation *op) const {
    Value result = op->getResult(0);
    auto scan = dyn_cast<tile::ScanOp>(op);
    if (!scan)
      return defaultLayout(result);
    ArrayRef<int64_t> shape = cast<TensorType>(result.getType()).getShape();
    return attrOf(context, scanFriendlyLayout(shape, scan.getAxis(), numWarps));
  }

  //===------------------------------------------------------------------------------------------===//
  // 3. Rewriting
  //===------------------------------------------------------------------------------------------===//

  static TensorType withAttr(Type type, LinearAttr layout) {
    auto tensor = cast<TensorType>(type);
    return TensorType::get(tensor.getShape(), tensor.getElementType(), layout);
  }

  void setFixedTypes() {
    for (auto &[value, layout] : fixed)
      value.setType(withAttr(value.getType(), layout));
  }

  /// `value` in the layout `wanted`: itself, a conversion, or a clone of its definition.
  Value materialize(Value value, LinearAttr wanted) {
    if (!isa<TensorType>(value.getType()))
      return value;
    value = stripConversions(value);
    LinearAttr layout = fixed.lookup(value);
    if (layout == wanted)
      return value;
    Value &cached = materialized[{value, wanted}];
    if (cached)
      return cached;
    Value made = layout ? convert(value, wanted) : recompute(value, wanted);
    return materialized[{value, wanted}] = made;
  }

  Value convert(Value value, LinearAttr wanted) {
    OpBuilder builder(context);
    builder.setInsertionPointAfterValue(value);
    return ConvertLayoutOp::create(builder, value.getLoc(), withAttr(value.getType(), wanted),
                                   value);
  }

  Value recompute(Value value, LinearAttr wanted) {
    Operation *op = value.getDefiningOp();
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, materialize(operand, operandLayout(op, operand, wanted)));
    OpBuilder builder(op);
    Operation *clone = builder.clone(*op, mapping);
    Value result = clone->getResult(cast<OpResult>(value).getResultNumber());
    result.setType(withAttr(value.getType(), wanted));
    if (auto constant = dyn_cast<arith::ConstantOp>(clone)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(elements.reshape(cast<ShapedType>(result.getType())));
    }
    return result;
  }

  /// The layout in which a free operation needs an operand to give its result in `wanted`.
  LinearAttr operandLayout(Operation *op, Value operand, LinearAttr wanted) {
    if (!isShapeOp(op))
      return wanted;
    auto shape = cast<TensorType>(operand.getType()).getShape();
    return attrOf(context, inferOperandLayout(op, wanted.getLayout(), shape));
  }

  /// The layout that all tensor operands of `op` need, or null when `op` is free or has none.
  LinearAttr neededLayout(Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      if (LinearAttr anchor = anchors.lookup(op))
        return anchor;
      if (!isa<TensorType>(store.getValue().getType()))
        return {};
      LinearAttr layout = firstFixed({store.getValue(), store.getPointer()});
      return layout ? layout : defaultLayout(store.getValue());
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      LinearAttr layout = firstFixed(reduce.getOperands());
      return layout ? layout : reductionLayouts.lookup(op);
    }
    if (isa<tile::AssertOp, tile::PrintOp, tile::HistogramOp>(op)) {
      if (LinearAttr layout = firstFixed(op->getOperands()))
        return layout;
      for (Value operand : op->getOperands())
        if (isa<TensorType>(operand.getType()))
          return defaultLayout(operand);
      return {};
    }
    if (isElementwise(op) || isa<tile::LoadOp, tile::ScanOp>(op) || isAtomic(op))
      return fixed.lookup(op->getResult(0));
    return {};
  }

  void rewriteOperands() {
    SmallVector<Operation *> ops;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (isa<ConvertLayoutOp>(op))
        continue;
      if (isa<tile::ReshapeOp, tile::PermuteOp>(op) && fixed.count(op->getResult(0))) {
        op->setOperand(0, stripConversions(op->getOperand(0)));
        continue;
      }
      if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
        rewriteRegionOperands(op);
        continue;
      }
      if (auto gather = dyn_cast<tile::GatherOp>(op)) {
        rewriteGatherOperands(gather);
        continue;
      }
      LinearAttr layout = neededLayout(op);
      if (!layout)
        continue;
      for (OpOperand &operand : op->getOpOperands())
        operand.set(materialize(operand.get(), layout));
    }
  }

  void rewriteGatherOperands(tile::GatherOp gather) {
    LinearAttr source = fixedLayout(gather.getSource());
    gather.getSourceMutable().assign(
        materialize(gather.getSource(), source ? source : defaultLayout(gather.getSource())));
    gather.getIndicesMutable().assign(materialize(gather.getIndices(), fixed.lookup(gather)));
  }

  void rewriteTo(OpOperand &operand, Value variable) {
    operand.set(materialize(operand.get(), fixed.lookup(variable)));
  }

  void rewriteRegionOperands(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto *yield = loop.getBody()->getTerminator();
      for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
        rewriteTo(loop.getInitArgsMutable()[i], arg);
        rewriteTo(yield->getOpOperand(i), arg);
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (OpResult result : branch.getResults()) {
        rewriteTo(branch.thenYield()->getOpOperand(result.getResultNumber()), result);
        rewriteTo(branch.elseYield()->getOpOperand(result.getResultNumber()), result);
      }
    } else if (auto whileLoop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [i, arg] : llvm::enumerate(whileLoop.getBeforeArguments())) {
        rewriteTo(whileLoop.getInitsMutable()[i], arg);
        rewriteTo(whileLoop.getYieldOp()->getOpOperand(i), arg);
      }
      for (auto [i, result] : llvm::enumerate(whileLoop.getResults()))
        rewriteTo(whileLoop.getConditionOp().getArgsMutable()[i], result);
    }
  }

  /// Free definitions that nobody asked for in their original form.
  void eraseDeadCode() {
    SmallVector<Operation *> ops;
    func.walk<WalkOrder::PostOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  func::FuncOp func;
  MLIRContext *context;
  int numWarps;
  /// Layouts of the accesses that keep theirs.
  DenseMap<Operation *, LinearAttr> anchors;
  /// Layouts of fixed values; conversions are never keys.
  llvm::MapVector<Value, LinearAttr> fixed;
  /// Layouts of reductions whose operands are all free.
  DenseMap<Operation *, LinearAttr> reductionLayouts;
  /// Clones and conversions made so far.
  DenseMap<std::pair<Value, Attribute>, Value> materialized;
};

struct RemoveLayoutConversions final
    : tilec::impl::TileGPURemoveLayoutConversionsPassBase<RemoveLayoutConversions> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp func) { LayoutAssignment(func).run(); });
  }
};
} // namespace
