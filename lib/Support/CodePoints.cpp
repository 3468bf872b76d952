// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CodePoints.h.

#include "tilec/Support/CodePoints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using llvm::StringRef;

namespace tilec {

StringRef firstCodePoint(StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  bool isWhole = llvm::isLegalUTF8Sequence(begin, begin + text.size());
  return text.take_front(isWhole ? llvm::getNumBytesForUTF8(*begin) : 1);
}

size_t countCodePoints(StringRef text) {
  size_t count = 0;
  for (; !text.empty(); ++count)
    text = text.drop_front(firstCodePoint(text).size());
  return count;
}

std::vector<StringRef> splitCodePoints(StringRef text) {
  std::vector<StringRef> pieces;
  while (!text.empty()) {
    pieces.push_back(firstCodePoint(text));
    text = text.drop_front(pieces.back().size());
  }
  return pieces;
}

uint32_t codePointNumber(StringRef codePoint) {
  const auto *source = reinterpret_cast<const llvm::UTF8 *>(codePoint.data());
  llvm::UTF32 number = *source;
  if (codePoint.size() > 1) {
    llvm::UTF32 *target = &number;
    llvm::ConvertUTF8toUTF32(&source, source + codePoint.size(), &target, target + 1,
                             llvm::strictConversion);
  }
  return number;
}

bool isAscii(StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isASCII(c); });
}

} // namespace tilec
