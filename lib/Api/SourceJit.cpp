// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceJit.h.

#include "SourceJit.h"

#include "tilec/Sema/ModuleLoader.h"
#include "tilec/Sema/ParamUse.h"
#include "tilec/Sema/Signature.h"
#include "tilec/Support/Processor.h"
#include "tilec/Tuning/SearchSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>

using namespace tilec;
using namespace tilec::api;
using llvm::ArrayRef;

/// Never destroyed: threads may outlive the end of main.
static CompilerObject &compilers() {
  static CompilerObject &pool = *new CompilerObject;
  return pool;
}

//===----------------------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------------------===//

/// Looks names up among the parameters.
template <typename Mark>
static tilec_status markNames(std::vector<JitParameter> &parameters, const char *const *names,
                              size_t count, const char *what, Mark mark) {
  if (!names && count != 0)
    return invalid(std::string("options: ") + what + " is null, its number is " +
                   std::to_string(count));
  for (const char *name : ArrayRef(names, count)) {
    if (!name)
      return invalid(std::string("options: a name in ") + what + " is null");
    auto found = llvm::find_if(parameters, [&](const auto &other) { return other.name == name; });
    if (found == parameters.end())
      return invalid(std::string("options: ") + what + " names '" + name +
                     "', which is no parameter of the kernel");
    mark(*found);
  }
  return TILEC_OK;
}

/// Adds what the program says of parameters.
static tilec_status readAnnotations(std::vector<JitParameter> &parameters,
                                    const tilec_binding *bindings, size_t count) {
  if (!bindings && count != 0)
    return invalid("options: parameters are null, their number is " + std::to_string(count));
  for (const tilec_binding &binding : ArrayRef(bindings, count)) {
    if (!binding.name || !binding.text)
      return invalid("options: name or text of a parameter is null");
    llvm::StringRef type = binding.text;
    std::variant<SignatureType, std::string> parsed = parseSignature(type);
    if (auto *problem = std::get_if<std::string>(&parsed);
        problem && type != "constexpr" && type != "const")
      return invalid("options: parameter '" + std::string(binding.name) + "': " + *problem);
    auto isIt = [&](const JitParameter &other) { return other.name == binding.name; };
    auto found = llvm::find_if(parameters, isIt);
    if (found == parameters.end())
      return invalid("options: parameters name '" + std::string(binding.name) +
                     "', which is no parameter of the kernel");
    if (type == "constexpr")
      found->isConstexpr = true;
    else if (type == "const")
      found->isConst = true;
    else
      found->type = type.str(), found->foldsOne = false;
  }
  return TILEC_OK;
}

tilec_status SourceJit::open(const tilec_jit_options &given) {
  if (!given.text && given.length != 0)
    return invalid("options: text is null, its length is " + std::to_string(given.length));
  name = given.name ? given.name : "<text>";
  text.assign(given.text ? given.text : "", given.length);
  compiled = given.compiled;
  context = given.context;
  if (tilec_status status = base.read(given.options))
    return status;
  // What a tuning database has is not known yet.
  int32_t usual = base.tuned.database.empty() ? 1 : 0;
  defaultCtas = base.result.numCtas.value_or(usual);
  defaultSplitK = base.result.splitK.value_or(usual);
  decidesTurns = !base.result.persistent;
  if (device) {
    if (!base.hasTarget)
      base.result.target = device->info().target;
    bool isHost = isSimulator(base.result.target);
    if (!base.hasStage && !isHost)
      base.result.stopAfter = Stage::Cubin;
  }
  return findParameters(given);
}

tilec_status SourceJit::readSignature(const tilec_jit_options &given, size_t needed) {
  size_t count = given.num_signature;
  if (count < needed || count > parameters.size()) {
    std::vector<std::string> names;
    for (const JitParameter &parameter : parameters)
      names.push_back(parameter.name);
    return invalid("kernel '" + base.result.kernel + "' takes " + std::to_string(names.size()) +
                   " arguments (" + llvm::join(names, ", ") + "), the signature has " +
                   std::to_string(count));
  }
  parameters.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (!given.signature[i])
      return invalid("options: a type in the signature is null");
    if (tilec_status status = parameters[i].setType(given.signature[i]))
      return status;
  }
  return TILEC_OK;
}

