// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on tensors with layouts. Each is documented in Passes.td.

#ifndef TILEC_TRANSFORMS_TILEGPU_PASSES_H
#define TILEC_TRANSFORMS_TILEGPU_PASSES_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Pass/Pass.h"

namespace tilec {

/// What tilegpu-plan-registers does, in this order.
enum class RegisterStep {
  /// Room for a second CTA on a multiprocessor.
  Occupancy,
  Hoist,
  Sink,
  Rematerialise,
  /// Spills to shared memory.
  Spill,
};

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilec/Transforms/TileGPU/Passes.h.inc"

} // namespace tilec

#endif // TILEC_TRANSFORMS_TILEGPU_PASSES_H
