// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of shared-memory buffers: addresses are the linear map from register, lane and warp to
// the buffer's offset, vectors are as wide as that map allows.

#include "ThreadPattern.h"

#include "tilec/Layout/SharedSwizzle.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static unsigned elementBytes(Type element) { return std::max(8u, tile::bitWidthOf(element)) / 8; }

namespace {
/// Everything that an access of one tensor to one buffer needs.
struct AccessPlan {
  AccessPlan(OpBuilder &builder, Operation *op, const ThreadPosition &position,
             RankedTensorType tensor, MemDescType buffer)
      : bytes(elementBytes(tensor.getElementType())),
        access(analyseSharedAccess(layoutOf(tensor), buffer.getLayout().getLayout(), bytes * 8)),
        index(threadPart(builder, op, position, access.offsets, bytes)),
        groups(groupRegisters(numRegisters(tensor), access.vectorRegisterBits)) {}

  /// The address of register `reg`'s element.
  Value address(OpBuilder &builder, Location loc, Value base, int64_t reg) const {
    Value offset = index.at(builder, loc, registerPart(access.offsets, reg) * bytes);
    return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  unsigned bytes;
  SharedAccess access;
  LinearIndex index;
  SmallVector<SmallVector<int64_t>> groups;
};

struct LocalAlloc : ThreadPattern<LocalAllocOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LocalAllocOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitError("expected an offset: run tilegpu-allocate-shared-memory first");
    auto type = LLVM::LLVMPointerType::get(getContext(), 3);
    Value base = SharedBaseOp::create(rewriter, op.getLoc(), type);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, type, rewriter.getI8Type(), base,
                                             ArrayRef<LLVM::GEPArg>{int32_t(*op.getOffset())});
    return success();
  }
};

struct LocalStore : ThreadPattern<LocalStoreOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LocalStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tensor = cast<RankedTensorType>(op.getValue().getType());
    AccessPlan plan(rewriter, op, lowering.position, tensor, op.getBuffer().getType());
    Value unique = isFirstReplica(rewriter, op, lowering.position, layoutOf(tensor));
    int64_t replicas = layoutOf(tensor).getFreeVariableMask(kRegister);
    for (const auto &group : plan.groups) {
      if (group.front() & replicas)
        continue;
      SmallVector<Value> values;
      for (int64_t r : group)
        values.push_back(adaptor.getValue()[r]);
      Value address =
          plan.address(rewriter, op.getLoc(), adaptor.getBuffer().front(), group.front());
      StSharedOp::create(rewriter, op.getLoc(), packWord(rewriter, op.getLoc(), values), address,
                         unique);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LocalLoad : ThreadPattern<LocalLoadOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(LocalLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tensor = cast<RankedTensorType>(op.getType());
    Type scalar = lowering.types.convertScalar(tensor.getElementType());
    AccessPlan plan(rewriter, op, lowering.position, tensor, op.getBuffer().getType());
    SmallVector<Value> results(numRegisters(tensor));
    for (const auto &group : plan.groups) {
      Value address =
          plan.address(rewriter, op.getLoc(), adaptor.getBuffer().front(), group.front());
      Value word = LdSharedOp::create(
          rewriter, op.getLoc(), accessWordType(getContext(), plan.bytes * group.size()), address);
      for (auto [r, value] :
           llvm::zip(group, unpackWord(rewriter, op.getLoc(), word, scalar, group.size())))
        results[r] = value;
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};
} // namespace

void tilec::populateSharedMemoryPatterns(RewritePatternSet &patterns,
                                         const ThreadLowering &lowering) {
  patterns.add<LocalAlloc, LocalStore, LocalLoad>(lowering, patterns.getContext());
}
