// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands at a place of a file, and where it is defined.

#ifndef TILEC_TOOLS_TILE_LSP_DEFINITION_H
#define TILEC_TOOLS_TILE_LSP_DEFINITION_H

#include "DocumentAnalysis.h"

namespace tilec::lsp {

/// A place in a file of its own.
struct FilePlace {
  std::string path;
  /// The text that the range is in.
  const SourceBuffer *buffer = nullptr;
  SourceRange range;
  /// Keeps the buffer.
  std::shared_ptr<SourceManager> owner = nullptr;
};

/// The expressions around an offset, the innermost one last.
std::vector<const ast::Expr *> findExprs(const DocumentAnalysis &analysis, uint32_t offset);

/// The innermost function around an offset, or null.
const ast::FunctionDef *findFunction(const ast::Module &tree, uint32_t offset);

/// What the last assignment to a name before an offset assigns, in the function around it; null
/// when there is none or it unpacks.
const ast::Expr *findAssignedValue(const ast::Module &tree, llvm::StringRef name, uint32_t offset);

/// Where the name at an offset gets its meaning: a parameter, the assignment before it, a
/// definition, the same in an imported file.
std::optional<FilePlace> findDefinition(const DocumentAnalysis &analysis, uint32_t offset,
                                        const Settings &settings);

/// The module of the language that an expression names ("triton.language.math"), or nothing.
std::string findLanguageModule(const DocumentAnalysis &analysis, const ast::Expr *expr);
/// The same for a dotted name as text.
std::string findLanguageModule(const DocumentAnalysis &analysis, llvm::StringRef dotted);

} // namespace tilec::lsp

#endif // TILEC_TOOLS_TILE_LSP_DEFINITION_H
