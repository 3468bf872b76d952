// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling with what a tuning database has.

#include "OptionsReader.h"

#include "tilec/Tuning/SearchSpace.h"

#include "llvm/ADT/STLExtras.h"

namespace tilec::api {

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
  if (!options.maxRegisters)
    options.maxRegisters = config.maxRegisters;
}

void applyTuned(SourceManager &sources, FileId file, const TunedRequest &request,
                CompileOptions &options, DiagnosticEngine &engine) {
  // Errors of the source are those of the compilation.
  DiagnosticEngine aside;
  ParsedSource source = parseSource(sources, file, aside, options.modules);
  const KernelInfo *kernel = source.select(options.kernel, aside);
  if (!kernel)
    return;
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(request.database);
  if (!database) {
    engine.error(SourceRange(), llvm::toString(database.takeError()), "tuning");
    return;
  }
  LaunchFacts facts;
  facts.types = options.arguments;
  facts.integers = request.sizes;
  for (const auto &[name, size] : request.sizes)
    if (llvm::StringRef array = name; array.consume_back(".size"))
      facts.arraySizes.emplace_back(array.str(), size);
  std::string hash = kernelSourceHash(sources, *source.tree, kernel->name, options.modules);
  if (const TuningRecord *record =
          database->find(makeTuningKey(*kernel, hash, request.device, facts)))
    applyConfig(record->config, *kernel, options);
  else
    engine.remark(SourceRange(),
                  "'" + request.database + "' has no configuration of '" + kernel->name + "' on '" +
                      request.device + "' for these types and sizes",
                  "tuning");
}

ConfigRecord::ConfigRecord(const TuningConfig &described)
    : config(described), text(config.describe()), raw() {
  for (const auto &[name, value] : config.constants)
    bindings.push_back({name.c_str(), value.c_str()});
  raw.struct_size = sizeof raw;
  raw.text = text.c_str();
  raw.constants = bindings.data();
  raw.num_constants = bindings.size();
  raw.num_warps = config.numWarps.value_or(0);
  raw.num_stages = config.numStages.value_or(0);
  raw.max_registers = config.maxRegisters.value_or(0);
}

} // namespace tilec::api
