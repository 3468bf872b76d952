// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the operations on programs.

#include "dialects/Tile/TileOps.h"

using namespace mlir;

namespace tilec::tile {

std::string PrintOp::getPrefixOf(unsigned operand) {
  std::string prefix = getPrefix().str();
  return getValues().size() > 1 ? prefix + "(operand " + std::to_string(operand) + ") " : prefix;
}

SmallVector<int32_t> PrintOp::getIndexWidths(unsigned operand) {
  SmallVector<int32_t> widths;
  auto tensor = dyn_cast<RankedTensorType>(getValues()[operand].getType());
  if (!tensor)
    return widths;
  ArrayRef<int64_t> shape = tensor.getShape();
  if (getExtents())
    if (auto extents = cast<DenseI64ArrayAttr>((*getExtents())[operand]); !extents.empty())
      shape = extents.asArrayRef();
  for (int64_t size : shape)
    widths.push_back(int32_t(std::to_string(std::max<int64_t>(size, 1) - 1).size()));
  return widths;
}

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
