// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// if, elif and else. A compile-time condition selects one branch, the other one is not looked at.
// A runtime condition emits both branches into detached blocks, compares what each left in the
// variables, and then builds one scf.if that yields the differences. A branch that returns early
// takes the rest of the function into the other branch.

#include "Generator.h"

namespace tilec::irgen {

namespace scf = mlir::scf;

FailureOr<Flow> Generator::executeIf(const ast::If &stmt, const Continuation *next) {
  FailureOr<Value> test = evaluate(stmt.condition);
  if (mlir::failed(test))
    return failure();
  if (!test->isRuntime()) {
    FailureOr<bool> truth = toBool(*test, stmt.condition->range, "the condition");
    if (mlir::failed(truth))
      return failure();
    return execute(*truth ? stmt.thenBody : stmt.elseBody, next);
  }
  FailureOr<mlir::Value> condition = toCondition(*test, stmt.condition->range, "if");
  if (mlir::failed(condition))
    return failure();
  bool returns = ast::containsReturn(stmt.thenBody) || ast::containsReturn(stmt.elseBody);
  if (returns && frame->regionDepth == 0 && !frame->loop)
    return executeReturningIf(stmt, *condition, next);
  if (frame->loop &&
      (ast::containsBreakOrContinue(stmt.thenBody) || ast::containsBreakOrContinue(stmt.elseBody)))
    return executeEscapingIf(stmt, *condition, next);
  executeRuntimeIf(stmt, *condition);
  return Flow::Next;
}

void Generator::executeRuntimeIf(const ast::If &stmt, mlir::Value condition) {
  ast::NameSet assigned;
  ast::collectAssignedNames(stmt.thenBody, assigned);
  ast::collectAssignedNames(stmt.elseBody, assigned);
  emitBranches(stmt, condition, assigned, /*loop=*/nullptr,
               [&](ast::Block body) { execute(body, nullptr); });
}

FailureOr<Flow> Generator::executeEscapingIf(const ast::If &stmt, mlir::Value condition,
                                             const Continuation *next) {
  LoopContext *loop = frame->loop;
  unsigned errorsBefore = diagnostics.getNumErrors();
  emitBranches(stmt, condition, *loop->assigned, loop, [&](ast::Block body) {
    // What follows the 'if' is in both arms; its errors are reported once.
    if (diagnostics.getNumErrors() != errorsBefore)
      return;
    loop->broke = Value::boolean(false);
    Flow flow = execute(body, next);
    for (const Continuation *rest = next; rest && flow == Flow::Next; rest = rest->next)
      flow = execute(rest->rest, rest->next);
  });
  if (loop->isUnrolled && loop->broke.isRuntime())
    return error(stmt.headerRange, "'break' under a runtime condition is not supported in a loop "
                                   "that is unrolled at compile time");
  bool always =
      !loop->broke.isRuntime() && loop->broke.getConstant() && loop->broke.getConstant()->isTrue();
  return always ? Flow::Break : Flow::Continue;
}

void Generator::emitBranches(const ast::If &stmt, mlir::Value condition, const ast::NameSet &names,
                             LoopContext *loop, ArmExecutor executeArm) {
  DetachedBlock thenBlock, elseBlock;
  Variables before = frame->variables;
  Value broke[2];
  auto emitArm = [&](ast::Block body, DetachedBlock &block, Value &armBroke) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    llvm::SaveAndRestore<unsigned> region(frame->regionDepth, frame->regionDepth + 1);
    frame->variables = before;
    executeArm(body);
    if (loop)
      armBroke = loop->broke;
    return frame->variables;
  };
  Variables afterThen = emitArm(stmt.thenBody, thenBlock, broke[0]);
  Variables afterElse = emitArm(stmt.elseBody, elseBlock, broke[1]);
  frame->variables = before;

