// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ExplainInput.h. What differs between the inputs is where source, options, arguments and
// memory come from.

#include "ExplainInput.h"

#include "CacheSetup.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "HostRun.h"
#include "PlanLaunch.h"
#include "ReplayRun.h"
#include "SourceFile.h"
#include "TunedConfig.h"

#include "tilec/Run/ExplainLaunch.h"
#include "tilec/Run/SavedMemory.h"
#include "tilec/Support/Processor.h"
#include "tilec/Target/HostJIT.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using tilecrt::Status;

namespace tilec::tool {

namespace {

/// One report, step by step; each step returns Ok to go on.
class Reporter {
public:
  /// `different` may be null.
  Reporter(const ExplainCommand &explainCommand, const ExplainChange *different,
           explain::Report &made)
      : command(explainCommand), change(different), report(made), run(explainCommand.run),
        cache(run.kernel.cache) {}

  ExitCode explain();

private:
  ExitCode applyChange();
  ExitCode readSource();
  ExitCode readReplay();
  ExitCode applyTuned();
  ExitCode describe();
  ExitCode explainLaunch();

  ExitCode print(const DiagnosticEngine &diagnostics) const {
    printDiagnostics(sources, diagnostics, run.kernel.diagnosticsFormat);
    return diagnostics.hasErrors() ? ExitCode::InputError : ExitCode::Ok;
  }
  /// The options of a replayed kernel are its own.
  CompileOptions optionsOfPlan();

