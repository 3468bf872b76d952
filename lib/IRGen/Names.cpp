// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a name means: local variable, module-level binding, predefined module, Python builtin. And
// what is found in the modules of the language.

#include "Generator.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {

/// Which names a module path has.
enum class ModuleKind { Unknown, Triton, Language, Math, Libdevice, Extra, PropagateNan };

static ModuleKind classifyModule(llvm::StringRef path) {
  return llvm::StringSwitch<ModuleKind>(path)
      .Case("triton", ModuleKind::Triton)
      .Cases({"triton.language", "triton.language.core", "triton.language.standard",
              "triton.language.random"},
             ModuleKind::Language)
      .Case("triton.language.math", ModuleKind::Math)
      .Cases({"triton.language.libdevice", "triton.language.extra.libdevice",
              "triton.language.extra.cuda.libdevice", "triton.language.extra.hip.libdevice"},
             ModuleKind::Libdevice)
      .Cases({"triton.language.extra", "triton.language.extra.cuda", "triton.language.extra.hip"},
             ModuleKind::Extra)
      .Case("triton.language.PropagateNan", ModuleKind::PropagateNan)
      .Default(ModuleKind::Unknown);
}

std::vector<llvm::StringRef> Generator::getVisibleNames() {
  std::vector<llvm::StringRef> names;
  for (const auto &variable : frame->variables)
    if (!variable.second.isPoison())
      names.push_back(variable.first);
  llvm::sort(names);
  for (llvm::StringRef name : frame->module->scope.getNames())
    names.push_back(name);
  for (llvm::StringRef name : getBuiltinNames(inPython))
    names.push_back(name);
  return names;
}

FailureOr<Value> Generator::evaluateName(const ast::Name &name) {
  auto local = frame->variables.find(name.id);
  if (local != frame->variables.end()) {
    if (const PoisonValue *poisoned = local->second.getIf<PoisonValue>()) {
      if (!poisoned->message.empty())
        return error(name.range, poisoned->message);
      return failure();
    }
    return local->second;
  }
  bool found = false;
  FailureOr<Value> value = lookup(*frame->module, name.id, name.range, found);
  if (found)
    return value;
  if (frame->function) {
    ast::NameSet assigned;
    ast::collectAssignedNames(frame->function->body, assigned);
    if (assigned.contains(name.id))
      return error(name.range, "variable '" + name.id + "' is used before it is assigned");
  }
  return errorUnknown(name.range, "unknown name '" + name.id + "'", name.id, getVisibleNames());
}

FailureOr<Value> Generator::lookup(const SourceModule &module, llvm::StringRef name,
                                   SourceRange range, bool &found) {
  found = true;
  if (const ModuleBinding *binding = module.scope.find(name))
    return evaluateBinding(module, *binding, name, range);
  if (module.hasPredefinedNames || module.isLibrary) {
    if (name == "tl")
      return Value(ModuleValue{"triton.language"});
    if (name == "triton")
      return Value(ModuleValue{"triton"});
  }
  for (const std::string &path : module.scope.getStarImports()) {
    ModuleKind kind = classifyModule(path);
    if (kind == ModuleKind::Unknown)
      continue;
    unsigned place = kind == ModuleKind::Language ? inLanguage
                     : kind == ModuleKind::Math   ? inMath
                                                  : inLibdevice;
    if (findBuiltin(name, place) || findLanguageType(name))
      return getModuleMember(path, name, range);
  }
  if (const Builtin *builtin = findBuiltin(name, inPython))
    return Value(BuiltinValue{builtin});
  found = false;
  return failure();
}

