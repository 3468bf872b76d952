// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec build: reads a specification, compiles every kernel for every target, and writes the bundle
// as C source. Needs no GPU; without ptxas the bundle holds PTX alone.

#include "BundleSource.h"
#include "CacheSetup.h"
#include "Commands.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "Environment.h"
#include "OutputFile.h"
#include "SourceFile.h"
#include "TunedConfig.h"

#include "tilec/Driver/ToolHints.h"
#include "tilec/Target/PTXTarget.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using tilecrt::Result;
namespace json = llvm::json;

namespace tilec::tool {

namespace {

class Builder {
public:
  explicit Builder(const BuildCommand &buildCommand)
      : command(buildCommand), cache(buildCommand.kernel.cache) {}

  ExitCode run();

private:
  ExitCode readSpec();
  ExitCode addKernel(const json::Object &spec, size_t number);
  ExitCode readTuned(const json::Object &spec, const SourceManager &sources,
                     const ParsedSource &source, const KernelInfo &info,
                     const CompileOptions &options, TuningConfig &config, bool &found);
  ExitCode compile(SourceManager &sources, FileId file, CompileOptions options,
                   const std::string &config, BundleKernel &kernel);
  ExitCode wrong(const llvm::Twine &message) {
    return reportError("'" + command.spec + "': " + message);
  }

