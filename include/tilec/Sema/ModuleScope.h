// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that a source file binds at module level. Nothing is evaluated here: a binding says
// where the name's meaning is written, and is looked at only when a kernel uses the name.

#ifndef TILEC_SEMA_MODULESCOPE_H
#define TILEC_SEMA_MODULESCOPE_H

#include "tilec/Syntax/AST.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace tilec {

/// A condition under which host code reaches a binding.
struct BindingGuard {
  enum class Kind {
    /// The branch of an `if` that is taken when `condition` holds, or when it does not.
    Then,
    Else,
    /// The body of a `try`, or one of its handlers.
    Attempt,
    Handler,
  };

  Kind kind;
  const ast::Expr *condition = nullptr;
};

/// What a module-level name stands for.
struct ModuleBinding {
  enum class Kind {
    /// `import path as name`: the module `path`.
    Module,
    /// `from path import member as name`.
    Member,
    /// `def name`.
    Function,
    /// `name = value`; tuple targets are one binding per name with `index` set.
    Assignment,
    /// `class name`.
    Class,
  };

  Kind kind;
  SourceRange range;
  std::string path = {};
  std::string member = {};
  const ast::FunctionDef *function = nullptr;
  const ast::Expr *value = nullptr;
  const ast::Expr *annotation = nullptr;
  const ast::ClassDef *classDef = nullptr;
  /// Position within a tuple target, or -1.
  int index = -1;
  /// Conditions around it, outermost first; all must hold.
  std::vector<BindingGuard> guards = {};
};

/// The bindings of one module, or of the body of a host function that has kernels inside.
class ModuleScope {
public:
  explicit ModuleScope(const ast::Module &astModule);
  /// The names that the statements of a function's body bind.
  ModuleScope(const ast::Module &astModule, ast::Block body);

  const ast::Module &getModule() const { return module; }
  /// Of alternatives (`if`/`else`, `try`/`except`) the first one; otherwise the last binding, as at
  /// run time.
  const ModuleBinding *find(llvm::StringRef name) const;
  /// What may count: the last unconditional binding and the conditional ones after it, in source
  /// order; the last one whose guards hold is what the name means.
  llvm::ArrayRef<ModuleBinding> findAll(llvm::StringRef name) const;
  /// All names, in source order, for suggestions.
  std::vector<llvm::StringRef> getNames() const;
  /// Modules of `from path import *`, last one first.
  const std::vector<std::string> &getStarImports() const { return starImports; }
  /// Whether a function declares the name `global`, so that its value may be another one later.
  bool isSetByFunction(llvm::StringRef name) const { return setByFunctions.contains(name); }

private:
  void addBlock(ast::Block block);
  void addGuardedBlock(ast::Block block, BindingGuard guard);
  void addImport(const ast::Import &import);
  void addImportFrom(const ast::ImportFrom &import);
  /// The jit function `f` of `target = triton.jit(f)` and the like; null for other values.
  const ast::FunctionDef *findDecorated(const ast::Name &target, const ast::Expr *value) const;
  void addTarget(const ast::Expr *target, const ast::Expr *value, const ast::Expr *annotation);
  void bind(llvm::StringRef name, ModuleBinding binding);

  const ast::Module &module;
  llvm::MapVector<llvm::StringRef, std::vector<ModuleBinding>> bindings;
  /// The guards around the statements that are being walked.
  std::vector<BindingGuard> guards;
  std::vector<std::string> starImports;
  llvm::StringSet<> setByFunctions;
};

/// How a parameter is annotated.
struct ParamAnnotation {
  enum class Kind {
    Plain,
    Constexpr,
    /// A type in signature notation or a language type, in `typeText`.
    Typed,
  };
  Kind kind = Kind::Plain;
  std::string typeText;
};

/// Classifies by what is written: `tl.constexpr` (under any prefix, also quoted), `"*fp32"`,
/// `tl.int32`. Anything else is Plain, as annotations without meaning are ignored.
ParamAnnotation classifyAnnotation(const ast::Expr *annotation);

} // namespace tilec

#endif // TILEC_SEMA_MODULESCOPE_H
