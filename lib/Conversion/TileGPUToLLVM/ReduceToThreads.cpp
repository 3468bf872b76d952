// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions inside a warp: a tree over the registers that lie along the axis, or four chains where
// they are products that multiply-adds can take in, then butterfly shuffles over the lanes (one
// redux.sync instead, where the machine has it for the combination). Axes spread over warps were
// split before.

#include "ThreadPattern.h"

#include "tilec/Layout/TensorLayouts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

Value tilec::emitShuffle(OpBuilder &builder, Location loc, Value value, Value lane,
                         NVVM::ShflKind mode) {
  Type type = value.getType();
  Type i32 = builder.getI32Type();
  auto shuffleWord = [&](Value word) -> Value {
    return NVVM::ShflOp::create(builder, loc, word.getType(), constantI32(builder, loc, -1), word,
                                lane, constantI32(builder, loc, 31), mode, UnitAttr());
  };
  if (type.isInteger(32) || type.isF32())
    return shuffleWord(value);
  if (isa<LLVM::LLVMPointerType>(type)) {
    Value word = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), value);
    return LLVM::IntToPtrOp::create(builder, loc, type,
                                    emitShuffle(builder, loc, word, lane, mode));
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  auto bitsType = builder.getIntegerType(bits);
  Value word = value;
  if (type != bitsType)
    word = LLVM::BitcastOp::create(builder, loc, bitsType, word);
  if (bits < 32) {
    word = LLVM::ZExtOp::create(builder, loc, i32, word);
    word = LLVM::TruncOp::create(builder, loc, bitsType, shuffleWord(word));
  } else {
    auto pair = VectorType::get({2}, i32);
    Value halves = LLVM::BitcastOp::create(builder, loc, pair, word);
    for (int i = 0; i < 2; ++i) {
      Value index = constantI32(builder, loc, i);
      Value half = LLVM::ExtractElementOp::create(builder, loc, halves, index);
      halves = LLVM::InsertElementOp::create(builder, loc, halves, shuffleWord(half), index);
    }
    word = LLVM::BitcastOp::create(builder, loc, bitsType, halves);
  }
  return type == bitsType ? word : LLVM::BitcastOp::create(builder, loc, type, word).getResult();
}

namespace {
/// One value per operand of the reduction.
using Tuple = SmallVector<Value>;

/// Emits one reduction; used for complete and for partial ones.
class ReduceEmitter {
public:
  ReduceEmitter(Operation *reduceOp, Region &combineRegion, unsigned reducedAxis,
                const ThreadLowering &threadLowering, ConversionPatternRewriter &patternRewriter)
      : op(reduceOp), combine(combineRegion), axis(reducedAxis), lowering(threadLowering),
        rewriter(patternRewriter),
        layout(layoutOf(cast<RankedTensorType>(reduceOp->getOperand(0).getType()))) {
    if (isa<PartialReduceOp>(op))
      separateLanes =
          maskAlongAxis(layoutOf(cast<RankedTensorType>(op->getResult(0).getType())), kLane, axis);
  }

  /// The reduced registers, one tuple per register of the slice layout.
  SmallVector<Tuple> emit(ArrayRef<ValueRange> operands) {
    SmallVector<Tuple> results;
    for (SmallVector<Tuple> &group : groupAlongAxis(operands)) {
      Tuple value = reduceTree(addsProducts(group) ? reduceInChains(group) : group);
      results.push_back(reduceLanes(std::move(value)));
    }
    return results;
  }

private:
  /// Distinct registers along the axis, for every register of the slice.
  SmallVector<SmallVector<Tuple>> groupAlongAxis(ArrayRef<ValueRange> operands) {
    std::vector<int32_t> registerMap;
    LinearLayout slice =
        removeRegisterReplication(layout.resizeOutDim(dimName(axis), 1), &registerMap);
    SmallVector<SmallVector<Tuple>> groups(slice.getInDimSize(kRegister));
    int64_t replicas = layout.getFreeVariableMask(kRegister);
    for (auto [r, to] : llvm::enumerate(registerMap)) {
      if (int64_t(r) & replicas)
        continue;
      Tuple tuple;
      for (ValueRange operand : operands)
        tuple.push_back(operand[r]);
      groups[to].push_back(std::move(tuple));
    }
    return groups;
  }

  /// A sum of products: in a chain each but the first is a multiply-add, in a tree every other one.
  bool addsProducts(ArrayRef<Tuple> values) {
    Block &block = combine.front();
    return block.getOperations().size() == 2 && isa<arith::AddFOp>(block.front()) &&
           llvm::all_of(values, [](const Tuple &value) {
             return value.size() == 1 && value[0].getDefiningOp<arith::MulFOp>();
           });
  }

