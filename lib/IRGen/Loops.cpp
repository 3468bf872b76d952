// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both kinds of loops need, and `for`. A body is emitted once: the variables it carries are
// those that a syntactic scan finds assigned in it and that exist before it. Static ranges and
// tuples are unrolled.

#include "Generator.h"

namespace tilec::irgen {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

FailureOr<std::vector<llvm::StringRef>> Generator::findCarried(const ast::NameSet &assigned,
                                                               SourceRange range) {
  std::vector<llvm::StringRef> carried;
  for (llvm::StringRef name : assigned) {
    auto variable = frame->variables.find(name);
    if (variable == frame->variables.end() || variable->second.isPoison() ||
        frame->constexprNames.contains(name))
      continue;
    FailureOr<Value> decayed = decay(variable->second, range);
    if (mlir::failed(decayed))
      return failure();
    variable->second = *decayed;
    carried.push_back(name);
  }
  return carried;
}

LogicalResult Generator::collectCarried(llvm::ArrayRef<llvm::StringRef> carried,
                                        const Variables &before, ast::Block body,
                                        llvm::SmallVectorImpl<mlir::Value> &leaves,
                                        SourceRange range) {
  LogicalResult result = success();
  for (llvm::StringRef name : carried) {
    const Value &old = before.find(name)->second;
    Value now = frame->variables.lookup(name);
    // The variable of an unrolled loop inside leaves a number.
    const RuntimeValue *runtime = old.getRuntime();
    if (now.isNumber() && runtime && !runtime->type.isBlock()) {
      FailureOr<DType> own = getDefaultType(*now.getConstant(), range);
      if (mlir::succeeded(own) && own->getRank() <= runtime->type.element.getRank()) {
        FailureOr<Value> same = makeConstant(*now.getConstant(), runtime->type.element, range);
        if (mlir::succeeded(same))
          now = *same;
      }
    }
    if (const PoisonValue *poisoned = now.getIf<PoisonValue>()) {
      if (!poisoned->message.empty())
        report(Severity::Error, range,
               poisoned->message + ", but the loop carries it to the next iteration");
      result = failure();
    } else if (!haveSameType(old, now) && ast::isAssignedFirst(body, name)) {
      frame->retyped.emplace_back(
          name, "variable '" + name.str() + "' has type " + old.describe() +
                    " before the loop at line " +
                    std::to_string(sources.getLineColumn(range).line) + " and " + now.describe() +
                    " in it" + suggestCast(old, "it before the loop", now, "the new value"));
      flatten(old, leaves);
    } else if (!haveSameType(old, now)) {
      result = error(range, "variable '" + name + "' changes its type in the loop from " +
                                old.describe() + " to " + now.describe() +
                                suggestCast(old, "it before the loop", now, "the new value"));
    } else {
      flatten(now, leaves);
    }
  }
  return result;
}

void Generator::rebindCarried(llvm::ArrayRef<llvm::StringRef> carried, const Variables &before,
                              mlir::ValueRange values) {
  llvm::SmallVector<mlir::Value> storage(values);
  llvm::ArrayRef<mlir::Value> left = storage;
  for (llvm::StringRef name : carried)
    frame->variables[name] = rebuild(before.find(name)->second, left);
}

void Generator::forgetLoopLocals(const ast::NameSet &assigned,
                                 llvm::ArrayRef<llvm::StringRef> carried, SourceRange range) {
  LineColumn position = sources.getLineColumn(range);
  for (auto &[name, message] : std::exchange(frame->retyped, {}))
    frame->variables[name] = Value::poison(std::move(message));
  for (llvm::StringRef name : assigned) {
    if (llvm::is_contained(carried, name) || frame->variables.count(name))
      continue;
    frame->variables[name] =
        Value::poison(("variable '" + name + "' is assigned only inside the loop at line " +
                       llvm::Twine(position.line) + " and has no value after it")
                          .str());
  }
}

FailureOr<Flow> Generator::executeFor(const ast::For &stmt, const Continuation *next) {
  if (!stmt.elseBody.empty())
    return error(stmt.headerRange, "'else' of a loop is not supported");
  FailureOr<Value> iterable = evaluate(stmt.iter);
  if (mlir::failed(iterable))
    return failure();
  const RangeValue *range = iterable->getIf<RangeValue>();
  const Constant *constant = iterable->getConstant();
  if (!range && !iterable->getTuple() && !iterable->getIf<SetValue>() &&
      !iterable->getIf<DictValue>() && !(constant && constant->isString()))
    return error(stmt.iter->range, "a loop needs range, tl.range, tl.static_range or a tuple, "
                                   "got " +
                                       iterable->describe());
  if (!range || range->isStatic || frame->keepsConstants) {
    FailureOr<std::vector<Value>> values = enumerateIterable(*iterable, stmt.iter->range);
    if (mlir::failed(values))
      return failure();
    return executeStaticFor(stmt, *values, next);
  }
  return executeRuntimeFor(stmt, *range, next);
}

FailureOr<Flow> Generator::executeStaticFor(const ast::For &stmt, llvm::ArrayRef<Value> values,
                                            const Continuation *next) {
  ast::NameSet targets, assigned;
  ast::collectTargetNames(stmt.target, targets);
  ast::collectAssignedNames(stmt.body, assigned);
  assigned.insert(targets.begin(), targets.end());
  BranchSite site{stmt.range, stmt.headerRange, /*isLoop=*/true};
  LoopContext loop;
  loop.assigned = &assigned;
  auto executeIteration = [&](const Value &value) -> LogicalResult {
    LogicalResult result = success();
    {
      // What is known at compile time stays so in the body.
      llvm::SaveAndRestore<bool> keeps(frame->keepsConstants, true);
      result = assign(stmt.target, value, stmt.iter->range);
    }
    loop.exit = LoopExit();
    if (mlir::succeeded(result))
      execute(stmt.body, nullptr);
    return result;
  };
  {
    llvm::SaveAndRestore<LoopContext *> inLoop(frame->loop, &loop);
    unsigned errorsBefore = diagnostics.getNumErrors();
    for (const Value &value : values) {
      if (!enter(stmt.headerRange))
        return failure();
      Value left = isLeft(loop.exit);
      LogicalResult result = success();
      if (left.isRuntime())
        emitBranches(
            site, left.getRuntime()->value, assigned, &loop, [] {},
            [&] { result = executeIteration(value); });
      else if (left.isKnownTrue())
        break;
      else
        result = executeIteration(value);
      // One iteration's errors are enough.
      if (mlir::failed(result) || diagnostics.getNumErrors() != errorsBefore)
        return failure();
    }
  }
  return leaveLoop(loop.exit, site, next);
}

LogicalResult Generator::emitLoopBody(ast::Block body, const ast::NameSet &assigned,
                                      llvm::ArrayRef<llvm::StringRef> carried,
                                      const Variables &before,
                                      llvm::SmallVectorImpl<mlir::Value> &leaves, LoopExit &exit,
                                      SourceRange range, const ast::NameSet *breakNames) {
  LoopContext loop;
  loop.assigned = &assigned;
  loop.breakNames = breakNames;
  llvm::SaveAndRestore<LoopContext *> inLoop(frame->loop, &loop);
  llvm::SaveAndRestore<unsigned> around(frame->runtimeLoops, frame->runtimeLoops + 1);
  execute(body, nullptr);
  exit = loop.exit;
  return collectCarried(carried, before, body, leaves, range);
}

/// Bounds of a runtime loop in its one integer type; a negative step has been turned around.
struct LoopBounds {
  mlir::Value lower, upper, step;
  DType type;
  bool descending = false;
};

static FailureOr<LoopBounds> getLoopBounds(Generator &g, SourceRange place,
                                           const RangeValue &range) {
  LoopBounds result;
  Value bounds[3] = {(*range.bounds)[0], (*range.bounds)[1], (*range.bounds)[2]};
  const Constant *step = bounds[2].getConstant();
  if (step && step->isInt() && step->toInt().isZero())
    return g.error(place, "the step of a range must not be zero");
  result.descending = step && step->isInt() && step->toInt().isNegative();
  if (result.descending)
    bounds[2] = Value(Constant(step->toInt().negate()));
  for (int i = 0; i < 3; ++i) {
    FailureOr<Value> runtime = g.toRuntime(bounds[i], place);
    if (mlir::failed(runtime))
      return failure();
    bounds[i] = *runtime;
    const Type &type = bounds[i].getRuntime()->type;
    if (type.isBlock() || !type.element.isInt())
      return g.error(place, "the bounds of a range must be integer scalars, got " + type.str());
    DType wide = type.element.getBitWidth() < 32 ? DType(ScalarKind::Int32) : type.element;
    result.type = i == 0 ? wide : g.promoteInts(result.type, wide);
  }
  for (Value &bound : bounds)
    bound = *g.cast(bound, result.type, place);
  if (result.descending)
    std::swap(bounds[0], bounds[1]);
  result.lower = bounds[0].getRuntime()->value;
  result.upper = bounds[1].getRuntime()->value;
  result.step = bounds[2].getRuntime()->value;
  return result;
}

static void setLoopOptions(mlir::OpBuilder &builder, mlir::Operation *loop,
                           const RangeValue &range) {
  for (const auto &[name, value] : *range.options) {
    const Constant *constant = value.getConstant();
    mlir::Attribute attribute;
    // That warps are not to be specialised says something, too.
    if (constant->isBool() && name == "warp_specialize")
      attribute = builder.getBoolAttr(constant->getBool());
    else if (constant->isBool() && constant->getBool())
      attribute = builder.getUnitAttr();
    else if (constant->isInt() && constant->toInt().fits(32, /*isSigned=*/true))
      attribute =
          builder.getI32IntegerAttr(static_cast<int32_t>(constant->toInt().toInt64Saturated()));
    if (attribute)
      loop->setDiscardableAttr("tile." + name, attribute);
  }
}

/// The value of the loop variable for a counter that ascends.
static Value getLoopVariable(Emitter &emitter, const LoopBounds &bounds, mlir::Value counter) {
  if (!bounds.descending)
    return Value::runtime(counter, bounds.type);
  // for i in range(10, 0, -3): counting up from 0 to 10 by 3, i = 10 - counter + 0.
  mlir::Value fromTop = emitter.create<arith::SubIOp>(bounds.upper, counter);
  return emitter.emit<arith::AddIOp>(bounds.type, fromTop, bounds.lower);
}

mlir::ValueRange Generator::emitFor(const ast::For &stmt, const LoopBounds &bounds,
                                    const RangeValue &range, const ast::NameSet &assigned,
                                    llvm::ArrayRef<llvm::StringRef> carried,
                                    const Variables &before, llvm::ArrayRef<mlir::Value> inits,
                                    LogicalResult &result) {
  auto loop = create<scf::ForOp>(bounds.lower, bounds.upper, bounds.step, inits,
                                 /*bodyBuilder=*/nullptr,
                                 /*unsignedCmp=*/!bounds.type.isSignedInt());
  setLoopOptions(builder, loop, range);
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase();
  builder.setInsertionPointToEnd(body);
  rebindCarried(carried, before, loop.getRegionIterArgs());
  frame->variables[llvm::cast<ast::Name>(stmt.target)->id] =
      getLoopVariable(*this, bounds, loop.getInductionVar());
  llvm::SmallVector<mlir::Value> leaves;
  LoopExit exit;
  result = emitLoopBody(stmt.body, assigned, carried, before, leaves, exit, stmt.headerRange);
  if (mlir::failed(result))
    leaves.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  for (auto [argument, leaf] : llvm::zip_equal(loop.getRegionIterArgs(), leaves))
    leaf = loopHints.carry(builder, argument, leaf);
  create<scf::YieldOp>(leaves);
  builder.setInsertionPoint(loop);
  for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgsMutable()))
    init.set(loopHints.carry(builder, argument, init.get()));
  return loop.getResults();
}

