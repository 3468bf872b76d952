// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout relations of the shape operations, by relabelling output bits.

#include "dialects/TileGPU/LayoutInference.h"

#include "tilec/Layout/TensorLayouts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

bool tilegpu::isShapeOp(Operation *op) {
  return isa<BroadcastOp, ExpandDimsOp, ReshapeOp, PermuteOp>(op);
}

LinearLayout tilegpu::inferOperandLayout(Operation *op, const LinearLayout &result,
                                         ArrayRef<int64_t> operandShape) {
  return TypeSwitch<Operation *, LinearLayout>(op)
      .Case([&](BroadcastOp) { return broadcastOperandLayout(result, operandShape); })
      .Case([&](ExpandDimsOp expand) { return dropDim(result, expand.getAxis()); })
      .Case([&](ReshapeOp) { return reshapeLayout(result, operandShape); })
      .Case([&](PermuteOp permute) {
        SmallVector<int32_t> inverse(permute.getOrder().size());
        for (auto [i, from] : llvm::enumerate(permute.getOrder()))
          inverse[from] = i;
        return permuteLayout(result, inverse);
      });
}

LinearLayout tilegpu::inferResultLayout(Operation *op, const LinearLayout &operand) {
  return TypeSwitch<Operation *, LinearLayout>(op)
      .Case([&](BroadcastOp broadcast) {
        return broadcastTo(operand, cast<RankedTensorType>(broadcast.getType()).getShape());
      })
      .Case([&](ExpandDimsOp expand) { return expandDimsLayout(operand, expand.getAxis()); })
      .Case([&](ReshapeOp reshape) {
        return reshapeLayout(operand, cast<RankedTensorType>(reshape.getType()).getShape());
      })
      .Case([&](PermuteOp permute) { return permuteLayout(operand, permute.getOrder()); })
      .Case([&](ReduceOp reduce) { return sliceLayout(operand, reduce.getAxis()); });
}
