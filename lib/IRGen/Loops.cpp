// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// for and while. A body is emitted once: the variables it carries are those that a syntactic scan
// finds assigned in it and that exist before it. Static ranges and tuples are unrolled.

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
                                        const Variables &before,
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
  for (llvm::StringRef name : assigned) {
    if (llvm::is_contained(carried, name) || frame->variables.count(name))
      continue;
    frame->variables[name] =
        Value::poison(("variable '" + name + "' is assigned only inside the loop at line " +
                       llvm::Twine(position.line) + " and has no value after it")
                          .str());
  }
}

FailureOr<Flow> Generator::executeFor(const ast::For &stmt) {
  if (!stmt.elseBody.empty())
    return error(stmt.headerRange, "'else' of a loop is not supported");
  FailureOr<Value> iterable = evaluate(stmt.iter);
  if (mlir::failed(iterable))
    return failure();
  const RangeValue *range = iterable->getIf<RangeValue>();
  if (!range && !iterable->getTuple())
    return error(stmt.iter->range, "a loop needs range, tl.range, tl.static_range or a tuple, "
                                   "got " +
                                       iterable->describe());
  if (!range || range->isStatic || frame->keepsConstants) {
    FailureOr<std::vector<Value>> values = enumerateIterable(*iterable, stmt.iter->range);
    if (mlir::failed(values))
      return failure();
    return executeStaticFor(stmt, *values);
  }
  if (mlir::failed(executeRuntimeFor(stmt, *range)))
    return failure();
  return Flow::Next;
}

FailureOr<Flow> Generator::executeStaticFor(const ast::For &stmt, llvm::ArrayRef<Value> values) {
  ast::NameSet assigned;
  ast::collectAssignedNames(stmt.body, assigned);
  LoopContext loop;
  loop.assigned = &assigned;
  loop.isUnrolled = true;
  llvm::SaveAndRestore<LoopContext *> inLoop(frame->loop, &loop);
  unsigned errorsBefore = diagnostics.getNumErrors();
  for (const Value &value : values) {
    if (!enter(stmt.headerRange))
      return failure();
    {
      // Numbers are compile-time values in the body.
      llvm::SaveAndRestore<bool> keepConstants(frame->keepsConstants, true);
      if (mlir::failed(assign(stmt.target, value, stmt.iter->range)))
        return failure();
    }
    loop.broke = Value::boolean(false);
    Flow flow = execute(stmt.body, nullptr);
    if (flow == Flow::Return)
      return Flow::Return;
    // One iteration's errors are enough.
    if (diagnostics.getNumErrors() != errorsBefore)
      return failure();
    if (flow == Flow::Break)
      break;
  }
  return Flow::Next;
}

/// Whether a `break` in these statements leaves the loop they are the body of.
static bool containsBreak(ast::Block block) {
  for (const ast::Stmt *stmt : block) {
    if (llvm::isa<ast::Break>(stmt))
      return true;
    if (auto *branch = llvm::dyn_cast<ast::If>(stmt))
      if (containsBreak(branch->thenBody) || containsBreak(branch->elseBody))
        return true;
  }
  return false;
}

FailureOr<Generator::LoopBounds> Generator::getLoopBounds(const ast::For &stmt,
                                                          const RangeValue &range) {
  LoopBounds result;
  Value bounds[3] = {(*range.bounds)[0], (*range.bounds)[1], (*range.bounds)[2]};
  const Constant *step = bounds[2].getConstant();
  if (step && step->isInt() && step->toInt().isZero())
    return error(stmt.iter->range, "the step of a range must not be zero");
  result.descending = step && step->isInt() && step->toInt().isNegative();
  if (result.descending)
    bounds[2] = Value(Constant(step->toInt().negate()));
  for (int i = 0; i < 3; ++i) {
    FailureOr<Value> runtime = toRuntime(bounds[i], stmt.iter->range);
    if (mlir::failed(runtime))
      return failure();
    bounds[i] = *runtime;
    const Type &type = bounds[i].getRuntime()->type;
    if (type.isBlock() || !type.element.isInt())
      return error(stmt.iter->range,
                   "the bounds of a range must be integer scalars, got " + type.str());
    DType wide = type.element.getBitWidth() < 32 ? DType(ScalarKind::Int32) : type.element;
    result.type = i == 0 ? wide : promoteInts(result.type, wide);
  }
  for (Value &bound : bounds)
    bound = *cast(bound, result.type, stmt.iter->range);
  if (result.descending)
    std::swap(bounds[0], bounds[1]);
  result.lower = bounds[0].getRuntime()->value;
  result.upper = bounds[1].getRuntime()->value;
  result.step = bounds[2].getRuntime()->value;
  return result;
}

