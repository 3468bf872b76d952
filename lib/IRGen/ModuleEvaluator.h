// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names of modules mean and what is known of the host, at compile time.
//
//   Names.cpp      names of a file, members of modules of the language
//   Imports.cpp    modules from files, and which of several bindings counts
//   Classes.cpp    classes of modules
//   HostFacts.cpp  what is known of the host, and its functions

#ifndef TILEC_LIB_IRGEN_MODULEEVALUATOR_H
#define TILEC_LIB_IRGEN_MODULEEVALUATOR_H

#include "Builtins.h"
#include "Evaluation.h"

#include "tilec/Sema/ModuleLoader.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <memory>

namespace tilec::irgen {

class ModuleEvaluator;

/// Evaluates expressions of modules, for the evaluator of modules.
class ExpressionEvaluator {
public:
  /// With `around`, the names in the body of that host function are visible too. An error where the
  /// value is not known at compile time.
  virtual FailureOr<Value> evaluateInModule(const SourceModule &module, const ast::Expr *expr,
                                            const ast::FunctionDef *around = nullptr) = 0;
  /// What `compute` finds with another evaluator, whose errors are dropped, in compile-time code at
  /// the level of `module`.
  virtual FailureOr<Value>
  tryInModule(const SourceModule &module,
              llvm::function_ref<FailureOr<Value>(ModuleEvaluator &)> compute) = 0;

protected:
  ~ExpressionEvaluator() = default;
};

/// The files that a compilation reads, shared by an evaluator and those that try things aside.
struct ImportedModules {
  /// Set when the caller gave no loader.
  std::unique_ptr<ModuleLoader> ownLoader;
  ModuleLoader *loader = nullptr;
  llvm::StringMap<std::unique_ptr<SourceModule>> files;
  /// The names in the bodies of host functions that have kernels inside, and of classes.
  llvm::DenseMap<const ast::Stmt *, std::unique_ptr<ModuleScope>> bodies;
  /// What module-level conditions were found to be, and whether candidates for a name can be
  /// evaluated, with the number of evaluators around the one that found it: conditions that ask for
  /// names with conditions would be evaluated again and again.
  llvm::DenseMap<const ast::Expr *, std::pair<unsigned, std::optional<bool>>> conditions;
  llvm::DenseMap<const ModuleBinding *, std::pair<unsigned, bool>> evaluable;
};

/// Owns the files that are read and what their module-level names have been found to be. A name is
/// evaluated when it is used first, a file is read when a name of it is. Code of modules is run by
/// the ExpressionEvaluator; nothing is emitted here, and no activation is looked into.
class ModuleEvaluator {
public:
  ModuleEvaluator(Evaluation &evaluation, ExpressionEvaluator &evaluator);
  /// One that tries something aside, and shares files with the one around it.
  ModuleEvaluator(Evaluation &evaluation, ExpressionEvaluator &evaluator,
                  const ModuleEvaluator &outer);

  // Names.cpp
  /// A name of a file, or one that every file has.
  FailureOr<Value> lookup(const SourceModule &module, llvm::StringRef name, SourceRange range,
                          bool &found);
  /// A name in the bodies of the host functions around a kernel, from `around` outwards.
  FailureOr<Value> lookupAround(const SourceModule &module, const ast::FunctionDef *around,
                                llvm::StringRef name, SourceRange range, bool &found);
  /// A name of `scope`, which is that of the module, of a class or of the host function `around`.
  FailureOr<Value> evaluateBindings(const SourceModule &module, const ModuleScope &scope,
                                    llvm::StringRef name, SourceRange range,
                                    const ast::FunctionDef *around = nullptr);
  FailureOr<Value> getMember(const ModuleValue &module, llvm::StringRef name, SourceRange range);
  /// A member of a module path, e.g. ("triton.language", "load").
  FailureOr<Value> getModuleMember(llvm::StringRef path, llvm::StringRef name, SourceRange range);

  // Imports.cpp
  /// The value of an expression; failure, which is not reported, where it is not known.
  FailureOr<Value> evaluateAside(const SourceModule &module, const ast::Expr *expr);
  /// Parses the body of a host function, for compile-time code that calls it.
  bool parseHostBody(const SourceModule &module, const ast::FunctionDef &function);
  /// Reports the use of something of the host, or of a module that is imported and not found.
  LogicalResult errorHostValue(llvm::StringRef path, SourceRange range);
  /// Says of which star imports a name may come that was not found.
  void noteMissingStars(const SourceModule &module, Diagnostic &diagnostic);

