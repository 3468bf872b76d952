// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an index is in the words of the source: one scalar everywhere, an expression.

#ifndef TILEC_ANALYSIS_SOURCENAMES_H
#define TILEC_ANALYSIS_SOURCENAMES_H

#include "mlir/IR/Value.h"

#include <string>

namespace tilec {

/// The scalar that all elements of `value` are equal to as far as splats, broadcasts and changes of
/// shape, layout or width say so; `value` itself for a scalar, null when it is no such tensor.
mlir::Value splatSource(mlir::Value value);

/// What an integer or pointer may be called in the source: "'stride'" for an argument,
/// "'tl.program_id(0) * 64'", "42"; empty when it has no short name.
std::string sourceName(mlir::Value value);

} // namespace tilec

#endif // TILEC_ANALYSIS_SOURCENAMES_H
