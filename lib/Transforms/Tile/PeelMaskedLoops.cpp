// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a loop at the iteration from which on its masks may have lanes off. A comparison is true
// as a whole when a few sums are not negative (IndexProof.h); with i the induction variable, each
// of them is one of
//
//   rest - d*i >= 0      holds up to i = floor(rest / d): a limit of the first loop
//   rest + c*i >= 0      holds everywhere if it holds for the first i: a condition for the first
//   loop to run at all
//
// Then the first loop's bound is, in 64 bits,
//
//   end    = min(ub, floor(rest / d) + 1, ...)
//   middle = lb + ceil(max(end - lb, 0) / step) * step,    or lb when a condition does not hold

#include "IndexProof.h"
#include "MaskGain.h"
#include "TrueMasks.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace tilec {
#define GEN_PASS_DEF_TILEPEELMASKEDLOOPSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

namespace {
/// A loop to split, and where.
class Split {
public:
  explicit Split(scf::ForOp forOp) : loop(forOp) {}

  /// Whether loops of this kind are understood at all.
  static bool supports(scf::ForOp loop);

  /// Makes the first loop one in which the comparison holds; false when no such loop is known.
  [[nodiscard]] bool add(const WholeTileProof &proof);

  /// True when no iteration is known to be whole.
  bool isEmpty() { return constantTrips() == 0; }

  /// Splits the loop.
  void apply(const CompareSet &compares);

private:
  /// The iterations of the first loop, when everything is constant.
  std::optional<int64_t> constantTrips();
  Value emitMiddle(OpBuilder &builder, IndexEmitter &emitter);
  Value emitEnd(IndexEmitter &emitter);
  /// Whether `lb + trips * step` may be too large for the type of the induction variable.
  bool mayOverflow();
  void guardIterations(int64_t coefficient);

  scf::ForOp loop;
  SmallVector<IndexSum, 2> limits;
  Conditions conditions;
};
} // namespace

bool Split::supports(scf::ForOp loop) {
  Type type = loop.getInductionVar().getType();
  if (loop.getUnsignedCmp() || !type.isSignlessInteger() ||
      loop->hasAttr(tile::TileDialect::kRemainderAttr))
    return false;
  if (!IndexSum::of(loop.getLowerBound()) || !IndexSum::of(loop.getUpperBound()) ||
      !IndexSum::of(loop.getStep()))
    return false;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return !step || *step > 0;
}

/// Where the induction variable occurs with `coefficient`, it must be within that guard; it is
/// between the bounds.
void Split::guardIterations(int64_t coefficient) {
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound()}) {
    std::optional<IndexSum> sum = IndexSum::of(bound);
    for (auto [scalar, one] : sum->terms)
      conditions.requireGuard(scalar, coefficient);
  }
}

bool Split::add(const WholeTileProof &proof) {
  Value iv = loop.getInductionVar();
  // Holds up to some iteration: what holds from some iteration on only would leave most of them
  // behind.
  if (proof.conditions.front().coefficientOf(iv) >= 0)
    return false;
  for (const IndexSum &sum : proof.guarded) {
    conditions.requireGuards(sum.without(iv));
    guardIterations(sum.coefficientOf(iv));
  }
  for (const IndexSum &sum : proof.conditions) {
    int64_t coefficient = sum.coefficientOf(iv);
    IndexSum rest = sum.without(iv);
    if (coefficient < 0) {
      conditions.requireGuards(rest);
      limits.push_back(sum);
      continue;
    }
    if (!rest.add(*IndexSum::of(loop.getLowerBound()), coefficient) || !conditions.require(rest))
      return false;
  }
  return true;
}

/// The first index for which `limit` does not hold: floor(rest / d) + 1.
static int64_t endOf(int64_t rest, int64_t d) { return llvm::divideFloorSigned(rest, d) + 1; }

std::optional<int64_t> Split::constantTrips() {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         end = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!lower || !end || !step || !conditions.empty())
    return std::nullopt;
  for (const IndexSum &limit : limits) {
    IndexSum rest = limit.without(loop.getInductionVar());
    if (!rest.isConstant())
      return std::nullopt;
    end = std::min(*end, endOf(rest.constant, -limit.coefficientOf(loop.getInductionVar())));
  }
  return llvm::divideCeilSigned(std::max<int64_t>(*end - *lower, 0), *step);
}

