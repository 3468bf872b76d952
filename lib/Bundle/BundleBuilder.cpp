// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BundleBuilder.h. One kernel after the other: its source and parameters, then for each target
// the configuration, the constants that it leads to, and the code.

#include "tilec/Bundle/BundleBuilder.h"

#include "tilec/Bundle/CSource.h"
#include "tilec/IRGen/KernelSelection.h"
#include "tilec/Support/Processor.h"
#include "tilec/Syntax/ASTPrinter.h"
#include "tilec/Tuning/SearchSpace.h"
#include "tilecrt/data/GridExpr.h"

#include <algorithm>
#include <set>

using llvm::Error;
using llvm::StringRef;

namespace tilec {

char NotCompiled::ID = 0;
void NotCompiled::log(llvm::raw_ostream &os) const { os << "a kernel does not compile"; }

namespace {

using IntegerConstants = std::vector<std::pair<std::string, int64_t>>;
using Configs = std::map<std::string, TuningConfig>;

Error wrong(const llvm::Twine &message) { return llvm::createStringError(message); }

class KernelBuilder {
public:
  KernelBuilder(Compiler &shared, const BundleReport &reporter, const BundleKernelSpec &wanted,
                std::string place, const CompileOptions &base)
      : compiler(shared), report(reporter), spec(wanted), label(std::move(place)), options(base) {}

  /// The source and what the caller gives; then the code.
  Error read();
  Error addTargets(const std::vector<std::string> &targets);
  BundleKernel kernel;
  bool keepsSource = false;

private:
  Error readSource();
  void describeParameters();
  Error bindParameters();
  /// The configurations by target.
  Error readTuned(Configs &configs);
  Error addTarget(const TuningConfig &config, CompileOptions chosen);
  IntegerConstants integersOf(const CompileOptions &chosen) const;
  Error resolveBlocks(const IntegerConstants &integers, std::vector<ArgumentSpec> &arguments) const;
  void addImages(const CompiledKernel &compiled, BundleImage image);

