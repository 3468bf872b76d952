// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dataflow of AxisInfoAnalysis. A value without facts is undefined so far (the optimistic
// start, and what `ub.poison` stays). Operations wait in a queue ordered by program order; whenever
// the facts of a value get weaker, its users are visited again. Facts only ever weaken by joins, so
// the solver stops.

#include "tilec/Analysis/AxisInfo.h"

#include "AxisTransfer.h"
#include "dialects/Tile/TileOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilec/Analysis/IntegerRanges.h"
#include "llvm/ADT/BitVector.h"

#include <queue>

using namespace mlir;

namespace tilec {
namespace {

/// What `tile.assume` and argument attributes promise about a value.
struct Promise {
  int64_t divisibility = 1;
  bool nonNegative = false;
};

class Solver {
public:
  Solver(Operation *root, const AxisAssumptions &assumptions,
         DenseMap<Value, const AxisInfo *> &facts, std::deque<AxisInfo> &storage)
      : root(root), assumptions(assumptions), facts(facts), storage(storage) {}

  void run();

private:
  void collect();
  void collectPromises(tile::AssumeOp assume);
  void promise(Operation *assume, Value value, Promise fact);
  void seedFunction(FunctionOpInterface func);

  void visit(Operation *op);
  void visitFor(scf::ForOp loop);
  void visitWhile(scf::WhileOp loop);
  void visitIf(scf::IfOp branch);

  /// Facts so far, null when there are none yet.
  AxisInfo *lookup(Value value) {
    auto it = facts.find(value);
    return it == facts.end() ? nullptr : const_cast<AxisInfo *>(it->second);
  }
  void update(Value value, AxisInfo info);
  void update(Value value) { update(value, AxisInfo::pessimistic(value)); }
  /// Joins the facts of `source`, if there are any, into those of `target`.
  void flow(Value source, Value target);
  void enqueue(Operation *op);

  Operation *root;
  const AxisAssumptions &assumptions;
  DenseMap<Value, const AxisInfo *> &facts;
  std::deque<AxisInfo> &storage;
  DenseMap<Value, Promise> promises;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> order;
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> queue;
  llvm::BitVector queued;
};

void Solver::collect() {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    order[op] = ops.size();
    ops.push_back(op);
    if (auto assume = dyn_cast<tile::AssumeOp>(op))
      collectPromises(assume);
  });
  queued.resize(ops.size());
}

/// An assumption holds for the value itself, wherever it is used, only when it is executed whenever
/// the value is defined: they must be in the same block.
void Solver::promise(Operation *assume, Value value, Promise fact) {
  if (value.getParentBlock() != assume->getBlock())
    return;
  Promise &known = promises[value];
  known.divisibility = std::max(known.divisibility, fact.divisibility);
  known.nonNegative |= fact.nonNegative;
}

void Solver::collectPromises(tile::AssumeOp assume) {
  using arith::CmpIPredicate;
  forEachPromise(assume, [&](Value value, CmpIPredicate predicate, const APInt &bound) {
    if ((predicate == CmpIPredicate::sge && bound.sge(0)) ||
        (predicate == CmpIPredicate::sgt && bound.sge(APInt::getAllOnes(bound.getBitWidth()))))
      promise(assume, value, {1, true});
    if (predicate != CmpIPredicate::eq || !bound.isZero())
      return;
    Operation *remainder = value.getDefiningOp();
    APInt divisor;
    if (!remainder || remainder->getNumOperands() != 2 ||
        !matchPattern(remainder->getOperand(1), m_ConstantInt(&divisor)) ||
        divisor.getBitWidth() > 64)
      return;
    Value dividend = remainder->getOperand(0);
    if (isa<arith::RemSIOp, arith::RemUIOp>(remainder))
      promise(assume, dividend, {powerOfTwoDivisor(divisor.getSExtValue()), false});
    else if (isa<arith::AndIOp>(remainder))
      promise(assume, dividend, {int64_t(1) << std::min(divisor.countr_one(), 62u), false});
  });
}

void Solver::seedFunction(FunctionOpInterface func) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    AxisInfo info = AxisInfo::pessimistic(func.getArgument(i));
    AxisAssumption assumed = assumptions.lookup(func.getArgument(i));
    if (assumed.constant)
      info = AxisInfo::constant(func.getArgument(i).getType(), *assumed.constant);
    for (int64_t &divisibility : info.divisibility)
      divisibility = std::max(divisibility, powerOfTwoDivisor(assumed.divisibility));
    if (auto hint = func.getArgAttrOfType<IntegerAttr>(i, tile::TileDialect::kDivisibilityAttr))
      if (int64_t value = hint.getInt(); value > 0)
        for (int64_t &divisibility : info.divisibility)
          divisibility = std::max(divisibility, powerOfTwoDivisor(value));
    info.nonNegative |= func.getArgAttr(i, tile::TileDialect::kProgramsAttr) != nullptr;
    update(func.getArgument(i), std::move(info));
  }
}

