// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StreamByTma.h.

#include "StreamByTma.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

Value tilec::viewAsBlock(OpBuilder &builder, Location loc, Value buffer, ArrayRef<int32_t> order,
                         const LinearLayout &memory) {
  if (order.empty())
    return buffer;
  auto type = cast<MemDescType>(buffer.getType());
  SmallVector<int64_t> shape;
  for (int32_t dim : order)
    shape.push_back(type.getShape()[dim]);
  auto block = MemDescType::get(builder.getContext(), shape, type.getElementType(),
                                LinearAttr::get(builder.getContext(), memory))
                   .withBytes(type.getBytes());
  return MemDescPermuteOp::create(builder, loc, block, buffer, builder.getDenseI32ArrayAttr(order));
}

TensorCopyRing::TensorCopyRing(scf::ForOp loop, int64_t stages, int64_t numCopies)
    : rewriter(loop.getContext()),
      barriers(rewriter, loop, stages, int32_t(numCopies), /*inits=*/{0, 0}) {}

void TensorCopyRing::finish(Value slot, Value parity) { barriers.advance({slot, parity}); }

void TensorCopyRing::start(OpBuilder &builder, tile::DescriptorLoadOp load,
                           const IRMapping &mapping, Value buffer, Value slot, Value predicate,
                           int64_t arrivals) {
  SmallVector<Value> offsets;
  for (Value offset : load.getOffsets())
    offsets.push_back(mapping.lookupOrDefault(offset));
  TmaLoadOp::create(builder, load.getLoc(), load.getDesc(), offsets, buffer, barriers.objects(),
                    slot, predicate, /*ctas=*/Value(), /*last=*/Value(), /*turn=*/Value(),
                    uint32_t(arrivals), load.getEvict());
}

void TensorCopyRing::addEmptyObjects(scf::ForOp loop, int64_t stages, int32_t warps) {
  empty.emplace(rewriter, loop, stages, warps, /*inits=*/ArrayRef<int32_t>());
}

void TensorCopyRing::acquire(OpBuilder &builder, Location loc, Value slot, Value parity,
                             bool elected, Value predicate) {
  // The slot was released in the phase before.
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
  Value before = arith::XOrIOp::create(builder, loc, parity, one);
  tilegpu::SlotAcquireOp::create(builder, loc, empty->objects(), slot, before, barriers.objects(),
                                 elected, predicate);
}

void TensorCopyRing::release(OpBuilder &builder, Location loc, Value slot, Value predicate) {
  tilegpu::SlotReleaseOp::create(builder, loc, empty->objects(), slot, predicate,
                                 /*without=*/Value());
}

void TensorCopyRing::wait(OpBuilder &builder, Location loc, Value slot, Value parity) {
  MbarrierWaitOp::create(builder, loc, barriers.objects(), slot, parity);
}
