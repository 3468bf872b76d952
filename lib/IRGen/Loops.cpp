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
    if (const PoisonValue *poisoned = now.getIf<PoisonValue>()) {
      if (!poisoned->message.empty())
        report(Severity::Error, range, poisoned->message + ", but the loop carries it to the next iteration");
      result = failure();
    } else if (!haveSameType(old, now)) {
      result = error(range, "variable '" + name + "' changes its type in the loop from " +
                                old.describe() + " to " + now.describe());
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
    frame->variables[name] = Value::poison(
        ("variable '" + name + "' is assigned only inside the loop at line " +
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
                                   "got " + iterable->describe());
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
  llvm::SaveAndRestore<unsigned> loop(frame->loopDepth, frame->loopDepth + 1);
  ast::NameSet targets;
  ast::collectTargetNames(stmt.target, targets);
  unsigned errorsBefore = diagnostics.getNumErrors();
  for (const Value &value : values) {
    if (!enter(stmt.headerRange))
      return failure();
    // The loop variable is a compile-time value in the body.
    llvm::SmallVector<llvm::StringRef, 2> added;
    for (llvm::StringRef name : targets)
      if (!value.isRuntime() && frame->constexprNames.insert(name).second)
        added.push_back(name);
    LogicalResult assigned = assign(stmt.target, value, stmt.iter->range);
    for (llvm::StringRef name : added)
      frame->constexprNames.erase(name);
    if (mlir::failed(assigned))
      return failure();
    if (execute(stmt.body, nullptr) == Flow::Return)
      return Flow::Return;
    // One iteration's errors are enough.
    if (diagnostics.getNumErrors() != errorsBefore)
      return failure();
  }
  return Flow::Next;
}

LogicalResult Generator::executeRuntimeFor(const ast::For &stmt, const RangeValue &range) {
  auto *target = llvm::dyn_cast<ast::Name>(stmt.target);
  if (!target)
    return error(stmt.target->range, "the variable of a loop must be a name");
  // Bounds of one integer type; a negative constant step is turned around below.
  Value bounds[3] = {(*range.bounds)[0], (*range.bounds)[1], (*range.bounds)[2]};
  const Constant *step = bounds[2].getConstant();
  bool negative = step && step->isInt() && step->toInt().isNegative();
  if (step && step->isInt() && step->toInt().isZero())
    return error(stmt.iter->range, "the step of a range must not be zero");
  if (negative)
    bounds[2] = Value(Constant(step->toInt().negate()));
  DType type = ScalarKind::Int32;
  bool first = true;
  for (Value &bound : bounds) {
    FailureOr<Value> runtime = toRuntime(bound, stmt.iter->range);
    if (mlir::failed(runtime))
      return failure();
    bound = *runtime;
    const Type &boundType = bound.getRuntime()->type;
    if (boundType.isBlock() || !boundType.element.isInt())
      return error(stmt.iter->range, "the bounds of a range must be integer scalars, got " +
                                         boundType.str());
    DType wide = boundType.element.getBitWidth() < 32 ? DType(ScalarKind::Int32)
                                                      : boundType.element;
    type = first ? wide : promoteInts(type, wide);
    first = false;
  }
  for (Value &bound : bounds)
    bound = *cast(bound, type, stmt.iter->range);
  if (negative)
    std::swap(bounds[0], bounds[1]);

  ast::NameSet assigned;
  ast::collectAssignedNames(stmt.body, assigned);
  ast::NameSet targetNames;
  targetNames.insert(target->id);
  FailureOr<std::vector<llvm::StringRef>> carried = findCarried(assigned, stmt.headerRange);
  if (mlir::failed(carried))
    return failure();
  // The loop variable starts anew in each iteration.
  llvm::erase(*carried, target->id);

  Variables before = frame->variables;
  llvm::SmallVector<mlir::Value> inits;
  for (llvm::StringRef name : *carried)
    flatten(before.find(name)->second, inits);
  auto loop = create<scf::ForOp>(bounds[0].getRuntime()->value, bounds[1].getRuntime()->value,
                                 bounds[2].getRuntime()->value, inits,
                                 /*bodyBuilder=*/nullptr, /*unsignedCmp=*/!type.isSignedInt());
  for (const auto &[name, value] : *range.options) {
    mlir::Attribute attribute;
    if (value.isNone() || !value.getConstant())
      continue;
    if (value.getConstant()->isBool())
      attribute = value.getConstant()->getBool() ? mlir::Attribute(builder.getUnitAttr())
                                                 : mlir::Attribute();
    else if (value.getConstant()->isInt() && value.getConstant()->toInt().fits(32, true))
      attribute = builder.getI32IntegerAttr(
          static_cast<int32_t>(value.getConstant()->toInt().toInt64Saturated()));
    if (attribute)
      loop->setDiscardableAttr("tile." + name, attribute);
  }

  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *body = loop.getBody();
    if (body->mightHaveTerminator())
      body->getTerminator()->erase();
    builder.setInsertionPointToEnd(body);
    llvm::SaveAndRestore<unsigned> region(frame->regionDepth, frame->regionDepth + 1);
    llvm::SaveAndRestore<unsigned> depth(frame->loopDepth, frame->loopDepth + 1);
    rebindCarried(*carried, before, loop.getRegionIterArgs());
    Value variable = Value::runtime(loop.getInductionVar(), type);
    if (negative) {
      // for i in range(10, 0, -3): counting up from 0 to 10 by 3, i = 10 - counter + 0.
      mlir::Value fromTop =
          create<arith::SubIOp>(bounds[1].getRuntime()->value, loop.getInductionVar());
      variable = emit<arith::AddIOp>(type, fromTop, bounds[0].getRuntime()->value);
    }
    frame->variables[target->id] = variable;
    execute(stmt.body, nullptr);
    llvm::SmallVector<mlir::Value> leaves;
    LogicalResult collected = collectCarried(*carried, before, leaves, stmt.headerRange);
    if (mlir::failed(collected))
      leaves.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    create<scf::YieldOp>(leaves);
    frame->variables = before;
    if (mlir::failed(collected)) {
      // Errors were reported by name; what the loop produces is unusable.
      poison(assigned);
      return success();
    }
  }
  rebindCarried(*carried, before, loop.getResults());
  if (!before.count(target->id))
    assigned.insert(target->id);
  forgetLoopLocals(assigned, *carried, stmt.headerRange);
  return success();
}

