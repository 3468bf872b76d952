// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling with what a tuning database has.

#include "OptionsReader.h"

#include "tilec/Tuning/SearchSpace.h"

namespace tilec::api {

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
  std::string hash = kernelSourceHash(sources, *source.tree, kernel->name, options.modules);
  TuningKey key =
      makeTuningKey(*kernel, hash, request.device, factsOf(options.arguments, request.sizes));
  if (const TuningRecord *record = database->find(key))
    applyConfig(record->config, *kernel, options);
  else
    engine.remark(SourceRange(), noConfiguration(request.database, kernel->name, request.device),
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
  raw.num_ctas = config.numCtas.value_or(0);
  raw.split_k = config.splitK.value_or(0);
}

} // namespace tilec::api
