// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of accesses of global memory.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_COALESCE_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_COALESCE_H

#include "tilec/Layout/LinearLayout.h"

#include "mlir/IR/Operation.h"

namespace tilec {

/// Lets an access work in `layout`: converts its operands, and its results to what they were.
void setAccessLayout(mlir::Operation *access, const LinearLayout &layout);

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_COALESCE_H
