// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every tensor the default layout of its shape. Types are changed in place: tensors of one
// shape get one layout, so only the operations that change shapes can disagree, and those get a
// layout conversion.

#include "tilec/Conversion/TileToTileGPU/Passes.h"

#include "DotToTileGPU.h"
#include "dialects/TileGPU/LayoutInference.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "tilec/Layout/TensorLayouts.h"

namespace tilec {
#define GEN_PASS_DEF_CONVERTTILETOTILEGPUPASS
#include "tilec/Conversion/TileToTileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
struct ConvertTileToTileGPUPass final
    : tilec::impl::ConvertTileToTileGPUPassBase<ConvertTileToTileGPUPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// Checks the options and records them on the module.
  LogicalResult recordOptions(ModuleOp module);
  /// The type with its default layout; other types are unchanged.
  Type withDefaultLayout(Type type);
  void giveLayouts(Operation *op);
  /// Inserts the conversions that a shape-changing operation needs.
  void tieLayouts(Operation *op);
};
} // namespace

LogicalResult ConvertTileToTileGPUPass::recordOptions(ModuleOp module) {
  if (numWarps < 1 || numWarps > 32 || !llvm::isPowerOf2_32(numWarps))
    return module.emitError("expected 'num-warps' to be a power of two from 1 to 32, got ")
           << int(numWarps);
  Builder builder(module.getContext());
  module->setAttr(TileGPUDialect::kNumWarpsAttr, builder.getI32IntegerAttr(numWarps));
  if (!target.empty())
    module->setAttr(tile::TileDialect::kTargetAttr, builder.getStringAttr(target));
  return success();
}

Type ConvertTileToTileGPUPass::withDefaultLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding())
    return type;
  return withLayout(tensor, defaultBlockedLayout(tensor.getShape(), numWarps));
}

void ConvertTileToTileGPUPass::giveLayouts(Operation *op) {
  for (OpResult result : op->getResults())
    result.setType(withDefaultLayout(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(withDefaultLayout(argument.getType()));
  if (auto func = dyn_cast<func::FuncOp>(op)) {
    auto relayout = [&](Type type) { return withDefaultLayout(type); };
    func.setFunctionType(FunctionType::get(op->getContext(),
                                           llvm::map_to_vector(func.getArgumentTypes(), relayout),
                                           llvm::map_to_vector(func.getResultTypes(), relayout)));
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
      constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
}

void ConvertTileToTileGPUPass::tieLayouts(Operation *op) {
  OpBuilder builder(op);
  if (isShapeOp(op)) {
    auto source = cast<RankedTensorType>(op->getOperand(0).getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    RankedTensorType wanted =
        withLayout(source, inferOperandLayout(op, layoutOf(result), source.getShape()));
    if (wanted != source)
      op->setOperand(0, ConvertLayoutOp::create(builder, op->getLoc(), wanted, op->getOperand(0)));
    return;
  }
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  if (!reduce)
    return;
  builder.setInsertionPointAfter(op);
  auto source = cast<RankedTensorType>(reduce.getOperands()[0].getType());
  for (OpResult result : op->getResults()) {
    auto tensor = dyn_cast<RankedTensorType>(result.getType());
    if (!tensor)
      continue;
    RankedTensorType sliced = withLayout(tensor, inferResultLayout(op, layoutOf(source)));
    if (sliced == tensor)
      continue;
    result.setType(sliced);
    auto convert = ConvertLayoutOp::create(builder, op->getLoc(), tensor, result);
    result.replaceAllUsesExcept(convert, convert);
  }
}

/// Layouts exist for powers of two only.
static LogicalResult checkExtents(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && !llvm::all_of(tensor.getShape(), [](int64_t size) {
            return size > 0 && llvm::isPowerOf2_64(size);
          })) {
        op->emitError("expected tensors whose sizes are powers of two, got ")
            << type << "; 'tile-pad-tensors' makes them so";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void ConvertTileToTileGPUPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(recordOptions(module)) || failed(checkExtents(module)))
    return signalPassFailure();
  module.walk([&](Operation *op) { giveLayouts(op); });
  SmallVector<Operation *> shapeChanging;
  module.walk([&](Operation *op) {
    if (isShapeOp(op) || isa<tile::ReduceOp>(op))
      shapeChanging.push_back(op);
  });
  for (Operation *op : shapeChanging)
    tieLayouts(op);
  module.walk([&](tile::DotOp dot) { convertDot(dot, numWarps); });
}
