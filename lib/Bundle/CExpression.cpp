// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CExpression.h. Both notations become the steps of tilecrt/data/GridExpr.h, which a stack of
// texts turns into C.

#include "CExpression.h"

#include "tilecrt/data/GridExpr.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;
using tilecrt::Expression;
using tilecrt::ExprStep;
using tilecrt::Result;
using Kind = tilecrt::ExprStep::Kind;

namespace tilec {

/// The loader's function for an operation.
static StringRef functionOf(Kind kind) {
  switch (kind) {
  case Kind::number:
  case Kind::name:
    break;
  case Kind::add:
    return "bundle_sum";
  case Kind::subtract:
    return "bundle_difference";
  case Kind::multiply:
    return "bundle_product";
  case Kind::floorDivide:
    return "bundle_quotient";
  case Kind::truncatingDivide:
    return "bundle_cut_quotient";
  case Kind::exactDivide:
    return "bundle_exact_quotient";
  case Kind::modulo:
    return "bundle_rest";
  case Kind::ceilDivide:
    return "bundle_cdiv";
  case Kind::min:
    return "bundle_min";
  case Kind::max:
    return "bundle_max";
  case Kind::nextPowerOf2:
    return "bundle_next_power_of_2";
  }
  return "";
}

/// An expression whose operations have their operands.
static Result<std::string> expressionInC(const Expression &expression, const CNameLookup &names) {
  std::vector<std::string> stack;
  for (const ExprStep &step : expression) {
    if (step.kind == Kind::number) {
      stack.push_back("INT64_C(" + std::to_string(step.number) + ")");
      continue;
    }
    if (step.kind == Kind::name) {
      std::optional<std::string> known = names(step.name);
      if (!known)
        return tilecrt::invalidArgument("column " + std::to_string(step.column) +
                                        ": unknown name '" + step.name + "'");
      stack.push_back(std::move(*known));
      continue;
    }
    size_t operands = step.kind == Kind::nextPowerOf2 ? 1 : 2;
    if (stack.size() < operands)
      return tilecrt::internalError("an operation has no operands");
    std::string call = (functionOf(step.kind) + "(").str();
    for (size_t i = stack.size() - operands; i < stack.size(); ++i)
      call += (i + operands == stack.size() ? "" : ", ") + stack[i];
    // These cannot go wrong.
    call += step.kind == Kind::min || step.kind == Kind::max ? ")" : ", &bundle_wrong)";
    stack.resize(stack.size() - operands);
    stack.push_back(std::move(call));
  }
  if (stack.size() != 1)
    return tilecrt::internalError("an expression has " + std::to_string(stack.size()) + " values");
  return std::move(stack.front());
}

Result<std::vector<std::string>> gridInC(std::string_view text, const CNameLookup &names) {
  std::string where = "grid '" + std::string(text.substr(0, 80)) + "'";
  Result<std::vector<Expression>> list = tilecrt::parseExpressions(text, 3);
  if (!list.ok())
    return list.status().withContext(where);
  std::vector<std::string> results;
  for (const Expression &expression : *list) {
    Result<std::string> result = expressionInC(expression, names);
    if (!result.ok())
      return result.status().withContext(where);
    results.push_back(std::move(*result));
  }
  return results;
}

Result<std::string> postfixInC(std::string_view text, const std::vector<std::string> &arguments) {
  Expression expression;
  llvm::SmallVector<StringRef> words;
  StringRef(text).split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    ExprStep step;
    step.kind = llvm::StringSwitch<Kind>(word)
                    .Case("+", Kind::add)
                    .Case("-", Kind::subtract)
                    .Case("*", Kind::multiply)
                    .Case("/", Kind::truncatingDivide)
                    .Case(">", Kind::max)
                    .Default(word.starts_with("%") ? Kind::name : Kind::number);
    step.name = word.str();
    if (step.kind == Kind::number && word.getAsInteger(10, step.number))
      return tilecrt::internalError("a tensor map's size is '" + std::string(text) + "'");
    expression.push_back(std::move(step));
  }
  auto argument = [&](std::string_view name) -> std::optional<std::string> {
    size_t number = 0;
    if (StringRef(name).drop_front().getAsInteger(10, number) || number >= arguments.size())
      return std::nullopt;
    return "((int64_t)" + arguments[number] + ")";
  };
  Result<std::string> result = expressionInC(expression, argument);
  if (!result.ok())
    return tilecrt::internalError("a tensor map's size is '" + std::string(text) +
                                  "': " + result.message());
  return result;
}

} // namespace tilec
