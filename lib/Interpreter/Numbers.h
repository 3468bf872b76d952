// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars of the dialect as bits in 64-bit words, and their values.

#ifndef TILEC_LIB_INTERPRETER_NUMBERS_H
#define TILEC_LIB_INTERPRETER_NUMBERS_H

#include "dialects/Tile/TileOps.h"

#include "llvm/ADT/APFloat.h"

namespace tilec::interpreter {

/// The elements of a value in row-major order; a scalar has one. Each is the element's bits,
/// extended with zeros; a pointer is its address.
using Bits = std::vector<uint64_t>;

/// The low bits of a word.
inline uint64_t lowBits(uint64_t word, unsigned width) {
  return width >= 64 ? word : word & ((uint64_t(1) << width) - 1);
}

/// The low bits as a signed number.
inline int64_t asSigned(uint64_t word, unsigned width) {
  return width >= 64 ? int64_t(word) : llvm::SignExtend64(word, width);
}

/// One float type: values from and to bits. Every value of the dialect's floats is a double.
class FloatFormat {
public:
  explicit FloatFormat(mlir::Type scalar);

  double decode(uint64_t bits) const;
  /// Rounded once, to nearest even unless told otherwise. What is too large becomes infinity, or
  /// NaN in a type that has none.
  uint64_t encode(double value,
                  llvm::RoundingMode rounding = llvm::RoundingMode::NearestTiesToEven) const;
  /// As encode, but what is too large becomes the largest finite number.
  uint64_t encodeSaturated(double value, llvm::RoundingMode rounding) const;
  unsigned getWidth() const { return width; }

private:
  const llvm::fltSemantics *semantics;
  unsigned width;
};

/// The element type of a tensor or the scalar type itself.
inline mlir::Type elementOf(mlir::Type type) { return mlir::getElementTypeOrSelf(type); }

/// The number of dimensions' sizes multiplied.
inline size_t product(llvm::ArrayRef<int64_t> sizes) {
  size_t count = 1;
  for (int64_t size : sizes)
    count *= size_t(size);
  return count;
}

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_NUMBERS_H
