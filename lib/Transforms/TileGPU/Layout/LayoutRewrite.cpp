// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LayoutRewrite.h. Everything new is made while the old operations still stand with their
// operands and types, because choices are made by looking at those; then uses and types are changed
// at once.

#include "LayoutRewrite.h"

#include "LayoutDemands.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static RankedTensorType withAttr(Type type, LinearAttr layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout);
}

namespace {
class LayoutRewrite {
public:
  explicit LayoutRewrite(const LayoutProblem &layoutProblem)
      : problem(layoutProblem), demands(layoutProblem) {}

  void run() {
    for (const LayoutNode &node : problem.nodes) {
      for (OpOperand *use : node.uses)
        newUses.emplace_back(
            use, materialize(use->get(), problem.operandLayout(node, *use, node.layout)));
      for (Value def : node.defs)
        newTypes.emplace_back(def, problem.resultLayout(node, def, node.layout));
    }
    for (auto [value, layout] : newTypes)
      value.setType(withAttr(value.getType(), layout));
    for (auto [use, value] : newUses)
      use->set(value);
  }

private:
  /// `value` in the layout `wanted`: itself, a conversion, or a clone of its definition.
  Value materialize(Value value, LinearAttr wanted) {
    value = stripConversions(value);
    std::optional<unsigned> producer = problem.producerOf(value);
    if (producer && demands.homeOf(value, *producer) == wanted)
      return value;
    auto known = materialized.find({value, wanted});
    if (known != materialized.end())
      return known->second;
    Value made = demands.isRepeated(value, wanted) ? repeat(value, wanted) : convert(value, wanted);
    return materialized[{value, wanted}] = made;
  }

  static Value convert(Value value, LinearAttr wanted) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    return ConvertLayoutOp::create(builder, value.getLoc(), withAttr(value.getType(), wanted),
                                   value);
  }

  Value repeat(Value value, LinearAttr wanted) {
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    LinearAttr own = problem.rules.workingFromResult(result, wanted);
    IRMapping mapping;
    for (OpOperand &use : op->getOpOperands())
      if (isa<RankedTensorType>(use.get().getType()))
        mapping.map(use.get(), materialize(use.get(), problem.rules.operandLayout(use, own)));
    OpBuilder builder(op);
    Operation *clone = builder.clone(*op, mapping);
    for (auto [old, made] : llvm::zip(op->getResults(), clone->getResults())) {
      LinearAttr layout = problem.rules.resultLayout(old, own);
      made.setType(withAttr(made.getType(), layout));
      materialized[{old, layout}] = made;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(clone)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
    }
    return clone->getResult(result.getResultNumber());
  }

  const LayoutProblem &problem;
  LayoutDemands demands;
  /// Clones and conversions made so far.
  DenseMap<std::pair<Value, Attribute>, Value> materialized;
  std::vector<std::pair<OpOperand *, Value>> newUses;
  std::vector<std::pair<Value, LinearAttr>> newTypes;
};
} // namespace

static void eraseDeadCode(func::FuncOp func) {
  SmallVector<Operation *> ops;
  func.walk<WalkOrder::PostOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

void tilec::tilegpu::applyLayouts(func::FuncOp func, const LayoutProblem &problem) {
  LayoutRewrite(problem).run();
  eraseDeadCode(func);
}