  std::vector<llvm::StringRef> merged;
  std::vector<Value> thenValues, elseValues;
  for (llvm::StringRef name : names) {
    auto inThen = afterThen.find(name), inElse = afterElse.find(name);
    if (inThen == afterThen.end() && inElse == afterElse.end())
      continue;
    if (inThen == afterThen.end() || inElse == afterElse.end()) {
      LineColumn position = sources.getLineColumn(stmt.range);
      frame->variables[name] = Value::poison(
          ("variable '" + name + "' is assigned in only one branch of the 'if' at line " +
           llvm::Twine(position.line))
              .str());
      continue;
    }
    Value thenValue = inThen->second, elseValue = inElse->second;
    bool isMerged = false;
    if (mlir::failed(mergeVariable(name, stmt, before.count(name), thenValue, thenBlock, elseValue,
                                   elseBlock, isMerged))) {
      frame->variables[name] = Value::poison();
    } else if (isMerged) {
      merged.push_back(name);
      thenValues.push_back(thenValue);
      elseValues.push_back(elseValue);
    } else {
      frame->variables[name] = thenValue;
    }
  }
  if (loop) {
    // Compile-time bools and int1 always agree.
    (void)unifyResults(broke[0], thenBlock.get(), broke[1], elseBlock.get(), "'break'",
                       stmt.headerRange);
    thenValues.push_back(broke[0]);
    elseValues.push_back(broke[1]);
  }

  Value results =
      finishIf(condition, thenBlock, elseBlock, Value::tuple(thenValues), Value::tuple(elseValues));
  for (auto [name, value] : llvm::zip_first(merged, *results.getTuple()))
    frame->variables[name] = value;
  if (loop)
    loop->broke = results.getTuple()->back();
}

LogicalResult Generator::mergeVariable(llvm::StringRef name, const ast::If &stmt, bool existed,
                                       Value &thenValue, DetachedBlock &thenBlock, Value &elseValue,
                                       DetachedBlock &elseBlock, bool &isMerged) {
  isMerged = false;
  if (thenValue.isPoison() || elseValue.isPoison()) {
    // Keep the message of the side that has one.
    const PoisonValue *poisoned = thenValue.getIf<PoisonValue>();
    if (!poisoned || poisoned->message.empty())
      poisoned = elseValue.isPoison() ? elseValue.getIf<PoisonValue>() : poisoned;
    thenValue = Value::poison(poisoned->message);
    return success();
  }
  if (isIdentical(thenValue, elseValue))
    return success();
  Value left = thenValue, right = elseValue;
  std::string what = ("variable '" + name + "'").str();
  // A temporary of both branches that is not used later may differ; a variable that lives on not.
  if (!existed && !haveSameType(left, right)) {
    LineColumn position = sources.getLineColumn(stmt.range);
    thenValue = Value::poison(("variable '" + name + "' has type " + left.describe() + " or " +
                               right.describe() + ", depending on the 'if' at line " +
                               llvm::Twine(position.line) +
                               suggestCast(left, "the first", right, "the second"))
                                  .str());
    return success();
  }
  if (mlir::failed(
          unifyResults(left, thenBlock.get(), right, elseBlock.get(), what, stmt.headerRange)))
    return failure();
  thenValue = left;
  elseValue = right;
  isMerged = true;
  return success();
}

