// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: accesses and atomics, then asserts and prints, then the NVVM operations that LLVM has
// no intrinsic for. Each step is one walk over the module; nothing is iterated to a fixed point.

#include "ThreadLowering.h"

#include "tilec/Conversion/ThreadToPTX/Passes.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CONVERTTHREADTOPTXPASS
#include "tilec/Conversion/ThreadToPTX/Passes.h.inc"

namespace {

struct ConvertThreadToPTX final : impl::ConvertThreadToPTXPassBase<ConvertThreadToPTX> {
  using ConvertThreadToPTXPassBase::ConvertThreadToPTXPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    IRRewriter rewriter(&getContext());
    // The pattern driver below skips unreachable blocks, and LLVM IR has no words for what it would
    // leave there.
    module.walk([&](LLVM::LLVMFuncOp function) {
      (void)eraseUnreachableBlocks(rewriter, MutableArrayRef<Region>(function.getBody()));
    });

    lowerSharedAtomics(module, rewriter);
    CachePolicies policies;
    lowerCopies(module, rewriter, policies);
    lowerRegisterOps(module, rewriter);
    lowerNamedBarriers(module, rewriter);
    lowerTensorMaps(module, rewriter);
    lowerWgmma(module, rewriter);
    ThreadLoweringCounts counts;
    LogicalResult lowered = lowerAccesses(module, rewriter, policies, counts);
    numPlainAccesses += counts.plainAccesses;
    numInlineAccesses += counts.inlineAccesses;
    numDroppedHints += counts.droppedHints;
    if (failed(lowered) || failed(lowerAtomics(module, rewriter)) ||
        failed(lowerDeviceCalls(module, rewriter)))
      return signalPassFailure();

    RewritePatternSet patterns(&getContext());
    populateNVVMToLLVMConversionPatterns(patterns);
    walkAndApplyPatterns(module, std::move(patterns));
  }
};

} // namespace
} // namespace tilec
