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

#include "tilec/Transforms/Tile/Passes.h"

#include "MaskGain.h"
#include "dialects/Tile/LoopCounter.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/ProductUnit.h"
#include "tilec/Analysis/RolePlan.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/ADT/SetVector.h"

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

//===----------------------------------------------------------------------===//
// What is delayed
//===----------------------------------------------------------------------===//

namespace {
/// 32-bit registers of all threads.
struct RegisterCount {
  /// For the results of a loop's dots, and for what is computed early and used late.
  int64_t dots = 0, handed = 0;
};

/// Which operations of a loop's body run an iteration later. Each operation is of the early stage,
/// of the late one, or of both.
class DelayPlan {
public:
  explicit DelayPlan(scf::ForOp forOp) : loop(forOp), body(forOp.getBody()) {}

  /// False when there is nothing to delay, or it cannot be.
  bool make();
  RegisterCount countRegisters() const;

  /// The dots that run late, and the others, which they depend on.
  SmallVector<DotOp> lateDots, firstDots;
  DenseSet<Operation *> late, early;
  /// Of the early ones: what the first dots are computed from, and what only the late dots of the
  /// next iteration wait for.
  DenseSet<Operation *> first, last;
  /// Computed early and used late.
  llvm::SetVector<Value> handed;
  /// Numbers of the carried values that late dots yield; that only the late stage uses; and, of
  /// scalars, that both use.
  llvm::SetVector<unsigned> results, lateArgs, sharedArgs;

  /// The sum that the late dot of result `number` adds to, where it is handed on: without an
  /// iteration it is the result.
  Value handedSum(unsigned number) const;
  bool isKept(unsigned number) const {
    return !results.contains(number) && !lateArgs.contains(number);
  }

private:
  Operation *inBody(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == body ? op : nullptr;
  }
  std::optional<unsigned> carriedNumber(Value value) const;
  bool hasOnlyLoads() const;
  bool partDots();
  /// All of the body that depends on `values`.
  DenseSet<Operation *> usersOf(ArrayRef<Value> values) const;
  /// Adds what `value` is computed from in the body to `ops`, and the carried values among it.
  void addSources(Value value, DenseSet<Operation *> &ops, DenseSet<unsigned> &args) const;
  /// The same of the late stage; what depends on the first dots is handed on.
  bool addLate(Value value);
  void findEarly();
  bool areSharedScalars() const;
  void findLast();

  mutable scf::ForOp loop;
  Block *body;
  /// What depends on the first dots, and what on the sums that the late ones make.
  DenseSet<Operation *> behindFirst, behindLate;
  DenseSet<unsigned> reachedLate, reachedEarly;
};
} // namespace

std::optional<unsigned> DelayPlan::carriedNumber(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != body || argument == loop.getInductionVar())
    return std::nullopt;
  return argument.getArgNumber() - 1;
}

bool DelayPlan::hasOnlyLoads() const {
  return llvm::all_of(body->without_terminator(), [](Operation &op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return !load.getIsVolatile();
    return isa<DescriptorLoadOp>(op) || isMemoryEffectFree(&op);
  });
}

DenseSet<Operation *> DelayPlan::usersOf(ArrayRef<Value> values) const {
  DenseSet<Operation *> found;
  SmallVector<Value> pending(values);
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      Operation *op = body->findAncestorOpInBlock(*user);
      if (op && !op->hasTrait<OpTrait::IsTerminator>() && found.insert(op).second)
        llvm::append_range(pending, op->getResults());
    }
  return found;
}

bool DelayPlan::partDots() {
  SmallVector<DotOp> dots(body->getOps<DotOp>());
  SmallVector<Value> values = llvm::map_to_vector(dots, [](DotOp dot) -> Value { return dot; });
  for (DotOp dot : dots) {
    SmallVector<Value> others;
    llvm::copy_if(values, std::back_inserter(others), [&](Value v) { return v != dot; });
    DenseSet<Operation *> behind = usersOf(others);
    auto waits = [&](Value operand) { return behind.contains(inBody(operand)); };
    bool isYielded = dot->hasOneUse() && *dot->user_begin() == body->getTerminator();
    if (!isYielded || (!waits(dot.getLhs()) && !waits(dot.getRhs()))) {
      firstDots.push_back(dot);
      continue;
    }
    lateDots.push_back(dot);
    results.insert(dot->use_begin()->getOperandNumber());
  }
  return !lateDots.empty() && !firstDots.empty();
}

