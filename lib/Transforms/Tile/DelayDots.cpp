// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs dots an iteration later that read what threads compute from other dots, so that tensor cores
// multiply while the threads compute. The loop of attention,
//
//   for i { s = dot(q, k[i]); p, c = weigh(s); acc = dot(p, v[i], acc * c) }
//
// becomes
//
//   if any { s = dot(q, k[0]); p, c = weigh(s); a = acc * c }
//   for i from 1 { s = dot(q, k[i]); acc = dot(p, v[i-1], a); p, c = weigh(s); a = acc * c }
//   if any { acc = dot(p, v[last], a) }
//
// (Shah et al., "FlashAttention-3", 2024, section 3.2.) The first and the last part are loops that
// run once at most, so that whoever pipelines loops can copy their operands ahead, too.
//
// A loop that goes on where the one in front of it ends, as the one over blocks that need a mask
// behind the one over those that need none, goes on with that one's last dot, too:
//
//   if any i { s = dot(q, k[first i]); ... }
//   for i from the second { ... }
//   if no i but any j { s = dot(q, k[first j]); ... }
//   for j from the first, or the second { s = dot(q, k[j]); acc = dot(p, v[j-1], a); ... }
//   if any { acc = dot(p, v[last], a) }
//
// Where an iteration is much code, which takes time to compile, both loops have their first
// iteration in common, with a branch around what only one of them does:
//
//   if any i or j { s = dot(q, k[first]); if no i { s = mask(s) } ... }

#include "tilec/Transforms/Tile/Passes.h"

#include "DelayPlan.h"
#include "LoopJoin.h"
#include "MaskGain.h"
#include "dialects/Tile/LoopCounter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/ProductUnit.h"
#include "tilec/Analysis/RolePlan.h"
#include "tilec/Support/RemarkCategory.h"

#include <deque>

namespace tilec {
#define GEN_PASS_DEF_TILEDELAYDOTSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// What a thread has registers for beside the results of dots and their operands.
static constexpr int kOtherRegisters = 32;
/// CTAs of a multiprocessor that do not yet hide each other's waits.
static constexpr int kFewCtas = 2;
/// Results of an iteration's first dots in a thread's registers from which on loops have their
/// first iterations in common.
static constexpr int64_t kLongIteration = 64;

//===----------------------------------------------------------------------===//
// The new loops
//===----------------------------------------------------------------------===//

namespace {
/// Delays dots of loops that go on one from the other.
class DotDelayer {
public:
  /// `joinedPlan` is that of one loop for all, whose first iteration is the first one of all; null
  /// where each loop has its own.
  DotDelayer(ArrayRef<const DelayPlan *> delayPlans, const DelayPlan *joinedPlan)
      : plans(delayPlans), joined(joinedPlan), loop(plans.front()->getLoop()),
        builder(joined ? plans.back()->getLoop() : loop), loc(loop.getLoc()) {}

  void run();

private:
  const DelayPlan &plan() const { return *current; }
  void use(const DelayPlan &next);
  /// Goes on to the next loop.
  void enter(size_t number);
  /// A loop from `lower` to `upper` with the attributes of the old one.
  scf::ForOp makeLoop(Value lower, Value upper, ArrayRef<Value> inits, bool runsOnce);
  /// The end of a loop from `lower` that runs once if one from there to `upper` runs.
  Value onceFrom(Value lower, Value upper);
  /// Clones those of `ops` that `mapping` has not.
  void clone(const DenseSet<Operation *> &ops, IRMapping &mapping);
  /// The early stage, with the late one of the iteration before in it.
  void cloneEarly(IRMapping &mapping, llvm::function_ref<void()> lateStage);
  /// What the early stage carries: what is kept, handed on, and shared.
  SmallVector<Value> yieldEarly(const IRMapping &mapping);
  void mapKept(IRMapping &mapping, ValueRange values);
  /// For the late stage, what the early one of the iteration before has left behind the kept ones.
  void mapHanded(IRMapping &mapping, ValueRange values);
  /// What the early stage carries where no iteration has run.
  SmallVector<Value> initialState();
  /// What result or carried value `number` is before any iteration.
  Value initial(unsigned number) { return plans.front()->getLoop().getInitArgs()[number]; }

  /// The early stage of the loop's first iteration, where no loop has run.
  void runFirst();
  /// The other iterations.
  void runMain();
  /// The late stage of the last iteration, of whichever loop.
  void runLast();

