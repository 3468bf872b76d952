// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses one signature entry by hand: type, optional colon, optional power-of-two divisibility. A
// tensor descriptor is `tensordesc<ELEMENT[SIZE, ...]>`, with `, nan` in front of the bracket that
// closes it where elements outside of the tensor are NaN.

#include "tilec/Sema/Signature.h"

#include "tilec/Support/NearestName.h"

#include "llvm/Support/MathExtras.h"

namespace tilec {

/// What is wrong with a type that is none.
static std::string unknownType(llvm::StringRef typeText) {
  llvm::StringRef word = typeText;
  word.consume_front("*");
  std::string message = "unknown type '" + typeText.str() + "'";
  llvm::StringRef nearest = nearestName(word, getSignatureTypeNames());
  if (!nearest.empty())
    message += "; did you mean '" + std::string(typeText != word ? "*" : "") + nearest.str() + "'?";
  return message;
}

/// Reads `fp16[128, 64]` or `fp16[128, 64], nan` into `result`; the reason when it is neither.
static std::string readDescriptor(llvm::StringRef text, SignatureType &result) {
  auto [elementText, rest] = text.split('[');
  auto [sizes, options] = rest.split(']');
  DescriptorBlock block;
  options = options.trim();
  if (options.consume_front(",")) {
    block.padsWithNan = options.trim() == "nan";
    options = block.padsWithNan ? "" : options;
  }
  llvm::SmallVector<llvm::StringRef> parts;
  sizes.split(parts, ',');
  bool isWellFormed = options.empty() && text.contains('[') && text.contains(']');
  for (llvm::StringRef part : parts)
    isWellFormed &= !part.trim().getAsInteger(10, block.shape.emplace_back());
  if (!isWellFormed)
    return "expected a tensor descriptor as in 'tensordesc<fp16[128, 64]>', got 'tensordesc<" +
           text.str() + ">'";
  std::optional<DType> element = parseSignatureType(elementText.trim());
  if (!element)
    return unknownType(elementText.trim());
  if (element->isPointer())
    return "a tensor descriptor cannot have elements of type '" + elementText.trim().str() + "'";
  result.type = DType::pointerTo(element->getKind());
  result.descriptor = std::move(block);
  return "";
}

unsigned promisedDivisibility(int64_t value, bool takesEights) {
  if (value % 16 == 0)
    return 16;
  return takesEights && value % 8 == 0 ? 8 : 1;
}

std::variant<SignatureType, std::string> parseSignature(llvm::StringRef text) {
  SignatureType result;
  auto [typeText, divisibilityText] = text.trim().split(':');
  if (typeText == "constexpr" && divisibilityText.empty()) {
    result.isConstexpr = true;
    return result;
  }
  llvm::StringRef inner = typeText.trim();
  if (inner.consume_front("tensordesc<") && inner.consume_back(">")) {
    if (std::string problem = readDescriptor(inner, result); !problem.empty())
      return problem;
  } else if (std::optional<DType> type = parseSignatureType(typeText)) {
    result.type = *type;
  } else {
    return unknownType(typeText);
  }
  if (text.contains(':') &&
      (divisibilityText.getAsInteger(10, result.divisibility) ||
       !llvm::isPowerOf2_32(result.divisibility) || result.divisibility > (1u << 30)))
    return "divisibility '" + divisibilityText.str() + "' is not a power of two";
  if (result.divisibility > 1 && !result.type.isPointer() && !result.type.isInt())
    return "divisibility is for pointers and integers, not for '" + typeText.str() + "'";
  return result;
}

} // namespace tilec