void DelayPlan::addSources(Value value, DenseSet<Operation *> &ops,
                           DenseSet<unsigned> &args) const {
  if (std::optional<unsigned> number = carriedNumber(value))
    args.insert(*number);
  Operation *op = inBody(value);
  if (!op || !ops.insert(op).second)
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      addSources(operand, ops, args);
  });
}

bool DelayPlan::addLate(Value value) {
  if (std::optional<unsigned> number = carriedNumber(value)) {
    if (!reachedLate.insert(*number).second || results.contains(*number))
      return true;
    return addLate(loop.getYieldedValues()[*number]);
  }
  Operation *op = inBody(value);
  if (!op || late.contains(op))
    return true;
  if (behindFirst.contains(op) || behindLate.contains(op)) {
    handed.insert(value);
    return getElementTypeOrSelf(value.getType()).isIntOrFloat();
  }
  if (op->getNumRegions() > 0)
    return false;
  late.insert(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) { return addLate(operand); });
}

Value DelayPlan::handedSum(unsigned number) const {
  Value sum = loop.getYieldedValues()[number].getDefiningOp<DotOp>().getAcc();
  return handed.contains(sum) ? sum : Value();
}

void DelayPlan::findEarly() {
  early.clear();
  reachedEarly.clear();
  for (DotOp dot : firstDots)
    addSources(dot, early, reachedEarly);
  for (Value value : handed)
    addSources(value, early, reachedEarly);
  for (auto [number, value] : llvm::enumerate(loop.getYieldedValues()))
    if (isKept(number))
      addSources(value, early, reachedEarly);
}

bool DelayPlan::areSharedScalars() const {
  return llvm::all_of(sharedArgs, [&](unsigned number) {
    return !isa<RankedTensorType>(loop.getRegionIterArg(number).getType());
  });
}

void DelayPlan::findLast() {
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    bool isForLate = llvm::all_of(op.getUsers(), [&](Operation *user) {
      Operation *place = body->findAncestorOpInBlock(*user);
      return last.contains(place) || llvm::is_contained(lateDots, place);
    });
    if (early.contains(&op) && !first.contains(&op) && !behindLate.contains(&op) && isForLate)
      last.insert(&op);
  }
}

bool DelayPlan::make() {
  if (!hasOnlyLoads() || !partDots())
    return false;
  behindFirst = usersOf(llvm::map_to_vector(firstDots, [](DotOp dot) -> Value { return dot; }));
  behindLate = usersOf(llvm::map_to_vector(
      results, [&](unsigned number) -> Value { return loop.getRegionIterArg(number); }));
  DenseSet<unsigned> firstArgs;
  for (DotOp dot : firstDots)
    addSources(dot, first, firstArgs);
  bool waitsForLate = llvm::any_of(lateDots, [&](DotOp dot) {
    // Behind another one that is late, through its operands.
    return behindLate.contains(inBody(dot.getLhs())) || behindLate.contains(inBody(dot.getRhs()));
  });
  if (waitsForLate || llvm::any_of(first, [&](Operation *op) { return behindLate.contains(op); }))
    return false;
  for (DotOp dot : lateDots)
    late.insert(dot);
  for (DotOp dot : lateDots)
    for (Value operand : dot->getOperands())
      if (!addLate(operand))
        return false;
  // What the late stage alone uses is carried with it; a scalar that both use is carried twice.
  for (unsigned number : reachedLate)
    lateArgs.insert(number);
  for (bool changed = true; changed;) {
    findEarly();
    changed = false;
    for (unsigned number : SmallVector<unsigned>(lateArgs.begin(), lateArgs.end()))
      if (reachedEarly.contains(number)) {
        lateArgs.remove(number);
        sharedArgs.insert(number);
        changed = true;
      }
  }
  bool loadsTwice = llvm::any_of(late, [&](Operation *op) {
    return early.contains(op) && isa<LoadOp, DescriptorLoadOp, DotOp>(op);
  });
  bool sharesSums =
      llvm::any_of(sharedArgs, [&](unsigned number) { return results.contains(number); });
  if (loadsTwice || sharesSums || !areSharedScalars())
    return false;
  findLast();
  return true;
}

RegisterCount DelayPlan::countRegisters() const {
  auto registersOf = [](Value value) -> int64_t {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getNumElements() * bitWidthOf(type.getElementType()) / 32 : 0;
  };
  RegisterCount count;
  for (DotOp dot : loop.getBody()->getOps<DotOp>())
    count.dots += registersOf(dot.getResult());
  for (Value value : handed)
    if (!behindLate.contains(inBody(value)))
      count.handed += registersOf(value);
  return count;
}

