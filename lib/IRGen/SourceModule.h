// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file as the evaluator sees it: its module-level names and whether it is the embedded library,
// whose source positions mean nothing to the user.

#ifndef TILEC_LIB_IRGEN_SOURCEMODULE_H
#define TILEC_LIB_IRGEN_SOURCEMODULE_H

#include "tilec/Sema/ModuleScope.h"
#include "tilec/Support/Diagnostic.h"

namespace tilec::irgen {

class SourceModule {
public:
  SourceModule(const ast::Module &module, llvm::StringRef file, bool library = false)
      : scope(module), isLibrary(library), hasPredefinedNames(!file.ends_with(".py")), path(file) {}
  SourceModule(const ast::Module &module, const SourceManager &sources)
      : SourceModule(module, sources.getFileName(SourceRange(module.file, 0, 0))) {}

  ModuleScope scope;
  bool isLibrary;
  /// Whether `tl` and `triton` are known without an import.
  bool hasPredefinedNames;
  /// The file, which relative imports start from.
  std::string path;
  /// Syntax errors of an imported file; null when it has none.
  const DiagnosticEngine *problems = nullptr;
};

/// The embedded part of the language library, parsed once in a process.
const SourceModule &getLibraryModule();

/// Whether a path names a module of the language, as "triton.language.math" does.
bool isLanguageModule(llvm::StringRef path);

/// Whether a name is among those that `from path import *` brings from a module of the language.
bool hasLanguageMember(llvm::StringRef path, llvm::StringRef name);

/// Whether a library function is also a method of tensors.
bool isLibraryMethod(llvm::StringRef name);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_SOURCEMODULE_H
