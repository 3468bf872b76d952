// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers as Python has them: signed, of any size up to a fixed limit, with floor division. Built
// on APInt kept at its smallest width. Operations that can exceed the limit or fail return nothing.

#ifndef TILEC_SEMA_PYINT_H
#define TILEC_SEMA_PYINT_H

#include "llvm/ADT/APInt.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilec {

class PyInt {
public:
  /// Integers of more bits than this are an error in the program.
  static constexpr unsigned bitLimit = 4096;

  PyInt(int64_t number = 0) : value(normalize(llvm::APInt(64, number, /*isSigned=*/true))) {}

  /// The number of a two's complement bit pattern; nothing when it is beyond the limit.
  static std::optional<PyInt> fromSigned(const llvm::APInt &bits);
  /// Truncates a finite double towards zero; nothing for inf and nan.
  static std::optional<PyInt> fromDouble(double number);
  /// Reads decimal, 0x, 0o or 0b digits with an optional sign and underscores.
  static std::optional<PyInt> fromText(llvm::StringRef text);

  bool isZero() const { return value.isZero(); }
  bool isNegative() const { return value.isNegative(); }
  bool fitsInt64() const { return value.getSignificantBits() <= 64; }
  /// The value when it fits, otherwise the nearest int64.
  int64_t toInt64Saturated() const;
  /// Whether the number is representable in an integer of that width and signedness.
  bool fits(unsigned width, bool isSigned) const;
  /// The low `width` bits in two's complement.
  llvm::APInt toBits(unsigned width) const { return value.sextOrTrunc(width); }
  /// Nearest double (infinite when too large).
  double toDouble() const;
  std::string str() const;

  std::optional<PyInt> add(const PyInt &rhs) const;
  std::optional<PyInt> sub(const PyInt &rhs) const;
  std::optional<PyInt> mul(const PyInt &rhs) const;
  /// Rounds towards minus infinity; the divisor must not be zero.
  PyInt floorDiv(const PyInt &rhs) const;
  /// Has the sign of the divisor, which must not be zero.
  PyInt mod(const PyInt &rhs) const;
  /// Exponent must not be negative.
  std::optional<PyInt> pow(const PyInt &exponent) const;
  /// Amount must not be negative.
  std::optional<PyInt> shl(const PyInt &amount) const;
  PyInt shr(const PyInt &amount) const;
  PyInt bitAnd(const PyInt &rhs) const;
  PyInt bitOr(const PyInt &rhs) const;
  PyInt bitXor(const PyInt &rhs) const;
  PyInt negate() const;
  PyInt invert() const;

  /// Negative, zero or positive as this is less than, equal to or greater than `rhs`.
  int compare(const PyInt &rhs) const;
  bool operator==(const PyInt &rhs) const { return compare(rhs) == 0; }

private:
  explicit PyInt(const llvm::APInt &bits) : value(normalize(bits)) {}
  static llvm::APInt normalize(const llvm::APInt &bits);

  llvm::APInt value;
};

} // namespace tilec

#endif // TILEC_SEMA_PYINT_H
