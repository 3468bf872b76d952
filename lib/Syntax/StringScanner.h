// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where string literals and the replacement fields of f-strings end. Shared by the lexer, by the
// scanner that skips host code, and by the f-string parser, so that they cannot disagree.

#ifndef TILEC_LIB_SYNTAX_STRINGSCANNER_H
#define TILEC_LIB_SYNTAX_STRINGSCANNER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tilec {

/// f-strings inside f-strings inside ...: how far it may go.
inline constexpr unsigned maxFStringNesting = 8;

/// A string literal as it stands in the text.
struct ScannedString {
  /// One past the closing quote; when unterminated, the end of the line (or of the text).
  uint32_t end = 0;
  /// The text between the quotes.
  uint32_t contentBegin = 0;
  uint32_t contentEnd = 0;
  bool isRaw = false;
  bool isBytes = false;
  bool isFormat = false;
  bool isTriple = false;
  bool isTerminated = false;
};

/// Length of the string prefix at `offset` (0 for a bare quote) if a string literal starts there,
/// otherwise -1.
int getStringPrefixLength(llvm::StringRef text, uint32_t offset);

/// Scans the string literals of one text. It remembers how much text it has read in vain for
/// malformed f-strings and treats them as plain strings when that becomes too much, which keeps
/// the time for a whole text linear.
class StringScanner {
public:
  explicit StringScanner(llvm::StringRef source) : text(source) {}

  /// Scans the literal that starts at `offset` (prefix or quote); `limit` is the end of the text.
  ScannedString scan(uint32_t offset, uint32_t limit);

private:
  llvm::StringRef text;
  uint64_t wasted = 0;
};

/// A replacement field `{expr=!r:spec}` of an f-string.
struct ScannedField {
  /// End of the expression text.
  uint32_t expressionEnd = 0;
  /// The field has a `=` behind the expression.
  bool isDebug = false;
  /// Offset of the conversion letters behind `!`, and their end; equal when there is none.
  uint32_t conversionBegin = 0;
  uint32_t conversionEnd = 0;
  /// The specification behind `:`.
  bool hasSpec = false;
  uint32_t specBegin = 0;
  uint32_t specEnd = 0;
  /// One past the closing brace.
  uint32_t end = 0;
  bool isTerminated = false;
};

/// Scans the field whose opening brace is at `offset - 1`; `limit` is the end of the content of
/// the f-string around it.
ScannedField scanField(llvm::StringRef text, uint32_t offset, uint32_t limit);

} // namespace tilec

#endif // TILEC_LIB_SYNTAX_STRINGSCANNER_H
