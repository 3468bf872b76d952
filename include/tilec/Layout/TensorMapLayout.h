// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a block of a tensor in global memory lies in shared memory after the tensor memory access
// unit has copied it: in boxes, one an instruction, each as wide as the swizzle where there is one.

#ifndef TILEC_LAYOUT_TENSORMAPLAYOUT_H
#define TILEC_LAYOUT_TENSORMAPLAYOUT_H

#include "tilec/Layout/TensorLayouts.h"

#include "llvm/Support/MathExtras.h"

namespace tilec {

/// Bytes of a tensor map, in whichever memory.
constexpr int32_t kTensorMapBytes = 128;

/// A block that is dealt out in parts of whole boxes along a dimension.
struct BoxParts {
  unsigned dim = 0;
  /// From a part to the next one: elements along the dimension, and in shared memory.
  int64_t elements = 0, offset = 0;
  /// Where the boxes of the first part begin.
  std::vector<std::vector<int64_t>> starts;
};

/// What a tensor map for blocks of one shape says, and where the elements land.
struct TensorMapTile {
  /// Elements of one copy along each dimension of the block, the last one fastest.
  std::vector<int64_t> box;
  /// Elements of the block along each dimension that are copied, at least.
  std::vector<int64_t> used;
  /// 128, 64, 32; or 0 for none.
  int32_t swizzleBytes = 0;
  /// Element offset to coordinates of the block.
  LinearLayout memory;

  /// The first coordinates of the boxes that make up a block.
  std::vector<std::vector<int64_t>> boxStarts() const;
  /// The elements of one box.
  int64_t boxElements() const;
  /// The element offset behind the last box.
  int64_t endOffset() const;
  /// The element offset of the block's element at `coords`.
  int64_t offsetOf(llvm::ArrayRef<int64_t> coords) const;
  /// The block in `parts` of whole boxes: element e along `dim` is of part (e / elements) % parts.
  /// Nothing where a box is of two parts, or where the parts do not lie at equal distances.
  std::optional<BoxParts> partsOf(unsigned dim, int64_t elements, int64_t parts) const;
  /// The swizzle's number, the driver's (CUtensorMapSwizzle) and PTX's: 0 for none, 1 for 32 bytes.
  int swizzleNumber() const { return swizzleBytes == 0 ? 0 : llvm::Log2_32(swizzleBytes) - 4; }
};

/// The boxes for blocks of `shape`; nothing when the unit cannot copy them: rows of less than 16
/// bytes, or rows so long that they would have to be cut without a swizzle. In two dimensions the
/// layout is the one that wgmma reads with the widest swizzle that fits. Dimensions of size one
/// but the last change nothing about where elements land. `used`: the elements along each dimension
/// that are wanted, if not all are: boxes without any of them are left out, and boxes may have
/// fewer rows. `boxRows`: the most rows of a box, up to 256, if they are not to be at most 128;
/// it changes nothing about where elements land.
std::optional<TensorMapTile> tensorMapTile(Shape shape, int32_t elementBits, Shape used = {},
                                           int64_t boxRows = 0);

} // namespace tilec

#endif // TILEC_LAYOUT_TENSORMAPLAYOUT_H
