// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of shared-memory buffers: addresses are the linear map from register, lane and warp to
// the buffer's offset, vectors are as wide as that map allows.

#include "ThreadPattern.h"

#include "tilec/Layout/MmaLayout.h"
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
    // What ordinary loads do as well with as few instructions is left to them.
    std::optional<MatrixLoad> matrices;
    if (lowering.computeCapability >= 75)
      matrices = matchMatrixLoad(plan.access.offsets, int32_t(plan.bytes * 8));
    if (matrices && matrices->wordBits.size() + matrices->matrixBits.size() >=
                        plan.access.vectorRegisterBits.size()) {
      loadMatrices(rewriter, op, *matrices, plan, adaptor.getBuffer().front(), scalar, results);
      rewriter.replaceOpWithMultiple(op, {results});
      return success();
    }
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

private:
  /// The bytes with even (odd) numbers of two words.
  static Value everyOther(OpBuilder &builder, Location loc, Value first, Value second,
                          int32_t odd) {
    auto bytes = VectorType::get({4}, builder.getI8Type());
    Value low = LLVM::BitcastOp::create(builder, loc, bytes, first);
    Value high = LLVM::BitcastOp::create(builder, loc, bytes, second);
    int32_t mask[] = {odd, odd + 2, odd + 4, odd + 6};
    Value picked = LLVM::ShuffleVectorOp::create(builder, loc, low, high, mask);
    return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), picked);
  }

  /// ldmatrix: lanes point to the rows.
  void loadMatrices(OpBuilder &builder, LocalLoadOp op, const MatrixLoad &load,
                    const AccessPlan &plan, Value base, Type scalar,
                    SmallVectorImpl<Value> &results) const {
    Location loc = op.getLoc();
    const LinearLayout &offsets = plan.access.offsets;
    LinearIndex index;
    addLinear(builder, loc, lowering.position.lane(op), load.rowOffsets, plan.bytes, index);
    addLinear(builder, loc, lowering.position.warp(op), offsets.getFlatBases(kWarp), plan.bytes,
              index);
    unsigned numMatrices = 1u << load.matrixBits.size();
    SmallVector<unsigned> bits(load.wordBits.begin(), load.wordBits.end());
    bits.append(load.matrixBits.begin(), load.matrixBits.end());
    Type i32 = builder.getI32Type();
    Type loaded = i32;
    if (numMatrices > 1)
      loaded = LLVM::LLVMStructType::getLiteral(getContext(), SmallVector<Type>(numMatrices, i32));
    auto shape = NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8);
    auto order = load.isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
    for (const auto &group : groupRegisters(results.size(), bits)) {
      // What the swizzle mixes first, so that it is shared; the rest is a constant of the address.
      uint64_t constant = registerPart(offsets, group.front()) * plan.bytes;
      Value row = index.at(builder, loc, constant & index.baseBits);
      auto gep = [&](Value from, LLVM::GEPArg by) -> Value {
        return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), from,
                                   ArrayRef<LLVM::GEPArg>{by});
      };
      Value address = gep(base, row);
      if (uint64_t rest = constant & ~index.baseBits)
        address = gep(address, int32_t(rest));
      Value words = NVVM::LdMatrixOp::create(builder, loc, loaded, address, numMatrices, order,
                                             shape, NVVM::LdStMatrixEltType::B16);
      size_t perWord = size_t(1) << load.wordBits.size();
      SmallVector<Value> parts;
      for (unsigned i = 0; i < numMatrices; ++i)
        parts.push_back(numMatrices == 1
                            ? words
                            : LLVM::ExtractValueOp::create(builder, loc, words, i).getResult());
      if (load.isPaired) {
        for (unsigned i = 0; i < numMatrices; i += 2)
          for (int32_t half : {0, 1}) {
            Value word = everyOther(builder, loc, parts[i], parts[i + 1], half);
            for (auto [j, value] : llvm::enumerate(unpackWord(builder, loc, word, scalar, 4)))
              results[group[i * 4 + 2 * j + half]] = value;
          }
        continue;
      }
      for (unsigned i = 0; i < numMatrices; ++i)
        for (auto [j, value] : llvm::enumerate(unpackWord(builder, loc, parts[i], scalar, perWord)))
          results[group[i * perWord + j]] = value;
    }
  }
};
} // namespace

void tilec::populateSharedMemoryPatterns(RewritePatternSet &patterns,
                                         const ThreadLowering &lowering) {
  patterns.add<LocalAlloc, LocalStore, LocalLoad>(lowering, patterns.getContext());
}