/// The parameters that are numbers in offsets, bounds or divisions.
static std::vector<llvm::StringRef> findIndices(SourceManager &sources, const ParsedSource &source,
                                                llvm::StringRef kernel) {
  const ast::FunctionDef *function = source.tree->findJitFunction(kernel);
  ModuleLoader modules(sources, source.modules);
  std::vector<llvm::StringRef> names;
  for (auto [param, use] :
       llvm::zip_equal(function->params, findParamUses(*source.tree, *function, &modules)))
    if (use.isIndex)
      names.push_back(param.name);
  return names;
}

tilec_status SourceJit::findParameters(const tilec_jit_options &given) {
  SourceManager sources;
  DiagnosticEngine engine;
  ParsedSource source;
  if (llvm::Expected<FileId> file = sources.addBuffer(name, text))
    source = parseSource(sources, *file, engine, base.result.modules);
  else
    engine.error(SourceRange(), llvm::toString(file.takeError()), "source");
  bool isReadable = !engine.hasErrors();
  const KernelInfo *kernel = source.select(base.result.kernel, engine);
  if (!kernel) {
    DiagnosticsObject messages(sources, engine);
    return fail(TILEC_INPUT_ERROR, isReadable ? summarize(messages) : messages.text);
  }
  base.result.kernel = kernel->name;
  hasSignature = given.signature != nullptr;
  std::vector<llvm::StringRef> indices = findIndices(sources, source, kernel->name);
  size_t needed = 0;
  for (const KernelParam &param : kernel->params) {
    if (llvm::any_of(base.result.constants,
                     [&](const ConstantSpec &constant) { return constant.name == param.name; }) ||
        (hasSignature && param.kind == KernelParam::Kind::Constexpr))
      continue;
    JitParameter parameter;
    parameter.name = param.name;
    parameter.isConstexpr = param.kind == KernelParam::Kind::Constexpr;
    // In a signature's notation: "i64", also where the annotation says tl.int64.
    std::optional<DType> type = parseSignatureType(param.type);
    parameter.type = type ? type->getSignatureText() : param.type;
    parameter.foldsOne = parameter.type.empty();
    parameter.isTuningKey = llvm::is_contained(kernel->autotuneKey, param.name);
    parameter.isIndex = llvm::is_contained(indices, param.name);
    parameters.push_back(std::move(parameter));
    if (!param.hasDefault)
      needed = parameters.size();
  }
  if (hasSignature)
    if (tilec_status status = readSignature(given, needed))
      return status;
  if (tilec_status status = readAnnotations(parameters, given.parameters, given.num_parameters))
    return status;
  if (tilec_status status =
          markNames(parameters, given.unspecialized, given.num_unspecialized, "unspecialized",
                    [](JitParameter &parameter) { parameter.isSpecialized = false; }))
    return status;
  return markNames(parameters, given.unaligned, given.num_unaligned, "unaligned",
                   [](JitParameter &parameter) { parameter.isAligned = false; });
}

//===----------------------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------------------===//

tilec_status SourceJit::makeOptions(const tilec_call &call, CompileOptions &options) const {
  KindKey key;
  if (tilec_status status = makeKey(call, key))
    return status;
  // The rules for the numbers are those of a compilation.
  tilec_options numbers = {};
  numbers.num_warps = call.num_warps;
  numbers.num_stages = call.num_stages;
  numbers.max_registers = call.max_registers;
  numbers.num_ctas = call.num_ctas;
  numbers.split_k = call.split_k;
  numbers.flags = call.compile_flags;
  OptionsReader reader;
  reader.result = base.result;
  if (tilec_status status = reader.readNumbers(numbers))
    return status;
  if (tilec_status status = reader.refuseTimeline())
    return status;
  options = std::move(reader.result);
  // The same code as without a word about them, unless a tuning database has one.
  if (options.numCtas == 1 && base.tuned.database.empty())
    options.numCtas.reset();
  if (options.splitK == 1 && base.tuned.database.empty())
    options.splitK.reset();
  options.persistentByCost = wantsTurns(call);
  describeKind(parameters, ArrayRef(call.values, call.num_values), options);
  return TILEC_OK;
}

tilec_status SourceJit::describe(const tilec_call &call, CodeOptions &options) {
  CompileOptions all;
  if (tilec_status status = makeOptions(call, all))
    return status;
  options = std::move(all.code());
  return TILEC_OK;
}

