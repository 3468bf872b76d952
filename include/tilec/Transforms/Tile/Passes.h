// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on tensors without layouts. Each is documented in Passes.td.

#ifndef TILEC_TRANSFORMS_TILE_PASSES_H
#define TILEC_TRANSFORMS_TILE_PASSES_H

#include "dialects/Tile/TileOps.h"
#include "mlir/Pass/Pass.h"

namespace tilec {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilec/Transforms/Tile/Passes.h.inc"

} // namespace tilec

#endif // TILEC_TRANSFORMS_TILE_PASSES_H