LogicalResult Generator::unifyResults(Value &lhs, mlir::Block *lhsBlock, Value &rhs,
                                      mlir::Block *rhsBlock, const llvm::Twine &what,
                                      SourceRange range) {
  if (isIdentical(lhs, rhs) && !lhs.isRuntime() && !lhs.getTuple())
    return success();
  const std::vector<Value> *left = lhs.getTuple(), *right = rhs.getTuple();
  if (left && right && left->size() == right->size()) {
    std::vector<Value> newLeft = *left, newRight = *right;
    for (size_t i = 0; i < newLeft.size(); ++i)
      if (mlir::failed(unifyResults(newLeft[i], lhsBlock, newRight[i], rhsBlock, what, range)))
        return failure();
    lhs = Value::tuple(std::move(newLeft), lhs.getTupleNames());
    rhs = Value::tuple(std::move(newRight), rhs.getTupleNames());
    return success();
  }
  // A number takes the type of the other side where that loses nothing.
  auto toRuntimeIn = [&](Value &number, mlir::Block *block, const Value &other) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    FailureOr<DType> type = getDefaultType(*number.getConstant(), range);
    if (mlir::failed(type))
      return failure();
    const RuntimeValue *runtime = other.getRuntime();
    bool adopt = runtime && !runtime->type.element.isPointer() &&
                 type->getRank() <= runtime->type.element.getRank();
    FailureOr<Value> result =
        makeConstant(*number.getConstant(), adopt ? runtime->type.element : *type, range);
    if (mlir::failed(result))
      return failure();
    number = adopt ? splat(*result, runtime->type.shape) : *result;
    return success();
  };
  bool numbers = lhs.isNumber() && rhs.isNumber();
  if ((lhs.isNumber() && rhs.isRuntime()) || numbers)
    if (mlir::failed(toRuntimeIn(lhs, lhsBlock, rhs)))
      return failure();
  if (rhs.isNumber() && lhs.isRuntime())
    if (mlir::failed(toRuntimeIn(rhs, rhsBlock, numbers ? Value() : lhs)))
      return failure();
  if (haveSameType(lhs, rhs))
    return success();
  return error(range, what + " must have one type in both branches, got " + lhs.describe() +
                          " and " + rhs.describe() +
                          suggestCast(lhs, "the first", rhs, "the second"));
}

Value Generator::finishIf(mlir::Value condition, DetachedBlock &thenBlock, DetachedBlock &elseBlock,
                          const Value &thenValue, const Value &elseValue) {
  llvm::SmallVector<mlir::Value> thenLeaves, elseLeaves;
  flatten(thenValue, thenLeaves);
  flatten(elseValue, elseLeaves);
  auto addYield = [&](DetachedBlock &block, llvm::ArrayRef<mlir::Value> leaves) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    create<scf::YieldOp>(leaves);
  };
  addYield(thenBlock, thenLeaves);
  bool needsElse = !elseLeaves.empty() || !elseBlock.get()->empty();
  if (needsElse)
    addYield(elseBlock, elseLeaves);
  auto ifOp = create<scf::IfOp>(mlir::TypeRange(mlir::ValueRange(thenLeaves)), condition,
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  thenBlock.moveTo(ifOp.getThenRegion());
  if (needsElse)
    elseBlock.moveTo(ifOp.getElseRegion());
  llvm::SmallVector<mlir::Value> results(ifOp.getResults());
  llvm::ArrayRef<mlir::Value> left = results;
  return rebuild(thenValue, left);
}

FailureOr<Flow> Generator::executeReturningIf(const ast::If &stmt, mlir::Value condition,
                                              const Continuation *next) {
  DetachedBlock thenBlock, elseBlock;
  Variables before = frame->variables;
  unsigned errorsBefore = diagnostics.getNumErrors();
  auto executeArm = [&](ast::Block body, DetachedBlock &block) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    frame->variables = before;
    frame->returnValue = Value::none();
    Flow flow = execute(body, next);
    for (const Continuation *rest = next; rest && flow == Flow::Next; rest = rest->next)
      flow = execute(rest->rest, rest->next);
    return frame->returnValue;
  };
  Value thenValue = executeArm(stmt.thenBody, thenBlock);
  // The rest of the function is in both branches when neither always returns; one report will do.
  Value elseValue;
  if (diagnostics.getNumErrors() == errorsBefore)
    elseValue = executeArm(stmt.elseBody, elseBlock);
  frame->returnValue = Value::poison();
  if (thenValue.isPoison() || elseValue.isPoison())
    return Flow::Return;
  if (mlir::failed(unifyResults(thenValue, thenBlock.get(), elseValue, elseBlock.get(),
                                "the returned value", stmt.headerRange)))
    return Flow::Return;
  frame->returnValue = finishIf(condition, thenBlock, elseBlock, thenValue, elseValue);
  return Flow::Return;
}

} // namespace tilec::irgen
