// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing of a piece of text in a test, with everything that must outlive the tree, and short
// forms of what tests compare.

#ifndef TILEC_TEST_UNIT_SYNTAX_PARSEDTEXT_H
#define TILEC_TEST_UNIT_SYNTAX_PARSEDTEXT_H

#include "tilec/Syntax/ASTPrinter.h"
#include "tilec/Syntax/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace tilec {

struct ParsedText {
  explicit ParsedText(llvm::StringRef text, llvm::StringRef name = "k.tile") {
    file = llvm::cantFail(sources.addBuffer(name, text));
    module = parseModule(sources, file, diagnostics);
  }

  /// "line:column message" of every diagnostic, one a line, notes indented.
  std::string errors() const {
    std::string text;
    for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
      text += describe(diagnostic) + "\n";
      for (const Diagnostic &note : diagnostic.notes)
        text += "  " + describe(note) + "\n";
    }
    return text;
  }

  /// The dumps of the module-level statements.
  std::string tree() const {
    std::string text;
    for (const ast::Stmt *statement : module->body)
      text += ast::printTree(statement);
    return text;
  }

  /// The module-level statement at `index`, of the expected kind.
  template <typename T> const T *get(size_t index = 0) const {
    if (!module || index >= module->body.size())
      return nullptr;
    return llvm::dyn_cast<T>(module->body[index]);
  }

  std::string describe(const Diagnostic &diagnostic) const {
    LineColumn place = sources.getLineColumn(diagnostic.range);
    return std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
           diagnostic.message;
  }

  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId file;
  std::unique_ptr<ast::Module> module;
};

/// The dump of one expression; errors when it does not parse.
inline std::string exprTree(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId file = llvm::cantFail(sources.addBuffer("expr", text));
  ParsedExpr parsed = parseExpression(sources, file, diagnostics);
  if (!parsed.expr)
    return renderDiagnostics(sources, diagnostics);
  return ast::printTree(parsed.expr);
}

} // namespace tilec

#endif // TILEC_TEST_UNIT_SYNTAX_PARSEDTEXT_H
