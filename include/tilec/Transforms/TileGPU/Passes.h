// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on tensors with layouts. Each is documented in Passes.td.

#ifndef TILEC_TRANSFORMS_TILEGPU_PASSES_H
#define TILEC_TRANSFORMS_TILEGPU_PASSES_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Pass/Pass.h"

namespace tilec {

/// The steps of tilegpu-plan-registers, in their order.
namespace register_steps {
inline constexpr llvm::StringLiteral kOccupancy = "occupancy", kHoist = "hoist", kSink = "sink",
                                     kRematerialise = "rematerialise", kSpill = "spill";
inline constexpr llvm::StringLiteral kAll[] = {kOccupancy, kHoist, kSink, kRematerialise, kSpill};
} // namespace register_steps

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilec/Transforms/TileGPU/Passes.h.inc"

} // namespace tilec

#endif // TILEC_TRANSFORMS_TILEGPU_PASSES_H
