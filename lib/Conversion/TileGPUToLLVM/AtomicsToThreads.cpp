// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global atomics. Each element is performed by one thread, the first that holds it (a scalar by the
// first thread of the CTA); the other threads get zero, and tilegpu-decompose-atomics has made sure
// that they do not look at it.
//
// Minimum and maximum of floats are integer atomics on their bits. For floats without sign the bits
// are ordered as signed integers are, and below them come all with sign; those are ordered the
// other way round, and as unsigned integers they are above all without sign:
//
//   max(*p, v) = v has a sign ? umin(*p, v) : max(*p, v)       min(*p, v) = ... umax ... min
//
// Every instruction with release order waits for all that its thread did before. A thread that has
// several waits once: a fence, then instructions with relaxed order; and another fence behind them
// where something is acquired.

#include "ThreadPattern.h"

#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;
using tile::AtomicKind;
using tile::MemSemantic;

namespace {
/// What one thread does for an atomic: which registers, and when.
class AtomicEmitter {
public:
  AtomicEmitter(Operation *operation, const ThreadLowering &threadLowering,
                ConversionPatternRewriter &patternRewriter)
      : op(operation), loc(operation->getLoc()), lowering(threadLowering),
        rewriter(patternRewriter) {
    auto tensor = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (!tensor) {
      groups = {{0}};
      registerMap = {0};
      performs = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       lowering.position.thread(op), constantI32(rewriter, loc, 0));
      return;
    }
    const LinearLayout &layout = layoutOf(tensor);
    removeRegisterReplication(layout, &registerMap);
    performs = isFirstReplica(rewriter, op, lowering.position, layout);
    ThreadLowering::Vector vector = lowering.vectors.lookup(op);
    std::vector<unsigned> bits = contiguousRegisterBits(layout, vector.axis);
    bits.resize(llvm::Log2_32(vector.width));
    for (auto &group : groupRegisters(numRegisters(tensor), bits))
      if (!(group.front() & layout.getFreeVariableMask(kRegister)))
        groups.push_back(std::move(group));
  }

  /// Emits `performGroup(registers, predicate, sem)` for every group, of which a thread performs
  /// one instruction; it gives their old values.
  void
  emit(llvm::function_ref<SmallVector<Value>(ArrayRef<int64_t>, Value, MemSemantic)> performGroup,
       ValueRange mask, MemSemantic sem, tile::MemScope scope) {
    bool isFenced = tile::isRelease(sem) && groups.size() > 1;
    bool isAcquired = isFenced && tile::isAcquire(sem);
    if (isFenced) {
      fence(scope);
      sem = MemSemantic::relaxed;
    }
    std::vector<Value> oldOf(registerMap.size());
    for (const SmallVector<int64_t> &group : groups) {
      Value predicate = performs;
      if (!mask.empty())
        predicate =
            predicate
                ? arith::AndIOp::create(rewriter, loc, mask[group.front()], predicate).getResult()
                : mask[group.front()];
      for (auto [r, old] : llvm::zip(group, performGroup(group, predicate, sem)))
        oldOf[registerMap[r]] = old;
    }
    if (isAcquired)
      fence(scope);
    if (op->getResult(0).use_empty())
      return rewriter.eraseOp(op);
    SmallVector<Value> results;
    for (int32_t r : registerMap)
      results.push_back(oldOf[r]);
    rewriter.replaceOpWithMultiple(op, {results});
  }

private:
  void fence(tile::MemScope scope) {
    StringRef syncScope = scope == tile::MemScope::cta   ? "block"
                          : scope == tile::MemScope::gpu ? "device"
                                                         : "";
    LLVM::FenceOp::create(rewriter, loc, LLVM::AtomicOrdering::acq_rel, syncScope);
  }

  Operation *op;
  Location loc;
  const ThreadLowering &lowering;
  ConversionPatternRewriter &rewriter;
  /// Null when every thread performs its elements.
  Value performs;
  SmallVector<SmallVector<int64_t>> groups;
  /// For every register the number of the element that it holds.
  std::vector<int32_t> registerMap;
};

struct AtomicRMW : ThreadPattern<tile::AtomicRMWOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::AtomicRMWOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    // Of a type of 8 bits, and of one whose float instruction is not there, the bits are accessed.
    bool isOnBits = isa<FloatType>(element) && op.getKind() != AtomicKind::add;
    AtomicEmitter emitter(op, lowering, rewriter);
    emitter.emit(
        [&](ArrayRef<int64_t> group, Value predicate, MemSemantic sem) {
          SmallVector<Value> values;
          for (int64_t r : group)
            values.push_back(adaptor.getValue()[r]);
          Value address = adaptor.getPointer()[group.front()];
          if (isOnBits)
            return SmallVector<Value>{
                performOnBits(op, address, values.front(), predicate, sem, rewriter)};
          return performWord(op, address, values, predicate, sem, rewriter);
        },
        op.getMask() ? adaptor.getMask() : ValueRange(), op.getSem(), op.getScope());
    return success();
  }

