// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass from one thread's scalar code to the LLVM and NVVM dialects: wires upstream's patterns
// for arithmetic and control flow with our own for math and kernel functions.

#include "tilec/Conversion/TileGPUToLLVM/Passes.h"

#include "Patterns.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"

namespace tilec {
#define GEN_PASS_DEF_CONVERTTHREADSTOLLVMPASS
#include "tilec/Conversion/TileGPUToLLVM/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static LogicalResult lowerStructuredControlFlow(ModuleOp module) {
  endLoopsByProgram(module);
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

static LogicalResult lowerScalars(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter types(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  populateMathToNVVMPatterns(types, patterns);
  populateKernelFuncPatterns(types, patterns, launchedThreadsOf(module));
  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addLegalOp<ModuleOp, LdGlobalOp, StGlobalOp, LdSharedOp, StSharedOp, SharedBaseOp,
                    AtomicRMWGlobalOp, AtomicCasGlobalOp, AtomicAddSharedOp, ThreadMmaOp,
                    ThreadWgmmaOp, ThreadWgmmaWaitOp, ThreadAssertOp, ThreadPrintOp, EnterProgramOp,
                    NamedBarrierOp>();
  target.addIllegalDialect<arith::ArithDialect, math::MathDialect, func::FuncDialect,
                           cf::ControlFlowDialect, ub::UBDialect>();
  return applyPartialConversion(module, target, std::move(patterns));
}

namespace {
struct ConvertThreadsToLLVM final
    : tilec::impl::ConvertThreadsToLLVMPassBase<ConvertThreadsToLLVM> {
  using Base::Base;
  void runOnOperation() override {
    if (failed(lowerStructuredControlFlow(getOperation())) || failed(lowerScalars(getOperation())))
      signalPassFailure();
  }
};
} // namespace
