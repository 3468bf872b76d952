// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans inside a warp. Each run of a thread's consecutive elements is scanned one after the other;
// the runs' totals are scanned over the lanes in log2 steps, where at step b the upper half of each
// block of 2^(b+1) lanes takes the total of the lower half; each run then gets what its predecessor
// lane has. Chunks that follow each other in the registers hand their total on. What lies in other
// warps comes as totals from outside.
//
// The order is that of the scan: in a reverse scan everything runs from the last coordinate down.

#include "ThreadPattern.h"

#include "mlir/IR/IRMapping.h"
#include "tilec/Layout/ScanLayout.h"

#include <map>

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

SmallVector<Value> tilec::applyCombine(OpBuilder &builder, Region &combine, ArrayRef<Value> left,
                                       ArrayRef<Value> right) {
  Block &block = combine.front();
  IRMapping mapping;
  for (auto [arg, value] : llvm::zip(block.getArguments(), llvm::concat<const Value>(left, right)))
    mapping.map(arg, value);
  for (Operation &inner : block.without_terminator())
    builder.clone(inner, mapping);
  SmallVector<Value> results;
  for (Value yielded : block.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(yielded));
  return results;
}

/// The number whose set bits are `bits[i]` for the set bits i of `index`.
static int64_t spreadBits(int64_t index, ArrayRef<unsigned> bits) {
  int64_t number = 0;
  for (auto [i, bit] : llvm::enumerate(bits))
    number |= ((index >> i) & 1) << bit;
  return number;
}

/// The input numbers of `bits` in ascending order of their coordinate; descending when reversed.
static SmallVector<int64_t> inScanOrder(ArrayRef<unsigned> bits, bool reverse) {
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < int64_t(1) << bits.size(); ++i)
    numbers.push_back(spreadBits(i, bits));
  if (reverse)
    std::reverse(numbers.begin(), numbers.end());
  return numbers;
}

namespace {
/// One value per operand of the scan.
using Tuple = SmallVector<Value>;

/// What all kinds of scans share: the registers in scan order and the combination.
class ScanEmitter {
public:
  ScanEmitter(Operation *scanOp, Region &combineRegion, unsigned scanAxis, bool isReverse,
              const ThreadLowering &threadLowering, ConversionPatternRewriter &patternRewriter)
      : op(scanOp), loc(scanOp->getLoc()), combine(combineRegion), axis(scanAxis),
        reverse(isReverse), lowering(threadLowering), rewriter(patternRewriter),
        layout(layoutOf(cast<RankedTensorType>(scanOp->getOperand(0).getType()))) {
    if (std::optional<ScanPlan> found = planScan(layout, axis)) {
      plan = std::move(*found);
      isPlanned = true;
    }
  }

  bool hasPlan() const { return isPlanned; }
  const ScanPlan &getPlan() const { return plan; }

protected:
  /// The registers of one line along the axis: chunk by chunk, element by element.
  using Line = SmallVector<SmallVector<int64_t>>;

  SmallVector<Line> lines() const {
    SmallVector<int64_t> vector = inScanOrder(plan.vectorBits, reverse);
    SmallVector<int64_t> chunks = inScanOrder(plan.chunkBits, reverse);
    int64_t along = vector.front() | vector.back() | chunks.front() | chunks.back();
    int64_t skipped = along | layout.getFreeVariableMask(kRegister);
    SmallVector<Line> result;
    for (int64_t rest = 0; rest < layout.getInDimSize(kRegister); ++rest) {
      if (rest & skipped)
        continue;
      Line line;
      for (int64_t chunk : chunks)
        line.push_back(
            llvm::map_to_vector(vector, [&](int64_t number) { return rest | chunk | number; }));
      result.push_back(std::move(line));
    }
    return result;
  }

  /// Gives registers that are replicas the value of the register that they repeat.
  void fillReplicas(MutableArrayRef<Tuple> registers) const {
    int64_t free = layout.getFreeVariableMask(kRegister);
    std::map<uint64_t, int64_t> holder;
    for (auto [r, tuple] : llvm::enumerate(registers))
      if (!(int64_t(r) & free))
        holder[registerPart(layout, r)] = r;
    for (auto [r, tuple] : llvm::enumerate(registers))
      if (int64_t(r) & free)
        tuple = registers[holder.find(registerPart(layout, r))->second];
  }

  Tuple apply(ArrayRef<Value> left, ArrayRef<Value> right) {
    return applyCombine(rewriter, combine, left, right);
  }

