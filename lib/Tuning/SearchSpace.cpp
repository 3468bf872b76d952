// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SearchSpace.h.

#include "tilec/Tuning/SearchSpace.h"

#include "tilec/Support/Combinations.h"
#include "tilec/Tuning/ProductSpace.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace tilec {

std::vector<TuningConfig> configsOf(const KernelInfo &kernel) {
  std::vector<TuningConfig> configs;
  for (const AutotuneConfig &config : kernel.configs) {
    TuningConfig made;
    for (const auto &entry : config.constants)
      if (llvm::any_of(kernel.params,
                       [&](const KernelParam &param) { return param.name == entry.first; }))
        made.set(entry.first, entry.second);
    made.numWarps = config.numWarps;
    made.numStages = config.numStages;
    made.numCtas = config.numCtas;
    made.splitK = config.splitK;
    made.maxRegisters = config.maxRegisters;
    configs.push_back(std::move(made));
  }
  return configs;
}

void applyConfig(const TuningConfig &config, const KernelInfo &kernel, CompileOptions &options) {
  for (const auto &entry : config.constants) {
    const std::string &name = entry.first;
    auto isIt = [&](const auto &other) { return other.name == name; };
    if (llvm::none_of(options.constants, isIt) && llvm::none_of(options.arguments, isIt) &&
        llvm::any_of(kernel.params, isIt))
      options.constants.push_back({name, entry.second});
  }
  if (!options.numWarps)
    options.numWarps = config.numWarps;
  if (!options.numStages)
    options.numStages = config.numStages;
  bool isPaired = options.numCtas.value_or(1) > 1, isSplit = options.splitK.value_or(1) > 1;
  if (!options.numCtas && !isSplit && config.numCtas.value_or(1) > 1 &&
      canBeCluster(*config.numCtas))
    options.numCtas = config.numCtas;
  if (!options.splitK && !isPaired)
    options.splitK = config.splitK;
  if (!options.maxRegisters)
    options.maxRegisters = config.maxRegisters;
}

size_t applyHostPruning(KernelInfo &kernel, const ast::Module &module, SourceManager &sources,
                        const ModuleSearch &modules, const llvm::StringMap<int64_t> &integers,
                        DiagnosticEngine &diagnostics) {
  if (!kernel.hostPruning.isValid() || kernel.configs.empty())
    return 0;
  auto remark = [&](const std::string &text) {
    diagnostics.remark(kernel.hostPruning, text, "tuning");
  };
  if (!kernel.hasEarlyPruning && !kernel.hasPerfModel)
    remark("'prune_configs_by' is not known at compile time and is not used");
  if (kernel.hasEarlyPruning) {
    std::vector<std::pair<std::string, int64_t>> values;
    for (const auto &entry : integers)
      values.emplace_back(entry.getKey().str(), entry.getValue());
    ModuleLoader loader(sources, modules);
    llvm::Expected<std::vector<AutotuneConfig>> left =
        pruneConfigs(module, sources, kernel.name, values, &loader);
    if (!left)
      remark("'early_config_prune' cannot be run at compile time, all configurations stay: " +
             llvm::toString(left.takeError()));
    else if (left->empty())
      remark("'early_config_prune' leaves no configuration, all stay");
    else
      kernel.configs = std::move(*left);
  }
  if (!kernel.hasPerfModel)
    return 0;
  size_t count = kernel.topCount > 0 ? size_t(kernel.topCount) : 0;
  if (kernel.topPart > 0 && kernel.topPart <= 1)
    count = size_t(kernel.topPart * double(kernel.configs.size()));
  remark("'perf_model' is host code and is not run: tilec's own model orders the configurations" +
         (count == 0 ? std::string() : ", and the best " + std::to_string(count) + " are tried"));
  return count;
}

