// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the layouts of a layout problem. From the layouts of the nearest seeds it takes one label
// after the other and finds, by a minimum cut, the set of nodes that had best change to it all at
// once; the change is kept when what is executed costs less. Ends when no label helps.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTSOLVER_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTSOLVER_H

#include "LayoutProblem.h"

namespace tilec::tilegpu {

/// Sets the `layout` of every node.
void solveLayouts(LayoutProblem &problem);

} // namespace tilec::tilegpu

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_LAYOUTSOLVER_H
