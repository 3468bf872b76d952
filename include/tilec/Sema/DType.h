// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar types of the kernel language. They know signedness, const pointers and the legacy
// 8-bit floats, which MLIR's types do not, and are what every typing rule works on.

#ifndef TILEC_SEMA_DTYPE_H
#define TILEC_SEMA_DTYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilec {

enum class ScalarKind : uint8_t {
  Void,
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  /// e4m3fn, e5m2, the two "fnuz" variants, and the legacy e4m3 with fp16's bias.
  FP8E4NV,
  FP8E5,
  FP8E4B8,
  FP8E5B16,
  FP8E4B15,
  FP16,
  BF16,
  FP32,
  FP64,
};

/// A scalar type, or a pointer to one. A small value type.
class DType {
public:
  DType() = default;
  DType(ScalarKind scalar) : kind(scalar) {}

  static DType pointerTo(ScalarKind element, bool isConst = false) {
    DType type(element);
    type.pointer = true;
    type.constant = isConst;
    return type;
  }

  /// The kind; for a pointer the kind of what it points to.
  ScalarKind getKind() const { return kind; }
  bool isPointer() const { return pointer; }
  /// Pointer that may not be stored through.
  bool isConstPointer() const { return pointer && constant; }
  /// What a pointer points to; the type itself for anything else.
  DType getElement() const { return DType(kind); }

  bool isVoid() const { return !pointer && kind == ScalarKind::Void; }
  bool isBool() const { return !pointer && kind == ScalarKind::Int1; }
  /// Any integer, int1 included.
  bool isInt() const { return !pointer && kind >= ScalarKind::Int1 && kind <= ScalarKind::UInt64; }
  bool isSignedInt() const {
    return !pointer && kind >= ScalarKind::Int8 && kind <= ScalarKind::Int64;
  }
  /// An unsigned integer; int1 counts as one.
  bool isUnsignedInt() const { return isInt() && !isSignedInt(); }
  bool isFloat() const { return !pointer && kind >= ScalarKind::FP8E4NV; }
  bool isFP8() const {
    return !pointer && kind >= ScalarKind::FP8E4NV && kind <= ScalarKind::FP8E4B15;
  }
  bool is(ScalarKind scalar) const { return !pointer && kind == scalar; }

  /// Bits of a value: 1 for int1, 64 for pointers, 0 for void.
  unsigned getBitWidth() const;

  /// The order of kinds used by promotion: bool 0, integer 1, float 2.
  unsigned getRank() const { return isFloat() ? 2 : isBool() ? 0 : 1; }

  /// As messages and `str(dtype)` spell it: "fp32", "int64", "pointer<fp16>".
  std::string str() const;
  /// Signature notation: "fp32", "i64", "u1", "*fp16", "*kfp16".
  std::string getSignatureText() const;

  bool operator==(const DType &other) const {
    return kind == other.kind && pointer == other.pointer && constant == other.constant;
  }
  bool operator!=(const DType &other) const { return !(*this == other); }

private:
  ScalarKind kind = ScalarKind::Void;
  bool pointer = false;
  bool constant = false;
};

/// The integer type of a width (8 to 64).
DType getIntType(unsigned width, bool isSigned);

/// The type that `tl.<name>` denotes ("float32", "int1", ...), if any.
std::optional<DType> findLanguageType(llvm::StringRef name);

/// All names that findLanguageType knows, for suggestions.
llvm::ArrayRef<llvm::StringRef> getLanguageTypeNames();

/// The type of a signature text without alignment: "fp32", "i32", "*kbf16", if it is one. The
/// language's names ("float32", "*int8") are accepted too.
std::optional<DType> parseSignatureType(llvm::StringRef text);

/// Bare type words of signatures ("fp32", "i32", ...), for suggestions.
llvm::ArrayRef<llvm::StringRef> getSignatureTypeNames();

} // namespace tilec

#endif // TILEC_SEMA_DTYPE_H
