// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec build: reads a specification, compiles every kernel for every target, and writes the bundle
// as C source or as a file to load. Needs no GPU; without ptxas the bundle holds PTX alone.

#include "CacheSetup.h"
#include "Commands.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "Environment.h"
#include "OutputFile.h"
#include "SourceFile.h"
#include "TunedConfig.h"

#include "tilec/Bundle/BundleFile.h"
#include "tilec/Bundle/CSource.h"
#include "tilec/Driver/ToolHints.h"
#include "tilec/Support/Processor.h"
#include "tilec/Syntax/ASTPrinter.h"

#include "tilecrt/data/GridExpr.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <map>
#include <set>

using tilecrt::Result;
namespace json = llvm::json;

namespace tilec::tool {

namespace {

using IntegerConstants = std::vector<std::pair<std::string, int64_t>>;

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
                     const CompileOptions &options, std::map<std::string, TuningConfig> &configs);
  ExitCode readLaunch(const json::Object &spec, const std::string &label, BundleKernel &kernel);
  ExitCode resolveBlocks(const std::string &label, const IntegerConstants &constants,
                         std::vector<ArgumentSpec> &arguments);
  ExitCode compile(SourceManager &sources, FileId file, CompileOptions options,
                   const std::string &config, const IntegerConstants &constants,
                   BundleKernel &kernel);
  ExitCode writeFiles();
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
  // What the loader calls its own.
  if (llvm::is_contained({"bundle", "drv"}, name->split('_').first))
    return wrong("the name '" + *name + "' is taken by the loader");
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
      if (llvm::Expected<CompileTarget> known = findTarget(*target); !known)
        return wrong(llvm::toString(known.takeError()));
      if (*target == "interp")
        return wrong("there is no code for the target 'interp'");
      if (!llvm::is_contained(targets, *target))
        targets.push_back(target->str());
    }
  }
  const json::Array *kernels = object->getArray("kernels");
  if (!kernels || kernels->empty())
    return wrong("'kernels' expects a list of kernels");
  return ExitCode::Ok;
}

/// Constants whose values are integers, with the defaults of those that are not given.
static IntegerConstants integerConstants(const std::vector<ConstantSpec> &given,
                                         const std::vector<NamedValue> &arguments,
                                         const ast::FunctionDef *kernel) {
  std::vector<ConstantSpec> all = given;
  auto isGiven = [&](llvm::StringRef name) {
    return llvm::any_of(given, [&](const ConstantSpec &value) { return value.name == name; }) ||
           llvm::any_of(arguments, [&](const NamedValue &value) { return value.first == name; });
  };
  if (kernel)
    for (const ast::Param &param : kernel->params)
      if (param.defaultValue && !isGiven(param.name))
        all.push_back({param.name.str(), ast::printSource(param.defaultValue)});
  IntegerConstants result;
  for (const auto &[name, text] : all) {
    tilecrt::Result<int64_t> value = tilecrt::evaluateExpression(text, nullptr);
    if (text == "True" || text == "False")
      result.emplace_back(name, text == "True");
    else if (value.ok())
      result.emplace_back(name, *value);
  }
  return result;
}

/// The types and sizes that a tuned configuration is looked up by.
static RunPlan tuningPlanOf(const CompileOptions &options, const json::Object &sizes) {
  RunPlan plan;
  plan.types = options.arguments;
  for (const ArgumentSpec &argument : options.arguments)
    if (llvm::StringRef(argument.type).starts_with("tensordesc"))
      plan.descriptors.push_back({argument.name, 0, {}, false});
  for (const auto &entry : sizes) {
    tilecrt::NumberData number;
    number.integer = *entry.second.getAsInteger();
    plan.arguments[entry.first.str()] = number;
  }
  return plan;
}

