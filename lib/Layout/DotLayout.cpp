// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product's layout with the dimension that the operand does not have taken away, and K put in
// front of the registers.

#include "tilec/Layout/DotLayout.h"

#include "tilec/Layout/TensorLayouts.h"

namespace tilec {

LinearLayout dotOperandLayout(const LinearLayout &product, unsigned operand, int64_t depth,
                              std::vector<int32_t> *registerMap) {
  unsigned rank = product.getNumOutDims();
  unsigned other = operand == 0 ? rank - 1 : rank - 2;
  LinearLayout outer = removeRegisterReplication(dropDim(product, other), registerMap);
  LinearLayout along = LinearLayout::identity1D(int32_t(depth), kRegister, dimName(other));
  return toRegisterLayout((along * expandDimsLayout(outer, other)).transposeOuts(dimNames(rank)));
}

} // namespace tilec
