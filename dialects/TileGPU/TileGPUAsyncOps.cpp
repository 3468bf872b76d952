// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and effects of the views of buffers, asynchronous copies and warpgroup products.

#include "dialects/TileGPU/TileGPUOps.h"

#include "tilec/Layout/TensorLayouts.h"
#include "tilec/Layout/WgmmaLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

//===--------------------------------------------------------------------------------------------===//
// Views
//===--------------------------------------------------------------------------------------------===//

LogicalResult MemDescIndexOp::verify() {
  MemDescType expected = getRing().getType().getOneBuffer();
  if (getType() != expected)
    return emitOpError("expected the ring's type with one buffer, ")
           << expected << ", got " << getType();
  return success();
}

LogicalResult MemDescPermuteOp::verify() {
  MemDescType source = getSource().getType();
  ArrayRef<int32_t> order = getOrder();
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  bool isPermutation = sorted.size() == source.getShape().size();
  for (auto [i, dim] : llvm::enumerate(sorted))
    isPermutation &= size_t(dim) == i;
  if (!isPermutation)
    return emitOpError("expected an order with each of the source's ")
           << source.getShape().size() << " dimensions once, got [" << order << "]";
  SmallVector<int64_t> shape;
  for (int32_t dim : order)
    shape.push_back(source.getShape()[dim]);
  auto layout = LinearAttr::get(getContext(), permuteLayout(source.getLayout().getLayout(), order));
  auto expected = MemDescType::get(getContext(), shape, source.getElementType(), layout,
                                   source.getBuffers(), source.getBytes());
  if (getType() != expected)
    return emitOpError("expected the source's type in this order, ")
           << expected << ", got " << getType();
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// Copies
//===--------------------------------------------------------------------------------------------===//

LogicalResult AsyncCopyOp::verify() {
  auto pointers = cast<RankedTensorType>(getPointer().getType());
  MemDescType buffer = getBuffer().getType();
  auto pointer = dyn_cast<tile::PtrType>(pointers.getElementType());
  if (!pointer || !hasLayout(pointers) || pointers.getShape() != buffer.getShape() ||
      pointer.getPointee() != buffer.getElementType() || buffer.getBuffers() != 1)
    return emitOpError("expected pointers with a layout to what one buffer holds, got ")
           << pointers << " and " << buffer;
  if (!getMask())
    return success();
  auto mask = cast<RankedTensorType>(getMask().getType());
  if (mask != pointers.clone(IntegerType::get(getContext(), 1)))
    return emitOpError("expected a mask of the pointers' shape and layout, got ") << mask;
  return success();
}

//===--------------------------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------------------------===//

/// wgmma_c2, as far as a product of `tile.dot` is not one of the instruction.
static LogicalResult verifyInstruction(WgmmaOp op, RankedTensorType lhs, RankedTensorType rhs) {
  if (lhs.getRank() != 2)
    return op.emitOpError("expected operands of rank 2, got ") << lhs.getRank();
  Type a = lhs.getElementType(), b = rhs.getElementType();
  Type acc = getElementTypeOrSelf(op.getType());
  auto isFloat8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  bool fits = isFloat8(a)  ? isFloat8(b) && (acc.isF16() || acc.isF32())
              : a != b     ? false
              : a.isF16()  ? acc.isF16() || acc.isF32()
              : a.isBF16() ? acc.isF32()
              : a.isF32()  ? acc.isF32()
                           : a.isInteger(8) && acc.isInteger(32);
  if (!fits)
    return op.emitOpError("has no instruction for ") << a << " and " << b << " in " << acc;
  int64_t bits = tile::bitWidthOf(a);
  if (lhs.getDimSize(1) * bits < 256)
    return op.emitOpError("expected at least 32 bytes of depth, got ")
           << lhs.getDimSize(1) * bits / 8;
  if (op.getFragmentsOf() && !isa<MemDescType>(op.getLhs().getType()))
    return op.emitOpError("expected both operands in buffers with 'fragments_of'");
  if (bits != 16 && !isa<MemDescType>(op.getLhs().getType()))
    return op.emitOpError("expected 16 bits for an operand in registers, got ") << a;
  return success();
}

LinearLayout WgmmaOp::getProductLayout() {
  const LinearLayout &layout = layoutOf(cast<RankedTensorType>(getType()));
  return isTransposed() ? permuteLayout(layout, {1, 0}) : layout;
}

bool WgmmaOp::widensFragments() {
  if (!getFragmentsOf())
    return false;
  Type read = tensorOf(getOperand(*getFragmentsOf()).getType()).getElementType();
  Type other = tensorOf(getOperand(1 - *getFragmentsOf()).getType()).getElementType();
  return read.isInteger(8) && (other.isF16() || other.isBF16());
}

RankedTensorType WgmmaOp::getMultipliedType(unsigned operand) {
  RankedTensorType type = tensorOf(getOperand(operand).getType());
  if (!widensFragments() || getFragmentsOf() != operand)
    return type;
  return type.clone(tensorOf(getOperand(1 - operand).getType()).getElementType());
}

int64_t WgmmaOp::numSteps() {
  RankedTensorType rhs = getMultipliedType(1);
  return rhs.getDimSize(0) * tile::bitWidthOf(rhs.getElementType()) / 256;
}

bool WgmmaOp::isCut() {
  Type a = getMultipliedType(0).getElementType();
  return getMaxImpreciseAcc() && isa<FloatType>(a) && tile::bitWidthOf(a) == 8 &&
         cast<RankedTensorType>(getType()).getElementType().isF32();
}

int64_t WgmmaOp::stepsOfPart() {
  if (!isCut())
    return numSteps();
  constexpr int64_t kInstrDepth = 32;
  int64_t steps = std::max<int64_t>(1, *getMaxImpreciseAcc() / kInstrDepth);
  return std::min(numSteps(), int64_t(llvm::bit_floor(uint64_t(steps))));
}

int64_t WgmmaOp::stepsOfGroup() {
  if (!getFragmentsOf())
    return stepsOfPart();
  // Two groups, of which one is in flight while the other is read; short of registers more.
  constexpr int64_t kInstrRows = 64, kRegistersOfStep = 4, kMaxRegisters = 16;
  std::optional<WgmmaProductForm> form = matchWgmmaProduct(getProductLayout());
  int64_t rows = cast<RankedTensorType>(getType()).getDimSize(isTransposed() ? 1 : 0);
  int64_t tiles = std::max<int64_t>(1, rows / (kInstrRows * form->rowWarps / 4));
  int64_t steps = std::min(stepsOfPart(), std::max<int64_t>(1, numSteps() / 2));
  while (steps > 1 && steps * tiles * kRegistersOfStep > kMaxRegisters)
    steps /= 2;
  return steps;
}

LogicalResult WgmmaOp::verify() {
  RankedTensorType lhs = getMultipliedType(0), rhs = getMultipliedType(1);
  auto acc = cast<RankedTensorType>(getType());
  if (failed(tile::verifyDot(*this, lhs, rhs, acc)) || failed(verifyInstruction(*this, lhs, rhs)))
    return failure();
  std::optional<int32_t> maxImprecise;
  if (std::optional<uint32_t> value = getMaxImpreciseAcc())
    maxImprecise = static_cast<int32_t>(*value);
  Type number = widensFragments()
                    ? tensorOf(getOperand(*getFragmentsOf()).getType()).getElementType()
                    : lhs.getElementType();
  if (failed(tile::verifyDotAttributes(*this, number, maxImprecise, getIsUnsigned())))
    return failure();

  std::optional<WgmmaProductForm> form;
  if (hasLayout(acc))
    form = matchWgmmaProduct(getProductLayout());
  // Rows of A in shared memory are where the instruction has them.
  if (!form || (form->pairsRows && !getFragmentsOf()))
    return emitOpError("expected an accumulator in a layout of wgmma, got ") << acc;
  int32_t bits = int32_t(tile::bitWidthOf(lhs.getElementType()));
  for (unsigned operand : {0u, 1u}) {
    auto buffer = dyn_cast<MemDescType>(getOperand(operand).getType());
    if (!buffer)
      continue;
    if (buffer.getBuffers() != 1)
      return emitOpError("expected one buffer, got ") << buffer;
    if (getFragmentsOf() == operand)
      continue;
    if (!matchWgmmaOperand(buffer.getLayout().getLayout(), bits, operand))
      return emitOpError("expected operand ")
             << operand << " in a layout that wgmma reads, got " << buffer;
  }
  if (isa<MemDescType>(getLhs().getType()))
    return success();
  auto registers = cast<RankedTensorType>(getLhs().getType());
  int32_t warps[] = {form->rowWarps, form->columnGroups};
  LinearLayout expected = mmaOperandLayout(registers.getShape(), 0, 2, warps, /*mFirstWarps=*/true);
  if (!hasLayout(registers) || layoutOf(registers) != expected)
    return emitOpError("expected operand 0 in the register layout of wgmma, ")
           << withLayout(registers, expected) << ", got " << registers;
  return success();
}

void WgmmaOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    if (isa<MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
  effects.emplace_back(MemoryEffects::Write::get(), AsyncOrderResource::get());
}

LogicalResult WgmmaWaitOp::verify() {
  if (getValues().getTypes() != getResults().getTypes())
    return emitOpError("expected results of the operands' types");
  return success();
}
