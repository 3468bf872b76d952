// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scanning of string literals. A plain string ends at its first unescaped quote. In an f-string
// quotes inside a replacement field belong to nested strings, so fields are scanned recursively up
// to a small depth; when that fails (the field is malformed) the string ends where a plain one
// would, and the f-string parser reports the field.

#include "StringScanner.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace tilec;

int tilec::getStringPrefixLength(llvm::StringRef text, uint32_t offset) {
  bool raw = false, bytes = false, format = false, unicode = false;
  for (int length = 0; length <= 2; ++length) {
    if (offset + length >= text.size())
      return -1;
    char c = text[offset + length];
    if (c == '"' || c == '\'')
      return length;
    bool *flag = nullptr;
    switch (c | 0x20) {
    case 'r':
      flag = &raw;
      break;
    case 'b':
      flag = &bytes;
      break;
    case 'f':
      flag = &format;
      break;
    case 'u':
      flag = &unicode;
      break;
    default:
      return -1;
    }
    bool isClash = *flag || unicode || (flag == &unicode && length != 0) ||
                   (flag == &format && bytes) || (flag == &bytes && format);
    if (isClash || !llvm::isAlpha(c))
      return -1;
    *flag = true;
  }
  return -1;
}

namespace {

constexpr uint32_t failed = ~0u;

/// The recursive part: content of f-strings and their fields.
class FormatScanner {
public:
  FormatScanner(llvm::StringRef source, uint32_t sourceLimit) : text(source), limit(sourceLimit) {}

  /// From behind the opening quotes to one past the closing ones, or `failed`.
  uint32_t scanContent(uint32_t p, char quote, bool triple, bool raw, unsigned nesting) const {
    while (p < limit) {
      furthest = std::max(furthest, p);
      char c = text[p];
      if (isClosing(p, quote, triple))
        return p + (triple ? 3 : 1);
      if (isNewline(c) && !triple)
        return failed;
      if (c == '\\') {
        bool beforeBrace = p + 1 < limit && (text[p + 1] == '{' || text[p + 1] == '}');
        bool named = !raw && text.substr(p, 3) == "\\N{";
        p += named ? 3 : beforeBrace ? 1 : 2;
      } else if (c == '{' && p + 1 < limit && text[p + 1] == '{') {
        p += 2;
      } else if (c == '{') {
        ScannedField field = scanField(p + 1, quote, triple, nesting);
        if (!field.isTerminated)
          return failed;
        p = field.end;
      } else {
        ++p;
      }
    }
    return failed;
  }

  /// A field; `quote` is 0 when the limit itself is the end of the string around it.
  ScannedField scanField(uint32_t p, char quote, bool triple, unsigned nesting) const {
    ScannedField field;
    unsigned depth = 0;
    bool inExpression = true;
    auto endExpression = [&](uint32_t at) {
      if (inExpression)
        field.expressionEnd = at;
      inExpression = false;
    };
    while (p < limit) {
      furthest = std::max(furthest, p);
      char c = text[p];
      if (isNewline(c) && quote && !triple)
        return field;
      if (depth == 0 && c == '}') {
        endExpression(p);
        field.end = p + 1;
        field.isTerminated = true;
        return field;
      }
      if (depth == 0 && c == ':') {
        endExpression(p);
        return scanSpec(field, p + 1, quote, triple, nesting);
      }
      if (depth == 0 && c == '!' && !(p + 1 < limit && text[p + 1] == '=')) {
        endExpression(p);
        field.conversionBegin = ++p;
        while (p < limit && llvm::isAlnum(text[p]))
          ++p;
        field.conversionEnd = p;
        continue;
      }
      if (depth == 0 && c == '=' && isDebugEqual(p)) {
        endExpression(p);
        field.isDebug = true;
        ++p;
        continue;
      }
      if (c == '(' || c == '[' || c == '{')
        ++depth;
      else if ((c == ')' || c == ']' || c == '}') && depth != 0)
        --depth;
      if (llvm::isAlnum(c) || c == '_' || c == '"' || c == '\'') {
        p = scanWordOrString(p, nesting);
        if (p == failed)
          return field;
        continue;
      }
      ++p;
    }
    return field;
  }

  /// How far the scanner has read.
  uint32_t getFurthest() const { return furthest; }

private:
  static bool isNewline(char c) { return c == '\n' || c == '\r'; }

  bool isClosing(uint32_t p, char quote, bool triple) const {
    if (!quote || text[p] != quote)
      return false;
    return !triple || (p + 2 < limit && text[p + 1] == quote && text[p + 2] == quote);
  }