  ArrayRef<const DelayPlan *> plans;
  const DelayPlan *joined;
  const DelayPlan *current = plans.front();
  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  /// Numbers of the carried values that are kept.
  SmallVector<unsigned> kept;
  /// What the loops so far have left: the early stage's, and the late stage's carried values.
  SmallVector<Value> state, lateState;
  /// Whether a loop in front of this one has run; null for the first one.
  Value ran;
  /// The end of a loop from this one's lower bound that runs once if this one runs.
  Value onceEnd;
  /// The bounds of the last loop that runs, among those so far, or of the joined one.
  Value lastLower, lastUpper;
};
} // namespace

void DotDelayer::use(const DelayPlan &next) {
  current = &next;
  loop = next.getLoop();
  loc = loop.getLoc();
}

void DotDelayer::enter(size_t number) {
  if (number > 0) {
    Value runs = hasIterations(builder, loop);
    ran = ran ? arith::OrIOp::create(builder, loc, ran, runs).getResult() : runs;
  }
  use(*plans[number]);
  if (joined)
    return;
  builder.setInsertionPoint(loop);
  if (number == 0) {
    lastLower = loop.getLowerBound();
    lastUpper = loop.getUpperBound();
    return;
  }
  Value runs = hasIterations(builder, loop);
  lastLower = arith::SelectOp::create(builder, loc, runs, loop.getLowerBound(), lastLower);
  lastUpper = arith::SelectOp::create(builder, loc, runs, loop.getUpperBound(), lastUpper);
}

Value DotDelayer::onceFrom(Value lowerBound, Value upperBound) {
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(lowerBound.getType(), 1));
  Value next = arith::AddIOp::create(builder, loc, lowerBound, one);
  return lesserOf(builder, loop, upperBound, next);
}

scf::ForOp DotDelayer::makeLoop(Value lower, Value upper, ArrayRef<Value> inits, bool runsOnce) {
  auto made = scf::ForOp::create(builder, loc, lower, upper, loop.getStep(), inits, nullptr,
                                 loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (runsOnce)
    made->setAttr(TileDialect::kRunsOnceAttr, builder.getUnitAttr());
  if (!made.getBody()->empty())
    made.getBody()->back().erase();
  builder.setInsertionPointToEnd(made.getBody());
  return made;
}

void DotDelayer::clone(const DenseSet<Operation *> &ops, IRMapping &mapping) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (ops.contains(&op) && !(op.getNumResults() && mapping.contains(op.getResult(0))))
      builder.clone(op, mapping);
}

void DotDelayer::cloneEarly(IRMapping &mapping, llvm::function_ref<void()> lateStage) {
  clone(plan().first, mapping);
  lateStage();
  DenseSet<Operation *> rest = plan().early;
  for (Operation *op : plan().last)
    rest.erase(op);
  clone(rest, mapping);
  // Not earlier: the late dots read the registers of the old ones.
  clone(plan().last, mapping);
}

SmallVector<Value> DotDelayer::yieldEarly(const IRMapping &mapping) {
  SmallVector<Value> values;
  for (unsigned number : kept)
    values.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[number]));
  for (Value value : plan().handed)
    values.push_back(mapping.lookup(value));
  for (unsigned number : plan().sharedArgs)
    values.push_back(mapping.lookup(loop.getRegionIterArg(number)));
  return values;
}

void DotDelayer::mapKept(IRMapping &mapping, ValueRange values) {
  for (auto [number, value] : llvm::zip(kept, values))
    mapping.map(loop.getRegionIterArg(number), value);
}

void DotDelayer::mapHanded(IRMapping &mapping, ValueRange values) {
  values = values.drop_front(kept.size());
  for (auto [old, value] : llvm::zip(plan().handed, values))
    mapping.map(old, value);
  values = values.drop_front(plan().handed.size());
  for (auto [number, value] : llvm::zip(plan().sharedArgs, values))
    mapping.map(loop.getRegionIterArg(number), value);
}

SmallVector<Value> DotDelayer::initialState() {
  SmallVector<Value> inits;
  for (unsigned number : kept)
    inits.push_back(initial(number));
  DenseMap<Value, Value> sums;
  for (unsigned number : plan().results)
    if (Value sum = plan().handedSum(number))
      sums[sum] = initial(number);
  for (Value value : plan().handed)
    inits.push_back(sums.contains(value)
                        ? sums.lookup(value)
                        : arith::ConstantOp::create(builder, value.getLoc(),
                                                    builder.getZeroAttr(value.getType())));
  for (unsigned number : plan().sharedArgs)
    inits.push_back(initial(number));
  return inits;
}

void DotDelayer::runFirst() {
  Value from = loop.getLowerBound();
  onceEnd = onceFrom(from, loop.getUpperBound());
  Value end = onceEnd;
  if (ran)
    end = arith::SelectOp::create(builder, loc, ran, from, end);
  scf::ForOp run = makeLoop(from, end, state, /*runsOnce=*/true);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), run.getInductionVar());
  mapKept(mapping, run.getRegionIterArgs());
  for (unsigned number : plan().results)
    mapping.map(loop.getRegionIterArg(number), initial(number));
  cloneEarly(mapping, [] {});
  scf::YieldOp::create(builder, loc, yieldEarly(mapping));
  builder.setInsertionPointAfter(run);
  state.assign(run.result_begin(), run.result_end());
}

