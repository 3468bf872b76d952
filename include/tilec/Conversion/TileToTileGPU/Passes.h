// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that gives every tensor a layout.

#ifndef TILEC_CONVERSION_TILETOTILEGPU_PASSES_H
#define TILEC_CONVERSION_TILETOTILEGPU_PASSES_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Pass/Pass.h"

namespace tilec {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilec/Conversion/TileToTileGPU/Passes.h.inc"

} // namespace tilec

#endif // TILEC_CONVERSION_TILETOTILEGPU_PASSES_H
