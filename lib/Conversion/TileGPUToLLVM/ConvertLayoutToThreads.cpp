// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout conversions that stay inside a warp: renaming of registers, or the select and shuffle
// steps that the layout library planned.

#include "ThreadPattern.h"

#include "tilec/Layout/Conversion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// Executes a shuffle plan on one file of registers.
class ShuffleEmitter {
public:
  ShuffleEmitter(OpBuilder &opBuilder, Operation *operation, const ThreadPosition &threadPosition,
                 const ShufflePlan &shufflePlan)
      : builder(opBuilder), op(operation), loc(operation->getLoc()), position(threadPosition),
        plan(shufflePlan) {}

  SmallVector<Value> emit(SmallVector<Value> file) {
    for (const SelectLayer &layer : plan.sendSelects)
      file = applySelects(layer, file);
    SmallVector<Value> got;
    for (size_t k = 0; k < plan.sendRegister.size(); ++k)
      got.push_back(exchange(k, file[plan.sendRegister[k]]));
    for (const SelectLayer &layer : plan.receiveSelects)
      got = applySelects(layer, got);
    SmallVector<Value> results;
    for (int32_t r : plan.resultRegister)
      results.push_back(got[r]);
    return results;
  }

private:
  /// Parity of the lane and warp bits in the masks, as i1.
  Value parity(int32_t laneMask, int32_t warpMask) {
    Value thread = position.thread(op);
    int64_t mask = laneMask | int64_t(warpMask) << 5;
    Value bits = arith::AndIOp::create(builder, loc, thread, constantI32(builder, loc, mask));
    if (!llvm::isPowerOf2_64(mask)) {
      bits = LLVM::CtPopOp::create(builder, loc, builder.getI32Type(), bits);
      bits = arith::AndIOp::create(builder, loc, bits, constantI32(builder, loc, 1));
    }
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bits,
                                 constantI32(builder, loc, 0));
  }

  SmallVector<Value> applySelects(const SelectLayer &layer, ArrayRef<Value> file) {
    SmallVector<Value> result(file);
    Value swap = parity(layer.laneMask, layer.warpMask);
    for (int32_t r : layer.live)
      result[r] = arith::SelectOp::create(builder, loc, swap, file[r ^ layer.registerXor], file[r]);
    return result;
  }

  Value exchange(size_t k, Value value) {
    if (!plan.needsShuffle(k))
      return value;
    if (plan.isXorShuffle())
      return emitShuffle(builder, loc, value, constantI32(builder, loc, plan.laneXor[k]),
                         NVVM::ShflKind::bfly);
    if (!sourceLane.base) {
      std::vector<uint64_t> laneBases(plan.laneMap.begin(), plan.laneMap.end());
      std::vector<uint64_t> warpBases(plan.warpMap.begin(), plan.warpMap.end());
      LinearLayout map = LinearLayout::fromFlatBases(
          {{kLane.str(), laneBases}, {kWarp.str(), warpBases}}, {{"lane", 32}});
      sourceLane = threadPart(builder, op, position, map);
      if (!sourceLane.base)
        sourceLane.base = constantI32(builder, loc, 0);
    }
    return emitShuffle(builder, loc, value, sourceLane.at(builder, loc, plan.laneXor[k]),
                       NVVM::ShflKind::idx);
  }

  OpBuilder &builder;
  Operation *op;
  Location loc;
  const ThreadPosition &position;
  const ShufflePlan &plan;
  LinearIndex sourceLane;
};

struct ConvertLayout : ThreadPattern<ConvertLayoutOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getSource().getType());
    auto result = cast<RankedTensorType>(op.getType());
    unsigned bits = std::max(8u, tile::bitWidthOf(source.getElementType()));
    ConversionPlan plan = planConversion(layoutOf(source), layoutOf(result), bits);
    SmallVector<Value> file(adaptor.getSource());
    SmallVector<Value> results;
    switch (plan.kind) {
    case ConversionKind::None:
    case ConversionKind::Registers:
      for (int32_t r : plan.registerMap)
        results.push_back(file[r]);
      break;
    case ConversionKind::Shuffles:
      results = ShuffleEmitter(rewriter, op, lowering.position, plan.shuffle).emit(file);
      break;
    case ConversionKind::SharedMemory:
    case ConversionKind::CrossBlock:
      return op.emitError("expected a conversion inside a warp: run "
                          "tilegpu-decompose-conversions first");
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};
} // namespace

void tilec::populateConvertLayoutPatterns(RewritePatternSet &patterns,
                                          const ThreadLowering &lowering) {
  patterns.add<ConvertLayout>(lowering, patterns.getContext());
}
