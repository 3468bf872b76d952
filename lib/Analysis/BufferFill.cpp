// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BufferFill.h.

#include "tilec/Analysis/BufferFill.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

std::optional<BufferFill> tilec::matchFill(LocalStoreOp store) {
  BufferFill fill;
  fill.store = store;
  for (Value value = store.getValue();;) {
    Operation *op = value.getDefiningOp();
    if (!value.hasOneUse() || !op || op->getBlock() != store->getBlock())
      return std::nullopt;
    if (isa<tile::LoadOp, tile::DescriptorLoadOp>(op)) {
      fill.load = op;
      return fill;
    }
    if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
      value = convert.getSource();
    } else if (auto permute = dyn_cast<tile::PermuteOp>(op); permute && fill.order.empty()) {
      fill.order.assign(permute.getOrder().begin(), permute.getOrder().end());
      value = permute.getSource();
    } else {
      return std::nullopt;
    }
    fill.between.push_back(op);
  }
}

std::optional<BufferFill> tilec::fillBy(Operation *load) {
  for (Value value = load->getResult(0); value.hasOneUse();) {
    Operation *user = *value.user_begin();
    if (auto store = dyn_cast<LocalStoreOp>(user))
      return matchFill(store);
    if (user->getNumResults() != 1)
      return std::nullopt;
    value = user->getResult(0);
  }
  return std::nullopt;
}

std::optional<BufferFill> tilec::fillOf(Value buffer) {
  while (auto permute = buffer.getDefiningOp<MemDescPermuteOp>())
    buffer = permute.getSource();
  for (Operation *user : buffer.getUsers())
    if (auto store = dyn_cast<LocalStoreOp>(user))
      return matchFill(store);
  return std::nullopt;
}
