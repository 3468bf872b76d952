// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumeration of child nodes.

#include "tilec/Syntax/Walk.h"

using namespace tilec;
using namespace tilec::ast;

static void visitAll(llvm::ArrayRef<Expr *> exprs, ExprVisitor visit) {
  for (const Expr *expr : exprs)
    visit(expr);
}

static void visitKeywords(llvm::ArrayRef<KeywordArg> keywords, ExprVisitor visit) {
  for (const KeywordArg &keyword : keywords)
    visit(keyword.value);
}

static void visitParams(llvm::ArrayRef<Param> params, ExprVisitor visit) {
  for (const Param &param : params) {
    if (param.annotation)
      visit(param.annotation);
    if (param.defaultValue)
      visit(param.defaultValue);
  }
}

static void visitBlock(Block block, StmtVisitor visit) {
  for (const Stmt *statement : block)
    visit(statement);
}

void ast::forEachChild(const Expr *expr, ExprVisitor visit) {
  auto visitIf = [&](const Expr *child) {
    if (child)
      visit(child);
  };
  switch (expr->kind) {
  case ExprKind::Name:
  case ExprKind::IntLiteral:
  case ExprKind::FloatLiteral:
  case ExprKind::StringLiteral:
  case ExprKind::BoolLiteral:
  case ExprKind::NoneLiteral:
  case ExprKind::EllipsisLiteral:
  case ExprKind::Unsupported:
    return;
  case ExprKind::FString:
    for (const FStringPart &part : llvm::cast<FString>(expr)->parts) {
      visitIf(part.value);
      visitIf(part.spec);
    }
    return;
  case ExprKind::Tuple:
    return visitAll(llvm::cast<Tuple>(expr)->elements, visit);
  case ExprKind::List:
    return visitAll(llvm::cast<List>(expr)->elements, visit);
  case ExprKind::Set:
    return visitAll(llvm::cast<Set>(expr)->elements, visit);
  case ExprKind::Dict:
    for (const DictEntry &entry : llvm::cast<Dict>(expr)->entries) {
      visitIf(entry.key);
      visit(entry.value);
    }
    return;
  case ExprKind::Comprehension: {
    const auto *comprehension = llvm::cast<Comprehension>(expr);
    visit(comprehension->element);
    visitIf(comprehension->value);
    for (const ComprehensionClause &clause : comprehension->clauses) {
      visit(clause.target);
      visit(clause.iter);
      visitAll(clause.conditions, visit);
    }
    return;
  }
  case ExprKind::Attribute:
    return visit(llvm::cast<Attribute>(expr)->base);
  case ExprKind::Subscript:
    visit(llvm::cast<Subscript>(expr)->base);
    return visitAll(llvm::cast<Subscript>(expr)->indices, visit);
  case ExprKind::Slice:
    visitIf(llvm::cast<Slice>(expr)->lower);
    visitIf(llvm::cast<Slice>(expr)->upper);
    return visitIf(llvm::cast<Slice>(expr)->step);
  case ExprKind::Call:
    visit(llvm::cast<Call>(expr)->callee);
    visitAll(llvm::cast<Call>(expr)->args, visit);
    return visitKeywords(llvm::cast<Call>(expr)->keywords, visit);
  case ExprKind::Starred:
    return visit(llvm::cast<Starred>(expr)->value);
  case ExprKind::Unary:
    return visit(llvm::cast<Unary>(expr)->operand);
  case ExprKind::Binary:
    visit(llvm::cast<Binary>(expr)->lhs);
    return visit(llvm::cast<Binary>(expr)->rhs);
  case ExprKind::BoolOp:
    return visitAll(llvm::cast<BoolOp>(expr)->operands, visit);
  case ExprKind::Compare:
    visit(llvm::cast<Compare>(expr)->first);
    return visitAll(llvm::cast<Compare>(expr)->operands, visit);
  case ExprKind::Conditional:
    visit(llvm::cast<Conditional>(expr)->thenValue);
    visit(llvm::cast<Conditional>(expr)->condition);
    return visit(llvm::cast<Conditional>(expr)->elseValue);
  case ExprKind::NamedExpr:
    visit(llvm::cast<NamedExpr>(expr)->target);
    return visit(llvm::cast<NamedExpr>(expr)->value);
  case ExprKind::Lambda:
    visitParams(llvm::cast<Lambda>(expr)->params, visit);
    return visit(llvm::cast<Lambda>(expr)->body);
  }
}

