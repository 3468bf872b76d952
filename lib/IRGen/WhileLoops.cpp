// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `while`. The variables that the condition or the body assigns are carried, as in `for`; a loop
// that is left hands a flag to its condition. What only the body of `while True` assigns has a
// value behind the loop where every way to a `break` assigns it:
//
//   while True:
//       x = tl.load(p)          x is carried from iteration to iteration, though the body
//       if x != 0:              begins without it; the first value is a placeholder
//           break
//   tl.store(q, x)

#include "Trial.h"

namespace tilec::irgen {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

FailureOr<Value> Generator::emitWhileCondition(const ast::While &stmt, const ast::NameSet &assigned,
                                               mlir::Value broke, bool &isAlways) {
  auto evaluateTest = [&] { return evaluateCondition(stmt.condition, "while"); };
  if (!broke)
    return evaluateTest();

  // After a `break` the condition is not evaluated any more, and what it assigns keeps its value.
  FailureOr<Value> test = failure();
  if (!assigned.empty()) {
    constexpr llvm::StringRef outcome = "the condition";
    ast::NameSet names = assigned;
    names.insert(outcome);
    LoopContext evaluation;
    evaluation.isJoined = true;
    emitBranches(
        {stmt.range, stmt.headerRange, /*isLoop=*/true}, broke, names, &evaluation,
        [&] { evaluation.exit.broke = Value::boolean(true); },
        [&] {
          test = evaluateTest();
          Value isTrue = Value::boolean(true);
          if (mlir::succeeded(test) && test->isKnownTrue())
            test = cast(isTrue, ScalarKind::Int1, stmt.condition->range);
          if (mlir::succeeded(test))
            frame->variables[outcome] = *test;
        });
    if (mlir::failed(test))
      return failure();
    Value merged = frame->variables.lookup(outcome);
    frame->variables.erase(outcome);
    return merged;
  }
  DetachedBlock left, evaluated;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(evaluated.get());
    test = evaluateTest();
  }
  if (mlir::failed(test))
    return failure();
  isAlways = test->isKnownTrue();
  if (isAlways) {
    mlir::Value yes = create<arith::ConstantOp>(builder.getBoolAttr(true));
    return emit<arith::XOrIOp>(ScalarKind::Int1, broke, yes);
  }
  Value no = Value::boolean(false);
  if (mlir::failed(
          unifyResults(no, left.get(), *test, evaluated.get(), "the condition", stmt.headerRange)))
    return failure();
  return finishIf(broke, left, evaluated, no, *test);
}

FailureOr<Flow> Generator::executeStaticWhile(const ast::While &stmt, const Continuation *next) {
  ast::NameSet assigned;
  ast::collectAssignedNames(stmt.body, assigned);
  LoopContext loop;
  loop.assigned = &assigned;
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
      return execute(stmt.elseBody, next);
    loop.exit = LoopExit();
    {
      llvm::SaveAndRestore<LoopContext *> inLoop(frame->loop, &loop);
      execute(stmt.body, nullptr);
    }
    if (diagnostics.getNumErrors() != errorsBefore)
      return failure();
    Value left = isLeft(loop.exit);
    if (left.isRuntime())
      return error(stmt.headerRange, "a compile-time loop is left under a runtime condition");
    if (left.isKnownTrue())
      return leaveLoop(loop.exit, {stmt.range, stmt.headerRange, /*isLoop=*/true}, next);
  }
}

LogicalResult Generator::carryConditionNames(const ast::While &stmt, const ast::NameSet &names,
                                             std::vector<llvm::StringRef> &carried) {
  bool areKnown =
      llvm::all_of(names, [&](llvm::StringRef name) { return frame->variables.count(name) != 0; });
  if (areKnown)
    return success();
  // The condition says their types.
  Trial trial(*this);
  if (mlir::failed(trial->evaluate(stmt.condition)))
    return success(); // The error is found again.
  for (llvm::StringRef name : names) {
    auto value = trial.getVariables().find(name);
    if (frame->variables.count(name) || value == trial.getVariables().end())
      continue;
    FailureOr<Value> first = trial->decay(value->second, stmt.headerRange);
    if (mlir::succeeded(first) && !hasPlaceholder(*first))
      continue;
    if (mlir::succeeded(first))
      first = makePlaceholder(*first, stmt.headerRange);
    if (mlir::failed(first))
      return failure();
    frame->variables[name] = *first;
    carried.push_back(name);
  }
  return success();
}

FailureOr<ast::NameSet> Generator::carryBreakValues(const ast::While &stmt,
                                                    const ast::NameSet &assigned,
                                                    std::vector<llvm::StringRef> &carried) {
  ast::NameSet readOutside, wanted, added;
  if (frame->function)
    ast::collectUsedNames(frame->function->body, readOutside, /*except=*/&stmt);
  for (llvm::StringRef name : assigned)
    if (frame->variables.lookup(name).isPoison() && readOutside.contains(name))
      wanted.insert(name);
  if (wanted.empty())
    return added;
  // The body says their types; what is wrong in it is found again.
  Trial trial(*this);
  FailureOr<Value> test = trial->evaluateCondition(stmt.condition, "while");
  if (mlir::failed(test) || !test->isKnownTrue())
    return added;
  llvm::SmallVector<mlir::Value> leaves;
  LoopExit exit;
  Variables before = frame->variables;
  if (mlir::failed(trial->emitLoopBody(stmt.body, assigned, carried, before, leaves, exit,
                                       stmt.headerRange, &wanted)) ||
      trial.hasErrors())
    return added;
  for (llvm::StringRef name : wanted) {
    auto value = trial.getVariables().find(name);
    if (value == trial.getVariables().end() || value->second.isPoison() ||
        !hasPlaceholder(value->second))
      continue;
    FailureOr<Value> first = makePlaceholder(value->second, stmt.headerRange);
    if (mlir::failed(first))
      return failure();
    frame->variables[name] = *first;
    carried.push_back(name);
    added.insert(name);
  }
  return added;
}