void DotDelayer::runMain() {
  Value ahead = loop.getStep();
  if (ran) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(ahead.getType(), 0));
    ahead = arith::SelectOp::create(builder, loc, ran, zero, ahead);
  }
  Value from = arith::AddIOp::create(builder, loc, loop.getLowerBound(), ahead);
  SmallVector<Value> inits(state);
  llvm::append_range(inits, lateState);
  scf::ForOp run = makeLoop(from, loop.getUpperBound(), inits, /*runsOnce=*/false);
  ValueRange args = run.getRegionIterArgs();
  IRMapping earlyMapping, lateMapping;
  earlyMapping.map(loop.getInductionVar(), run.getInductionVar());
  mapKept(earlyMapping, args);
  cloneEarly(earlyMapping, [&] {
    Value before = arith::SubIOp::create(builder, loc, run.getInductionVar(), loop.getStep());
    lateMapping.map(loop.getInductionVar(), before);
    mapHanded(lateMapping, args);
    for (auto [number, value] : llvm::zip(plan().lateArgs, args.take_back(plan().lateArgs.size())))
      lateMapping.map(loop.getRegionIterArg(number), value);
    clone(plan().late, lateMapping);
    for (unsigned number : plan().results)
      earlyMapping.map(loop.getRegionIterArg(number),
                       lateMapping.lookup(loop.getYieldedValues()[number]));
  });
  SmallVector<Value> yields = yieldEarly(earlyMapping);
  for (unsigned number : plan().lateArgs)
    yields.push_back(lateMapping.lookupOrDefault(loop.getYieldedValues()[number]));
  scf::YieldOp::create(builder, loc, yields);
  builder.setInsertionPointAfter(run);
  ValueRange results = run.getResults();
  state = results.drop_back(lateState.size());
  lateState = results.take_back(lateState.size());
}

void DotDelayer::runLast() {
  // The last iteration's number, where there is one.
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(loop.getStep().getType(), 1));
  Value end = arith::SubIOp::create(builder, loc, lastUpper, one);
  Value length = arith::SubIOp::create(builder, loc, end, lastLower);
  Value beyond = arith::RemUIOp::create(builder, loc, length, loop.getStep());
  Value lastIteration = arith::SubIOp::create(builder, loc, end, beyond);
  SmallVector<unsigned> numbers(plan().lateArgs.begin(), plan().lateArgs.end());
  SmallVector<Value> inits(lateState);
  IRMapping mapping;
  mapHanded(mapping, state);
  for (unsigned number : plan().results)
    if (!plan().lateArgs.contains(number)) {
      numbers.push_back(number);
      Value sum = plan().handedSum(number);
      inits.push_back(sum ? mapping.lookup(sum) : initial(number));
    }
  Value onceLast = ran && !joined ? onceFrom(lastLower, lastUpper) : onceEnd;
  scf::ForOp run = makeLoop(lastLower, onceLast, inits, /*runsOnce=*/true);
  mapping.map(loop.getInductionVar(), lastIteration);
  for (auto [number, value] : llvm::zip(numbers, run.getRegionIterArgs())) {
    Value sum = plan().results.contains(number) ? plan().handedSum(number) : Value();
    mapping.map(sum ? sum : loop.getRegionIterArg(number), value);
  }
  clone(plan().late, mapping);
  SmallVector<Value> yields;
  for (auto [number, arg] : llvm::zip(numbers, run.getRegionIterArgs())) {
    yields.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[number]));
    loop.getResult(number).replaceAllUsesWith(run.getTiedLoopResult(arg));
  }
  scf::YieldOp::create(builder, loc, yields);
}

void DotDelayer::run() {
  for (unsigned number = 0; number < loop.getNumResults(); ++number)
    if (plan().isKept(number))
      kept.push_back(number);
  state = initialState();
  for (unsigned number : plan().lateArgs)
    lateState.push_back(initial(number));
  if (joined) {
    use(*joined);
    lastLower = loop.getLowerBound();
    lastUpper = loop.getUpperBound();
    runFirst();
  }
  for (size_t number = 0; number < plans.size(); ++number) {
    enter(number);
    if (!joined)
      runFirst();
    runMain();
  }
  for (auto [number, result] : llvm::zip(kept, state))
    loop.getResult(number).replaceAllUsesWith(result);
  runLast();
  for (const DelayPlan *done : llvm::reverse(plans))
    done->getLoop().erase();
}

