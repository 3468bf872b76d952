// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function's layouts as a problem of choice. Nodes are the operations on tensors whose working
// layout is to be chosen, and the variables of structured control flow. What is made of nothing
// but ranges, constants and cheap arithmetic is no node: it is computed anew in every layout in
// which it is needed.
//
// Candidates come from seeds, the layouts of the accesses and of pinned operations. Each spreads
// from its node over uses and definitions by the relations of LayoutRules and so gives one layout,
// a *label*, to every node that it reaches.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTPROBLEM_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTPROBLEM_H

#include "tilec/Analysis/LayoutCost.h"
#include "tilec/Analysis/LayoutRules.h"

namespace tilec::tilegpu {

struct LayoutNode {
  mlir::Operation *op = nullptr;
  /// Tensor operands and results; those of a control-flow variable are what it is initialised with
  /// and the values that stand for it.
  llvm::SmallVector<mlir::OpOperand *, 3> uses;
  llvm::SmallVector<mlir::Value, 2> defs;
  /// All tensors have the working layout, whatever the operation's rule says; nothing is executed.
  bool isVariable = false;
  /// The working layout cannot be changed.
  bool isPinned = false;
  /// Needed even when nobody uses the results.
  bool isRoot = false;
  double frequency = 1;
  /// The working layout of the types.
  LinearAttr original;
  /// The one chosen so far.
  LinearAttr layout;
  unsigned component = 0;
};

/// One layout for every node that it reaches from its seed, nearest first.
struct LayoutLabel {
  struct Entry {
    unsigned node;
    LinearAttr layout;
    unsigned distance;
  };
  std::vector<Entry> entries;
};

/// Nodes that are connected by uses, and the labels of one of them.
struct LayoutComponent {
  std::vector<unsigned> nodes;
  std::vector<LayoutLabel> labels;
};

class LayoutProblem {
public:
  LayoutProblem(mlir::func::FuncOp func, LayoutRules &layoutRules, LayoutCost &layoutCost);

  std::vector<LayoutNode> nodes;
  std::vector<LayoutComponent> components;

  LayoutRules &rules;
  LayoutCost &cost;

  /// The node that defines `value` (without conversions); nullopt when it is computed anew.
  std::optional<unsigned> producerOf(mlir::Value value) const;
  /// The layout that `use` needs when `node` works in `own`.
  LinearAttr operandLayout(const LayoutNode &node, mlir::OpOperand &use, LinearAttr own) const;
  /// The layout of `value`, a definition of `node`, when the node works in `own`.
  LinearAttr resultLayout(const LayoutNode &node, mlir::Value value, LinearAttr own) const;
  /// One execution of `node`.
  double executionCost(const LayoutNode &node, LinearAttr own) const;

private:
  struct UseOf {
    unsigned node;
    mlir::OpOperand *use;
  };

  // Nodes (LayoutProblem.cpp).
  void addNodes(mlir::func::FuncOp func);
  void addOperation(mlir::Operation *op);
  void addVariables(mlir::Operation *op);
  void addVariable(mlir::Operation *op, llvm::ArrayRef<mlir::OpOperand *> uses,
                   llvm::ArrayRef<mlir::Value> defs);
  void addNode(LayoutNode node);
  bool isComputedAnew(mlir::Operation *op);
  void findComponents();

  // Labels (LayoutLabels.cpp).
  void findLabels(LayoutComponent &component);
  void chooseInitialLayouts(LayoutComponent &component);
  void addLabel(LayoutComponent &component, unsigned seed, LinearAttr layout);
  LinearAttr fromOperand(const LayoutNode &node, mlir::OpOperand &use, LinearAttr layout) const;
  LinearAttr fromResult(const LayoutNode &node, mlir::Value value, LinearAttr layout) const;

  llvm::DenseMap<mlir::Value, unsigned> producers;
  /// Cost per element of values that are computed anew.
  llvm::DenseMap<mlir::Value, double> anewCost;
  /// Users of each node's definitions, by node.
  std::vector<llvm::SmallVector<UseOf, 3>> usersOf;
};

} // namespace tilec::tilegpu

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTPROBLEM_H
