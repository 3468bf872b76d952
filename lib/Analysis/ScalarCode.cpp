// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ScalarCode.h. What an operation that is not arithmetic gives is a number made of its
// operands' values, so it is the same wherever the same is asked for.

#include "ScalarCode.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// What keys of expressions begin with that are not arithmetic.
static constexpr int64_t kOpaqueKey = -1, kChoiceKey = -2;

static uint8_t widthOf(Type type) {
  return type.isIntOrIndex() && !type.isIndex()
             ? uint8_t(std::min(64u, type.getIntOrFloatBitWidth()))
             : 64;
}

static int64_t narrow(int64_t value, unsigned width) {
  return width >= 64 ? value : llvm::SignExtend64(uint64_t(value), width);
}

static uint64_t withoutSign(int64_t value, unsigned width) {
  return width >= 64 ? uint64_t(value) : uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(width);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 29);
}

//===--------------------------------------------------------------------------------------------===//
// Building
//===--------------------------------------------------------------------------------------------===//

ScalarCode::Arith ScalarCode::arithOf(Operation *op) {
  return llvm::StringSwitch<Arith>(op->getName().getStringRef())
      .Case("arith.addi", Arith::Add)
      .Case("arith.subi", Arith::Sub)
      .Case("arith.muli", Arith::Mul)
      .Case("arith.divsi", Arith::DivS)
      .Case("arith.divui", Arith::DivU)
      .Case("arith.ceildivsi", Arith::CeilDivS)
      .Case("arith.floordivsi", Arith::FloorDivS)
      .Case("arith.remsi", Arith::RemS)
      .Case("arith.remui", Arith::RemU)
      .Case("arith.minsi", Arith::MinS)
      .Case("arith.maxsi", Arith::MaxS)
      .Case("arith.minui", Arith::MinU)
      .Case("arith.maxui", Arith::MaxU)
      .Case("arith.andi", Arith::And)
      .Case("arith.ori", Arith::Or)
      .Case("arith.xori", Arith::Xor)
      .Case("arith.shli", Arith::ShiftLeft)
      .Case("arith.shrsi", Arith::ShiftRightS)
      .Case("arith.shrui", Arith::ShiftRightU)
      .Case("arith.cmpi", Arith::Compare)
      .Case("arith.select", Arith::Select)
      .Case("arith.extsi", Arith::ExtendS)
      .Case("arith.index_cast", Arith::ExtendS)
      .Case("arith.extui", Arith::ExtendU)
      .Case("arith.trunci", Arith::Truncate)
      .Default(Arith::None);
}

ScalarCode::Id ScalarCode::constant(int64_t value) {
  Expr expr;
  expr.kind = Kind::Constant;
  expr.constant = value;
  return addOnce({value}, std::move(expr));
}

ScalarCode::Id ScalarCode::addOnce(std::vector<int64_t> key, Expr expr) {
  auto [entry, isNew] = known.try_emplace(std::move(key), kNone);
  if (isNew) {
    expr.key = &entry->first;
    entry->second = add(std::move(expr));
  }
  return entry->second;
}

ScalarCode::Id ScalarCode::addSet(int frame, Type type, bool isResult) {
  Expr expr;
  expr.isResult = isResult;
  expr.frame = frame;
  expr.width = widthOf(type);
  return add(std::move(expr));
}

int ScalarCode::frameOf(Block *block) {
  if (auto found = frameIds.find(block); found != frameIds.end())
    return found->second;
  Operation *parent = block->getParentOp();
  int frame = 0;
  if (auto counted = dyn_cast<scf::ForOp>(parent)) {
    frame = loop(counted).frame;
  } else if (!isa<FunctionOpInterface>(parent)) {
    frame = frameOf(parent->getBlock());
    if (isa<scf::WhileOp>(parent)) {
      frames.push_back({frame, frames[size_t(frame)].depth + 1});
      frame = int(frames.size()) - 1;
    }
  }
  frameIds[block] = frame;
  return frame;
}

int ScalarCode::frameOf(ArrayRef<Id> operands) const {
  int deepest = 0;
  for (Id id : operands)
    if (int frame = exprs[size_t(id)].frame;
        frames[size_t(frame)].depth > frames[size_t(deepest)].depth)
      deepest = frame;
  return deepest;
}

