// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Positions.h. A character of four bytes in UTF-8 has two units in UTF-16, all others one.

#include "Positions.h"

#include <algorithm>

using namespace tilec;

static unsigned unitsOf(unsigned char byte) {
  // Bytes that continue a character count nothing.
  return (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
}

unsigned lsp::countUnits(llvm::StringRef text) {
  unsigned units = 0;
  for (char byte : text)
    units += unitsOf(static_cast<unsigned char>(byte));
  return units;
}

uint32_t lsp::toOffset(const SourceBuffer &buffer, llvm::lsp::Position position) {
  unsigned line = unsigned(std::max(position.line, 0)) + 1;
  if (line > buffer.getNumLines())
    return buffer.size();
  llvm::StringRef text = buffer.getLine(line);
  unsigned units = 0;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    unsigned next = unitsOf(static_cast<unsigned char>(text[i]));
    if (next != 0 && units >= unsigned(std::max(position.character, 0)))
      break;
    units += next;
  }
  return buffer.getLineStart(line) + uint32_t(i);
}

llvm::lsp::Position lsp::toPosition(const SourceBuffer &buffer, uint32_t offset) {
  LineColumn place = buffer.getLineColumn(offset);
  llvm::StringRef before = buffer.getLine(place.line).take_front(place.column - 1);
  return {int(place.line) - 1, int(countUnits(before))};
}

llvm::lsp::Range lsp::toRange(const SourceBuffer &buffer, SourceRange range) {
  return {toPosition(buffer, range.begin), toPosition(buffer, std::max(range.begin, range.end))};
}