  /// A `=` that ends the expression, as in `{x=}`; not a part of `==`, `<=`, ...
  bool isDebugEqual(uint32_t p) const {
    if (p > 0 && llvm::StringRef("=!<>:").contains(text[p - 1]))
      return false;
    llvm::StringRef rest = text.slice(p + 1, limit).ltrim(" \t");
    return !rest.empty() && llvm::StringRef("}:!").contains(rest.front()) &&
           !rest.starts_with("!=");
  }

  uint32_t scanWordOrString(uint32_t p, unsigned nesting) const {
    int prefix = getStringPrefixLength(text.take_front(limit), p);
    if (prefix < 0) {
      while (p < limit && (llvm::isAlnum(text[p]) || text[p] == '_'))
        ++p;
      return p;
    }
    if (nesting + 1 >= maxFStringNesting)
      return failed;
    bool raw = false, format = false;
    for (int i = 0; i < prefix; ++i) {
      raw |= (text[p + i] | 0x20) == 'r';
      format |= (text[p + i] | 0x20) == 'f';
    }
    uint32_t open = p + prefix;
    char quote = text[open];
    bool triple = open + 2 < limit && text[open + 1] == quote && text[open + 2] == quote;
    uint32_t content = open + (triple ? 3 : 1);
    if (format)
      return scanContent(content, quote, triple, raw, nesting + 1);
    for (uint32_t q = content; q < limit;) {
      furthest = std::max(furthest, q);
      if (isClosing(q, quote, triple))
        return q + (triple ? 3 : 1);
      if (isNewline(text[q]) && !triple)
        return failed;
      q += text[q] == '\\' ? 2 : 1;
    }
    return failed;
  }

  /// The rest of a field from behind its colon; quotes mean nothing here but the end of the string.
  ScannedField scanSpec(ScannedField field, uint32_t p, char quote, bool triple,
                        unsigned nesting) const {
    field.hasSpec = true;
    field.specBegin = p;
    while (p < limit) {
      furthest = std::max(furthest, p);
      char c = text[p];
      if (c == '}') {
        field.specEnd = p;
        field.end = p + 1;
        field.isTerminated = true;
        return field;
      }
      if (isClosing(p, quote, triple) || (isNewline(c) && quote && !triple))
        return field;
      if (c == '{') {
        if (nesting + 1 >= maxFStringNesting)
          return field;
        ScannedField inner = scanField(p + 1, quote, triple, nesting + 1);
        if (!inner.isTerminated)
          return field;
        p = inner.end;
        continue;
      }
      ++p;
    }
    return field;
  }

  llvm::StringRef text;
  uint32_t limit;
  mutable uint32_t furthest = 0;
};

} // namespace

ScannedString StringScanner::scan(uint32_t offset, uint32_t limit) {
  ScannedString result;
  int prefix = getStringPrefixLength(text.take_front(limit), offset);
  for (int i = 0; i < prefix; ++i) {
    char c = text[offset + i] | 0x20;
    result.isRaw |= c == 'r';
    result.isBytes |= c == 'b';
    result.isFormat |= c == 'f';
  }
  uint32_t open = offset + static_cast<uint32_t>(std::max(prefix, 0));
  char quote = text[open];
  result.isTriple = open + 2 < limit && text[open + 1] == quote && text[open + 2] == quote;
  uint32_t quoteLength = result.isTriple ? 3 : 1;
  result.contentBegin = open + quoteLength;

  if (result.isFormat && wasted <= 4 * static_cast<uint64_t>(text.size())) {
    FormatScanner scanner(text, limit);
    uint32_t end =
        scanner.scanContent(result.contentBegin, quote, result.isTriple, result.isRaw, 0);
    if (end != failed) {
      result.end = end;
      result.contentEnd = end - quoteLength;
      result.isTerminated = true;
      return result;
    }
    wasted += std::max(scanner.getFurthest(), offset) - offset;
  }
  uint32_t p = result.contentBegin;
  while (p < limit) {
    char c = text[p];
    bool isClosing =
        c == quote &&
        (!result.isTriple || (p + 2 < limit && text[p + 1] == quote && text[p + 2] == quote));
    if (isClosing) {
      result.contentEnd = p;
      result.end = p + quoteLength;
      result.isTerminated = true;
      return result;
    }
    if ((c == '\n' || c == '\r') && !result.isTriple)
      break;
    // An escaped line end may be two bytes.
    bool escapesLineEnd = c == '\\' && p + 2 < limit && text[p + 1] == '\r' && text[p + 2] == '\n';
    p += escapesLineEnd ? 3 : c == '\\' ? 2 : 1;
  }
  result.end = result.contentEnd = std::min(p, limit);
  return result;
}

ScannedField tilec::scanField(llvm::StringRef text, uint32_t offset, uint32_t limit) {
  // Nesting was bounded when the whole literal was scanned.
  return FormatScanner(text, limit)
      .scanField(offset, /*quote=*/0, /*triple=*/false,
                 /*nesting=*/0);
}
