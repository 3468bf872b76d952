// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decorators of kernels: the configurations of @triton.autotune and the functions of
// @triton.heuristics, evaluated by the same evaluator as kernels. And the list of kernels with what
// they say.

#include "KernelBinding.h"
#include "Trial.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {

/// The call of a decorator whose name ends in `name`, or null.
static const ast::Call *getDecoratorCall(const ast::Expr *decorator, llvm::StringRef name) {
  auto *call = llvm::dyn_cast<ast::Call>(decorator);
  if (!call)
    return nullptr;
  std::string dotted = ast::getDottedName(call->callee);
  llvm::StringRef text = dotted;
  return text == name || text.ends_with(("." + name).str()) ? call : nullptr;
}

/// The argument of a call at a position or by keyword, or null.
static const ast::Expr *getCallArgument(const ast::Call &call, size_t position,
                                        llvm::StringRef keyword) {
  for (const ast::KeywordArg &arg : call.keywords)
    if (arg.name == keyword)
      return arg.value;
  return position < call.args.size() ? call.args[position] : nullptr;
}

/// The strings of a compile-time list.
static std::vector<std::string> getStrings(const FailureOr<Value> &list) {
  std::vector<std::string> strings;
  if (mlir::succeeded(list) && list->getTuple())
    for (const Value &item : *list->getTuple())
      if (item.getConstant() && item.getConstant()->isString())
        strings.push_back(item.getConstant()->getString());
  return strings;
}

/// What a dict of literals has under a key, or null.
static const ast::Expr *getEntry(const ast::Expr *dict, llvm::StringRef key) {
  if (auto *literal = llvm::dyn_cast<ast::Dict>(dict))
    for (const ast::DictEntry &entry : literal->entries)
      if (auto *name = llvm::dyn_cast_or_null<ast::StringLiteral>(entry.key);
          name && name->value == key && !llvm::isa<ast::NoneLiteral>(entry.value))
        return entry.value;
  return nullptr;
}

/// A kernel may have a parameter that is called as the option split_k, which Triton does not know:
/// the constant of a configuration is meant then.
static LogicalResult readConfigs(const Value &configs, const ast::FunctionDef &kernel,
                                 std::vector<AutotuneConfig> &list) {
  bool hasSplitK =
      llvm::none_of(kernel.params, [](const ast::Param &param) { return param.name == "split_k"; });
  if (!configs.getTuple())
    return failure();
  for (const Value &item : *configs.getTuple()) {
    const DictValue *dict = item.getIf<DictValue>();
    if (!dict)
      return failure();
    AutotuneConfig config;
    for (const auto &[name, value] : *dict->entries) {
      const Constant *constant = value.getConstant();
      if (!constant)
        return failure();
      bool isInt = constant->isInt();
      if (name == "num_warps" && isInt)
        config.numWarps = static_cast<int>(constant->toInt().toInt64Saturated());
      else if (name == "num_stages" && isInt)
        config.numStages = static_cast<int>(constant->toInt().toInt64Saturated());
      else if (name == "num_ctas" && isInt)
        config.numCtas = static_cast<int>(constant->toInt().toInt64Saturated());
      else if (name == "split_k" && hasSplitK && isInt)
        config.splitK = static_cast<int>(constant->toInt().toInt64Saturated());
      else if (name == "maxnreg" && isInt)
        config.maxRegisters = static_cast<int>(constant->toInt().toInt64Saturated());
      else if ((name == "maxnreg" || (name == "split_k" && hasSplitK)) && constant->isNone())
        continue;
      else if (constant->isDType())
        config.constants.emplace_back(name, constant->getDType().getSignatureText());
      else
        config.constants.emplace_back(name, constant->repr());
    }
    list.push_back(std::move(config));
  }
  return success();
}

static void readPruning(Generator &g, const SourceModule &module, const ast::Expr *pruning,
                        KernelInfo &info) {
  info.hostPruning = pruning->range;
  info.hasEarlyPruning = getEntry(pruning, "early_config_prune") != nullptr;
  info.hasPerfModel = getEntry(pruning, "perf_model") != nullptr;
  const ast::Expr *top = getEntry(pruning, "top_k");
  FailureOr<Value> value =
      top ? g.getModules().evaluateAside(module, top) : FailureOr<Value>(failure());
  if (mlir::failed(value) || !value->getConstant())
    return;
  const Constant &number = *value->getConstant();
  if (number.isInt())
    info.topCount = number.toInt().toInt64Saturated();
  else if (number.isFloat())
    info.topPart = number.getFloat();
}

