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
  LaunchFacts facts;
  facts.types = plan.types;
  for (ArgumentSpec &type : facts.types)
    for (const RunDescriptor &descriptor : plan.descriptors)
      if (descriptor.name == type.name)
        type.type = "tensordesc<>";
  for (const auto &[name, argument] : plan.arguments)
    if (const auto *number = std::get_if<tilecrt::NumberData>(&argument);
        number && number->isInteger)
      facts.integers.emplace_back(name, number->integer);
  for (const RunArray &array : plan.arrays)
    facts.arraySizes.emplace_back(array.name, int64_t(array.data.size()));
  return makeTuningKey(kernel, kernelHash, device, facts);
}

ExitCode applyDatabase(const SourceManager &sources, const ParsedSource &source,
                       const KernelInfo &kernel, const RunPlan &plan, const std::string &device,
                       RunCommand &command) {
  if (!llvm::sys::fs::exists(command.tuned))
    return reportError("cannot read '" + command.tuned + "': no such file");
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(command.tuned);
  if (!database)
    return reportError(llvm::toString(database.takeError()));
  std::string hash = kernelSourceHash(sources, *source.tree, kernel.name, source.modules);
  const TuningRecord *record = database->find(tuningKeyOf(plan, kernel, hash, device));
  if (record)
    command = withConfig(std::move(command), record->config, kernel);
  else
    reportNote("'" + command.tuned + "' has no configuration of '" + kernel.name + "' on '" +
               device + "' for these types and sizes");
  return ExitCode::Ok;
}

} // namespace tilec::tool
