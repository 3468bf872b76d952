// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alias analysis by address space.

#include "AddressSpaces.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/NVPTXAddrSpace.h"

namespace space = llvm::NVPTXAS;

namespace tilec {

llvm::AnalysisKey AddressSpaceAnalysis::Key;

/// The space of a pointer or, of a generic one, that of what it was made from, a few steps back.
static unsigned spaceOf(const llvm::Value *pointer) {
  constexpr int steps = 6;
  for (int step = 0; step < steps && pointer->getType()->isPointerTy(); ++step) {
    if (unsigned found = pointer->getType()->getPointerAddressSpace())
      return found;
    const llvm::Value *source = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/1);
    if (source == pointer)
      break;
    pointer = source;
  }
  auto *type = llvm::dyn_cast<llvm::PointerType>(pointer->getType());
  return type ? type->getAddressSpace() : unsigned(space::ADDRESS_SPACE_GENERIC);
}

llvm::AliasResult AddressSpaceAliases::alias(const llvm::MemoryLocation &left,
                                             const llvm::MemoryLocation &right, llvm::AAQueryInfo &,
                                             const llvm::Instruction *) {
  auto isShared = [](unsigned value) {
    return value == space::ADDRESS_SPACE_SHARED || value == space::ADDRESS_SPACE_SHARED_CLUSTER;
  };
  unsigned first = spaceOf(left.Ptr);
  unsigned second = spaceOf(right.Ptr);
  bool mayMeet = first == second || first == space::ADDRESS_SPACE_GENERIC ||
                 second == space::ADDRESS_SPACE_GENERIC || (isShared(first) && isShared(second));
  return mayMeet ? llvm::AliasResult::MayAlias : llvm::AliasResult::NoAlias;
}

llvm::ModRefInfo AddressSpaceAliases::getModRefInfoMask(const llvm::MemoryLocation &location,
                                                        llvm::AAQueryInfo &, bool) {
  unsigned found = spaceOf(location.Ptr);
  bool isConstant = found == space::ADDRESS_SPACE_CONST || found == space::ADDRESS_SPACE_PARAM;
  return isConstant ? llvm::ModRefInfo::NoModRef : llvm::ModRefInfo::ModRef;
}

llvm::MemoryEffects AddressSpaceAliases::getMemoryEffects(const llvm::CallBase *call,
                                                          llvm::AAQueryInfo &) {
  auto *text = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
  if (!text || text->hasSideEffects())
    return llvm::MemoryEffects::unknown();
  for (const llvm::InlineAsm::ConstraintInfo &constraint : text->ParseConstraints())
    if (constraint.isIndirect || (constraint.Type == llvm::InlineAsm::isClobber &&
                                  llvm::is_contained(constraint.Codes, "{memory}")))
      return llvm::MemoryEffects::unknown();
  return llvm::MemoryEffects::none();
}

} // namespace tilec
