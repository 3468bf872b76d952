// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a GPU's address spaces say about memory: an alias analysis for LLVM's pass manager, with the
// answers of the NVPTX back end's own, which has no public header.

#ifndef TILEC_LIB_TARGET_ADDRESSSPACES_H
#define TILEC_LIB_TARGET_ADDRESSSPACES_H

#include "llvm/Analysis/AliasAnalysis.h"

namespace tilec {

class AddressSpaceAliases : public llvm::AAResultBase {
public:
  /// Two named spaces have no byte in common, but for a block's shared memory and its cluster's.
  llvm::AliasResult alias(const llvm::MemoryLocation &left, const llvm::MemoryLocation &right,
                          llvm::AAQueryInfo &query, const llvm::Instruction *at);

  /// Nobody writes to constant memory and parameters.
  llvm::ModRefInfo getModRefInfoMask(const llvm::MemoryLocation &location, llvm::AAQueryInfo &query,
                                     bool ignoreLocals);

  /// Assembly that says nothing of memory does nothing to it.
  llvm::MemoryEffects getMemoryEffects(const llvm::CallBase *call, llvm::AAQueryInfo &query);
  using llvm::AAResultBase::getMemoryEffects;

  /// Never: it depends on types alone.
  bool invalidate(llvm::Function &, const llvm::PreservedAnalyses &,
                  llvm::FunctionAnalysisManager::Invalidator &) {
    return false;
  }
};

class AddressSpaceAnalysis : public llvm::AnalysisInfoMixin<AddressSpaceAnalysis> {
public:
  using Result = AddressSpaceAliases;
  Result run(llvm::Function &, llvm::FunctionAnalysisManager &) { return Result(); }

private:
  friend llvm::AnalysisInfoMixin<AddressSpaceAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace tilec

#endif // TILEC_LIB_TARGET_ADDRESSSPACES_H
