// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scan for logical lines: only brackets, strings, comments and backslashes are looked at.

#include "HostScanner.h"

#include "StringScanner.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace tilec;

static bool isWordCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

llvm::StringRef tilec::getFirstWord(llvm::StringRef line) {
  if (line.starts_with("@"))
    return line.take_front(1);
  return line.take_while(isWordCharacter);
}

/// Words that, at the start of a line, cannot continue an expression in brackets.
static bool startsStatement(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases({"@", "def", "class", "import", "with", "while", "try", "return", "raise", "assert",
              "del", "pass"},
             true)
      .Default(false);
}

namespace {

class LineSplitter {
public:
  explicit LineSplitter(llvm::StringRef source)
      : text(source), strings(source), limit(static_cast<uint32_t>(source.size())) {}

  std::vector<LogicalLine> run() {
    std::vector<LogicalLine> lines;
    uint32_t p = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    while (p < limit) {
      LogicalLine line = {p, p, p, 0};
      p = line.begin = skipIndent(p, line.indent);
      if (p == limit)
        break;
      if (!isNewline(text[p]) && text[p] != '#') {
        p = line.end = scanLine(p, line.indent);
        lines.push_back(line);
      }
      p = skipToLineEnd(p);
      p += p < limit ? 1 : 0;
    }
    return lines;
  }

private:
  static bool isNewline(char c) { return c == '\n' || c == '\r'; }

  uint32_t skipToLineEnd(uint32_t p) const {
    return static_cast<uint32_t>(std::min<size_t>(text.find_first_of("\r\n", p), limit));
  }

  uint32_t skipIndent(uint32_t p, uint32_t &indent) const {
    for (; p < limit; ++p) {
      if (text[p] == ' ')
        ++indent;
      else if (text[p] == '\t')
        indent = (indent / 8 + 1) * 8;
      else if (text[p] == '\f')
        indent = 0;
      else
        break;
    }
    return p;
  }

  /// Whether the line after the line end at `p` cannot belong to open brackets.
  bool nextLineStartsStatement(uint32_t p, uint32_t indent) const {
    uint32_t nextIndent = 0;
    uint32_t next = skipIndent(p + 1, nextIndent);
    return nextIndent <= indent && startsStatement(getFirstWord(text.substr(next, 16)));
  }

  /// From the first character of a logical line to its end.
  uint32_t scanLine(uint32_t p, uint32_t indent) {
    unsigned open = 0;
    while (p < limit) {
      char c = text[p];
      if (isNewline(c)) {
        if (open == 0 || nextLineStartsStatement(p, indent))
          return p;
        ++p;
      } else if (c == '#') {
        p = skipToLineEnd(p);
      } else if (c == '\\') {
        bool beforeCrLf = text.substr(p + 1).starts_with("\r\n");
        p = std::min(p + (beforeCrLf ? 3 : 2), limit);
      } else if (isWordCharacter(c) || c == '"' || c == '\'') {
        if (getStringPrefixLength(text, p) >= 0)
          p = strings.scan(p, limit).end;
        else
          while (p < limit && isWordCharacter(text[p]))
            ++p;
      } else {
        if (c == '(' || c == '[' || c == '{')
          ++open;
        else if (open != 0 && (c == ')' || c == ']' || c == '}'))
          --open;
        ++p;
      }
    }
    return limit;
  }

  llvm::StringRef text;
  StringScanner strings;
  uint32_t limit;
};

} // namespace

std::vector<LogicalLine> tilec::splitLogicalLines(llvm::StringRef text) {
  return LineSplitter(text).run();
}
