// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk collects what is read and where each name is first assigned.

#include "tilec/Sema/Lint.h"

#include "tilec/Syntax/AssignedNames.h"
#include "tilec/Syntax/Walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace tilec;
using namespace tilec::ast;

namespace {

class FunctionLint {
public:
  explicit FunctionLint(DiagnosticEngine &engine) : diagnostics(engine) {}

  void run(const FunctionDef &function, bool isKernel);

private:
  void visit(Block block) {
    for (const Stmt *stmt : block)
      visit(stmt);
  }
  void visit(const Stmt *stmt);
  void read(const Expr *expr);
  /// What is in front of a plain assignment; parts of tuples are read, so that they do not count.
  void assign(const Expr *target);
  void checkDropped(const Expr *expr);
  void add(SourceRange range, std::string message, llvm::StringRef name) {
    found.push_back({range, std::move(message), name});
  }

  struct Finding {
    SourceRange range;
    std::string message;
    llvm::StringRef name;
  };

  DiagnosticEngine &diagnostics;
  std::vector<Finding> found;
  llvm::DenseSet<llvm::StringRef> used;
  llvm::MapVector<llvm::StringRef, SourceRange> assigned;
};

} // namespace

void FunctionLint::read(const Expr *expr) {
  if (const auto *name = llvm::dyn_cast<Name>(expr))
    used.insert(name->id);
  if (const auto *lambda = llvm::dyn_cast<Lambda>(expr))
    read(lambda->body);
  if (const auto *named = llvm::dyn_cast<NamedExpr>(expr))
    return read(named->value);
  forEachChild(expr, [&](const Expr *child) { read(child); });
}

void FunctionLint::assign(const Expr *target) {
  const auto *name = llvm::dyn_cast<Name>(target);
  if (!name)
    return read(target);
  if (!name->id.starts_with("_"))
    assigned.try_emplace(name->id, name->range);
}

void FunctionLint::checkDropped(const Expr *expr) {
  bool computes = llvm::isa<Binary, Unary, Compare, BoolOp, Subscript, Attribute, Name>(expr);
  if (computes)
    add(expr->range, "the value of this expression is not used", warnings::kUnusedValue);
}

void FunctionLint::visit(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::Assign: {
    const auto *assignment = llvm::cast<Assign>(stmt);
    for (const Expr *target : assignment->targets)
      assign(target);
    return read(assignment->value);
  }
  case StmtKind::AnnAssign: {
    const auto *assignment = llvm::cast<AnnAssign>(stmt);
    if (!assignment->value)
      return;
    assign(assignment->target);
    return read(assignment->value);
  }
  case StmtKind::Expr:
    checkDropped(llvm::cast<ExprStmt>(stmt)->value);
    return read(llvm::cast<ExprStmt>(stmt)->value);
  case StmtKind::FunctionDef: {
    // What it reads it may take from here.
    NameSet names;
    collectUsedNames(llvm::cast<FunctionDef>(stmt)->body, names);
    used.insert_range(names);
    return;
  }
  case StmtKind::Scope:
    for (llvm::StringRef name : llvm::cast<Scope>(stmt)->names)
      used.insert(name);
    return;
  default:
    forEachChild(
        stmt, [&](const Expr *child) { read(child); }, [&](const Stmt *child) { visit(child); });
  }
}

void FunctionLint::run(const FunctionDef &function, bool isKernel) {
  visit(function.body);
  if (isKernel)
    for (const Param &param : function.params)
      if (!used.contains(param.name) && !param.name.starts_with("_") &&
          !assigned.contains(param.name))
        add(param.nameRange, ("argument '" + param.name + "' is never used").str(),
            warnings::kUnusedArgument);
  for (const auto &[name, range] : assigned) {
    bool isParam = llvm::any_of(function.params,
                                [&, n = name](const Param &param) { return param.name == n; });
    if (!isParam && !used.contains(name))
      add(range, ("variable '" + name + "' is assigned and never used").str(),
          warnings::kUnusedVariable);
  }
  llvm::sort(found, [](const Finding &a, const Finding &b) {
    return std::tie(a.range.begin, a.message) < std::tie(b.range.begin, b.message);
  });
  for (const Finding &finding : found)
    diagnostics.warning(finding.range, finding.message, finding.name);
}

void tilec::lintFunction(const FunctionDef &function, bool isKernel,
                         DiagnosticEngine &diagnostics) {
  FunctionLint(diagnostics).run(function, isKernel);
}