  Compiler &compiler;
  const BundleReport &report;
  const BundleKernelSpec &spec;
  /// "kernel 0: ".
  std::string label;
  CompileOptions options;
  SourceManager sources;
  FileId file = 0;
  ParsedSource source;
  const KernelInfo *info = nullptr;
  const ast::FunctionDef *function = nullptr;
};

} // namespace

Error KernelBuilder::read() {
  if (Error error = readSource())
    return error;
  describeParameters();
  if (!isCIdentifier(kernel.name))
    return wrong(label + "'name' expects a C identifier");
  return bindParameters();
}

Error KernelBuilder::readSource() {
  DiagnosticEngine diagnostics;
  if (llvm::Expected<FileId> loaded = sources.loadFile(spec.file)) {
    file = *loaded;
    source = parseSource(sources, file, diagnostics, {spec.importRoots, {}});
    if (!diagnostics.hasErrors())
      info = source.select(spec.kernel, diagnostics);
  } else {
    diagnostics.error(SourceRange(), llvm::toString(loaded.takeError()));
  }
  report(sources, diagnostics);
  return info ? Error::success() : llvm::make_error<NotCompiled>(Failure::Input);
}

void KernelBuilder::describeParameters() {
  kernel.name = spec.name.empty() ? info->name : spec.name;
  kernel.kernel = info->name;
  kernel.grid = spec.grid;
  kernel.cluster = spec.cluster;
  kernel.isCooperative = spec.isCooperative;
  kernel.isProgrammatic = spec.isProgrammatic;
  function = findKernel(*source.tree, info->name);
  for (const ast::Param &param : function->params) {
    BundleParameter &parameter = kernel.parameters.emplace_back();
    parameter.name = param.name.str();
    parameter.isConstexpr = llvm::any_of(info->params, [&](const KernelParam &other) {
      return other.name == parameter.name && other.kind == KernelParam::Kind::Constexpr;
    });
    if (param.defaultValue)
      parameter.defaultValue = ast::printSource(param.defaultValue);
  }
}

/// In the order of the parameters.
Error KernelBuilder::bindParameters() {
  options.kernel = info->name;
  options.modules.roots = spec.importRoots;
  options.numWarps = spec.numWarps;
  options.numStages = spec.numStages;
  options.numCtas = spec.numCtas;
  options.splitK = spec.splitK;
  options.tensorCopies = spec.tensorCopies;
  // The launches of C source share nothing that a counter could be in.
  options.programCounter = false;
  for (const KernelParam &param : info->params) {
    for (const auto &[name, type] : spec.arguments)
      if (name == param.name)
        options.arguments.push_back({name, type});
    for (const auto &[name, value] : spec.constants)
      if (name == param.name)
        options.constants.push_back({name, value});
  }
  for (const auto *list : {&spec.arguments, &spec.constants})
    for (const auto &entry : *list)
      if (llvm::none_of(info->params,
                        [&](const KernelParam &param) { return param.name == entry.first; }))
        return wrong(label + "kernel '" + info->name + "' has no parameter '" + entry.first + "'");
  return Error::success();
}

Error KernelBuilder::readTuned(Configs &configs) {
  if (!spec.tuned)
    return Error::success();
  const TunedSpec &tuned = *spec.tuned;
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(tuned.database);
  if (!database)
    return database.takeError();
  std::string hash = kernelSourceHash(sources, *source.tree, info->name, source.modules);
  LaunchFacts facts = factsOf(options.arguments, tuned.sizes);
  std::set<std::string> missing;
  DiagnosticEngine diagnostics;
  for (const auto &[target, device] : tuned.deviceOf)
    if (const TuningRecord *record = database->find(makeTuningKey(*info, hash, device, facts)))
      configs[target] = record->config;
    else if (missing.insert(device).second)
      diagnostics.warning(SourceRange(), noConfiguration(tuned.database, info->name, device));
  report(sources, diagnostics);
  return Error::success();
}

/// Constants whose values are integers, with the defaults of those that are not given.
IntegerConstants KernelBuilder::integersOf(const CompileOptions &chosen) const {
  std::vector<ConstantSpec> all = chosen.constants;
  for (const ast::Param &param : function->params) {
    auto isIt = [&](const auto &given) { return given.name == param.name; };
    if (param.defaultValue && llvm::none_of(chosen.constants, isIt) &&
        llvm::none_of(chosen.arguments, isIt))
      all.push_back({param.name.str(), ast::printSource(param.defaultValue)});
  }
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

/// Blocks of tensor descriptors may be written with constants.
Error KernelBuilder::resolveBlocks(const IntegerConstants &integers,
                                   std::vector<ArgumentSpec> &arguments) const {
  auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    for (const auto &[constant, value] : integers)
      if (constant == name)
        return value;
    return std::nullopt;
  };
  for (ArgumentSpec &argument : arguments) {
    StringRef type = argument.type;
    size_t open = type.find('['), close = type.find(']');
    if (!type.starts_with("tensordesc<") || open == StringRef::npos || close == StringRef::npos ||
        close < open)
      continue;
    std::string text = type.take_front(open + 1).str();
    llvm::SmallVector<StringRef> sizes;
    type.slice(open + 1, close).split(sizes, ',');
    for (auto [index, size] : llvm::enumerate(sizes)) {
      tilecrt::Result<int64_t> value =
          tilecrt::evaluateExpression(std::string(size.trim()), lookup);
      if (!value.ok())
        return wrong(label + "'" + argument.name + "': " + value.message());
      text += (index == 0 ? "" : ", ") + std::to_string(*value);
    }
    argument.type = text + type.drop_front(close).str();
  }
  return Error::success();
}

void KernelBuilder::addImages(const CompiledKernel &compiled, BundleImage image) {
  if (compiled.host) {
    image.host = compiled.host->image();
    kernel.images.push_back(std::move(image));
    return;
  }
  const Processor &processor = *llvm::cantFail(findTarget(image.target)).processor;
  image.computeCapability = processor.computeCapability;
  BundleImage ptx = image;
  ptx.isPtx = true;
  ptx.driverVersion = driverOfPTX(int(processor.defaultPTX));
  ptx.bytes = compiled.ptx;
  if (!compiled.cubin.empty()) {
    image.bytes = compiled.cubin;
    kernel.images.push_back(std::move(image));
  }
  kernel.images.push_back(std::move(ptx));
}

Error KernelBuilder::addTarget(const TuningConfig &config, CompileOptions chosen) {
  applyConfig(config, *info, chosen);
  BundleImage image;
  image.integers = integersOf(chosen);
  if (Error error = resolveBlocks(image.integers, chosen.arguments))
    return error;
  DiagnosticEngine diagnostics;
  std::unique_ptr<CompiledKernel> compiled = compiler.compile(sources, file, chosen, diagnostics);
  report(sources, diagnostics);
  if (!compiled)
    return llvm::make_error<NotCompiled>(compiler.lastFailure());
  TuningConfig shown;
  for (const ConstantSpec &constant : chosen.constants)
    shown.set(constant.name, constant.value);
  shown.numWarps = chosen.numWarps;
  shown.numStages = chosen.numStages;
  shown.numCtas = chosen.numCtas;
  shown.splitK = chosen.splitK;
  shown.maxRegisters = chosen.maxRegisters;
  image.target = chosen.target;
  image.metadata = compiled->metadata;
  image.config = shown.describe();
  image.options = chosen.code();
  if (keepsSource && compiled->origin)
    kernel.source = {compiled->origin->file, *compiled->origin->text,
                     compiled->origin->options.modules.texts};
  addImages(*compiled, std::move(image));
  return Error::success();
}

Error KernelBuilder::addTargets(const std::vector<std::string> &targets) {
  Configs configs;
  if (Error error = readTuned(configs))
    return error;
  // Without a tuned one the source's first, of which the grid may ask constants.
  TuningConfig first = info->configs.empty() ? TuningConfig() : configsOf(*info).front();
  for (const std::string &target : targets) {
    CompileOptions chosen = options;
    chosen.target = target;
    chosen.lineInfo = false;
    auto tuned = configs.find(target);
    if (Error error = addTarget(tuned != configs.end() ? tuned->second : first, std::move(chosen)))
      return error;
  }
  sortImages(kernel.images);
  return Error::success();
}

llvm::Expected<Bundle> buildBundle(const BundleSpec &spec, const CompileOptions &base,
                                   const BundleReport &report, bool keepsSources) {
  Compiler compiler;
  Bundle bundle;
  bundle.name = spec.name;
  for (auto [number, wanted] : llvm::enumerate(spec.kernels)) {
    std::string label = "kernel " + std::to_string(number) + ": ";
    KernelBuilder builder(compiler, report, wanted, label, base);
    builder.keepsSource = keepsSources;
    if (Error error = builder.read())
      return std::move(error);
    if (llvm::any_of(bundle.kernels,
                     [&](const BundleKernel &other) { return other.name == builder.kernel.name; }))
      return wrong(label + "the name '" + builder.kernel.name + "' is used twice");
    if (Error error = builder.addTargets(spec.targets))
      return std::move(error);
    bundle.kernels.push_back(std::move(builder.kernel));
  }
  if (tilecrt::Status grids = checkGrids(bundle); !grids.ok())
    return wrong(grids.message());
  return std::move(bundle);
}

} // namespace tilec
