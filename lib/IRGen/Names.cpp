// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a name of a module means: module-level binding, predefined module, Python builtin. And what
// is found in the modules of the language.

#include "ModuleEvaluator.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {

/// Which names a module path has.
enum class ModuleKind {
  Unknown,
  Triton,
  Language,
  Math,
  Libdevice,
  Extra,
  TargetInfo,
  PropagateNan,
  Itertools,
  Functools,
  /// What TorchInductor's kernels import.
  InductorHelpers
};

static ModuleKind classifyModule(llvm::StringRef path) {
  if (path.consume_front("torch._inductor.")) {
    path.consume_front("runtime.");
    return llvm::StringSwitch<ModuleKind>(path)
        .Case("triton_helpers", ModuleKind::InductorHelpers)
        .Case("triton_helpers.libdevice", ModuleKind::Libdevice)
        .Case("triton_helpers.math", ModuleKind::Math)
        .Default(ModuleKind::Unknown);
  }
  return llvm::StringSwitch<ModuleKind>(path)
      .Case("triton", ModuleKind::Triton)
      .Cases({"triton.language", "triton.language.core", "triton.language.standard",
              "triton.language.random"},
             ModuleKind::Language)
      .Case("triton.language.math", ModuleKind::Math)
      .Cases({"triton.language.libdevice", "triton.language.extra.libdevice",
              "triton.language.extra.cuda.libdevice", "triton.language.extra.hip.libdevice",
              "triton.language.extra.intel.libdevice"},
             ModuleKind::Libdevice)
      .Cases({"triton.language.extra", "triton.language.extra.cuda", "triton.language.extra.hip",
              "triton.language.extra.cuda.gdc", "triton.language.extra.cuda.utils"},
             ModuleKind::Extra)
      .Case("triton.language.target_info", ModuleKind::TargetInfo)
      .Case("triton.language.PropagateNan", ModuleKind::PropagateNan)
      .Case("itertools", ModuleKind::Itertools)
      .Case("functools", ModuleKind::Functools)
      .Default(ModuleKind::Unknown);
}

bool isLanguageModule(llvm::StringRef path) { return classifyModule(path) != ModuleKind::Unknown; }

bool hasLanguageMember(llvm::StringRef path, llvm::StringRef name) {
  ModuleKind kind = classifyModule(path);
  unsigned place = kind == ModuleKind::Language    ? inLanguage
                   : kind == ModuleKind::Math      ? inMath
                   : kind == ModuleKind::Triton    ? inTriton
                   : kind == ModuleKind::Itertools ? inItertools
                   : kind == ModuleKind::Functools ? inFunctools
                                                   : inLibdevice;
  if (findBuiltin(name, place))
    return true;
  if (kind != ModuleKind::Language)
    return false;
  const ModuleBinding *library = getLibraryModule().scope.find(name);
  return findLanguageType(name) || (library && library->function && !name.starts_with("_"));
}

FailureOr<Value> ModuleEvaluator::lookup(const SourceModule &module, llvm::StringRef name,
                                         SourceRange range, bool &found) {
  FailureOr<Value> member = lookupMember(module, name, range, found);
  if (found)
    return member;
  found = true;
  if (module.hasPredefinedNames || module.isLibrary) {
    if (name == "tl")
      return Value(ModuleValue{"triton.language"});
    if (name == "triton")
      return Value(ModuleValue{"triton"});
  }
  if (const LanguageFunction *builtin = findBuiltin(name, inPython))
    return Value(BuiltinValue{builtin});
  found = false;
  return failure();
}

FailureOr<Value> ModuleEvaluator::lookupMember(const SourceModule &module, llvm::StringRef name,
                                               SourceRange range, bool &found) {
  found = true;
  if (!module.scope.findAll(name).empty())
    return evaluateBindings(module, module.scope, name, range);
  return lookupStarImports(module, name, range, found);
}

