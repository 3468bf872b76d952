// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How operations tie the layouts of their tensors together: what follows from their rules
// (dialects/Tile/LayoutRule.h).

#ifndef TILEC_ANALYSIS_LAYOUTRULES_H
#define TILEC_ANALYSIS_LAYOUTRULES_H

#include "dialects/TileGPU/TileGPUOps.h"

namespace tilec {

using tile::LayoutRule;

/// That of the operation's interface, or of what kind it is (LayoutRuleOpInterface).
LayoutRule layoutRuleOf(mlir::Operation *op);

/// Whether an operation follows the rule in the layout of its types only.
bool isPinned(LayoutRule rule);

/// Whether `use` accepts any layout, whatever the operation's working layout is.
bool takesAnyLayout(mlir::OpOperand &use);

/// Whether `result` can be made in any layout, whatever the operation's working layout is.
bool givesAnyLayout(mlir::OpResult result);

/// Whether the operation may be executed twice, each time in another layout. Precondition: types
/// have layouts.
bool canRepeat(mlir::Operation *op);

/// The value behind layout conversions.
mlir::Value stripConversions(mlir::Value value);

/// The layout in a tensor type.
tilegpu::LinearAttr layoutAttrOf(mlir::Type type);

/// The relations, with a cache for those that take work. All functions return null
/// where an operation ties nothing. Scalars have no layout: ask about tensors only. The types of
/// the operations must not change while an object lives.
class LayoutRules {
public:
  using LinearAttr = tilegpu::LinearAttr;

  /// The layout in which an operation working in `own` needs an operand.
  LinearAttr operandLayout(mlir::OpOperand &use, LinearAttr own);
  /// The layout in which it leaves a result.
  LinearAttr resultLayout(mlir::OpResult result, LinearAttr own);
  /// The working layout that suits an operand in `layout`.
  LinearAttr workingFromOperand(mlir::OpOperand &use, LinearAttr layout);
  /// The working layout that leaves a result in `layout`.
  LinearAttr workingFromResult(mlir::OpResult result, LinearAttr layout);

private:
  enum Direction { ToOperand, ToResult };
  LinearAttr infer(mlir::Operation *op, LinearAttr from, Direction direction);

  llvm::DenseMap<std::tuple<mlir::Operation *, mlir::Attribute, int>, LinearAttr> inferred;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_LAYOUTRULES_H
