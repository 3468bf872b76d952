// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensor descriptor type and its accesses: verifiers and effects.

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace tilec::tile {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

LogicalResult DescType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> blockShape, Type elementType, bool padsWithNan,
                               ArrayRef<int64_t> used, int64_t boxRows) {
  if (!isTileShape(blockShape) || blockShape.size() > 5)
    return emitError()
           << "expected a block of 1 to 5 dimensions with at most 1048576 elements, got ["
           << blockShape << "]";
  bool isFloat = isa<FloatType>(elementType);
  bool isInteger = elementType.isSignlessInteger() &&
                   llvm::is_contained({8u, 16u, 32u, 64u}, elementType.getIntOrFloatBitWidth());
  if (!isFloat && !isInteger)
    return emitError() << "expected integer or float elements, got " << elementType;
  if (padsWithNan && !isFloat)
    return emitError() << "expected float elements to pad with NaN, got " << elementType;
  bool isInside =
      used.size() == blockShape.size() && llvm::all_of(llvm::zip(used, blockShape), [](auto pair) {
        return std::get<0>(pair) > 0 && std::get<0>(pair) <= std::get<1>(pair);
      });
  if (!used.empty() && !isInside)
    return emitError() << "expected used elements inside of the block, got [" << used << "]";
  if (boxRows < 0 || boxRows % 8 != 0)
    return emitError() << "expected rows of a copy to be a multiple of 8, got " << boxRows;
  return success();
}

mlir::Type DescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, used;
  int64_t boxRows = 0;
  mlir::Type element;
  bool padsWithNan = false;
  SMLoc loc = parser.getCurrentLocation();
  auto parseSizes = [&](SmallVector<int64_t> &sizes) {
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Square, [&] { return parser.parseInteger(sizes.emplace_back()); });
  };
  if (parser.parseLess() || parseSizes(shape) || parser.parseComma() || parser.parseType(element))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("nan")))
      padsWithNan = true;
    else if (succeeded(parser.parseOptionalKeyword("rows"))) {
      if (parser.parseEqual() || parser.parseInteger(boxRows))
        return {};
    } else if (parser.parseKeyword("used") || parser.parseEqual() || parseSizes(used))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<DescType>(loc, parser.getContext(), ArrayRef<int64_t>(shape), element,
                                     padsWithNan, ArrayRef<int64_t>(used), boxRows);
}

void DescType::print(AsmPrinter &printer) const {
  printer << "<[" << getBlockShape() << "], " << getElementType()
          << (getPadsWithNan() ? ", nan" : "");
  if (!getUsed().empty())
    printer << ", used = [" << getUsed() << "]";
  if (getBoxRows() != 0)
    printer << ", rows = " << getBoxRows();
  printer << ">";
}

LogicalResult MakeTensorDescriptorOp::verify() {
  DescType type = getType();
  if (getBase().getType().getPointee() != type.getElementType())
    return emitOpError("expects a pointer to ")
           << type.getElementType() << ", got " << getBase().getType();
  size_t rank = type.getBlockShape().size();
  if (getShape().size() != rank || getStrides().size() + 1 != rank)
    return emitOpError("expects ") << rank << " sizes and " << rank - 1 << " strides, got "
                                   << getShape().size() << " and " << getStrides().size();
  return success();
}

/// Error unless an access at `offsets` of the tensor type `tensor` goes with the descriptor.
static LogicalResult verifyAccess(Operation *op, DescType desc, ValueRange offsets, Type tensor) {
  if (offsets.size() != desc.getBlockShape().size())
    return op->emitOpError("expects ")
           << desc.getBlockShape().size() << " offsets, got " << offsets.size();
  auto type = cast<RankedTensorType>(tensor);
  if (!computeRankReductionMask(desc.getBlockShape(), type.getShape()) ||
      type.getElementType() != desc.getElementType())
    return op->emitOpError("expects a tensor of type ")
           << RankedTensorType::get(desc.getBlockShape(), desc.getElementType()) << ", got "
           << type;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyAccess(*this, getDesc().getType(), getOffsets(), getType());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyAccess(*this, getDesc().getType(), getOffsets(), getValue().getType());
}

LogicalResult DescriptorReduceOp::verify() {
  if (!hasDescriptorReduction(getKind(), getDesc().getType().getElementType()))
    return emitOpError("has no '") << stringifyAtomicKind(getKind()) << "' of "
                                   << getDesc().getType().getElementType() << " elements";
  return verifyAccess(*this, getDesc().getType(), getOffsets(), getValue().getType());
}

void DescriptorLoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getDescMutable(), GlobalMemory::get());
}

void DescriptorStoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getDescMutable(), GlobalMemory::get());
}

void DescriptorReduceOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getDescMutable(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getDescMutable(), GlobalMemory::get());
}

} // namespace tilec::tile
