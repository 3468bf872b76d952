// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared-memory operands of wgmma: which layouts the instruction reads, and the fields of the
// descriptor that tells it so (PTX ISA, "Asynchronous warpgroup level matrix instructions", matrix
// descriptor and canonical layouts). And accumulators: which layouts the instruction leaves.

#ifndef TILEC_LAYOUT_WGMMALAYOUT_H
#define TILEC_LAYOUT_WGMMALAYOUT_H

#include "tilec/Layout/TensorLayouts.h"

namespace tilec {

/// How a buffer holds an operand.
struct WgmmaOperandForm {
  /// The dimension whose elements are neighbours in memory.
  unsigned contiguousDim = 1;
  /// 128, 64, 32; or 0 for none.
  int32_t swizzleBytes = 128;
  /// Bytes between neighbouring core matrices along the leading and the strided dimension.
  int64_t leadingBytes = 0;
  int64_t strideBytes = 0;

  /// The descriptor without its start address (bits 0 to 13).
  uint64_t descriptorFields() const;
};

/// The widest swizzle that an operand of `shape` with `contiguousDim` has room for; nothing when
/// a row is shorter than 32 bytes.
std::optional<int32_t> wgmmaSwizzleBytes(Shape shape, int32_t elementBits, unsigned contiguousDim);

/// The layout of a buffer for an operand of `shape` (two dimensions): core matrices of 8 rows times
/// the swizzle's bytes. Precondition: wgmmaSwizzleBytes finds one.
LinearLayout wgmmaSharedLayout(Shape shape, int32_t elementBits, unsigned contiguousDim);

/// How `memory` holds operand `operand` (0: M x K, 1: K x N) for wgmma; nothing when the
/// instruction cannot read it: another layout, or one that is not K-major for elements other than
/// 16 bits.
std::optional<WgmmaOperandForm> matchWgmmaOperand(const LinearLayout &memory, int32_t elementBits,
                                                  unsigned operand);

/// The way of 8-bit or 32-bit elements that memory has along the rows or columns to a buffer that
/// the instruction reads: from a buffer as memory is, through registers.
struct WgmmaTransposition {
  LinearLayout memory;
  LinearLayout registers;
  /// Wavefronts of a warp's loads and stores that bank conflicts add.
  int64_t conflicts = 0;
};

/// For an operand of `shape` with K along `depthDim`; nothing when it is too small for whole
/// vectors of a warp. `given` is the memory, where that is not to be chosen.
std::optional<WgmmaTransposition>
wgmmaTransposition(Shape shape, int32_t elementBits, unsigned depthDim, int32_t numWarps,
                   const std::optional<LinearLayout> &given = std::nullopt);

/// How the elements of a product lie over warps and instructions.
struct WgmmaProductForm {
  /// Warps along the rows, four of them in each warpgroup, and warpgroups along the columns.
  int32_t rowWarps = 4, columnGroups = 1;
  /// Columns of one instruction.
  int32_t columns = 8;
  /// Whether warpgroups beside each other have every other 8 columns in turn, rather than columns
  /// that follow one another: as many each, however many there are.
  bool alternates = false;
  /// Whether the rows that the instruction has 8 apart are neighbours: those of a thread.
  bool pairsRows = false;
};

/// How a product with the register layout `product` is made by wgmma; nothing when it is not.
std::optional<WgmmaProductForm> matchWgmmaProduct(const LinearLayout &product);

/// The product's layout of `shape` with that form.
LinearLayout wgmmaProductLayout(Shape shape, const WgmmaProductForm &form);

/// The registers of A (M x K), of `shape`, for a product of that form.
LinearLayout wgmmaFragmentLayout(Shape shape, int32_t elementBits, const WgmmaProductForm &form);

} // namespace tilec

#endif // TILEC_LAYOUT_WGMMALAYOUT_H
