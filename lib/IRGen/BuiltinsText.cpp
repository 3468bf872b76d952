// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of strings, as far as kernels use them. Lengths and places count code points.

#include "Generator.h"

#include "tilec/Support/CodePoints.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::irgen {
namespace {

/// `text.strip()`
FailureOr<Value> genStrippedText(Generator &, const BoundArgs &a) {
  return Value(Constant(llvm::StringRef(a[0].value.getConstant()->getString()).trim().str()));
}

/// `text.lower()`, `text.upper()`
FailureOr<Value> genChangedCase(Generator &g, const BoundArgs &a) {
  llvm::StringRef text = a[0].value.getConstant()->getString();
  if (!isAscii(text))
    return g.error(a.range, "'" + a.builtin->name +
                                "' of a string with other than ASCII letters: " +
                                a[0].value.getConstant()->repr());
  return Value(Constant(a.builtin->name == "lower" ? text.lower() : text.upper()));
}

/// `text.startswith(part)`, also with a tuple of parts, and `text.endswith(part)`
FailureOr<Value> genTextEnd(Generator &g, const BoundArgs &a) {
  llvm::StringRef text = a[0].value.getConstant()->getString();
  const std::vector<Value> *several = a[1].value.getTuple();
  std::vector<Value> single{a[1].value};
  bool isStart = a.builtin->name == "startswith", found = false;
  for (const Value &candidate : several ? *several : single) {
    FailureOr<std::string> part = g.toString(candidate, a[1].range, "the part");
    if (mlir::failed(part))
      return failure();
    found |= isStart ? text.starts_with(*part) : text.ends_with(*part);
  }
  return Value::boolean(found);
}

FailureOr<Value> genReplacedText(Generator &g, const BoundArgs &a) {
  llvm::StringRef text = a[0].value.getConstant()->getString();
  FailureOr<std::string> from = g.toString(a[1].value, a[1].range, "the part");
  FailureOr<std::string> to = g.toString(a[2].value, a[2].range, "what replaces it");
  if (mlir::failed(from) || mlir::failed(to))
    return failure();
  if (from->empty())
    return g.error(a[1].range, "nothing cannot be replaced");
  g.chargeSearch(text.size(), from->size());
  std::string result;
  while (true) {
    size_t at = text.find(*from);
    result += text.substr(0, at);
    if (at == llvm::StringRef::npos)
      return Value(Constant(std::move(result)));
    result += *to;
    text = text.drop_front(at + from->size());
    if (result.size() > 65536)
      return g.error(a.range, "compile-time string is longer than 65536 bytes");
  }
}

FailureOr<Value> genSplitText(Generator &g, const BoundArgs &a) {
  llvm::StringRef text = a[0].value.getConstant()->getString();
  llvm::SmallVector<llvm::StringRef, 8> parts;
  if (a.has(1)) {
    FailureOr<std::string> separator = g.toString(a[1].value, a[1].range, "the separator");
    if (mlir::failed(separator))
      return failure();
    if (separator->empty())
      return g.error(a[1].range, "the separator is empty");
    g.chargeSearch(text.size(), separator->size());
    text.split(parts, *separator);
  } else {
    llvm::SplitString(text, parts);
  }
  std::vector<Value> values;
  for (llvm::StringRef part : parts)
    values.push_back(Value(Constant(part.str())));
  return g.makeTuple(std::move(values), a.range);
}

/// `text.join(parts)`
FailureOr<Value> genJoinedText(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> parts = g.enumerateIterable(a[1].value, a[1].range);
  if (mlir::failed(parts))
    return failure();
  std::string result;
  for (auto [index, part] : llvm::enumerate(*parts)) {
    FailureOr<std::string> text = g.toString(part, a[1].range, "a part");
    if (mlir::failed(text))
      return failure();
    if (index != 0)
      result += a[0].value.getConstant()->getString();
    result += *text;
    if (result.size() > 65536)
      return g.error(a.range, "compile-time string is longer than 65536 bytes");
  }
  return Value(Constant(std::move(result)));
}

/// `text.format(value, name=value)` with fields `{}`, `{0}`, `{name}` and `{name:spec}`.
FailureOr<Value> genFormattedText(Generator &g, const BoundArgs &a) {
  llvm::StringRef text = a[0].value.getConstant()->getString();
  std::string result;
  size_t next = 0;
  while (!text.empty()) {
    size_t at = text.find_first_of("{}");
    result += text.substr(0, at);
    if (at == llvm::StringRef::npos)
      break;
    char brace = text[at];
    text = text.drop_front(at + 1);
    if (text.consume_front(llvm::StringRef(&brace, 1))) {
      result += brace;
      continue;
    }
    size_t end = text.find('}');
    if (brace == '}' || end == llvm::StringRef::npos)
      return g.error(a.range, "the text to format has a single '" + std::string(1, brace) + "'");
    auto [field, spec] = text.substr(0, end).split(':');
    text = text.drop_front(end + 1);
    size_t position = next;
    bool isPosition = field.empty() || !field.getAsInteger(10, position);
    next += field.empty() ? 1 : 0;
    std::optional<BoundArg> chosen;
    if (isPosition && position < a.rest.size())
      chosen = a.rest[position];
    for (const CallArg &arg : a.keywords)
      if (!isPosition && arg.keyword == field)
        chosen = BoundArg{arg.value, arg.range, true};
    if (!chosen)
      return g.error(a.range, "no value for the field '{" + field + "}' of the text to format");
    const Constant *value = chosen->value.getConstant();
    if (!value)
      return g.error(chosen->range, "a value to format must be known at compile time, got " +
                                        chosen->value.describe());
    FoldResult formatted = formatConstant(*value, spec);
    if (!formatted.value)
      return g.error(chosen->range, formatted.error);
    result += formatted.value->getString();
    if (result.size() > 65536)
      return g.error(a.range, "compile-time string is longer than 65536 bytes");
  }
  g.charge(result.size() / 2);
  return Value(Constant(std::move(result)));
}

/// `text.find(part)`
FailureOr<Value> genFoundText(Generator &g, const BoundArgs &a) {
  llvm::StringRef text = a[0].value.getConstant()->getString();
  FailureOr<std::string> part = g.toString(a[1].value, a[1].range, "the part");
  if (mlir::failed(part))
    return failure();
  g.chargeSearch(text.size(), part->size());
  size_t at = text.find(*part);
  if (at == llvm::StringRef::npos)
    return Value::integer(-1);
  return Value::integer(static_cast<int64_t>(countCodePoints(text.take_front(at))));
}

/// `text.ljust(width, fill)`, `text.rjust(width, fill)` and `text.center(width, fill)`
FailureOr<Value> genPaddedText(Generator &g, const BoundArgs &a) {
  const std::string &text = a[0].value.getConstant()->getString();
  FailureOr<int64_t> width = g.toInteger(a[1].value, a[1].range, "the width");
  FailureOr<std::string> fill = std::string(" ");
  if (a.has(2))
    fill = g.toString(a[2].value, a[2].range, "the character that fills");
  if (mlir::failed(width) || mlir::failed(fill))
    return failure();
  if (countCodePoints(*fill) != 1)
    return g.error(a[2].range, "one character fills, got " + Constant(*fill).repr());
  int64_t padding = *width - static_cast<int64_t>(countCodePoints(text));
  if (padding <= 0)
    return a[0].value;
  if (padding > 65536 || text.size() + size_t(padding) * fill->size() > 65536)
    return g.error(a.range, "compile-time string is longer than 65536 bytes");
  // What is left over goes where Python puts it.
  int64_t left = a.builtin->name == "ljust"   ? 0
                 : a.builtin->name == "rjust" ? padding
                                              : padding / 2 + (padding & *width & 1);
  std::string result;
  for (int64_t i = 0; i < left; ++i)
    result += *fill;
  result += text;
  for (int64_t i = left; i < padding; ++i)
    result += *fill;
  return Value(Constant(std::move(result)));
}

constexpr Handler textHandlers[] = {
    {"lower", asTextMethod, genChangedCase},    {"upper", asTextMethod, genChangedCase},
    {"strip", asTextMethod, genStrippedText},   {"startswith", asTextMethod, genTextEnd},
    {"endswith", asTextMethod, genTextEnd},     {"replace", asTextMethod, genReplacedText},
    {"split", asTextMethod, genSplitText},      {"join", asTextMethod, genJoinedText},
    {"format", asTextMethod, genFormattedText}, {"find", asTextMethod, genFoundText},
    {"ljust", asTextMethod, genPaddedText},     {"rjust", asTextMethod, genPaddedText},
    {"center", asTextMethod, genPaddedText},
};

} // namespace

llvm::ArrayRef<Handler> getTextHandlers() { return textHandlers; }

} // namespace tilec::irgen
