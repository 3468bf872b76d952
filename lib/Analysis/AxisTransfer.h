// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to AxisInfo: how the facts of an operation's results follow from those of its operands.
// Control flow is the solver's business.

#ifndef TILEC_LIB_ANALYSIS_AXISTRANSFER_H
#define TILEC_LIB_ANALYSIS_AXISTRANSFER_H

#include "tilec/Analysis/AxisInfo.h"

namespace tilec {

using AxisOperands = llvm::ArrayRef<const AxisInfo *>;

/// The facts of the only result of `op`, a shape, pointer, memory or program op of the tile and
/// tilegpu dialects; nothing for an op that is not one of them.
std::optional<AxisInfo> transferTileOp(mlir::Operation *op, AxisOperands operands);

/// The same for ops of the arith and math dialects.
std::optional<AxisInfo> transferArithOp(mlir::Operation *op, AxisOperands operands);

/// lhs + rhs, where one step of `rhs` moves the sum by lhs.unit (pointer arithmetic, or unit 1).
AxisInfo addAxisInfo(mlir::Type type, const AxisInfo &lhs, const AxisInfo &rhs);

/// Sizes per dimension; a scalar is one dimension of size 1.
AxisInfo::DimVector axisShape(mlir::Type type);

/// a * b for positive powers of two, at most AxisInfo::kMaxDivisibility.
int64_t saturatingProduct(int64_t a, int64_t b);

} // namespace tilec

#endif // TILEC_LIB_ANALYSIS_AXISTRANSFER_H
