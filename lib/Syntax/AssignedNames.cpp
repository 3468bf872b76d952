// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntactic scans over statements: names that are bound, names that are read, jumps that leave.

#include "tilec/Syntax/AssignedNames.h"

#include "tilec/Syntax/Walk.h"

using namespace tilec;
using namespace tilec::ast;

//===- Assigned names -----------------------------------------------------------------------===//

void ast::collectTargetNames(const Expr *target, NameSet &names) {
  if (const auto *name = llvm::dyn_cast<Name>(target)) {
    names.insert(name->id);
  } else if (llvm::isa<Tuple, List, Starred>(target)) {
    forEachChild(target, [&](const Expr *element) { collectTargetNames(element, names); });
  } else if (const auto *attribute = llvm::dyn_cast<Attribute>(target)) {
    // `x.f = v` gives `x` another value.
    collectTargetNames(attribute->base, names);
  } else {
    // `x[i] = v` binds nothing, but an index may contain a walrus.
    collectAssignedNames(target, names);
  }
}

void ast::collectAssignedNames(const Expr *expr, NameSet &names) {
  if (llvm::isa<Lambda>(expr))
    return;
  if (const auto *named = llvm::dyn_cast<NamedExpr>(expr)) {
    collectAssignedNames(named->value, names);
    names.insert(named->target->id);
    return;
  }
  forEachChild(expr, [&](const Expr *child) { collectAssignedNames(child, names); });
}

void ast::collectAssignedNames(const Stmt *statement, NameSet &names) {
  auto visitExpr = [&](const Expr *expr) { collectAssignedNames(expr, names); };
  switch (statement->kind) {
  case StmtKind::Assign:
    visitExpr(llvm::cast<Assign>(statement)->value);
    for (const Expr *target : llvm::cast<Assign>(statement)->targets)
      collectTargetNames(target, names);
    return;
  case StmtKind::AnnAssign:
    if (const Expr *value = llvm::cast<AnnAssign>(statement)->value) {
      visitExpr(value);
      collectTargetNames(llvm::cast<AnnAssign>(statement)->target, names);
    }
    return;
  case StmtKind::AugAssign:
    visitExpr(llvm::cast<AugAssign>(statement)->value);
    return collectTargetNames(llvm::cast<AugAssign>(statement)->target, names);
  case StmtKind::For: {
    const auto *loop = llvm::cast<For>(statement);
    visitExpr(loop->iter);
    collectTargetNames(loop->target, names);
    collectAssignedNames(loop->body, names);
    return collectAssignedNames(loop->elseBody, names);
  }
  case StmtKind::With: {
    const auto *with = llvm::cast<With>(statement);
    for (const WithItem &item : with->items) {
      visitExpr(item.context);
      if (item.target)
        collectTargetNames(item.target, names);
    }
    return collectAssignedNames(with->body, names);
  }
  case StmtKind::Try: {
    const auto *node = llvm::cast<Try>(statement);
    collectAssignedNames(node->body, names);
    for (const ExceptHandler &handler : node->handlers) {
      if (!handler.name.empty())
        names.insert(handler.name);
      collectAssignedNames(handler.body, names);
    }
    collectAssignedNames(node->elseBody, names);
    return collectAssignedNames(node->finallyBody, names);
  }
  case StmtKind::Delete:
    for (const Expr *target : llvm::cast<Delete>(statement)->targets)
      collectTargetNames(target, names);
    return;
  case StmtKind::Import:
    for (const ImportedName &name : llvm::cast<Import>(statement)->names)
      names.insert(name.alias.empty() ? name.name.split('.').first : name.alias);
    return;
  case StmtKind::ImportFrom:
    for (const ImportedName &name : llvm::cast<ImportFrom>(statement)->names)
      if (name.name != "*")
        names.insert(name.getBoundName());
    return;
  case StmtKind::FunctionDef:
    names.insert(llvm::cast<FunctionDef>(statement)->name);
    return;
  case StmtKind::ClassDef:
    names.insert(llvm::cast<ClassDef>(statement)->name);
    return;
  default:
    return forEachChild(statement, visitExpr,
                        [&](const Stmt *child) { collectAssignedNames(child, names); });
  }
}

void ast::collectAssignedNames(Block statements, NameSet &names) {
  for (const Stmt *statement : statements)
    collectAssignedNames(statement, names);
}

//===- Used names ---------------------------------------------------------------------------===//

/// Whether the expression is a name that is only written, as the target of an assignment.
static bool isPlainTarget(const Expr *target) { return llvm::isa<Name, Starred>(target); }

static void collectTargetUses(const Expr *target, NameSet &names) {
  if (llvm::isa<Tuple, List>(target))
    forEachChild(target, [&](const Expr *element) { collectTargetUses(element, names); });
  else if (!isPlainTarget(target))
    collectUsedNames(target, names);
}

