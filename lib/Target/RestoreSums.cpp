// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reassociate forgets that the sums it makes anew do not wrap, and takes sums with several uses for
// leaves. The offset sext((x + c) + d) of one element of a thread is then no constant away from
// that of another, each of which has an address of its own in registers. Here:
//
//   (x + c) + d        ->  x + (c + d)    whatever other uses x + c has
//   a + b              ->  a + b nsw      where it does not wrap
//
// and in functions with many addresses, where LLVM's straight-line strength reduction would take
// seconds and is left out,
//
//   (x + c) + (y + d)  ->  (x + y) + (c + d)    with one x + y for all

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

/// Sums, products and addresses for which straight-line strength reduction takes about as long as
/// all the rest.
static constexpr int64_t kManyAddresses = 512;

bool hasManyAddresses(const Function &function) {
  auto isOfAddress = [](const Instruction &instruction) {
    return isa<GetElementPtrInst>(instruction) || instruction.getOpcode() == Instruction::Add ||
           instruction.getOpcode() == Instruction::Mul;
  };
  return llvm::count_if(instructions(function), isOfAddress) > kManyAddresses;
}

namespace {
/// A value as x + constant; a constant has no x.
struct SplitSum {
  llvm::Value *x;
  APInt constant;
  bool nuw = true;

  /// A sum stays one x unless it is `separable`.
  SplitSum(llvm::Value *value, bool separable)
      : x(value), constant(APInt::getZero(value->getType()->getIntegerBitWidth())) {
    llvm::Value *inner = nullptr;
    const APInt *c = nullptr;
    if (match(value, m_APInt(c))) {
      x = nullptr;
      constant = *c;
    } else if (separable && match(value, m_CombineOr(m_Add(m_Value(inner), m_APInt(c)),
                                                     m_DisjointOr(m_Value(inner), m_APInt(c))))) {
      auto *sum = dyn_cast<OverflowingBinaryOperator>(value);
      x = inner;
      constant = *c;
      nuw = !sum || sum->hasNoUnsignedWrap();
    }
  }
};

class SumRestorer {
public:
  SumRestorer(Function &function, bool joinsSums)
      : fn(function), query(function.getDataLayout()), joins(joinsSums) {}

  void run();

private:
  /// The sum with its constants added up; null when it has only one, and stands last.
  llvm::Value *addUpConstants(Instruction &sum);
  /// x + y, made once in a block.
  llvm::Value *baseOf(IRBuilder<> &builder, llvm::Value *x, llvm::Value *y, bool nuw);
  void markNoWrap(llvm::Value *value);

  Function &fn;
  const SimplifyQuery query;
  bool joins;
  /// Sums that were made in the block.
  llvm::DenseMap<std::pair<llvm::Value *, llvm::Value *>, llvm::Value *> bases;
};
} // namespace

llvm::Value *SumRestorer::baseOf(IRBuilder<> &builder, llvm::Value *x, llvm::Value *y, bool nuw) {
  llvm::Value *&base = bases[{std::min(x, y), std::max(x, y)}];
  if (!base) {
    base = builder.CreateAdd(x, y, "", nuw);
    markNoWrap(base);
  } else if (auto *sum = dyn_cast<Instruction>(base); sum && !nuw) {
    sum->setHasNoUnsignedWrap(false);
  }
  return base;
}

llvm::Value *SumRestorer::addUpConstants(Instruction &sum) {
  // Behind a constant any sum is taken apart; behind another sum not one of another block, which
  // may stand in front of the loop that this one is in.
  bool isJoined = !isa<ConstantInt>(sum.getOperand(1));
  if (isJoined && !joins)
    return nullptr;
  auto splitOperand = [&](unsigned number) {
    auto *op = dyn_cast<Instruction>(sum.getOperand(number));
    return SplitSum(sum.getOperand(number),
                    !isJoined || (op && op->getParent() == sum.getParent()));
  };
  SplitSum a = splitOperand(0), b = splitOperand(1);
  if (!a.x || (a.constant.isZero() && (!b.x || b.constant.isZero())))
    return nullptr;
  bool wraps = false;
  APInt constant = a.constant.uadd_ov(b.constant, wraps);
  auto *add = dyn_cast<OverflowingBinaryOperator>(&sum);
  bool nuw = (!add || add->hasNoUnsignedWrap()) && a.nuw && b.nuw && !wraps;
  IRBuilder<> builder(&sum);
  llvm::Value *base = b.x ? baseOf(builder, a.x, b.x, nuw) : a.x;
  return builder.CreateAdd(base, ConstantInt::get(sum.getType(), constant), "", nuw);
}

void SumRestorer::markNoWrap(llvm::Value *value) {
  auto *sum = dyn_cast<AddOperator>(value);
  auto *made = dyn_cast<Instruction>(value);
  if (sum && made && !made->hasNoSignedWrap() &&
      computeOverflowForSignedAdd(sum, query.getWithInstruction(made)) ==
          OverflowResult::NeverOverflows)
    made->setHasNoSignedWrap();
}

void SumRestorer::run() {
  SmallVector<Instruction *> replaced;
  for (BasicBlock &block : fn) {
    bases.clear();
    for (Instruction &instruction : block) {
      bool isSum = joins ? match(&instruction, m_AddLike(m_Value(), m_Value()))
                         : isa<AddOperator>(instruction);
      if (!isSum || !instruction.getType()->isIntegerTy())
        continue;
      llvm::Value *made = addUpConstants(instruction);
      if (made) {
        instruction.replaceAllUsesWith(made);
        replaced.push_back(&instruction);
      }
      markNoWrap(made ? made : &instruction);
    }
  }
  for (Instruction *instruction : replaced)
    instruction->eraseFromParent();
}

void restoreSums(Function &function, bool joins) { SumRestorer(function, joins).run(); }

} // namespace tilec
