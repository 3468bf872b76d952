// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text is UTF-8, and Python counts its code points. A byte that begins no character, as those of
// bytes literals, counts as one.

#ifndef TILEC_SUPPORT_CODEPOINTS_H
#define TILEC_SUPPORT_CODEPOINTS_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace tilec {

/// The number of code points in `text`, at a cost linear in its bytes.
size_t countCodePoints(llvm::StringRef text);

/// The code points of `text`, each as a piece of it.
std::vector<llvm::StringRef> splitCodePoints(llvm::StringRef text);

/// The first code point of a text that is not empty, as a piece of it.
llvm::StringRef firstCodePoint(llvm::StringRef text);

/// The number of a code point, which firstCodePoint gave.
uint32_t codePointNumber(llvm::StringRef codePoint);

/// Whether all code points are of ASCII.
bool isAscii(llvm::StringRef text);

} // namespace tilec

#endif // TILEC_SUPPORT_CODEPOINTS_H
