// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings that need no more than the text of a function: names that are never read, expressions
// that do nothing.

#ifndef TILEC_SEMA_LINT_H
#define TILEC_SEMA_LINT_H

#include "tilec/Support/Diagnostic.h"
#include "tilec/Syntax/AST.h"

namespace tilec {

/// Reports the unused variables of a function, its dropped expressions, and, of a kernel, its
/// unused arguments. Names that start with an underscore, variables of loops and targets of
/// unpacking may stay unused.
void lintFunction(const ast::FunctionDef &function, bool isKernel, DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_SEMA_LINT_H
