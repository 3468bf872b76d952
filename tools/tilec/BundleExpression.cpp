// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive descent over grids, a stack for postfix. The first failure sticks.

#include "BundleExpression.h"

#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;
using tilecrt::Result;

namespace tilec::tool {

namespace {

constexpr size_t maxTextLength = 4096;
constexpr unsigned maxDepth = 64;

/// A call of the loader's arithmetic.
std::string call(StringRef function, const std::string &a, const std::string &b) {
  return ("bundle_" + function + "(" + a + ", " + b + ", &bundle_wrong)").str();
}

class Translator {
public:
  Translator(StringRef expressions, const CNameLookup &lookup)
      : text(expressions), rest(expressions), names(lookup) {}

  Result<std::vector<std::string>> translate() {
    std::vector<std::string> results;
    if (text.size() > maxTextLength)
      fail("longer than " + llvm::Twine(maxTextLength) + " characters");
    do {
      if (results.size() == 3)
        fail("expected at most 3 expressions");
      results.push_back(sum());
    } while (failure.empty() && take(","));
    rest = rest.ltrim();
    if (!rest.empty())
      fail("unexpected '" + rest.take_front(1) + "'");
    if (!failure.empty())
      return tilecrt::invalidArgument("grid '" + text.take_front(80).str() + "': " + failure);
    return results;
  }

private:
  std::string fail(const llvm::Twine &message) {
    if (failure.empty())
      failure = "column " + std::to_string(text.size() - rest.size() + 1) + ": " + message.str();
    rest = "";
    return "0";
  }

  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  std::string sum() {
    std::string value = term();
    while (failure.empty()) {
      if (take("+"))
        value = call("sum", value, term());
      else if (take("-"))
        value = call("difference", value, term());
      else
        break;
    }
    return value;
  }

  std::string term() {
    std::string value = factor();
    while (failure.empty()) {
      if (take("**"))
        return fail("'**' is not supported");
      if (take("*"))
        value = call("product", value, factor());
      else if (take("//"))
        value = call("quotient", value, factor());
      else if (take("/"))
        value = call("exact_quotient", value, factor());
      else if (take("%"))
        value = call("rest", value, factor());
      else
        break;
    }
    return value;
  }

  std::string factor() {
    if (depth == maxDepth)
      return fail("nested deeper than " + llvm::Twine(maxDepth) + " levels");
    ++depth;
    std::string value = unnestedFactor();
    --depth;
    return value;
  }

  std::string unnestedFactor() {
    if (take("-"))
      return call("difference", "0", factor());
    if (take("+"))
      return factor();
    if (take("(")) {
      std::string value = sum();
      return take(")") ? value : fail("expected ')'");
    }
    StringRef word = takeWord();
    if (word.empty())
      return fail("expected a number, a name or '('");
    if (llvm::isDigit(word.front())) {
      int64_t number = 0;
      if (word.getAsInteger(10, number))
        return fail("'" + word + "' is not a number of 64 bits");
      return "INT64_C(" + std::to_string(number) + ")";
    }
    if ((word == "triton" || word == "tl") && rest.consume_front("."))
      return function(takeWord());
    if (take("("))
      return arguments(word);
    std::string name = word.str();
    if (rest.consume_front("."))
      name += "." + takeWord().str();
    std::optional<std::string> known = names(name);
    return known ? *known : fail("unknown name '" + name + "'");
  }

  StringRef takeWord() {
    rest = rest.ltrim();
    StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(word.size());
    return word;
  }

  std::string function(StringRef name) {
    return take("(") ? arguments(name)
                     : fail("expected a call of cdiv, min, max or next_power_of_2");
  }

  /// A call, behind its '('.
  std::string arguments(StringRef name) {
    std::vector<std::string> values;
    do
      values.push_back(sum());
    while (failure.empty() && take(","));
    if (failure.empty() && !take(")"))
      return fail("expected ',' or ')'");
    if (name == "cdiv" && values.size() == 2)
      return call("cdiv", values[0], values[1]);
    if (name == "next_power_of_2" && values.size() == 1)
      return "bundle_next_power_of_2(" + values[0] + ", &bundle_wrong)";
    if (name != "min" && name != "max")
      return fail("'" + name + "' with " + llvm::Twine(values.size()) +
                  " arguments, expected cdiv with 2, next_power_of_2 with 1, min or max");
    std::string value = values.front();
    for (size_t i = 1; i < values.size(); ++i)
      value = ("bundle_" + name + "(" + value + ", " + values[i] + ")").str();
    return value;
  }

  StringRef text, rest;
  const CNameLookup &names;
  unsigned depth = 0;
  std::string failure;
};

} // namespace

Result<std::vector<std::string>> gridInC(std::string_view text, const CNameLookup &names) {
  return Translator(text, names).translate();
}

Result<std::string> postfixInC(std::string_view text, const std::vector<std::string> &arguments) {
  std::vector<std::string> stack;
  llvm::SmallVector<StringRef> words;
  StringRef(text).split(words, ' ', -1, /*KeepEmpty=*/false);
  auto broken = [&] {
    return tilecrt::internalError("a tensor map's size is '" + std::string(text) + "'");
  };
  for (StringRef word : words) {
    StringRef function = word == "+"   ? "sum"
                         : word == "-" ? "difference"
                         : word == "*" ? "product"
                         : word == "/" ? "cut_quotient"
                                       : "";
    int64_t number = 0;
    bool isArgument = word.consume_front("%");
    if (!function.empty()) {
      if (stack.size() < 2)
        return broken();
      std::string right = std::move(stack.back());
      stack.pop_back();
      stack.back() = call(function, stack.back(), right);
    } else if (word.getAsInteger(10, number) ||
               (isArgument && (number < 0 || size_t(number) >= arguments.size()))) {
      return broken();
    } else {
      stack.push_back(isArgument ? "((int64_t)" + arguments[size_t(number)] + ")"
                                 : "INT64_C(" + std::to_string(number) + ")");
    }
  }
  if (stack.size() != 1)
    return broken();
  return stack.front();
}

} // namespace tilec::tool
