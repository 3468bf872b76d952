// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks and simple statements. After an error in a statement the names it assigns are poisoned
// and execution goes on, so that independent errors are all found in one run.

#include "Generator.h"

namespace tilec::irgen {

Flow Generator::execute(ast::Block block, const Continuation *next) {
  for (size_t i = 0; i < block.size(); ++i) {
    const ast::Stmt *stmt = block[i];
    Continuation rest{block.drop_front(i + 1), next};
    FailureOr<Flow> flow = executeStmt(stmt, &rest);
    if (isAborted())
      return Flow::Return;
    if (mlir::failed(flow)) {
      ast::NameSet names;
      ast::collectAssignedNames(stmt, names);
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
    if (std::optional<LogicalResult> done = executeListMethod(exprStmt->value))
      return plain(*done);
    if (mlir::failed(evaluate(exprStmt->value)))
      return failure();
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
    return executeFor(*llvm::cast<ast::For>(stmt));
  case StmtKind::While:
    return plain(executeWhile(*llvm::cast<ast::While>(stmt)));
  case StmtKind::Pass:
    return Flow::Next;
  case StmtKind::Break:
    if (!frame->loop)
      return error(stmt->range, "'break' outside of a loop");
    frame->loop->broke = Value::boolean(true);
    return Flow::Break;
  case StmtKind::Continue:
    if (!frame->loop)
      return error(stmt->range, "'continue' outside of a loop");
    return Flow::Continue;
  case StmtKind::Raise:
    return error(stmt->range, "'raise' is reached at compile time");
  case StmtKind::Import:
  case StmtKind::ImportFrom:
    return unsupported("import");
  case StmtKind::With:
    return unsupported("with");
  case StmtKind::Try:
    return unsupported("try");
  case StmtKind::Delete:
    return unsupported("del");
  case StmtKind::Scope:
    return unsupported(llvm::cast<ast::Scope>(stmt)->isNonlocal ? "nonlocal" : "global");
  case StmtKind::FunctionDef:
    return error(stmt->range, "a function inside a kernel is not supported; define '" +
                                  llvm::cast<ast::FunctionDef>(stmt)->name + "' at module level");
  case StmtKind::ClassDef:
    return unsupported("class");
  case StmtKind::Unsupported:
    return unsupported(llvm::cast<ast::UnsupportedStmt>(stmt)->what);
  }
  return unsupported("this statement");
}

std::optional<LogicalResult> Generator::executeListMethod(const ast::Expr *expr) {
  auto *call = llvm::dyn_cast<ast::Call>(expr);
  auto *method = call ? llvm::dyn_cast<ast::Attribute>(call->callee) : nullptr;
  auto *list = method ? llvm::dyn_cast<ast::Name>(method->base) : nullptr;
  bool isAppend = method && method->name == "append";
  if (!frame->keepsConstants || !list || !(isAppend || method->name == "extend") ||
      call->args.size() != 1 || !call->keywords.empty())
    return std::nullopt;
  auto variable = frame->variables.find(list->id);
  if (variable == frame->variables.end() || !variable->second.getTuple())
    return std::nullopt;
  std::vector<Value> elements = *variable->second.getTuple();
  FailureOr<Value> item = evaluate(call->args.front());
  if (mlir::failed(item))
    return failure();
  if (isAppend) {
    elements.push_back(*item);
  } else {
    FailureOr<std::vector<Value>> items = enumerateIterable(*item, call->args.front()->range);
    if (mlir::failed(items))
      return failure();
    elements.insert(elements.end(), items->begin(), items->end());
  }
  if (elements.size() > TupleValue::sizeLimit)
    return error(expr->range, "the list has too many elements");
  frame->variables[list->id] = Value::tuple(std::move(elements));
  return success();
}

FailureOr<Flow> Generator::executeReturn(const ast::Return &stmt) {
  if (frame->regionDepth > 0)
    return error(stmt.range, "'return' inside a loop or a nested runtime branch is not supported");
  FailureOr<Value> value = stmt.value ? evaluate(stmt.value) : FailureOr<Value>(Value::none());
  if (mlir::succeeded(value) && frame->isKernel && !value->isNone())
    value = error(stmt.value->range, "a kernel cannot return a value");
  frame->returnValue = mlir::succeeded(value) ? *value : Value::poison();
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
  if (isConstexpr && value->isRuntime())
    return error(stmt.value->range, "the value of the constexpr '" + name->id +
                                        "' is not known at compile time, got " + value->describe());
  return assign(stmt.target, *value, stmt.value->range);
}

LogicalResult Generator::executeAugAssign(const ast::AugAssign &stmt) {
  if (!llvm::isa<ast::Name>(stmt.target))
    return error(stmt.target->range, "cannot assign to this expression in a kernel; blocks are "
                                     "values, use tl.where or tl.store");
  FailureOr<Value> before = evaluate(stmt.target);
  FailureOr<Value> operand = evaluate(stmt.value);
  if (mlir::failed(before) || mlir::failed(operand))
    return failure();
  FailureOr<Value> value = binary(stmt.op, *before, *operand, stmt.range);
  if (mlir::failed(value))
    return failure();
  return assign(stmt.target, *value, stmt.range);
}

LogicalResult Generator::executeAssert(const ast::Assert &stmt) {
  FailureOr<Value> condition = evaluate(stmt.condition);
  if (mlir::failed(condition))
    return failure();
  std::string message = "assertion failed";
  if (stmt.message) {
    FailureOr<Value> text = evaluate(stmt.message);
    if (mlir::failed(text))
      return failure();
    FailureOr<std::string> string = toString(*text, stmt.message->range, "the message");
    if (mlir::failed(string))
      return failure();
    message = *string;
  }
  if (!condition->isRuntime()) {
    FailureOr<bool> truth = toBool(*condition, stmt.condition->range, "the condition");
    if (mlir::failed(truth))
      return failure();
    return *truth ? success() : error(stmt.condition->range, "assertion fails: " + message);
  }
  if (!options.debug)
    return success();
  FailureOr<Value> truth = cast(*condition, ScalarKind::Int1, stmt.condition->range);
  if (mlir::failed(truth))
    return failure();
  create<tile::AssertOp>(truth->getRuntime()->value, builder.getStringAttr(message));
  return success();
}

FailureOr<Value> Generator::decay(const Value &value, SourceRange range) {
  if (value.isNumber())
    return toRuntime(value, range);
  const std::vector<Value> *elements = value.getTuple();
  if (!elements)
    return value;
  std::vector<Value> decayed;
  for (const Value &element : *elements) {
    FailureOr<Value> result = decay(element, range);
    if (mlir::failed(result))
      return failure();
    decayed.push_back(*result);
  }
  return Value::tuple(std::move(decayed));
}

LogicalResult Generator::assign(const ast::Expr *target, const Value &value, SourceRange range) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target)) {
    if (frame->constexprNames.contains(name->id)) {
      if (value.isRuntime())
        return error(range, "'" + name->id + "' is a constexpr and cannot be given a runtime " +
                                "value of type " + value.describe());
      frame->variables[name->id] = value;
      return success();
    }
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
  llvm::ArrayRef<ast::Expr *> targets;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    targets = tuple->elements;
  else if (auto *list = llvm::dyn_cast<ast::List>(target))
    targets = list->elements;
  else if (llvm::isa<ast::Starred>(target))
    return error(target->range, "a starred assignment target is not supported");
  else
    return error(target->range, "cannot assign to this expression in a kernel; blocks are values, "
                                "use tl.where or tl.store");
  const std::vector<Value> *elements = value.getTuple();
  if (!elements)
    return error(range, "cannot unpack " + value.describe() + " into " +
                            llvm::Twine(targets.size()) + " names");
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