private:
  /// One instruction; several values as a vector.
  SmallVector<Value> performWord(tile::AtomicRMWOp op, Value address, ArrayRef<Value> values,
                                 Value predicate, MemSemantic sem, OpBuilder &builder) const {
    Location loc = op.getLoc();
    if (values.size() == 1)
      return {AtomicRMWGlobalOp::create(builder, loc, op.getKind(), address, values.front(),
                                        predicate, sem, op.getScope())};
    auto type = VectorType::get({int64_t(values.size())}, values.front().getType());
    Value word = LLVM::PoisonOp::create(builder, loc, type);
    for (auto [i, value] : llvm::enumerate(values))
      word = LLVM::InsertElementOp::create(builder, loc, word, value, constantI32(builder, loc, i));
    Value old = AtomicRMWGlobalOp::create(builder, loc, op.getKind(), address, word, predicate, sem,
                                          op.getScope());
    SmallVector<Value> olds(values.size());
    if (!op.getResult().use_empty())
      for (auto [i, value] : llvm::enumerate(olds))
        value = LLVM::ExtractElementOp::create(builder, loc, old, constantI32(builder, loc, i));
    return olds;
  }

  static Value toType(OpBuilder &builder, Location loc, Value value, Type type) {
    return value.getType() == type
               ? value
               : arith::BitcastOp::create(builder, loc, type, value).getResult();
  }

  /// What floats have no instruction for, by integer atomics.
  Value performOnBits(tile::AtomicRMWOp op, Value address, Value value, Value predicate,
                      MemSemantic sem, OpBuilder &builder) const {
    Location loc = op.getLoc();
    auto type = builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
    Value bits = toType(builder, loc, value, type);
    auto perform = [&](AtomicKind kind, Value when) -> Value {
      return AtomicRMWGlobalOp::create(builder, loc, kind, address, bits, when, sem, op.getScope());
    };
    Value old;
    if (!tile::isCombination(op.getKind())) {
      old = perform(op.getKind(), predicate);
    } else {
      Value zero = arith::ConstantIntOp::create(builder, loc, type, 0);
      auto compare = [&](arith::CmpIPredicate how) -> Value {
        Value holds = arith::CmpIOp::create(builder, loc, how, bits, zero);
        return predicate ? arith::AndIOp::create(builder, loc, holds, predicate).getResult()
                         : holds;
      };
      bool isMax = op.getKind() == AtomicKind::max;
      Value positive = perform(op.getKind(), compare(arith::CmpIPredicate::sge));
      Value signBit = compare(arith::CmpIPredicate::slt);
      Value negative = perform(isMax ? AtomicKind::umin : AtomicKind::umax, signBit);
      if (op.getResult().use_empty())
        return {};
      old = arith::SelectOp::create(builder, loc, signBit, negative, positive);
    }
    if (op.getResult().use_empty())
      return {};
    return toType(builder, loc, old, value.getType());
  }
};

struct AtomicCas : ThreadPattern<tile::AtomicCasOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::AtomicCasOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    Type bits = rewriter.getIntegerType(element.getIntOrFloatBitWidth());
    auto cast = [&](Value value, Type type) -> Value {
      return value.getType() == type
                 ? value
                 : arith::BitcastOp::create(rewriter, loc, type, value).getResult();
    };
    AtomicEmitter emitter(op, lowering, rewriter);
    emitter.emit(
        [&](ArrayRef<int64_t> group, Value predicate, MemSemantic sem) {
          int64_t r = group.front();
          Value old = AtomicCasGlobalOp::create(
              rewriter, loc, adaptor.getPointer()[r], cast(adaptor.getCompare()[r], bits),
              cast(adaptor.getValue()[r], bits), predicate, sem, op.getScope());
          return SmallVector<Value>{op.getResult().use_empty() ? old : cast(old, element)};
        },
        op.getMask() ? adaptor.getMask() : ValueRange(), op.getSem(), op.getScope());
    return success();
  }
};
} // namespace

void tilec::populateAtomicPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<AtomicRMW, AtomicCas>(lowering, patterns.getContext());
}