//===----------------------------------------------------------------------===//
// The new loops
//===----------------------------------------------------------------------===//

namespace {
class DotDelayer {
public:
  DotDelayer(scf::ForOp forOp, const DelayPlan &delayPlan)
      : loop(forOp), plan(delayPlan), builder(forOp), loc(forOp.getLoc()) {}

  void run();

private:
  /// A loop from `lower` to `upper` with the attributes of the old one.
  scf::ForOp makeLoop(Value lower, Value upper, ArrayRef<Value> inits, bool runsOnce);
  /// Clones those of `ops` that `mapping` has not.
  void clone(const DenseSet<Operation *> &ops, IRMapping &mapping);
  /// The early stage, with the late one of the iteration before in it.
  void cloneEarly(IRMapping &mapping, llvm::function_ref<void()> lateStage);
  /// What the early stage carries: what is kept, handed on, and shared.
  SmallVector<Value> yieldEarly(const IRMapping &mapping);
  void mapKept(IRMapping &mapping, ValueRange values);
  /// For the late stage, what the early one of the iteration before has left behind the kept ones.
  void mapHanded(IRMapping &mapping, ValueRange values);

  scf::ForOp runFirst();
  scf::ForOp runMain(scf::ForOp firstRun);
  scf::ForOp runLast(scf::ForOp mainRun);

  scf::ForOp loop;
  const DelayPlan &plan;
  OpBuilder builder;
  Location loc;
  /// Numbers of the carried values that are kept.
  SmallVector<unsigned> kept;
  /// The end of a loop from the lower bound that runs once if the old one runs.
  Value onceEnd;
};
} // namespace

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
  clone(plan.first, mapping);
  lateStage();
  DenseSet<Operation *> rest = plan.early;
  for (Operation *op : plan.last)
    rest.erase(op);
  clone(rest, mapping);
  // Not earlier: the late dots read the registers of the old ones.
  clone(plan.last, mapping);
}

SmallVector<Value> DotDelayer::yieldEarly(const IRMapping &mapping) {
  SmallVector<Value> values;
  for (unsigned number : kept)
    values.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[number]));
  for (Value value : plan.handed)
    values.push_back(mapping.lookup(value));
  for (unsigned number : plan.sharedArgs)
    values.push_back(mapping.lookup(loop.getRegionIterArg(number)));
  return values;
}

void DotDelayer::mapKept(IRMapping &mapping, ValueRange values) {
  for (auto [number, value] : llvm::zip(kept, values))
    mapping.map(loop.getRegionIterArg(number), value);
}

void DotDelayer::mapHanded(IRMapping &mapping, ValueRange values) {
  values = values.drop_front(kept.size());
  for (auto [old, value] : llvm::zip(plan.handed, values))
    mapping.map(old, value);
  values = values.drop_front(plan.handed.size());
  for (auto [number, value] : llvm::zip(plan.sharedArgs, values))
    mapping.map(loop.getRegionIterArg(number), value);
}

scf::ForOp DotDelayer::runFirst() {
  SmallVector<Value> inits;
  for (unsigned number : kept)
    inits.push_back(loop.getInitArgs()[number]);
  DenseMap<Value, Value> sums;
  for (unsigned number : plan.results)
    if (Value sum = plan.handedSum(number))
      sums[sum] = loop.getInitArgs()[number];
  for (Value value : plan.handed)
    inits.push_back(sums.contains(value)
                        ? sums.lookup(value)
                        : arith::ConstantOp::create(builder, value.getLoc(),
                                                    builder.getZeroAttr(value.getType())));
  for (unsigned number : plan.sharedArgs)
    inits.push_back(loop.getInitArgs()[number]);
  scf::ForOp run = makeLoop(loop.getLowerBound(), onceEnd, inits, /*runsOnce=*/true);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), run.getInductionVar());
  mapKept(mapping, run.getRegionIterArgs());
  for (unsigned number : plan.results)
    mapping.map(loop.getRegionIterArg(number), loop.getInitArgs()[number]);
  cloneEarly(mapping, [] {});
  scf::YieldOp::create(builder, loc, yieldEarly(mapping));
  return run;
}

