// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host can compute before a launch: integers made of a kernel's arguments and constants.

#ifndef TILEC_ANALYSIS_HOSTEXPRESSION_H
#define TILEC_ANALYSIS_HOSTEXPRESSION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace tilec {

/// Whether the value is an argument that the caller gives.
bool isGivenArgument(mlir::Value value, mlir::func::FuncOp func);

/// An integer in the postfix notation of tensor maps ("%2 %3 *" is argument 2 times argument 3);
/// none when the host does not know it.
std::optional<std::string> hostExpression(mlir::Value value, mlir::func::FuncOp func);

} // namespace tilec

#endif // TILEC_ANALYSIS_HOSTEXPRESSION_H