void Generator::setLoopOptions(mlir::Operation *loop, const RangeValue &range) {
  for (const auto &[name, value] : *range.options) {
    const Constant *constant = value.getConstant();
    mlir::Attribute attribute;
    if (constant->isBool() && constant->getBool())
      attribute = builder.getUnitAttr();
    else if (constant->isInt() && constant->toInt().fits(32, /*isSigned=*/true))
      attribute =
          builder.getI32IntegerAttr(static_cast<int32_t>(constant->toInt().toInt64Saturated()));
    if (attribute)
      loop->setDiscardableAttr("tile." + name, attribute);
  }
}

Value Generator::getLoopVariable(const LoopBounds &bounds, mlir::Value counter) {
  if (!bounds.descending)
    return Value::runtime(counter, bounds.type);
  // for i in range(10, 0, -3): counting up from 0 to 10 by 3, i = 10 - counter + 0.
  mlir::Value fromTop = create<arith::SubIOp>(bounds.upper, counter);
  return emit<arith::AddIOp>(bounds.type, fromTop, bounds.lower);
}

LogicalResult Generator::emitLoopBody(ast::Block body, const ast::NameSet &assigned,
                                      llvm::ArrayRef<llvm::StringRef> carried,
                                      const Variables &before,
                                      llvm::SmallVectorImpl<mlir::Value> &leaves,
                                      mlir::Value *broke, SourceRange range) {
  LoopContext loop;
  loop.assigned = &assigned;
  llvm::SaveAndRestore<LoopContext *> inLoop(frame->loop, &loop);
  llvm::SaveAndRestore<unsigned> region(frame->regionDepth, frame->regionDepth + 1);
  llvm::SaveAndRestore<unsigned> around(frame->runtimeLoops, frame->runtimeLoops + 1);
  execute(body, nullptr);
  if (broke) {
    FailureOr<Value> flag = cast(loop.broke, ScalarKind::Int1, range);
    if (mlir::failed(flag))
      return failure();
    *broke = flag->getRuntime()->value;
  }
  return collectCarried(carried, before, leaves, range);
}

mlir::ValueRange Generator::emitFor(const ast::For &stmt, const LoopBounds &bounds,
                                    const RangeValue &range, const ast::NameSet &assigned,
                                    llvm::ArrayRef<llvm::StringRef> carried,
                                    const Variables &before, llvm::ArrayRef<mlir::Value> inits,
                                    LogicalResult &result) {
  auto loop = create<scf::ForOp>(bounds.lower, bounds.upper, bounds.step, inits,
                                 /*bodyBuilder=*/nullptr,
                                 /*unsignedCmp=*/!bounds.type.isSignedInt());
  setLoopOptions(loop, range);
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase();
  builder.setInsertionPointToEnd(body);
  rebindCarried(carried, before, loop.getRegionIterArgs());
  frame->variables[llvm::cast<ast::Name>(stmt.target)->id] =
      getLoopVariable(bounds, loop.getInductionVar());
  llvm::SmallVector<mlir::Value> leaves;
  result = emitLoopBody(stmt.body, assigned, carried, before, leaves, /*broke=*/nullptr,
                        stmt.headerRange);
  if (mlir::failed(result))
    leaves.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  create<scf::YieldOp>(leaves);
  return loop.getResults();
}

