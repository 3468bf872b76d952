// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules from files, and which of several bindings of a name counts. A module is read when a name
// that comes from it is used. Conditions around bindings are evaluated as far as what is known of
// the host goes; of what is not known the first branch is taken. The handlers of a `try` count when
// what its body binds cannot be had.

#include "ModuleEvaluator.h"

#include "tilec/Syntax/Parser.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {

/// Evaluators inside of each other; modules that ask for each other's conditions end here.
static constexpr unsigned asideLimit = 12;

/// Packages that are never read: of some a few facts are known (HostFacts.cpp).
static bool isHostPackage(llvm::StringRef path) {
  return llvm::StringSwitch<bool>(path.split('.').first)
      .Cases({"triton", "torch", "numpy", "os", "sys", "math", "typing", "functools"}, true)
      .Cases({"packaging", "importlib", "itertools", "enum", "dataclasses", "contextlib"}, true)
      .Cases({"collections", "operator", "abc", "logging", "warnings", "inspect"}, true)
      .Default(false);
}

static bool hasGuard(const ModuleBinding &binding, BindingGuard::Kind kind) {
  return llvm::any_of(binding.guards,
                      [&](const BindingGuard &guard) { return guard.kind == kind; });
}

static bool isFromTriton(const ModuleBinding &binding) {
  bool isImport =
      binding.kind == ModuleBinding::Kind::Module || binding.kind == ModuleBinding::Kind::Member;
  return isImport && llvm::StringRef(binding.path).split('.').first == "triton";
}

ModuleEvaluator::ModuleEvaluator(Evaluation &evaluation, ExpressionEvaluator &evaluator)
    : state(evaluation), expressions(evaluator), imported(std::make_shared<ImportedModules>()) {
  imported->loader = state.getOptions().modules;
  if (!imported->loader) {
    imported->ownLoader = std::make_unique<ModuleLoader>(state.getSources());
    imported->loader = imported->ownLoader.get();
  }
}

ModuleEvaluator::ModuleEvaluator(Evaluation &evaluation, ExpressionEvaluator &evaluator,
                                 const ModuleEvaluator &outer)
    : state(evaluation), expressions(evaluator), imported(outer.imported),
      globalsInProgress(outer.globalsInProgress), selectionsInProgress(outer.selectionsInProgress),
      checkedShadow(true) {}

//===- Choosing among bindings --------------------------------------------------------------===//

FailureOr<Value> ModuleEvaluator::evaluateAside(const SourceModule &module, const ast::Expr *expr) {
  return expressions.tryInModule(module, [&](ModuleEvaluator &aside) {
    return aside.expressions.evaluateInModule(module, expr);
  });
}

std::optional<bool> ModuleEvaluator::evaluateCondition(const SourceModule &module,
                                                       const ast::Expr *expr) {
  if (state.getAsideDepth() >= asideLimit)
    return std::nullopt;
  // With as many evaluators below this one as then, or fewer, no more can be found out.
  auto known = imported->conditions.find(expr);
  if (known != imported->conditions.end() && known->second.first <= state.getAsideDepth())
    return known->second.second;
  FailureOr<Value> value = evaluateAside(module, expr);
  std::optional<bool> truth;
  if (mlir::succeeded(value)) {
    if (const Constant *constant = value->getConstant())
      truth = constant->isTrue();
    else if (const std::vector<Value> *elements = value->getTuple())
      truth = !elements->empty();
    else if (value->getIf<FunctionValue>() || value->getIf<BuiltinValue>())
      truth = true;
  }
  imported->conditions[expr] = {state.getAsideDepth(), truth};
  return truth;
}

