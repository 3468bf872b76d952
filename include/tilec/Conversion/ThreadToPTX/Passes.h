// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that turns the thread-level tilegpu operations into LLVM dialect and inline PTX.

#ifndef TILEC_CONVERSION_THREADTOPTX_PASSES_H
#define TILEC_CONVERSION_THREADTOPTX_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace tilec {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilec/Conversion/ThreadToPTX/Passes.h.inc"

} // namespace tilec

#endif // TILEC_CONVERSION_THREADTOPTX_PASSES_H
