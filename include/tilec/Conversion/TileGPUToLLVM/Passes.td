//===- TileGPU to LLVM --------------------------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILEGPUTOLLVM_PASSES_TD
#define TILEC_CONVERSION_TILEGPUTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileGPUToThreadsPass : Pass<"convert-tilegpu-to-threads", "::mlir::ModuleOp"> {
  let summary = "rewrite operations on tensors as what one thread does";
  let description = [{
    A tensor becomes the values of one thread's registers, in register order of its layout. Elementwise operations
    are repeated per register; global accesses become `tilegpu.ld_global` and `tilegpu.st_global` as wide as the
    layout, the addresses and the mask allow; reductions become trees and shuffles (`redux` for 32-bit integers);
    conversions become renamings and shuffles; shared-memory accesses become `tilegpu.ld_shared` and
    `tilegpu.st_shared`. Control flow stays `scf`; arithmetic stays `arith` and `math`, on scalars. Waits and fences of
    wgmma that order nothing are dropped.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileGPUPackLoopValuesPass : Pass<"tilegpu-pack-loop-values", "::mlir::func::FuncOp"> {
  let summary = "carry halves and bytes around loops as the words that they are packed into";
  let description = [{
    After the conversion to threads, where each element of a tensor is a value of its own. Of an `scf.for`, values of 8
    or 16 bits that are used in one word of 32 bits alone, all of whose parts the loop carries, become that word: it is
    packed in front of the loop and at the end of an iteration, and taken apart behind the loop where that is needed.
    What it saves are copies of registers in each iteration: the operand of a dot that runs one iteration behind.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def ConvertThreadsToLLVMPass : Pass<"convert-threads-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower scalar arithmetic, control flow and the kernel function to the LLVM and NVVM dialects";
  let description = [{
    The kernel becomes an `llvm.func` with `nvvm.kernel` and its exact block size. Math functions become the GPU's
    approximate instructions where the language allows them (exp, exp2, sqrt, rsqrt, log2, division of f32), and
    calls of `__tilec_math_NAME_TYPE` otherwise, which the target maps to a math library.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

#endif // TILEC_CONVERSION_TILEGPUTOLLVM_PASSES_TD
