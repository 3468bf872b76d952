// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AxisHolders.h.

#include "tilec/Layout/AxisHolders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tilec {

std::optional<std::vector<AxisHolder>> holdersAlong(const LinearLayout &layout, unsigned axis) {
  std::vector<std::optional<AxisHolder>> holders(layout.getOutDimSizeLog2(dimName(axis)));
  for (llvm::StringRef dim : {kRegister, kLane, kWarp, kBlock})
    for (int32_t bit = 0; bit < layout.getInDimSizeLog2(dim); ++bit) {
      LinearLayout::Basis basis = layout.getBasis(dim, bit);
      int32_t along = basis[axis];
      if (along == 0)
        continue;
      bool isPure = llvm::isPowerOf2_32(along) &&
                    llvm::count_if(basis, [](int32_t coord) { return coord != 0; }) == 1;
      if (!isPure || holders[llvm::Log2_32(along)])
        return std::nullopt;
      holders[llvm::Log2_32(along)] = AxisHolder{dim, unsigned(bit)};
    }
  std::vector<AxisHolder> result;
  for (const std::optional<AxisHolder> &holder : holders) {
    if (!holder)
      return std::nullopt;
    result.push_back(*holder);
  }
  return result;
}

} // namespace tilec
