// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's accesses of a swizzled buffer are at base + (x ^ c) with one x and many constants c.
// ptxas keeps every x ^ c in a register over a loop, or spills it. Where a loop has many of them,
// the constant is applied last, so that one register has what all accesses share and each address
// is one instruction of it:
//
//   base + (x ^ c)  ->  (base + x) ^ c    where the base is a multiple of a power of two above c
//
// Slots of rings keep theirs: the base is in a uniform register there, which the access adds. It
// comes after everything that asks which pointer an address is of.

#include "SwizzleAddresses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec {
namespace {

constexpr unsigned kSharedAddressSpace = 3;

/// So many addresses of one x in a loop are many, beside x itself. Fewer stay in registers, and
/// their base is part of the access.
constexpr size_t kMany = 3;

/// root + (x ^ `mask`) + `offset`.
struct Address {
  llvm::Value *root = nullptr;
  llvm::Value *x = nullptr;
  uint32_t mask = 0;
  uint32_t offset = 0;

  /// Whether that is all that there is.
  bool add(llvm::Value *index) {
    llvm::Value *left = nullptr, *right = nullptr;
    const APInt *constant = nullptr;
    if (match(index, m_APInt(constant))) {
      offset += uint32_t(constant->getZExtValue());
      return true;
    }
    if (match(index, m_AddLike(m_Value(left), m_Value(right))))
      return add(left) && add(right);
    if (x || !match(index, m_Xor(m_Value(x), m_APInt(constant))))
      return false;
    mask = uint32_t(constant->getZExtValue());
    return true;
  }
};

/// The address by its parts, if it is a swizzled one.
std::optional<Address> readAddress(llvm::Value *pointer) {
  Address address;
  address.root = pointer;
  while (auto *step = dyn_cast<GEPOperator>(address.root)) {
    if (!step->getSourceElementType()->isIntegerTy(8) || step->getNumIndices() != 1 ||
        !step->getOperand(1)->getType()->isIntegerTy(32) || !address.add(step->getOperand(1)))
      return {};
    address.root = step->getPointerOperand();
  }
  if (!address.x)
    return {};
  return address;
}

/// The alignment of shared memory at its start, or of the base that a warp takes from one of its
/// lanes; 1 for others.
Align alignmentOf(llvm::Value *root) {
  llvm::Value *number = nullptr, *pointer = nullptr;
  if (match(root, m_IntToPtr(m_Value(number))))
    if (auto *call = dyn_cast<IntrinsicInst>(number))
      if (call->getIntrinsicID() == Intrinsic::nvvm_shfl_sync_idx_i32 &&
          match(call->getArgOperand(1), m_PtrToInt(m_Value(pointer))))
        root = pointer;
  auto *memory = dyn_cast<GlobalVariable>(root);
  return memory ? memory->getAlign().valueOrOne() : Align();
}

/// The accesses that differ in constants alone.
struct Family {
  SmallVector<std::pair<GetElementPtrInst *, Address>> accesses;
  /// Constants of those that loops do again and again.
  SmallSet<uint32_t, 16> repeated;
};

/// root + x as a number, behind the later of them.
llvm::Value *sumOf(const Address &address, Function &function, const DominatorTree &order) {
  auto *root = dyn_cast<Instruction>(address.root), *x = dyn_cast<Instruction>(address.x);
  Instruction *last = root && (!x || order.dominates(x, root)) ? root : x;
  BasicBlock::iterator place = last ? *last->getInsertionPointAfterDef()
                                    : function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  IRBuilder<> builder(place->getParent(), place);
  return builder.CreateAdd(builder.CreatePtrToInt(address.root, builder.getInt32Ty()), address.x);
}

void rewrite(GetElementPtrInst &access, const Address &address, llvm::Value *sum) {
  IRBuilder<> builder(&access);
  llvm::Value *number =
      builder.CreateXor(sum, ConstantInt::get(builder.getInt32Ty(), address.mask));
  llvm::Value *pointer = builder.CreateIntToPtr(number, access.getType());
  if (address.offset)
    pointer =
        builder.CreateGEP(builder.getInt8Ty(), pointer, builder.getInt32(int32_t(address.offset)));
  access.replaceAllUsesWith(pointer);
}

/// Whether a loop uses the address again with the same x: it may have been computed in front of the
/// loop.
bool isRepeated(const GetElementPtrInst &access, const Address &address, const LoopInfo &loops) {
  return llvm::any_of(access.users(), [&](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    const Loop *loop = instruction ? loops.getLoopFor(instruction->getParent()) : nullptr;
    return loop && loop->isLoopInvariant(address.x);
  });
}

} // namespace

void swizzleAddresses(Function &function) {
  if (function.isDeclaration())
    return;
  DominatorTree order(function);
  LoopInfo loops(order);
  MapVector<std::pair<llvm::Value *, llvm::Value *>, Family> families;
  for (Instruction &instruction : instructions(function)) {
    auto *access = dyn_cast<GetElementPtrInst>(&instruction);
    if (!access || access->getType()->getPointerAddressSpace() != kSharedAddressSpace)
      continue;
    std::optional<Address> address = readAddress(access);
    if (!address || alignmentOf(address->root).value() <= address->mask)
      continue;
    Family &family = families[{address->root, address->x}];
    family.accesses.push_back({access, *address});
    if (isRepeated(*access, *address, loops))
      family.repeated.insert(address->mask);
  }
  for (auto &[parts, family] : families) {
    if (family.repeated.size() < kMany)
      continue;
    llvm::Value *sum = sumOf(family.accesses.front().second, function, order);
    for (auto &[access, address] : family.accesses)
      rewrite(*access, address, sum);
    // Accesses may be bases of others, which come later.
    for (auto &[access, address] : llvm::reverse(family.accesses))
      access->eraseFromParent();
  }
}

} // namespace tilec
