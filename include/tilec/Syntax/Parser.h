// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points of the parser.

#ifndef TILEC_SYNTAX_PARSER_H
#define TILEC_SYNTAX_PARSER_H

#include "tilec/Support/Diagnostic.h"
#include "tilec/Syntax/AST.h"

#include <memory>

namespace tilec {

/// What a file is, which decides how code outside of kernels is treated.
enum class SourceLanguage : uint8_t {
  /// `.tile`, and everything else that is not `.py`: all of it must parse.
  Tile,
  /// `.py`: host code is skipped; only device functions must parse.
  Python,
};

/// Python for names that end in `.py`, otherwise Tile.
SourceLanguage getSourceLanguage(llvm::StringRef fileName);

/// Parses a file. Reports syntax errors to `diagnostics` and goes on behind them, so that one run
/// finds several; the tree holds what could be parsed. Returns null only when nothing could be
/// (unknown file id, binary data). The language comes from the file name.
std::unique_ptr<ast::Module> parseModule(const SourceManager &sources, FileId file,
                                         DiagnosticEngine &diagnostics);
std::unique_ptr<ast::Module> parseModule(const SourceManager &sources, FileId file,
                                         DiagnosticEngine &diagnostics, SourceLanguage language);

/// Parses a single expression, for command lines and tests. Null after an error.
struct ParsedExpr {
  std::unique_ptr<ast::Module> owner;
  ast::Expr *expr = nullptr;
};
ParsedExpr parseExpression(const SourceManager &sources, FileId file,
                           DiagnosticEngine &diagnostics);

/// Parses the body of a host function that was skipped (FunctionDef::bodySkipped), in place.
/// Returns false when there were errors; the body then stays skipped.
bool parseSkippedBody(const SourceManager &sources, ast::Module &module, ast::FunctionDef &function,
                      DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_SYNTAX_PARSER_H