scf::ForOp DotDelayer::runMain(scf::ForOp firstRun) {
  builder.setInsertionPointAfter(firstRun);
  Value second = arith::AddIOp::create(builder, loc, loop.getLowerBound(), loop.getStep());
  SmallVector<Value> inits(firstRun.getResults());
  for (unsigned number : plan.lateArgs)
    inits.push_back(loop.getInitArgs()[number]);
  scf::ForOp run = makeLoop(second, loop.getUpperBound(), inits, /*runsOnce=*/false);
  ValueRange args = run.getRegionIterArgs();
  IRMapping earlyMapping, lateMapping;
  earlyMapping.map(loop.getInductionVar(), run.getInductionVar());
  mapKept(earlyMapping, args);
  cloneEarly(earlyMapping, [&] {
    Value before = arith::SubIOp::create(builder, loc, run.getInductionVar(), loop.getStep());
    lateMapping.map(loop.getInductionVar(), before);
    mapHanded(lateMapping, args);
    for (auto [number, value] : llvm::zip(plan.lateArgs, args.take_back(plan.lateArgs.size())))
      lateMapping.map(loop.getRegionIterArg(number), value);
    clone(plan.late, lateMapping);
    for (unsigned number : plan.results)
      earlyMapping.map(loop.getRegionIterArg(number),
                       lateMapping.lookup(loop.getYieldedValues()[number]));
  });
  SmallVector<Value> yields = yieldEarly(earlyMapping);
  for (unsigned number : plan.lateArgs)
    yields.push_back(lateMapping.lookupOrDefault(loop.getYieldedValues()[number]));
  scf::YieldOp::create(builder, loc, yields);
  return run;
}

scf::ForOp DotDelayer::runLast(scf::ForOp mainRun) {
  builder.setInsertionPointAfter(mainRun);
  // The last iteration's number, where there is one.
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(loop.getStep().getType(), 1));
  Value end = arith::SubIOp::create(builder, loc, loop.getUpperBound(), one);
  Value length = arith::SubIOp::create(builder, loc, end, loop.getLowerBound());
  Value beyond = arith::RemUIOp::create(builder, loc, length, loop.getStep());
  Value lastIteration = arith::SubIOp::create(builder, loc, end, beyond);
  SmallVector<unsigned> numbers(plan.lateArgs.begin(), plan.lateArgs.end());
  SmallVector<Value> inits(mainRun.getResults().take_back(numbers.size()));
  IRMapping mapping;
  mapHanded(mapping, mainRun.getResults());
  for (unsigned number : plan.results)
    if (!plan.lateArgs.contains(number)) {
      numbers.push_back(number);
      Value sum = plan.handedSum(number);
      inits.push_back(sum ? mapping.lookup(sum) : loop.getInitArgs()[number]);
    }
  scf::ForOp run = makeLoop(loop.getLowerBound(), onceEnd, inits, /*runsOnce=*/true);
  mapping.map(loop.getInductionVar(), lastIteration);
  for (auto [number, value] : llvm::zip(numbers, run.getRegionIterArgs())) {
    Value sum = plan.results.contains(number) ? plan.handedSum(number) : Value();
    mapping.map(sum ? sum : loop.getRegionIterArg(number), value);
  }
  clone(plan.late, mapping);
  SmallVector<Value> yields;
  for (auto [number, arg] : llvm::zip(numbers, run.getRegionIterArgs())) {
    yields.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[number]));
    loop.getResult(number).replaceAllUsesWith(run.getTiedLoopResult(arg));
  }
  scf::YieldOp::create(builder, loc, yields);
  return run;
}

void DotDelayer::run() {
  for (unsigned number = 0; number < loop.getNumResults(); ++number)
    if (plan.isKept(number))
      kept.push_back(number);
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(loop.getStep().getType(), 1));
  Value next = arith::AddIOp::create(builder, loc, loop.getLowerBound(), one);
  onceEnd = lesserOf(builder, loop, loop.getUpperBound(), next);
  scf::ForOp mainRun = runMain(runFirst());
  for (auto [number, result] : llvm::zip(kept, mainRun.getResults()))
    loop.getResult(number).replaceAllUsesWith(result);
  runLast(mainRun);
  loop.erase();
}

namespace {
struct DelayDots final : tilec::impl::TileDelayDotsPassBase<DelayDots> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      DelayPlan plan(loop);
      if (!plan.make() || !pays(loop, plan))
        continue;
      remark::passed(loop.getLoc(),
                     remark::RemarkOpts::name("Delayed").category(remarks::kPipeline))
          << "dots with what other dots of an iteration give run while the next iteration's is "
             "computed";
      DotDelayer(loop, plan).run();
    }
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