FailureOr<Value> Generator::evaluateBinding(const SourceModule &module,
                                            const ModuleBinding &binding, llvm::StringRef name,
                                            SourceRange range) {
  switch (binding.kind) {
  case ModuleBinding::Kind::Module:
    return Value(ModuleValue{binding.path});
  case ModuleBinding::Kind::Member:
    if (classifyModule(binding.path) == ModuleKind::Unknown) {
      // Libraries re-export these modules; generated kernels import them from there.
      if (binding.member == "libdevice")
        return Value(ModuleValue{"triton.language.extra.libdevice"});
      if (binding.member == "math" && llvm::StringRef(binding.path).ends_with("triton_helpers"))
        return Value(ModuleValue{"triton.language.math"});
      return error(range, "'" + name + "' comes from the module '" + binding.path +
                              "', which is not available at compile time");
    }
    return getModuleMember(binding.path, binding.member, range);
  case ModuleBinding::Kind::Function:
    // Compile-time code, such as a list of configurations, may name helpers of the file, and call
    // those whose bodies were parsed.
    if (binding.function->isJit || binding.function->isConstexprFunction ||
        (frame && frame->keepsConstants))
      return Value(FunctionValue{binding.function, &module});
    return error(range, "'" + name +
                            "' is a host function; only functions decorated with "
                            "@triton.jit can be used in a kernel");
  case ModuleBinding::Kind::Class:
    return error(range, "class '" + name + "' is not supported in a kernel");
  case ModuleBinding::Kind::Assignment:
    break;
  }

  auto key = std::make_pair(&module, name.str());
  auto known = globals.find(key);
  if (known != globals.end())
    return known->second;
  if (!globalsInProgress.insert(key).second)
    return error(range, "the value of '" + name + "' depends on itself");
  FailureOr<Value> value = evaluateInModule(module, binding.value);
  globalsInProgress.erase(key);
  if (mlir::succeeded(value) && value->isRuntime())
    value = error(range, "the value of '" + name + "' is not known at compile time");
  if (mlir::succeeded(value) && binding.index >= 0) {
    const std::vector<Value> *elements = value->getTuple();
    if (!elements || static_cast<size_t>(binding.index) >= elements->size())
      value = error(range, "the value of '" + name + "' cannot be unpacked");
    else
      value = (*elements)[binding.index];
  }
  globals[key] = mlir::succeeded(value) ? *value : Value::poison();
  return value;
}

FailureOr<Value> Generator::evaluateInModule(const SourceModule &module, const ast::Expr *expr) {
  Frame inner;
  inner.module = &module;
  inner.keepsConstants = true;
  inner.depth = frame ? frame->depth : 0;
  inner.caller = frame;
  inner.callSite = frame ? current : SourceRange();
  // Constant expressions emit nothing that lasts: what they emit goes to a block thrown away.
  DetachedBlock scratch;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(scratch.get());
  llvm::SaveAndRestore<Frame *> activation(frame, &inner);
  return evaluate(expr);
}

FailureOr<Value> Generator::getModuleMember(llvm::StringRef path, llvm::StringRef name,
                                            SourceRange range) {
  ModuleKind kind = classifyModule(path);
  std::string child = (path + "." + name).str();
  if (kind != ModuleKind::Unknown && classifyModule(child) != ModuleKind::Unknown)
    return Value(ModuleValue{child});

  unsigned places = 0;
  llvm::StringRef shown = path;
  switch (kind) {
  case ModuleKind::Unknown:
    return error(range, "the module '" + path + "' is not available in a kernel");
  case ModuleKind::PropagateNan:
    if (name == "NONE" || name == "ALL")
      return Value(Constant(name.lower()));
    return error(range, "'tl.PropagateNan' has no member '" + name + "'");
  case ModuleKind::Triton:
    places = inTriton;
    break;
  case ModuleKind::Extra:
    shown = "tl.extra";
    break;
  case ModuleKind::Libdevice:
    places = inLibdevice;
    shown = "libdevice";
    break;
  case ModuleKind::Math:
    places = inMath;
    shown = "tl.math";
    break;
  case ModuleKind::Language:
    places = inLanguage;
    shown = "tl";
    break;
  }
  if (frame && frame->module && frame->module->isLibrary)
    places |= internal;
  if (const Builtin *builtin = findBuiltin(name, places))
    return Value(BuiltinValue{builtin});
  std::vector<llvm::StringRef> candidates = getBuiltinNames(places & ~internal);
  if (kind == ModuleKind::Language || kind == ModuleKind::Math ||
      (kind == ModuleKind::Triton && name == "cdiv")) {
    const SourceModule &library = getLibraryModule();
    const ModuleBinding *binding = library.scope.find(name);
    if (binding && binding->function && !name.starts_with("_"))
      return Value(FunctionValue{binding->function, &library});
    for (llvm::StringRef candidate : library.scope.getNames())
      if (!candidate.starts_with("_"))
        candidates.push_back(candidate);
  }
  if (kind == ModuleKind::Language) {
    if (std::optional<DType> type = findLanguageType(name))
      return Value(Constant(*type));
    candidates.insert(candidates.end(), getLanguageTypeNames().begin(),
                      getLanguageTypeNames().end());
  }
  // Older kernels find libdevice's functions in tl.math.
  if (kind == ModuleKind::Math)
    if (const Builtin *builtin = findBuiltin(name, inLibdevice | inLanguage))
      return Value(BuiltinValue{builtin});
  if (isKnownUnsupported(name))
    return error(range, "'" + shown + "." + name + "' is not supported yet");
  return errorUnknown(range, "'" + shown + "' has no member '" + name + "'", name, candidates);
}

} // namespace tilec::irgen
