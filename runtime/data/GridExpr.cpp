// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive descent into postfix steps, and a stack that runs them. The first failure sticks.

#include "tilecrt/data/GridExpr.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace tilecrt {

namespace {

using Kind = ExprStep::Kind;

constexpr size_t maxTextLength = 4096;
constexpr unsigned maxDepth = 64;
constexpr int64_t maxGridExtent = std::numeric_limits<int32_t>::max();

Status failAt(size_t column, const std::string &message) {
  return invalidArgument("column " + std::to_string(column) + ": " + message);
}

//===----------------------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------------------===//

class ExprReader {
public:
  explicit ExprReader(std::string_view expressions) : text(expressions) {}

  Result<std::vector<Expression>> readList(size_t limit) {
    std::vector<Expression> list;
    if (text.size() > maxTextLength)
      fail(maxTextLength,
           "the expression is longer than " + std::to_string(maxTextLength) + " characters");
    do {
      if (list.size() == limit)
        fail(position, limit == 1 ? "expected one expression"
                                  : "expected at most " + std::to_string(limit) + " expressions");
      readSum();
      list.push_back(std::move(steps));
      steps.clear();
    } while (failure.ok() && take(","));
    if (failure.ok() && !atEnd())
      fail(position, "unexpected '" + nextToken() + "'");
    if (!failure.ok())
      return failure;
    return list;
  }

private:
  void fail(size_t at, const std::string &message) {
    if (failure.ok())
      failure = failAt(at + 1, message);
  }

  void add(Kind kind, size_t at) { steps.push_back({kind, 0, "", at + 1}); }

  void skipSpace() {
    while (position < text.size() && (text[position] == ' ' || text[position] == '\t'))
      ++position;
  }

  bool atEnd() {
    skipSpace();
    return position >= text.size();
  }

  bool take(std::string_view token) {
    skipSpace();
    if (text.substr(position, token.size()) != token)
      return false;
    position += token.size();
    return true;
  }

  /// What stands at the position, for messages.
  std::string nextToken() {
    unsigned char c = static_cast<unsigned char>(text[position]);
    return std::isprint(c) ? std::string(1, char(c)) : "byte " + std::to_string(c);
  }

  void readSum() {
    readTerm();
    while (failure.ok()) {
      skipSpace();
      size_t at = position;
      Kind kind = Kind::add;
      if (take("-"))
        kind = Kind::subtract;
      else if (!take("+"))
        return;
      readTerm();
      add(kind, at);
    }
  }

  void readTerm() {
    readFactor();
    while (failure.ok()) {
      skipSpace();
      size_t at = position;
      Kind kind = Kind::multiply;
      if (take("**"))
        return fail(at, "'**' is not supported");
      if (take("//"))
        kind = Kind::floorDivide;
      else if (take("/"))
        kind = Kind::exactDivide;
      else if (take("%"))
        kind = Kind::modulo;
      else if (!take("*"))
        return;
      readFactor();
      add(kind, at);
    }
  }

  void readFactor() {
    skipSpace();
    size_t at = position;
    if (!failure.ok())
      return;
    if (depth == maxDepth)
      return fail(at, "nested deeper than " + std::to_string(maxDepth) + " levels");
    ++depth;
    readUnnestedFactor(at);
    --depth;
  }

  void readUnnestedFactor(size_t at) {
    if (atEnd())
      return fail(at, "expected a number, a name or '('");
    if (take("-")) {
      add(Kind::number, at);
      readFactor();
      return add(Kind::subtract, at);
    }
    if (take("+"))
      return readFactor();
    if (take("(")) {
      readSum();
      if (failure.ok() && !take(")"))
        fail(position, "expected ')'");
      return;
    }
    unsigned char c = static_cast<unsigned char>(text[position]);
    if (std::isdigit(c))
      return readNumber();
    if (std::isalpha(c) || c == '_')
      return readNameOrCall();
    fail(at, "expected a number, a name or '(', got '" + nextToken() + "'");
  }

