// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The middle end for kernels. Not LLVM's stock pipeline: a kernel is one function that MLIR has
// already inlined, unrolled and vectorised, so what pays is scalar clean-up. Left out on purpose:
//   jump threading, control-height reduction, loop unswitching: they give a block that has a
//   barrier or a shuffle a
//     new predecessor, and lanes of a warp arrive there apart;
//   both vectorisers, interprocedural passes, profile passes: nothing to gain here, and they are
//   most of the time.

#include "DeviceModule.h"
#include "FreezeBounds.h"
#include "PackConversions.h"
#include "PassManagers.h"
#include "ProcessorFacts.h"
#include "RestoreSums.h"
#include "SeparateConstants.h"
#include "SeparateMasks.h"
#include "SwizzleAddresses.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopInstSimplify.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopSimplifyCFG.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace tilec {
namespace {

/// Inlines the library, whose questions about the processor are answered.
void addLibraryPasses(llvm::ModulePassManager &passes) {
  llvm::FunctionPassManager scalars;
  addPasses(scalars, llvm::SimplifyCFGPass(), llvm::SROAPass(llvm::SROAOptions::ModifyCFG),
            llvm::EarlyCSEPass());
  addPasses(passes, llvm::createModuleToFunctionPassAdaptor(std::move(scalars)),
            llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::InlinerPass()),
            llvm::GlobalDCEPass());
}

void addKernelPasses(llvm::ModulePassManager &passes) {
  using namespace llvm;
  FunctionPassManager kernel;
  // Values in registers; obvious redundancies gone.
  addPasses(kernel, SROAPass(SROAOptions::ModifyCFG), EarlyCSEPass(/*UseMemorySSA=*/true),
            SimplifyCFGPass(), InstCombinePass());
  // Loops: constants and addresses out of them, short ones unrolled.
  addPasses(
      kernel,
      loopPasses(/*memory=*/true, LoopInstSimplifyPass(), LoopSimplifyCFGPass(),
                 LICMPass(LICMOptions()), LoopRotatePass(), LICMPass(LICMOptions())),
      SimplifyCFGPass(), InstCombinePass(), FreezeBoundsPass(),
      loopPasses(/*memory=*/false, IndVarSimplifyPass(), LoopDeletionPass(), LoopFullUnrollPass()));
  // Scalars again, with the loops in their final shape.
  addPasses(kernel, SROAPass(SROAOptions::ModifyCFG), EarlyCSEPass(/*UseMemorySSA=*/true),
            GVNPass(), BDCEPass(), InstCombinePass(), DSEPass(),
            loopPasses(/*memory=*/true, LICMPass(LICMOptions())), ADCEPass(), SimplifyCFGPass(),
            InstCombinePass());
  addPasses(passes, createModuleToFunctionPassAdaptor(std::move(kernel)), GlobalDCEPass());
}

/// Constants and values that all threads share stand last in sums: addresses with a common base
/// become offsets of it, and the machine's uniform unit does the shared part.
void addAddressPasses(llvm::ModulePassManager &passes) {
  llvm::FunctionPassManager addresses;
  addPasses(addresses, llvm::ReassociatePass(), llvm::EarlyCSEPass());
  addPasses(passes, llvm::createModuleToFunctionPassAdaptor(std::move(addresses)));
}

/// Assembly that other threads take part in must not be copied into two branches. Which text that
/// is cannot be known here, so it is every one with side effects but the accesses and conversions
/// of a single thread.
void markAssemblyConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        auto *text = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
        if (!text || !text->hasSideEffects())
          continue;
        llvm::StringRef ptx = text->getAsmString();
        if (ptx.consume_front("@$"))
          ptx = ptx.drop_while(llvm::isDigit).ltrim();
        bool isPrivate = ptx.starts_with("ld.global") || ptx.starts_with("ld.volatile.global") ||
                         ptx.starts_with("st.global") || ptx.starts_with("st.shared.");
        if (!isPrivate)
          call->setConvergent();
      }
}

} // namespace

llvm::Error optimizeLLVM(DeviceModule &module, const PTXOptions &options) {
  DeviceModule::Impl &impl = module.implementation();
  return guardFatalErrors(impl, "optimising LLVM IR", [&]() -> llvm::Error {
    markAssemblyConvergent(*impl.module);
    if (options.optLevel == 0 && impl.math.functions.empty())
      return llvm::Error::success();

    bool hasCallees = llvm::count_if(*impl.module, [](const llvm::Function &f) {
                        return !f.isDeclaration();
                      }) > 1;
    auto run = [&](void (*add)(llvm::ModulePassManager &)) {
      llvm::ModulePassManager passes;
      add(passes);
      PassManagers(*impl.machine).run(passes, *impl.module);
    };
    if (hasCallees) {
      answerLibraryQuestions(*impl.module);
      run(addLibraryPasses);
    }
    if (options.optLevel == 0) {
      run([](llvm::ModulePassManager &passes) { passes.addPass(llvm::GlobalDCEPass()); });
      return impl.takeErrors("optimising LLVM IR");
    }
    if (llvm::Error error = addRegisterRanges(*impl.module))
      return error;
    run(addKernelPasses);
    for (llvm::Function &function : *impl.module) {
      separateMasks(function);
      separateConstants(function);
    }
    run(addAddressPasses);
    impl.leavesOutReduction =
        !options.alwaysReducesStrength && llvm::any_of(*impl.module, hasManyAddresses);
    for (llvm::Function &function : *impl.module) {
      restoreSums(function, impl.leavesOutReduction);
      packConversions(function);
      swizzleAddresses(function);
    }
    return impl.takeErrors("optimising LLVM IR");
  });
}

} // namespace tilec
