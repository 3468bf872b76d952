// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Pieces.h.

#include "Pieces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec::tile {

Type withShape(Type type, ArrayRef<int64_t> shape) {
  if (auto desc = dyn_cast<DescType>(type))
    return DescType::get(type.getContext(), shape, desc.getElementType(), desc.getPadsWithNan());
  return cast<RankedTensorType>(type).clone(shape);
}

void clipHints(Operation *op, ArrayRef<int64_t> starts) {
  for (StringRef name : {TileDialect::kDivisibilityAttr, TileDialect::kContiguityAttr,
                         TileDialect::kConstancyAttr}) {
    auto hint = op->getAttrOfType<DenseI32ArrayAttr>(name);
    if (!hint || hint.size() != int64_t(starts.size()))
      continue;
    SmallVector<int32_t> clipped;
    for (auto [number, start] : llvm::zip_equal(hint.asArrayRef(), starts)) {
      int32_t power = number & -number;
      clipped.push_back(start == 0 ? number : int32_t(std::min<int64_t>(power, start & -start)));
    }
    op->setAttr(name, DenseI32ArrayAttr::get(op->getContext(), clipped));
  }
}

void resizeSplat(arith::ConstantOp constant) {
  constant.setValueAttr(cast<SplatElementsAttr>(constant.getValue())
                            .resizeSplat(cast<ShapedType>(constant.getType())));
}

} // namespace tilec::tile
