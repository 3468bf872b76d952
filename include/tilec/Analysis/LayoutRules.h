// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How operations tie the layouts of their tensors together. Every operation has one *working
// layout*; the layouts that it needs its operands in and leaves its results in follow from it. A
// new operation gets its line in the table of LayoutRules.cpp; one that is not in the table keeps
// the layouts that its types have.

#ifndef TILEC_ANALYSIS_LAYOUTRULES_H
#define TILEC_ANALYSIS_LAYOUTRULES_H

#include "dialects/TileGPU/TileGPUOps.h"

namespace tilec {

/// How the layouts of an operation's tensors follow from its working layout.
enum class LayoutRule {
  /// No tensor operands; the result has the working layout.
  Source,
  /// All tensors have the working layout.
  Same,
  /// The result has the working layout, the operand the one that gives it without moving data.
  Shape,
  /// Operands have the working layout, results its slice.
  Reduce,
  /// As Same; the elements are exchanged between threads on the way.
  Scan,
  /// Global load or store: as Same, at a price that depends on the layout.
  Access,
  /// As Same, in the layout that the types have.
  Atomic,
  /// Indices and result have the working layout; the source may have any.
  Gather,
  /// Operands have the working layout; the result may have any.
  Histogram,
  /// Accumulator and result as the types have it; the factors may have any.
  Dot,
  /// Operands and results as the types have them.
  Pinned,
};

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

/// The relations of the table, with a cache for those that take work. All functions return null
/// where the table ties nothing. Scalars have no layout: ask about tensors only. The types of the
/// operations must not change while an object lives.
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
