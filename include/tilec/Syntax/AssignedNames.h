// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which names a piece of code may assign: a syntactic scan, in place of a dry run of the code. The
// IR generator uses it for the variables that a loop carries and that a branch merges.

#ifndef TILEC_SYNTAX_ASSIGNEDNAMES_H
#define TILEC_SYNTAX_ASSIGNEDNAMES_H

#include "tilec/Syntax/Stmt.h"

#include "llvm/ADT/SetVector.h"

namespace tilec::ast {

/// Names in order of their first assignment in the source; the order is deterministic.
using NameSet = llvm::SmallSetVector<llvm::StringRef, 8>;

/// Collects the names that the statements bind: targets of assignments (tuples and starred ones
/// included), augmented assignments, annotated assignments with a value, walrus, `for` targets,
/// `with` and `except` names, `del`, imports, and nested `def` and `class` names. All branches and
/// nested blocks are visited; the bodies of nested functions, lambdas and classes are not. Targets
/// inside comprehensions stay inside them, as in Python, walrus excepted.
void collectAssignedNames(Block statements, NameSet &names);
void collectAssignedNames(const Stmt *statement, NameSet &names);

/// Collects the names that an expression assigns by walrus.
void collectAssignedNames(const Expr *expr, NameSet &names);

/// Collects the names of an assignment target.
void collectTargetNames(const Expr *target, NameSet &names);

/// Collects the names that the statements read, in order of first use; as above, nested function
/// bodies are included here because they capture what they read. The statement `except`, wherever
/// it stands in them, is left out.
void collectUsedNames(Block statements, NameSet &names, const Stmt *except = nullptr);
void collectUsedNames(const Expr *expr, NameSet &names);

/// Whether the statements assign the name, on every path, before they read it: those that stand
/// directly in the block are looked at.
bool isAssignedFirst(Block statements, llvm::StringRef name);

/// Whether the statements contain a `return`, `break` or `continue` that leaves them (those of
/// nested functions do not count; break and continue of loops inside the statements neither).
bool containsReturn(Block statements);
bool containsBreak(Block statements);
bool containsBreakOrContinue(Block statements);

/// Whether a loop with this body may be left before its end, by `break` or `return`.
bool mayBeLeft(Block body);

/// Whether the statements never run to their end: on every path there is a `return`, `break`,
/// `continue` or `raise`, whatever the conditions are.
bool alwaysJumps(Block statements);

/// Whether there is a loop in the statements (not those of nested functions).
bool containsLoop(Block statements);

} // namespace tilec::ast

#endif // TILEC_SYNTAX_ASSIGNEDNAMES_H