  const BuildCommand &command;
  KernelCache cache;
  Compiler compiler;
  Bundle bundle;
  std::vector<std::string> targets;
  json::Value spec = nullptr;
  bool hasPtxas = false;
};

/// A value of the specification as source text.
std::optional<std::string> literalOf(const json::Value &value) {
  if (auto text = value.getAsString())
    return text->str();
  if (value.getAsNull())
    return "None";
  if (auto truth = value.getAsBoolean())
    return *truth ? "True" : "False";
  if (auto integer = value.getAsInteger())
    return std::to_string(*integer);
  if (value.getAsNumber())
    return llvm::formatv("{0}", value).str();
  return std::nullopt;
}

} // namespace

ExitCode Builder::readSpec() {
  auto text = llvm::MemoryBuffer::getFile(command.spec);
  if (!text)
    return reportError("cannot read '" + command.spec + "': " + text.getError().message());
  llvm::Expected<json::Value> value = json::parse((*text)->getBuffer());
  if (!value)
    return wrong(llvm::toString(value.takeError()));
  spec = std::move(*value);
  const json::Object *object = spec.getAsObject();
  if (!object)
    return wrong("expected an object");
  for (const auto &entry : *object)
    if (llvm::StringRef key = entry.first; key != "name" && key != "targets" && key != "kernels")
      return wrong("unknown key '" + key + "', expected name, targets, kernels");
  auto name = object->getString("name");
  if (!name || !isCIdentifier(name->str()))
    return wrong("'name' expects a C identifier");
  bundle.name = name->str();
  targets = {"sm_90a", "sm_80"};
  if (const json::Value *given = object->get("targets")) {
    const json::Array *list = given->getAsArray();
    if (!list || list->empty())
      return wrong("'targets' expects a list as in [\"sm_80\", \"sm_90a\"]");
    targets.clear();
    for (const json::Value &item : *list) {
      auto target = item.getAsString();
      if (!target)
        return wrong("'targets' expects a list as in [\"sm_80\", \"sm_90a\"]");
      if (llvm::Expected<PTXTarget> known = findPTXTarget(*target); !known)
        return wrong(llvm::toString(known.takeError()));
      if (!llvm::is_contained(targets, *target))
        targets.push_back(target->str());
    }
  }
  const json::Array *kernels = object->getArray("kernels");
  if (!kernels || kernels->empty())
    return wrong("'kernels' expects a list of kernels");
  return ExitCode::Ok;
}

ExitCode Builder::readTuned(const json::Object &kernelSpec, const SourceManager &sources,
                            const ParsedSource &source, const KernelInfo &info,
                            const CompileOptions &options, TuningConfig &config, bool &found) {
  const json::Object *tuned = kernelSpec.getObject("tuned");
  if (!tuned)
    return ExitCode::Ok;
  auto path = tuned->getString("database"), device = tuned->getString("device");
  const json::Object *sizes = tuned->getObject("sizes");
  if (!path || !device || !sizes)
    return wrong("'tuned' expects database, device and sizes");
  llvm::SmallString<256> file(*path);
  if (llvm::sys::path::is_relative(file)) {
    file = llvm::sys::path::parent_path(command.spec);
    llvm::sys::path::append(file, *path);
  }
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(std::string(file));
  if (!database)
    return wrong(llvm::toString(database.takeError()));
  RunPlan plan;
  plan.types = options.arguments;
  for (const auto &entry : *sizes) {
    auto size = entry.second.getAsInteger();
    if (!size)
      return wrong("'sizes' expects integers");
    tilecrt::NumberData number;
    number.integer = *size;
    plan.arguments[entry.first.str()] = number;
  }
  TuningKey key =
      tuningKeyOf(plan, info, kernelSourceHash(sources, *source.tree, info.name), device->str());
  const TuningRecord *record = database->find(key);
  if (!record) {
    reportWarning("'" + llvm::Twine(file) + "' has no configuration of '" + info.name + "' on '" +
                  *device + "' for these types and sizes");
    return ExitCode::Ok;
  }
  config = record->config;
  found = true;
  return ExitCode::Ok;
}

ExitCode Builder::compile(SourceManager &sources, FileId file, CompileOptions options,
                          const std::string &config, BundleKernel &kernel) {
  llvm::Expected<PTXTarget> target = findPTXTarget(options.target);
  if (!target)
    return wrong(llvm::toString(target.takeError()));
  cache.attachTo(options);
  DiagnosticEngine diagnostics;
  std::unique_ptr<CompiledKernel> compiled = compiler.compile(sources, file, options, diagnostics);
  printDiagnostics(sources, diagnostics, command.kernel.diagnosticsFormat);
  if (!compiled)
    return reportFailure(compiler.lastFailure());
  BundleImage image;
  image.target = options.target;
  image.computeCapability = target->computeCapability;
  image.isExact = llvm::StringRef(options.target).ends_with("a");
  image.metadata = compiled->metadata;
  image.config = config;
  for (const ConstantSpec &constant : options.constants) {
    int64_t value = 0;
    if (!llvm::StringRef(constant.value).getAsInteger(0, value))
      image.constants.emplace_back(constant.name, value);
    else if (constant.value == "True" || constant.value == "False")
      image.constants.emplace_back(constant.name, constant.value == "True");
  }
  BundleImage ptx = image;
  ptx.isPtx = true;
  ptx.bytes = compiled->ptx;
  if (!compiled->cubin.empty()) {
    image.bytes = compiled->cubin;
    kernel.images.push_back(std::move(image));
  }
  kernel.images.push_back(std::move(ptx));
  return ExitCode::Ok;
}

ExitCode Builder::addKernel(const json::Object &kernelSpec, size_t number) {
  static constexpr llvm::StringLiteral keys[] = {"file",       "kernel",    "name",
                                                 "arguments",  "constants", "num_warps",
                                                 "num_stages", "grid",      "tuned"};
  std::string label = "kernel " + std::to_string(number) + ": ";
  for (const auto &entry : kernelSpec)
    if (!llvm::is_contained(keys, llvm::StringRef(entry.first)))
      return wrong(label + "unknown key '" + llvm::StringRef(entry.first) + "'");
  auto path = kernelSpec.getString("file");
  if (!path)
    return wrong(label + "'file' is missing");
  llvm::SmallString<256> file(*path);
  if (llvm::sys::path::is_relative(file)) {
    file = llvm::sys::path::parent_path(command.spec);
    llvm::sys::path::append(file, *path);
  }
  SourceManager sources;
  std::optional<FileId> loaded = loadSource(sources, file);
  if (!loaded)
    return ExitCode::InputError;
  DiagnosticEngine diagnostics;
  ParsedSource source = parseSource(sources, *loaded, diagnostics);
  const KernelInfo *info = nullptr;
  if (!diagnostics.hasErrors())
    info = selectKernel(source, kernelSpec.getString("kernel").value_or("").str(), *loaded,
                        diagnostics);
  printDiagnostics(sources, diagnostics, command.kernel.diagnosticsFormat);
  if (!info)
    return ExitCode::InputError;

  BundleKernel kernel;
  kernel.name = kernelSpec.getString("name").value_or(info->name).str();
  if (!isCIdentifier(kernel.name))
    return wrong(label + "'name' expects a C identifier");
  if (llvm::any_of(bundle.kernels,
                   [&](const BundleKernel &other) { return other.name == kernel.name; }))
    return wrong(label + "the name '" + kernel.name + "' is used twice");
  kernel.grid = kernelSpec.getString("grid").value_or("").str();
  KernelOptions given = command.kernel;
  given.kernel = info->name;
  for (auto [key, list] :
       {std::pair("arguments", &given.arguments), std::pair("constants", &given.constants)}) {
    const json::Value *member = kernelSpec.get(key);
    const json::Object *object = member ? member->getAsObject() : nullptr;
    if (member && !object)
      return wrong(label + "'" + key + "' expects an object");
    if (!object)
      continue;
    // In the order of the parameters.
    for (const KernelParam &param : info->params)
      if (const json::Value *value = object->get(param.name)) {
        std::optional<std::string> text = literalOf(*value);
        if (!text)
          return wrong(label + "'" + param.name + "' expects a number or a text");
        list->emplace_back(param.name, *text);
      }
    for (const auto &entry : *object)
      if (llvm::none_of(info->params, [name = llvm::StringRef(entry.first)](
                                          const KernelParam &param) { return param.name == name; }))
        return wrong(label + "kernel '" + info->name + "' has no parameter '" +
                     llvm::StringRef(entry.first) + "'");
  }
  for (auto [key, member] :
       {std::pair("num_warps", &given.numWarps), std::pair("num_stages", &given.numStages)})
    if (const json::Value *value = kernelSpec.get(key)) {
      auto integer = value->getAsInteger();
      if (!integer || *integer < 1 || *integer > 32)
        return wrong(label + "'" + key + "' expects a number from 1 to 32");
      *member = int(*integer);
    }

  CompileOptions options = makeCompileOptions(given);
  for (const NamedValue &argument : given.arguments)
    options.arguments.push_back({argument.first, argument.second});
  TuningConfig config;
  bool found = false;
  if (ExitCode code = readTuned(kernelSpec, sources, source, *info, options, config, found);
      code != ExitCode::Ok)
    return code;
  // Without a tuned one the source's first, of which the grid may ask constants.
  if (!found && !info->configs.empty())
    config = configsOf(*info).front();
  RunCommand launch;
  launch.kernel = given;
  launch = withConfig(std::move(launch), config, *info);
  std::vector<ArgumentSpec> arguments = options.arguments;
  options = makeCompileOptions(launch.kernel);
  options.arguments = std::move(arguments);
  options.stopAfter = hasPtxas ? Stage::Cubin : Stage::PTX;
  options.lineInfo = false;
  TuningConfig shown;
  for (const NamedValue &constant : launch.kernel.constants)
    shown.set(constant.first, constant.second);
  shown.numWarps = options.numWarps;
  shown.numStages = options.numStages;
  shown.maxRegisters = options.maxRegisters;
  for (const std::string &target : targets) {
    options.target = target;
    if (ExitCode code = compile(sources, *loaded, options, shown.describe(), kernel);
        code != ExitCode::Ok)
      return code;
  }
  // Cubins before PTX, those for one processor only before others, newer ones before older ones.
  llvm::sort(kernel.images, [](const BundleImage &a, const BundleImage &b) {
    auto rank = [](const BundleImage &image) {
      return std::make_tuple(image.isPtx, !image.isExact, -image.computeCapability);
    };
    return rank(a) < rank(b);
  });
  bundle.kernels.push_back(std::move(kernel));
  return ExitCode::Ok;
}

ExitCode Builder::run() {
  if (ExitCode code = readSpec(); code != ExitCode::Ok)
    return code;
  llvm::Expected<std::string> ptxas = findPtxas(ptxasHints(readToolSearch(command.kernel.ptxas)));
  hasPtxas = bool(ptxas);
  if (!ptxas) {
    llvm::consumeError(ptxas.takeError());
    reportNote("no ptxas: the bundle holds PTX only, which the driver assembles");
  }
  const json::Array &kernels = *spec.getAsObject()->getArray("kernels");
  for (size_t i = 0; i < kernels.size(); ++i) {
    const json::Object *kernel = kernels[i].getAsObject();
    if (!kernel)
      return wrong("kernel " + llvm::Twine(i) + ": expected an object");
    if (ExitCode code = addKernel(*kernel, i); code != ExitCode::Ok)
      return code;
  }
  Result<BundleFiles> files = writeBundle(bundle);
  if (!files.ok())
    return wrong(files.message());
  if (ExitCode code = makeFolder(command.output); code != ExitCode::Ok)
    return code;
  std::string stem = command.output + "/" + bundle.name;
  if (ExitCode code = writeOutput(stem + ".h", files->header); code != ExitCode::Ok)
    return code;
  return writeOutput(stem + ".c", files->source);
}

ExitCode execute(const BuildCommand &command) { return Builder(command).run(); }

} // namespace tilec::tool
