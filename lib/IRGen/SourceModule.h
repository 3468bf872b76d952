// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file as the evaluator sees it: its module-level names and whether it is the embedded library,
// whose source positions mean nothing to the user.

#ifndef TILEC_LIB_IRGEN_SOURCEMODULE_H
#define TILEC_LIB_IRGEN_SOURCEMODULE_H

#include "tilec/Sema/ModuleScope.h"

namespace tilec::irgen {

class SourceModule {
public:
  /// With `predefined`, `tl` and `triton` are known without an import.
  SourceModule(const ast::Module &module, bool library, bool predefined)
      : scope(module), isLibrary(library), hasPredefinedNames(predefined) {}

  ModuleScope scope;
  bool isLibrary;
  bool hasPredefinedNames;
};

/// The embedded part of the language library, parsed once in a process.
const SourceModule &getLibraryModule();

/// Whether a library function is also a method of tensors.
bool isLibraryMethod(llvm::StringRef name);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_SOURCEMODULE_H