/// Finds the configurations by target.
ExitCode Builder::readTuned(const json::Object &kernelSpec, const SourceManager &sources,
                            const ParsedSource &source, const KernelInfo &info,
                            const CompileOptions &options,
                            std::map<std::string, TuningConfig> &configs) {
  const json::Value *given = kernelSpec.get("tuned");
  if (!given)
    return ExitCode::Ok;
  const json::Object *tuned = given->getAsObject();
  auto path = tuned ? tuned->getString("database") : std::nullopt;
  const json::Value *devices = tuned ? tuned->get("device") : nullptr;
  const json::Object *sizes = tuned ? tuned->getObject("sizes") : nullptr;
  if (!path || !devices || !sizes)
    return wrong("'tuned' expects database, device and sizes");
  for (const auto &size : *sizes)
    if (!size.second.getAsInteger())
      return wrong("'sizes' expects integers");
  llvm::SmallString<256> file(*path);
  if (llvm::sys::path::is_relative(file)) {
    file = llvm::sys::path::parent_path(command.spec);
    llvm::sys::path::append(file, *path);
  }
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(std::string(file));
  if (!database)
    return wrong(llvm::toString(database.takeError()));
  // One device for all targets, or one for each.
  std::map<std::string, std::string> deviceOf;
  if (auto device = devices->getAsString())
    for (const std::string &target : targets)
      deviceOf[target] = device->str();
  if (const json::Object *object = devices->getAsObject())
    for (const auto &entry : *object) {
      auto device = entry.second.getAsString();
      if (!device || !llvm::is_contained(targets, entry.first.str()))
        return wrong("'device' expects names of devices, each for one of the targets");
      deviceOf[entry.first.str()] = device->str();
    }
  if (deviceOf.empty())
    return wrong("'device' expects a name, or an object of targets and names");
  RunPlan plan = tuningPlanOf(options, *sizes);
  std::string hash = kernelSourceHash(sources, *source.tree, info.name, source.modules);
  std::set<std::string> missing;
  for (const auto &[target, device] : deviceOf) {
    TuningKey key = tuningKeyOf(plan, info, hash, device);
    // Sizes of arrays, where the kernel has no others.
    if (key.sizes.empty())
      for (const auto &size : *sizes)
        key.sizes.emplace_back(size.first.str(), bucketOf(*size.second.getAsInteger()));
    llvm::sort(key.sizes);
    if (const TuningRecord *record = database->find(key))
      configs[target] = record->config;
    else if (missing.insert(device).second)
      reportWarning("'" + llvm::Twine(file) + "' has no configuration of '" + info.name + "' on '" +
                    device + "' for these types and sizes");
  }
  return ExitCode::Ok;
}

ExitCode Builder::readLaunch(const json::Object &kernelSpec, const std::string &label,
                             BundleKernel &kernel) {
  for (auto [key, flag] : {std::pair("cooperative", &kernel.isCooperative),
                           std::pair("programmatic", &kernel.isProgrammatic)})
    if (const json::Value *value = kernelSpec.get(key)) {
      auto truth = value->getAsBoolean();
      if (!truth)
        return wrong(label + "'" + key + "' expects true or false");
      *flag = *truth;
    }
  const json::Value *value = kernelSpec.get("cluster");
  if (!value)
    return ExitCode::Ok;
  const json::Array *list = value->getAsArray();
  int64_t programs = 1;
  for (size_t axis = 0; list && axis < std::min<size_t>(list->size(), 3); ++axis) {
    int64_t size = (*list)[axis].getAsInteger().value_or(0);
    programs *= size >= 1 && size <= 16 ? size : 0;
    kernel.cluster[axis] = unsigned(size);
  }
  if (!list || list->empty() || list->size() > 3 || programs < 1 || programs > 16)
    return wrong(label + "'cluster' expects one to three numbers with a product of at most 16");
  for (const std::string &target : targets)
    if (programs > 1 && !findTarget(target)->processor->has(Feature::Clusters))
      return wrong(label + "'cluster' needs sm_90 or newer, '" + target + "' is a target");
  return ExitCode::Ok;
}