ScalarCode::Loop &ScalarCode::loop(scf::ForOp op) {
  if (auto found = loopOf.find(op); found != loopOf.end())
    return loops[size_t(found->second)];
  int parent = frameOf(op->getBlock());
  Loop made;
  made.lower = of(op.getLowerBound());
  made.upper = of(op.getUpperBound());
  made.step = of(op.getStep());
  exprs[size_t(made.step)].isStep = true;
  auto [entry, isNew] =
      loopNumbers.try_emplace({parent, made.lower, made.upper, made.step}, int(loops.size()));
  loopOf[op] = entry->second;
  if (isNew) {
    frames.push_back({parent, frames[size_t(parent)].depth + 1});
    made.frame = int(frames.size()) - 1;
    made.counter = addSet(made.frame, op.getInductionVar().getType());
    loops.push_back(made);
  }
  return loops[size_t(entry->second)];
}

ScalarCode::Id ScalarCode::of(Value value) {
  if (auto found = ids.find(value); found != ids.end())
    return found->second;
  Id id = build(value);
  ids[value] = id;
  return id;
}

ScalarCode::Id ScalarCode::build(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constant(*number);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return buildArgument(argument);
  return buildResult(cast<OpResult>(value));
}

ScalarCode::Id ScalarCode::buildArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent); loop && steps.contains(loop)) {
    if (number == 0)
      return this->loop(loop).counter;
    return buildCarried(loop, number - loop.getNumInductionVars()).argument;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent); loop && steps.contains(loop))
    return argument.getOwner() == loop.getBeforeBody() ? buildBefore(loop, number).argument
                                                       : buildAfter(loop, number).argument;
  return buildOpaque(argument);
}

ScalarCode::Id ScalarCode::buildResult(OpResult result) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return buildChoice(branch, number);
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && steps.contains(loop))
    return buildCarried(loop, number).result;
  if (auto loop = dyn_cast<scf::WhileOp>(op); loop && steps.contains(loop))
    return buildAfter(loop, number).result;
  if (isa<scf::ForOp, scf::WhileOp>(op) && result.getType().isIntOrIndex())
    skipped.push_back(op);
  if (isa<ub::PoisonOp>(op))
    return constant(0);
  if (isa<ComputeGroupOp>(op))
    return groupNumber = groupNumber == kNone ? addSet(0, result.getType()) : groupNumber;
  if (Arith arith = arithOf(op); arith != Arith::None && result.getType().isIntOrIndex())
    return buildArith(op, arith);
  return buildOpaque(result);
}

const ScalarCode::Carried &ScalarCode::buildCarried(scf::ForOp loop, unsigned number) {
  auto [entry, isNew] = carries[{loop, false}].try_emplace(number);
  Carried &carried = entry->second;
  if (isNew) {
    Type type = loop.getResult(number).getType();
    carried.argument = addSet(frameOf(loop.getBody()), type);
    carried.result = addSet(frameOf(loop->getBlock()), type, /*isResult=*/true);
    carried.init = of(loop.getInitArgs()[number]);
    carried.next = of(loop.getYieldedValues()[number]);
  }
  return carried;
}

const ScalarCode::Carried &ScalarCode::buildBefore(scf::WhileOp loop, unsigned number) {
  auto [entry, isNew] = carries[{loop, false}].try_emplace(number);
  Carried &carried = entry->second;
  if (isNew) {
    carried.argument = addSet(frameOf(loop.getBeforeBody()), loop.getInits()[number].getType());
    carried.init = of(loop.getInits()[number]);
    carried.next = of(loop.getYieldedValues()[number]);
  }
  return carried;
}

const ScalarCode::Carried &ScalarCode::buildAfter(scf::WhileOp loop, unsigned number) {
  auto [entry, isNew] = carries[{loop, true}].try_emplace(number);
  Carried &carried = entry->second;
  if (isNew) {
    Type type = loop.getResult(number).getType();
    carried.argument = addSet(frameOf(loop.getAfterBody()), type);
    carried.result = addSet(frameOf(loop->getBlock()), type, /*isResult=*/true);
    carried.next = of(loop.getConditionOp().getArgs()[number]);
  }
  return carried;
}

ScalarCode::Id ScalarCode::buildChoice(scf::IfOp branch, unsigned number) {
  Expr expr;
  expr.kind = Kind::Choice;
  expr.frame = frameOf(branch->getBlock());
  expr.operands = {of(branch.getCondition()), of(branch.thenYield().getOperand(number)),
                   of(branch.elseYield().getOperand(number))};
  // Roles have branches of their own.
  std::vector<int64_t> key{kChoiceKey, expr.frame};
  key.insert(key.end(), expr.operands.begin(), expr.operands.end());
  return addOnce(std::move(key), std::move(expr));
}

