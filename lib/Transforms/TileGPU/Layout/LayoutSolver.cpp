// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expansion moves over the labels of each component. In a cut a variable says whether a node
// changes to the label; what a use costs in each of the four cases is the cost of having the
// producer's value in the layout that the user needs. The cut knows no sharing across labels, so
// every change is checked against the true total.

#include "LayoutSolver.h"

#include "LayoutDemands.h"
#include "MinCut.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int kMaxRounds = 4;

namespace {
/// One expansion move.
class Expansion {
public:
  Expansion(LayoutProblem &layoutProblem, const LayoutComponent &layoutComponent,
            const LayoutLabel &label)
      : problem(layoutProblem), component(layoutComponent), target(problem.nodes.size()),
        variables(problem.nodes.size()), present(problem), future(problem, target) {
    for (const LayoutLabel::Entry &entry : label.entries)
      if (entry.layout != problem.nodes[entry.node].layout)
        target[entry.node] = entry.layout;
  }

  /// The nodes that should change; empty when none should.
  std::vector<unsigned> findChanges() {
    for (unsigned index : component.nodes)
      addNode(index);
    for (unsigned index : component.nodes)
      collectDemands(index);
    for (const Demand &demand : demands)
      addDemand(demand);
    std::vector<bool> isChanged = cut.solve();
    std::vector<unsigned> changes;
    for (unsigned index : component.nodes)
      if (target[index] && isChanged[variables[index]])
        changes.push_back(index);
    return changes;
  }

  LinearAttr targetOf(unsigned index) const { return target[index]; }

private:
  /// Users that need the same layouts of a value, before and after, share one conversion.
  struct Demand {
    Value value;
    LinearAttr before, after;
    std::vector<unsigned> users;
  };

  void addNode(unsigned index) {
    const LayoutNode &node = problem.nodes[index];
    double costOfYes =
        target[index] ? problem.executionCost(node, target[index]) : MinCut::kForbidden;
    variables[index] = cut.addVariable(problem.executionCost(node, node.layout), costOfYes);
  }

  void collectDemands(unsigned index) {
    const LayoutNode &node = problem.nodes[index];
    for (OpOperand *use : node.uses) {
      Value value = stripConversions(use->get());
      LinearAttr before = problem.operandLayout(node, *use, node.layout), after = before;
      if (target[index])
        after = problem.operandLayout(node, *use, target[index]);
      auto [known, isNew] = demandOf.try_emplace({value, before, after}, demands.size());
      if (isNew)
        demands.push_back({value, before, after, {}});
      std::vector<unsigned> &users = demands[known->second].users;
      if (users.empty() || users.back() != index)
        users.push_back(index);
    }
  }

  void addDemand(const Demand &demand) {
    std::optional<unsigned> producer = problem.producerOf(demand.value);
    double count = double(demand.users.size());
    if (!producer) {
      double costOfNo = present.costOf(demand.value, demand.before) / count;
      double costOfYes = present.costOf(demand.value, demand.after) / count;
      for (unsigned user : demand.users)
        cut.addCost(variables[user], costOfNo, costOfYes);
      return;
    }
    // When neither changes, only the user, only the producer, both.
    double neither = present.costOf(demand.value, demand.before);
    double user = present.costOf(demand.value, demand.after);
    double made = future.costOf(demand.value, demand.before);
    double both = future.costOf(demand.value, demand.after);
    unsigned from = variables[*producer];
    if (count > 1 && neither == 0 && both == 0) {
      unsigned anyUser = cut.addVariable(), allUsers = cut.addVariable();
      cut.addPairCost(/*yes=*/anyUser, /*no=*/from, user);
      cut.addPairCost(/*yes=*/from, /*no=*/allUsers, made);
      for (unsigned index : demand.users) {
        cut.addPairCost(/*yes=*/variables[index], /*no=*/anyUser, MinCut::kForbidden);
        cut.addPairCost(/*yes=*/allUsers, /*no=*/variables[index], MinCut::kForbidden);
      }
      return;
    }
    for (unsigned index : demand.users) {
      if (index == *producer) {
        cut.addCost(from, neither / count, both / count);
        continue;
      }
      cut.addCost(from, neither / count, made / count);
      cut.addCost(variables[index], made / count, both / count);
      cut.addPairCost(/*yes=*/variables[index], /*no=*/from,
                      (user + made - neither - both) / count);
    }
  }

  LayoutProblem &problem;
  const LayoutComponent &component;
  /// By node: the layout of the label where it differs from the present one.
  std::vector<LinearAttr> target;
  std::vector<unsigned> variables;
  LayoutDemands present, future;
  std::vector<Demand> demands;
  DenseMap<std::tuple<Value, Attribute, Attribute>, size_t> demandOf;
  MinCut cut;
};

/// Tries one label; true when it brought something.
bool expand(LayoutProblem &problem, const LayoutComponent &component, const LayoutLabel &label,
            double &total) {
  Expansion expansion(problem, component, label);
  std::vector<unsigned> changes = expansion.findChanges();
  if (changes.empty())
    return false;
  std::vector<LinearAttr> before;
  for (unsigned index : changes) {
    before.push_back(problem.nodes[index].layout);
    problem.nodes[index].layout = expansion.targetOf(index);
  }
  double changed = LayoutDemands(problem).totalOf(component);
  // A sixteenth of a cycle is what costs are rounded to.
  if (changed < total - 0.0625) {
    total = changed;
    return true;
  }
  for (auto [index, layout] : llvm::zip(changes, before))
    problem.nodes[index].layout = layout;
  return false;
}
} // namespace

void tilec::tilegpu::solveLayouts(LayoutProblem &problem) {
  for (const LayoutComponent &component : problem.components) {
    if (component.labels.size() < 2)
      continue;
    double total = LayoutDemands(problem).totalOf(component);
    for (int round = 0; round < kMaxRounds; ++round) {
      bool isBetter = false;
      for (const LayoutLabel &label : component.labels)
        isBetter |= expand(problem, component, label, total);
      if (!isBetter)
        break;
    }
  }
}
