// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a thread have indices x | c with one x and many constants c. InstCombine leaves
// (x | c) << k alone when x | c has another use; then every element has an address of its own in
// registers. Here the constant is taken out whatever the uses are, so that one base and constant
// offsets are left:
//
//   (x | c) << k  ->  (x << k) | (c << k)
//   (x | c) * k   ->  x * k + c * k       when the product does not wrap

#include "SeparateConstants.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec {

/// x and c of x | c without common bits, or of x + c that does not wrap.
static bool matchDisjoint(llvm::Value *value, llvm::Value *&x, const APInt *&c) {
  return match(value, m_DisjointOr(m_Value(x), m_APInt(c))) ||
         match(value, m_NUWAdd(m_Value(x), m_APInt(c)));
}

static bool separate(Instruction &instruction) {
  llvm::Value *factor = nullptr, *x = nullptr;
  const APInt *amount = nullptr, *c = nullptr;
  IRBuilder<> builder(&instruction);
  auto *operation = dyn_cast<OverflowingBinaryOperator>(&instruction);
  if (!operation || !instruction.getType()->isIntegerTy())
    return false;
  bool nuw = operation->hasNoUnsignedWrap(), nsw = operation->hasNoSignedWrap();
  llvm::Value *result = nullptr;
  if (match(&instruction, m_Shl(m_Value(factor), m_APInt(amount))) &&
      match(factor, m_DisjointOr(m_Value(x), m_APInt(c)))) {
    llvm::Value *base =
        builder.CreateShl(x, ConstantInt::get(instruction.getType(), *amount), "", nuw, nsw && nuw);
    result =
        builder.CreateOr(base, ConstantInt::get(instruction.getType(), c->shl(*amount)), "", true);
  } else if (match(&instruction, m_Mul(m_Value(factor), m_APInt(amount))) && nuw && nsw &&
             matchDisjoint(factor, x, c)) {
    llvm::Value *base =
        builder.CreateMul(x, ConstantInt::get(instruction.getType(), *amount), "", true, true);
    result = builder.CreateAdd(base, ConstantInt::get(instruction.getType(), *c * *amount), "",
                               true, true);
  }
  if (!result)
    return false;
  instruction.replaceAllUsesWith(result);
  return true;
}

void separateConstants(Function &function) {
  SmallVector<Instruction *> replaced;
  // What a replacement makes is looked at when the walk comes to its users.
  for (Instruction &instruction : instructions(function))
    if (separate(instruction))
      replaced.push_back(&instruction);
  for (Instruction *instruction : replaced)
    instruction->eraseFromParent();
}

} // namespace tilec
