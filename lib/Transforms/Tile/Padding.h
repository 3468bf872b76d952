// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the padding of tensors whose extents are no powers of two is about: shapes, the mask of the
// elements that are no padding, and values of combine regions that change nothing.

#ifndef TILEC_LIB_TRANSFORMS_TILE_PADDING_H
#define TILEC_LIB_TRANSFORMS_TILE_PADDING_H

#include "dialects/Tile/TileOps.h"
#include "mlir/IR/Builders.h"

namespace tilec::tile {

/// Whether every extent is a power of two.
bool hasPowerOfTwoExtents(llvm::ArrayRef<int64_t> shape);

/// Every extent rounded up to a power of two.
llvm::SmallVector<int64_t> paddedShape(llvm::ArrayRef<int64_t> shape);

/// The type with its extents rounded up; types that are no tensors are unchanged.
mlir::Type paddedType(mlir::Type type);

/// The mask of a padded tensor that is true where it has elements of the `extents`, as far as
/// `axes` go; null when nothing is padded there.
mlir::Value insideMask(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> axes);

/// The mask along all axes.
mlir::Value insideMask(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<int64_t> extents);

/// A block of a constant.
mlir::Value constantTensor(mlir::OpBuilder &builder, mlir::Location loc,
                           llvm::ArrayRef<int64_t> shape, mlir::TypedAttr element);

/// `line`, a tensor of one dimension, along `axis` of a tensor of `shape`.
mlir::Value alongAxis(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value line,
                      llvm::ArrayRef<int64_t> shape, int64_t axis);

/// What combine regions leave as it is.
class NeutralElements {
public:
  /// Those of a combine region that combines each operand with one known operation; none for
  /// another region.
  static std::optional<NeutralElements> of(mlir::Region &combine);

  mlir::TypedAttr get(unsigned operand) const { return elements[operand]; }

  /// Whether combining with `value` changes nothing either (but for the sign of a zero).
  bool isNeutral(unsigned operand, mlir::Attribute value) const;

private:
  llvm::SmallVector<mlir::TypedAttr> elements;
  llvm::SmallVector<mlir::Operation *> combiners;
};

/// The constant that all elements of the padding along `axis` of a padded tensor are known to be;
/// null when they are anything. `extents` finds the extents of a padded value; it is empty for one
/// that has none.
mlir::Attribute knownPadding(mlir::Value value, int64_t axis,
                             llvm::function_ref<llvm::ArrayRef<int64_t>(mlir::Value)> extents);

} // namespace tilec::tile

#endif // TILEC_LIB_TRANSFORMS_TILE_PADDING_H
