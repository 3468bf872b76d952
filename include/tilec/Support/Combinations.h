// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of values stand for all their combinations.

#ifndef TILEC_SUPPORT_COMBINATIONS_H
#define TILEC_SUPPORT_COMBINATIONS_H

#include <utility>
#include <vector>

namespace tilec {

/// Replaces every row by one for each of `values`, which `put` writes into it; the last list that
/// is multiplied varies fastest. Without values the rows stay.
template <typename Row, typename Values, typename Put>
void multiplyRows(std::vector<Row> &rows, const Values &values, Put put) {
  if (values.empty())
    return;
  std::vector<Row> more;
  for (const Row &row : rows)
    for (const auto &value : values) {
      more.push_back(row);
      put(more.back(), value);
    }
  rows = std::move(more);
}

} // namespace tilec

#endif // TILEC_SUPPORT_COMBINATIONS_H
