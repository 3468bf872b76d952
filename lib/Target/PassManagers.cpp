// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of analyses. The order of the alias analyses is that of LLVM's default.

#include "PassManagers.h"

#include "AddressSpaces.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/Analysis/EphemeralValuesCache.h"
#include "llvm/Analysis/LastRunTrackingAnalysis.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryDependenceAnalysis.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"

namespace tilec {
namespace {

template <typename... Analyses, typename Manager> void registerAnalyses(Manager &manager) {
  (manager.registerPass([] { return Analyses(); }), ...);
  manager.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
}

llvm::AAManager aliasAnalyses(const llvm::TargetMachine &machine) {
  llvm::AAManager aliases;
  if (machine.getTargetTriple().isNVPTX())
    aliases.registerFunctionAnalysis<AddressSpaceAnalysis>();
  aliases.registerFunctionAnalysis<llvm::BasicAA>();
  aliases.registerFunctionAnalysis<llvm::ScopedNoAliasAA>();
  aliases.registerFunctionAnalysis<llvm::TypeBasedAA>();
  return aliases;
}

} // namespace

PassManagers::PassManagers(llvm::TargetMachine &machine) {
  registerAnalyses<llvm::LazyCallGraphAnalysis, llvm::ProfileSummaryAnalysis>(modules);
  registerAnalyses<>(callGraph);
  // Not for unswitching, which does not run: simplified induction variables leave a mark for it.
  registerAnalyses<llvm::ShouldRunExtraSimpleLoopUnswitch>(loops);
  functions.registerPass([&] { return aliasAnalyses(machine); });
  functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
  registerAnalyses<AddressSpaceAnalysis, llvm::AssumptionAnalysis, llvm::BasicAA,
                   llvm::BlockFrequencyAnalysis, llvm::BranchProbabilityAnalysis,
                   llvm::DemandedBitsAnalysis, llvm::DominatorTreeAnalysis,
                   llvm::EphemeralValuesAnalysis, llvm::LastRunTrackingAnalysis,
                   llvm::LazyValueAnalysis, llvm::LoopAnalysis, llvm::MemoryDependenceAnalysis,
                   llvm::MemorySSAAnalysis, llvm::OptimizationRemarkEmitterAnalysis,
                   llvm::PostDominatorTreeAnalysis, llvm::ScalarEvolutionAnalysis,
                   llvm::ScopedNoAliasAA, llvm::TargetLibraryAnalysis, llvm::TypeBasedAA>(
      functions);

  modules.registerPass([&] { return llvm::FunctionAnalysisManagerModuleProxy(functions); });
  modules.registerPass([&] { return llvm::CGSCCAnalysisManagerModuleProxy(callGraph); });
  callGraph.registerPass([&] { return llvm::FunctionAnalysisManagerCGSCCProxy(); });
  callGraph.registerPass([&] { return llvm::ModuleAnalysisManagerCGSCCProxy(modules); });
  functions.registerPass([&] { return llvm::CGSCCAnalysisManagerFunctionProxy(callGraph); });
  functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
  functions.registerPass([&] { return llvm::LoopAnalysisManagerFunctionProxy(loops); });
  loops.registerPass([&] { return llvm::FunctionAnalysisManagerLoopProxy(functions); });
}

} // namespace tilec