void ast::collectUsedNames(const Expr *expr, NameSet &names) {
  if (const auto *name = llvm::dyn_cast<Name>(expr)) {
    names.insert(name->id);
    return;
  }
  if (const auto *named = llvm::dyn_cast<NamedExpr>(expr))
    return collectUsedNames(named->value, names);
  forEachChild(expr, [&](const Expr *child) { collectUsedNames(child, names); });
}

static void collectUsedNames(const Stmt *statement, NameSet &names, const Stmt *except) {
  if (statement == except)
    return;
  switch (statement->kind) {
  case StmtKind::Assign:
    collectUsedNames(llvm::cast<Assign>(statement)->value, names);
    for (const Expr *target : llvm::cast<Assign>(statement)->targets)
      collectTargetUses(target, names);
    return;
  case StmtKind::AnnAssign:
    if (const Expr *value = llvm::cast<AnnAssign>(statement)->value)
      collectUsedNames(value, names);
    collectUsedNames(llvm::cast<AnnAssign>(statement)->annotation, names);
    return collectTargetUses(llvm::cast<AnnAssign>(statement)->target, names);
  case StmtKind::For: {
    const auto *loop = llvm::cast<For>(statement);
    collectUsedNames(loop->iter, names);
    collectTargetUses(loop->target, names);
    collectUsedNames(loop->body, names, except);
    return collectUsedNames(loop->elseBody, names, except);
  }
  default:
    // An augmented target is read as well as written.
    return forEachChild(
        statement, [&](const Expr *expr) { collectUsedNames(expr, names); },
        [&](const Stmt *child) { collectUsedNames(child, names, except); });
  }
}

void ast::collectUsedNames(Block statements, NameSet &names, const Stmt *except) {
  for (const Stmt *statement : statements)
    ::collectUsedNames(statement, names, except);
}

bool ast::isAssignedFirst(Block statements, llvm::StringRef name) {
  for (const Stmt *statement : statements) {
    NameSet used, assigned;
    ::collectUsedNames(statement, used, /*except=*/nullptr);
    collectAssignedNames(statement, assigned);
    if (used.contains(name))
      return false;
    if (assigned.contains(name))
      return llvm::isa<Assign, AnnAssign>(statement);
  }
  return false;
}

//===- Jumps --------------------------------------------------------------------------------===//

enum class Jump { Return, Break, BreakOrContinue };

static bool isJump(const Stmt *statement, Jump jump) {
  switch (jump) {
  case Jump::Return:
    return llvm::isa<Return>(statement);
  case Jump::Break:
    return llvm::isa<Break>(statement);
  case Jump::BreakOrContinue:
    return llvm::isa<Break, Continue>(statement);
  }
  return false;
}

static bool containsJump(Block statements, Jump jump);

static bool containsJump(const Stmt *statement, Jump jump) {
  if (isJump(statement, jump))
    return true;
  if (llvm::isa<FunctionDef, ClassDef>(statement))
    return false;
  bool isLoop = llvm::isa<For, While>(statement);
  if (isLoop && jump != Jump::Return) {
    // A jump in the body stays in the loop; one in the `else` belongs to the loop around it.
    Block elseBody = llvm::isa<For>(statement) ? llvm::cast<For>(statement)->elseBody
                                               : llvm::cast<While>(statement)->elseBody;
    return containsJump(elseBody, jump);
  }
  bool found = false;
  forEachChild(
      statement, [](const Expr *) {},
      [&](const Stmt *child) { found |= containsJump(child, jump); });
  return found;
}

static bool containsJump(Block statements, Jump jump) {
  return llvm::any_of(statements,
                      [&](const Stmt *statement) { return containsJump(statement, jump); });
}

bool ast::containsReturn(Block statements) { return containsJump(statements, Jump::Return); }

bool ast::containsBreak(Block statements) { return containsJump(statements, Jump::Break); }

bool ast::containsBreakOrContinue(Block statements) {
  return containsJump(statements, Jump::BreakOrContinue);
}

bool ast::mayBeLeft(Block body) { return containsBreak(body) || containsReturn(body); }

bool ast::alwaysJumps(Block statements) {
  return llvm::any_of(statements, [](const Stmt *statement) {
    if (auto *branch = llvm::dyn_cast<If>(statement))
      return alwaysJumps(branch->thenBody) && alwaysJumps(branch->elseBody);
    return llvm::isa<Return, Break, Continue, Raise>(statement);
  });
}

static bool containsLoop(const Stmt *statement) {
  if (llvm::isa<FunctionDef, ClassDef>(statement))
    return false;
  bool found = llvm::isa<For, While>(statement);
  forEachChild(
      statement, [](const Expr *) {}, [&](const Stmt *child) { found |= containsLoop(child); });
  return found;
}

bool ast::containsLoop(Block statements) {
  return llvm::any_of(statements, [](const Stmt *statement) { return ::containsLoop(statement); });
}
