// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known about one version of a file: its tree, its messages, and what the expressions of
// its kernels evaluate to. Kernels are compiled up to the choice of layouts with guessed
// signatures, as 'tilec check' does. An analysis does not change once it is made.

#ifndef TILEC_TOOLS_TILE_LSP_DOCUMENTANALYSIS_H
#define TILEC_TOOLS_TILE_LSP_DOCUMENTANALYSIS_H

#include "tilec/Sema/ModuleLoader.h"
#include "tilec/Sema/ModuleScope.h"
#include "tilec/Support/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tilec::lsp {

/// What the user configures.
struct Settings {
  std::vector<std::string> importRoots;
  std::string target = "sm_90a";
  WarningOptions warnings;
};

class DocumentAnalysis {
public:
  /// Null when `isCancelled` became true on the way.
  static std::shared_ptr<const DocumentAnalysis> make(const std::string &path,
                                                      const std::string &text,
                                                      const Settings &settings,
                                                      llvm::function_ref<bool()> isCancelled);

  const SourceBuffer &getBuffer() const { return *sources.getBuffer(file); }
  const SourceManager &getSources() const { return sources; }
  FileId getFile() const { return file; }
  /// Null when the text is none.
  const ast::Module *getTree() const { return tree.get(); }
  const ModuleScope *getScope() const { return scope.get(); }
  const std::vector<Diagnostic> &getDiagnostics() const { return diagnostics; }
  /// What the expression at a place evaluates to: types and values, those of several calls.
  const std::vector<std::string> *findValues(SourceRange range) const;
  /// The layouts of tensors that are computed by an expression that begins there.
  const std::vector<std::string> *findLayouts(SourceRange range) const;

private:
  DocumentAnalysis() = default;
  void compileKernels(const Settings &settings, llvm::function_ref<bool()> isCancelled);
  /// Takes the layouts out of the text of a module with locations.
  void readLayouts(llvm::StringRef text);
  void take(const DiagnosticEngine &engine);

  std::string path;
  SourceManager sources;
  FileId file = 0;
  std::unique_ptr<ast::Module> tree;
  std::unique_ptr<ModuleScope> scope;
  std::vector<Diagnostic> diagnostics;
  /// By first and last byte.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::string>> values;
  /// By line and column.
  std::map<std::pair<unsigned, unsigned>, std::vector<std::string>> layouts;

  friend class ValueCollector;
};

} // namespace tilec::lsp

#endif // TILEC_TOOLS_TILE_LSP_DOCUMENTANALYSIS_H
