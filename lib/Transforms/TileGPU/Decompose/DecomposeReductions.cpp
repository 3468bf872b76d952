// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a reduction over an axis that several warps share:
//
//   %r = tile.reduce(%x) axis = a                      (W warps along a)
//   =>
//   %p = tilegpu.partial_reduce(%x) axis = a           a has size W, one element per warp
//   %c = tilegpu.convert_layout %p                     the W elements in each thread, or, where
//   %r = tile.reduce(%c) axis = a                      there are many, in each group of lanes

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Layout/TensorLayouts.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDECOMPOSEREDUCTIONSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// The two layouts of the warps' partial results: where the warps leave them, and gathered in
/// registers.
struct PartialLayouts {
  LinearLayout perWarp;
  LinearLayout gathered;
  int32_t numPartials = 1;
};
} // namespace

/// Lists the bases of `layout` for one input dimension.
static std::vector<LinearLayout::Basis> basesOf(const LinearLayout &layout, StringRef in) {
  std::vector<LinearLayout::Basis> bases;
  for (int32_t i = 0; i < layout.getInDimSizeLog2(in); ++i)
    bases.push_back(layout.getBasis(in, i));
  return bases;
}

/// Up to so many partial results each thread reads and combines all by itself. Of more, it takes as
/// many as one access brings, and lanes share the rest: 32 partial results cost 10 instructions
/// instead of 39, and registers for 4 instead of 32. With one reduction only, the longer chain of
/// shuffles costs more than that saves. Measured on an H200, rows of 32768 fp32 and 32 warps: layer
/// norm 7 % faster, RMS norm 6 % slower.
static constexpr int64_t kFewPartials = 8, kPerThread = 4;

/// Replaces, in the slice of `source`, dimension `axis` (of size 1) by one with an element per warp
/// that held a part.
static PartialLayouts partialLayouts(const LinearLayout &source, unsigned axis, bool shareLanes) {
  LinearLayout slice = expandDimsLayout(sliceLayout(source, axis), axis);
  auto registers = basesOf(slice, kRegister), lanes = basesOf(slice, kLane),
       warps = basesOf(slice, kWarp), blocks = basesOf(slice, kBlock);
  auto gatheredRegisters = registers, gatheredLanes = lanes;
  auto perWarp = warps;
  SmallVector<int32_t> sharing;
  for (int32_t i = 0; i < source.getInDimSizeLog2(kWarp); ++i)
    if (source.getBasis(kWarp, i, dimName(axis)) != 0)
      sharing.push_back(i);
  // Lanes that hold the same as others.
  SmallVector<int32_t> idle;
  if (shareLanes && (int64_t(1) << sharing.size()) > kFewPartials)
    for (auto [i, basis] : llvm::enumerate(lanes))
      if (llvm::all_of(basis, [](int32_t coordinate) { return coordinate == 0; }))
        idle.push_back(i);
  int32_t size = 1;
  for (int32_t i : sharing) {
    perWarp[i][axis] = size;
    LinearLayout::Basis basis(slice.getNumOutDims(), 0);
    basis[axis] = size;
    if (size < kPerThread || idle.empty())
      gatheredRegisters.push_back(basis);
    else
      gatheredLanes[idle.pop_back_val()] = basis;
    size *= 2;
  }
  std::vector<LinearLayout::OutDim> outs = slice.getOutDims();
  outs[axis].second = size;
  auto make = [&](auto regs, auto laneBases, auto warpBases) {
    return llvm::cantFail(LinearLayout::create({{kRegister.str(), regs},
                                                {kLane.str(), laneBases},
                                                {kWarp.str(), warpBases},
                                                {kBlock.str(), blocks}},
                                               outs));
  };
  return {make(registers, lanes, perWarp), make(gatheredRegisters, gatheredLanes, warps), size};
}

static void decompose(tile::ReduceOp reduce, bool shareLanes) {
  auto source = cast<RankedTensorType>(reduce.getOperands()[0].getType());
  unsigned axis = reduce.getAxis();
  PartialLayouts layouts = partialLayouts(layoutOf(source), axis, shareLanes);
  SmallVector<int64_t> shape(source.getShape());
  shape[axis] = layouts.numPartials;

  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  auto partialType = [&](Value operand, const LinearLayout &layout) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    return withLayout(RankedTensorType::get(shape, element), layout);
  };
  SmallVector<Type> types;
  for (Value operand : reduce.getOperands())
    types.push_back(partialType(operand, layouts.perWarp));
  auto partial = PartialReduceOp::create(builder, loc, types, reduce.getOperands(), axis);
  IRMapping mapping;
  reduce.getCombine().cloneInto(&partial.getCombine(), mapping);
  SmallVector<Value> gathered;
  for (Value result : partial.getResults())
    gathered.push_back(
        ConvertLayoutOp::create(builder, loc, partialType(result, layouts.gathered), result));
  reduce.getOperandsMutable().assign(gathered);
}

namespace {
struct DecomposeReductions final
    : tilec::impl::TileGPUDecomposeReductionsPassBase<DecomposeReductions> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<tile::ReduceOp> crossing;
    getOperation().walk([&](tile::ReduceOp reduce) {
      auto source = cast<RankedTensorType>(reduce.getOperands()[0].getType());
      if (hasLayout(source) && !axisIsWithinWarp(layoutOf(source), reduce.getAxis()))
        crossing.push_back(reduce);
    });
    for (tile::ReduceOp reduce : crossing)
      decompose(reduce, /*shareLanes=*/crossing.size() > 1);
  }
};
} // namespace
