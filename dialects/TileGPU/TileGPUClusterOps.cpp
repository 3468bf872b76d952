// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of what the CTAs of a cluster do together.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LogicalResult ClusterStoreOp::verify() {
  auto tensor = cast<RankedTensorType>(getValue().getType());
  MemDescType ring = getBuffer().getType();
  SmallVector<int64_t> shape(ring.getShape());
  if (!shape.empty())
    shape.front() *= ring.getBuffers();
  if (tensor.getShape() != ArrayRef(shape) || tensor.getElementType() != ring.getElementType())
    return emitOpError("expected a tensor of as many parts as there are buffers, each of their "
                       "shape and element type, got ")
           << tensor << " and " << ring;
  return success();
}