mlir::ValueRange Generator::emitBreakingFor(const ast::For &stmt, const LoopBounds &bounds,
                                            const RangeValue &range, const ast::NameSet &assigned,
                                            llvm::ArrayRef<llvm::StringRef> carried,
                                            const Variables &before,
                                            llvm::ArrayRef<mlir::Value> inits,
                                            LogicalResult &result) {
  // Carried in front of the variables: the counter and whether the loop was left.
  mlir::Value no = create<arith::ConstantOp>(builder.getBoolAttr(false));
  llvm::SmallVector<mlir::Value> operands{bounds.lower, no};
  operands.append(inits.begin(), inits.end());
  mlir::TypeRange types{mlir::ValueRange(operands)};
  auto loop = create<scf::WhileOp>(types, operands);
  setLoopOptions(loop, range);
  llvm::SmallVector<mlir::Location> locations(operands.size(), getLocation());
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *test = builder.createBlock(&loop.getBefore(), {}, types, locations);
  auto predicate =
      bounds.type.isSignedInt() ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  mlir::Value inside = create<arith::CmpIOp>(predicate, test->getArgument(0), bounds.upper);
  mlir::Value yes = create<arith::ConstantOp>(builder.getBoolAttr(true));
  mlir::Value stays = create<arith::XOrIOp>(test->getArgument(1), yes);
  mlir::Value goesOn = create<arith::AndIOp>(inside, stays);
  create<scf::ConditionOp>(goesOn, test->getArguments());

  mlir::Block *body = builder.createBlock(&loop.getAfter(), {}, types, locations);
  rebindCarried(carried, before, body->getArguments().drop_front(2));
  frame->variables[llvm::cast<ast::Name>(stmt.target)->id] =
      getLoopVariable(bounds, body->getArgument(0));
  llvm::SmallVector<mlir::Value> leaves{body->getArgument(0), body->getArgument(1)};
  mlir::Value broke;
  result = emitLoopBody(stmt.body, assigned, carried, before, leaves, &broke, stmt.headerRange);
  if (mlir::failed(result))
    leaves.assign(body->getArguments().begin(), body->getArguments().end());
  else
    leaves[1] = broke;
  leaves[0] = create<arith::AddIOp>(body->getArgument(0), bounds.step);
  create<scf::YieldOp>(leaves);
  return mlir::ValueRange(loop.getResults()).drop_front(2);
}

LogicalResult Generator::executeRuntimeFor(const ast::For &stmt, const RangeValue &range) {
  auto *target = llvm::dyn_cast<ast::Name>(stmt.target);
  if (!target)
    return error(stmt.target->range, "the variable of a loop must be a name");
  FailureOr<LoopBounds> bounds = getLoopBounds(stmt, range);
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
  LogicalResult result = success();
  bool breaks = containsBreak(stmt.body);
  mlir::ValueRange values =
      breaks ? emitBreakingFor(stmt, *bounds, range, assigned, *carried, before, inits, result)
             : emitFor(stmt, *bounds, range, assigned, *carried, before, inits, result);
  frame->variables = before;
  if (mlir::failed(result)) {
    // Errors were reported by name; what the loop produces is unusable.
    poison(assigned);
    return success();
  }
  rebindCarried(*carried, before, values);
  assigned.insert(target->id);
  forgetLoopLocals(assigned, *carried, stmt.headerRange);
  return success();
}

FailureOr<Value> Generator::emitWhileCondition(const ast::While &stmt, mlir::Value broke) {
  auto evaluateTest = [&]() -> FailureOr<Value> {
    FailureOr<Value> test = evaluate(stmt.condition);
    if (mlir::failed(test))
      return failure();
    if (!test->isRuntime()) {
      FailureOr<bool> truth = toBool(*test, stmt.condition->range, "the condition");
      if (mlir::failed(truth))
        return failure();
      return Value::boolean(*truth);
    }
    FailureOr<mlir::Value> condition = toCondition(*test, stmt.condition->range, "while");
    if (mlir::failed(condition))
      return failure();
    return Value::runtime(*condition, ScalarKind::Int1);
  };
  if (!broke)
    return evaluateTest();

  // After a `break` the condition is not evaluated any more.
  DetachedBlock left, evaluated;
  FailureOr<Value> test;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(evaluated.get());
    test = evaluateTest();
  }
  if (mlir::failed(test))
    return failure();
  if (!test->isRuntime() && test->getConstant()->isTrue()) {
    mlir::Value yes = create<arith::ConstantOp>(builder.getBoolAttr(true));
    return emit<arith::XOrIOp>(ScalarKind::Int1, broke, yes);
  }
  Value no = Value::boolean(false);
  if (mlir::failed(
          unifyResults(no, left.get(), *test, evaluated.get(), "the condition", stmt.headerRange)))
    return failure();
  return finishIf(broke, left, evaluated, no, *test);
}

FailureOr<Flow> Generator::executeStaticWhile(const ast::While &stmt) {
  LoopContext loop;
  loop.isUnrolled = true;
  llvm::SaveAndRestore<LoopContext *> inLoop(frame->loop, &loop);
  unsigned errorsBefore = diagnostics.getNumErrors();
  while (true) {
    if (!enter(stmt.headerRange))
      return failure();
    FailureOr<Value> test = evaluate(stmt.condition);
    if (mlir::failed(test))
      return failure();
    FailureOr<bool> truth = toBool(*test, stmt.condition->range, "the condition");
    if (mlir::failed(truth))
      return failure();
    if (!*truth)
      return execute(stmt.elseBody, nullptr);
    loop.broke = Value::boolean(false);
    Flow flow = execute(stmt.body, nullptr);
    if (flow == Flow::Return)
      return Flow::Return;
    if (diagnostics.getNumErrors() != errorsBefore)
      return failure();
    if (flow == Flow::Break)
      return Flow::Next;
  }
}