ModuleEvaluator::GuardState ModuleEvaluator::checkGuards(const SourceModule &module,
                                                         const ModuleBinding &binding) {
  GuardState all = GuardState::Holds;
  for (const BindingGuard &guard : binding.guards) {
    GuardState own = GuardState::Holds;
    if (guard.kind == BindingGuard::Kind::Handler)
      own = GuardState::MayFail;
    if (guard.condition) {
      bool isThen = guard.kind == BindingGuard::Kind::Then;
      std::optional<bool> truth = evaluateCondition(module, guard.condition);
      if (truth)
        own = *truth == isThen ? GuardState::Holds : GuardState::Fails;
      else
        own = isThen ? GuardState::MayHold : GuardState::MayFail;
    }
    all = std::max(all, own);
  }
  return all;
}

bool ModuleEvaluator::canEvaluate(const SourceModule &module, const ModuleBinding &binding,
                                  llvm::StringRef name) {
  if (state.getAsideDepth() >= asideLimit)
    return true;
  auto known = imported->evaluable.find(&binding);
  if (known != imported->evaluable.end() && known->second.first <= state.getAsideDepth())
    return known->second.second;
  bool can = mlir::succeeded(expressions.tryInModule(module, [&](ModuleEvaluator &aside) {
    return aside.evaluateBinding(module, binding, name, binding.range);
  }));
  imported->evaluable[&binding] = {state.getAsideDepth(), can};
  return can;
}

const ModuleBinding &ModuleEvaluator::selectBinding(const SourceModule &module,
                                                    llvm::ArrayRef<ModuleBinding> candidates,
                                                    llvm::StringRef name) {
  const ModuleBinding *first = &candidates.front();
  if (candidates.size() == 1)
    return *first;
  auto known = selections.find(first);
  if (known != selections.end())
    return *known->second;
  if (!selectionsInProgress.insert(first).second)
    return *first;
  // The last one that certainly counts, or that would if unknown conditions held; where that one
  // cannot be had (its import is not there), the first one that may count.
  const ModuleBinding *selected = nullptr;
  llvm::SmallVector<GuardState, 4> states;
  // What stands in for triton where that is missing is never meant.
  bool hasTriton = llvm::any_of(candidates, isFromTriton);
  for (const ModuleBinding &candidate : candidates) {
    bool isStandIn = hasTriton && candidate.kind == ModuleBinding::Kind::Assignment &&
                     llvm::isa<ast::Call, ast::NoneLiteral>(candidate.value);
    states.push_back(isStandIn ? GuardState::Fails : checkGuards(module, candidate));
  }
  auto tryCandidate = [&](size_t i) {
    bool isDoubtful =
        states[i] != GuardState::Holds || hasGuard(candidates[i], BindingGuard::Kind::Attempt);
    if (!selected && (!isDoubtful || canEvaluate(module, candidates[i], name)))
      selected = &candidates[i];
  };
  for (size_t i = candidates.size(); i-- > 0;)
    if (states[i] <= GuardState::MayHold)
      tryCandidate(i);
  for (size_t i = 0; i < candidates.size(); ++i)
    if (states[i] == GuardState::MayFail)
      tryCandidate(i);
  selectionsInProgress.erase(first);
  if (!selected)
    selected = first;
  selections[first] = selected;
  return *selected;
}

//===- Host functions around kernels --------------------------------------------------------===//

bool ModuleEvaluator::parseHostBody(const SourceModule &module, const ast::FunctionDef &function) {
  // A tree is complete as far as anybody has asked; its skipped parts are read when they are.
  DiagnosticEngine aside(1);
  auto &tree = const_cast<ast::Module &>(module.scope.getModule());
  return parseSkippedBody(state.getSources(), tree, const_cast<ast::FunctionDef &>(function),
                          aside);
}

/// The innermost function around a definition, classes skipped; null at module level.
const ast::FunctionDef *getFunctionAround(const ast::FunctionDef &function) {
  for (const ast::Stmt *parent = function.parent; parent;) {
    if (auto *around = llvm::dyn_cast<ast::FunctionDef>(parent))
      return around;
    parent = llvm::cast<ast::ClassDef>(parent)->parent;
  }
  return nullptr;
}

