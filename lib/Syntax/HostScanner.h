// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits Python text into logical lines without tokenising it, so that host code can be skipped
// cheaply and whatever is in it.

#ifndef TILEC_LIB_SYNTAX_HOSTSCANNER_H
#define TILEC_LIB_SYNTAX_HOSTSCANNER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace tilec {

/// A logical line: physical lines joined by brackets, triple-quoted strings and backslashes. Blank
/// and comment lines are not in the list.
struct LogicalLine {
  /// Start of its first physical line.
  uint32_t lineBegin;
  /// First byte that is not white space.
  uint32_t begin;
  /// End of its last physical line, without the line end.
  uint32_t end;
  /// As Token::indent.
  uint32_t indent;
};

/// Splits the text in linear time. Brackets that are never closed end at the next line that is not
/// deeper and starts a definition or another unmistakable statement.
std::vector<LogicalLine> splitLogicalLines(llvm::StringRef text);

/// The word at the front of a line: "def", "if", "@" for a decorator, or the empty string.
llvm::StringRef getFirstWord(llvm::StringRef line);

} // namespace tilec

#endif // TILEC_LIB_SYNTAX_HOSTSCANNER_H
