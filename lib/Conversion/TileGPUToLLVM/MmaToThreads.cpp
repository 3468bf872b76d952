// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots of warps (mma.sync). A thread's elements along K are cut into words of 32 bits, two to an
// instruction; where the tensor is smaller than the instruction, words, elements and lanes that
// have no part of K are zero, rows and columns that it does not have are left out of the result.
// tf32x3 splits each element in a tf32 and what is left of it, and sums the three products that
// count; the small ones have a sum of their own, which infinities do not get into. What an
// instruction computes beyond the tensor, the next one along K adds to: setting it to zero again
// would take moves.

#include "InstructionType.h"
#include "ThreadPattern.h"

#include "tilec/Layout/MmaLayout.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static Value zeroOf(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

namespace {
/// The fragments of one operand: words[(batch * groups + group) * wordsPerGroup + i].
struct Fragments {
  SmallVector<Value> words;
  int64_t wordsPerGroup = 0;
};

struct Mma : ThreadPattern<MmaOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
    auto rhsType = cast<RankedTensorType>(op.getRhs().getType());
    auto type = cast<RankedTensorType>(op.getType());
    std::optional<MmaRegisters> registers =
        matchMma(layoutOf(lhsType), layoutOf(rhsType), layoutOf(type));
    if (!registers)
      return op.emitError("expected layouts of the instruction's fragments");

    Value counts;
    if (registers->idleLanes) {
      Value lane = lowering.position.lane(op);
      Value idle = arith::AndIOp::create(rewriter, loc, lane,
                                         constantI32(rewriter, loc, registers->idleLanes));
      counts = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, idle,
                                     constantI32(rewriter, loc, 0));
    }
    Fragments a =
        fragmentsOf(rewriter, loc, adaptor.getLhs(), registers->a, registers->depth, counts);
    Fragments b =
        fragmentsOf(rewriter, loc, adaptor.getRhs(), registers->b, registers->depth, counts);
    bool isF64 = type.getElementType().isF64();
    // Groups of 8 rows and words along K of one instruction.
    int64_t rowStep = isF64 ? 1 : 2, wordStep = isF64 ? 1 : 2;
    Type typeA = instructionType(lhsType.getElementType(), op.getIsUnsigned());
    Type typeB = instructionType(rhsType.getElementType(), op.getIsUnsigned());

    SmallVector<Value> values(adaptor.getAcc().begin(), adaptor.getAcc().end());
    size_t numResults = values.size();
    int64_t tiles = llvm::divideCeil(registers->rowGroups, rowStep) * registers->columnGroups;
    int64_t idlePerBatch = tiles * rowStep * 2;
    values.append(registers->batches * idlePerBatch, zeroOf(rewriter, loc, type.getElementType()));
    SmallVector<Value> small;
    if (op.getSplit())
      small.assign(values.size(), zeroOf(rewriter, loc, type.getElementType()));
    for (int64_t batch = 0; batch < registers->batches; ++batch)
      for (int64_t k = 0; k < a.wordsPerGroup; k += wordStep) {
        auto nextIdle = int32_t(numResults + batch * idlePerBatch);
        for (int64_t row = 0; row < registers->rowGroups; row += rowStep)
          for (int64_t column = 0; column < registers->columnGroups; ++column) {
            SmallVector<Value> wordsA, wordsB;
            SmallVector<int32_t> places;
            for (int64_t word = k; word < k + wordStep; ++word) {
              for (int64_t i = row; i < row + rowStep; ++i)
                wordsA.push_back(wordAt(rewriter, loc, a, batch, i, registers->rowGroups, word));
              wordsB.push_back(
                  wordAt(rewriter, loc, b, batch, column, registers->columnGroups, word));
            }
            for (int64_t i = row; i < row + rowStep; ++i)
              for (int64_t half : {0, 1}) {
                int64_t group = batch * registers->rowGroups + i;
                int64_t at = (group * registers->columnGroups + column) * 2 + half;
                int32_t place = i < registers->rowGroups ? registers->c[at] : MmaRegisters::kNone;
                places.push_back(place == MmaRegisters::kNone ? nextIdle++ : place);
              }
            auto add = [&](ArrayRef<Value> x, ArrayRef<Value> y, SmallVectorImpl<Value> &sums) {
              multiply(rewriter, loc, x, y, places, typeA, typeB, type.getElementType(), sums);
            };
            if (!op.getSplit()) {
              add(wordsA, wordsB, values);
              continue;
            }
            SmallVector<Value> restA = splitWords(rewriter, loc, wordsA);
            SmallVector<Value> restB = splitWords(rewriter, loc, wordsB);
            add(restA, wordsB, small);
            add(wordsA, restB, small);
            add(wordsA, wordsB, values);
          }
      }
    values.resize(numResults);
    // The rest of an infinity is no number, and the product of the beginnings says it all.
    for (auto [value, rest] : llvm::zip(values, small)) {
      Value isNumber = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::ORD, rest, rest);
      Value kept = arith::SelectOp::create(rewriter, loc, isNumber, rest,
                                           zeroOf(rewriter, loc, rest.getType()));
      value = arith::AddFOp::create(rewriter, loc, value, kept);
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }

