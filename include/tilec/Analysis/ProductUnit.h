// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dots warpgroups compute.

#ifndef TILEC_ANALYSIS_PRODUCTUNIT_H
#define TILEC_ANALYSIS_PRODUCTUNIT_H

#include "dialects/Tile/TileOps.h"

#include <optional>
#include <string>

namespace tilec {

/// Shapes and types of a dot.
struct ProductForm {
  mlir::RankedTensorType lhs, rhs, result;
  tile::InputPrecision precision = tile::InputPrecision::tf32;
};

/// Why the processor does not compute the dot by wgmma in so many warps; none when it does.
std::optional<std::string> whyNotWgmma(const ProductForm &form, const Processor &processor,
                                       int64_t warps);

} // namespace tilec

#endif // TILEC_ANALYSIS_PRODUCTUNIT_H
