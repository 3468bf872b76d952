// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to tile-take-tensor-copies: one tensor map for the loads of a tensor that are masked and
// those that need no mask. A loop over the blocks that are whole, and another one over those that
// may not be, read the same tensor; the first one says nothing of where that ends.

#ifndef TILEC_LIB_TRANSFORMS_TILE_SHAREDBOUNDS_H
#define TILEC_LIB_TRANSFORMS_TILE_SHAREDBOUNDS_H

#include "tilec/Analysis/TensorCopy.h"

namespace tilec {

/// The sizes of tensors that some copies do not know, from others of the same tensor.
class SharedBounds {
public:
  SharedBounds(const IndexPolynomials &indexPolynomials, const AxisInfoAnalysis &axisInfo)
      : indices(indexPolynomials), axes(axisInfo) {}

  /// Gives `copy`, which is made for `load`, the sizes that `other` knows, where the two are of one
  /// tensor and no block of `copy` goes beyond. Nothing changes if that is not known of one of
  /// them.
  void take(tile::LoadOp load, TensorCopy &copy, const TensorCopy &other) const;

private:
  /// Whether all elements of a block lie below `extent` along a dimension.
  bool endsBelow(tile::LoadOp load, const TensorCopy::Dim &dim,
                 const IndexPolynomial &extent) const;
  /// Whether a loop's bound is at most `extent`, as the loop has iterations, and so positive.
  bool isAtMost(mlir::Value bound, llvm::ArrayRef<mlir::Value> extent) const;

  const IndexPolynomials &indices;
  const AxisInfoAnalysis &axes;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILE_SHAREDBOUNDS_H