  // Classes.cpp
  const ModuleScope &getClassScope(const SourceModule &module, const ast::ClassDef &classDef);
  /// The aggregate that an annotation names; nothing when it is something else.
  std::optional<ClassValue> findAggregate(const SourceModule &module, const ast::Expr *annotation);

  // HostFacts.cpp
  FailureOr<Value> callHost(const ModuleValue &callee, llvm::ArrayRef<CallArg> args,
                            SourceRange range);
  /// The answer of a function that is known by its name ("is_hip"), if it is.
  std::optional<bool> answerHostPredicate(llvm::StringRef path) const;

private:
  // Names.cpp
  /// A name of a file without the names that every file has.
  FailureOr<Value> lookupMember(const SourceModule &module, llvm::StringRef name, SourceRange range,
                                bool &found);
  FailureOr<Value> evaluateBinding(const SourceModule &module, const ModuleBinding &binding,
                                   llvm::StringRef name, SourceRange range,
                                   const ast::FunctionDef *around = nullptr);
  /// A function of TorchInductor's module triton_helpers, from the library.
  FailureOr<Value> getInductorHelper(llvm::StringRef name, SourceRange range);

  // Imports.cpp
  /// Which of several bindings counts: the last one whose guards hold.
  const ModuleBinding &selectBinding(const SourceModule &module,
                                     llvm::ArrayRef<ModuleBinding> candidates,
                                     llvm::StringRef name);
  /// Whether a host condition holds, where that can be known.
  std::optional<bool> evaluateCondition(const SourceModule &module, const ast::Expr *expr);
  enum class GuardState { Holds, MayHold, MayFail, Fails };
  /// Whether the guards hold; MayHold and MayFail where a condition is not known. A handler of a
  /// `try` may fail.
  GuardState checkGuards(const SourceModule &module, const ModuleBinding &binding);
  bool canEvaluate(const SourceModule &module, const ModuleBinding &binding, llvm::StringRef name);
  FailureOr<Value> importMember(const SourceModule &module, const ModuleBinding &binding,
                                llvm::StringRef name, SourceRange range);
  FailureOr<Value> importModule(const SourceModule &module, const ModuleBinding &binding,
                                SourceRange range);
  FailureOr<Value> lookupStarImports(const SourceModule &module, llvm::StringRef name,
                                     SourceRange range, bool &found);
  FailureOr<Value> getFileMember(const ModuleValue &module, llvm::StringRef name,
                                 SourceRange range);
  /// The module that was found; poison when its file cannot be used, which is reported.
  FailureOr<Value> openModule(const FoundModule &found, llvm::StringRef path, SourceRange range);
  LogicalResult errorMissingModule(const SourceModule &module, llvm::StringRef path,
                                   llvm::StringRef name, SourceRange range);
  LogicalResult checkShadow(const SourceModule &module, SourceRange range);
  std::string describeRoots(const SourceModule &module, llvm::StringRef path);
  /// What a module that is not found most likely has under that name: a module of the language.
  static std::optional<Value> guessModule(llvm::StringRef path, llvm::StringRef member);

  // Classes.cpp
  FailureOr<Value> makeClass(const SourceModule &module, const ast::ClassDef &classDef);

  // HostFacts.cpp
  /// What is known of a name of the host's world ("torch.version.hip"), if anything.
  std::optional<Value> getHostFact(llvm::StringRef path);
  /// The module of a name that module-level code looks up; None when there is none.
  FailureOr<Value> findModule(llvm::StringRef name, SourceRange range);
  /// Functions of `importlib`, by which projects look for modules of the language.
  FailureOr<Value> callImportlib(llvm::StringRef path, llvm::ArrayRef<CallArg> args,
                                 SourceRange range);

  Evaluation &state;
  ExpressionEvaluator &expressions;
  std::shared_ptr<ImportedModules> imported;
  /// Module-level names that have been evaluated, and those in state.
  using GlobalName = std::pair<const ModuleScope *, std::string>;
  std::map<GlobalName, Value> globals;
  std::set<GlobalName> globalsInProgress;
  /// Choices of selectBinding, and those being made.
  std::map<const ModuleBinding *, const ModuleBinding *> selections;
  std::set<const ModuleBinding *> selectionsInProgress;
  bool checkedShadow = false;
};

/// The innermost function around a definition, classes skipped; null at module level.
const ast::FunctionDef *getFunctionAround(const ast::FunctionDef &function);

/// Whether a class is decorated as an aggregate.
bool isAggregateClass(const ast::ClassDef &classDef);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_MODULEEVALUATOR_H