LogicalResult Generator::executeWhile(const ast::While &stmt) {
  if (!stmt.elseBody.empty())
    return error(stmt.headerRange, "'else' of a loop is not supported");
  if (frame->keepsConstants)
    return error(stmt.headerRange, "'while' is not supported in a constexpr function");

  ast::NameSet inCondition, assigned;
  ast::collectAssignedNames(stmt.condition, inCondition);
  ast::collectAssignedNames(stmt.body, assigned);
  for (llvm::StringRef name : inCondition)
    assigned.insert(name);
  FailureOr<std::vector<llvm::StringRef>> carried = findCarried(assigned, stmt.headerRange);
  if (mlir::failed(carried))
    return failure();

  Variables before = frame->variables;
  llvm::SmallVector<mlir::Value> inits;
  for (llvm::StringRef name : *carried)
    flatten(before.find(name)->second, inits);
  auto addArguments = [&](DetachedBlock &block, mlir::TypeRange types) {
    for (mlir::Type type : types)
      block.get()->addArgument(type, getLocation());
  };
  llvm::SaveAndRestore<unsigned> region(frame->regionDepth, frame->regionDepth + 1);
  llvm::SaveAndRestore<unsigned> depth(frame->loopDepth, frame->loopDepth + 1);

  // The condition's region hands its view of the variables, walrus ones included, to the body.
  DetachedBlock conditionBlock, bodyBlock;
  addArguments(conditionBlock, mlir::TypeRange(mlir::ValueRange(inits)));
  llvm::SmallVector<mlir::Value> forwarded;
  std::vector<llvm::StringRef> visible = *carried;
  Variables atBody;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(conditionBlock.get());
    rebindCarried(*carried, before, conditionBlock.get()->getArguments());
    FailureOr<Value> test = evaluate(stmt.condition);
    FailureOr<mlir::Value> condition;
    if (mlir::succeeded(test) && !test->isRuntime()) {
      FailureOr<bool> truth = toBool(*test, stmt.condition->range, "the condition");
      if (mlir::succeeded(truth) && *truth)
        report(Severity::Error, stmt.condition->range, "the condition of 'while' is always true");
      frame->variables = before;
      return mlir::succeeded(truth) && !*truth ? success() : failure();
    }
    if (mlir::succeeded(test))
      condition = toCondition(*test, stmt.condition->range, "while");
    if (mlir::failed(condition)) {
      frame->variables = before;
      return failure();
    }
    for (llvm::StringRef name : inCondition)
      if (!before.count(name) && frame->variables.lookup(name).isRuntime())
        visible.push_back(name);
    atBody = frame->variables;
    if (mlir::failed(collectCarried(*carried, before, forwarded, stmt.headerRange))) {
      frame->variables = before;
      return failure();
    }
    for (llvm::StringRef name : llvm::drop_begin(visible, carried->size()))
      flatten(atBody.find(name)->second, forwarded);
    create<scf::ConditionOp>(*condition, forwarded);
  }

  mlir::TypeRange forwardedTypes{mlir::ValueRange(forwarded)};
  addArguments(bodyBlock, forwardedTypes);
  LogicalResult collected = success();
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(bodyBlock.get());
    rebindCarried(visible, atBody, bodyBlock.get()->getArguments());
    execute(stmt.body, nullptr);
    llvm::SmallVector<mlir::Value> leaves;
    collected = collectCarried(*carried, before, leaves, stmt.headerRange);
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
  rebindCarried(visible, atBody, loop.getResults());
  forgetLoopLocals(assigned, visible, stmt.headerRange);
  return success();
}

} // namespace tilec::irgen