LogicalResult Generator::executeWhile(const ast::While &stmt) {
  if (!stmt.elseBody.empty())
    return error(stmt.headerRange, "'else' of a loop is not supported");

  ast::NameSet inCondition, assigned;
  ast::collectAssignedNames(stmt.condition, inCondition);
  ast::collectAssignedNames(stmt.body, assigned);
  for (llvm::StringRef name : inCondition)
    assigned.insert(name);
  bool breaks = containsBreak(stmt.body);
  if (breaks && !inCondition.empty())
    return error(stmt.condition->range, "an assignment in the condition of a 'while' with 'break' "
                                        "is not supported");
  FailureOr<std::vector<llvm::StringRef>> carried = findCarried(assigned, stmt.headerRange);
  if (mlir::failed(carried))
    return failure();

  Variables before = frame->variables;
  llvm::SmallVector<mlir::Value> inits;
  if (breaks)
    inits.push_back(create<arith::ConstantOp>(builder.getBoolAttr(false)));
  for (llvm::StringRef name : *carried)
    flatten(before.find(name)->second, inits);
  auto addArguments = [&](DetachedBlock &block, mlir::TypeRange types) {
    for (mlir::Type type : types)
      block.get()->addArgument(type, getLocation());
  };
  auto dropFlag = [&](mlir::ValueRange values) { return values.drop_front(breaks ? 1 : 0); };

  // The condition's region hands its view of the variables, walrus ones included, to the body.
  DetachedBlock conditionBlock, bodyBlock;
  addArguments(conditionBlock, mlir::TypeRange(mlir::ValueRange(inits)));
  llvm::SmallVector<mlir::Value> forwarded;
  std::vector<llvm::StringRef> visible = *carried;
  Variables atBody;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(conditionBlock.get());
    llvm::SaveAndRestore<unsigned> region(frame->regionDepth, frame->regionDepth + 1);
    mlir::ValueRange arguments = conditionBlock.get()->getArguments();
    rebindCarried(*carried, before, dropFlag(arguments));
    FailureOr<Value> test = emitWhileCondition(stmt, breaks ? arguments[0] : mlir::Value());
    atBody = frame->variables;
    LogicalResult collected = success();
    if (breaks)
      forwarded.push_back(arguments[0]);
    if (mlir::succeeded(test))
      collected = collectCarried(*carried, before, forwarded, stmt.headerRange);
    frame->variables = before;
    if (mlir::failed(test) || mlir::failed(collected))
      return failure();
    if (!test->isRuntime()) {
      if (test->getConstant()->isTrue())
        return error(stmt.condition->range,
                     "the condition of 'while' is always true and nothing leaves the loop");
      return success();
    }
    for (llvm::StringRef name : inCondition)
      if (!before.count(name) && atBody.lookup(name).isRuntime()) {
        visible.push_back(name);
        flatten(atBody.find(name)->second, forwarded);
      }
    create<scf::ConditionOp>(test->getRuntime()->value, forwarded);
  }

  mlir::TypeRange forwardedTypes{mlir::ValueRange(forwarded)};
  addArguments(bodyBlock, forwardedTypes);
  LogicalResult collected = success();
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(bodyBlock.get());
    rebindCarried(visible, atBody, dropFlag(bodyBlock.get()->getArguments()));
    llvm::SmallVector<mlir::Value> leaves;
    mlir::Value broke;
    if (breaks)
      leaves.push_back(bodyBlock.get()->getArgument(0));
    collected = emitLoopBody(stmt.body, assigned, *carried, before, leaves,
                             breaks ? &broke : nullptr, stmt.headerRange);
    if (breaks && broke)
      leaves[0] = broke;
    if (mlir::succeeded(collected))
      create<scf::YieldOp>(leaves);
  }
  frame->variables = before;
  if (mlir::failed(collected)) {
    poison(assigned);
    return success();
  }
  auto loop = create<scf::WhileOp>(forwardedTypes, inits);
  conditionBlock.moveTo(loop.getBefore());
  bodyBlock.moveTo(loop.getAfter());
  rebindCarried(visible, atBody, dropFlag(loop.getResults()));
  forgetLoopLocals(assigned, visible, stmt.headerRange);
  return success();
}

} // namespace tilec::irgen
