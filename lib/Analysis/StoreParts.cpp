// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StoreParts.h.

#include "tilec/Analysis/StoreParts.h"

using namespace mlir;

namespace tilec {

/// The value that an operation stores to global memory, and the map through which it does; null
/// without any.
static std::pair<Value, TypedValue<tile::DescType>> storeOf(Operation *op) {
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return {store.getValue(), {}};
  if (auto store = dyn_cast<tile::DescriptorStoreOp>(op))
    return {store.getValue(), store.getDesc()};
  if (auto reduction = dyn_cast<tile::DescriptorReduceOp>(op))
    return {reduction.getValue(), reduction.getDesc()};
  return {};
}

bool canLeaveInParts(Operation *store) {
  auto [value, map] = storeOf(store);
  if (!map || !isa<BlockArgument>(map) || !map.getType().getUsed().empty())
    return false;
  ArrayRef<int64_t> tile = cast<RankedTensorType>(value.getType()).getShape();
  ArrayRef<int64_t> block = map.getType().getBlockShape();
  size_t inFront = block.size() - tile.size();
  return block.drop_front(inFront) == tile &&
         llvm::all_of(block.take_front(inFront), [](int64_t size) { return size == 1; });
}

int64_t storedBytes(Operation *op) {
  Value value = storeOf(op).first;
  auto tensor = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  return tensor ? tile::tensorBytesOf(tensor) : 0;
}

int64_t leastStoreBytes(Operation *op) {
  int64_t whole = storedBytes(op);
  return canLeaveInParts(op) ? std::min(whole, kMostStoreBuffers * kLargestStorePart) : whole;
}

} // namespace tilec
