// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of number and string tokens.

#ifndef TILEC_LIB_SYNTAX_LITERALS_H
#define TILEC_LIB_SYNTAX_LITERALS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>

namespace tilec {

/// The value of a well-formed integer token as little-endian words, at least one.
llvm::SmallVector<uint64_t, 1> decodeInteger(llvm::StringRef spelling);

/// The double nearest to a well-formed decimal floating-point token.
double decodeFloat(llvm::StringRef spelling);

/// How the content of a string literal is to be read.
struct StringStyle {
  bool isRaw = false;
  bool isBytes = false;
  /// A literal part of an f-string: `{{` and `}}` stand for single braces.
  bool isFormat = false;
};

/// Called with the byte range inside the content, and what is wrong there.
using StringErrorHandler =
    llvm::function_ref<void(uint32_t begin, uint32_t end, const llvm::Twine &message)>;

/// Appends the value of the content of a string literal to `value`, as UTF-8 (bytes literals as
/// they are). Line ends become '\n'. Returns false after an error.
bool decodeString(llvm::StringRef content, StringStyle style, llvm::SmallVectorImpl<char> &value,
                  StringErrorHandler onError);

} // namespace tilec

#endif // TILEC_LIB_SYNTAX_LITERALS_H
