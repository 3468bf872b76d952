// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads that compute a matrix product by multiply-adds need of its operands.

#ifndef TILEC_LAYOUT_DOTLAYOUT_H
#define TILEC_LAYOUT_DOTLAYOUT_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// The layout in which each thread holds the rows (operand 0, [.., M, K]) or columns (operand 1,
/// [.., K, N]) of `depth` elements that the elements it computes in `product` ([.., M, N]) need.
/// The low register bits run along K; each row or column is in one register group only.
/// `registerMap[r]`, when asked for, is the row or column that product register r needs: its
/// elements are in the registers `depth * registerMap[r]` and following.
LinearLayout dotOperandLayout(const LinearLayout &product, unsigned operand, int64_t depth,
                              std::vector<int32_t> *registerMap = nullptr);

} // namespace tilec

#endif // TILEC_LAYOUT_DOTLAYOUT_H
