// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StoreParts.h.

#include "tilec/Analysis/StoreParts.h"

using namespace mlir;

namespace tilec {

/// The map and the tile of a descriptor store or reduction; null for other operations.
static std::pair<TypedValue<tile::DescType>, RankedTensorType> mapAndTile(Operation *store) {
  auto of = [](auto op) {
    return std::pair(op.getDesc(), cast<RankedTensorType>(op.getValue().getType()));
  };
  if (auto whole = dyn_cast<tile::DescriptorStoreOp>(store))
    return of(whole);
  if (auto reduction = dyn_cast<tile::DescriptorReduceOp>(store))
    return of(reduction);
  return {};
}

bool canLeaveInParts(Operation *store) {
  auto [map, tile] = mapAndTile(store);
  if (!map || !isa<BlockArgument>(map) || !map.getType().getUsed().empty())
    return false;
  ArrayRef<int64_t> block = map.getType().getBlockShape();
  size_t inFront = block.size() - tile.getShape().size();
  return block.drop_front(inFront) == tile.getShape() &&
         llvm::all_of(block.take_front(inFront), [](int64_t size) { return size == 1; });
}

int64_t leastStoreBytes(Operation *store) {
  if (auto byThreads = dyn_cast<tile::StoreOp>(store)) {
    auto type = dyn_cast<RankedTensorType>(byThreads.getValue().getType());
    return type ? tile::tensorBytesOf(type) : 0;
  }
  RankedTensorType tile = mapAndTile(store).second;
  if (!tile)
    return 0;
  int64_t whole = tile::tensorBytesOf(tile);
  return canLeaveInParts(store) ? std::min(whole, kMostStoreBuffers * kLargestStorePart) : whole;
}

} // namespace tilec