  Tuple select(Value condition, ArrayRef<Value> yes, ArrayRef<Value> no) {
    Tuple result;
    for (auto [a, b] : llvm::zip(yes, no))
      result.push_back(arith::SelectOp::create(rewriter, loc, condition, a, b));
    return result;
  }

  Value maskedEquals(Value number, int64_t mask, int64_t expected) {
    Value bits = arith::AndIOp::create(rewriter, loc, number, constantI32(rewriter, loc, mask));
    return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, bits,
                                 constantI32(rewriter, loc, expected));
  }

  Operation *op;
  Location loc;
  Region &combine;
  unsigned axis;
  bool reverse;
  const ThreadLowering &lowering;
  ConversionPatternRewriter &rewriter;
  const LinearLayout &layout;
  ScanPlan plan;
  bool isPlanned = false;
};

/// tile.scan inside a warp, and tilegpu.partial_scan.
class WarpScanEmitter : public ScanEmitter {
public:
  using ScanEmitter::ScanEmitter;

  struct Result {
    /// By register of the operand's layout.
    SmallVector<Tuple> registers;
    /// The totals of all runs, by the register of the operand's layout that holds their first
    /// element by coordinate.
    std::map<int64_t, Tuple> totals;
  };

  /// With `isPartial` the chunks are scanned each by itself.
  Result emit(ArrayRef<ValueRange> operands, bool isPartial) {
    Result result;
    result.registers.resize(layout.getInDimSize(kRegister));
    for (const Line &line : lines()) {
      Tuple carry;
      for (const auto &[i, chunk] : llvm::enumerate(line)) {
        SmallVector<Tuple> run = scanThread(operands, chunk);
        bool needsTotal = isPartial || i + 1 < line.size();
        Tuple total = scanLanes(run, carry, needsTotal);
        for (auto [r, tuple] : llvm::zip(chunk, run))
          result.registers[r] = tuple;
        if (isPartial)
          result.totals[reverse ? chunk.back() : chunk.front()] = total;
        else if (needsTotal)
          carry = carry.empty() ? total : apply(carry, total);
      }
    }
    fillReplicas(result.registers);
    return result;
  }

private:
  SmallVector<Tuple> scanThread(ArrayRef<ValueRange> operands, ArrayRef<int64_t> chunk) {
    SmallVector<Tuple> run;
    for (int64_t r : chunk) {
      Tuple element;
      for (ValueRange operand : operands)
        element.push_back(operand[r]);
      run.push_back(run.empty() ? element : apply(run.back(), element));
    }
    return run;
  }

  /// Combines the elements of `run` with the runs of the lanes before and with `carry` (empty: with
  /// nothing). Returns the total of the lanes' runs, without the carry.
  Tuple scanLanes(SmallVector<Tuple> &run, const Tuple &carry, bool needsTotal) {
    if (plan.laneBits.empty()) {
      Tuple total = run.back();
      if (!carry.empty())
        for (Tuple &element : run)
          element = apply(carry, element);
      return total;
    }
    Tuple inclusive = run.back();
    for (auto [i, bit] : llvm::enumerate(plan.laneBits))
      inclusive = scanStep(std::move(inclusive), i);
    Tuple total;
    if (needsTotal)
      total = shuffle(inclusive, lastLane());
    if (run.size() > 1)
      combineWithPredecessor(run, inclusive, carry);
    run.back() = carry.empty() ? inclusive : apply(carry, inclusive);
    return total;
  }

  /// Combines the elements of `run`, but for the last one, with what the lane before has and with
  /// `carry`.
  void combineWithPredecessor(SmallVector<Tuple> &run, const Tuple &inclusive, const Tuple &carry) {
    Tuple before = shuffle(inclusive, previousLane());
    int64_t mask = plan.laneMask();
    Value isFirst = maskedEquals(lane(), mask, reverse ? mask : 0);
    if (!carry.empty())
      before = select(isFirst, carry, apply(carry, before));
    for (Tuple &element : MutableArrayRef(run).drop_back()) {
      Tuple combined = apply(before, element);
      element = carry.empty() ? select(isFirst, element, combined) : combined;
    }
  }

  /// One of the log2 steps: the later half of each block of lanes takes the earlier half's total.
  Tuple scanStep(Tuple inclusive, unsigned step) {
    int64_t bit = int64_t(1) << plan.laneBits[step];
    int64_t lower = spreadBits((int64_t(1) << step) - 1, plan.laneBits);
    // The last lane, in scan order, of the half before.
    Value source =
        reverse ? setBits(clearBits(lane(), lower), bit) : setBits(clearBits(lane(), bit), lower);
    Tuple earlier = shuffle(inclusive, source);
    Value isLater = maskedEquals(lane(), bit, reverse ? 0 : bit);
    return select(isLater, apply(earlier, inclusive), inclusive);
  }

