// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the elementwise operations that a kernel defines by itself.

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilec::tile {

LogicalResult InlineAsmOp::verify() {
  if (static_cast<int32_t>(getPack()) < 1)
    return emitOpError("expects a positive 'pack', got ") << static_cast<int32_t>(getPack());
  if (getNumResults() == 0)
    return emitOpError("expects at least one result, got none");
  return success();
}

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// `pack` times the element type of each.
static SmallVector<Type> groupTypes(TypeRange types, int64_t pack) {
  SmallVector<Type> elements;
  for (Type type : types)
    elements.append(pack, getElementTypeOrSelf(type));
  return elements;
}

LogicalResult MapOp::verify() {
  auto pack = static_cast<int32_t>(getPack());
  if (pack < 1 || getOperands().empty() || getNumResults() == 0)
    return emitOpError("expects operands, results and a positive 'pack', got ")
           << getNumOperands() << ", " << getNumResults() << " and " << pack;
  Block &block = getBody().front();
  SmallVector<Type> arguments = groupTypes(getOperandTypes(), pack);
  if (!llvm::equal(block.getArgumentTypes(), arguments))
    return emitOpError("expects region arguments of types (")
           << TypeRange(arguments) << "), got (" << block.getArgumentTypes() << ")";
  Operation *yield = block.getTerminator();
  SmallVector<Type> results = groupTypes(getResultTypes(), pack);
  if (!llvm::equal(yield->getOperandTypes(), results))
    return emitOpError("expects the region to yield (")
           << TypeRange(results) << "), got (" << yield->getOperandTypes() << ")";
  return success();
}

} // namespace tilec::tile