  /// As many chains as hide the latency of an addition.
  SmallVector<Tuple> reduceInChains(ArrayRef<Tuple> values) {
    constexpr size_t numChains = 4;
    SmallVector<Tuple> chains(values.take_front(numChains));
    for (size_t i = numChains; i < values.size(); ++i)
      chains[i % numChains] = apply(chains[i % numChains], values[i]);
    return chains;
  }

  Tuple reduceTree(SmallVector<Tuple> values) {
    while (values.size() > 1) {
      SmallVector<Tuple> halved;
      for (size_t i = 0; i + 1 < values.size(); i += 2)
        halved.push_back(apply(values[i], values[i + 1]));
      if (values.size() % 2)
        halved.push_back(values.back());
      values = std::move(halved);
    }
    return values.front();
  }

  Tuple reduceLanes(Tuple value) {
    int64_t mask = maskAlongAxis(layout, kLane, axis) & ~separateLanes;
    if (mask == 31)
      if (Value reduced = reduceByRedux(value))
        return {reduced};
    for (int bit = 4; bit >= 0; --bit) {
      if (!(mask >> bit & 1))
        continue;
      Tuple other;
      for (Value element : value)
        other.push_back(emitShuffle(rewriter, op->getLoc(), element,
                                    constantI32(rewriter, op->getLoc(), 1 << bit),
                                    NVVM::ShflKind::bfly));
      value = apply(value, other);
    }
    return value;
  }

  /// redux.sync over all lanes, when the combination is one it has.
  Value reduceByRedux(ArrayRef<Value> value) {
    if (value.size() != 1 || !value[0].getType().isInteger(32) ||
        !lowering.processor.has(Feature::WarpReduction))
      return {};
    Block &block = combine.front();
    if (block.getOperations().size() != 2)
      return {};
    std::optional<NVVM::ReduxKind> kind =
        llvm::TypeSwitch<Operation *, std::optional<NVVM::ReduxKind>>(&block.front())
            .Case([](arith::AddIOp) { return NVVM::ReduxKind::ADD; })
            .Case([](arith::MinSIOp) { return NVVM::ReduxKind::MIN; })
            .Case([](arith::MaxSIOp) { return NVVM::ReduxKind::MAX; })
            .Case([](arith::MinUIOp) { return NVVM::ReduxKind::UMIN; })
            .Case([](arith::MaxUIOp) { return NVVM::ReduxKind::UMAX; })
            .Case([](arith::AndIOp) { return NVVM::ReduxKind::AND; })
            .Case([](arith::OrIOp) { return NVVM::ReduxKind::OR; })
            .Case([](arith::XOrIOp) { return NVVM::ReduxKind::XOR; })
            .Default([](Operation *) { return std::nullopt; });
    Operation &combiner = block.front();
    if (!kind || combiner.getNumOperands() != 2 || combiner.getOperand(0) == combiner.getOperand(1))
      return {};
    return NVVM::ReduxOp::create(rewriter, op->getLoc(), rewriter.getI32Type(), value[0], *kind,
                                 constantI32(rewriter, op->getLoc(), -1));
  }

  Tuple apply(ArrayRef<Value> left, ArrayRef<Value> right) {
    return applyCombine(rewriter, combine, left, right);
  }

  Operation *op;
  Region &combine;
  unsigned axis;
  const ThreadLowering &lowering;
  ConversionPatternRewriter &rewriter;
  const LinearLayout &layout;
  /// Bits of the lane that the result tells apart.
  int64_t separateLanes = 0;
};

template <typename Op> struct Reduce : ThreadPattern<Op> {
  using ThreadPattern<Op>::ThreadPattern;
  using Adaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;
  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getOperands()[0].getType());
    if constexpr (std::is_same_v<Op, tile::ReduceOp>)
      if (!axisIsWithinWarp(layoutOf(source), op.getAxis()))
        return op.emitError("expected an axis inside a warp: run tilegpu-decompose-reductions");
    ReduceEmitter emitter(op, op.getCombine(), op.getAxis(), this->lowering, rewriter);
    SmallVector<ValueRange> operands = llvm::to_vector(adaptor.getOperands());
    SmallVector<Tuple> tuples = emitter.emit(operands);
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (auto [i, result] : llvm::enumerate(results))
      for (Tuple &tuple : tuples)
        result.push_back(tuple[i]);
    for (auto [i, result] : llvm::enumerate(results))
      if (int64_t(result.size()) != numRegisters(op.getResult(i).getType()))
        return rewriter.notifyMatchFailure(op, "operand and result layouts do not match");
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};
} // namespace

void tilec::populateReducePatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<Reduce<tile::ReduceOp>, Reduce<PartialReduceOp>>(lowering, patterns.getContext());
}