  Value lane() { return lowering.position.lane(op); }

  Value clearBits(Value number, int64_t bits) {
    if (bits == 0)
      return number;
    return arith::AndIOp::create(rewriter, loc, number, constantI32(rewriter, loc, 31 & ~bits));
  }
  Value setBits(Value number, int64_t bits) {
    if (bits == 0)
      return number;
    return arith::OrIOp::create(rewriter, loc, number, constantI32(rewriter, loc, bits));
  }

  Value lastLane() {
    return reverse ? clearBits(lane(), plan.laneMask()) : setBits(lane(), plan.laneMask());
  }

  /// The lane before in scan order; any lane for the first one. Counting in the masked bits alone:
  /// carries pass over the other bits when those are ones, borrows when those are zeros.
  Value previousLane() {
    int64_t mask = plan.laneMask();
    Value one = constantI32(rewriter, loc, 1);
    Value counted;
    if (reverse)
      counted = arith::AddIOp::create(rewriter, loc, setBits(lane(), 31 & ~mask), one);
    else
      counted = arith::SubIOp::create(rewriter, loc, clearBits(lane(), 31 & ~mask), one);
    counted = clearBits(counted, 31 & ~mask);
    if (mask == 31)
      return counted;
    return arith::OrIOp::create(rewriter, loc, counted, clearBits(lane(), mask));
  }

  Tuple shuffle(ArrayRef<Value> values, Value source) {
    return llvm::map_to_vector(values, [&](Value value) {
      return emitShuffle(rewriter, loc, value, source, NVVM::ShflKind::idx);
    });
  }
};

/// tilegpu.finish_scan.
class CarryEmitter : public ScanEmitter {
public:
  using ScanEmitter::ScanEmitter;

  /// `scanned` by register of the scanned layout, `totals` by register of `totalsLayout`.
  SmallVector<Tuple> emit(ArrayRef<ValueRange> scanned, ArrayRef<ValueRange> totals,
                          const LinearLayout &totalsLayout) {
    for (int64_t r = 0; r < totalsLayout.getInDimSize(kRegister); ++r)
      totalsRegister[coordinatesOf(totalsLayout, r)] = r;
    SmallVector<Tuple> registers(layout.getInDimSize(kRegister));
    for (const Line &line : lines()) {
      Tuple carry;
      for (const SmallVector<int64_t> &chunk : line) {
        bool isFirstChunk = carry.empty();
        Tuple before = totalsBefore(totals, chunk, carry);
        for (int64_t r : chunk) {
          Tuple element;
          for (ValueRange operand : scanned)
            element.push_back(operand[r]);
          Tuple combined = apply(before, element);
          registers[r] = isFirstChunk ? select(isFirstWarp(), element, combined) : combined;
        }
      }
    }
    fillReplicas(registers);
    return registers;
  }

private:
  static std::vector<int32_t> coordinatesOf(const LinearLayout &registers, int64_t r) {
    return registers.unflattenOut(registerPart(registers, r));
  }

  /// The combination of all totals before the running warp's run of `chunk`; in the first chunk the
  /// first warp gets anything. `carry` is the total of the chunks before, empty at first, and gets
  /// that of this chunk added.
  Tuple totalsBefore(ArrayRef<ValueRange> totals, ArrayRef<int64_t> chunk, Tuple &carry) {
    int32_t count = plan.numWarps();
    std::vector<int32_t> place = coordinatesOf(layout, *llvm::min_element(chunk));
    int32_t chunkIndex =
        place[axis] >> (plan.vectorBits.size() + plan.laneBits.size() + plan.warpBits.size());
    SmallVector<Tuple> before(count);
    for (int32_t i = 0; i < count; ++i) {
      int32_t warp = reverse ? count - 1 - i : i;
      before[warp] = carry;
      place[axis] = chunkIndex * count + warp;
      int64_t r = totalsRegister.find(place)->second;
      Tuple total;
      for (ValueRange operand : totals)
        total.push_back(operand[r]);
      carry = carry.empty() ? total : apply(carry, total);
    }
    Tuple &first = reverse ? before.back() : before.front();
    if (first.empty())
      first = reverse ? before[count - 2] : before[1];
    return selectOwn(std::move(before));
  }

  /// The tuple of the running warp's place along the axis.
  Tuple selectOwn(SmallVector<Tuple> tuples) {
    for (unsigned bit : plan.warpBits) {
      Value isUpper = maskedEquals(lowering.position.warp(op), 1 << bit, 1 << bit);
      SmallVector<Tuple> half;
      for (size_t i = 0; i < tuples.size(); i += 2)
        half.push_back(select(isUpper, tuples[i + 1], tuples[i]));
      tuples = std::move(half);
    }
    return tuples.front();
  }

