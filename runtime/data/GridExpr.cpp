// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive descent that evaluates as it parses. The first failure sticks; after it every function
// returns at once with 0, so no result of a failed part is ever used.

#include "tilecrt/data/GridExpr.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>

namespace tilecrt {

namespace {

constexpr size_t maxTextLength = 4096;
constexpr unsigned maxDepth = 64;
constexpr int64_t maxGridExtent = std::numeric_limits<int32_t>::max();

/// Python's floor division and modulo; the divisor is not 0 and the quotient does not overflow.
int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a % b < 0) != (b < 0));
}

int64_t floorModulo(int64_t a, int64_t b) {
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

class Evaluator {
public:
  Evaluator(std::string_view expression, const NameLookup &names)
      : text(expression), lookup(names) {}

  /// Expressions up to the end of the text, separated by commas; at most `limit` of them.
  Result<std::vector<int64_t>> parseList(size_t limit) {
    std::vector<int64_t> values;
    if (text.size() > maxTextLength)
      fail(maxTextLength,
           "the expression is longer than " + std::to_string(maxTextLength) + " characters");
    do {
      if (values.size() == limit)
        fail(position, limit == 1 ? "expected one expression"
                                  : "expected at most " + std::to_string(limit) + " expressions");
      values.push_back(parseSum());
    } while (failure.ok() && take(","));
    if (failure.ok() && !atEnd())
      fail(position, "unexpected '" + nextToken() + "'");
    if (!failure.ok())
      return failure;
    return values;
  }

private:
  int64_t fail(size_t at, const std::string &message) {
    if (failure.ok())
      failure = invalidArgument("column " + std::to_string(at + 1) + ": " + message);
    return 0;
  }

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

  int64_t add(int64_t a, int64_t b, size_t at) {
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? overflow(at) : sum;
  }

  int64_t subtract(int64_t a, int64_t b, size_t at) {
    int64_t difference = 0;
    return __builtin_sub_overflow(a, b, &difference) ? overflow(at) : difference;
  }

  int64_t multiply(int64_t a, int64_t b, size_t at) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? overflow(at) : product;
  }

  int64_t overflow(size_t at) { return fail(at, "the value does not fit 64 bits"); }

  int64_t parseSum() {
    int64_t value = parseTerm();
    while (failure.ok()) {
      skipSpace();
      size_t at = position;
      if (take("+"))
        value = add(value, parseTerm(), at);
      else if (take("-"))
        value = subtract(value, parseTerm(), at);
      else
        break;
    }
    return value;
  }

  int64_t parseTerm() {
    int64_t value = parseFactor();
    while (failure.ok()) {
      skipSpace();
      size_t at = position;
      if (take("**"))
        return fail(at, "'**' is not supported");
      if (take("*"))
        value = multiply(value, parseFactor(), at);
      else if (take("//"))
        value = divide(value, parseFactor(), at, false);
      else if (take("/"))
        value = divide(value, parseFactor(), at, true);
      else if (take("%"))
        value = modulo(value, parseFactor(), at);
      else
        break;
    }
    return value;
  }

  int64_t divide(int64_t a, int64_t b, size_t at, bool exact) {
    if (!failure.ok())
      return 0;
    if (b == 0)
      return fail(at, "division by zero");
    if (a == std::numeric_limits<int64_t>::min() && b == -1)
      return overflow(at);
    if (exact && a % b != 0)
      return fail(at, std::to_string(a) + " / " + std::to_string(b) +
                          " is not a whole number; use '//' or cdiv");
    return floorDivide(a, b);
  }

  int64_t modulo(int64_t a, int64_t b, size_t at) {
    if (!failure.ok())
      return 0;
    if (b == 0)
      return fail(at, "modulo by zero");
    return b == -1 ? 0 : floorModulo(a, b);
  }

  int64_t parseFactor() {
    skipSpace();
    size_t at = position;
    if (!failure.ok())
      return 0;
    if (depth == maxDepth)
      return fail(at, "nested deeper than " + std::to_string(maxDepth) + " levels");
    ++depth;
    int64_t value = parseUnnestedFactor(at);
    --depth;
    return value;
  }

  int64_t parseUnnestedFactor(size_t at) {
    if (atEnd())
      return fail(at, "expected a number, a name or '('");
    if (take("-"))
      return subtract(0, parseFactor(), at);
    if (take("+"))
      return parseFactor();
    if (take("(")) {
      int64_t value = parseSum();
      if (failure.ok() && !take(")"))
        fail(position, "expected ')'");
      return value;
    }
    unsigned char c = static_cast<unsigned char>(text[position]);
    if (std::isdigit(c))
      return parseNumber();
    if (std::isalpha(c) || c == '_')
      return parseNameOrCall();
    return fail(at, "expected a number, a name or '(', got '" + nextToken() + "'");
  }

  int64_t parseNumber() {
    size_t at = position;
    int64_t value = 0;
    for (; position < text.size() && std::isdigit(static_cast<unsigned char>(text[position]));
         ++position)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text[position] - '0'), &value))
        return fail(at, "the number does not fit 64 bits");
    if (position < text.size() && (isNameChar(text[position]) || text[position] == '.'))
      return fail(position, "expected an operator after the integer, got '" + nextToken() + "'");
    return value;
  }

  static bool isNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string_view parseName() {
    size_t first = position;
    while (position < text.size() && isNameChar(text[position]))
      ++position;
    return text.substr(first, position - first);
  }

  int64_t parseNameOrCall() {
    size_t at = position;
    std::string_view name = parseName();
    if ((name == "triton" || name == "tl") && position < text.size() && text[position] == '.') {
      ++position;
      name = parseName();
      if (!take("("))
        return fail(at, "expected a call of cdiv, min, max or next_power_of_2");
      return parseCall(name, at);
    }
    if (take("("))
      return parseCall(name, at);
    // A fact about an array, such as 'x.size', is looked up as a whole.
    if (position < text.size() && text[position] == '.') {
      ++position;
      parseName();
      name = text.substr(at, position - at);
    }
    std::optional<int64_t> value = lookup ? lookup(name) : std::nullopt;
    if (!value)
      return fail(at, "unknown name '" + std::string(name) + "'");
    return *value;
  }

  int64_t parseCall(std::string_view name, size_t at) {
    std::vector<int64_t> arguments;
    if (!take(")")) {
      do
        arguments.push_back(parseSum());
      while (failure.ok() && take(","));
      if (failure.ok() && !take(")"))
        fail(position, "expected ',' or ')'");
    }
    if (!failure.ok())
      return 0;
    auto wrongCount = [&](const char *expected) {
      return fail(at, "'" + std::string(name) + "' takes " + expected + ", got " +
                          std::to_string(arguments.size()));
    };
    if (name == "cdiv")
      return arguments.size() == 2 ? ceilDivide(arguments[0], arguments[1], at)
                                   : wrongCount("2 arguments");
    if (name == "min")
      return arguments.empty() ? wrongCount("1 or more arguments")
                               : *std::min_element(arguments.begin(), arguments.end());
    if (name == "max")
      return arguments.empty() ? wrongCount("1 or more arguments")
                               : *std::max_element(arguments.begin(), arguments.end());
    if (name == "next_power_of_2")
      return arguments.size() == 1 ? nextPowerOf2(arguments[0], at) : wrongCount("1 argument");
    return fail(at, "unknown function '" + std::string(name) +
                        "', expected cdiv, min, max or next_power_of_2");
  }

  int64_t ceilDivide(int64_t a, int64_t b, size_t at) {
    int64_t quotient = divide(a, b, at, false);
    return failure.ok() && floorModulo(a, b == -1 ? 1 : b) != 0 ? quotient + 1 : quotient;
  }

  int64_t nextPowerOf2(int64_t value, size_t at) {
    if (value > int64_t(1) << 62)
      return overflow(at);
    int64_t power = 1;
    while (power < value)
      power *= 2;
    return power;
  }

  std::string_view text;
  const NameLookup &lookup;
  size_t position = 0;
  unsigned depth = 0;
  Status failure;
};

/// The expression for an error message, cut to a readable length.
std::string quoted(std::string_view text) {
  constexpr size_t shown = 80;
  return "'" + std::string(text.substr(0, shown)) + (text.size() > shown ? "...'" : "'");
}

} // namespace

Result<int64_t> evaluateExpression(std::string_view text, const NameLookup &lookup) {
  Result<std::vector<int64_t>> values = Evaluator(text, lookup).parseList(1);
  if (!values.ok())
    return values.status().withContext("expression " + quoted(text));
  return values->front();
}

Result<std::vector<int64_t>> evaluateGrid(std::string_view text, const NameLookup &lookup) {
  Result<std::vector<int64_t>> values = Evaluator(text, lookup).parseList(3);
  if (!values.ok())
    return values.status().withContext("grid " + quoted(text));
  for (size_t i = 0; i < values->size(); ++i)
    if (int64_t value = (*values)[i]; value < 1 || value > maxGridExtent)
      return invalidArgument("grid " + quoted(text) + ": dimension " + std::to_string(i) + " is " +
                             std::to_string(value) + ", expected 1 to " +
                             std::to_string(maxGridExtent));
  return values;
}

} // namespace tilecrt
