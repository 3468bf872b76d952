// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function a name means, across files, as far as that can be told without evaluating
// anything: of several bindings of a name the first one that leads to a function counts.

#ifndef TILEC_SEMA_FUNCTIONLOOKUP_H
#define TILEC_SEMA_FUNCTIONLOOKUP_H

#include "tilec/Sema/ModuleLoader.h"
#include "tilec/Sema/ModuleScope.h"

#include <map>

namespace tilec {

class FunctionLookup {
public:
  /// Without a loader only the functions of the file itself are found.
  explicit FunctionLookup(ModuleLoader *moduleLoader = nullptr) : loader(moduleLoader) {}

  struct Found {
    const ast::Module *module = nullptr;
    const ast::FunctionDef *function = nullptr;

    explicit operator bool() const { return function != nullptr; }
  };
  /// The `@triton.jit` function that is called `f`, `module.f`, `package.module.f` in a module.
  Found find(const ast::Module &module, llvm::StringRef name) {
    return findInside(module, name, /*depth=*/0);
  }

private:
  Found findInside(const ast::Module &module, llvm::StringRef name, unsigned depth);
  /// Whether a binding leads to the language, as `f = tl.f` does.
  bool isOfLanguage(const ast::Module &module, const ModuleBinding &binding);
  Found findThrough(const ast::Module &module, const ModuleBinding &binding, llvm::StringRef rest,
                    unsigned depth);
  /// In the module that an import names.
  Found findImported(const ast::Module &importer, llvm::StringRef path, llvm::StringRef name,
                     unsigned depth);
  const ModuleScope &getScope(const ast::Module &module);

  ModuleLoader *loader;
  std::map<const ast::Module *, std::unique_ptr<ModuleScope>> scopes;
};

} // namespace tilec

#endif // TILEC_SEMA_FUNCTIONLOOKUP_H
