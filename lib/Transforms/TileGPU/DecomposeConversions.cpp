// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the conversions that cannot or should not stay inside warps into a store to and a load from
// a swizzled shared-memory buffer. The plan comes from the layout algebra (see
// tilec/Layout/Conversion.h).

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "tilec/Layout/Conversion.h"

#define DEBUG_TYPE "tilegpu-decompose-conversions"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDECOMPOSECONVERSIONSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static void lowerThroughShared(ConvertLayoutOp convert, const ConversionPlan &plan) {
  auto source = cast<RankedTensorType>(convert.getSource().getType());
  OpBuilder builder(convert);
  Location loc = convert.getLoc();
  // The optimal layout's dimensions: an offset, and a block index that one CTA does not have.
  LinearLayout memory = plan.shared.memory.sublayout(
      {kOffset}, SmallVector<StringRef>(
                     llvm::map_range(plan.shared.memory.getOutDims(),
                                     [](const auto &out) -> StringRef { return out.first; })));
  auto buffer = LocalAllocOp::create(
      builder, loc,
      MemDescType::get(convert.getContext(), source.getShape(), source.getElementType(),
                       LinearAttr::get(convert.getContext(), memory)),
      IntegerAttr());
  LocalStoreOp::create(builder, loc, convert.getSource(), buffer);
  auto load = LocalLoadOp::create(builder, loc, convert.getType(), buffer);
  convert.replaceAllUsesWith(load.getResult());
  convert.erase();
}

namespace {
struct DecomposeConversions final
    : tilec::impl::TileGPUDecomposeConversionsPassBase<DecomposeConversions> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk([&](ConvertLayoutOp op) { conversions.push_back(op); });
    for (ConvertLayoutOp convert : conversions) {
      auto source = cast<RankedTensorType>(convert.getSource().getType());
      auto result = cast<RankedTensorType>(convert.getType());
      unsigned bits = std::max(8u, tile::bitWidthOf(source.getElementType()));
      ConversionPlan plan = planConversion(layoutOf(source), layoutOf(result), bits);
      if (plan.kind == ConversionKind::CrossBlock) {
        convert.emitError("a layout conversion between the CTAs of a cluster is not supported");
        return signalPassFailure();
      }
      if (plan.kind == ConversionKind::SharedMemory)
        lowerThroughShared(convert, plan);
    }
  }
};
} // namespace