/// Blocks of tensor descriptors may be written with constants.
ExitCode Builder::resolveBlocks(const std::string &label, const IntegerConstants &constants,
                                std::vector<ArgumentSpec> &arguments) {
  auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    for (const auto &[constant, value] : constants)
      if (constant == name)
        return value;
    return std::nullopt;
  };
  for (ArgumentSpec &argument : arguments) {
    llvm::StringRef type = argument.type;
    size_t open = type.find('['), close = type.find(']');
    if (!type.starts_with("tensordesc<") || open == llvm::StringRef::npos ||
        close == llvm::StringRef::npos || close < open)
      continue;
    std::string text = type.take_front(open + 1).str();
    llvm::SmallVector<llvm::StringRef> sizes;
    type.slice(open + 1, close).split(sizes, ',');
    for (auto [index, size] : llvm::enumerate(sizes)) {
      Result<int64_t> value = tilecrt::evaluateExpression(std::string(size.trim()), lookup);
      if (!value.ok())
        return wrong(label + "'" + argument.name + "': " + value.message());
      text += (index == 0 ? "" : ", ") + std::to_string(*value);
    }
    argument.type = text + type.drop_front(close).str();
  }
  return ExitCode::Ok;
}

ExitCode Builder::compile(SourceManager &sources, FileId file, CompileOptions options,
                          const std::string &config, const IntegerConstants &constants,
                          BundleKernel &kernel) {
  llvm::Expected<CompileTarget> target = findTarget(options.target);
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
  image.metadata = compiled->metadata;
  image.config = config;
  image.options = options.code();
  image.integers = constants;
  if (compiled->host) {
    image.host = compiled->host->image();
    kernel.images.push_back(std::move(image));
    return ExitCode::Ok;
  }
  image.computeCapability = target->processor->computeCapability;
  BundleImage ptx = image;
  ptx.isPtx = true;
  ptx.driverVersion = driverOfPTX(int(target->processor->defaultPTX));
  ptx.bytes = compiled->ptx;
  if (!compiled->cubin.empty()) {
    image.bytes = compiled->cubin;
    kernel.images.push_back(std::move(image));
  }
  kernel.images.push_back(std::move(ptx));
  return ExitCode::Ok;
}