Value Split::emitEnd(IndexEmitter &emitter) {
  Value end;
  bool isBelowUpper = false;
  for (const IndexSum &limit : limits) {
    int64_t d = -limit.coefficientOf(loop.getInductionVar());
    IndexSum rest = limit.without(loop.getInductionVar());
    if (d == 1) {
      ++rest.constant;
      IndexSum room = *IndexSum::of(loop.getUpperBound());
      isBelowUpper |= room.add(rest, -1) && room.getMin() >= 0;
    }
    Value bound = emitter.emit(rest);
    if (d != 1) {
      if (llvm::isPowerOf2_64(d)) {
        bound = emitter.binary<arith::ShRSIOp>(bound, emitter.constant(llvm::Log2_64(d)));
      } else {
        // Division rounds towards zero.
        Value isNegative = emitter.compare(arith::CmpIPredicate::slt, bound, emitter.constant(0));
        Value lower = emitter.binary<arith::SubIOp>(bound, emitter.constant(d - 1));
        bound = emitter.binary<arith::DivSIOp>(emitter.select(isNegative, lower, bound),
                                               emitter.constant(d));
      }
      bound = emitter.binary<arith::AddIOp>(bound, emitter.constant(1));
    }
    end = end ? emitter.binary<arith::MinSIOp>(end, bound) : bound;
  }
  if (isBelowUpper)
    return end;
  return emitter.binary<arith::MinSIOp>(end, emitter.widen(loop.getUpperBound()));
}

bool Split::mayOverflow() {
  int64_t most = llvm::maxIntN(loop.getInductionVar().getType().getIntOrFloatBitWidth());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return !step || llvm::all_of(limits, [&](const IndexSum &limit) {
    IndexSum rest = limit.without(loop.getInductionVar());
    int64_t d = -limit.coefficientOf(loop.getInductionVar());
    return endOf(rest.getMax(), d) > most - (*step - 1);
  });
}

Value Split::emitMiddle(OpBuilder &builder, IndexEmitter &emitter) {
  Type type = loop.getInductionVar().getType();
  Value lower = emitter.widen(loop.getLowerBound());
  Value span = emitter.binary<arith::SubIOp>(emitEnd(emitter), lower);
  span = emitter.binary<arith::MaxSIOp>(span, emitter.constant(0));
  std::optional<int64_t> constantStep = getConstantIntValue(loop.getStep());
  // A loop that does not run may have any step.
  Value step = constantStep ? emitter.constant(*constantStep)
                            : emitter.binary<arith::MaxSIOp>(emitter.widen(loop.getStep()),
                                                             emitter.constant(1));
  Value gap = constantStep ? emitter.constant(*constantStep - 1)
                           : emitter.binary<arith::SubIOp>(step, emitter.constant(1));
  Value trips = emitter.binary<arith::DivSIOp>(emitter.binary<arith::AddIOp>(span, gap), step);
  Value middle = emitter.binary<arith::AddIOp>(lower, emitter.binary<arith::MulIOp>(trips, step));
  if (needsGuard(type)) {
    conditions.requireGuard(loop.getStep(), 1);
  } else if (mayOverflow()) {
    // The first value that is not in the first loop is too large for the type: leave the last
    // iteration behind.
    Value most = emitter.constant(llvm::maxIntN(type.getIntOrFloatBitWidth()));
    Value tooFar = emitter.compare(arith::CmpIPredicate::sgt, middle, most);
    Value shorter = emitter.binary<arith::SubIOp>(middle, step);
    middle = emitter.select(tooFar, shorter, middle);
  }
  if (Value valid = conditions.emit(emitter))
    middle = emitter.select(valid, middle, lower);
  if (middle.getType() == type)
    return middle;
  return builder.createOrFold<arith::TruncIOp>(loop.getLoc(), type, middle);
}

void Split::apply(const CompareSet &compares) {
  if (needsGuard(loop.getInductionVar().getType()))
    guardIterations(1);
  OpBuilder builder(loop);
  IndexEmitter emitter(builder, loop.getLoc());
  Value middle = emitMiddle(builder, emitter);
  IRMapping mapping;
  auto whole = cast<scf::ForOp>(builder.clone(*loop, mapping));
  whole.setUpperBound(middle);
  builder.setInsertionPoint(whole);
  SmallVector<Value> trues;
  for (arith::CmpIOp compare : compares) {
    auto copy = mapping.lookup(compare.getResult()).getDefiningOp<arith::CmpIOp>();
    trues.push_back(createTrue(builder, copy.getLoc(), copy.getType()));
    copy.replaceAllUsesWith(trues.back());
    copy.erase();
  }
  std::optional<int64_t> stop = getConstantIntValue(middle),
                         upper = getConstantIntValue(loop.getUpperBound());
  if (stop && upper && *stop >= *upper) {
    loop.replaceAllUsesWith(whole.getResults());
    loop.erase();
  } else {
    loop.setLowerBound(middle);
    loop.getInitArgsMutable().assign(whole.getResults());
    loop->setAttr(tile::TileDialect::kUnrollAttr, builder.getI32IntegerAttr(1));
    loop->setAttr(tile::TileDialect::kRemainderAttr, builder.getUnitAttr());
  }
  simplifyUsers(trues, whole.getRegion());
}