FailureOr<Value> ModuleEvaluator::lookupAround(const SourceModule &module,
                                               const ast::FunctionDef *around, llvm::StringRef name,
                                               SourceRange range, bool &found) {
  for (; around; around = getFunctionAround(*around)) {
    if (!parseHostBody(module, *around))
      continue;
    found = true;
    for (const ast::Param &param : around->params) {
      if (param.name != name)
        continue;
      if (param.defaultValue)
        return expressions.evaluateInModule(module, param.defaultValue, getFunctionAround(*around));
      return state.error(range, "'" + name + "' is a parameter of the host function '" +
                                    around->name + "', which is not run");
    }
    std::unique_ptr<ModuleScope> &scope = imported->bodies[around];
    if (!scope)
      scope = std::make_unique<ModuleScope>(module.scope.getModule(), around->body);
    if (!scope->findAll(name).empty())
      return evaluateBindings(module, *scope, name, range, around);
    found = false;
  }
  return failure();
}

//===- Files --------------------------------------------------------------------------------===//

std::string ModuleEvaluator::describeRoots(const SourceModule &module, llvm::StringRef path) {
  std::vector<std::string> roots = imported->loader->getRoots(path, module.path);
  return roots.empty() ? "nothing" : "'" + llvm::join(roots, "', '") + "'";
}

LogicalResult ModuleEvaluator::errorMissingModule(const SourceModule &module, llvm::StringRef path,
                                                  llvm::StringRef name, SourceRange range) {
  if (path.starts_with("triton.") && name == path)
    return state.error(range, "'" + path + "' is not a module of the language");
  if (path.starts_with("triton."))
    return state.error(range, "'" + name + "' comes from '" + path +
                                  "', which is not a module of the language");
  Diagnostic &diagnostic =
      state.report(Severity::Error, range,
                   "'" + name + "' comes from the module '" + path + "', which is not found");
  if (path.starts_with("."))
    diagnostic.addNote(range, "relative to '" + module.path + "'");
  else
    diagnostic.addNote(range, "searched in " + describeRoots(module, path) +
                                  "; other roots are given with -I");
  return failure();
}

LogicalResult ModuleEvaluator::errorHostValue(llvm::StringRef path, SourceRange range) {
  // `import a.b` is no error as long as nothing of the module is needed.
  const SourceModule *here = state.getModule();
  auto [module, name] = path.rsplit('.');
  if (here && !name.empty() && !isHostPackage(path))
    for (llvm::StringRef bound : here->scope.getNames()) {
      const ModuleBinding *binding = here->scope.find(bound);
      bool leadsThere = binding && binding->kind == ModuleBinding::Kind::Module &&
                        (module == binding->path || module.starts_with(binding->path + "."));
      if (leadsThere && !imported->loader->find(binding->path, here->path))
        return errorMissingModule(*here, binding->path, name, range);
    }
  return state.error(range, "'" + path + "' is host code, which is not run");
}

LogicalResult ModuleEvaluator::checkShadow(const SourceModule &module, SourceRange range) {
  if (checkedShadow || module.isLibrary)
    return success();
  checkedShadow = true;
  std::string shadow = imported->loader->findShadow(module.path);
  if (shadow.empty())
    return success();
  return state.error(range,
                     "'" + shadow + "' hides the package 'triton' from this file; rename it");
}

FailureOr<Value> ModuleEvaluator::openModule(const FoundModule &found, llvm::StringRef path,
                                             SourceRange range) {
  if (found.kind == FoundModule::Kind::Folder)
    return Value(ModuleValue{path.str(), nullptr, found.folder});
  std::unique_ptr<SourceModule> &source = imported->files[found.file];
  if (!source) {
    const ModuleLoader::File &file = imported->loader->load(found.file);
    if (!file.tree) {
      std::string why = file.failure;
      SourceRange place;
      if (why.empty() && !file.problems.getDiagnostics().empty()) {
        why = file.problems.getDiagnostics().front().message;
        place = file.problems.getDiagnostics().front().range;
      }
      Diagnostic &diagnostic =
          state.report(Severity::Error, range, "the module '" + path + "' cannot be read: " + why);
      if (place.isValid())
        diagnostic.addNote(place, "in this file");
      return failure();
    }
    source = std::make_unique<SourceModule>(*file.tree, found.file);
    if (file.problems.hasErrors())
      source->problems = &file.problems;
  }
  return Value(ModuleValue{path.str(), source.get(), found.folder});
}

