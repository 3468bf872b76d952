// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the front of the front end: lexer, parser, host code scanner, printers and diagnostics.
// Beyond "no crash, hang or unbounded memory" it checks that locations lie in the text, that trees
// keep to the height limit, and that printed expressions parse back to what was printed.

#include "FuzzChecks.h"
#include "SourceMutator.h"

#include "tilec/Syntax/ASTPrinter.h"
#include "tilec/Syntax/AssignedNames.h"
#include "tilec/Syntax/Parser.h"
#include "tilec/Syntax/Walk.h"

using namespace tilec;
using fuzz::check;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// f-strings and unsupported constructs are not printed faithfully; deep trees need brackets that
/// may pass the limit.
static bool printsFaithfully(const ast::Expr *expr) {
  if (llvm::isa<ast::FString, ast::UnsupportedExpr>(expr) || expr->height > 40)
    return false;
  bool faithful = true;
  ast::forEachChild(expr, [&](const ast::Expr *child) { faithful &= printsFaithfully(child); });
  return faithful;
}

static void checkPrintedSource(const ast::Expr *expr) {
  // A starred expression is none by itself.
  if (const auto *starred = llvm::dyn_cast<ast::Starred>(expr))
    expr = starred->value;
  if (!printsFaithfully(expr))
    return;
  std::string printed = ast::printSource(expr);
  SourceManager sources;
  DiagnosticEngine diagnostics;
  llvm::Expected<FileId> file = sources.addBuffer("<printed>", printed);
  if (!file)
    return llvm::consumeError(file.takeError());
  ParsedExpr parsed = parseExpression(sources, *file, diagnostics);
  check(parsed.expr != nullptr, "printed expression does not parse", printed);
  std::string again = ast::printSource(parsed.expr);
  check(again == printed, "printed expression changes", printed + "\n" + again);
  check(ast::printTree(expr) == ast::printTree(parsed.expr), "printed tree changes", printed);
}

static void checkExpr(const ast::Expr *expr, uint32_t size) {
  check(expr->height <= ast::maxNesting, "expression height");
  // The specification in `{x:}` is an f-string of no text.
  bool mayBeEmpty = llvm::isa<ast::FString>(expr);
  check(expr->range.begin + (mayBeEmpty ? 0 : 1) <= expr->range.end && expr->range.end <= size,
        "expression range");
  ast::forEachChild(expr, [&](const ast::Expr *child) { checkExpr(child, size); });
}

static void checkStmt(const ast::Stmt *statement, uint32_t size) {
  check(statement->range.begin < statement->range.end && statement->range.end <= size,
        "statement range");
  ast::forEachChild(
      statement,
      [&](const ast::Expr *expr) {
        checkPrintedSource(expr);
        checkExpr(expr, size);
      },
      [&](const ast::Stmt *child) { checkStmt(child, size); });
}

static void parseAs(llvm::StringRef text, SourceLanguage language) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  llvm::Expected<FileId> file = sources.addBuffer("fuzz", text);
  if (!file)
    return llvm::consumeError(file.takeError());
  std::unique_ptr<ast::Module> module = parseModule(sources, *file, diagnostics, language);
  check(module || diagnostics.hasErrors(), "no module and no error");
  if (!module) {
    fuzz::checkDiagnostics(sources, diagnostics);
    return;
  }
  ast::printTree(*module, &sources);
  ast::NameSet names;
  ast::collectAssignedNames(module->body, names);
  ast::collectUsedNames(module->body, names);
  for (const ast::Stmt *statement : module->body) {
    checkStmt(statement, static_cast<uint32_t>(text.size()));
    if (auto *function = llvm::dyn_cast<ast::FunctionDef>(const_cast<ast::Stmt *>(statement)))
      parseSkippedBody(sources, *module, *function, diagnostics);
  }
  fuzz::checkDiagnostics(sources, diagnostics);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::MemoryWatch memory;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  parseAs(text, SourceLanguage::Tile);
  parseAs(text, SourceLanguage::Python);
  return 0;
}

static llvm::ArrayRef<std::string> getVocabulary() {
  static const std::string words[] = {
      "match",  "case _:",  "async",     "await",   "yield",  "nonlocal", "try:",
      "except", "finally:", "with",      "class C", "lambda", "print",    "f'{x!r:>{y}}'",
      "r'\\'",  "b''",      "'''a\n'''", "0o17",    "1_0",    "1e5j",     "x: int",
      "->",     "...",      "**",        "\\\n",    ";",      "\t",       "# type: ignore"};
  return words;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 2 == 0 || size == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  return fuzz::put(fuzz::SourceMutator(getVocabulary(), seed / 2).mutate(text), data, maxSize);
}
