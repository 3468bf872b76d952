// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TunedConfig.h.

#include "TunedConfig.h"

#include "Console.h"

#include "tilec/Tuning/TuningOutcome.h"

#include "llvm/Support/FileSystem.h"

namespace tilec::tool {

RunCommand baseOf(const TuneCommand &command, const KernelInfo &kernel) {
  RunCommand base = command.run;
  for (const auto &[name, values] : command.constants)
    for (const KernelParam &param : kernel.params)
      if (param.name == name && param.kind != KernelParam::Kind::Constexpr && values.size() == 1)
        base.kernel.options.constants.push_back({name, values.front()});
  return base;
}

RunCommand withConfig(RunCommand command, const TuningConfig &config, const KernelInfo &kernel) {
  // What has data is no constant.
  TuningConfig rest = config;
  llvm::erase_if(rest.constants, [&](const NamedValue &constant) {
    return llvm::any_of(command.kernel.arguments, [&](const NamedValue &argument) {
      return argument.first == constant.first;
    });
  });
  applyConfig(rest, kernel, command.kernel.options);
  return command;
}

LaunchFacts launchFactsOf(const RunPlan &plan) {
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
  return facts;
}

TuningKey tuningKeyOf(const RunPlan &plan, const KernelInfo &kernel, const std::string &kernelHash,
                      const std::string &device) {
  return makeTuningKey(kernel, kernelHash, device, launchFactsOf(plan));
}

ExitCode applyDatabase(const SourceManager &sources, const ParsedSource &source,
                       const KernelInfo &kernel, const RunPlan &plan, const std::string &device,
                       RunCommand &command) {
  if (!llvm::sys::fs::exists(command.tuned))
    return reportError("cannot read '" + command.tuned + "': no such file");
  llvm::Expected<std::optional<TuningConfig>> best = readBestConfig(command.tuned, kernel.name);
  if (!best)
    return reportError(llvm::toString(best.takeError()));
  if (*best) {
    command = withConfig(std::move(command), **best, kernel);
    return ExitCode::Ok;
  }
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(command.tuned);
  if (!database)
    return reportError(llvm::toString(database.takeError()));
  std::string hash = kernelSourceHash(sources, *source.tree, kernel.name, source.modules);
  const TuningRecord *record = database->find(tuningKeyOf(plan, kernel, hash, device));
  if (record)
    command = withConfig(std::move(command), record->config, kernel);
  else
    reportNote(noConfiguration(command.tuned, kernel.name, device));
  return ExitCode::Ok;
}

} // namespace tilec::tool
