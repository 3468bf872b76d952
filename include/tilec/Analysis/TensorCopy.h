// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores through pointers whose addresses are those of a block of a tensor: which tensor,
// in terms of the kernel's arguments, and where the block is, in terms of the kernel's scalars.
// What a tensor map says and what a copy by one needs; nothing here changes the IR.

#ifndef TILEC_ANALYSIS_TENSORCOPY_H
#define TILEC_ANALYSIS_TENSORCOPY_H

#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/IndexPolynomial.h"

#include <string>

namespace tilec {

/// A block of a tensor in global memory.
struct TensorCopy {
  struct Dim {
    /// Elements of the block.
    int64_t size = 1;
    /// Elements from one to the next in memory; known to the host.
    IndexPolynomial stride;
    /// The first element's coordinate.
    IndexPolynomial start;
    /// The tensor's size, known to the host; none: as large as a map allows.
    std::optional<IndexPolynomial> extent = std::nullopt;
    /// The dimension of the access's tensor; none for one in which the block has size one.
    std::optional<unsigned> accessed = std::nullopt;
    /// Elements before the first one are masked off.
    bool isMaskedBelow = false;
    /// What is accessed at coordinates that are not less than the extent is something else.
    bool isWrapped = false;
  };

  mlir::BlockArgument base;
  /// The outermost first, that with stride 1 last.
  llvm::SmallVector<Dim, 4> dims;
};

/// The block that a load or a store of a tensor accesses but where its mask is off, beyond the
/// tensor; none, and `reason`, when it is not known to be one that a tensor map can describe.
std::optional<TensorCopy> matchTensorCopy(tile::GlobalAccessOpInterface access,
                                          IndexPolynomials &indices, const AxisInfoAnalysis &axes,
                                          std::string &reason);

} // namespace tilec

#endif // TILEC_ANALYSIS_TENSORCOPY_H
