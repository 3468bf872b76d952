// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes from tensors with layouts to the LLVM and NVVM dialects.

#ifndef TILEC_CONVERSION_TILEGPUTOLLVM_PASSES_H
#define TILEC_CONVERSION_TILEGPUTOLLVM_PASSES_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Pass/Pass.h"

namespace tilec {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilec/Conversion/TileGPUToLLVM/Passes.h.inc"

} // namespace tilec

#endif // TILEC_CONVERSION_TILEGPUTOLLVM_PASSES_H
