// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dot's sums are converted to 16 bits behind its wait, and packed in pairs where they are stored,
// which may be some blocks later, or stored one by one. The instruction that converts two at once
// (cvt.rn.bf16x2.f32) is chosen within a block only. One that converts a single accumulator ptxas
// may move into the loop that sums; then it has every wgmma of the kernel wait for the one before
// ("serialized", C7514). Packed values take half the registers, too.

#include "PackConversions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

namespace tilec {

namespace patterns = llvm::PatternMatch;

static bool hasDotsInFlight(llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](llvm::Instruction &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    auto *text = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
    return text && llvm::StringRef(text->getAsmString()).contains("wgmma.mma_async");
  });
}

/// Converts what a mask has chosen rather than chooses what was converted, where the other choice
/// is a constant: InstCombine had them the other way, in which each element is converted by itself
/// and takes a register until it is packed.
static void selectBeforeConversions(llvm::Function &function) {
  llvm::SmallVector<llvm::Instruction *> replaced;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (!select || !select->getType()->is16bitFPTy())
      continue;
    for (bool whenTrue : {true, false}) {
      llvm::Value *chosen = whenTrue ? select->getTrueValue() : select->getFalseValue();
      auto *other = llvm::dyn_cast<llvm::ConstantFP>(whenTrue ? select->getFalseValue()
                                                              : select->getTrueValue());
      llvm::Value *wide = nullptr;
      if (!other || !patterns::match(
                        chosen, patterns::m_OneUse(patterns::m_FPTrunc(patterns::m_Value(wide)))))
        continue;
      llvm::APFloat exact = other->getValueAPF();
      bool losesInfo = false;
      exact.convert(wide->getType()->getFltSemantics(), llvm::APFloat::rmNearestTiesToEven,
                    &losesInfo);
      llvm::IRBuilder<> builder(select);
      llvm::Value *constant = llvm::ConstantFP::get(wide->getType(), exact);
      llvm::Value *value = builder.CreateSelect(select->getCondition(), whenTrue ? wide : constant,
                                                whenTrue ? constant : wide);
      select->replaceAllUsesWith(builder.CreateFPTrunc(value, select->getType()));
      // The select first: it is what uses the conversion.
      replaced.append({select, llvm::cast<llvm::Instruction>(chosen)});
      break;
    }
  }
  for (llvm::Instruction *instruction : replaced)
    instruction->eraseFromParent();
}

/// The two conversions in one block that `pack` makes a pair of; null if it is no such pair.
static std::pair<llvm::Instruction *, llvm::Instruction *>
findConversions(llvm::InsertElementInst &pack) {
  llvm::Instruction *low = nullptr, *high = nullptr;
  auto conversion = [](llvm::Instruction *&bound) {
    return patterns::m_CombineAnd(patterns::m_FPTrunc(patterns::m_Value()),
                                  patterns::m_Instruction(bound));
  };
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(pack.getType());
  if (!type || type->getNumElements() != 2 || type->getScalarSizeInBits() != 16 ||
      !patterns::match(
          &pack, patterns::m_InsertElt(patterns::m_InsertElt(patterns::m_Undef(), conversion(low),
                                                             patterns::m_ZeroInt()),
                                       conversion(high), patterns::m_One())))
    return {};
  if (low->getParent() != high->getParent())
    return {};
  return {low, high};
}

/// Moves what packs two conversions behind them.
static void moveToConversions(llvm::Function &function) {
  llvm::SmallVector<std::pair<llvm::InsertElementInst *, llvm::Instruction *>> pairs;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *pack = llvm::dyn_cast<llvm::InsertElementInst>(&instruction);
    auto [low, high] =
        pack ? findConversions(*pack) : std::pair<llvm::Instruction *, llvm::Instruction *>();
    if (low && low->getParent() != pack->getParent())
      pairs.emplace_back(pack, low->comesBefore(high) ? high : low);
  }
  for (auto [pack, last] : pairs) {
    auto *first = llvm::cast<llvm::Instruction>(pack->getOperand(0));
    first->moveAfter(last);
    pack->moveAfter(first);
  }
}

/// Whether only pairs in its own block are made of a conversion.
static bool isPacked(llvm::Instruction &conversion) {
  return llvm::all_of(conversion.users(), [&](llvm::User *user) {
    auto *pack = llvm::dyn_cast<llvm::InsertElementInst>(user);
    if (pack && pack->hasOneUse())
      if (auto *outer = llvm::dyn_cast<llvm::InsertElementInst>(pack->user_back()))
        pack = outer;
    return pack && pack->getParent() == conversion.getParent() && findConversions(*pack).first;
  });
}

/// Converts `low` and `high`, of which the latter stands behind the former, with one instruction.
static void convertTogether(llvm::Instruction &low, llvm::Instruction &high) {
  llvm::IRBuilder<> builder(&high);
  llvm::Intrinsic::ID together = low.getType()->isBFloatTy() ? llvm::Intrinsic::nvvm_ff2bf16x2_rn
                                                             : llvm::Intrinsic::nvvm_ff2f16x2_rn;
  llvm::Value *pair =
      builder.CreateIntrinsic(together, {}, {high.getOperand(0), low.getOperand(0)});
  low.replaceAllUsesWith(builder.CreateExtractElement(pair, uint64_t(0)));
  high.replaceAllUsesWith(builder.CreateExtractElement(pair, uint64_t(1)));
  low.eraseFromParent();
  high.eraseFromParent();
}

/// Conversions of a block that are not packed, two by two.
static void pairConversions(llvm::BasicBlock &block) {
  llvm::SmallVector<llvm::Instruction *> single;
  for (llvm::Instruction &instruction : block)
    if (patterns::match(&instruction, patterns::m_FPTrunc(patterns::m_Value())) &&
        instruction.getType()->is16bitFPTy() && instruction.getOperand(0)->getType()->isFloatTy() &&
        !isPacked(instruction))
      single.push_back(&instruction);
  auto isUsedBefore = [](llvm::Instruction *conversion, llvm::Instruction *place) {
    return llvm::any_of(conversion->users(), [&](llvm::User *user) {
      auto *instruction = llvm::cast<llvm::Instruction>(user);
      return instruction->getParent() == place->getParent() && instruction->comesBefore(place);
    });
  };
  for (size_t i = 1; i < single.size(); ++i) {
    llvm::Instruction *low = single[i - 1], *high = single[i];
    if (low->getType() != high->getType() || isUsedBefore(low, high))
      continue;
    convertTogether(*low, *high);
    ++i;
  }
}

void packConversions(llvm::Function &function) {
  if (!hasDotsInFlight(function))
    return;
  selectBeforeConversions(function);
  moveToConversions(function);
  for (llvm::BasicBlock &block : function)
    pairConversions(block);
}

} // namespace tilec