FailureOr<Value> ModuleEvaluator::evaluateBindings(const SourceModule &module,
                                                   const ModuleScope &scope, llvm::StringRef name,
                                                   SourceRange range,
                                                   const ast::FunctionDef *around) {
  using Kind = ModuleBinding::Kind;
  const ModuleBinding &binding = selectBinding(module, scope.findAll(name), name);
  if (binding.kind != Kind::Assignment && binding.kind != Kind::Member)
    return evaluateBinding(module, binding, name, range, around);
  GlobalName key = std::make_pair(&scope, name.str());
  auto known = globals.find(key);
  if (known != globals.end())
    return known->second;
  if (!globalsInProgress.insert(key).second)
    return state.error(range, binding.kind == Kind::Member
                                  ? "modules import '" + name + "' from each other in a circle"
                                  : "the value of '" + name + "' depends on itself");
  FailureOr<Value> value = evaluateBinding(module, binding, name, range, around);
  globalsInProgress.erase(key);
  globals[key] = mlir::succeeded(value) ? *value : Value::poison();
  return value;
}

/// `@tl.extern`, `@tl.builtin`: a function that hands its arguments to operations and libraries.
/// `@staticmethod` of an aggregate: one that makes objects.
static bool isPlainFunction(const ast::FunctionDef &function) {
  return llvm::any_of(function.decorators, [](const ast::Expr *decorator) {
    std::string dotted = "." + ast::getDottedName(decorator);
    llvm::StringRef name = llvm::StringRef(dotted).rsplit('.').second;
    return name == "extern" || name == "builtin" || name == "staticmethod";
  });
}

FailureOr<Value> ModuleEvaluator::evaluateBinding(const SourceModule &module,
                                                  const ModuleBinding &binding,
                                                  llvm::StringRef name, SourceRange range,
                                                  const ast::FunctionDef *around) {
  switch (binding.kind) {
  case ModuleBinding::Kind::Module:
    return importModule(module, binding, range);
  case ModuleBinding::Kind::Member:
    return importMember(module, binding, name, range);
  case ModuleBinding::Kind::Function:
    // Compile-time code, such as a list of configurations, may name helpers of the file, and call
    // those whose bodies can be evaluated.
    if (binding.function->isJit || binding.function->isConstexprFunction ||
        state.keepsConstants() || isPlainFunction(*binding.function))
      return Value(FunctionValue{binding.function, &module});
    return state.error(range, "'" + name +
                                  "' is a host function; only functions decorated with "
                                  "@triton.jit can be used in a kernel");
  case ModuleBinding::Kind::Class:
    return makeClass(module, *binding.classDef);
  case ModuleBinding::Kind::Assignment:
    break;
  }

  if (llvm::isa<ast::NoneLiteral>(binding.value) && module.scope.isSetByFunction(name))
    return state.error(range, "'" + name + "' is None until host code sets it, which is not run");
  FailureOr<Value> value = expressions.evaluateInModule(module, binding.value, around);
  if (mlir::succeeded(value) && binding.index >= 0) {
    const std::vector<Value> *elements = value->getTuple();
    if (!elements || static_cast<size_t>(binding.index) >= elements->size())
      return state.error(range, "the value of '" + name + "' cannot be unpacked");
    return (*elements)[binding.index];
  }
  return value;
}

FailureOr<Value> ModuleEvaluator::getInductorHelper(llvm::StringRef name, SourceRange range) {
  constexpr llvm::StringLiteral prefix = "_th_";
  const SourceModule &library = getLibraryModule();
  if (const ModuleBinding *binding = library.scope.find((prefix + name).str()))
    return Value(FunctionValue{binding->function, &library});
  std::vector<llvm::StringRef> candidates;
  for (llvm::StringRef candidate : library.scope.getNames())
    if (candidate.consume_front(prefix))
      candidates.push_back(candidate);
  return state.errorUnknown(range, "'triton_helpers' has no member '" + name + "'", name,
                            candidates);
}

/// Where the builtins of a module of the language stand, and what messages call the module.
struct ModulePlaces {
  unsigned places;
  llvm::StringRef name;
};

static ModulePlaces getPlaces(ModuleKind kind, llvm::StringRef path) {
  switch (kind) {
  case ModuleKind::Triton:
    return {inTriton, path};
  case ModuleKind::Itertools:
    return {inItertools, path};
  case ModuleKind::Functools:
    return {inFunctools, path};
  case ModuleKind::Extra:
    return {inExtra, "tl.extra"};
  case ModuleKind::Libdevice:
    return {inLibdevice, "libdevice"};
  case ModuleKind::Math:
    return {inMath, "tl.math"};
  case ModuleKind::Language:
    return {inLanguage, "tl"};
  default:
    return {0, path};
  }
}