ScalarCode::Id ScalarCode::otherGroup(Id group) {
  Expr expr;
  expr.kind = Kind::Arith;
  expr.arith = Arith::Xor;
  expr.width = expr.from = 32;
  expr.operands = {group, constant(1)};
  expr.frame = frameOf(expr.operands);
  std::vector<int64_t> key = keyOf(expr);
  return addOnce(std::move(key), std::move(expr));
}

std::vector<int64_t> ScalarCode::keyOf(const Expr &arith) {
  std::vector<int64_t> key{int64_t(arith.arith), int64_t(arith.predicate), arith.width, arith.from};
  key.insert(key.end(), arith.operands.begin(), arith.operands.end());
  return key;
}

ScalarCode::Id ScalarCode::buildArith(Operation *op, Arith arith) {
  Expr expr;
  expr.kind = Kind::Arith;
  expr.arith = arith;
  expr.width = widthOf(op->getResult(0).getType());
  expr.from = widthOf(op->getOperand(0).getType());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    expr.predicate = compare.getPredicate();
  for (Value operand : op->getOperands())
    expr.operands.push_back(of(operand));
  expr.frame = frameOf(expr.operands);
  if (llvm::all_of(expr.operands, [&](Id id) { return isConstant(id); }))
    return constant(computeArith(expr));
  std::vector<int64_t> key = keyOf(expr);
  return addOnce(std::move(key), std::move(expr));
}

/// Whether an operation gives the same wherever it has the same operands.
static bool isFunctionOfOperands(Operation *op) {
  auto isScalar = [](Type type) { return !isa<ShapedType>(type) && !isa<MemDescType>(type); };
  if (op->getNumRegions() > 0 || !llvm::all_of(op->getOperandTypes(), isScalar))
    return false;
  auto load = dyn_cast<tile::LoadOp>(op);
  return load ? !load.getIsVolatile() : isMemoryEffectFree(op);
}

/// What tells a function of operands from others, the same in every run of the compiler.
static int64_t numberOf(Operation *op, unsigned result) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName() << op->getAttrDictionary() << result;
  return int64_t(llvm::xxh3_64bits(text));
}

ScalarCode::Id ScalarCode::buildOpaque(Value value) {
  Expr expr;
  expr.kind = Kind::Opaque;
  expr.width = widthOf(value.getType());
  Operation *op = value.getDefiningOp();
  expr.constant = int64_t(exprs.size());
  if (!op || !isFunctionOfOperands(op)) {
    expr.frame = frameOf(value.getParentBlock());
    return add(std::move(expr));
  }
  for (Value operand : op->getOperands())
    expr.operands.push_back(of(operand));
  expr.frame = frameOf(expr.operands);
  // Loops with other bounds than those of another role ask for the same, too.
  expr.constant = numberOf(op, cast<OpResult>(value).getResultNumber());
  // Names and attributes are unique: these are compared, and never ordered by.
  std::vector<int64_t> key{kOpaqueKey, int64_t(intptr_t(op->getName().getAsOpaquePointer())),
                           int64_t(intptr_t(op->getAttrDictionary().getAsOpaquePointer())),
                           cast<OpResult>(value).getResultNumber(), expr.width};
  key.insert(key.end(), expr.operands.begin(), expr.operands.end());
  return addOnce(std::move(key), std::move(expr));
}

std::vector<ScalarCode::Carried> ScalarCode::carried(Operation *loop,
                                                     bool isBehindCondition) const {
  std::vector<Carried> all;
  if (auto found = carries.find({loop, isBehindCondition}); found != carries.end())
    for (auto &entry : found->second)
      all.push_back(entry.second);
  return all;
}

//===--------------------------------------------------------------------------------------------===//
// Computing
//===--------------------------------------------------------------------------------------------===//

void ScalarCode::begin(const ProtocolScenario &chosen) {
  scenario = chosen;
  for (Frame &frame : frames)
    frame.stamp = ++lastStamp, frame.iteration = 0;
}

void ScalarCode::setGroup(int number) {
  asking = number;
  if (groupNumber == kNone)
    return;
  // What was computed for another group is computed again.
  for (Frame &frame : frames)
    frame.stamp = ++lastStamp, frame.iteration = 0;
  set(groupNumber, number);
}

void ScalarCode::enter(int frame, int iteration) {
  frames[size_t(frame)].iteration = iteration;
  frames[size_t(frame)].stamp = ++lastStamp;
}

void ScalarCode::set(Id id, int64_t value) {
  Expr &expr = exprs[size_t(id)];
  expr.value = expr.isStep ? std::max<int64_t>(1, value) : value;
  expr.stamp = frames[size_t(expr.frame)].stamp;
}

