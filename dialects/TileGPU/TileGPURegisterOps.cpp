// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the operations that keep a thread's registers few.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// park_c1, park_c2; the same for unpark.
static LogicalResult verifySlots(Operation *op, Value value, OperandRange slots) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!hasLayout(type))
    return op->emitOpError("expected a tensor with a layout, got ") << type;
  const LinearLayout &layout = layoutOf(type);
  int64_t words = int64_t(numWarpsOf(op)) * 32 * 4;
  for (Value slot : slots) {
    auto buffer = cast<MemDescType>(slot.getType());
    if (!buffer.getElementType().isInteger(32) || buffer.getShape() != ArrayRef<int64_t>{words})
      return op->emitOpError("expected slots of ") << words << " 32-bit integers, got " << buffer;
  }
  if (layout.getFreeVariableMask(kRegister))
    return op->emitOpError("expected registers without replicas, got ") << type;
  int64_t vectors = registerVectors(type);
  if (int64_t(slots.size()) > vectors)
    return op->emitOpError("expected at most ")
           << vectors << " slots, as many 16-byte vectors as a thread has, got " << slots.size();
  return success();
}

int64_t tilec::tilegpu::registerVectors(RankedTensorType type) {
  int64_t bytes = tile::bytesOf(type.getElementType());
  return layoutOf(type).getInDimSize(kRegister) * bytes / 16;
}

LogicalResult ParkOp::verify() { return verifySlots(*this, getValue(), getSlots()); }

LogicalResult UnparkOp::verify() { return verifySlots(*this, getValue(), getSlots()); }

LogicalResult RefreshOp::verify() {
  auto type = cast<RankedTensorType>(getValue().getType());
  unsigned bits = tile::bitWidthOf(type.getElementType());
  if (isa<tile::PtrType>(type.getElementType()) || (bits != 8 && bits != 16 && bits != 32))
    return emitOpError("expected elements of 8, 16 or 32 bits, got ") << type;
  return success();
}
