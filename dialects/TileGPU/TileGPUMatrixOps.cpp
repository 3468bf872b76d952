// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifier and effects of the matrix product on tensors with layouts and shared-memory buffers.

#include "dialects/TileGPU/TileGPUOps.h"

#include "tilec/Layout/MmaLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

RankedTensorType tilegpu::tensorOf(Type type) {
  if (auto buffer = dyn_cast<MemDescType>(type))
    return RankedTensorType::get(buffer.getShape(), buffer.getElementType());
  return cast<RankedTensorType>(type);
}

LogicalResult DotOp::verify() {
  RankedTensorType lhs = tensorOf(getLhs().getType());
  if (failed(tile::verifyDot(*this, lhs, tensorOf(getRhs().getType()),
                             cast<RankedTensorType>(getType()))))
    return failure();
  std::optional<int32_t> maxImprecise;
  if (std::optional<uint32_t> value = getMaxImpreciseAcc())
    maxImprecise = static_cast<int32_t>(*value);
  return tile::verifyDotAttributes(*this, lhs.getElementType(), maxImprecise, getIsUnsigned());
}

void DotOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    if (isa<MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
}

/// Whether mma.sync multiplies these types into this accumulator.
static bool hasProduct(Type a, Type b, Type acc) {
  auto isFloat8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  if (isFloat8(a) && isFloat8(b))
    return acc.isF32() || acc.isF16();
  if (a != b)
    return false;
  if (a.isF16())
    return acc.isF32() || acc.isF16();
  if (a.isF64())
    return acc.isF64();
  return ((a.isBF16() || a.isF32()) && acc.isF32()) || (a.isInteger(8) && acc.isInteger(32));
}

LogicalResult MmaOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto type = cast<RankedTensorType>(getType());
  if (!hasProduct(lhs.getElementType(), rhs.getElementType(), type.getElementType()))
    return emitOpError("has no instruction for ")
           << lhs.getElementType() << " and " << rhs.getElementType() << " in "
           << type.getElementType();
  if (getIsUnsigned() && !lhs.getElementType().isInteger(8))
    return emitOpError("expected 'unsigned' with operands of 8-bit integers only, got ")
           << lhs.getElementType();
  if (getSplit() && !lhs.getElementType().isF32())
    return emitOpError("expected 'split' with operands of f32 only, got ") << lhs.getElementType();
  if (!hasLayout(lhs) || !hasLayout(rhs) || !hasLayout(type) ||
      !matchMma(layoutOf(lhs), layoutOf(rhs), layoutOf(type)))
    return emitOpError("expected layouts of the instruction's fragments");
  return success();
}
