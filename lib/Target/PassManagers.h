// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's four analysis managers with the analyses that our pipelines ask for. llvm::PassBuilder
// would do the same, but it names every pass of LLVM: all of them would be linked.

#ifndef TILEC_LIB_TARGET_PASSMANAGERS_H
#define TILEC_LIB_TARGET_PASSMANAGERS_H

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tilec {

class PassManagers {
public:
  /// Registers the analyses for code of `machine`.
  explicit PassManagers(llvm::TargetMachine &machine);

  /// Runs `passes` on `module`.
  void run(llvm::ModulePassManager &passes, llvm::Module &module) { passes.run(module, modules); }

private:
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
};

/// Passes of a loop as one pass of a function. Those with `memory` keep MemorySSA up to date.
template <typename... Passes> auto loopPasses(bool memory, Passes &&...list) {
  llvm::LoopPassManager passes;
  (passes.addPass(std::forward<Passes>(list)), ...);
  return llvm::createFunctionToLoopPassAdaptor(std::move(passes), memory);
}

/// `list` at the end of `passes`.
template <typename Manager, typename... Passes> void addPasses(Manager &passes, Passes &&...list) {
  (passes.addPass(std::forward<Passes>(list)), ...);
}

} // namespace tilec

#endif // TILEC_LIB_TARGET_PASSMANAGERS_H
