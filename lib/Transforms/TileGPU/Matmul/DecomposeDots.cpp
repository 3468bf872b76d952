// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the tensor operands of dots by multiply-adds to shared memory, where every
// thread finds the rows and columns of its elements:
//
//   tilegpu.dot %a, %b, %c  =>  store %a, store %b, tilegpu.dot %bufferA, %bufferB, %c
//
// 8-bit floats are widened to f16 on the way, which is exact.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Layout/DotLayout.h"
#include "tilec/Layout/SharedSwizzle.h"
#include "tilec/Layout/TensorLayouts.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDECOMPOSEDOTSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// 8-bit floats as f16, everything else as it is.
static Value widen(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!isa<Float8E4M3FNType, Float8E5M2Type>(type.getElementType()))
    return tensor;
  return tile::FpToFpOp::create(builder, loc, type.clone(builder.getF16Type()), tensor);
}

/// A buffer with `tensor` in it, swizzled for the reads of operand `index` of a product in the
/// layout `product`.
static LocalAllocOp storeOperand(OpBuilder &builder, Location loc, Value tensor, unsigned index,
                                 const LinearLayout &product) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t depth = type.getDimSize(index == 0 ? type.getRank() - 1 : type.getRank() - 2);
  LinearLayout reads = dotOperandLayout(product, index, depth);
  SwizzledShared shared = optimalSwizzle(removeRegisterReplication(layoutOf(type)), reads,
                                         tile::bitWidthOf(type.getElementType()));
  LinearLayout memory = shared.memory.squeezeIn(kBlock);
  MLIRContext *context = builder.getContext();
  auto buffer =
      LocalAllocOp::create(builder, loc,
                           MemDescType::get(context, type.getShape(), type.getElementType(),
                                            LinearAttr::get(context, memory)),
                           IntegerAttr());
  LocalStoreOp::create(builder, loc, tensor, buffer);
  return buffer;
}

static void lower(DotOp dot) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  const LinearLayout &product = layoutOf(cast<RankedTensorType>(dot.getType()));
  bool areTensors = isa<RankedTensorType>(dot.getLhs().getType()) &&
                    isa<RankedTensorType>(dot.getRhs().getType());
  for (unsigned index : {0u, 1u}) {
    OpOperand &operand = dot->getOpOperand(index);
    if (isa<MemDescType>(operand.get().getType()))
      continue;
    // Both operands or none: their types go together.
    Value stored = areTensors ? widen(builder, loc, operand.get()) : operand.get();
    operand.set(storeOperand(builder, loc, stored, index, product));
  }
}

namespace {
struct DecomposeDots final : tilec::impl::TileGPUDecomposeDotsPassBase<DecomposeDots> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](DotOp dot) { lower(dot); });
  }
};
} // namespace
