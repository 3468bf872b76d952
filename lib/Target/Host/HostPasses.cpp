// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's usual order of scalar and loop passes. Both vectorisers are left out, and passes across
// functions but the inliner: a kernel is one large function and a few helpers.

#include "HostPasses.h"

#include "../PassManagers.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopInstSimplify.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopSimplifyCFG.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/MemCpyOptimizer.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

static void addScalarPasses(FunctionPassManager &passes) {
  tilec::addPasses(passes, SROAPass(SROAOptions::ModifyCFG), EarlyCSEPass(/*UseMemorySSA=*/true),
                   JumpThreadingPass(), CorrelatedValuePropagationPass(), SimplifyCFGPass(),
                   InstCombinePass(), ReassociatePass());
}

static void addLoopPasses(FunctionPassManager &passes) {
  tilec::addPasses(passes,
                   tilec::loopPasses(/*memory=*/true, LoopInstSimplifyPass(), LoopSimplifyCFGPass(),
                                     LICMPass(LICMOptions()), LoopRotatePass(),
                                     LICMPass(LICMOptions()), SimpleLoopUnswitchPass()),
                   SimplifyCFGPass(), InstCombinePass(),
                   tilec::loopPasses(/*memory=*/false, LoopIdiomRecognizePass(),
                                     IndVarSimplifyPass(), LoopDeletionPass(),
                                     LoopFullUnrollPass()));
}

static void addClosingPasses(FunctionPassManager &passes, unsigned optLevel) {
  tilec::addPasses(
      passes, SROAPass(SROAOptions::ModifyCFG), GVNPass(), SCCPPass(), BDCEPass(),
      InstCombinePass(), ADCEPass(), MemCpyOptPass(), DSEPass(),
      tilec::loopPasses(/*memory=*/true, LICMPass(LICMOptions())),
      SimplifyCFGPass(SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true)),
      InstCombinePass());
  if (optLevel > 1)
    tilec::addPasses(passes, LoopUnrollPass(LoopUnrollOptions(optLevel)), InstCombinePass(),
                     tilec::loopPasses(/*memory=*/true, LICMPass(LICMOptions())));
  tilec::addPasses(passes, DivRemPairsPass(),
                   SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
}

void tilec::runHostPasses(Module &module, TargetMachine &machine, unsigned optLevel) {
  FunctionPassManager early, late;
  addPasses(early, SimplifyCFGPass(), SROAPass(SROAOptions::ModifyCFG), EarlyCSEPass());
  addScalarPasses(late);
  addLoopPasses(late);
  addClosingPasses(late, optLevel);
  ModulePassManager passes;
  addPasses(passes, createModuleToFunctionPassAdaptor(std::move(early)),
            createModuleToPostOrderCGSCCPassAdaptor(InlinerPass()), GlobalDCEPass(),
            createModuleToFunctionPassAdaptor(std::move(late)), GlobalDCEPass());
  PassManagers(machine).run(passes, module);
}
