// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LayoutDemands.h.

#include "LayoutDemands.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Operations in a row that may be computed again; longer chains cost more than a conversion.
static constexpr unsigned kMaxDepth = 200;
static constexpr double kImpossible = 1e15;
/// What is left of the work for values that have no layout of their own: they are addresses and
/// masks mostly, of which a vector access uses one for all of its elements, and whose differences
/// between registers become immediate offsets.
static constexpr double kAddressShare = 0.25;

LinearAttr LayoutDemands::layoutOfNode(unsigned index) const {
  if (!assigned.empty() && assigned[index])
    return assigned[index];
  return problem.nodes[index].layout;
}

LinearAttr LayoutDemands::homeOf(Value value, unsigned producer) const {
  return problem.resultLayout(problem.nodes[producer], value, layoutOfNode(producer));
}

/// One execution of `op`, which defines `value`, in a layout that is not its own.
double LayoutDemands::againCost(OpResult value, LinearAttr own) const {
  Operation *op = value.getOwner();
  double cost = problem.cost.frequency(op) * problem.cost.execution(op, own);
  return problem.producerOf(value) ? cost : kAddressShare * cost;
}

/// The cost of computing `value` again, when it is below `limit`.
double LayoutDemands::repeatCost(Value value, LinearAttr layout, unsigned depth,
                                 double limit) const {
  auto result = dyn_cast<OpResult>(value);
  if (!result || depth > kMaxDepth || !canRepeat(result.getOwner()))
    return kImpossible;
  Operation *op = result.getOwner();
  LinearAttr own = problem.rules.workingFromResult(result, layout);
  if (!own)
    return kImpossible;
  double cost = againCost(result, own);
  for (OpOperand &use : op->getOpOperands())
    if (cost < limit && isa<RankedTensorType>(use.get().getType()))
      cost += choose(stripConversions(use.get()), problem.rules.operandLayout(use, own), depth + 1)
                  .cost;
  return std::min(cost, kImpossible);
}

LayoutDemands::Choice LayoutDemands::choose(Value value, LinearAttr layout, unsigned depth) const {
  std::optional<unsigned> producer = problem.producerOf(value);
  LinearAttr home = producer ? homeOf(value, *producer) : LinearAttr();
  if (home == layout && home)
    return {};
  auto known = choices.find({value, layout});
  if (known != choices.end())
    return known->second;
  Choice choice{kImpossible, true};
  if (producer) {
    const LayoutNode &node = problem.nodes[*producer];
    // What stands for a variable inside of a loop is converted there.
    double frequency = node.frequency;
    if (isa<BlockArgument>(value) && !isa<func::FuncOp>(node.op))
      frequency = problem.cost.frequency(&value.getParentBlock()->front());
    choice = {frequency *
                  problem.cost.conversion(home, layout, getElementTypeOrSelf(value.getType())),
              false};
  }
  // Equal costs: a conversion that takes nothing is better than the same work twice.
  double repeated = repeatCost(value, layout, depth, choice.cost);
  if (!producer || repeated < choice.cost)
    choice = {repeated, true};
  return choices[{value, layout}] = choice;
}

double LayoutDemands::totalOf(const LayoutComponent &component) const {
  double total = 0;
  DenseSet<unsigned> live;
  DenseSet<std::pair<Value, Attribute>> made;
  std::vector<unsigned> nodesToDo;
  std::vector<std::pair<Value, LinearAttr>> valuesToDo;
  auto need = [&](unsigned index) {
    if (live.insert(index).second)
      nodesToDo.push_back(index);
  };
  for (unsigned index : component.nodes)
    if (problem.nodes[index].isRoot)
      need(index);
  while (!nodesToDo.empty() || !valuesToDo.empty()) {
    if (!nodesToDo.empty()) {
      unsigned index = nodesToDo.back();
      nodesToDo.pop_back();
      const LayoutNode &node = problem.nodes[index];
      LinearAttr own = layoutOfNode(index);
      total += problem.executionCost(node, own);
      for (OpOperand *use : node.uses)
        valuesToDo.emplace_back(stripConversions(use->get()),
                                problem.operandLayout(node, *use, own));
      continue;
    }
    auto [value, layout] = valuesToDo.back();
    valuesToDo.pop_back();
    std::optional<unsigned> producer = problem.producerOf(value);
    if (producer && homeOf(value, *producer) == layout) {
      need(*producer);
      continue;
    }
    if (!made.insert({value, layout}).second)
      continue;
    Choice choice = choose(value, layout, 0);
    if (!choice.isRepeated) {
      total += choice.cost;
      need(*producer);
      continue;
    }
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    LinearAttr own = problem.rules.workingFromResult(result, layout);
    total += againCost(result, own);
    for (OpOperand &use : op->getOpOperands())
      if (isa<RankedTensorType>(use.get().getType()))
        valuesToDo.emplace_back(stripConversions(use.get()), problem.rules.operandLayout(use, own));
  }
  return total;
}
