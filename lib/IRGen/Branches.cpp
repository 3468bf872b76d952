// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// if, elif and else. A compile-time condition selects one branch, the other one is not looked at.
// A runtime condition emits both branches into detached blocks, compares what each left in the
// variables, and then builds one scf.if that yields the differences. A branch that returns early
// takes the rest of the function into the other branch, and into both where both may go on.

#include "Generator.h"

namespace tilec::irgen {

namespace scf = mlir::scf;

/// So many branches may double what follows them: more would make large programs of small ones.
static constexpr unsigned maxCopies = 2;

/// Longer rests are not doubled.
static constexpr size_t maxCopied = 16;

static bool isEmpty(const Continuation *next) {
  return !next || (next->rest.empty() && isEmpty(next->next));
}

static bool containsLoop(const Continuation *next) {
  return next && (ast::containsLoop(next->rest) || containsLoop(next->next));
}

static size_t countStatements(const Continuation *next) {
  return next ? next->rest.size() + countStatements(next->next) : 0;
}

FailureOr<Flow> Generator::executeIf(const ast::If &stmt, const Continuation *next) {
  FailureOr<Value> test = evaluateCondition(stmt.condition, "if");
  if (mlir::failed(test))
    return failure();
  if (!test->isRuntime())
    return execute(test->isKnownTrue() ? stmt.thenBody : stmt.elseBody, next);
  mlir::Value condition = test->getRuntime()->value;
  bool returns = ast::containsReturn(stmt.thenBody) || ast::containsReturn(stmt.elseBody);
  bool leaves =
      ast::containsBreakOrContinue(stmt.thenBody) || ast::containsBreakOrContinue(stmt.elseBody);
  if (returns || (frame->loop && leaves)) {
    bool isCopied =
        !isEmpty(next) && !ast::alwaysJumps(stmt.thenBody) && !ast::alwaysJumps(stmt.elseBody);
    if (isCopied &&
        (frame->copies >= maxCopies || countStatements(next) > maxCopied || containsLoop(next)))
      return executeJoinedBranch(stmt, condition, next);
    llvm::SaveAndRestore<unsigned> copied(frame->copies, frame->copies + (isCopied ? 1 : 0));
    return executeLeavingBranch(
        {stmt.range, stmt.headerRange}, condition, next,
        [&] { return execute(stmt.thenBody, next); }, [&] { return execute(stmt.elseBody, next); });
  }
  executeRuntimeIf(stmt, condition);
  return Flow::Next;
}

void Generator::executeRuntimeIf(const ast::If &stmt, mlir::Value condition) {
  ast::NameSet assigned;
  ast::collectAssignedNames(stmt.thenBody, assigned);
  ast::collectAssignedNames(stmt.elseBody, assigned);
  emitBranches(
      {stmt.range, stmt.headerRange}, condition, assigned, /*loop=*/nullptr,
      [&] { execute(stmt.thenBody, nullptr); }, [&] { execute(stmt.elseBody, nullptr); });
}

FailureOr<Flow> Generator::executeLeavingBranch(const BranchSite &site, mlir::Value condition,
                                                const Continuation *next, ArmEmitter emitThen,
                                                ArmEmitter emitElse) {
  llvm::SaveAndRestore<unsigned> inside(frame->leaving, frame->leaving + 1);
  return frame->loop ? executeEscapingBranch(site, condition, next, emitThen, emitElse)
                     : executeReturningBranch(site, condition, next, emitThen, emitElse);
}

FailureOr<Flow> Generator::executeEscapingBranch(const BranchSite &site, mlir::Value condition,
                                                 const Continuation *next, ArmEmitter emitThen,
                                                 ArmEmitter emitElse) {
  LoopContext *loop = frame->loop;
  unsigned errorsBefore = diagnostics.getNumErrors();
  auto runToEnd = [&](ArmEmitter emitArm) {
    // What follows is in both arms; its errors are reported once.
    if (diagnostics.getNumErrors() != errorsBefore)
      return;
    loop->exit = LoopExit();
    Flow flow = emitArm();
    for (const Continuation *rest = next; rest && flow == Flow::Next; rest = rest->next)
      flow = execute(rest->rest, rest->next);
  };
  emitBranches(
      site, condition, *loop->assigned, loop, [&] { runToEnd(emitThen); },
      [&] { runToEnd(emitElse); });
  if (loop->exit.returned.isKnownTrue())
    return Flow::Return;
  return loop->exit.broke.isKnownTrue() ? Flow::Break : Flow::Continue;
}

void Generator::emitBranches(const BranchSite &site, mlir::Value condition,
                             const ast::NameSet &names, LoopContext *loop,
                             llvm::function_ref<void()> emitThen,
                             llvm::function_ref<void()> emitElse) {
  DetachedBlock thenBlock, elseBlock;
  charge(frame->variables.size());
  Variables before = frame->variables;
  LoopExit atEntry = loop ? loop->exit : LoopExit(), thenExit, elseExit;
  auto emitArm = [&](llvm::function_ref<void()> emitCode, DetachedBlock &block, LoopExit &exit) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    frame->variables = before;
    if (loop)
      loop->exit = atEntry;
    emitCode();
    if (loop)
      exit = loop->exit;
    return frame->variables;
  };
  Variables afterThen = emitArm(emitThen, thenBlock, thenExit);
  Variables afterElse = emitArm(emitElse, elseBlock, elseExit);
  frame->variables = before;

