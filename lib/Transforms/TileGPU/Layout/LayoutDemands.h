// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an assignment of layouts to the nodes of a layout problem takes: which values are needed in
// which layouts, and whether one that is not there is converted or computed again from its
// operands, whichever is cheaper. Operands of what is computed again are treated likewise, which is
// how conversions move up over casts, broadcasts and expand_dims.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTDEMANDS_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTDEMANDS_H

#include "LayoutProblem.h"

namespace tilec::tilegpu {

class LayoutDemands {
public:
  /// `overrides` gives layouts that differ from the nodes' own, by node; null means the node's own.
  LayoutDemands(const LayoutProblem &layoutProblem, llvm::ArrayRef<LinearAttr> overrides = {})
      : problem(layoutProblem), assigned(overrides) {}

  /// The layout of a value that a node defines.
  LinearAttr homeOf(mlir::Value value, unsigned producer) const;
  /// The cost of having `value` (without conversions) in `layout`, less that of having it at all.
  double costOf(mlir::Value value, LinearAttr layout) { return choose(value, layout, 0).cost; }
  /// Whether `value`, which is not in `layout`, is computed again rather than converted.
  bool isRepeated(mlir::Value value, LinearAttr layout) {
    return choose(value, layout, 0).isRepeated;
  }

  /// Everything that is executed for the nodes of a component, each piece counted once.
  double totalOf(const LayoutComponent &component) const;

private:
  struct Choice {
    double cost = 0;
    bool isRepeated = false;
  };

  LinearAttr layoutOfNode(unsigned index) const;
  Choice choose(mlir::Value value, LinearAttr layout, unsigned depth) const;
  double againCost(mlir::OpResult value, LinearAttr own) const;
  double repeatCost(mlir::Value value, LinearAttr layout, unsigned depth, double limit) const;

  const LayoutProblem &problem;
  llvm::ArrayRef<LinearAttr> assigned;
  mutable llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, Choice> choices;
};

} // namespace tilec::tilegpu

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTDEMANDS_H