namespace {
/// One entry of @triton.heuristics: the parameter, and what computes it, as it stands or, where the
/// dict is written elsewhere, evaluated.
struct Heuristic {
  std::string name;
  const ast::Expr *expr = nullptr;
  Value function;
  SourceRange range;
};
} // namespace

static FailureOr<std::vector<Heuristic>> getHeuristics(Generator &g, const SourceModule &module,
                                                       const ast::Call &decorator) {
  const ast::Expr *values = getCallArgument(decorator, 0, "values");
  if (!values)
    return g.error(decorator.range, "@triton.heuristics needs a dict of functions");
  std::vector<Heuristic> heuristics;
  auto *dict = llvm::dyn_cast<ast::Dict>(values);
  bool isPlain = dict && llvm::all_of(dict->entries, [](const ast::DictEntry &entry) {
                   return llvm::isa_and_nonnull<ast::StringLiteral>(entry.key);
                 });
  if (isPlain) {
    for (const ast::DictEntry &entry : dict->entries)
      heuristics.push_back({llvm::cast<ast::StringLiteral>(entry.key)->value.str(), entry.value,
                            Value(), entry.value->range});
    return heuristics;
  }
  FailureOr<Value> evaluated = g.evaluateInModule(module, values);
  if (mlir::failed(evaluated))
    return failure();
  const DictValue *entries = evaluated->getIf<DictValue>();
  if (!entries)
    return g.error(values->range,
                   "@triton.heuristics needs a dict of functions, got " + evaluated->describe());
  for (const auto &[name, function] : *entries->entries)
    heuristics.push_back({name, nullptr, function, values->range});
  return heuristics;
}

void readDecorators(Generator &g, const SourceModule &module, const ast::FunctionDef &kernel,
                    KernelInfo &info, bool complain) {
  for (const ast::Expr *decorator : kernel.decorators) {
    if (const ast::Call *call = getDecoratorCall(decorator, "autotune")) {
      // What host code computes is no error of the kernel.
      if (const ast::Expr *configs = getCallArgument(*call, 0, "configs"))
        if (FailureOr<Value> list = g.getModules().evaluateAside(module, configs);
            mlir::failed(list) || mlir::failed(readConfigs(*list, kernel, info.configs))) {
          info.configs.clear();
          info.unknownConfigs = configs->range;
          if (complain)
            g.getDiagnostics().warning(configs->range,
                                       "these configurations of '" + kernel.name +
                                           "' are not known at compile time and are not used",
                                       warnings::kAutotune);
        }
      auto strings = [&](const ast::Expr *list) {
        return list ? getStrings(g.getModules().evaluateAside(module, list))
                    : std::vector<std::string>();
      };
      info.autotuneKey = strings(getCallArgument(*call, 1, "key"));
      info.resetToZero = strings(getCallArgument(*call, 3, "reset_to_zero"));
      info.restoreValue = strings(getCallArgument(*call, 4, "restore_value"));
      const ast::Expr *pruning = getCallArgument(*call, 2, "prune_configs_by");
      if (pruning && !llvm::isa<ast::NoneLiteral>(pruning))
        readPruning(g, module, pruning, info);
    }
    if (const ast::Call *call = getDecoratorCall(decorator, "heuristics")) {
      auto heuristics = getHeuristics(*Trial(g, module), module, *call);
      if (mlir::succeeded(heuristics))
        for (const Heuristic &heuristic : *heuristics)
          info.heuristics.push_back(heuristic.name);
    }
  }
}

