// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion over definitions, with a limit for how long an expression gets.

#include "tilec/Analysis/HostExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

static constexpr unsigned kMaxExpressionOps = 32;

bool tilec::isGivenArgument(Value value, func::FuncOp func) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &func.front();
}

/// The operator of an operation that the host can compute as well; empty for any other.
static StringRef operatorOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::AddIOp) { return "+"; })
      .Case([](arith::SubIOp) { return "-"; })
      .Case([](arith::MulIOp) { return "*"; })
      .Case([](arith::DivSIOp) { return "/"; })
      .Case([](arith::MaxSIOp) { return ">"; })
      .Default([](Operation *) { return ""; });
}

/// Appends `value` in postfix notation; false when the host does not know it.
static bool append(Value value, func::FuncOp func, std::string &text, unsigned &budget) {
  if (budget-- == 0)
    return false;
  auto appendWord = [&](const Twine &word) {
    if (!text.empty())
      text += " ";
    text += word.str();
    return true;
  };
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return appendWord(Twine(*number));
  if (tilec::isGivenArgument(value, func))
    return isa<IntegerType>(value.getType()) &&
           appendWord("%" + Twine(cast<BlockArgument>(value).getArgNumber()));
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return append(op->getOperand(0), func, text, budget);
  StringRef symbol = operatorOf(op);
  return !symbol.empty() && append(op->getOperand(0), func, text, budget) &&
         append(op->getOperand(1), func, text, budget) && appendWord(symbol);
}

std::optional<std::string> tilec::hostExpression(Value value, func::FuncOp func) {
  std::string text;
  unsigned budget = kMaxExpressionOps;
  if (!append(value, func, text, budget))
    return std::nullopt;
  return text;
}