namespace {
/// Finds out what splitting one loop would bring.
class LoopStudy {
public:
  LoopStudy(scf::ForOp forOp, function_ref<const AccessWidths &()> widthsOf)
      : loop(forOp), getWidths(widthsOf) {}

  /// The comparisons to get rid of; empty when it does not pay. `masksCount`: losing a mask pays as
  /// well.
  CompareSet choose(bool masksCount);

  /// The proof of a comparison that `choose` chose.
  const WholeTileProof &proofOf(arith::CmpIOp compare) { return *proofs.find(compare)->second; }

private:
  /// The proof, if it gives some whole iterations.
  bool isProvable(arith::CmpIOp compare);

  scf::ForOp loop;
  function_ref<const AccessWidths &()> getWidths;
  DenseMap<Operation *, std::optional<WholeTileProof>> proofs;
};

struct PeelMaskedLoops final : tilec::impl::TilePeelMaskedLoopsPassBase<PeelMaskedLoops> {
  using Base::Base;
  void runOnOperation() override;

private:
  void peel(ArrayRef<scf::ForOp> loops, bool masksCount);
};
} // namespace

bool LoopStudy::isProvable(arith::CmpIOp compare) {
  auto [entry, isNew] = proofs.try_emplace(compare);
  if (!isNew)
    return entry->second.has_value();
  if (!loop->isProperAncestor(compare))
    return false;
  std::optional<WholeTileProof> proof = proveWholeTile(compare, [&](Value scalar) {
    return scalar == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(scalar);
  });
  Split split(loop);
  if (!proof || !split.add(*proof) || split.isEmpty())
    return false;
  entry->second = std::move(proof);
  return true;
}

CompareSet LoopStudy::choose(bool masksCount) {
  CompareSet chosen;
  loop.getBody()->walk([&](Operation *access) {
    Value mask = maskOf(access);
    if (!mask)
      return;
    CompareSet comparisons;
    for (arith::CmpIOp compare : comparisonsIn(mask))
      if (isProvable(compare))
        comparisons.insert(compare);
    if (comparisons.empty())
      return;
    if (!masksCount || !isTrueWith(mask, comparisons))
      comparisons = getWidths().findWidening(access, comparisons);
    chosen.insert(comparisons.begin(), comparisons.end());
  });
  return chosen;
}

/// Decides for all loops before it changes any: they do not overlap, and the facts about widths
/// hold for old IR only.
void PeelMaskedLoops::peel(ArrayRef<scf::ForOp> loops, bool masksCount) {
  std::optional<AccessWidths> widths;
  auto getWidths = [&]() -> const AccessWidths & {
    return widths ? *widths : widths.emplace(getOperation());
  };
  std::vector<std::pair<Split, CompareSet>> splits;
  for (scf::ForOp loop : loops) {
    int64_t size = countNestedOps(loop);
    if (size > maxOps || !Split::supports(loop))
      continue;
    LoopStudy study(loop, getWidths);
    // A product is what such a loop's time goes to; a second one would only be code.
    bool multiplies =
        loop.getBody()->walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
    CompareSet compares = study.choose(masksCount && size <= maxPredicateOps && !multiplies);
    if (compares.empty())
      continue;
    Split split(loop);
    bool isWhole = llvm::all_of(
        compares, [&](arith::CmpIOp compare) { return split.add(study.proofOf(compare)); });
    if (!isWhole || split.isEmpty())
      continue;
    remark::passed(loop.getLoc(), remark::RemarkOpts::name("Peeled").category(remarks::kMask))
        << "masks hold for whole iterations: the last one is peeled";
    splits.emplace_back(std::move(split), std::move(compares));
  }
  for (auto &[split, compares] : splits)
    split.apply(compares);
}

void PeelMaskedLoops::runOnOperation() {
  // Loops that contain no other loop, and those directly around them.
  SmallVector<scf::ForOp> innermost, around;
  DenseMap<Operation *, unsigned> height;
  getOperation().walk([&](LoopLikeOpInterface loop) {
    unsigned mine = height[loop];
    if (auto parent = loop->getParentOfType<LoopLikeOpInterface>())
      height[parent] = std::max(height[parent], mine + 1);
    if (auto forOp = dyn_cast<scf::ForOp>(*loop)) {
      if (mine == 0)
        innermost.push_back(forOp);
      else if (mine == 1)
        around.push_back(forOp);
    }
  });
  // A kernel that does not ask which program it is runs as one: then the time to fetch code that
  // runs once is longer than what masks cost.
  bool isOneProgram = getOperation()->hasAttr(tile::TileDialect::kKernelAttr) &&
                      !getOperation()
                           ->walk([](tile::ProgramIdOp) { return WalkResult::interrupt(); })
                           .wasInterrupted();
  peel(innermost, /*masksCount=*/!isOneProgram);
  peel(around, /*masksCount=*/false);
}