llvm::Expected<std::vector<TuningConfig>> makeSearchSpace(const KernelInfo &kernel, StringRef space,
                                                          const SpaceLists &lists,
                                                          const ProductLaunch *launch) {
  std::vector<TuningConfig> configs = configsOf(kernel);
  if (!space.empty()) {
    auto expand = [&](const llvm::json::Object &product) { return expandProduct(product, *launch); };
    llvm::Expected<std::vector<TuningConfig>> given =
        launch ? parseSearchSpace(space, expand) : parseSearchSpace(space);
    if (!given)
      return given.takeError();
    configs = std::move(*given);
  }
  if (configs.empty())
    configs.emplace_back();
  size_t count = configs.size();
  auto grows = [&](size_t values) {
    count *= std::max<size_t>(values, 1);
    return count <= mostConfigs;
  };
  bool fits = grows(lists.numWarps.size()) && grows(lists.numStages.size()) &&
              grows(lists.numCtas.size()) && grows(lists.splitK.size());
  for (const auto &entry : lists.constants)
    fits = fits && grows(entry.second.size());
  if (!fits || configs.size() > mostConfigs)
    return llvm::createStringError("the space has more than " + std::to_string(mostConfigs) +
                                   " configurations");
  for (const auto &entry : lists.constants)
    multiplyRows(configs, entry.second, [&](TuningConfig &config, const std::string &value) {
      config.set(entry.first, value);
    });
  multiplyRows(configs, lists.numWarps,
               [](TuningConfig &config, int value) { config.numWarps = value; });
  multiplyRows(configs, lists.numStages,
               [](TuningConfig &config, int value) { config.numStages = value; });
  multiplyRows(configs, lists.numCtas,
               [](TuningConfig &config, int value) { config.numCtas = value; });
  multiplyRows(configs, lists.splitK,
               [](TuningConfig &config, int value) { config.splitK = value; });
  removeDuplicates(configs);
  return configs;
}

TuningKey makeTuningKey(const KernelInfo &kernel, const std::string &kernelHash,
                        const std::string &device, const LaunchFacts &facts) {
  TuningKey key;
  key.kernelHash = kernelHash;
  key.device = device;
  // In the order of the parameters, whatever order the caller has.
  std::vector<const ArgumentSpec *> types;
  for (const KernelParam &param : kernel.params)
    for (const ArgumentSpec &argument : facts.types)
      if (argument.name == param.name)
        types.push_back(&argument);
  for (const ArgumentSpec *argument : types) {
    StringRef type = argument->type;
    std::string text;
    if (type.starts_with("tensordesc<")) // Blocks are a matter of the configuration.
      text = "tensordesc";
    else if (type.consume_front("*")) // Whether it is read only makes no other kernel.
      text = "*" + (type.consume_front("k") ? type : type).str();
    else // That a size is a multiple of 16 is a matter of the size, not of the bucket.
      text = type.split(':').first.str();
    key.types.push_back(argument->name + ":" + text);
  }
  auto addInteger = [&](StringRef name) {
    for (const auto &[integer, value] : facts.integers)
      if (integer == name)
        key.sizes.emplace_back(integer, bucketOf(value));
  };
  for (const std::string &name : kernel.autotuneKey)
    addInteger(name);
  if (key.sizes.empty())
    for (const KernelParam &param : kernel.params)
      addInteger(param.name);
  if (key.sizes.empty())
    for (const auto &[name, size] : facts.arraySizes)
      key.sizes.emplace_back(name + ".size", bucketOf(size));
  llvm::sort(key.sizes);
  key.sizes.erase(llvm::unique(key.sizes), key.sizes.end());
  return key;
}

LaunchFacts factsOf(const std::vector<ArgumentSpec> &types,
                    const std::vector<std::pair<std::string, int64_t>> &sizes) {
  LaunchFacts facts;
  facts.types = types;
  facts.integers = sizes;
  for (const auto &[name, size] : sizes)
    if (StringRef array = name; array.consume_back(".size"))
      facts.arraySizes.emplace_back(array.str(), size);
  return facts;
}

std::string noConfiguration(const std::string &database, const std::string &kernel,
                            const std::string &device) {
  return "'" + database + "' has no configuration of '" + kernel + "' on '" + device +
         "' for these types and sizes";
}

} // namespace tilec