/// A function that is written in the language; the names of all of them go to `candidates`.
static std::optional<Value> findLibraryMember(ModuleKind kind, llvm::StringRef name,
                                              std::vector<llvm::StringRef> &candidates) {
  const SourceModule &library = getLibraryModule();
  // Older kernels find libdevice's functions in tl.math.
  if (kind == ModuleKind::Libdevice || kind == ModuleKind::Math) {
    if (const ModuleBinding *binding = library.scope.find(("_nv_" + name).str()))
      return Value(FunctionValue{binding->function, &library});
    for (llvm::StringRef candidate : library.scope.getNames())
      if (candidate.consume_front("_nv_"))
        candidates.push_back(candidate);
  }
  if (kind == ModuleKind::Language || kind == ModuleKind::Math ||
      (kind == ModuleKind::Triton && name == "cdiv")) {
    const ModuleBinding *binding = library.scope.find(name);
    if (binding && binding->function && !name.starts_with("_"))
      return Value(FunctionValue{binding->function, &library});
    for (llvm::StringRef candidate : library.scope.getNames())
      if (!candidate.starts_with("_"))
        candidates.push_back(candidate);
  }
  return std::nullopt;
}

/// What `tl` has beside functions: types, and what older kernels take default arguments from.
static std::optional<Value> findLanguageConstant(llvm::StringRef name) {
  if (std::optional<DType> type = findLanguageType(name))
    return Value(Constant(*type));
  return llvm::StringSwitch<std::optional<Value>>(name)
      .Case("CONSTEXPR_0", Value::integer(0))
      .Case("pi32_t", Value(Constant(DType::pointerTo(ScalarKind::Int32, /*isConst=*/false))))
      .Case("TRITON_MAX_TENSOR_NUMEL", Value::integer(1048576))
      .Default(std::nullopt);
}

FailureOr<Value> ModuleEvaluator::getMember(const ModuleValue &module, llvm::StringRef name,
                                            SourceRange range) {
  return module.source || !module.folder.empty() ? getFileMember(module, name, range)
                                                 : getModuleMember(module.path, name, range);
}

FailureOr<Value> ModuleEvaluator::getModuleMember(llvm::StringRef path, llvm::StringRef name,
                                                  SourceRange range) {
  ModuleKind kind = classifyModule(path);
  std::string child = (path + "." + name).str();
  if (kind != ModuleKind::Unknown && classifyModule(child) != ModuleKind::Unknown)
    return Value(ModuleValue{child});
  if (kind == ModuleKind::Unknown) {
    if (std::optional<Value> fact = getHostFact(child))
      return *fact;
    if (std::optional<Value> guess = guessModule(path, name))
      return *guess;
    // It may lead to something that is known.
    return Value(ModuleValue{child});
  }
  // Answered when they are called.
  if (kind == ModuleKind::TargetInfo)
    return Value(ModuleValue{child});
  if (kind == ModuleKind::PropagateNan) {
    if (name == "NONE" || name == "ALL")
      return Value(Constant(name.lower()));
    return state.error(range, "'tl.PropagateNan' has no member '" + name + "'");
  }
  if (kind == ModuleKind::InductorHelpers)
    return getInductorHelper(name, range);

  auto [places, shown] = getPlaces(kind, path);
  if (const LanguageFunction *builtin =
          findBuiltin(name, places | (state.isInLibrary() ? inLibrary : 0)))
    return Value(BuiltinValue{builtin});
  std::vector<llvm::StringRef> candidates = getBuiltinNames(places);
  if (std::optional<Value> function = findLibraryMember(kind, name, candidates))
    return *function;
  if (kind == ModuleKind::Language) {
    if (std::optional<Value> constant = findLanguageConstant(name))
      return *constant;
    candidates.insert(candidates.end(), getLanguageTypeNames().begin(),
                      getLanguageTypeNames().end());
  }
  // Older kernels find libdevice's functions in tl.math.
  if (kind == ModuleKind::Math)
    if (const LanguageFunction *builtin = findBuiltin(name, inLibdevice | inLanguage))
      return Value(BuiltinValue{builtin});
  if (kind == ModuleKind::Triton) {
    if (std::optional<Value> fact = getHostFact(child))
      return *fact;
    bool isHostModule = name == "runtime" || name == "tools" || name == "backends";
    if (isHostModule && state.keepsConstants())
      return Value(ModuleValue{child});
  }
  return state.errorUnknown(range, "'" + shown + "' has no member '" + name + "'", name,
                            candidates);
}

} // namespace tilec::irgen
