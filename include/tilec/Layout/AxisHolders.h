// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who holds an axis of a tensor: which bits of register, lane and warp choose the coordinate.

#ifndef TILEC_LAYOUT_AXISHOLDERS_H
#define TILEC_LAYOUT_AXISHOLDERS_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// Who holds one bit of a coordinate: a bit of register, lane, warp or block.
struct AxisHolder {
  llvm::StringRef dim;
  unsigned bit;
};

/// The one holder of each coordinate bit along `axis`, lowest first; nullopt when a bit has none or
/// several, or when a basis sets other bits with it.
std::optional<std::vector<AxisHolder>> holdersAlong(const LinearLayout &layout, unsigned axis);

} // namespace tilec

#endif // TILEC_LAYOUT_AXISHOLDERS_H