tilec_status SourceJit::make(const tilec_call &call, JitVariant &variant) {
  CompileOptions options;
  if (tilec_status status = makeOptions(call, options))
    return status;
  auto begin = std::chrono::steady_clock::now();
  CompileOutcome outcome = compileSource(
      compilers(), [&](SourceManager &sources) { return loadSource(sources); }, std::move(options),
      base.tuned);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  variant.kernel = std::move(outcome.kernel);
  DiagnosticsObject &messages = *outcome.messages;
  tilec_status status =
      variant.kernel
          ? load(call, variant)
          : fail(outcome.status, messages.text.empty() ? summarize(messages) : messages.text);
  if (!compiled)
    return status;
  tilec_jit_event event = {};
  event.struct_size = sizeof event;
  event.seconds = seconds.count();
  event.kernel = variant.kernel ? Kernels::get().insert(variant.kernel) : nullptr;
  event.diagnostics = Diagnostics::get().insert(std::move(outcome.messages));
  event.from_cache = variant.kernel && variant.kernel->kernel.cacheLevel != CacheLevel::None;
  // The program's own calls must not change why this one failed.
  std::string why = status == TILEC_OK ? "" : tilec_last_error();
  compiled(context, &event);
  Kernels::get().erase(event.kernel);
  Diagnostics::get().erase(event.diagnostics);
  return status == TILEC_OK ? status : fail(status, std::move(why));
}

tilec_status SourceJit::load(const tilec_call &call, JitVariant &variant) const {
  const tilecrt::KernelMetadata &metadata = variant.kernel->kernel.metadata;
  if (tilec_status status = findSources(parameters, ArrayRef(call.values, call.num_values),
                                        metadata, variant.sources))
    return status;
  variant.gainsFromTurns = llvm::any_of(
      metadata.properties, [](const auto &property) { return property.first == "persistent"; });
  return device ? take(device->load(variant.kernel->owner), variant.function) : TILEC_OK;
}

//===----------------------------------------------------------------------------------===//
// Tuning
//===----------------------------------------------------------------------------------===//

tilec_status SourceJit::describeLaunch(const tilec_call &call, DescribedLaunch &described) const {
  if (!hasSignature)
    return invalid("kernel '" + base.result.kernel + "' has no signature: it cannot be tuned");
  described.options = base;
  described.options.hasTarget = true;
  if (tilec_status status = makeOptions(call, described.options.result))
    return status;
  ArrayRef<tilec_call_value> values(call.values, call.num_values);
  tilecrt::KernelMetadata metadata;
  metadata.name = base.result.kernel;
  for (const ArgumentSpec &argument : described.options.result.arguments)
    addArguments(argument, metadata.arguments);
  std::vector<ArgumentSource> sources;
  if (tilec_status status = findSources(parameters, values, metadata, sources))
    return status;
  ArgumentReader &reader = described.arguments.emplace(sources.size());
  if (tilec_status status = reader.read(sources, values, metadata))
    return status;
  for (size_t i = 0; i < sources.size(); ++i)
    described.values.push_back({reader.data()[i], metadata.arguments[i].sizeBytes});
  tilec_device_launch &launch = described.launch;
  launch.struct_size = sizeof launch;
  llvm::copy(call.grid, launch.grid);
  llvm::copy(call.cluster, launch.cluster);
  launch.flags = call.flags;
  launch.stream = call.stream;
  launch.arguments = described.values.data();
  launch.num_arguments = described.values.size();
  return TILEC_OK;
}

tilec_status SourceJit::withConfig(const tilec_call &call, const KernelInfo &kernel,
                                   const TuningObject &found,
                                   std::shared_ptr<SourceJit> &tuned) const {
  CompileOptions typed;
  if (tilec_status status = makeOptions(call, typed))
    return status;
  tuned = std::make_shared<SourceJit>(device);
  tuned->parameters = parameters;
  tuned->name = name;
  tuned->text = text;
  tuned->hasSignature = true;
  tuned->compiled = compiled;
  tuned->context = context;
  tuned->base = base;
  CompileOptions &options = tuned->base.result;
  // A configuration's values of arguments do not count.
  options.arguments = std::move(typed.arguments);
  applyConfig(found.order.front()->config, kernel, options);
  options.arguments.clear();
  tuned->decidesTurns = !options.persistent;
  tuned->defaultCtas = options.numCtas.value_or(1);
  tuned->defaultSplitK = options.splitK.value_or(1);
  auto variant = std::make_unique<JitVariant>();
  variant->kernel = found.kernel;
  if (tilec_status status = tuned->load(call, *variant))
    return status;
  return tuned->adopt(call, std::move(variant));
}