void KernelBinding::applyAutotune(const KernelInfo &info, llvm::ArrayRef<llvm::StringRef> params) {
  for (const std::string &name : info.heuristics)
    fromHeuristics.insert(name);
  // The first configuration serves for what the caller did not choose.
  if (!info.configs.empty()) {
    const AutotuneConfig &config = info.configs.front();
    bool used = config.constants.empty();
    for (const auto &[name, text] : config.constants) {
      if (values.count(name) || !llvm::is_contained(params, name))
        continue;
      FailureOr<Value> value = evaluateConstantText(name, text);
      if (mlir::failed(value))
        continue;
      values[name] = *value;
      used = true;
    }
    if (used) {
      numWarps = config.numWarps.value_or(numWarps);
      numStages = config.numStages.value_or(numStages);
    }
  }
  numWarps = g.getOptions().numWarps.value_or(numWarps);
  numStages = g.getOptions().numStages.value_or(numStages);
}

static FailureOr<Value> callForHeuristic(Generator &g, const Value &function, const Value &args,
                                         SourceRange range) {
  // Why it failed is told in one sentence by the caller.
  Trial trial(g);
  FailureOr<Value> value = trial->call(function, CallArg{"", args, range}, range);
  if (mlir::succeeded(value) && hasProgramValues(*value))
    return failure();
  return value;
}

LogicalResult KernelBinding::runHeuristics() {
  LogicalResult result = success();
  // Runtime arguments stand in the dict with their types: that they are not None can be asked. For
  // one launch their values may be known.
  DetachedBlock placeholders;
  KeyedValues given;
  for (const RuntimeParam &param : runtime) {
    auto known = llvm::find_if(g.getOptions().heuristicArguments, [&](const auto &argument) {
      return argument.first == param.param->name;
    });
    if (known != g.getOptions().heuristicArguments.end()) {
      given.emplace_back(known->first, Value::integer(known->second));
      continue;
    }
    Type type(param.type.type);
    mlir::Value value = placeholders.get()->addArgument(g.lower(type), g.getLocation());
    given.emplace_back(param.param->name.str(), Value::runtime(value, type));
  }
  // Decorators apply from the innermost outwards, but a later one may use what an earlier one set.
  for (const ast::Expr *decorator : kernel.decorators) {
    const ast::Call *call = getDecoratorCall(decorator, "heuristics");
    if (!call)
      continue;
    // What host code computes is no error of the kernel: the caller gives the values.
    FailureOr<std::vector<Heuristic>> heuristics = getHeuristics(*Trial(g, module), module, *call);
    if (mlir::failed(heuristics)) {
      g.getDiagnostics().warning(call->range,
                                 "these heuristics of '" + kernel.name +
                                     "' are not known at compile time and are not used",
                                 warnings::kAutotune);
      continue;
    }
    for (const Heuristic &heuristic : *heuristics) {
      // A type is all that a run-time argument needs here: the launch gives its value.
      bool hasType = llvm::any_of(
          runtime, [&](const RuntimeParam &param) { return param.param->name == heuristic.name; });
      if (hasType || values.count(heuristic.name))
        continue;
      KeyedValues known = given;
      for (const ast::Param &param : kernel.params) {
        auto value = values.find(param.name);
        if (value != values.end())
          known.emplace_back(param.name.str(), value->second);
      }
      known.emplace_back("num_warps", Value::integer(numWarps));
      known.emplace_back("num_stages", Value::integer(numStages));
      FailureOr<Value> function = heuristic.function;
      if (heuristic.expr)
        function = g.evaluateInModule(module, heuristic.expr);
      if (mlir::failed(function))
        return failure();
      Value args = Value::dict(std::move(known));
      FailureOr<Value> value = callForHeuristic(g, *function, args, heuristic.range);
      if (mlir::failed(value)) {
        result = g.error(heuristic.range,
                         "the heuristic for '" + heuristic.name +
                             "' needs values that are not known at compile time; give '" +
                             heuristic.name + "' a value");
        continue;
      }
      values[heuristic.name] = *value;
    }
  }
  return result;
}