/// Takes the larger of what `info` says and what the hint attributes of `op` say. A hint is read
/// down to its largest power-of-two divisor.
static void applyHints(Operation *op, AxisInfo &info, ArrayRef<int64_t> shape) {
  auto raise = [&](StringRef name, AxisInfo::DimVector &values, bool bySize) {
    auto hint = op->getAttrOfType<DenseI32ArrayAttr>(name);
    if (!hint)
      return;
    for (unsigned d = 0; d < std::min<size_t>(hint.size(), values.size()); ++d) {
      if (hint[d] <= 0)
        continue;
      int64_t value = powerOfTwoDivisor(hint[d]);
      values[d] = std::max(values[d], bySize ? std::min(value, shape[d]) : value);
    }
  };
  raise(tile::TileDialect::kContiguityAttr, info.contiguity, true);
  raise(tile::TileDialect::kConstancyAttr, info.constancy, true);
  raise(tile::TileDialect::kDivisibilityAttr, info.divisibility, false);
}

void Solver::enqueue(Operation *op) {
  auto it = order.find(op);
  if (it == order.end() || queued.test(it->second))
    return;
  queued.set(it->second);
  queue.push(it->second);
}

void Solver::update(Value value, AxisInfo info) {
  if (auto it = promises.find(value); it != promises.end()) {
    for (int64_t &divisibility : info.divisibility)
      divisibility = std::max(divisibility, it->second.divisibility);
    info.nonNegative |= it->second.nonNegative;
  }
  Operation *def = value.getDefiningOp();
  if (def && !def->getDiscardableAttrDictionary().empty())
    applyHints(def, info, axisShape(value.getType()));

  if (AxisInfo *known = lookup(value)) {
    AxisInfo joined = AxisInfo::join(*known, info);
    if (joined == *known)
      return;
    *known = std::move(joined);
  } else {
    storage.push_back(std::move(info));
    facts[value] = &storage.back();
  }
  for (Operation *user : value.getUsers()) {
    enqueue(user);
    // What a terminator yields is the business of the op around it.
    if (user->hasTrait<OpTrait::IsTerminator>() && user->getParentOp())
      enqueue(user->getParentOp());
  }
}

void Solver::flow(Value source, Value target) {
  if (AxisInfo *info = lookup(source))
    update(target, *info);
}

void Solver::visitFor(scf::ForOp loop) {
  AxisInfo *lower = lookup(loop.getLowerBound());
  AxisInfo *step = lookup(loop.getStep());
  if (lower && step) {
    AxisInfo info = AxisInfo::pessimistic(loop.getInductionVar());
    info.divisibility[0] = std::min(lower->divisibility[0], step->divisibility[0]);
    info.nonNegative = lower->nonNegative && !loop.getUnsignedCmp();
    update(loop.getInductionVar(), std::move(info));
  }
  for (auto [init, yielded, arg, result] :
       llvm::zip_equal(loop.getInitArgs(), loop.getYieldedValues(), loop.getRegionIterArgs(),
                       loop.getResults())) {
    flow(init, arg);
    flow(yielded, arg);
    flow(arg, result);
  }
}

void Solver::visitWhile(scf::WhileOp loop) {
  for (auto [init, yielded, arg] : llvm::zip_equal(loop.getInits(), loop.getYieldOp().getOperands(),
                                                   loop.getBeforeArguments())) {
    flow(init, arg);
    flow(yielded, arg);
  }
  for (auto [passed, arg, result] : llvm::zip_equal(loop.getConditionOp().getArgs(),
                                                    loop.getAfterArguments(), loop.getResults())) {
    flow(passed, arg);
    flow(passed, result);
  }
}

void Solver::visitIf(scf::IfOp branch) {
  if (branch.getNumResults() == 0)
    return;
  for (auto [result, left, right] :
       llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands(),
                       branch.elseYield().getOperands())) {
    flow(left, result);
    flow(right, result);
  }
}