private:
  static Fragments fragmentsOf(OpBuilder &builder, Location loc, ValueRange values,
                               ArrayRef<int32_t> registers, int64_t depth, Value counts) {
    unsigned bits = values.front().getType().getIntOrFloatBitWidth();
    int64_t perWord = std::max(1u, 32 / bits);
    Value zero = zeroOf(builder, loc, values.front().getType());
    Fragments result;
    result.wordsPerGroup = llvm::divideCeil(depth, perWord);
    for (size_t first = 0; first < registers.size(); first += depth)
      for (int64_t k = 0; k < depth; k += perWord) {
        SmallVector<Value> elements;
        for (int64_t i = k; i < k + perWord; ++i)
          elements.push_back(i < depth ? values[registers[first + i]] : zero);
        Value word = bits == 64 ? elements.front() : packWord(builder, loc, elements);
        if (counts)
          word = arith::SelectOp::create(builder, loc, counts, word,
                                         zeroOf(builder, loc, word.getType()));
        result.words.push_back(word);
      }
    return result;
  }

  static Value wordAt(OpBuilder &builder, Location loc, const Fragments &fragments, int64_t batch,
                      int64_t group, int64_t groups, int64_t word) {
    if (group >= groups || word >= fragments.wordsPerGroup)
      return zeroOf(builder, loc, fragments.words.front().getType());
    return fragments.words[(batch * groups + group) * fragments.wordsPerGroup + word];
  }

  /// Keeps of each f32 the tf32 that it begins with; returns what is left.
  static SmallVector<Value> splitWords(OpBuilder &builder, Location loc,
                                       MutableArrayRef<Value> words) {
    SmallVector<Value> rest;
    Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
    for (Value &word : words) {
      Value begin =
          arith::AndIOp::create(builder, loc, word, constantI32(builder, loc, int32_t(0xFFFFE000)));
      Value left =
          arith::SubFOp::create(builder, loc, LLVM::BitcastOp::create(builder, loc, f32, word),
                                LLVM::BitcastOp::create(builder, loc, f32, begin));
      rest.push_back(LLVM::BitcastOp::create(builder, loc, i32, left));
      word = begin;
    }
    return rest;
  }

  /// One instruction on the registers `places` of `values`.
  static void multiply(OpBuilder &builder, Location loc, ArrayRef<Value> a, ArrayRef<Value> b,
                       ArrayRef<int32_t> places, Type typeA, Type typeB, Type typeD,
                       SmallVectorImpl<Value> &values) {
    SmallVector<Value> acc;
    for (int32_t place : places)
      acc.push_back(values[place]);
    bool isPacked = typeD.isF16();
    if (isPacked) {
      SmallVector<Value> words;
      for (size_t i = 0; i < acc.size(); i += 2)
        words.push_back(packWord(builder, loc, ValueRange(acc).slice(i, 2)));
      acc = words;
    }
    auto product = ThreadMmaOp::create(builder, loc, ValueRange(acc).getTypes(), a, b, acc, typeA,
                                       typeB, typeD, /*saturate=*/false);
    SmallVector<Value> results = llvm::to_vector_of<Value>(product.getD());
    if (isPacked) {
      SmallVector<Value> parts;
      for (Value word : results)
        llvm::append_range(parts, unpackWord(builder, loc, word, typeD, 2));
      results = parts;
    }
    for (auto [place, result] : llvm::zip(places, results))
      values[place] = result;
  }
};
} // namespace

void tilec::populateMmaPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<Mma>(lowering, patterns.getContext());
}
