// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What executing an operation in a layout costs, and what converting a tensor costs. The unit is a
// cycle of the multiprocessor for each warp, the one of planConversion: a warp's shuffle or 128
// bytes through shared memory take one. Estimates, for choosing between layouts of the same kernel;
// they leave out whatever does not depend on the layout.

#ifndef TILEC_ANALYSIS_LAYOUTCOST_H
#define TILEC_ANALYSIS_LAYOUTCOST_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Analysis/AxisInfo.h"

namespace tilec {

class LayoutCost {
public:
  using LinearAttr = tilegpu::LinearAttr;

  explicit LayoutCost(const AxisInfoAnalysis &axisInfo) : axes(axisInfo) {}

  /// How often `op` is executed, relative to the function: trip counts (16 where not known), and
  /// less for branches and for remainder code.
  double frequency(mlir::Operation *op);

  /// One conversion of a tensor of `element`.
  double conversion(LinearAttr from, LinearAttr to, mlir::Type element);

  /// One execution of `op` in the working layout `own` (see LayoutRules.h).
  double execution(mlir::Operation *op, LinearAttr own);

  /// One execution for a single element of a thread, for operations that work element by element.
  static double perElement(mlir::Operation *op);

private:
  double access(mlir::Operation *op, const LinearLayout &layout) const;
  double compute(mlir::Operation *op, LinearAttr own);

  const AxisInfoAnalysis &axes;
  llvm::DenseMap<mlir::Block *, double> frequencies;
  llvm::DenseMap<std::tuple<mlir::Attribute, mlir::Attribute, unsigned>, double> conversions;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>, double> executions;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_LAYOUTCOST_H
