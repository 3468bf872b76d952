// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that turns a lowered kernel into host code that runs on the simulator, and the names
// that it and the host JIT agree on.

#ifndef TILEC_CONVERSION_NVVMTOSIM_PASSES_H
#define TILEC_CONVERSION_NVVMTOSIM_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace tilec {

/// Module attribute: the site table, an array of dictionaries with `file` (string), `line` and
/// `column` (i32) and `what` (string). The position is the index that calls pass.
constexpr llvm::StringLiteral simSitesAttr = "tilec.sites";

/// Attribute of a function `void (ptr args)` that runs a kernel: the kernel's name (string).
constexpr llvm::StringLiteral simEntryAttr = "tilec.kernel_entry";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilec/Conversion/NVVMToSim/Passes.h.inc"

} // namespace tilec

#endif // TILEC_CONVERSION_NVVMTOSIM_PASSES_H
