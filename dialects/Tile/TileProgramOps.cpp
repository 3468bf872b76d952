// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the operations on programs.

#include "dialects/Tile/TileOps.h"

using namespace mlir;

namespace tilec::tile {

LogicalResult PrintOp::verify() {
  if (!getExtents())
    return success();
  if (getExtents()->size() != getValues().size())
    return emitOpError("expects extents for each of ")
           << getValues().size() << " values, got " << getExtents()->size();
  for (auto [attribute, value] : llvm::zip_equal(*getExtents(), getValues())) {
    int64_t count = cast<DenseI64ArrayAttr>(attribute).size();
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    int64_t rank = tensor ? tensor.getRank() : 0;
    if (count != 0 && count != rank)
      return emitOpError("expects ") << rank << " extents, got " << count;
  }
  return success();
}

} // namespace tilec::tile
