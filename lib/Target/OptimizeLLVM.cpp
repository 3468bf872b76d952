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
#include "SeparateConstants.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace tilec {
namespace {

/// Folds the questions that library code asks about the processor, then inlines the library.
constexpr llvm::StringLiteral libraryPasses = "nvvm-reflect,"
                                              "function(simplifycfg,sroa,early-cse),"
                                              "cgscc(inline),"
                                              "globaldce,";

constexpr llvm::StringLiteral kernelPasses =
    "function("
    // How large thread numbers can be; values in registers; obvious redundancies gone.
    "nvvm-intr-range,sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    // Loops: constants and addresses out of them, short ones unrolled.
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate,licm),"
    "simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop(indvars,loop-deletion,loop-unroll-full),"
    // Scalars again, with the loops in their final shape.
    "sroa,early-cse<memssa>,gvn,bdce,instcombine<no-verify-fixpoint>,"
    "dse,loop-mssa(licm),adce,simplifycfg,instcombine<no-verify-fixpoint>),"
    "globaldce";

/// Constants and values that all threads share stand last in sums: addresses with a common base
/// become offsets of it, and the machine's uniform unit does the shared part.
constexpr llvm::StringLiteral addressPasses = "function(reassociate,early-cse)";

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

    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager callGraph;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(impl.machine.get());
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(callGraph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, callGraph, modules);

    bool hasCallees = llvm::count_if(*impl.module, [](const llvm::Function &f) {
                        return !f.isDeclaration();
                      }) > 1;
    std::string pipeline = hasCallees ? libraryPasses.str() : "";
    pipeline +=
        options.optLevel == 0 ? llvm::StringRef("globaldce") : llvm::StringRef(kernelPasses);
    llvm::ModulePassManager passes;
    if (llvm::Error error = builder.parsePassPipeline(passes, pipeline))
      return error;
    passes.run(*impl.module, modules);
    if (options.optLevel > 0) {
      for (llvm::Function &function : *impl.module)
        separateConstants(function);
      modules.clear();
      functions.clear();
      loops.clear();
      llvm::ModulePassManager addresses;
      if (llvm::Error error = builder.parsePassPipeline(addresses, addressPasses))
        return error;
      addresses.run(*impl.module, modules);
    }
    return impl.takeErrors("optimising LLVM IR");
  });
}

} // namespace tilec