FailureOr<Value> ModuleEvaluator::getFileMember(const ModuleValue &module, llvm::StringRef name,
                                                SourceRange range) {
  // `from . import part` in a package means the module when the package has no such name yet.
  bool isCircle = module.source && !module.folder.empty() &&
                  globalsInProgress.count(std::make_pair(&module.source->scope, name.str()));
  if (module.source && !(isCircle && imported->loader->findInside(module.folder, name))) {
    bool found = false;
    FailureOr<Value> value = lookupMember(*module.source, name, range, found);
    if (found)
      return value;
  }
  if (!module.folder.empty())
    if (FoundModule inside = imported->loader->findInside(module.folder, name))
      return openModule(inside, module.path + "." + name.str(), range);
  if (!module.source)
    return state.error(range, "the folder '" + module.folder + "' has no module '" + name + "'");
  std::vector<llvm::StringRef> names = module.source->scope.getNames();
  (void)state.errorUnknown(range, "the module '" + module.path + "' has no '" + name + "'", name,
                           names);
  Diagnostic *last = state.getDiagnostics().getLast();
  if (!last || last->severity != Severity::Error)
    return failure();
  last->addNote(SourceRange(module.source->scope.getModule().file, 0, 0), "this is the module");
  return failure();
}

//===- Imports ------------------------------------------------------------------------------===//

// What libraries call the modules of the language when they hand them on.
std::optional<Value> ModuleEvaluator::guessModule(llvm::StringRef path, llvm::StringRef member) {
  llvm::StringRef known = llvm::StringSwitch<llvm::StringRef>(member)
                              .Case("triton", "triton")
                              .Case("tl", "triton.language")
                              .Cases({"libdevice", "tldevice", "tl_libdevice", "tl_extra_shim"},
                                     "triton.language.extra.libdevice")
                              .Case("tl_math", "triton.language.math")
                              .Default("");
  if (known.empty() && member == "math" && path.ends_with("triton_helpers"))
    known = "triton.language.math";
  if (known.empty())
    return std::nullopt;
  return Value(ModuleValue{known.str()});
}

/// Functions that mean the same in every project.
static bool isElementaryFunction(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"exp", "exp2", "log", "log2", "sqrt", "rsqrt"}, true)
      .Cases({"sin", "cos", "tanh", "sigmoid", "cdiv"}, true)
      .Default(false);
}

FailureOr<Value> ModuleEvaluator::importModule(const SourceModule &module,
                                               const ModuleBinding &binding, SourceRange range) {
  llvm::StringRef path = binding.path;
  if (isLanguageModule(path)) {
    if (mlir::failed(checkShadow(module, binding.range)))
      return failure();
    return Value(ModuleValue{path.str()});
  }
  if (path.starts_with("triton.language."))
    return errorMissingModule(module, path, path, range);
  if (isHostPackage(path))
    return Value(ModuleValue{path.str()});
  if (FoundModule found = imported->loader->find(path, module.path))
    return openModule(found, path, range);
  return Value(ModuleValue{path.str()});
}

