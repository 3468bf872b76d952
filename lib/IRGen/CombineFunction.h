// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reductions and scans share: their operands and the region that a combine function becomes.

#ifndef TILEC_LIB_IRGEN_COMBINEFUNCTION_H
#define TILEC_LIB_IRGEN_COMBINEFUNCTION_H

#include "Generator.h"

namespace tilec::irgen {

/// The blocks (or scalars) that are combined together: the elements of a tuple or one value, all of
/// one shape, at run time.
FailureOr<std::vector<Value>> getCombined(Generator &g, const BoundArg &input,
                                          llvm::StringRef verb);

/// Emits the region of a reduction or scan over operands of the given element types: `function` is
/// called once with scalar arguments.
LogicalResult emitCombine(Generator &g, mlir::Region &region, llvm::ArrayRef<DType> types,
                          const Value &function, SourceRange range);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_COMBINEFUNCTION_H
