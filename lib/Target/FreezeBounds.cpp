// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FreezeBounds.h.

#include "FreezeBounds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"

namespace tilec {

/// The comparison that ends the loop.
static llvm::ICmpInst *endOf(const llvm::Loop &loop) {
  llvm::BasicBlock *latch = loop.getLoopLatch();
  auto *branch = latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
  bool isTest = branch && branch->isConditional() && loop.isLoopExiting(latch);
  return isTest ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
}

/// Whether it is divided and follows from how far a loop is.
static bool isDividedInLoop(llvm::ScalarEvolution &evolution, llvm::Value *bound) {
  if (!evolution.isSCEVable(bound->getType()))
    return false;
  const llvm::SCEV *known = evolution.getSCEV(bound);
  auto isDivision = [](const llvm::SCEV *part) { return llvm::isa<llvm::SCEVUDivExpr>(part); };
  return evolution.containsAddRecurrence(known) && llvm::SCEVExprContains(known, isDivision);
}

llvm::PreservedAnalyses FreezeBoundsPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool changes = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    llvm::ICmpInst *end = endOf(*loop);
    if (!end)
      continue;
    for (llvm::Use &bound : end->operands()) {
      auto *computed = llvm::dyn_cast<llvm::Instruction>(bound);
      if (!computed || !loop->isLoopInvariant(bound) || !isDividedInLoop(evolution, bound))
        continue;
      llvm::IRBuilder<> builder(&*computed->getInsertionPointAfterDef().value());
      bound.set(builder.CreateFreeze(bound));
      evolution.forgetLoop(loop);
      changes = true;
    }
  }
  return changes ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace tilec