mlir::ValueRange Generator::emitLeavingFor(const ast::For &stmt, const LoopBounds &bounds,
                                           const RangeValue &range, const ast::NameSet &assigned,
                                           llvm::ArrayRef<llvm::StringRef> carried,
                                           const Variables &before,
                                           llvm::ArrayRef<mlir::Value> inits, LoopExit &exit,
                                           LogicalResult &result) {
  // Carried in front of the variables: the counter and whether the loop was left.
  mlir::Value no = create<arith::ConstantOp>(builder.getBoolAttr(false));
  llvm::SmallVector<mlir::Value> operands{bounds.lower, no}, leaves, returned;
  operands.append(inits.begin(), inits.end());
  DetachedBlock test, body;
  for (mlir::Value operand : operands) {
    test.get()->addArgument(operand.getType(), getLocation());
    body.get()->addArgument(operand.getType(), getLocation());
  }
  llvm::SmallVector<mlir::Value> forwarded(test.get()->getArguments());
  mlir::Value goesOn;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(test.get());
    auto predicate =
        bounds.type.isSignedInt() ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
    mlir::Value inside = create<arith::CmpIOp>(predicate, forwarded[0], bounds.upper);
    mlir::Value yes = create<arith::ConstantOp>(builder.getBoolAttr(true));
    mlir::Value stays = create<arith::XOrIOp>(forwarded[1], yes);
    goesOn = create<arith::AndIOp>(inside, stays);
  }
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body.get());
    mlir::ValueRange arguments = body.get()->getArguments();
    rebindCarried(carried, before, arguments.drop_front(2));
    frame->variables[llvm::cast<ast::Name>(stmt.target)->id] =
        getLoopVariable(*this, bounds, arguments[0]);
    leaves.assign({arguments[0], arguments[1]});
    result = emitLoopBody(stmt.body, assigned, carried, before, leaves, exit, stmt.headerRange);
    if (mlir::succeeded(result))
      result = collectExit(exit, leaves[1], returned, stmt.headerRange);
    leaves[0] = create<arith::AddIOp>(arguments[0], bounds.step);
  }
  if (mlir::succeeded(result))
    result = carryReturn(exit, test.get(), body.get(), operands, forwarded, stmt.headerRange);
  if (mlir::failed(result))
    return {};
  leaves.append(returned);
  scf::WhileOp loop = finishWhile(operands, test, goesOn, forwarded, body, leaves);
  setLoopOptions(builder, loop, range);
  mlir::ValueRange values = mlir::ValueRange(loop.getResults()).drop_front(2);
  exit = readReturn(exit, values.drop_front(inits.size()));
  return values.take_front(inits.size());
}