  std::vector<llvm::StringRef> merged;
  std::vector<Value> thenValues, elseValues;
  for (llvm::StringRef name : names) {
    if (loop && loop->isJoined &&
        (fillLeftArm(name, site, *loop, thenExit, thenBlock, afterThen, afterElse) ||
         fillLeftArm(name, site, *loop, elseExit, elseBlock, afterElse, afterThen)))
      continue;
    if (loop && loop->breakNames && loop->breakNames->contains(name)) {
      fillUnbrokenArm(name, site, thenExit, thenBlock, afterThen, afterElse);
      fillUnbrokenArm(name, site, elseExit, elseBlock, afterElse, afterThen);
    }
    auto inThen = afterThen.find(name), inElse = afterElse.find(name);
    if (inThen == afterThen.end() && inElse == afterElse.end())
      continue;
    if (inThen == afterThen.end() || inElse == afterElse.end()) {
      LineColumn position = sources.getLineColumn(site.range);
      frame->variables[name] =
          Value::poison(("variable '" + name + "' is assigned in only " +
                         (site.isLoop ? "some iterations of the loop" : "one branch of the 'if'") +
                         " at line " + llvm::Twine(position.line))
                            .str());
      continue;
    }
    Value thenValue = inThen->second, elseValue = inElse->second;
    bool isMerged = false;
    if (mlir::failed(mergeVariable(name, site, before.count(name), thenValue, thenBlock, elseValue,
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
  bool returns = false;
  if (loop) {
    if (mlir::failed(mergeExits(site, thenExit, thenBlock, elseExit, elseBlock)))
      thenExit = elseExit = LoopExit();
    returns = thenExit.returned.isRuntime() || !thenExit.result.isPoison();
    thenValues.insert(thenValues.end(), {thenExit.broke, thenExit.returned, thenExit.continued});
    elseValues.insert(elseValues.end(), {elseExit.broke, elseExit.returned, elseExit.continued});
    if (returns) {
      thenValues.push_back(thenExit.result);
      elseValues.push_back(elseExit.result);
    }
  }

  Value results =
      finishIf(condition, thenBlock, elseBlock, Value::tuple(thenValues), Value::tuple(elseValues));
  llvm::ArrayRef<Value> left = *results.getTuple();
  for (llvm::StringRef name : merged) {
    frame->variables[name] = left.front();
    left = left.drop_front();
  }
  if (loop)
    loop->exit = {left[0], left[1], left[2], returns ? left[3] : Value()};
}

void Generator::fillUnbrokenArm(llvm::StringRef name, const BranchSite &site, const LoopExit &exit,
                                DetachedBlock &block, Variables &variables,
                                const Variables &others) {
  auto other = others.find(name);
  bool mayBreak = exit.broke.isRuntime() || exit.broke.isKnownTrue();
  if (mayBreak || !variables.lookup(name).isPoison() || other == others.end() ||
      other->second.isPoison() || !hasPlaceholder(other->second))
    return;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block.get());
  FailureOr<Value> placeholder = makePlaceholder(other->second, site.headerRange);
  if (mlir::succeeded(placeholder))
    variables[name] = *placeholder;
}

LogicalResult Generator::mergeExits(const BranchSite &site, LoopExit &thenExit,
                                    DetachedBlock &thenBlock, LoopExit &elseExit,
                                    DetachedBlock &elseBlock) {
  // Compile-time bools and int1 always agree.
  for (auto flag : {&LoopExit::broke, &LoopExit::returned, &LoopExit::continued})
    if (mlir::failed(unifyResults(thenExit.*flag, thenBlock.get(), elseExit.*flag, elseBlock.get(),
                                  "a flag", site.headerRange)))
      return failure();
  auto addPlaceholder = [&](const Value &like, LoopExit &exit, DetachedBlock &block) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    FailureOr<Value> placeholder = makePlaceholder(like, site.headerRange);
    if (mlir::succeeded(placeholder))
      exit.result = *placeholder;
    return mlir::failed(placeholder) ? failure() : success();
  };
  if (!thenExit.result.isPoison() && elseExit.result.isPoison())
    return addPlaceholder(thenExit.result, elseExit, elseBlock);
  if (thenExit.result.isPoison() && !elseExit.result.isPoison())
    return addPlaceholder(elseExit.result, thenExit, thenBlock);
  if (thenExit.result.isPoison())
    return success();
  return unifyResults(thenExit.result, thenBlock.get(), elseExit.result, elseBlock.get(),
                      "the returned value", site.headerRange);
}

LogicalResult Generator::mergeVariable(llvm::StringRef name, const BranchSite &site, bool existed,
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
  if (const TupleValue *tuple = thenValue.getIf<TupleValue>())
    charge(tuple->totalSize);
  if (isIdentical(thenValue, elseValue))
    return success();
  Value left = thenValue, right = elseValue;
  std::string what = ("variable '" + name + "'").str();
  // A temporary of both branches that is not used later may differ; a variable that lives on not.
  const BlockAccessValue *access = left.getIf<BlockAccessValue>();
  bool isAccess = access && right.getIf<BlockAccessValue>() &&
                  access->isSameType(*right.getIf<BlockAccessValue>());
  if (!existed && !isAccess && !haveSameType(left, right)) {
    LineColumn position = sources.getLineColumn(site.range);
    thenValue = Value::poison(
        ("variable '" + name + "' has type " + left.describe() + " or " + right.describe() +
         ", depending on the " + (site.isLoop ? "loop" : "'if'") + " at line " +
         llvm::Twine(position.line) + suggestCast(left, "the first", right, "the second"))
            .str());
    return success();
  }
  if (mlir::failed(
          unifyResults(left, thenBlock.get(), right, elseBlock.get(), what, site.headerRange)))
    return failure();
  thenValue = left;
  elseValue = right;
  isMerged = true;
  return success();
}

LogicalResult Generator::fillMissingResult(Value &missing, DetachedBlock &block, const Value &other,
                                           const BranchSite &site) {
  if (other.isNone())
    return success();
  warn(warnings::kMissingReturn, site.headerRange,
       "the function ends without a value on one of the ways from here, and returns " +
           other.describe() + " on the other; what it gives is not defined");
  if (!hasPlaceholder(other))
    return success();
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block.get());
  FailureOr<Value> placeholder = makePlaceholder(other, site.headerRange);
  if (mlir::succeeded(placeholder))
    missing = *placeholder;
  return mlir::failed(placeholder) ? failure() : success();
}

FailureOr<Flow> Generator::executeReturningBranch(const BranchSite &site, mlir::Value condition,
                                                  const Continuation *next, ArmEmitter emitThen,
                                                  ArmEmitter emitElse) {
  DetachedBlock thenBlock, elseBlock;
  charge(frame->variables.size());
  Variables before = frame->variables;
  unsigned errorsBefore = diagnostics.getNumErrors();
  auto runToEnd = [&](ArmEmitter emitArm, DetachedBlock &block) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    frame->variables = before;
    frame->returnValue = Value::none();
    Flow flow = emitArm();
    for (const Continuation *rest = next; rest && flow == Flow::Next; rest = rest->next)
      flow = execute(rest->rest, rest->next);
    return std::pair(frame->returnValue, flow == Flow::Next);
  };
  auto [thenValue, thenEnds] = runToEnd(emitThen, thenBlock);
  // The rest of the function is in both branches when neither always returns; one report will do.
  Value elseValue;
  bool elseEnds = false;
  if (diagnostics.getNumErrors() == errorsBefore)
    std::tie(elseValue, elseEnds) = runToEnd(emitElse, elseBlock);
  frame->returnValue = Value::poison();
  if (thenValue.isPoison() || elseValue.isPoison() ||
      (thenEnds && mlir::failed(fillMissingResult(thenValue, thenBlock, elseValue, site))) ||
      (elseEnds && mlir::failed(fillMissingResult(elseValue, elseBlock, thenValue, site))))
    return Flow::Return;
  if (mlir::failed(unifyResults(thenValue, thenBlock.get(), elseValue, elseBlock.get(),
                                "the returned value", site.headerRange)))
    return Flow::Return;
  frame->returnValue = finishIf(condition, thenBlock, elseBlock, thenValue, elseValue);
  return Flow::Return;
}

} // namespace tilec::irgen