/// The rule for ops that compute each element from the elements of the operands in the same place,
/// and for reads: equal operands give equal results.
static AxisInfo transferElementwise(Type type, AxisOperands operands) {
  AxisInfo info = AxisInfo::pessimistic(type);
  AxisInfo::DimVector shape = axisShape(type);
  for (unsigned d = 0; d < info.getRank(); ++d) {
    int64_t constancy = shape[d];
    for (const AxisInfo *operand : operands)
      if (operand->getRank() == info.getRank())
        constancy = std::min(constancy, operand->constancy[d]);
    info.constancy[d] = constancy;
  }
  return info;
}

/// The rule for ops whose result has elements of the operand along dimensions of the operand, and
/// equal ones along others.
static AxisInfo transferShape(tile::ShapeOpInterface op, const AxisInfo &source) {
  AxisInfo result = source;
  AxisInfo::DimVector from = axisShape(op.getSource().getType());
  result.constancy = axisShape(op->getResult(0).getType());
  result.contiguity.assign(result.constancy.size(), 1);
  result.divisibility.assign(result.constancy.size(), source.getElementDivisibility());
  for (unsigned d = 0; d < result.getRank(); ++d)
    if (std::optional<unsigned> dim = op.getSourceDim(d)) {
      result.contiguity[d] = source.contiguity[*dim];
      result.divisibility[d] = source.divisibility[*dim];
      if (from[*dim] == result.constancy[d])
        result.constancy[d] = source.constancy[*dim];
    }
  return result;
}

/// The facts of the only result of an op of any dialect; nothing when they are not known.
static std::optional<AxisInfo> transfer(Operation *op, AxisOperands operands) {
  if (auto own = dyn_cast<tile::AxisFactsOpInterface>(op))
    return own.inferAxisInfo(operands);
  if (auto shape = dyn_cast<tile::ShapeOpInterface>(op))
    return transferShape(shape, *operands[0]);
  return transferArithOp(op, operands);
}

void Solver::visit(Operation *op) {
  if (auto func = dyn_cast<FunctionOpInterface>(op))
    return func.isExternal() ? void() : seedFunction(func);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        update(argument);
  if (op->getNumResults() == 0 || isa<ub::PoisonOp>(op))
    return;

  SmallVector<const AxisInfo *, 4> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(lookup(operand));
    if (!operands.back())
      return;
  }
  if (op->getNumResults() == 1)
    if (std::optional<AxisInfo> info = transfer(op, operands))
      return update(op->getResult(0), std::move(*info));
  bool elementwise = op->hasTrait<OpTrait::Elementwise>() && isPure(op);
  for (Value result : op->getResults()) {
    if (elementwise)
      update(result, transferElementwise(result.getType(), operands));
    else
      update(result);
  }
}

void Solver::run() {
  collect();
  // Values from outside, and arguments of blocks that branches lead to, are not followed.
  bool isolated = root->hasTrait<OpTrait::IsIsolatedFromAbove>();
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!isolated && !root->isAncestor(operand.getParentBlock()->getParentOp()))
        update(operand);
    if (Block *block = op->getBlock();
        op != root && op == &block->front() && !block->isEntryBlock())
      for (Value argument : block->getArguments())
        update(argument);
    enqueue(op);
  }
  while (!queue.empty()) {
    unsigned next = queue.top();
    queue.pop();
    queued.reset(next);
    visit(ops[next]);
  }
}

} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root, const AxisAssumptions &assumptions) {
  Solver(root, assumptions, facts, storage).run();
}

const AxisInfo &AxisInfoAnalysis::get(Value value) const {
  const AxisInfo *&info = facts[value];
  if (!info) {
    storage.push_back(AxisInfo::pessimistic(value));
    info = &storage.back();
  }
  return *info;
}

bool AxisInfoAnalysis::hasWholeSteps(scf::ForOp loop) const {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  auto isWhole = [&](Value bound) { return get(bound).getElementDivisibility() % *step == 0; };
  return step && *step > 0 && isWhole(loop.getLowerBound()) && isWhole(loop.getUpperBound());
}

unsigned AxisInfoAnalysis::getMaxVectorElements(Value ptr, unsigned dim) const {
  const AxisInfo &info = get(ptr);
  return std::min(info.contiguity[dim], std::max<int64_t>(info.divisibility[dim] / info.unit, 1));
}

unsigned AxisInfoAnalysis::getMaxVectorElements(Value ptr, Value mask, unsigned dim) const {
  unsigned elements = getMaxVectorElements(ptr, dim);
  return mask ? std::min(elements, unsigned(get(mask).constancy[dim])) : elements;
}

} // namespace tilec