void ast::forEachChild(const Stmt *statement, ExprVisitor visitExpr, StmtVisitor visitStmt) {
  auto visitIf = [&](const Expr *child) {
    if (child)
      visitExpr(child);
  };
  switch (statement->kind) {
  case StmtKind::Pass:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Scope:
  case StmtKind::Import:
  case StmtKind::ImportFrom:
  case StmtKind::Unsupported:
    return;
  case StmtKind::Expr:
    return visitExpr(llvm::cast<ExprStmt>(statement)->value);
  case StmtKind::Assign:
    visitAll(llvm::cast<Assign>(statement)->targets, visitExpr);
    return visitExpr(llvm::cast<Assign>(statement)->value);
  case StmtKind::AnnAssign:
    visitExpr(llvm::cast<AnnAssign>(statement)->target);
    visitExpr(llvm::cast<AnnAssign>(statement)->annotation);
    return visitIf(llvm::cast<AnnAssign>(statement)->value);
  case StmtKind::AugAssign:
    visitExpr(llvm::cast<AugAssign>(statement)->target);
    return visitExpr(llvm::cast<AugAssign>(statement)->value);
  case StmtKind::Return:
    return visitIf(llvm::cast<Return>(statement)->value);
  case StmtKind::If: {
    const auto *node = llvm::cast<If>(statement);
    visitExpr(node->condition);
    visitBlock(node->thenBody, visitStmt);
    return visitBlock(node->elseBody, visitStmt);
  }
  case StmtKind::For: {
    const auto *node = llvm::cast<For>(statement);
    visitExpr(node->target);
    visitExpr(node->iter);
    visitBlock(node->body, visitStmt);
    return visitBlock(node->elseBody, visitStmt);
  }
  case StmtKind::While: {
    const auto *node = llvm::cast<While>(statement);
    visitExpr(node->condition);
    visitBlock(node->body, visitStmt);
    return visitBlock(node->elseBody, visitStmt);
  }
  case StmtKind::With: {
    const auto *node = llvm::cast<With>(statement);
    for (const WithItem &item : node->items) {
      visitExpr(item.context);
      visitIf(item.target);
    }
    return visitBlock(node->body, visitStmt);
  }
  case StmtKind::Try: {
    const auto *node = llvm::cast<Try>(statement);
    visitBlock(node->body, visitStmt);
    for (const ExceptHandler &handler : node->handlers) {
      visitIf(handler.type);
      visitBlock(handler.body, visitStmt);
    }
    visitBlock(node->elseBody, visitStmt);
    return visitBlock(node->finallyBody, visitStmt);
  }
  case StmtKind::Assert:
    visitExpr(llvm::cast<Assert>(statement)->condition);
    return visitIf(llvm::cast<Assert>(statement)->message);
  case StmtKind::Raise:
    visitIf(llvm::cast<Raise>(statement)->exception);
    return visitIf(llvm::cast<Raise>(statement)->cause);
  case StmtKind::Delete:
    return visitAll(llvm::cast<Delete>(statement)->targets, visitExpr);
  case StmtKind::FunctionDef: {
    const auto *node = llvm::cast<FunctionDef>(statement);
    visitAll(node->decorators, visitExpr);
    visitParams(node->params, visitExpr);
    visitIf(node->returns);
    return visitBlock(node->body, visitStmt);
  }
  case StmtKind::ClassDef: {
    const auto *node = llvm::cast<ClassDef>(statement);
    visitAll(node->decorators, visitExpr);
    visitAll(node->bases, visitExpr);
    visitKeywords(node->keywords, visitExpr);
    return visitBlock(node->body, visitStmt);
  }
  }
}
