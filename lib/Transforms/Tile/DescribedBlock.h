// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptor, made of the kernel's arguments, of the tensor that an access through pointers
// reads or writes a block of.

#ifndef TILEC_LIB_TRANSFORMS_TILE_DESCRIBEDBLOCK_H
#define TILEC_LIB_TRANSFORMS_TILE_DESCRIBEDBLOCK_H

#include "mlir/IR/Builders.h"
#include "tilec/Analysis/TensorCopy.h"

#include <limits>

namespace tilec::tile {

/// The size along a dimension that no mask bounds: every block that the kernel reads is inside, and
/// nothing is known of what lies beside it.
inline constexpr int32_t kUnboundedSize = std::numeric_limits<int32_t>::max();

/// What an access by descriptor takes.
struct DescribedBlock {
  mlir::Value desc;
  llvm::SmallVector<mlir::Value> starts;
  /// Of the tensor that it accesses, whose last dimension is contiguous in memory.
  llvm::SmallVector<int64_t, 2> shape;
  /// The access's own tensor, of two dimensions, has them the other way round.
  bool isTransposed = false;
};

/// Makes both where the builder stands, in front of the access.
DescribedBlock describeBlock(mlir::OpBuilder &builder, GlobalAccessOpInterface access,
                             const TensorCopy &copy, const IndexPolynomials &indices);

/// Whether the copy engine has boxes for blocks of all these extents along the two dimensions of
/// the access, with a swizzle if `isSwizzled`.
bool hasBoxes(const TensorCopy &copy, llvm::ArrayRef<int64_t> rows, llvm::ArrayRef<int64_t> columns,
              int64_t elementBits, bool isSwizzled);

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_DESCRIBEDBLOCK_H
