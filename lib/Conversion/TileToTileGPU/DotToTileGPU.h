// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of dots to tilegpu.

#ifndef TILEC_LIB_CONVERSION_TILETOTILEGPU_DOTTOTILEGPU_H
#define TILEC_LIB_CONVERSION_TILETOTILEGPU_DOTTOTILEGPU_H

#include "dialects/TileGPU/TileGPUOps.h"

namespace tilec {

/// Replaces a `tile.dot` whose tensors have layouts by a `tilegpu.dot` that computes in a layout
/// with a small square of the result in each thread, and converts accumulator and result.
void convertDot(tile::DotOp dot, int numWarps);

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILETOTILEGPU_DOTTOTILEGPU_H