  void readNumber() {
    size_t at = position;
    int64_t value = 0;
    for (; position < text.size() && std::isdigit(static_cast<unsigned char>(text[position]));
         ++position)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text[position] - '0'), &value))
        return fail(at, "the number does not fit 64 bits");
    if (position < text.size() && (isNameChar(text[position]) || text[position] == '.'))
      return fail(position, "expected an operator after the integer, got '" + nextToken() + "'");
    steps.push_back({Kind::number, value, "", at + 1});
  }

  static bool isNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string_view readName() {
    size_t first = position;
    while (position < text.size() && isNameChar(text[position]))
      ++position;
    return text.substr(first, position - first);
  }

  void readNameOrCall() {
    size_t at = position;
    std::string_view name = readName();
    if ((name == "triton" || name == "tl") && position < text.size() && text[position] == '.') {
      ++position;
      name = readName();
      if (!take("("))
        return fail(at, "expected a call of cdiv, min, max or next_power_of_2");
      return readCall(name, at);
    }
    if (take("("))
      return readCall(name, at);
    // A fact about an array, such as 'x.size', is one name.
    if (position < text.size() && text[position] == '.') {
      ++position;
      readName();
      name = text.substr(at, position - at);
    }
    steps.push_back({Kind::name, 0, std::string(name), at + 1});
  }

  void readCall(std::string_view name, size_t at) {
    bool isMin = name == "min", isMax = name == "max";
    size_t count = 0;
    if (!take(")")) {
      do {
        readSum();
        // Of three arguments the least is that of two, and the third.
        if (++count > 1 && (isMin || isMax))
          add(isMin ? Kind::min : Kind::max, at);
      } while (failure.ok() && take(","));
      if (failure.ok() && !take(")"))
        fail(position, "expected ',' or ')'");
    }
    auto expectCount = [&](bool isRight, const char *expected) {
      if (!isRight)
        fail(at,
             "'" + std::string(name) + "' takes " + expected + ", got " + std::to_string(count));
    };
    if (isMin || isMax)
      return expectCount(count != 0, "1 or more arguments");
    if (name == "cdiv") {
      expectCount(count == 2, "2 arguments");
      return add(Kind::ceilDivide, at);
    }
    if (name == "next_power_of_2") {
      expectCount(count == 1, "1 argument");
      return add(Kind::nextPowerOf2, at);
    }
    fail(at, "unknown function '" + std::string(name) +
                 "', expected cdiv, min, max or next_power_of_2");
  }

  std::string_view text;
  size_t position = 0;
  unsigned depth = 0;
  Expression steps;
  Status failure;
};

//===----------------------------------------------------------------------------------===//
// Evaluating
//===----------------------------------------------------------------------------------===//

/// Python's floor division and modulo; the divisor is not 0 and the quotient does not overflow.
int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a % b < 0) != (b < 0));
}

int64_t floorModulo(int64_t a, int64_t b) {
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Status overflow(size_t column) { return failAt(column, "the value does not fit 64 bits"); }

Result<int64_t> divide(const ExprStep &step, int64_t a, int64_t b) {
  if (b == 0)
    return failAt(step.column, step.kind == Kind::modulo ? "modulo by zero" : "division by zero");
  if (b == -1 && step.kind == Kind::modulo)
    return 0;
  if (a == std::numeric_limits<int64_t>::min() && b == -1)
    return overflow(step.column);
  switch (step.kind) {
  case Kind::modulo:
    return floorModulo(a, b);
  case Kind::truncatingDivide:
    return a / b;
  case Kind::ceilDivide:
    return floorDivide(a, b) + (a % b != 0);
  case Kind::exactDivide:
    if (a % b != 0)
      return failAt(step.column, std::to_string(a) + " / " + std::to_string(b) +
                                     " is not a whole number; use '//' or cdiv");
    return a / b;
  default:
    return floorDivide(a, b);
  }
}

Result<int64_t> nextPowerOf2(int64_t value, size_t column) {
  if (value > int64_t(1) << 62)
    return overflow(column);
  int64_t power = 1;
  while (power < value)
    power *= 2;
  return power;
}

Result<int64_t> apply(const ExprStep &step, int64_t a, int64_t b) {
  int64_t result = 0;
  bool isTooLarge = false;
  switch (step.kind) {
  case Kind::add:
    isTooLarge = __builtin_add_overflow(a, b, &result);
    break;
  case Kind::subtract:
    isTooLarge = __builtin_sub_overflow(a, b, &result);
    break;
  case Kind::multiply:
    isTooLarge = __builtin_mul_overflow(a, b, &result);
    break;
  case Kind::min:
    return std::min(a, b);
  case Kind::max:
    return std::max(a, b);
  default:
    return divide(step, a, b);
  }
  return isTooLarge ? Result<int64_t>(overflow(step.column)) : Result<int64_t>(result);
}

/// The expression for an error message, cut to a readable length.
std::string quoted(std::string_view text) {
  constexpr size_t shown = 80;
  return "'" + std::string(text.substr(0, shown)) + (text.size() > shown ? "...'" : "'");
}

} // namespace

