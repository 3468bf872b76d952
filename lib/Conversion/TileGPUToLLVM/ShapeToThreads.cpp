// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges, splats, constants, and the operations that only rename registers.

#include "ThreadPattern.h"

#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// Register r holds start + (thread part ^ register part).
struct MakeRange : ThreadPattern<tile::MakeRangeOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::MakeRangeOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &layout = layoutOf(cast<RankedTensorType>(op.getType()));
    LinearIndex index = threadPart(rewriter, op, lowering.position, layout);
    SmallVector<Value> values;
    Value start =
        op.getStart() ? constantI32(rewriter, op.getLoc(), int32_t(op.getStart())) : Value();
    for (int64_t r = 0, e = numRegisters(op.getType()); r < e; ++r) {
      Value value = index.at(rewriter, op.getLoc(), registerPart(layout, r));
      if (start)
        value = arith::AddIOp::create(rewriter, op.getLoc(), value, start);
      values.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct Splat : ThreadPattern<tile::SplatOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::SplatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values(numRegisters(op.getType()), adaptor.getSource());
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct Constant : ThreadPattern<arith::ConstantOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TypedAttr value = cast<TypedAttr>(op.getValue());
    if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue())) {
      if (!elements.isSplat())
        return rewriter.notifyMatchFailure(op, "only splat tensor constants have a lowering");
      value = cast<TypedAttr>(elements.getSplatValue<Attribute>());
    }
    // An 8-bit float is its bits.
    if (auto fp = dyn_cast<FloatAttr>(value); fp && fp.getType().getIntOrFloatBitWidth() == 8)
      value = rewriter.getIntegerAttr(rewriter.getI8Type(), fp.getValue().bitcastToAPInt());
    Value scalar = arith::ConstantOp::create(rewriter, op.getLoc(), value);
    SmallVector<Value> values(numRegisters(op.getType()), scalar);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct Poison : ThreadPattern<ub::PoisonOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tensor = dyn_cast<RankedTensorType>(op.getType());
    Type scalar = lowering.types.convertScalar(tensor ? tensor.getElementType() : op.getType());
    Value value = LLVM::PoisonOp::create(rewriter, op.getLoc(), scalar);
    SmallVector<Value> values(numRegisters(op.getType()), value);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Register r of the result is the operand's register at the same coordinate in the dimensions that
/// were not repeated.
struct Broadcast : ThreadPattern<tile::BroadcastOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::BroadcastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getSource().getType());
    LinearLayout collapsed = layoutOf(cast<RankedTensorType>(op.getType()));
    for (auto [i, size] : llvm::enumerate(source.getShape()))
      if (size == 1)
        collapsed = collapsed.resizeOutDim(dimName(i), 1);
    std::vector<int32_t> registerMap;
    LinearLayout reduced = removeRegisterReplication(collapsed, &registerMap);
    if (!reduced.equalUpToDimOrder(layoutOf(source)))
      return rewriter.notifyMatchFailure(op, "operand and result layouts do not match");
    SmallVector<Value> values;
    for (int32_t r : registerMap)
      values.push_back(adaptor.getSource()[r]);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Registers of the source, in the order of the slice.
struct ExtractSlice : ThreadPattern<ExtractSliceOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ExtractSliceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto result = cast<RankedTensorType>(op.getType());
    const LinearLayout &layout = layoutOf(cast<RankedTensorType>(op.getSource().getType()));
    auto elements = int32_t(result.getDimSize(op.getAxis()));
    std::vector<int32_t> registerMap;
    extractSliceLayout(layout, op.getAxis(), elements, &registerMap);
    SmallVector<Value> values(numRegisters(result));
    for (auto [r, place] : llvm::enumerate(registerMap)) {
      int32_t coordinate = layout.apply({{kRegister, int32_t(r)}})[op.getAxis()].second;
      if (coordinate / elements * elements == int32_t(op.getStart()))
        values[place] = adaptor.getSource()[r];
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Operations after which every register holds what it held before.
template <typename Op> struct Rename : ThreadPattern<Op> {
  using ThreadPattern<Op>::ThreadPattern;
  using Adaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;
  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (int64_t(adaptor.getSource().size()) != numRegisters(op.getType()))
      return rewriter.notifyMatchFailure(op, "operand and result layouts do not match");
    SmallVector<Value> values(adaptor.getSource());
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};
} // namespace

void tilec::populateShapePatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<MakeRange, Splat, Constant, Poison, Broadcast, ExtractSlice,
               Rename<tile::ExpandDimsOp>, Rename<tile::ReshapeOp>, Rename<tile::PermuteOp>>(
      lowering, patterns.getContext());
}
