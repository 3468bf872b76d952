// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dots warpgroups compute, and which of them widen an operand in registers.

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

/// The rows of a wgmma that each of its warps makes.
inline constexpr int64_t kWgmmaRowsOfWarp = 16;

/// The instructions, of as many columns each, that make so many of them: one up to 256.
int64_t wgmmasOfColumns(int64_t columns);

/// Whether a wgmma, or two of as many columns each, make so many for operands of that type (PTX
/// ISA, "wgmma.mma_async": shapes).
bool hasWgmmaOfColumns(int64_t columns, mlir::Type element);

/// The operand of a dot by warpgroups that is widened from 8-bit integers on its way to the
/// instruction, as its left operand, with which the threads hand it registers: of the right operand
/// that makes the transposed dot. None where that is not so, or the tile is too small to gain from
/// it. `lhs` and `rhs` are the dot's operands.
std::optional<unsigned> operandWidenedInRegisters(mlir::Value lhs, mlir::Value rhs);

} // namespace tilec

#endif // TILEC_ANALYSIS_PRODUCTUNIT_H
