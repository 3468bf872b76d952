// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceJit.h.

#include "SourceJit.h"

#include "tilec/Sema/Signature.h"
#include "tilec/Support/Processor.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace tilec;
using namespace tilec::api;
using llvm::ArrayRef;

static tilec_status invalid(std::string message) {
  return fail(TILEC_INVALID_ARGUMENT, std::move(message));
}

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
      found->type = type.str();
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
  if (device) {
    if (!base.hasTarget)
      base.result.target = device->info().target;
    bool isHost = isSimulator(base.result.target);
    if (base.result.stopAfter == Stage::PTX && !isHost)
      base.result.stopAfter = Stage::Cubin;
  }
  return findParameters(given);
}

tilec_status SourceJit::findParameters(const tilec_jit_options &given) {
  SourceManager sources;
  DiagnosticEngine engine;
  ParsedSource source;
  if (llvm::Expected<FileId> file = sources.addBuffer(name, text))
    source = parseSource(sources, *file, engine, base.result.modules);
  else
    engine.error(SourceRange(), llvm::toString(file.takeError()), "source");
  const KernelInfo *kernel = source.select(base.result.kernel, engine);
  if (!kernel)
    return fail(TILEC_INPUT_ERROR, DiagnosticsObject(sources, engine).text);
  base.result.kernel = kernel->name;
  for (const KernelParam &param : kernel->params) {
    if (llvm::any_of(base.result.constants,
                     [&](const ConstantSpec &constant) { return constant.name == param.name; }))
      continue;
    JitParameter parameter;
    parameter.name = param.name;
    parameter.isConstexpr = param.kind == KernelParam::Kind::Constexpr;
    // In a signature's notation: "i64", also where the annotation says tl.int64.
    std::optional<DType> type = parseSignatureType(param.type);
    parameter.type = type ? type->getSignatureText() : param.type;
    parameters.push_back(std::move(parameter));
  }
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
  numbers.flags = call.compile_flags;
  OptionsReader reader;
  reader.result = base.result;
  if (tilec_status status = reader.readNumbers(numbers))
    return status;
  options = std::move(reader.result);
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
  SourceManager sources;
  DiagnosticEngine engine;
  std::unique_ptr<CompiledKernel> kernel;
  Failure failure = Failure::Input;
  if (llvm::Expected<FileId> file = sources.addBuffer(name, text)) {
    std::unique_ptr<Compiler> compiler = compilers().take();
    kernel = compiler->compile(sources, *file, options, engine);
    failure = compiler->lastFailure();
    compilers().giveBack(std::move(compiler));
  } else {
    engine.error(SourceRange(), llvm::toString(file.takeError()), "source");
  }
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  auto messages = std::make_shared<DiagnosticsObject>(sources, engine);
  tilec_status status = TILEC_OK;
  if (kernel) {
    variant.kernel = std::make_shared<KernelObject>(std::move(kernel));
    status = load(call, variant);
  } else {
    status = statusOf(failure);
    fail(status == TILEC_OK ? status = TILEC_INTERNAL : status,
         messages->text.empty() ? summarize(*messages) : messages->text);
  }
  if (!compiled)
    return status;
  tilec_jit_event event = {};
  event.struct_size = sizeof event;
  event.seconds = seconds.count();
  event.kernel = variant.kernel ? Kernels::get().insert(variant.kernel) : nullptr;
  event.diagnostics = Diagnostics::get().insert(std::move(messages));
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
  return device ? take(device->load(variant.kernel->owner), variant.function) : TILEC_OK;
}
