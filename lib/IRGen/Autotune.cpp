// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decorators of kernels: the configurations of @triton.autotune and the functions of
// @triton.heuristics, evaluated by the same evaluator as kernels.

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

void Generator::readDecorators(const SourceModule &module, const ast::FunctionDef &kernel,
                               KernelInfo &info, bool complain) {
  for (const ast::Expr *decorator : kernel.decorators) {
    if (const ast::Call *call = getDecoratorCall(decorator, "autotune")) {
      // What host code computes is no error of the kernel.
      if (const ast::Expr *configs = getCallArgument(*call, 0, "configs"))
        if (FailureOr<Value> list = Trial(*this, module)->evaluateInModule(module, configs);
            mlir::failed(list) || mlir::failed(readConfigs(*list, info.configs))) {
          info.configs.clear();
          info.unknownConfigs = configs->range;
          if (complain)
            diagnostics.warning(configs->range,
                                "these configurations of '" + kernel.name +
                                    "' are not known at compile time and are not used",
                                warnings::kAutotune);
        }
      auto strings = [&](const ast::Expr *list) {
        return list ? getStrings(Trial(*this, module)->evaluateInModule(module, list))
                    : std::vector<std::string>();
      };
      info.autotuneKey = strings(getCallArgument(*call, 1, "key"));
      info.resetToZero = strings(getCallArgument(*call, 3, "reset_to_zero"));
      info.restoreValue = strings(getCallArgument(*call, 4, "restore_value"));
      const ast::Expr *pruning = getCallArgument(*call, 2, "prune_configs_by");
      if (pruning && !llvm::isa<ast::NoneLiteral>(pruning))
        readPruning(module, pruning, info);
    }
    if (const ast::Call *call = getDecoratorCall(decorator, "heuristics")) {
      auto heuristics = Trial(*this, module)->getHeuristics(module, *call);
      if (mlir::succeeded(heuristics))
        for (const Heuristic &heuristic : *heuristics)
          info.heuristics.push_back(heuristic.name);
    }
  }
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

void Generator::readPruning(const SourceModule &module, const ast::Expr *pruning,
                            KernelInfo &info) {
  info.hostPruning = pruning->range;
  info.hasEarlyPruning = getEntry(pruning, "early_config_prune") != nullptr;
  info.hasPerfModel = getEntry(pruning, "perf_model") != nullptr;
  const ast::Expr *top = getEntry(pruning, "top_k");
  FailureOr<Value> value =
      top ? Trial(*this, module)->evaluateInModule(module, top) : FailureOr<Value>(failure());
  if (mlir::failed(value) || !value->getConstant())
    return;
  const Constant &number = *value->getConstant();
  if (number.isInt())
    info.topCount = number.toInt().toInt64Saturated();
  else if (number.isFloat())
    info.topPart = number.getFloat();
}

FailureOr<std::vector<AutotuneConfig>>
Generator::pruneConfigs(const ast::Module &module, llvm::StringRef kernel,
                        llvm::ArrayRef<std::pair<std::string, int64_t>> integers) {
  llvm::StringRef fileName;
  if (const SourceBuffer *buffer = sources.getBuffer(module.file))
    fileName = buffer->getName();
  SourceModule source(module, /*library=*/false, /*predefined=*/!fileName.ends_with(".py"),
                      fileName);
  const ast::FunctionDef *function = module.findJitFunction(kernel);
  const ast::Call *call = nullptr;
  for (const ast::Expr *decorator : function ? function->decorators : llvm::ArrayRef<ast::Expr *>())
    if (const ast::Call *found = getDecoratorCall(decorator, "autotune"))
      call = found;
  const ast::Expr *pruning = call ? getCallArgument(*call, 2, "prune_configs_by") : nullptr;
  const ast::Expr *early = pruning ? getEntry(pruning, "early_config_prune") : nullptr;
  const ast::Expr *configs = call ? getCallArgument(*call, 0, "configs") : nullptr;
  if (!early || !configs)
    return error(SourceRange(), "there is no function");
  FailureOr<Value> list = evaluateInModule(source, configs);
  FailureOr<Value> prune = evaluateInModule(source, early);
  if (mlir::failed(list) || mlir::failed(prune))
    return failure();
  std::vector<std::pair<std::string, Value>> named;
  for (const auto &[name, value] : integers)
    named.emplace_back(name, Value::integer(value));
  Value arguments = Value::dict(std::move(named));
  Frame inner;
  inner.module = &source;
  inner.keepsConstants = true;
  FailureOr<Value> left = evaluateApart(inner, early->range, "the list of configurations", [&] {
    return this->call(*prune,
                      {CallArg{"", *list, early->range}, CallArg{"", arguments, early->range}},
                      early->range);
  });
  std::vector<AutotuneConfig> result;
  if (mlir::failed(left) || mlir::failed(readConfigs(*left, result)))
    return failure();
  return result;
}

LogicalResult Generator::readConfigs(const Value &configs, std::vector<AutotuneConfig> &list) {
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
      else if (name == "maxnreg" && isInt)
        config.maxRegisters = static_cast<int>(constant->toInt().toInt64Saturated());
      else if (name == "maxnreg" && constant->isNone())
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

void Generator::applyAutotune(const SourceModule &module, const KernelInfo &info,
                              KernelBinding &binding, llvm::ArrayRef<llvm::StringRef> params) {
  for (const std::string &name : info.heuristics)
    binding.fromHeuristics.insert(name);
  std::optional<int> numWarps, numStages;
  // The first configuration serves for what the caller did not choose.
  if (!info.configs.empty()) {
    const AutotuneConfig &config = info.configs.front();
    bool used = config.constants.empty();
    for (const auto &[name, text] : config.constants) {
      if (binding.values.count(name) || !llvm::is_contained(params, name))
        continue;
      FailureOr<Value> value = evaluateConstantText(module, name, text);
      if (mlir::failed(value))
        continue;
      binding.values[name] = *value;
      used = true;
    }
    if (used) {
      numWarps = config.numWarps;
      numStages = config.numStages;
    }
  }
  binding.numWarps = options.numWarps.value_or(numWarps.value_or(4));
  binding.numStages = options.numStages.value_or(numStages.value_or(3));
}

FailureOr<std::vector<Generator::Heuristic>> Generator::getHeuristics(const SourceModule &module,
                                                                      const ast::Call &decorator) {
  const ast::Expr *values = getCallArgument(decorator, 0, "values");
  if (!values)
    return error(decorator.range, "@triton.heuristics needs a dict of functions");
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
  FailureOr<Value> evaluated = evaluateInModule(module, values);
  if (mlir::failed(evaluated))
    return failure();
  const DictValue *entries = evaluated->getIf<DictValue>();
  if (!entries)
    return error(values->range,
                 "@triton.heuristics needs a dict of functions, got " + evaluated->describe());
  for (const auto &[name, function] : *entries->entries)
    heuristics.push_back({name, nullptr, function, values->range});
  return heuristics;
}

LogicalResult Generator::runHeuristics(const SourceModule &module, const ast::FunctionDef &kernel,
                                       KernelBinding &binding) {
  LogicalResult result = success();
  // Runtime arguments stand in the dict with their types: that they are not None can be asked. For
  // one launch their values may be known.
  DetachedBlock placeholders;
  std::vector<std::pair<std::string, Value>> runtime;
  for (const RuntimeParam &param : binding.runtime) {
    auto known = llvm::find_if(options.heuristicArguments, [&](const auto &argument) {
      return argument.first == param.param->name;
    });
    if (known != options.heuristicArguments.end()) {
      runtime.emplace_back(known->first, Value::integer(known->second));
      continue;
    }
    Type type(param.type.type);
    mlir::Value value = placeholders.get()->addArgument(lower(type), getLocation());
    runtime.emplace_back(param.param->name.str(), Value::runtime(value, type));
  }
  // Decorators apply from the innermost outwards, but a later one may use what an earlier one set.
  for (const ast::Expr *decorator : kernel.decorators) {
    const ast::Call *call = getDecoratorCall(decorator, "heuristics");
    if (!call)
      continue;
    // What host code computes is no error of the kernel: the caller gives the values.
    FailureOr<std::vector<Heuristic>> heuristics =
        Trial(*this, module)->getHeuristics(module, *call);
    if (mlir::failed(heuristics)) {
      diagnostics.warning(call->range,
                          "these heuristics of '" + kernel.name +
                              "' are not known at compile time and are not used",
                          warnings::kAutotune);
      continue;
    }
    for (const Heuristic &heuristic : *heuristics) {
      // A type is all that a run-time argument needs here: the launch gives its value.
      bool hasType = llvm::any_of(binding.runtime, [&](const RuntimeParam &param) {
        return param.param->name == heuristic.name;
      });
      if (hasType || binding.values.count(heuristic.name))
        continue;
      std::vector<std::pair<std::string, Value>> known = runtime;
      for (const ast::Param &param : kernel.params) {
        auto value = binding.values.find(param.name);
        if (value != binding.values.end())
          known.emplace_back(param.name.str(), value->second);
      }
      known.emplace_back("num_warps", Value::integer(binding.numWarps));
      known.emplace_back("num_stages", Value::integer(binding.numStages));
      FailureOr<Value> function = heuristic.function;
      if (heuristic.expr)
        function = evaluateInModule(module, heuristic.expr);
      if (mlir::failed(function))
        return failure();
      Value args = Value::dict(std::move(known));
      FailureOr<Value> value = callForHeuristic(*function, args, heuristic.range);
      if (mlir::failed(value)) {
        result =
            error(heuristic.range, "the heuristic for '" + heuristic.name +
                                       "' needs values that are not known at compile time; give '" +
                                       heuristic.name + "' a value");
        continue;
      }
      binding.values[heuristic.name] = *value;
    }
  }
  return result;
}

FailureOr<Value> Generator::callForHeuristic(const Value &function, const Value &args,
                                             SourceRange range) {
  // Why it failed is told in one sentence by the caller.
  Trial trial(*this);
  FailureOr<Value> value = trial->call(function, CallArg{"", args, range}, range);
  if (mlir::succeeded(value) && hasProgramValues(*value))
    return failure();
  return value;
}

std::vector<KernelInfo> Generator::listKernels(const ast::Module &module, bool hidden) {
  llvm::StringRef fileName;
  if (const SourceBuffer *buffer = sources.getBuffer(module.file))
    fileName = buffer->getName();
  SourceModule source(module, /*library=*/false, /*predefined=*/!fileName.ends_with(".py"),
                      fileName);
  std::vector<KernelInfo> kernels;
  std::vector<const ast::FunctionDef *> entries = getEntryKernels(module, hidden);
  auto jitFunctions = module.getJitFunctions();
  for (const ast::FunctionDef *function : getKernels(module, hidden)) {
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
    readDecorators(source, *function, info, /*complain=*/true);
    info.isEntry = llvm::is_contained(entries, function);
    kernels.push_back(std::move(info));
  }
  return kernels;
}

} // namespace tilec::irgen
