// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copy engine swizzles by address bits, so a swizzled layout needs groups of eight rows; blocks
// without them are copied as they are.

#include "tilec/Layout/TensorMapLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tilec {

/// Blocks of 256 rows are two boxes, which two CTAs of a cluster can part.
static constexpr int64_t kMaxRows = 128;
static constexpr int64_t kMaxBox = 256, kCoreRows = 8, kMinRowBytes = 16, kMinSwizzleBytes = 32;
static constexpr int64_t kBoxAlignment = 128;
static constexpr size_t kMaxRank = 5;

static std::vector<int32_t> fastestFirst(size_t rank) {
  std::vector<int32_t> order;
  for (size_t dim = rank; dim-- > 0;)
    order.push_back(int32_t(dim));
  return order;
}

std::vector<std::vector<int64_t>> TensorMapTile::boxStarts() const {
  std::vector<std::vector<int64_t>> starts{{}};
  for (size_t dim = 0; dim < used.size(); ++dim) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t> &start : starts)
      for (int64_t at = 0; at < used[dim]; at += box[dim]) {
        longer.push_back(start);
        longer.back().push_back(at);
      }
    starts = std::move(longer);
  }
  return starts;
}

int64_t TensorMapTile::offsetOf(llvm::ArrayRef<int64_t> coords) const {
  std::vector<std::string> names = memory.getOutDimNames();
  std::vector<std::pair<llvm::StringRef, int32_t>> place;
  for (size_t dim = 0; dim < coords.size(); ++dim)
    place.emplace_back(names[dim], int32_t(coords[dim]));
  return int64_t(memory.pseudoinvert().applyToFlat(place));
}

std::optional<BoxParts> TensorMapTile::partsOf(unsigned dim, int64_t elements,
                                               int64_t parts) const {
  if (elements % box[dim] != 0)
    return std::nullopt;
  BoxParts result{dim, elements, 0, {}};
  for (std::vector<int64_t> start : boxStarts()) {
    int64_t part = start[dim] / elements % parts, place = offsetOf(start);
    if (part == 0) {
      result.starts.push_back(start);
      continue;
    }
    start[dim] -= part * elements;
    int64_t distance = place - offsetOf(start);
    if (result.offset == 0)
      result.offset = distance / part;
    if (distance != result.offset * part)
      return std::nullopt;
  }
  return result;
}

int64_t TensorMapTile::boxElements() const {
  int64_t elements = 1;
  for (int64_t size : box)
    elements *= size;
  return elements;
}

int64_t TensorMapTile::endOffset() const {
  int64_t end = 0;
  for (const std::vector<int64_t> &start : boxStarts())
    end = std::max(end, offsetOf(start) + boxElements());
  return end;
}

/// Rows of a box when `used` of a block's are wanted: equal parts, in whole groups of the swizzle.
static int64_t rowsOfBox(int64_t rows, int64_t used, int64_t maxRows) {
  int64_t boxes = llvm::divideCeil(used, std::min(rows, maxRows));
  return int64_t(llvm::alignTo(llvm::divideCeil(used, boxes), kCoreRows));
}

/// tensorMapTile for a shape of which only the last dimension may have size one.
static std::optional<TensorMapTile> tileOfProperShape(Shape shape, int32_t elementBits,
                                                      int64_t maxRows) {
  size_t rank = shape.size();
  int64_t inner = shape.back(), innerBytes = inner * elementBits / 8;
  if (innerBytes < kMinRowBytes)
    return std::nullopt;
  TensorMapTile tile;
  tile.box.assign(rank, 1);
  std::vector<int32_t> order = fastestFirst(rank);
  int64_t rows = rank > 1 ? shape[rank - 2] : 1;
  if (rank > 1)
    tile.box[rank - 2] = std::min(rows, maxRows);
  if (rows >= kCoreRows && innerBytes >= kMinSwizzleBytes) {
    tile.swizzleBytes = innerBytes >= 128 ? 128 : innerBytes >= 64 ? 64 : 32;
    tile.box[rank - 1] = tile.swizzleBytes * 8 / elementBits;
    tile.memory = tmaSharedLayout(shape, elementBits, tile.swizzleBytes, order).squeezeIn(kBlock);
    return tile;
  }
  tile.box[rank - 1] = std::min(inner, kMaxBox);
  // Boxes of several rows lie one behind the other, rows of the block do not.
  if (inner > kMaxBox && rows > 1)
    return std::nullopt;
  int64_t boxBytes = elementBits / 8;
  for (int64_t size : tile.box)
    boxBytes *= size;
  if (boxBytes % kBoxAlignment)
    return std::nullopt;
  tile.memory = linearSharedLayout(shape, order).squeezeIn(kBlock);
  return tile;
}

/// tensorMapTile for blocks of which all is used.
static std::optional<TensorMapTile> tileOfAll(Shape shape, int32_t elementBits, int64_t maxRows) {
  if (shape.empty() || shape.size() > kMaxRank || elementBits < 8)
    return std::nullopt;
  std::vector<size_t> kept;
  std::vector<int64_t> proper;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1 || dim + 1 == shape.size()) {
      kept.push_back(dim);
      proper.push_back(shape[dim]);
    }
  std::optional<TensorMapTile> tile = tileOfProperShape(proper, elementBits, maxRows);
  if (!tile || kept.size() == shape.size())
    return tile;
  tile->memory = reshapeLayout(tile->memory, shape);
  std::vector<int64_t> box(shape.size(), 1);
  for (auto [dim, size] : llvm::zip_equal(kept, tile->box))
    box[dim] = size;
  tile->box = std::move(box);
  return tile;
}

std::optional<TensorMapTile> tensorMapTile(Shape shape, int32_t elementBits, Shape used,
                                           int64_t boxRows) {
  int64_t maxRows = boxRows == 0 ? kMaxRows : std::min(boxRows, kMaxBox);
  std::optional<TensorMapTile> tile = tileOfAll(shape, elementBits, maxRows);
  if (!tile)
    return tile;
  tile->used.assign(shape.begin(), shape.end());
  if (used.empty())
    return tile;
  tile->used.assign(used.begin(), used.end());
  if (size_t rank = shape.size(); rank > 1 && tile->swizzleBytes != 0)
    tile->box[rank - 2] = rowsOfBox(shape[rank - 2], used[rank - 2], maxRows);
  return tile;
}

} // namespace tilec
