// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part in shared memory is swizzled as for a conversion from the layout of the sums to that of
// the result.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Support/RemarkCategory.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDECOMPOSEREDUCESCATTERSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Where the elements of a part lie in its buffer.
static LinearLayout partLayout(RankedTensorType source, RankedTensorType result) {
  LinearLayout part = layoutOf(source).resizeOutDim(dimName(0), int32_t(result.getDimSize(0)));
  ConversionOptions options;
  options.forceShared = true;
  unsigned bits = tile::bitWidthOf(source.getElementType());
  ConversionPlan plan = planConversion(part, layoutOf(result), int32_t(bits), options);
  std::vector<std::string> dims = dimNames(unsigned(result.getRank()));
  return plan.shared.memory.sublayout({kOffset}, SmallVector<StringRef>(dims.begin(), dims.end()));
}

static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

/// Scatters between which nothing happens.
static void decompose(MutableArrayRef<tile::ReduceScatterOp> scatters) {
  OpBuilder builder(scatters.back());
  Location loc = scatters.front().getLoc();
  SmallVector<Value> rings;
  for (tile::ReduceScatterOp scatter : scatters) {
    auto source = cast<RankedTensorType>(scatter.getSource().getType());
    auto result = cast<RankedTensorType>(scatter.getType());
    auto layout = LinearAttr::get(scatter.getContext(), partLayout(source, result));
    auto type =
        MemDescType::get(scatter.getContext(), result.getShape(), result.getElementType(), layout)
            .withBuffers(source.getDimSize(0) / result.getDimSize(0));
    rings.push_back(LocalAllocOp::create(builder, scatter.getLoc(), type, IntegerAttr()));
    remark::analysis(scatter.getLoc(),
                     remark::RemarkOpts::name("ReduceScatter").category(remarks::kMemoryHint))
        << remark::add("{0} bytes of shared memory for the sums of a cluster's CTAs",
                       type.getSizeInBytes())
        << remark::metric("bytes", type.getSizeInBytes());
  }
  ClusterBarrierOp::create(builder, loc, rings);
  for (auto [scatter, ring] : llvm::zip_equal(scatters, rings))
    ClusterStoreOp::create(builder, loc, scatter.getSource(), ring, scatter.getPart());
  ClusterBarrierOp::create(builder, loc);
  for (auto [scatter, ring] : llvm::zip_equal(scatters, rings)) {
    auto type = cast<MemDescType>(ring.getType());
    Value sum;
    for (int64_t i = 0; i < type.getBuffers(); ++i) {
      Value index = arith::ConstantIntOp::create(builder, loc, i, 32);
      Value buffer = MemDescIndexOp::create(builder, loc, type.getOneBuffer(), ring, index);
      Value part = LocalLoadOp::create(builder, loc, scatter.getType(), buffer);
      sum = sum ? add(builder, loc, sum, part) : part;
    }
    scatter.replaceAllUsesWith(sum);
  }
  for (tile::ReduceScatterOp scatter : scatters)
    scatter.erase();
}

/// Whether nothing happens between the group and the scatter, and nobody wants a result of the
/// group in front of it.
static bool canJoin(ArrayRef<tile::ReduceScatterOp> group, tile::ReduceScatterOp scatter) {
  Operation *last = group.back();
  Block *block = scatter->getBlock();
  if (last->getBlock() != block)
    return false;
  for (Operation *op = last->getNextNode(); op != scatter; op = op->getNextNode())
    if (!isMemoryEffectFree(op))
      return false;
  return llvm::none_of(group, [&](tile::ReduceScatterOp member) {
    return llvm::any_of(member->getUsers(), [&](Operation *user) {
      Operation *inBlock = block->findAncestorOpInBlock(*user);
      return inBlock && (inBlock == scatter || inBlock->isBeforeInBlock(scatter));
    });
  });
}

namespace {
struct DecomposeReduceScatters final
    : tilec::impl::TileGPUDecomposeReduceScattersPassBase<DecomposeReduceScatters> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<SmallVector<tile::ReduceScatterOp>> groups;
    getOperation().walk([&](tile::ReduceScatterOp scatter) {
      if (groups.empty() || !canJoin(groups.back(), scatter))
        groups.emplace_back();
      groups.back().push_back(scatter);
    });
    if (groups.empty())
      return markAllAnalysesPreserved();
    for (MutableArrayRef<tile::ReduceScatterOp> group : groups)
      decompose(group);
  }
};
} // namespace
