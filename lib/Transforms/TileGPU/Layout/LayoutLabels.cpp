// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidates of the layout problem: spreads the layouts of seeds over a component, breadth
// first. A few labels are enough for any kernel; their number is limited, so that the work stays
// linear in the number of operations.

#include "LayoutProblem.h"

#include "tilec/Analysis/BufferFill.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Layout/ScanLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr size_t kMaxLabels = 16;

LinearAttr LayoutProblem::fromOperand(const LayoutNode &node, OpOperand &use,
                                      LinearAttr layout) const {
  return node.isVariable ? layout : rules.workingFromOperand(use, layout);
}

LinearAttr LayoutProblem::fromResult(const LayoutNode &node, Value value, LinearAttr layout) const {
  auto result = dyn_cast<OpResult>(value);
  return node.isVariable || !result ? layout : rules.workingFromResult(result, layout);
}

void LayoutProblem::addLabel(LayoutComponent &component, unsigned seed, LinearAttr layout) {
  LayoutLabel label;
  DenseSet<unsigned> reached;
  // A broadcast has many layouts for one of its operand. The one that is guessed here counts only
  // where nothing else leads.
  std::vector<LayoutLabel::Entry> guesses;
  auto visit = [&](unsigned index, LinearAttr own, unsigned distance) {
    const LayoutNode &node = nodes[index];
    if (!own || (node.isPinned && own != node.original) || !reached.insert(index).second)
      return;
    label.entries.push_back({index, own, distance});
  };
  visit(seed, layout, 0);
  size_t next = 0, nextGuess = 0;
  while (true) {
    if (next == label.entries.size()) {
      if (nextGuess == guesses.size())
        break;
      LayoutLabel::Entry guess = guesses[nextGuess++];
      visit(guess.node, guess.layout, guess.distance);
      continue;
    }
    LayoutLabel::Entry entry = label.entries[next++];
    const LayoutNode &node = nodes[entry.node];
    for (OpOperand *use : node.uses) {
      Value value = stripConversions(use->get());
      LinearAttr wanted = operandLayout(node, *use, entry.layout);
      std::optional<unsigned> producer = producerOf(value);
      if (producer && !reached.contains(*producer))
        visit(*producer, fromResult(nodes[*producer], value, wanted), entry.distance + 1);
    }
    for (const UseOf &user : usersOf[entry.node]) {
      if (reached.contains(user.node))
        continue;
      LinearAttr given = resultLayout(node, stripConversions(user.use->get()), entry.layout);
      LinearAttr own = fromOperand(nodes[user.node], *user.use, given);
      if (own && isa<tile::BroadcastOp>(nodes[user.node].op))
        guesses.push_back({user.node, own, entry.distance + 1});
      else
        visit(user.node, own, entry.distance + 1);
    }
  }
  component.labels.push_back(std::move(label));
}

/// Whether a node's layout is one to start from: it was chosen for what the operation does.
static bool isSeed(const LayoutNode &node) {
  if (node.isPinned)
    return true;
  std::optional<GlobalAccess> access = GlobalAccess::of(node.op);
  if (!access || node.isVariable)
    return false;
  // What fills a buffer was given what an async copy takes, however small it is.
  return access->type.getNumElements() >= int64_t(numWarpsOf(node.op)) * 32 ||
         (access->kind == GlobalAccess::Kind::Load && fillBy(node.op));
}

void LayoutProblem::findLabels(LayoutComponent &component) {
  struct Seed {
    unsigned node;
    double weight;
  };
  std::vector<Seed> seeds;
  for (unsigned index : component.nodes) {
    const LayoutNode &node = nodes[index];
    if (isSeed(node))
      seeds.push_back({index, node.isPinned ? HUGE_VAL : executionCost(node, node.original)});
  }
  llvm::sort(seeds, [](const Seed &a, const Seed &b) {
    return a.weight != b.weight ? a.weight > b.weight : a.node < b.node;
  });

  DenseSet<std::pair<unsigned, Attribute>> known;
  DenseSet<unsigned> labelled;
  auto start = [&](unsigned index, LinearAttr layout) {
    if (component.labels.size() == kMaxLabels || known.contains({index, layout}))
      return;
    addLabel(component, index, layout);
    for (const LayoutLabel::Entry &entry : component.labels.back().entries) {
      known.insert({entry.node, entry.layout});
      labelled.insert(entry.node);
    }
  };
  auto friendlyLayout = [&](const LayoutNode &node) {
    auto scan = cast<tile::ScanOp>(node.op);
    auto type = cast<RankedTensorType>(scan.getOperands()[0].getType());
    return LinearAttr::get(scan.getContext(),
                           scanFriendlyLayout(type.getShape(), scan.getAxis(), numWarpsOf(scan)));
  };
  for (const Seed &seed : seeds)
    start(seed.node, nodes[seed.node].original);
  // A scan that none of them suits asks for its own.
  for (unsigned index : component.nodes) {
    auto scan = dyn_cast<tile::ScanOp>(nodes[index].op);
    if (!scan)
      continue;
    bool isSuited = false;
    for (const LayoutLabel &label : component.labels)
      for (const LayoutLabel::Entry &entry : label.entries)
        if (entry.node == index)
          isSuited |= planScan(entry.layout.getLayout(), scan.getAxis()).has_value();
    if (!isSuited)
      start(index, friendlyLayout(nodes[index]));
  }
  for (unsigned index : component.nodes)
    if (!labelled.contains(index))
      start(index, nodes[index].original);
}

void LayoutProblem::chooseInitialLayouts(LayoutComponent &component) {
  DenseMap<unsigned, unsigned> nearest;
  for (const LayoutLabel &label : component.labels)
    for (const LayoutLabel::Entry &entry : label.entries) {
      LayoutNode &node = nodes[entry.node];
      auto [distance, isNew] = nearest.try_emplace(entry.node, entry.distance);
      if (isSeed(node) || (!isNew && distance->second <= entry.distance))
        continue;
      distance->second = entry.distance;
      node.layout = entry.layout;
    }
}
