// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reassociate forgets that the sums it makes anew do not wrap, and takes sums with several uses for
// leaves. The offset sext((x + c) + d) of one element of a thread is then no constant away from
// that of another, each of which has an address of its own in registers. Here:
//
//   (x + c) + d  ->  x + (c + d)    whatever other uses x + c has
//   a + b        ->  a + b nsw      where it does not wrap

#include "RestoreSums.h"

#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilec {

/// The sum with its constants added up; null when it has only one.
static llvm::Value *addUpConstants(Instruction &sum) {
  llvm::Value *inner = nullptr, *x = nullptr;
  const APInt *c = nullptr, *d = nullptr;
  if (!match(&sum, m_Add(m_Value(inner), m_APInt(d))) ||
      !match(inner,
             m_CombineOr(m_Add(m_Value(x), m_APInt(c)), m_DisjointOr(m_Value(x), m_APInt(c)))))
    return nullptr;
  auto *innerSum = dyn_cast<OverflowingBinaryOperator>(inner);
  bool nuw = sum.hasNoUnsignedWrap() && (!innerSum || innerSum->hasNoUnsignedWrap());
  bool wraps = false;
  APInt constant = c->uadd_ov(*d, wraps);
  return IRBuilder<>(&sum).CreateAdd(x, ConstantInt::get(sum.getType(), constant), "",
                                     nuw && !wraps);
}

void restoreSums(Function &function) {
  const SimplifyQuery query(function.getDataLayout());
  SmallVector<Instruction *> replaced;
  for (Instruction &instruction : instructions(function)) {
    if (!isa<AddOperator>(instruction) || !instruction.getType()->isIntegerTy())
      continue;
    Instruction *sum = &instruction;
    if (llvm::Value *made = addUpConstants(instruction)) {
      instruction.replaceAllUsesWith(made);
      replaced.push_back(&instruction);
      sum = dyn_cast<Instruction>(made);
    }
    if (sum && !sum->hasNoSignedWrap() &&
        computeOverflowForSignedAdd(cast<AddOperator>(sum), query.getWithInstruction(sum)) ==
            OverflowResult::NeverOverflows)
      sum->setHasNoSignedWrap();
  }
  for (Instruction *instruction : replaced)
    instruction->eraseFromParent();
}

} // namespace tilec
