// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks compare the indices of a thread's elements, x | c, with one bound. With the constant alone
// on one side a comparison costs one instruction and no register but that of the difference, so
// that ptxas makes it again where it is used; else it keeps the predicates of all elements in
// registers, one in each:
//
//   x | c < n  ->  c < max(n, 0) - x      where x and c are not negative

#include "SeparateMasks.h"

#include "tilec/Support/Processor.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec {

namespace {

/// x | c < n, or its negation.
struct Mask {
  ICmpInst *compare;
  llvm::Value *index, *bound;
  APInt constant;
  bool isNegated;
};

} // namespace

/// Where a bound changes from one iteration to the next, so would the difference.
static bool isSameInLoops(const llvm::Value *bound) {
  auto *instruction = dyn_cast<Instruction>(bound);
  return !instruction || instruction->getParent()->isEntryBlock();
}

/// A comparison of an index that is not negative with a bound that no loop changes.
static std::optional<Mask> matchMask(Instruction &instruction, const SimplifyQuery &query) {
  auto *compare = dyn_cast<ICmpInst>(&instruction);
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy(32))
    return std::nullopt;
  auto matchOrder = [&](unsigned number, CmpPredicate predicate) -> std::optional<Mask> {
    if (predicate != ICmpInst::ICMP_SLT && predicate != ICmpInst::ICMP_SGE)
      return std::nullopt;
    llvm::Value *index = compare->getOperand(number), *x = nullptr;
    const APInt *c = nullptr;
    APInt constant = APInt::getZero(32);
    if (match(index, m_DisjointOr(m_Value(x), m_APInt(c)))) {
      index = x;
      constant = *c;
    }
    llvm::Value *bound = compare->getOperand(1 - number);
    if (isa<Constant>(bound) || isa<Constant>(index) || constant.isNegative() ||
        !isSameInLoops(bound) || !isKnownNonNegative(index, query))
      return std::nullopt;
    return Mask{compare, index, bound, constant, predicate == ICmpInst::ICMP_SGE};
  };
  if (std::optional<Mask> mask = matchOrder(0, compare->getPredicate()))
    return mask;
  return matchOrder(1, compare->getSwappedPredicate());
}

static void separate(const Mask &mask, const SimplifyQuery &query) {
  IRBuilder<> builder(mask.compare);
  llvm::Value *bound = mask.bound;
  if (!isKnownNonNegative(bound, query))
    bound = builder.CreateBinaryIntrinsic(Intrinsic::smax, bound, builder.getInt32(0));
  llvm::Value *difference = builder.CreateNSWSub(bound, mask.index);
  mask.compare->replaceAllUsesWith(
      builder.CreateICmp(mask.isNegated ? ICmpInst::ICMP_SLE : ICmpInst::ICMP_SGT, difference,
                         builder.getInt(mask.constant)));
}

/// Fewer masks than this keep their indices: there are seven predicates, and the difference takes
/// two instructions. Threads with few registers, which have none left for it, need more masks.
constexpr size_t kMinMasks = 16, kMinMasksOfFewRegisters = 32;
constexpr int kFewRegisters = 64;

/// The product of the numbers in an attribute, 1 without it.
static int64_t productOf(const Function &function, StringRef attribute) {
  int64_t product = 1;
  for (StringRef part : llvm::split(function.getFnAttribute(attribute).getValueAsString(), ',')) {
    int64_t factor = 1;
    if (!part.trim().getAsInteger(10, factor))
      product *= factor;
  }
  return product;
}

static bool hasFewRegisters(const Function &function) {
  int64_t threads = productOf(function, "nvvm.reqntid") * productOf(function, "nvvm.minctasm");
  return Processor::registersPerThread(threads) <= kFewRegisters;
}

/// Loads of 4 bytes and more under masks that are used by them and by one store at most: ptxas then
/// starts the loads in an order that takes 2 % longer (rows of 3001 fp32 elements on an H200, their
/// maxima or quantised), and there are no predicates to save.
static bool loadsWordsOnly(ArrayRef<Mask> masks) {
  constexpr unsigned kMaxUses = 2;
  auto isLoadOfWord = [](const User *user) {
    auto *call = dyn_cast<CallInst>(user);
    return call && call->isInlineAsm() && call->getType()->getPrimitiveSizeInBits() >= 32;
  };
  return llvm::all_of(masks, [&](const Mask &mask) {
    return mask.compare->getNumUses() <= kMaxUses &&
           llvm::any_of(mask.compare->users(), isLoadOfWord);
  });
}

void separateMasks(Function &function) {
  size_t minMasks = hasFewRegisters(function) ? kMinMasksOfFewRegisters : kMinMasks;
  SimplifyQuery query(function.getDataLayout());
  MapVector<std::pair<llvm::Value *, llvm::Value *>, SmallVector<Mask>> groups;
  for (Instruction &instruction : instructions(function))
    if (std::optional<Mask> mask = matchMask(instruction, query))
      groups[{mask->index, mask->bound}].push_back(*mask);
  for (auto &[operands, masks] : groups) {
    if (masks.size() < minMasks || loadsWordsOnly(masks))
      continue;
    for (const Mask &mask : masks) {
      separate(mask, query);
      mask.compare->eraseFromParent();
    }
  }
}

} // namespace tilec
