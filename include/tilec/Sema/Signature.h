// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the caller says about a kernel's arguments, in Triton's signature notation.

#ifndef TILEC_SEMA_SIGNATURE_H
#define TILEC_SEMA_SIGNATURE_H

#include "tilec/Sema/DType.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <variant>

namespace tilec {

/// The block of a tensor descriptor.
struct DescriptorBlock {
  llvm::SmallVector<int64_t> shape;
  /// Whether elements outside of the tensor read as NaN instead of zero.
  bool padsWithNan = false;
};

/// A parsed `TYPE[:DIVISIBILITY]`.
struct SignatureType {
  /// Of a tensor descriptor a pointer to its elements.
  DType type;
  /// Set for a tensor descriptor, `tensordesc<fp16[128, 64]>`.
  std::optional<DescriptorBlock> descriptor;
  /// "constexpr": the value comes as a constant.
  bool isConstexpr = false;
  /// The value (or the address, in bytes; of a descriptor each size) is a multiple of this; 1 when
  /// nothing is known.
  unsigned divisibility = 1;
};

/// What a launch promises of an integer: that it is a multiple of 16 as in Triton or, if
/// `takesEights`, of 8, which is what rows of 16-bit numbers need for tensor copies and full
/// vectors; else 1.
unsigned promisedDivisibility(int64_t value, bool takesEights);

/// Either a signature type or the reason why the text is none ("unknown type 'f32'; did you mean
/// 'fp32'?").
std::variant<SignatureType, std::string> parseSignature(llvm::StringRef text);

} // namespace tilec

#endif // TILEC_SEMA_SIGNATURE_H
