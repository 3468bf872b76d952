// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to AxisInfo: how the facts of results of other dialects follow from those of the
// operands. Operations of ours say it themselves (AxisFactsOpInterface), control flow is the
// solver's business.

#ifndef TILEC_LIB_ANALYSIS_AXISTRANSFER_H
#define TILEC_LIB_ANALYSIS_AXISTRANSFER_H

#include "tilec/Analysis/AxisInfo.h"

namespace tilec {

/// The facts of the only result of `op`; nothing for an op that is not of the arith and math
/// dialects.
std::optional<AxisInfo> transferArithOp(mlir::Operation *op, AxisOperands operands);

} // namespace tilec

#endif // TILEC_LIB_ANALYSIS_AXISTRANSFER_H
