// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TunedConfig.h.

#include "TunedConfig.h"

#include "Console.h"

#include "llvm/Support/FileSystem.h"

namespace tilec::tool {

static bool hasParameter(const KernelInfo &kernel, llvm::StringRef name) {
  return llvm::any_of(kernel.params, [&](const KernelParam &param) { return param.name == name; });
}

std::vector<TuningConfig> configsOf(const KernelInfo &kernel) {
  std::vector<TuningConfig> configs;
  for (const AutotuneConfig &config : kernel.configs) {
    TuningConfig made;
    for (const auto &[name, value] : config.constants)
      if (hasParameter(kernel, name))
        made.set(name, value);
    made.numWarps = config.numWarps;
    made.numStages = config.numStages;
    made.numCtas = config.numCtas;
    made.maxRegisters = config.maxRegisters;
    configs.push_back(std::move(made));
  }
  return configs;
}

RunCommand baseOf(const TuneCommand &command, const KernelInfo &kernel) {
  RunCommand base = command.run;
  for (const auto &[name, values] : command.constants)
    for (const KernelParam &param : kernel.params)
      if (param.name == name && param.kind != KernelParam::Kind::Constexpr && values.size() == 1)
        base.kernel.constants.emplace_back(name, values.front());
  return base;
}

RunCommand withConfig(RunCommand command, const TuningConfig &config, const KernelInfo &kernel) {
  KernelOptions &options = command.kernel;
  for (const auto &[name, value] : config.constants) {
    bool given = false;
    for (const auto *list : {&options.constants, &options.arguments})
      for (const NamedValue &other : *list)
        given |= other.first == name;
    if (!given && hasParameter(kernel, name))
      options.constants.emplace_back(name, value);
  }
  if (!options.numWarps)
    options.numWarps = config.numWarps;
  if (!options.numStages)
    options.numStages = config.numStages;
  options.maxRegisters = config.maxRegisters;
  return command;
}

TuningKey tuningKeyOf(const RunPlan &plan, const KernelInfo &kernel, const std::string &kernelHash,
                      const std::string &device) {
  TuningKey key;
  key.kernelHash = kernelHash;
  key.device = device;
  for (const ArgumentSpec &argument : plan.types) {
    // That a size is a multiple of 16 is a matter of the size, not of the bucket.
    llvm::StringRef type = argument.type;
    // Blocks are a matter of the configuration.
    if (llvm::any_of(plan.descriptors, [&](const RunDescriptor &descriptor) {
          return descriptor.name == argument.name;
        }))
      type = "tensordesc";
    key.types.push_back(argument.name + ":" +
                        (type.starts_with("*") ? type : type.split(':').first).str());
  }
  auto addInteger = [&](const std::string &name) {
    auto argument = plan.arguments.find(name);
    if (argument == plan.arguments.end())
      return;
    const auto *number = std::get_if<tilecrt::NumberData>(&argument->second);
    if (number && number->isInteger)
      key.sizes.emplace_back(name, bucketOf(number->integer));
  };
  for (const std::string &name : kernel.autotuneKey)
    addInteger(name);
  if (key.sizes.empty())
    for (const KernelParam &param : kernel.params)
      addInteger(param.name);
  if (key.sizes.empty())
    for (const RunArray &array : plan.arrays)
      key.sizes.emplace_back(array.name + ".size", bucketOf(int64_t(array.data.size())));
  llvm::sort(key.sizes);
  key.sizes.erase(std::unique(key.sizes.begin(), key.sizes.end()), key.sizes.end());
  return key;
}

ExitCode applyDatabase(const SourceManager &sources, const ParsedSource &source,
                       const KernelInfo &kernel, const RunPlan &plan, const std::string &device,
                       RunCommand &command) {
  if (!llvm::sys::fs::exists(command.tuned))
    return reportError("cannot read '" + command.tuned + "': no such file");
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(command.tuned);
  if (!database)
    return reportError(llvm::toString(database.takeError()));
  std::string hash = kernelSourceHash(sources, *source.tree, kernel.name);
  const TuningRecord *record = database->find(tuningKeyOf(plan, kernel, hash, device));
  if (record)
    command = withConfig(std::move(command), record->config, kernel);
  else
    reportNote("'" + command.tuned + "' has no configuration of '" + kernel.name + "' on '" +
               device + "' for these types and sizes");
  return ExitCode::Ok;
}

} // namespace tilec::tool
