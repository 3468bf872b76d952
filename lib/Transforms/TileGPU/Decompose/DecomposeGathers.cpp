// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends gathers and histograms through shared memory, where any thread reaches any element:
//
//   tile.gather     =>  store the source, tilegpu.local_gather
//   tile.histogram  =>  store zeros, tilegpu.local_count, load

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Layout/TensorLayouts.h"
#include "tilec/Support/RemarkCategory.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDECOMPOSEGATHERSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// A buffer for `tensor` in row-major order, with `tensor` stored in it.
static LocalAllocOp storeRowMajor(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  LinearLayout memory =
      linearSharedLayout(type.getShape(), rowMajorOrder(type.getRank())).squeezeIn(kBlock);
  MLIRContext *context = builder.getContext();
  auto buffer =
      LocalAllocOp::create(builder, loc,
                           MemDescType::get(context, type.getShape(), type.getElementType(),
                                            LinearAttr::get(context, memory)),
                           IntegerAttr());
  LocalStoreOp::create(builder, loc, tensor, buffer);
  return buffer;
}

static void lower(tile::GatherOp gather) {
  OpBuilder builder(gather);
  Location loc = gather.getLoc();
  LocalAllocOp buffer = storeRowMajor(builder, loc, gather.getSource());
  auto picked = LocalGatherOp::create(builder, loc, gather.getType(), buffer, gather.getIndices(),
                                      gather.getAxis());
  remark::analysis(loc, remark::RemarkOpts::name("SharedGather").category(remarks::kGather))
      << remark::add("gather goes through {0} bytes of shared memory",
                     buffer.getType().getSizeInBytes())
      << remark::metric("bytes", buffer.getType().getSizeInBytes());
  gather.replaceAllUsesWith(picked.getResult());
  gather.erase();
}

static void lower(tile::HistogramOp histogram) {
  OpBuilder builder(histogram);
  Location loc = histogram.getLoc();
  auto type = cast<RankedTensorType>(histogram.getType());
  Value zeros = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(cast<ShapedType>(type), builder.getI32IntegerAttr(0)));
  LocalAllocOp counters = storeRowMajor(builder, loc, zeros);
  LocalCountOp::create(builder, loc, histogram.getSource(), counters, histogram.getMask());
  auto counts = LocalLoadOp::create(builder, loc, type, counters);
  histogram.replaceAllUsesWith(counts.getResult());
  histogram.erase();
}

namespace {
struct DecomposeGathers final : tilec::impl::TileGPUDecomposeGathersPassBase<DecomposeGathers> {
  using Base::Base;
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto gather = dyn_cast<tile::GatherOp>(op))
        lower(gather);
      else if (auto histogram = dyn_cast<tile::HistogramOp>(op))
        lower(histogram);
    });
  }
};
} // namespace