  Value isFirstWarp() {
    int64_t mask = spreadBits(plan.numWarps() - 1, plan.warpBits);
    return maskedEquals(lowering.position.warp(op), mask, reverse ? mask : 0);
  }

  std::map<std::vector<int32_t>, int64_t> totalsRegister;
};

/// The values of result `i`, one per register.
SmallVector<SmallVector<Value>> transposed(ArrayRef<Tuple> registers, size_t count) {
  SmallVector<SmallVector<Value>> results(count);
  for (const Tuple &tuple : registers)
    for (size_t i = 0; i < count; ++i)
      results[i].push_back(tuple[i]);
  return results;
}

LogicalResult reportNoPlan(Operation *op) {
  return op->emitError("expected a layout that can be scanned inside a warp: run "
                       "tilegpu-decompose-scans first");
}

struct Scan : ThreadPattern<tile::ScanOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::ScanOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    WarpScanEmitter emitter(op, op.getCombine(), op.getAxis(), op.getReverse(), lowering, rewriter);
    if (!emitter.hasPlan() || !emitter.getPlan().warpBits.empty())
      return reportNoPlan(op);
    SmallVector<ValueRange> operands = llvm::to_vector(adaptor.getOperands());
    auto scanned = emitter.emit(operands, /*isPartial=*/false);
    rewriter.replaceOpWithMultiple(op, transposed(scanned.registers, op.getNumResults()));
    return success();
  }
};

struct PartialScan : ThreadPattern<PartialScanOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(PartialScanOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    WarpScanEmitter emitter(op, op.getCombine(), op.getAxis(), op.getReverse(), lowering, rewriter);
    if (!emitter.hasPlan())
      return reportNoPlan(op);
    SmallVector<ValueRange> operands = llvm::to_vector(adaptor.getOperands());
    auto scanned = emitter.emit(operands, /*isPartial=*/true);
    unsigned count = op.getNumOperands();
    SmallVector<SmallVector<Value>> results = transposed(scanned.registers, count);
    llvm::append_range(results,
                       transposed(totalsByRegister(op, emitter.getPlan(), scanned), count));
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// The totals in the order of the registers of their layout.
  static SmallVector<Tuple> totalsByRegister(PartialScanOp op, const ScanPlan &plan,
                                             const WarpScanEmitter::Result &scanned) {
    unsigned axis = op.getAxis();
    const LinearLayout &layout = layoutOf(cast<RankedTensorType>(op.getOperand(0).getType()));
    const LinearLayout &totals =
        layoutOf(cast<RankedTensorType>(op.getResult(op.getNumOperands()).getType()));
    unsigned insideRun = plan.vectorBits.size() + plan.laneBits.size();
    std::map<std::vector<int32_t>, const Tuple *> byPlace;
    for (const auto &[r, tuple] : scanned.totals) {
      std::vector<int32_t> place = layout.unflattenOut(registerPart(layout, r));
      place[axis] >>= insideRun;
      byPlace[place] = &tuple;
    }
    SmallVector<Tuple> result;
    for (int64_t r = 0; r < totals.getInDimSize(kRegister); ++r)
      result.push_back(*byPlace.find(totals.unflattenOut(registerPart(totals, r)))->second);
    return result;
  }
};

struct FinishScan : ThreadPattern<FinishScanOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(FinishScanOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    CarryEmitter emitter(op, op.getCombine(), op.getAxis(), op.getReverse(), lowering, rewriter);
    if (!emitter.hasPlan())
      return reportNoPlan(op);
    unsigned count = op.getNumResults();
    SmallVector<ValueRange> operands = llvm::to_vector(adaptor.getOperands());
    if (emitter.getPlan().warpBits.empty()) {
      rewriter.replaceOpWithMultiple(
          op, llvm::map_to_vector(ArrayRef(operands).take_front(count),
                                  [](ValueRange range) { return SmallVector<Value>(range); }));
      return success();
    }
    const LinearLayout &totals = layoutOf(cast<RankedTensorType>(op.getOperand(count).getType()));
    SmallVector<Tuple> registers = emitter.emit(ArrayRef(operands).take_front(count),
                                                ArrayRef(operands).drop_front(count), totals);
    rewriter.replaceOpWithMultiple(op, transposed(registers, count));
    return success();
  }
};
} // namespace

void tilec::populateScanPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<Scan, PartialScan, FinishScan>(lowering, patterns.getContext());
}
