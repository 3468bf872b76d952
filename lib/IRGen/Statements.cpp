// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks and simple statements. After an error in a statement the names it assigns are poisoned
// and execution goes on, so that independent errors are all found in one run.

#include "Trial.h"

namespace tilec::irgen {

Flow Generator::execute(ast::Block block, const Continuation *next) {
  while (!block.empty()) {
    size_t joined = findJoinedPart(block);
    ast::Block part = block.take_front(std::max<size_t>(joined, 1));
    block = block.drop_front(part.size());
    Continuation rest{block, next};
    FailureOr<Flow> flow =
        joined ? executeJoinedPart(part, &rest) : executeStmt(part.front(), &rest);
    if (isAborted())
      return Flow::Return;
    if (mlir::failed(flow)) {
      ast::NameSet names;
      ast::collectAssignedNames(part, names);
      poison(names);
      // Inside the library one error is enough: the user sees one call.
      if (frame->module->isLibrary)
        return Flow::Return;
      continue;
    }
    if (*flow != Flow::Next)
      return *flow;
  }
  return Flow::Next;
}

void Generator::poison(const ast::NameSet &names) {
  for (llvm::StringRef name : names)
    frame->variables[name] = Value::poison();
}

/// What the parameters of a function are by default, by their names.
static FailureOr<KeyedValues> evaluateDefaults(Generator &g, const ast::FunctionDef &function) {
  KeyedValues defaults;
  for (const ast::Param &param : function.params) {
    if (!param.defaultValue)
      continue;
    FailureOr<Value> value = g.evaluate(param.defaultValue);
    if (mlir::failed(value))
      return failure();
    defaults.emplace_back(param.name.str(), *value);
  }
  return defaults;
}

FailureOr<Flow> Generator::executeStmt(const ast::Stmt *stmt, const Continuation *next) {
  if (!enter(stmt->range))
    return failure();
  llvm::SaveAndRestore<unsigned> deeper(nesting, nesting + 1);
  llvm::SaveAndRestore<SourceRange> place(current, stmt->range);
  auto plain = [](LogicalResult result) -> FailureOr<Flow> {
    if (mlir::failed(result))
      return failure();
    return Flow::Next;
  };
  auto unsupported = [&](llvm::StringRef what) -> FailureOr<Flow> {
    return error(stmt->range, "'" + what + "' is not supported in a kernel");
  };
  using ast::StmtKind;
  switch (stmt->kind) {
  case StmtKind::Expr: {
    auto *exprStmt = llvm::cast<ast::ExprStmt>(stmt);
    // Docstrings, strings used as comments, and a lone `...`.
    if (llvm::isa<ast::StringLiteral, ast::EllipsisLiteral>(exprStmt->value))
      return Flow::Next;
    if (std::optional<LogicalResult> done = executeChange(exprStmt->value))
      return plain(*done);
    FailureOr<Value> value = evaluate(exprStmt->value);
    if (mlir::failed(value))
      return failure();
    checkDropped(exprStmt->value, *value);
    return Flow::Next;
  }
  case StmtKind::Assign:
    return plain(executeAssign(*llvm::cast<ast::Assign>(stmt)));
  case StmtKind::AnnAssign:
    return plain(executeAnnAssign(*llvm::cast<ast::AnnAssign>(stmt)));
  case StmtKind::AugAssign:
    return plain(executeAugAssign(*llvm::cast<ast::AugAssign>(stmt)));
  case StmtKind::Assert:
    return plain(executeAssert(*llvm::cast<ast::Assert>(stmt)));
  case StmtKind::Return:
    return executeReturn(*llvm::cast<ast::Return>(stmt));
  case StmtKind::If:
    return executeIf(*llvm::cast<ast::If>(stmt), next);
  case StmtKind::For:
    return executeFor(*llvm::cast<ast::For>(stmt), next);
  case StmtKind::While:
    if (frame->keepsConstants)
      return executeStaticWhile(*llvm::cast<ast::While>(stmt), next);
    return executeWhile(*llvm::cast<ast::While>(stmt), next);
  case StmtKind::Pass:
    return Flow::Next;
  case StmtKind::Break:
    if (!frame->loop || !frame->loop->isInLoop())
      return error(stmt->range, "'break' outside of a loop");
    frame->loop->exit.broke = Value::boolean(true);
    return Flow::Break;
  case StmtKind::Continue:
    if (!frame->loop || !frame->loop->isInLoop())
      return error(stmt->range, "'continue' outside of a loop");
    if (frame->loop->isJoined)
      frame->loop->exit.continued = Value::boolean(true);
    return Flow::Continue;
  case StmtKind::Raise:
    return executeRaise(*llvm::cast<ast::Raise>(stmt));
  case StmtKind::Import:
  case StmtKind::ImportFrom:
    return unsupported("import");
  case StmtKind::With:
    return executeWith(*llvm::cast<ast::With>(stmt), next);
  case StmtKind::Try:
    if (frame->keepsConstants)
      return executeTry(*llvm::cast<ast::Try>(stmt), next);
    return unsupported("try");
  case StmtKind::Delete:
    return plain(executeDelete(*llvm::cast<ast::Delete>(stmt)));
  case StmtKind::Scope:
    return unsupported(llvm::cast<ast::Scope>(stmt)->isNonlocal ? "nonlocal" : "global");
  case StmtKind::FunctionDef: {
    auto *function = llvm::cast<ast::FunctionDef>(stmt);
    if (frame->id == 0)
      frame->id = ++lastFrameId;
    FailureOr<KeyedValues> defaults = evaluateDefaults(*this, *function);
    if (mlir::failed(defaults))
      return failure();
    FunctionValue value{function, frame->module, nullptr, frame->id};
    for (const auto &[name, item] : *defaults)
      value.depth = std::max(value.depth, item.getDepth() + 1);
    value.defaults = std::make_shared<const KeyedValues>(std::move(*defaults));
    frame->variables[function->name] = std::move(value);
    return Flow::Next;
  }
  case StmtKind::ClassDef:
    return unsupported("class");
  case StmtKind::Unsupported:
    return unsupported(llvm::cast<ast::UnsupportedStmt>(stmt)->what);
  }
  return unsupported("this statement");
}

FailureOr<Flow> Generator::executeRaise(const ast::Raise &stmt) {
  std::string text;
  if (auto *call = llvm::dyn_cast_or_null<ast::Call>(stmt.exception)) {
    text = ast::getDottedName(call->callee);
    Trial trial(*this);
    if (!call->args.empty())
      if (FailureOr<Value> message = trial->evaluate(call->args.front());
          mlir::succeeded(message) && message->getConstant())
        text += ": " + message->getConstant()->str();
  } else if (stmt.exception) {
    text = ast::getDottedName(stmt.exception);
  }
  return error(stmt.range, text.empty() ? std::string("'raise' is reached at compile time")
                                        : "'raise' is reached at compile time: " + text);
}

FailureOr<Flow> Generator::executeWith(const ast::With &stmt, const Continuation *next) {
  for (const ast::WithItem &item : stmt.items) {
    FailureOr<Value> manager = evaluate(item.context);
    if (mlir::failed(manager))
      return failure();
    if (!manager->isNone() || item.target)
      return error(item.context->range, "'with' is not supported in a kernel, but for the scopes "
                                        "of triton.profiler");
  }
  return execute(stmt.body, next);
}

FailureOr<Flow> Generator::executeTry(const ast::Try &stmt, const Continuation *next) {
  // Compile-time code changes nothing but variables: it can be tried on a copy of them.
  std::optional<Trial> trial(std::in_place, *this);
  Flow flow = (*trial)->execute(stmt.body, nullptr);
  bool raised = trial->hasErrors();
  if (!raised)
    trial->adopt();
  trial.reset();
  if (raised) {
    flow = stmt.handlers.empty() ? Flow::Next : execute(stmt.handlers.front().body, next);
  } else if (flow == Flow::Next) {
    flow = execute(stmt.elseBody, next);
  }
  if (flow == Flow::Next)
    flow = execute(stmt.finallyBody, next);
  return flow;
}

LogicalResult Generator::executeDelete(const ast::Delete &stmt) {
  for (const ast::Expr *target : stmt.targets) {
    auto *name = llvm::dyn_cast<ast::Name>(target);
    if (!name)
      return error(target->range, "only a variable can be deleted");
    if (mlir::failed(evaluate(name)))
      return failure();
    frame->variables[name->id] =
        Value::poison(("variable '" + name->id + "' has been deleted").str());
  }
  return success();
}

FailureOr<Flow> Generator::executeReturn(const ast::Return &stmt) {
  FailureOr<Value> value = stmt.value ? evaluate(stmt.value) : FailureOr<Value>(Value::none());
  if (mlir::succeeded(value) && frame->isKernel && !value->isNone())
    value = error(stmt.value->range, "a kernel cannot return a value");
  setReturned(mlir::succeeded(value) ? *value : Value::poison());
  return Flow::Return;
}

LogicalResult Generator::executeAssign(const ast::Assign &stmt) {
  FailureOr<Value> value = evaluate(stmt.value);
  if (mlir::failed(value))
    return failure();
  for (const ast::Expr *target : stmt.targets)
    if (mlir::failed(assign(target, *value, stmt.value->range)))
      return failure();
  return success();
}

LogicalResult Generator::executeAnnAssign(const ast::AnnAssign &stmt) {
  auto *name = llvm::dyn_cast<ast::Name>(stmt.target);
  if (llvm::isa<ast::Attribute>(stmt.target) && stmt.value) {
    FailureOr<Value> value = evaluate(stmt.value);
    return mlir::failed(value) ? failure() : assign(stmt.target, *value, stmt.value->range);
  }
  if (!name)
    return error(stmt.target->range, "only a name can be annotated");
  bool isConstexpr = classifyAnnotation(stmt.annotation).kind == ParamAnnotation::Kind::Constexpr;
  if (isConstexpr)
    frame->constexprNames.insert(name->id);
  if (!stmt.value)
    return success();
  FailureOr<Value> value = evaluate(stmt.value);
  if (mlir::failed(value))
    return failure();
  // Harmless as long as nothing needs the number; what does says so.
  if (isConstexpr && value->isRuntime()) {
    warn(warnings::kRuntimeConstexpr, stmt.value->range,
         "the value of the constexpr '" + name->id +
             "' is not known at compile time; it becomes a variable like others");
    frame->constexprNames.erase(name->id);
  }
  return assign(stmt.target, *value, stmt.value->range);
}

LogicalResult Generator::executeAugAssign(const ast::AugAssign &stmt) {
  bool isElement = llvm::isa<ast::Subscript>(stmt.target) && frame->keepsConstants;
  if (!llvm::isa<ast::Name, ast::Attribute>(stmt.target) && !isElement)
    return error(stmt.target->range, "cannot assign to this expression in a kernel; blocks are "
                                     "values, use tl.where or tl.store");
  FailureOr<Value> before = evaluate(stmt.target);
  FailureOr<Value> operand = evaluate(stmt.value);
  if (mlir::failed(before) || mlir::failed(operand))
    return failure();
  FailureOr<Value> value = binary(stmt.op, *before, *operand, stmt.range, /*isChecked=*/true);
  if (mlir::failed(value))
    return failure();
  return assign(stmt.target, *value, stmt.range);
}

FailureOr<std::string> Generator::evaluateAssertMessage(const ast::Assert &stmt) {
  if (!stmt.message)
    return std::string("assertion failed");
  FailureOr<Value> text = evaluate(stmt.message);
  if (mlir::failed(text))
    return failure();
  return toString(*text, stmt.message->range, "the message");
}

LogicalResult Generator::executeAssert(const ast::Assert &stmt) {
  FailureOr<Value> condition = evaluate(stmt.condition);
  if (mlir::failed(condition))
    return failure();
  SourceRange range = stmt.condition->range;
  if (!condition->isRuntime()) {
    FailureOr<bool> truth = toBool(*condition, range, "the condition");
    if (mlir::failed(truth))
      return failure();
    if (*truth)
      return success();
    // As Python, compile-time code stops there; kernels go by their asserts in debug mode only.
    if (!options.debug && !frame->keepsConstants) {
      Trial trial(*this);
      FailureOr<std::string> message = trial->evaluateAssertMessage(stmt);
      warn(warnings::kFalseAssert, range,
           "this assertion is false at compile time and is dropped without '--debug'" +
               (stmt.message && mlir::succeeded(message) ? ": " + *message : ""));
      return success();
    }
  } else if (!options.debug) {
    return success();
  }
  // The message is evaluated when it is needed, as in Python.
  FailureOr<std::string> message = evaluateAssertMessage(stmt);
  if (mlir::failed(message))
    return failure();
  if (!condition->isRuntime())
    return error(range, "assertion fails: " + *message);
  FailureOr<Value> truth = cast(*condition, ScalarKind::Int1, range);
  if (mlir::failed(truth))
    return failure();
  create<tile::AssertOp>(truth->getRuntime()->value, builder.getStringAttr(*message));
  return success();
}

LogicalResult Generator::assign(const ast::Expr *target, const Value &value, SourceRange range) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target)) {
    if (frame->constexprNames.contains(name->id)) {
      if (value.isRuntime() && frame->runtimeLoops != 0)
        return error(range, "'" + name->id + "' is a constexpr and cannot be given a runtime " +
                                "value of type " + value.describe() + " in a loop");
      if (!value.isRuntime()) {
        frame->variables[name->id] = value;
        return success();
      }
      frame->constexprNames.erase(name->id);
    }
    observe(name->range, value);
    if (frame->keepsConstants) {
      frame->variables[name->id] = value;
      return success();
    }
    FailureOr<Value> decayed = decay(value, range);
    if (mlir::failed(decayed))
      return failure();
    frame->variables[name->id] = *decayed;
    return success();
  }
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(target))
    return assignField(*attribute, value);
  if (auto *element = llvm::dyn_cast<ast::Subscript>(target); element && frame->keepsConstants)
    return assignElement(*element, value, range);
  llvm::ArrayRef<ast::Expr *> targets;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    targets = tuple->elements;
  else if (auto *list = llvm::dyn_cast<ast::List>(target))
    targets = list->elements;
  else
    return error(target->range, "cannot assign to this expression in a kernel; blocks are values, "
                                "use tl.where or tl.store");
  const std::vector<Value> *elements = value.getTuple();
  if (!elements || value.isAggregate())
    return error(range, "cannot unpack " + value.describe() + " into " +
                            llvm::Twine(targets.size()) + " names");
  auto isStarred = [](const ast::Expr *expr) { return llvm::isa<ast::Starred>(expr); };
  if (const auto *star = llvm::find_if(targets, isStarred); star != targets.end()) {
    size_t before = star - targets.begin(), after = targets.size() - before - 1;
    if (elements->size() < before + after)
      return error(range, "not enough values to unpack: expected at least " +
                              llvm::Twine(before + after) + ", got " +
                              llvm::Twine(elements->size()));
    llvm::ArrayRef<Value> all = *elements;
    std::vector<Value> parts = all.take_front(before).vec();
    parts.push_back(Value::tuple(all.drop_front(before).drop_back(after).vec()));
    llvm::append_range(parts, all.take_back(after));
    for (auto [part, element] : llvm::zip(parts, targets)) {
      auto *starred = llvm::dyn_cast<ast::Starred>(element);
      if (mlir::failed(assign(starred ? starred->value : element, part, range)))
        return failure();
    }
    return success();
  }
  if (elements->size() != targets.size())
    return error(range, (elements->size() > targets.size() ? "too many" : "not enough") +
                            llvm::Twine(" values to unpack: expected ") +
                            llvm::Twine(targets.size()) + ", got " + llvm::Twine(elements->size()));
  for (auto [element, elementTarget] : llvm::zip(*elements, targets))
    if (mlir::failed(assign(elementTarget, element, range)))
      return failure();
  return success();
}

} // namespace tilec::irgen
