// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text from syntax trees: an indented dump for people and tests, and Python source text for
// messages.

#ifndef TILEC_SYNTAX_ASTPRINTER_H
#define TILEC_SYNTAX_ASTPRINTER_H

#include "tilec/Syntax/AST.h"

#include <string>

namespace tilec::ast {

/// One node a line, two spaces a level, children labelled by their role. Deterministic. With
/// `sources` every line ends in its `<line:col>`.
std::string printTree(const Module &module, const SourceManager *sources = nullptr);
std::string printTree(const Stmt *statement, const SourceManager *sources = nullptr);
std::string printTree(const Expr *expr, const SourceManager *sources = nullptr);

/// Python text of an expression, with the fewest parentheses that keep its structure.
std::string printSource(const Expr *expr);

} // namespace tilec::ast

#endif // TILEC_SYNTAX_ASTPRINTER_H