ExitCode Builder::addKernel(const json::Object &kernelSpec, size_t number) {
  static constexpr llvm::StringLiteral keys[] = {
      "file", "kernel", "name",    "arguments",   "constants",    "num_warps",   "num_stages",
      "grid", "tuned",  "cluster", "cooperative", "programmatic", "import_roots"};
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
  std::vector<std::string> importRoots;
  if (const json::Value *member = kernelSpec.get("import_roots")) {
    const json::Array *list = member->getAsArray();
    if (!list || llvm::any_of(*list, [](const json::Value &root) { return !root.getAsString(); }))
      return wrong(label + "'import_roots' expects a list of folders");
    for (const json::Value &root : *list) {
      llvm::SmallString<256> folder(*root.getAsString());
      if (llvm::sys::path::is_relative(folder)) {
        folder = llvm::sys::path::parent_path(command.spec);
        llvm::sys::path::append(folder, *root.getAsString());
      }
      importRoots.push_back(std::string(folder));
    }
  }
  SourceManager sources;
  std::optional<FileId> loaded = loadSource(sources, file);
  if (!loaded)
    return ExitCode::InputError;
  DiagnosticEngine diagnostics;
  ParsedSource source = parseSource(sources, *loaded, diagnostics, {importRoots, {}});
  const KernelInfo *info = nullptr;
  if (!diagnostics.hasErrors())
    info = source.select(kernelSpec.getString("kernel").value_or(""), diagnostics);
  printDiagnostics(sources, diagnostics, command.kernel.diagnosticsFormat);
  if (!info)
    return ExitCode::InputError;

  BundleKernel kernel;
  kernel.name = kernelSpec.getString("name").value_or(info->name).str();
  kernel.kernel = info->name;
  const ast::FunctionDef *tree = findKernel(*source.tree, info->name);
  for (const ast::Param &param : tree->params) {
    BundleParameter &parameter = kernel.parameters.emplace_back();
    parameter.name = param.name.str();
    parameter.isConstexpr = llvm::any_of(info->params, [&](const KernelParam &other) {
      return other.name == parameter.name && other.kind == KernelParam::Kind::Constexpr;
    });
    if (param.defaultValue)
      parameter.defaultValue = ast::printSource(param.defaultValue);
  }
  if (!isCIdentifier(kernel.name))
    return wrong(label + "'name' expects a C identifier");
  if (llvm::any_of(bundle.kernels,
                   [&](const BundleKernel &other) { return other.name == kernel.name; }))
    return wrong(label + "the name '" + kernel.name + "' is used twice");
  kernel.grid = kernelSpec.getString("grid").value_or("").str();
  if (ExitCode code = readLaunch(kernelSpec, label, kernel); code != ExitCode::Ok)
    return code;
  KernelOptions given = command.kernel;
  given.options.kernel = info->name;
  given.options.modules.roots = importRoots;
  std::vector<NamedValue> constantTexts;
  for (auto [key, list] :
       {std::pair("arguments", &given.arguments), std::pair("constants", &constantTexts)}) {
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
  for (const auto &[name, value] : constantTexts)
    given.options.constants.push_back({name, value});
  for (auto [key, member] : {std::pair("num_warps", &given.options.numWarps),
                             std::pair("num_stages", &given.options.numStages)})
    if (const json::Value *value = kernelSpec.get(key)) {
      auto integer = value->getAsInteger();
      if (!integer || *integer < 1 || *integer > 32)
        return wrong(label + "'" + key + "' expects a number from 1 to 32");
      *member = int(*integer);
    }

  CompileOptions options = makeCompileOptions(given);
  for (const NamedValue &argument : given.arguments)
    options.arguments.push_back({argument.first, argument.second});
  std::map<std::string, TuningConfig> configs;
  if (ExitCode code = readTuned(kernelSpec, sources, source, *info, options, configs);
      code != ExitCode::Ok)
    return code;
  for (const std::string &target : targets) {
    auto tuned = configs.find(target);
    // Without a tuned one the source's first, of which the grid may ask constants.
    TuningConfig config = tuned != configs.end()   ? tuned->second
                          : !info->configs.empty() ? configsOf(*info).front()
                                                   : TuningConfig();
    RunCommand launch;
    launch.kernel = given;
    launch = withConfig(std::move(launch), config, *info);
    CompileOptions chosen = makeCompileOptions(launch.kernel);
    chosen.arguments = options.arguments;
    IntegerConstants constants =
        integerConstants(launch.kernel.options.constants, launch.kernel.arguments, tree);
    if (ExitCode code = resolveBlocks(label, constants, chosen.arguments); code != ExitCode::Ok)
      return code;
    chosen.stopAfter = hasPtxas ? Stage::Cubin : Stage::PTX;
    chosen.lineInfo = false;
    chosen.target = target;
    TuningConfig shown;
    for (const ConstantSpec &constant : launch.kernel.options.constants)
      shown.set(constant.name, constant.value);
    shown.numWarps = chosen.numWarps;
    shown.numStages = chosen.numStages;
    shown.maxRegisters = chosen.maxRegisters;
    if (ExitCode code = compile(sources, *loaded, chosen, shown.describe(), constants, kernel);
        code != ExitCode::Ok)
      return code;
  }
  sortImages(kernel.images);
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
  return writeFiles();
}

ExitCode Builder::writeFiles() {
  std::string stem = command.output + "/" + bundle.name;
  if (tilecrt::Status grids = checkGrids(bundle); !grids.ok())
    return wrong(grids.message());
  Result<CSource> source = CSource();
  if (command.writesC)
    source = writeCSource(bundle);
  if (!source.ok())
    return wrong(source.message());
  if (ExitCode code = makeFolder(command.output); code != ExitCode::Ok)
    return code;
  if (command.writesFile)
    if (ExitCode code = writeOutput(stem + ".tilec", encodeBundle(bundle)); code != ExitCode::Ok)
      return code;
  if (!command.writesC)
    return ExitCode::Ok;
  if (ExitCode code = writeOutput(stem + ".h", source->header); code != ExitCode::Ok)
    return code;
  return writeOutput(stem + ".c", source->source);
}

ExitCode execute(const BuildCommand &command) { return Builder(command).run(); }

} // namespace tilec::tool
