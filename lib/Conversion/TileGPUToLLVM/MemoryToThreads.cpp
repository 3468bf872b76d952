// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global loads and stores. The registers of an access are cut into groups of consecutive elements,
// one instruction each. Of threads that hold the same elements only the first stores.

#include "ThreadPattern.h"

#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The register groups of an access of `type`, in vector order.
static SmallVector<SmallVector<int64_t>> accessGroups(Operation *op, Type type,
                                                      const ThreadLowering &lowering) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {{0}};
  ThreadLowering::Vector vector = lowering.vectors.lookup(op);
  std::vector<unsigned> bits = contiguousRegisterBits(layoutOf(tensor), vector.axis);
  bits.resize(llvm::Log2_32(vector.width));
  return groupRegisters(numRegisters(type), bits);
}

static Value andPredicates(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, loc, a, b);
}

namespace {
struct Load : ThreadPattern<tile::LoadOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    Type scalar = lowering.types.convertScalar(element);
    unsigned bytes =
        cast<tile::PtrType>(getElementTypeOrSelf(op.getPointer().getType())).getElementBytes();
    SmallVector<Value> results(numRegisters(op.getType()));
    for (const auto &group : accessGroups(op, op.getPointer().getType(), lowering)) {
      int64_t first = group.front();
      Value mask = op.getMask() ? adaptor.getMask()[first] : Value();
      Value other;
      if (mask && op.getOther()) {
        SmallVector<Value> values;
        for (int64_t r : group)
          values.push_back(adaptor.getOther()[r]);
        // What is masked off is zero anyway.
        if (!llvm::all_of(values, tile::isZero))
          other = packWord(rewriter, loc, values);
      }
      Type word = accessWordType(getContext(), bytes * group.size());
      Value loaded = LdGlobalOp::create(rewriter, loc, word, adaptor.getPointer()[first], mask,
                                        other, op.getCache(), op.getEvict(), op.getIsVolatile());
      for (auto [r, value] :
           llvm::zip(group, unpackWord(rewriter, loc, loaded, scalar, group.size())))
        results[r] = value;
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct Store : ThreadPattern<tile::StoreOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tensor = dyn_cast<RankedTensorType>(op.getPointer().getType());
    Value unique = tensor ? isFirstReplica(rewriter, op, lowering.position, layoutOf(tensor))
                          : isFirstThread(rewriter, op);
    int64_t replicas = tensor ? layoutOf(tensor).getFreeVariableMask(kRegister) : 0;
    for (const auto &group : accessGroups(op, op.getPointer().getType(), lowering)) {
      int64_t first = group.front();
      if (first & replicas)
        continue;
      Value mask = op.getMask() ? adaptor.getMask()[first] : Value();
      SmallVector<Value> values;
      for (int64_t r : group)
        values.push_back(adaptor.getValue()[r]);
      StGlobalOp::create(rewriter, loc, packWord(rewriter, loc, values),
                         adaptor.getPointer()[first], andPredicates(rewriter, loc, mask, unique),
                         op.getCache(), op.getEvict());
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  Value isFirstThread(OpBuilder &builder, Operation *op) const {
    return arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::eq,
                                 lowering.position.thread(op),
                                 constantI32(builder, op->getLoc(), 0));
  }
};
} // namespace

void tilec::populateMemoryPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<Load, Store>(lowering, patterns.getContext());
}
