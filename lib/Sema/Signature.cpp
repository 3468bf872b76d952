// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses one signature entry by hand: type, optional colon, optional power-of-two divisibility.

#include "tilec/Sema/Signature.h"

#include "tilec/Support/NearestName.h"

#include "llvm/Support/MathExtras.h"

namespace tilec {

std::variant<SignatureType, std::string> parseSignature(llvm::StringRef text) {
  SignatureType result;
  auto [typeText, divisibilityText] = text.trim().split(':');
  if (typeText == "constexpr" && divisibilityText.empty()) {
    result.isConstexpr = true;
    return result;
  }
  std::optional<DType> type = parseSignatureType(typeText);
  if (!type) {
    llvm::StringRef word = typeText;
    word.consume_front("*");
    std::string message = "unknown type '" + typeText.str() + "'";
    llvm::StringRef nearest = nearestName(word, getSignatureTypeNames());
    if (!nearest.empty())
      message +=
          "; did you mean '" + std::string(typeText != word ? "*" : "") + nearest.str() + "'?";
    return message;
  }
  result.type = *type;
  if (text.contains(':') &&
      (divisibilityText.getAsInteger(10, result.divisibility) ||
       !llvm::isPowerOf2_32(result.divisibility) || result.divisibility > (1u << 30)))
    return "divisibility '" + divisibilityText.str() + "' is not a power of two";
  if (result.divisibility > 1 && !type->isPointer() && !type->isInt())
    return "divisibility is for pointers and integers, not for '" + typeText.str() + "'";
  return result;
}

} // namespace tilec
