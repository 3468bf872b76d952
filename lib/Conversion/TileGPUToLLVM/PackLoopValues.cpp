// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halves and bytes that a loop carries only to pack them into a word are carried as that word:
//
//   before:  scf.for ... iter_args(%a, %b : bf16)    after:  scf.for ... iter_args(%w : i32)
//              %w = pack %a, %b                                product(%w)
//              product(%w)                                     %next = pack %c, %d
//              yield %c, %d                                    yield %next
//
// The operand of a product that is one iteration behind is such a word: ptxas gives each half a
// register of its own around the loop, and copies all of them in front of the product.

#include "Patterns.h"

#include "tilec/Conversion/TileGPUToLLVM/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUPACKLOOPVALUESPASS
#include "tilec/Conversion/TileGPUToLLVM/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

namespace {
/// A word of a loop's values: what packs them, and their numbers among the values carried.
struct CarriedWord {
  LLVM::BitcastOp word;
  Type part;
  SmallVector<unsigned> parts;
};

/// The elements that are inserted into a vector, one after the other and all of it; empty
/// otherwise.
SmallVector<Value> elementsOf(Value vector) {
  SmallVector<Value> reversed;
  auto insert = vector.getDefiningOp<LLVM::InsertElementOp>();
  for (; insert; insert = insert.getVector().getDefiningOp<LLVM::InsertElementOp>()) {
    APInt position;
    if (!matchPattern(insert.getPosition(), m_ConstantInt(&position)))
      return {};
    reversed.push_back(insert.getValue());
    if (position == 0)
      break;
    if (!insert.getVector().hasOneUse())
      return {};
  }
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!insert || !type || int64_t(reversed.size()) != type.getNumElements())
    return {};
  return llvm::to_vector(llvm::reverse(reversed));
}

/// The numbers of `values` among those that `loop` carries for this use alone; empty otherwise.
SmallVector<unsigned> carriedOnlyFor(ArrayRef<Value> values, scf::ForOp loop) {
  SmallVector<unsigned> numbers;
  for (Value value : values) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != loop.getBody() || argument.getArgNumber() == 0 ||
        !argument.hasOneUse())
      return {};
    numbers.push_back(argument.getArgNumber() - loop.getNumInductionVars());
  }
  return numbers;
}

SmallVector<CarriedWord> findWords(scf::ForOp loop) {
  SmallVector<CarriedWord> words;
  loop.getBody()->walk([&](LLVM::BitcastOp word) {
    if (!word.getType().isInteger(32) || !word.getArg().hasOneUse())
      return;
    SmallVector<unsigned> parts = carriedOnlyFor(elementsOf(word.getArg()), loop);
    if (!parts.empty())
      words.push_back({word, cast<VectorType>(word.getArg().getType()).getElementType(), parts});
  });
  return words;
}

/// The word that a loop before has carried, and that these are all parts of; null: there is none.
Value wordOf(ArrayRef<Value> parts) {
  LLVM::BitcastOp source;
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto extract = part.getDefiningOp<LLVM::ExtractElementOp>();
    APInt position;
    if (!extract || !matchPattern(extract.getPosition(), m_ConstantInt(&position)) || position != i)
      return {};
    auto cast = extract.getVector().getDefiningOp<LLVM::BitcastOp>();
    if (!cast || (source && cast != source))
      return {};
    source = cast;
  }
  auto vector = dyn_cast<VectorType>(source.getType());
  bool isWhole = vector && vector.getNumElements() == int64_t(parts.size());
  return isWhole && source.getArg().getType().isInteger(32) ? source.getArg() : Value();
}

/// The loop with words in place of their parts.
void carryWords(scf::ForOp loop, ArrayRef<CarriedWord> words) {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  auto partsOf = [](const CarriedWord &word, ValueRange values) {
    return llvm::map_to_vector(word.parts, [&](unsigned part) { return values[part]; });
  };
  llvm::BitVector isPart(loop.getNumRegionIterArgs());
  for (const CarriedWord &word : words)
    for (unsigned part : word.parts)
      isPart.set(part);
  auto pack = [&](ArrayRef<Value> parts) {
    Value word = wordOf(parts);
    return word ? word : packWord(rewriter, loc, parts);
  };
  auto changed = [&](ValueRange values) {
    SmallVector<Value> kept;
    for (auto [i, value] : llvm::enumerate(values))
      if (!isPart.test(i))
        kept.push_back(value);
    for (const CarriedWord &word : words)
      kept.push_back(pack(partsOf(word, values)));
    return kept;
  };
  SmallVector<Value> inits = changed(loop.getInitArgs());
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> yielded = changed(yield.getOperands());
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, yielded);

  rewriter.setInsertionPoint(loop);
  auto packed = scf::ForOp::create(rewriter, loc, loop.getLowerBound(), loop.getUpperBound(),
                                   loop.getStep(), inits);
  packed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  packed.setUnsignedCmp(loop.getUnsignedCmp());
  SmallVector<Value> arguments{packed.getInductionVar()}, results;
  unsigned next = 0;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    // Nothing but its word uses a part: that is replaced below.
    arguments.push_back(isPart.test(i) ? loop.getInitArgs()[i] : packed.getRegionIterArgs()[next]);
    results.push_back(isPart.test(i) ? Value() : packed.getResult(next));
    next += !isPart.test(i);
  }
  rewriter.mergeBlocks(loop.getBody(), packed.getBody(), arguments);
  rewriter.setInsertionPointAfter(packed);
  for (const CarriedWord &word : words) {
    Value result = packed.getResult(next);
    rewriter.replaceOp(word.word, packed.getRegionIterArgs()[next++]);
    if (llvm::all_of(word.parts, [&](unsigned part) { return loop.getResult(part).use_empty(); }))
      continue;
    SmallVector<Value> values =
        unpackWord(rewriter, loc, result, word.part, unsigned(word.parts.size()));
    for (auto [part, value] : llvm::zip(word.parts, values))
      results[part] = value;
  }
  for (auto [result, replacement] : llvm::zip(loop.getResults(), results))
    if (replacement)
      result.replaceAllUsesWith(replacement);
  rewriter.eraseOp(loop);
}

struct PackLoopValues final : tilec::impl::TileGPUPackLoopValuesPassBase<PackLoopValues> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (SmallVector<CarriedWord> words = findWords(loop); !words.empty())
        carryWords(loop, words);
  }
};
} // namespace