Result<std::vector<Expression>> parseExpressions(std::string_view text, size_t limit) {
  return ExprReader(text).readList(limit);
}

Result<int64_t> evaluate(const Expression &expression, const NameLookup &lookup) {
  std::vector<int64_t> values;
  for (const ExprStep &step : expression) {
    if (step.kind == Kind::number) {
      values.push_back(step.number);
      continue;
    }
    if (step.kind == Kind::name) {
      std::optional<int64_t> value = lookup ? lookup(step.name) : std::nullopt;
      if (!value)
        return failAt(step.column, "unknown name '" + step.name + "'");
      values.push_back(*value);
      continue;
    }
    size_t operands = step.kind == Kind::nextPowerOf2 ? 1 : 2;
    if (values.size() < operands)
      return internalError("an expression's operation has no operands");
    int64_t last = values.back();
    if (operands == 2)
      values.pop_back();
    Result<int64_t> result =
        operands == 1 ? nextPowerOf2(last, step.column) : apply(step, values.back(), last);
    if (!result.ok())
      return result.status();
    values.back() = *result;
  }
  if (values.size() != 1)
    return internalError("an expression leaves " + std::to_string(values.size()) + " values");
  return values.front();
}

Result<int64_t> evaluateExpression(std::string_view text, const NameLookup &lookup) {
  Result<std::vector<Expression>> list = parseExpressions(text, 1);
  Result<int64_t> value = list.ok() ? evaluate(list->front(), lookup) : list.status();
  if (!value.ok())
    return value.status().withContext("expression " + quoted(text));
  return value;
}

Result<std::string> replaceNames(std::string_view text, const NameLookup &lookup) {
  Result<std::vector<Expression>> list = parseExpressions(text, 3);
  if (!list.ok())
    return list.status().withContext("grid " + quoted(text));
  std::string replaced;
  size_t done = 0;
  // Operands stand in the order of the text.
  for (const Expression &expression : *list)
    for (const ExprStep &step : expression) {
      std::optional<int64_t> value =
          step.kind == Kind::name ? lookup(step.name) : std::optional<int64_t>();
      if (!value)
        continue;
      size_t begin = step.column - 1;
      replaced.append(text.substr(done, begin - done)).append(std::to_string(*value));
      done = begin + step.name.size();
    }
  return replaced.append(text.substr(done));
}

Result<std::vector<int64_t>> evaluateGrid(std::string_view text, const NameLookup &lookup) {
  Result<std::vector<Expression>> list = parseExpressions(text, 3);
  if (!list.ok())
    return list.status().withContext("grid " + quoted(text));
  std::vector<int64_t> grid;
  for (const Expression &expression : *list) {
    Result<int64_t> size = evaluate(expression, lookup);
    if (!size.ok())
      return size.status().withContext("grid " + quoted(text));
    if (*size < 1 || *size > maxGridExtent)
      return invalidArgument("grid " + quoted(text) + ": dimension " + std::to_string(grid.size()) +
                             " is " + std::to_string(*size) + ", expected 1 to " +
                             std::to_string(maxGridExtent));
    grid.push_back(*size);
  }
  return grid;
}

} // namespace tilecrt
