// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the nodes of the layout problem in one walk over the function; see LayoutProblem.h.

#include "LayoutProblem.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Cost per element up to which a value is computed anew rather than converted. Address arithmetic
/// takes up to ten; a random number of ten Philox rounds is well above.
static constexpr double kCheap = 16;

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

LayoutProblem::LayoutProblem(func::FuncOp func, LayoutRules &layoutRules, LayoutCost &layoutCost)
    : rules(layoutRules), cost(layoutCost) {
  addNodes(func);
  findComponents();
  for (LayoutComponent &component : components) {
    findLabels(component);
    chooseInitialLayouts(component);
  }
}

std::optional<unsigned> LayoutProblem::producerOf(Value value) const {
  auto it = producers.find(value);
  return it == producers.end() ? std::nullopt : std::optional<unsigned>(it->second);
}

LinearAttr LayoutProblem::operandLayout(const LayoutNode &node, OpOperand &use,
                                        LinearAttr own) const {
  return node.isVariable ? own : rules.operandLayout(use, own);
}

LinearAttr LayoutProblem::resultLayout(const LayoutNode &node, Value value, LinearAttr own) const {
  auto result = dyn_cast<OpResult>(value);
  return node.isVariable || !result ? own : rules.resultLayout(result, own);
}

double LayoutProblem::executionCost(const LayoutNode &node, LinearAttr own) const {
  return node.isVariable ? 0 : node.frequency * cost.execution(node.op, own);
}

//===--------------------------------------------------------------------------------------------===//
// Nodes
//===--------------------------------------------------------------------------------------------===//

void LayoutProblem::addNodes(func::FuncOp func) {
  for (BlockArgument argument : func.getArguments())
    if (isTensor(argument)) {
      LayoutNode node;
      node.op = func;
      node.defs = {argument};
      node.isPinned = node.isVariable = true;
      node.original = layoutAttrOf(argument.getType());
      addNode(std::move(node));
    }
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ConvertLayoutOp>(op))
      return;
    if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      return addVariables(op);
    if (isa<scf::YieldOp, scf::ConditionOp>(op) &&
        isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op->getParentOp()))
      return;
    if (llvm::any_of(op->getOperands(), isTensor) || llvm::any_of(op->getResults(), isTensor))
      addOperation(op);
  });
}

void LayoutProblem::addNode(LayoutNode node) {
  node.layout = node.original;
  for (Value def : node.defs)
    producers[def] = nodes.size();
  nodes.push_back(std::move(node));
}

bool LayoutProblem::isComputedAnew(Operation *op) {
  if (!canRepeat(op))
    return false;
  double perElement = LayoutCost::perElement(op);
  for (Value operand : op->getOperands()) {
    if (!isTensor(operand))
      continue;
    auto known = anewCost.find(stripConversions(operand));
    if (known == anewCost.end())
      return false;
    perElement += known->second;
  }
  if (perElement > kCheap)
    return false;
  for (Value result : op->getResults())
    anewCost[result] = perElement;
  return true;
}

void LayoutProblem::addOperation(Operation *op) {
  if (isComputedAnew(op))
    return;
  double frequency = cost.frequency(op);
  // Operands and results that are not tied to the rest are variables of their own.
  auto addAlone = [&](Value value, OpOperand *use) {
    LayoutNode alone;
    alone.op = op;
    alone.isVariable = true;
    alone.frequency = frequency;
    alone.original = layoutAttrOf(value.getType());
    alone.isRoot = use != nullptr;
    if (use)
      alone.uses = {use};
    else
      alone.defs = {value};
    addNode(std::move(alone));
  };
  LayoutNode node;
  node.op = op;
  node.frequency = frequency;
  node.isRoot = !wouldOpBeTriviallyDead(op);
  for (OpOperand &use : op->getOpOperands()) {
    if (!isTensor(use.get()))
      continue;
    if (takesAnyLayout(use))
      addAlone(use.get(), &use);
    else
      node.uses.push_back(&use);
  }
  for (OpResult result : op->getResults()) {
    if (!isTensor(result)) {
      node.isRoot = true;
    } else if (givesAnyLayout(result)) {
      addAlone(result, nullptr);
      node.isRoot = true;
    } else {
      node.defs.push_back(result);
    }
  }
  if (node.uses.empty() && node.defs.empty())
    return;
  LayoutRule rule = layoutRuleOf(op);
  node.isPinned = isPinned(rule);
  bool followsOperand = node.defs.empty() || rule == LayoutRule::Reduce ||
                        rule == LayoutRule::Access || rule == LayoutRule::Atomic;
  Value typical = followsOperand ? node.uses.front()->get() : node.defs.front();
  node.original = layoutAttrOf(typical.getType());
  addNode(std::move(node));
}

void LayoutProblem::addVariable(Operation *op, ArrayRef<OpOperand *> uses, ArrayRef<Value> defs) {
  if (!isTensor(defs.front()))
    return;
  LayoutNode node;
  node.op = op;
  node.uses.assign(uses.begin(), uses.end());
  node.defs.assign(defs.begin(), defs.end());
  node.isVariable = node.isRoot = true;
  node.frequency = cost.frequency(op);
  node.original = layoutAttrOf(defs.front().getType());
  addNode(std::move(node));
}

/// What control flow makes one variable: initial values and those of the next iteration, arguments
/// and results.
void LayoutProblem::addVariables(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Operation *yield = loop.getBody()->getTerminator();
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      addVariable(op, {&loop.getInitArgsMutable()[i], &yield->getOpOperand(i)},
                  {argument, loop.getResult(i)});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [i, result] : llvm::enumerate(branch.getResults()))
      addVariable(op, {&branch.thenYield()->getOpOperand(i), &branch.elseYield()->getOpOperand(i)},
                  {result});
  } else if (auto whileLoop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [i, argument] : llvm::enumerate(whileLoop.getBeforeArguments()))
      addVariable(op, {&whileLoop.getInitsMutable()[i], &whileLoop.getYieldOp()->getOpOperand(i)},
                  {argument});
    for (auto [i, argument] : llvm::enumerate(whileLoop.getAfterArguments()))
      addVariable(op, {&whileLoop.getConditionOp().getArgsMutable()[i]},
                  {argument, whileLoop.getResult(i)});
  }
}

void LayoutProblem::findComponents() {
  usersOf.resize(nodes.size());
  llvm::IntEqClasses classes(nodes.size());
  for (auto [index, node] : llvm::enumerate(nodes))
    for (OpOperand *use : node.uses)
      if (std::optional<unsigned> producer = producerOf(stripConversions(use->get()))) {
        usersOf[*producer].push_back({unsigned(index), use});
        classes.join(*producer, index);
      }
  classes.compress();
  components.resize(classes.getNumClasses());
  for (auto [index, node] : llvm::enumerate(nodes)) {
    node.component = classes[index];
    components[node.component].nodes.push_back(index);
  }
}