namespace {
struct DelayDots final : tilec::impl::TileDelayDotsPassBase<DelayDots> {
  using Base::Base;

  void runOnOperation() override {
    std::deque<DelayPlan> plans;
    getOperation().walk([&](scf::ForOp loop) {
      DelayPlan plan(loop);
      if (plan.make() && pays(loop, plan))
        plans.push_back(std::move(plan));
    });
    const auto &axes = getAnalysis<AxisInfoAnalysis>();
    SmallVector<SmallVector<const DelayPlan *>> chains;
    for (const DelayPlan &plan : plans) {
      scf::ForOp loop = plan.getLoop();
      if (!chains.empty() && goesOn(axes, *chains.back().back(), plan))
        chains.back().push_back(&plan);
      else
        chains.push_back({&plan});
      remark::passed(loop.getLoc(),
                     remark::RemarkOpts::name("Delayed").category(remarks::kPipeline))
          << "dots with what other dots of an iteration give run while the next iteration's is "
             "computed";
    }
    for (ArrayRef<const DelayPlan *> chain : chains) {
      std::optional<DelayPlan> joined = join(chain);
      DotDelayer(chain, joined ? &*joined : nullptr).run();
      if (joined)
        joined->getLoop().erase();
    }
  }

  /// The plan of one loop that does what several do, where its first iteration is to be that of
  /// all; none where each is to have its own.
  std::optional<DelayPlan> join(ArrayRef<const DelayPlan *> chain) {
    const DelayPlan &first = *chain.front();
    if (chain.size() == 1 ||
        first.countRegisters().firstDots < threadsOf(getOperation()) * kLongIteration)
      return std::nullopt;
    scf::ForOp whole = first.getLoop();
    // All iterations come to where the last loop is.
    auto isOfChain = [&](Operation *op) {
      return llvm::any_of(chain, [&](const DelayPlan *plan) { return plan->getLoop() == op; });
    };
    for (Operation *op = whole; op != chain.back()->getLoop(); op = op->getNextNode())
      if (!isOfChain(op) && !isMemoryEffectFree(op))
        return std::nullopt;
    for (const DelayPlan *next : chain.drop_front()) {
      LoopJoin pair(whole, next->getLoop());
      scf::ForOp before = whole;
      whole = pair.match() ? pair.join() : nullptr;
      if (before != first.getLoop())
        before.erase();
      if (!whole)
        return std::nullopt;
    }
    DelayPlan joined(whole);
    if (joined.make() && joined.leavesSame(*chain.back()))
      return joined;
    whole.erase();
    return std::nullopt;
  }

  /// Whether the iterations of a loop are the next ones of the loop in front of it.
  static bool goesOn(const AxisInfoAnalysis &axes, const DelayPlan &before, const DelayPlan &plan) {
    scf::ForOp first = before.getLoop(), second = plan.getLoop();
    return first->getBlock() == second->getBlock() &&
           isEqualConstantIntOrValue(first.getStep(), second.getStep()) &&
           isEqualConstantIntOrValue(first.getUpperBound(), second.getLowerBound()) &&
           first.getUnsignedCmp() == second.getUnsignedCmp() && axes.hasWholeSteps(first) &&
           plan.goesOnFrom(before);
  }

  /// Whether it pays: warpgroups compute the dots, the copy engine loads what they read, and the
  /// registers for what is handed on cost no CTA of the few that a multiprocessor holds. With more
  /// of them, others multiply while one computes.
  bool pays(scf::ForOp loop, const DelayPlan &plan) {
    const Processor &processor = processorOf(getOperation());
    int64_t threads = threadsOf(getOperation());
    auto isOfWarpgroups = [&](DotOp dot) {
      ProductForm form{dot.getLhs().getType(), dot.getRhs().getType(), dot.getType(),
                       dot.getPrecision()};
      return !whyNotWgmma(form, processor, threads / Processor::kWarpSize);
    };
    bool threadsCopy = llvm::any_of(loop.getBody()->getOps<LoadOp>(), [](LoadOp load) {
      return isa<RankedTensorType>(load.getType());
    });
    std::optional<bool> asked = asksForRoles(loop);
    RegisterCount count = plan.countRegisters();
    if (asked == false || threadsCopy || !llvm::all_of(plan.firstDots, isOfWarpgroups) ||
        !llvm::all_of(plan.lateDots, isOfWarpgroups) ||
        count.dots + count.handed > threads * registers)
      return false;
    auto residentWith = [&](int64_t values) {
      return Processor::ctasByRegisters(threads, int(values / threads) + kOtherRegisters);
    };
    int resident = residentWith(count.dots);
    return asked || (resident <= kFewCtas && residentWith(count.dots + count.handed) == resident);
  }
};
} // namespace