int64_t ScalarCode::value(Id id) {
  Expr &expr = exprs[size_t(id)];
  if (expr.kind == Kind::Constant)
    return expr.constant;
  if (expr.stamp == frames[size_t(expr.frame)].stamp)
    return expr.value;
  int64_t value = expr.loop >= 0 ? chosenBound(expr) : compute(expr);
  set(id, narrow(value, expr.width));
  return expr.value;
}

int64_t ScalarCode::compute(const Expr &expr) {
  switch (expr.kind) {
  case Kind::Arith:
    return computeArith(expr);
  case Kind::Choice:
    return value(expr.operands[value(expr.operands[0]) & 1 ? 1 : 2]);
  case Kind::Opaque:
    return computeOpaque(expr);
  default:
    return 0;
  }
}

int ScalarCode::passOf(int frame) const {
  int passes = 0;
  for (; frame >= 0; frame = frames[size_t(frame)].parent)
    passes += frames[size_t(frame)].iteration;
  return passes;
}

int ScalarCode::whileIterations() const {
  constexpr int kMost = 4;
  return scenario.count % kMost;
}

int64_t ScalarCode::computeOpaque(const Expr &expr) {
  uint64_t hash = mix(scenario.seed, uint64_t(expr.constant));
  for (Id operand : expr.operands)
    hash = mix(hash, uint64_t(value(operand)));
  if (expr.operands.empty())
    hash = mix(hash, uint64_t(passOf(expr.frame)));
  // Small numbers make conditions hold now and then, larger ones are what launches have.
  constexpr uint64_t kFew = 5, kMany = 1000;
  if (expr.width == 1)
    return int64_t(hash & 1);
  return int64_t(hash % (scenario.seed % 2 ? kMany : kFew));
}

/// Zero stands for what a division by zero gives.
static int64_t divide(int64_t a, int64_t b, bool roundsUp, bool roundsDown) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()))
    return 0;
  int64_t quotient = a / b;
  bool isInexact = a % b != 0, isNegative = (a < 0) != (b < 0);
  if (isInexact && roundsUp && !isNegative)
    return quotient + 1;
  return isInexact && roundsDown && isNegative ? quotient - 1 : quotient;
}

static int64_t shift(int64_t value, uint64_t bits, unsigned width, bool isLeft, bool isSigned) {
  if (bits >= width)
    return 0;
  if (isLeft)
    return int64_t(uint64_t(value) << bits);
  return isSigned ? value >> bits : int64_t(withoutSign(value, width) >> bits);
}

int64_t ScalarCode::computeArith(const Expr &expr) {
  auto operand = [&](unsigned i) { return value(expr.operands[i]); };
  if (expr.arith == Arith::Select)
    return operand(operand(0) & 1 ? 1 : 2);
  int64_t a = operand(0), b = expr.operands.size() > 1 ? operand(1) : 0;
  uint64_t ua = withoutSign(a, expr.from), ub = withoutSign(b, expr.from);
  auto wrap = [&](uint64_t result) { return narrow(int64_t(result), expr.width); };
  switch (expr.arith) {
  case Arith::Add:
    return wrap(uint64_t(a) + uint64_t(b));
  case Arith::Sub:
    return wrap(uint64_t(a) - uint64_t(b));
  case Arith::Mul:
    return wrap(uint64_t(a) * uint64_t(b));
  case Arith::DivS:
    return divide(a, b, false, false);
  case Arith::CeilDivS:
    return divide(a, b, true, false);
  case Arith::FloorDivS:
    return divide(a, b, false, true);
  case Arith::DivU:
    return ub == 0 ? 0 : wrap(ua / ub);
  case Arith::RemS:
    return b == 0 || b == -1 ? 0 : a % b;
  case Arith::RemU:
    return ub == 0 ? 0 : wrap(ua % ub);
  case Arith::MinS:
    return std::min(a, b);
  case Arith::MaxS:
    return std::max(a, b);
  case Arith::MinU:
    return ua < ub ? a : b;
  case Arith::MaxU:
    return ua < ub ? b : a;
  case Arith::And:
    return a & b;
  case Arith::Or:
    return a | b;
  case Arith::Xor:
    return a ^ b;
  case Arith::ShiftLeft:
    return wrap(uint64_t(shift(a, ub, expr.from, true, false)));
  case Arith::ShiftRightS:
    return shift(a, ub, expr.from, false, true);
  case Arith::ShiftRightU:
    return wrap(uint64_t(shift(a, ub, expr.from, false, false)));
  case Arith::Compare:
    return arith::applyCmpPredicate(expr.predicate, APInt(expr.from, ua), APInt(expr.from, ub));
  case Arith::ExtendU:
    return int64_t(ua);
  default:
    return wrap(uint64_t(a));
  }
}