  const ExplainCommand &command;
  const ExplainChange *change;
  explain::Report &report;
  RunCommand run;
  SourceManager sources;
  FileId file = 0;
  ParsedSource source;
  const KernelInfo *info = nullptr;
  RunPlan plan;
  std::optional<SavedLaunch> saved;
  KernelCache cache;
  ExplainSubject subject;
  std::unique_ptr<RepeatedLaunch> repeated;
};

std::vector<explain::Argument> describeArguments(const RunPlan &plan) {
  std::vector<explain::Argument> list;
  for (const ArgumentSpec &type : plan.types) {
    explain::Argument argument;
    argument.name = type.name;
    argument.type = type.type;
    auto descriptor = llvm::find_if(plan.descriptors, [&](const RunDescriptor &candidate) {
      return candidate.name == type.name;
    });
    auto value = plan.arguments.find(type.name);
    const RunArray *array = nullptr;
    if (descriptor != plan.descriptors.end())
      array = &plan.arrays[descriptor->array];
    else if (value != plan.arguments.end() && std::holds_alternative<size_t>(value->second))
      array = &plan.arrays[std::get<size_t>(value->second)];
    if (array) {
      argument.kind = descriptor != plan.descriptors.end() ? explain::Argument::Kind::Descriptor
                                                           : explain::Argument::Kind::Array;
      argument.dtype = tilecrt::dtypeName(array->data.dtype());
      argument.shape.assign(array->data.shape().begin(), array->data.shape().end());
      argument.bytes = int64_t(array->data.byteSize());
    } else if (value != plan.arguments.end()) {
      const auto &number = std::get<tilecrt::NumberData>(value->second);
      argument.value = number.isInteger
                           ? std::to_string(number.integer)
                           : llvm::formatv("{0}", llvm::format("%g", number.real)).str();
    }
    list.push_back(std::move(argument));
  }
  return list;
}

} // namespace

/// Puts what a change says in the place of what options say.
static void apply(const ExplainChange &change, CompileOptions &options) {
  if (!change.kernel.empty())
    options.kernel = change.kernel;
  for (const auto &[name, value] : change.config.constants) {
    auto known = llvm::find_if(options.constants, [&, &named = name](const ConstantSpec &constant) {
      return constant.name == named;
    });
    if (known != options.constants.end())
      known->value = value;
    else
      options.constants.push_back({name, value});
  }
  const TuningConfig &config = change.config;
  for (auto [option, value] :
       {std::pair(&options.numWarps, config.numWarps),
        std::pair(&options.numStages, config.numStages),
        std::pair(&options.numCtas, config.numCtas), std::pair(&options.splitK, config.splitK),
        std::pair(&options.maxRegisters, config.maxRegisters)})
    if (value)
      *option = value;
}

ExitCode Reporter::applyChange() {
  subject.gpu = command.gpu ? command.gpu : explain::findGpu("", "");
  if (!change)
    return ExitCode::Ok;
  for (const auto &[name, value] : change->config.constants)
    for (const NamedValue &argument : run.kernel.arguments)
      if (argument.first == name)
        return reportError("'--against' changes constants and launch options, '" + name +
                           "' is an argument");
  if (!change->file.empty())
    run.kernel.file = change->file;
  if (change->gpu)
    subject.gpu = change->gpu;
  apply(*change, run.kernel.options);
  return ExitCode::Ok;
}

ExitCode Reporter::readSource() {
  std::optional<FileId> loaded = loadSource(sources, run.kernel.file);
  if (!loaded)
    return ExitCode::InputError;
  file = *loaded;
  DiagnosticEngine diagnostics;
  source = parseSource(sources, file, diagnostics, {run.kernel.options.modules.roots, {}});
  if (diagnostics.hasErrors())
    return print(diagnostics);
  // The compiler repeats the warnings.
  diagnostics.clear();
  info = source.select(run.kernel.options.kernel, diagnostics);
  if (info)
    plan = makeRunPlan(run, source, *info, diagnostics, /*withLaunch=*/run.tuned.empty());
  return print(diagnostics);
}

ExitCode Reporter::readReplay() {
  llvm::Expected<SavedLaunch> launch = readSavedLaunch(run.replay);
  if (!launch)
    return reportError(llvm::toString(launch.takeError()));
  saved = std::move(*launch);
  llvm::Expected<FileId> added = run.kernel.file.empty()
                                     ? sources.addBuffer(saved->origin.file, *saved->origin.text)
                                     : sources.loadFile(run.kernel.file);
  if (!added)
    return reportError(llvm::toString(added.takeError()));
  file = *added;
  subject.options = makeCompileOptions(run.kernel);
  applySaved(*saved, subject.options);
  if (change)
    apply(*change, subject.options);
  subject.grid = saved->grid;
  subject.arguments = describeArguments(*saved);
  if (!command.gpu && !(change && change->gpu))
    subject.gpu = explain::findGpu(saved->device, saved->origin.options.target);
  auto memory = std::make_unique<SavedLaunchRepeat>(*saved);
  if (Status status = memory->reserve(); !status.ok())
    return reportUnlessOk(status);
  repeated = std::move(memory);
  return ExitCode::Ok;
}

ExitCode Reporter::applyTuned() {
  if (run.tuned.empty())
    return ExitCode::Ok;
  // Tuned on such a GPU, if it was.
  ExitCode code = applyDatabase(sources, source, *info, plan, subject.gpu->name.str(), run);
  if (code != ExitCode::Ok)
    return code;
  DiagnosticEngine diagnostics;
  rebindConstants(plan, run, source, *info, diagnostics);
  return print(diagnostics);
}

CompileOptions Reporter::optionsOfPlan() {
  CompileOptions options = makeCompileOptions(run.kernel);
  options.kernel = plan.kernel;
  options.arguments = plan.types;
  options.heuristicArguments = heuristicArgumentsOf(plan, *info);
  options.constants = plan.constants;
  return options;
}

ExitCode Reporter::describe() {
  if (!saved) {
    subject.options = optionsOfPlan();
    subject.grid = plan.grid;
    subject.arguments = describeArguments(plan);
    repeated = std::make_unique<PlannedLaunch>(makeSimulator(run), plan);
  }
  subject.sources = &sources;
  subject.file = file;
  subject.launch = repeated.get();
  subject.allPrograms = command.allPrograms;
  subject.timeline = command.timeline;
  // Only code for the simulator is kept in the cache: the other is compiled with all its stages.
  CompileOptions forHost = subject.options;
  forHost.target = simulatorOf(subject.gpu->processor.str());
  cache.attachTo(forHost);
  subject.options.cache = forHost.cache;
  if (Status status = checkHostGrid(subject.grid, "simulator"); !status.ok() && command.allPrograms)
    return reportUnlessOk(status);
  return ExitCode::Ok;
}

ExitCode Reporter::explainLaunch() {
  LaunchExplainer explainer(subject);
  bool isCompiled = explainer.compile();
  DiagnosticEngine shown;
  for (const Diagnostic &message : explainer.getMessages().getDiagnostics())
    if (message.severity != Severity::Remark)
      shown.adopt(message);
  printDiagnostics(sources, shown, run.kernel.diagnosticsFormat);
  if (!isCompiled)
    return reportFailure(explainer.failure());
  if (Status status = explainer.run(); !status.ok())
    return reportUnlessOk(status);
  report = explainer.report();
  return ExitCode::Ok;
}

ExitCode Reporter::explain() {
  for (ExitCode (Reporter::*step)() :
       {&Reporter::applyChange, run.replay.empty() ? &Reporter::readSource : &Reporter::readReplay,
        &Reporter::applyTuned, &Reporter::describe, &Reporter::explainLaunch})
    if (ExitCode code = (this->*step)(); code != ExitCode::Ok)
      return code;
  return ExitCode::Ok;
}

ExitCode explainInput(const ExplainCommand &command, explain::Report &report) {
  ExitCode code = Reporter(command, nullptr, report).explain();
  if (code != ExitCode::Ok || !command.against)
    return code;
  auto other = std::make_shared<explain::Report>();
  code = Reporter(command, &*command.against, *other).explain();
  report.against = std::move(other);
  return code;
}

} // namespace tilec::tool
