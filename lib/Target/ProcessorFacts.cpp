// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __nvvm_reflect, and the ranges of special registers.

#include "ProcessorFacts.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"

namespace tilec {

void answerLibraryQuestions(llvm::Module &module) {
  for (llvm::StringRef name :
       {llvm::StringRef("__nvvm_reflect"), llvm::StringRef("__nvvm_reflect_ocl"),
        llvm::Intrinsic::getBaseName(llvm::Intrinsic::nvvm_reflect)}) {
    llvm::Function *question = module.getFunction(name);
    if (!question)
      continue;
    llvm::SmallVector<llvm::WeakVH> calls(question->users());
    for (llvm::WeakVH &handle : calls) {
      auto *call = llvm::cast<llvm::CallInst>(handle);
      llvm::replaceAndRecursivelySimplify(call, llvm::ConstantInt::get(call->getType(), 0));
      // It is gone if LLVM knows that it has no effect.
      if (handle)
        call->eraseFromParent();
    }
    question->eraseFromParent();
  }
}

llvm::Error addRegisterRanges(llvm::Module &module) {
  // The back end has a pass for it, and registers it by name only.
  llvm::StringRef name = "nvvm-intr-range";
  const llvm::PassInfo *ranges = llvm::PassRegistry::getPassRegistry()->getPassInfo(name);
  if (!ranges)
    return llvm::createStringError("this LLVM has no pass " + name);
  llvm::legacy::PassManager passes;
  passes.add(ranges->createPass());
  passes.run(module);
  return llvm::Error::success();
}

} // namespace tilec