FailureOr<Value> ModuleEvaluator::importMember(const SourceModule &module,
                                               const ModuleBinding &binding, llvm::StringRef name,
                                               SourceRange range) {
  llvm::StringRef path = binding.path, member = binding.member;
  if (isLanguageModule(path)) {
    if (mlir::failed(checkShadow(module, binding.range)))
      return failure();
    return getModuleMember(path, member, range);
  }
  std::string full = (path + "." + member).str();
  if (isLanguageModule(full))
    return Value(ModuleValue{full});
  if (std::optional<Value> fact = getHostFact(full))
    return *fact;
  // An object that its project makes at run time.
  if (member == "current_platform")
    return Value(ModuleValue{member.str()});
  if (isHostPackage(path)) {
    if (std::optional<Value> guess = guessModule(path, member))
      return *guess;
    if (!path.starts_with("triton.language") && state.keepsConstants())
      return Value(ModuleValue{full});
    return errorMissingModule(module, path, name, range);
  }
  if (FoundModule found = imported->loader->find(path, module.path)) {
    FailureOr<Value> opened = openModule(found, path, range);
    if (mlir::failed(opened))
      return failure();
    return getFileMember(*opened->getIf<ModuleValue>(), member, range);
  }
  if (std::optional<Value> guess = guessModule(path, member))
    return *guess;
  if (isElementaryFunction(member)) {
    state.getDiagnostics().warning(binding.range,
                                   "the module '" + path + "' is not found; '" + member +
                                       "' is taken for 'tl." + member + "'",
                                   warnings::kMissingModule);
    return getModuleMember(member == "tanh" ? "triton.language.extra.libdevice" : "triton.language",
                           member, range);
  }
  if (state.keepsConstants())
    return Value(ModuleValue{full});
  return errorMissingModule(module, path, name, range);
}

/// Whether `from module import *` brings a name.
static bool isExported(const ModuleScope &scope, llvm::StringRef name) {
  const ModuleBinding *all = scope.find("__all__");
  llvm::ArrayRef<ast::Expr *> elements;
  if (all && all->value) {
    if (auto *list = llvm::dyn_cast<ast::List>(all->value))
      elements = list->elements;
    else if (auto *tuple = llvm::dyn_cast<ast::Tuple>(all->value))
      elements = tuple->elements;
  }
  if (elements.empty())
    return !name.starts_with("_");
  return llvm::any_of(elements, [&](const ast::Expr *element) {
    auto *text = llvm::dyn_cast<ast::StringLiteral>(element);
    // What cannot be read may name anything.
    return !text || text->value == name;
  });
}

FailureOr<Value> ModuleEvaluator::lookupStarImports(const SourceModule &module,
                                                    llvm::StringRef name, SourceRange range,
                                                    bool &found) {
  found = true;
  GlobalName key = std::make_pair(&module.scope, "*" + name.str());
  if (globalsInProgress.insert(key).second) {
    llvm::scope_exit leave([&] { globalsInProgress.erase(key); });
    for (const std::string &path : module.scope.getStarImports()) {
      if (isLanguageModule(path)) {
        if (hasLanguageMember(path, name))
          return getModuleMember(path, name, range);
        continue;
      }
      if (isHostPackage(path))
        continue;
      FoundModule file = imported->loader->find(path, module.path);
      if (file.kind != FoundModule::Kind::File)
        continue;
      FailureOr<Value> opened = openModule(file, path, range);
      if (mlir::failed(opened))
        return failure();
      const SourceModule &source = *opened->getIf<ModuleValue>()->source;
      if (!isExported(source.scope, name))
        continue;
      FailureOr<Value> value = lookupMember(source, name, range, found);
      if (found)
        return value;
      found = true;
    }
  }
  found = false;
  return failure();
}

void ModuleEvaluator::noteMissingStars(const SourceModule &module, Diagnostic &diagnostic) {
  for (const std::string &path : module.scope.getStarImports())
    if (!isLanguageModule(path) && !isHostPackage(path) &&
        !imported->loader->find(path, module.path))
      diagnostic.addNote(diagnostic.range, "it may come from the module '" + path +
                                               "', which is not found in " +
                                               describeRoots(module, path));
}

} // namespace tilec::irgen
