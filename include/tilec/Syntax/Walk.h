// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The children of syntax nodes, in source order: the one place that knows them all.

#ifndef TILEC_SYNTAX_WALK_H
#define TILEC_SYNTAX_WALK_H

#include "tilec/Syntax/Stmt.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec::ast {

using ExprVisitor = llvm::function_ref<void(const Expr *)>;
using StmtVisitor = llvm::function_ref<void(const Stmt *)>;

/// Calls `visit` for every direct child of an expression; never with null.
void forEachChild(const Expr *expr, ExprVisitor visit);

/// Calls the visitors for every direct child of a statement; never with null. Those of a function
/// are its decorators, annotations and default values, then its body.
void forEachChild(const Stmt *statement, ExprVisitor visitExpr, StmtVisitor visitStmt);

} // namespace tilec::ast

#endif // TILEC_SYNTAX_WALK_H