FailureOr<Flow> Generator::executeWhile(const ast::While &stmt, const Continuation *next) {
  if (!stmt.elseBody.empty())
    return error(stmt.headerRange, "'else' of a loop is not supported");

  ast::NameSet inCondition, assigned;
  ast::collectAssignedNames(stmt.condition, inCondition);
  ast::collectAssignedNames(stmt.body, assigned);
  for (llvm::StringRef name : inCondition)
    assigned.insert(name);
  bool breaks = ast::mayBeLeft(stmt.body);
  FailureOr<std::vector<llvm::StringRef>> carried = findCarried(assigned, stmt.headerRange);
  if (mlir::failed(carried) ||
      (breaks && mlir::failed(carryConditionNames(stmt, inCondition, *carried))))
    return failure();
  FailureOr<ast::NameSet> breakNames = ast::NameSet();
  if (breaks && inCondition.empty())
    breakNames = carryBreakValues(stmt, assigned, *carried);
  if (mlir::failed(breakNames))
    return failure();

  Variables before = frame->variables;
  llvm::SmallVector<mlir::Value> inits;
  if (breaks)
    inits.push_back(create<arith::ConstantOp>(builder.getBoolAttr(false)));
  for (llvm::StringRef name : *carried)
    flatten(before.find(name)->second, inits);
  charge(frame->variables.size() + inits.size());
  auto addArguments = [&](DetachedBlock &block, mlir::TypeRange types) {
    for (mlir::Type type : types)
      block.get()->addArgument(type, getLocation());
  };
  auto dropFlag = [&](mlir::ValueRange values) { return values.drop_front(breaks ? 1 : 0); };

  // The condition's region hands its view of the variables, walrus ones included, to the body.
  DetachedBlock conditionBlock, bodyBlock;
  mlir::Value condition;
  bool isAlways = false;
  addArguments(conditionBlock, mlir::TypeRange(mlir::ValueRange(inits)));
  llvm::SmallVector<mlir::Value> forwarded;
  std::vector<llvm::StringRef> visible = *carried;
  Variables atBody;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(conditionBlock.get());
    mlir::ValueRange arguments = conditionBlock.get()->getArguments();
    rebindCarried(*carried, before, dropFlag(arguments));
    FailureOr<Value> test =
        emitWhileCondition(stmt, inCondition, breaks ? arguments[0] : mlir::Value(), isAlways);
    atBody = frame->variables;
    LogicalResult collected = success();
    if (breaks)
      forwarded.push_back(arguments[0]);
    if (mlir::succeeded(test))
      collected = collectCarried(*carried, before, {}, forwarded, stmt.headerRange);
    frame->variables = before;
    if (mlir::failed(test) || mlir::failed(collected))
      return failure();
    if (!test->isRuntime()) {
      if (test->isKnownTrue())
        return error(stmt.condition->range,
                     "the condition of 'while' is always true and nothing leaves the loop");
      return Flow::Next;
    }
    for (llvm::StringRef name : inCondition)
      if (!before.count(name) && atBody.lookup(name).isRuntime()) {
        visible.push_back(name);
        flatten(atBody.find(name)->second, forwarded);
      }
    condition = test->getRuntime()->value;
  }

  addArguments(bodyBlock, mlir::TypeRange(mlir::ValueRange(forwarded)));
  size_t numForwarded = forwarded.size();
  LogicalResult collected = success();
  LoopExit exit;
  llvm::SmallVector<mlir::Value> leaves, returned;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(bodyBlock.get());
    rebindCarried(visible, atBody, dropFlag(bodyBlock.get()->getArguments()));
    for (llvm::StringRef name : *breakNames)
      frame->variables.erase(name);
    if (breaks)
      leaves.push_back(bodyBlock.get()->getArgument(0));
    collected = emitLoopBody(stmt.body, assigned, *carried, before, leaves, exit, stmt.headerRange,
                             &*breakNames);
    if (breaks && mlir::succeeded(collected))
      collected = collectExit(exit, leaves[0], returned, stmt.headerRange);
  }
  frame->variables = before;
  if (mlir::succeeded(collected))
    collected = carryReturn(exit, conditionBlock.get(), bodyBlock.get(), inits, forwarded,
                            stmt.headerRange);
  if (mlir::failed(collected)) {
    poison(assigned);
    return Flow::Next;
  }
  leaves.append(returned);
  scf::WhileOp loop = finishWhile(inits, conditionBlock, condition, forwarded, bodyBlock, leaves);
  mlir::ValueRange results = loop.getResults();
  rebindCarried(visible, atBody, dropFlag(results.take_front(numForwarded)));
  forgetLoopLocals(assigned, visible, stmt.headerRange);
  exit = readReturn(exit, results.drop_front(numForwarded));
  // Nothing comes behind `while True` that only returns leave.
  if (isAlways && !ast::containsBreak(stmt.body) && exit.returned.isRuntime())
    exit.returned = Value::boolean(true);
  return leaveLoop(exit, {stmt.range, stmt.headerRange, /*isLoop=*/true}, next);
}

} // namespace tilec::irgen