static FailureOr<std::vector<AutotuneConfig>>
pruneConfigs(Generator &g, const ast::Module &module, llvm::StringRef kernel,
             llvm::ArrayRef<std::pair<std::string, int64_t>> integers) {
  SourceModule source(module, g.getSources());
  const ast::FunctionDef *function = module.findJitFunction(kernel);
  const ast::Call *call = nullptr;
  for (const ast::Expr *decorator : function ? function->decorators : llvm::ArrayRef<ast::Expr *>())
    if (const ast::Call *found = getDecoratorCall(decorator, "autotune"))
      call = found;
  const ast::Expr *pruning = call ? getCallArgument(*call, 2, "prune_configs_by") : nullptr;
  const ast::Expr *early = pruning ? getEntry(pruning, "early_config_prune") : nullptr;
  const ast::Expr *configs = call ? getCallArgument(*call, 0, "configs") : nullptr;
  if (!early || !configs)
    return g.error(SourceRange(), "there is no function");
  FailureOr<Value> list = g.evaluateInModule(source, configs);
  FailureOr<Value> prune = g.evaluateInModule(source, early);
  if (mlir::failed(list) || mlir::failed(prune))
    return failure();
  KeyedValues named;
  for (const auto &[name, value] : integers)
    named.emplace_back(name, Value::integer(value));
  Value arguments = Value::dict(std::move(named));
  Frame inner;
  inner.module = &source;
  inner.keepsConstants = true;
  FailureOr<Value> left = g.evaluateApart(inner, early->range, "the list of configurations", [&] {
    return g.call(*prune, {CallArg{"", *list, early->range}, CallArg{"", arguments, early->range}},
                  early->range);
  });
  std::vector<AutotuneConfig> result;
  if (mlir::failed(left) || mlir::failed(readConfigs(*left, *function, result)))
    return failure();
  return result;
}

} // namespace tilec::irgen

namespace tilec {

llvm::Expected<std::vector<AutotuneConfig>>
pruneConfigs(const ast::Module &module, SourceManager &sources, llvm::StringRef kernel,
             llvm::ArrayRef<std::pair<std::string, int64_t>> integers, ModuleLoader *modules) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticEngine aside;
  IRGenOptions options;
  options.modules = modules;
  irgen::Generator g(context, sources, options, aside);
  mlir::FailureOr<std::vector<AutotuneConfig>> configs =
      irgen::pruneConfigs(g, module, kernel, integers);
  if (mlir::succeeded(configs))
    return std::move(*configs);
  for (const Diagnostic &diagnostic : aside.getDiagnostics())
    if (diagnostic.severity == Severity::Error) {
      std::string place;
      if (diagnostic.range.isValid())
        place = "line " + std::to_string(sources.getLineColumn(diagnostic.range).line) + ": ";
      return llvm::createStringError(place + diagnostic.message);
    }
  return llvm::createStringError("its result is no list of configurations");
}

std::vector<KernelInfo> listKernels(const ast::Module &module, SourceManager &sources,
                                    DiagnosticEngine &diagnostics, ModuleLoader *modules,
                                    bool hidden) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IRGenOptions options;
  options.modules = modules;
  irgen::Generator g(context, sources, options, diagnostics);
  irgen::SourceModule source(module, sources);
  std::vector<KernelInfo> kernels;
  std::vector<const ast::FunctionDef *> entries = irgen::getEntryKernels(module, hidden);
  auto jitFunctions = module.getJitFunctions();
  for (const ast::FunctionDef *function : irgen::getKernels(module, hidden)) {
    KernelInfo info;
    bool isFound = jitFunctions.lookup(function->name) == function;
    info.name = isFound ? function->name.str() : ast::getQualifiedName(*function);
    info.range = function->nameRange;
    for (const ast::Param &param : function->params) {
      ParamAnnotation annotation = classifyAnnotation(param.annotation);
      KernelParam::Kind kind =
          annotation.kind == ParamAnnotation::Kind::Constexpr ? KernelParam::Kind::Constexpr
          : annotation.kind == ParamAnnotation::Kind::Typed   ? KernelParam::Kind::Typed
                                                              : KernelParam::Kind::Plain;
      info.params.push_back(
          {param.name.str(), kind, annotation.typeText, param.defaultValue != nullptr});
    }
    irgen::readDecorators(g, source, *function, info, /*complain=*/true);
    info.isEntry = llvm::is_contained(entries, function);
    kernels.push_back(std::move(info));
  }
  return kernels;
}

} // namespace tilec