FailureOr<Flow> Generator::executeRuntimeFor(const ast::For &stmt, const RangeValue &range,
                                             const Continuation *next) {
  auto *target = llvm::dyn_cast<ast::Name>(stmt.target);
  if (!target)
    return error(stmt.target->range, "the variable of a loop must be a name");
  FailureOr<LoopBounds> bounds = getLoopBounds(*this, stmt.iter->range, range);
  if (mlir::failed(bounds))
    return failure();
  ast::NameSet assigned;
  ast::collectAssignedNames(stmt.body, assigned);
  FailureOr<std::vector<llvm::StringRef>> carried = findCarried(assigned, stmt.headerRange);
  if (mlir::failed(carried))
    return failure();
  // The loop variable starts anew in each iteration.
  llvm::erase(*carried, target->id);

  Variables before = frame->variables;
  llvm::SmallVector<mlir::Value> inits;
  for (llvm::StringRef name : *carried)
    flatten(before.find(name)->second, inits);
  charge(frame->variables.size() + inits.size());
  LogicalResult result = success();
  LoopExit exit;
  mlir::ValueRange values =
      ast::mayBeLeft(stmt.body)
          ? emitLeavingFor(stmt, *bounds, range, assigned, *carried, before, inits, exit, result)
          : emitFor(stmt, *bounds, range, assigned, *carried, before, inits, result);
  frame->variables = before;
  if (mlir::failed(result)) {
    // Errors were reported by name; what the loop produces is unusable.
    poison(assigned);
    return Flow::Next;
  }
  rebindCarried(*carried, before, values);
  assigned.insert(target->id);
  forgetLoopLocals(assigned, *carried, stmt.headerRange);
  return leaveLoop(exit, {stmt.range, stmt.headerRange, /*isLoop=*/true}, next);
}

} // namespace tilec::irgen
