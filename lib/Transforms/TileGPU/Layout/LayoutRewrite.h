// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives a function the layouts that its layout problem's nodes have: changes types, puts
// conversions behind definitions, computes again what is cheaper to compute, and removes what
// nobody uses any more.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTREWRITE_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTREWRITE_H

#include "LayoutProblem.h"

namespace tilec::tilegpu {

/// The problem's nodes name operations that are gone afterwards.
void applyLayouts(mlir::func::FuncOp func, const LayoutProblem &problem);

} // namespace tilec::tilegpu

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTREWRITE_H
