// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Incremental Gaussian elimination over GF(2) on vectors of at most 64 bits. Each inserted vector
// is reduced against the earlier ones; a record of which of them took part turns the reduction into
// a solver.

#ifndef TILEC_LIB_LAYOUT_F2SPAN_H
#define TILEC_LIB_LAYOUT_F2SPAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tilec {

/// Span of the vectors inserted so far. A vector that depends on earlier ones is not kept, so
/// solutions use the earliest independent vectors.
class F2Span {
public:
  F2Span() = default;
  explicit F2Span(llvm::ArrayRef<uint64_t> vectors) {
    for (uint64_t v : vectors)
      insert(v);
  }

  /// Adds vector number `size()`; true if it was independent. solve() knows the first 64 vectors
  /// only; a caller that solves inserts no more.
  bool insert(uint64_t vector) {
    uint64_t combination = count < 64 ? uint64_t(1) << count : 0;
    ++count;
    uint64_t rest = reduce(vector, combination);
    if (!rest)
      return false;
    rows[topBit(rest)] = {rest, combination};
    ++rankValue;
    return true;
  }

  unsigned size() const { return count; }
  unsigned rank() const { return rankValue; }

  bool contains(uint64_t vector) const {
    uint64_t combination = 0;
    return reduce(vector, combination) == 0;
  }

  /// Mask of the inserted vectors whose XOR is `vector`; nullopt if it is not in the span.
  std::optional<uint64_t> solve(uint64_t vector) const {
    uint64_t combination = 0;
    if (reduce(vector, combination))
      return std::nullopt;
    return combination;
  }

  /// The vector's class modulo the span: equal for vectors that differ by a member of the span.
  uint64_t residue(uint64_t vector) const {
    uint64_t combination = 0;
    return reduce(vector, combination);
  }

  /// Mask of the leading bits of the echelon form.
  uint64_t pivotMask() const {
    uint64_t mask = 0;
    for (unsigned bit = 0; bit < 64; ++bit)
      if (rows[bit].vector)
        mask |= uint64_t(1) << bit;
    return mask;
  }

private:
  struct Row {
    uint64_t vector = 0;
    uint64_t combination = 0;
  };

  static unsigned topBit(uint64_t v) { return 63 - llvm::countl_zero(v); }

  // Every leading bit of the echelon form is cleared from high to low, so the result is canonical.
  uint64_t reduce(uint64_t vector, uint64_t &combination) const {
    for (uint64_t todo = vector; todo;) {
      unsigned bit = topBit(todo);
      if (rows[bit].vector) {
        vector ^= rows[bit].vector;
        combination ^= rows[bit].combination;
      }
      todo = vector & ((uint64_t(1) << bit) - 1);
    }
    return vector;
  }

  std::array<Row, 64> rows{};
  unsigned count = 0;
  unsigned rankValue = 0;
};

/// XOR of `columns[i]` over the set bits i of `x`.
template <typename T> inline T applyColumns(llvm::ArrayRef<T> columns, uint64_t x) {
  T result = 0;
  for (; x; x &= x - 1)
    result ^= columns[llvm::countr_zero(x)];
  return result;
}

} // namespace tilec

#endif // TILEC_LIB_LAYOUT_F2SPAN_H
