// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec tune: reads the source and the devices, lets the library's tuner search, reports and
// remembers. Every device has a child process, which measures on copies of the data.

#include "CacheSetup.h"
#include "Commands.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "GpuRun.h"
#include "HostRun.h"
#include "MeasurementPage.h"
#include "OutputFile.h"
#include "PlanLaunch.h"
#include "ProgressLine.h"
#include "SourceFile.h"
#include "TunedConfig.h"

#include "tilec/Run/IsolatedTuning.h"
#include "tilec/Tuning/ProductSpace.h"

#include "llvm/Support/FileSystem.h"

#include <cstring>
#include <mutex>
#include <thread>

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

namespace {

class CommandTuner final : public TuningProblem {
public:
  explicit CommandTuner(const TuneCommand &tuneCommand)
      : command(tuneCommand), cache(tuneCommand.run.kernel.cache) {}

  ExitCode run();

  llvm::Expected<FileId> loadSource(SourceManager &into) override {
    return into.loadFile(command.run.kernel.file);
  }
  llvm::Expected<TuningVariant> describe(const TuningConfig &config) override;
  bool inferredMapsFit(const tilecrt::KernelMetadata &metadata) override {
    return tool::inferredMapsFit(plan, metadata);
  }

private:
  ExitCode readSource();
  ExitCode readDatabase();
  ExitCode expand();
  ExitCode openDevices();
  ExitCode openGpus();
  /// The plan's launch for other processes.
  IsolatedLaunch describeLaunch() const;
  void addPredictors(const IsolatedTuning &isolated);
  ExitCode search();
  ExitCode finish();

  bool isSimulated() const { return command.run.device == DeviceKind::Simulator; }

  const TuneCommand &command;
  KernelCache cache;
  CompileCache *sharedCache = nullptr;
  SourceManager sources;
  FileId file = 0;
  ParsedSource source;
  const KernelInfo *info = nullptr;
  std::mutex planMutex;
  RunPlan plan;
  /// Constants that the command line gives to all candidates.
  std::vector<ConstantSpec> ownConstants;
  std::vector<TuningConfig> configs;
  std::string program, target;
  Stage lastStage = Stage::PTX;
  /// "sim", "cuda:0".
  std::vector<std::string> devices;
  TunerOptions options;
  TuningOutcome outcome;
  /// Of files, for the page.
  explain::Measurements others;
};

} // namespace

ExitCode CommandTuner::readSource() {
  std::optional<FileId> loaded = tool::loadSource(sources, command.run.kernel.file);
  if (!loaded)
    return ExitCode::InputError;
  file = *loaded;
  DiagnosticEngine diagnostics;
  source = parseSource(sources, file, diagnostics, {command.run.kernel.options.modules.roots, {}});
  if (!diagnostics.hasErrors())
    info = source.select(command.run.kernel.options.kernel, diagnostics);
  if (info) {
    plan = makeRunPlan(baseOf(command, *info), source, *info, diagnostics, /*withLaunch=*/false);
    for (const auto &[name, argument] : plan.arguments)
      if (const auto *number = std::get_if<tilecrt::NumberData>(&argument);
          number && number->isInteger)
        options.argumentValues[name] = number->integer;
    if (command.space.empty() && !command.isProduct && !diagnostics.hasErrors())
      for (KernelInfo &kernel : source.kernels)
        if (&kernel == info)
          options.mostConfigs = applyHostPruning(kernel, *source.tree, sources, source.modules,
                                                 options.argumentValues, diagnostics);
  }
  printDiagnostics(sources, diagnostics, command.run.kernel.diagnosticsFormat);
  if (diagnostics.hasErrors())
    return ExitCode::InputError;
  outcome.kernel = info->name;
  ownConstants = plan.constants;
  return ExitCode::Ok;
}

/// Before anything costs time.
ExitCode CommandTuner::readDatabase() {
  if (command.database.empty())
    return ExitCode::Ok;
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(command.database);
  if (!database)
    return reportError(llvm::toString(database.takeError()));
  return ExitCode::Ok;
}

ExitCode CommandTuner::expand() {
  std::string text;
  if (!command.space.empty()) {
    auto read = llvm::MemoryBuffer::getFile(command.space);
    if (!read)
      return reportError("cannot read '" + command.space + "': " + read.getError().message());
    text = (*read)->getBuffer().str();
    // An empty file is no search space.
    text += text.empty() ? " " : "";
  } else if (command.isProduct) {
    text = R"({"product": {}})";
  }
  ProductLaunch launch{*info, launchFactsOf(plan), options.model};
  llvm::Expected<std::vector<TuningConfig>> space = makeSearchSpace(
      *info, text,
      {command.constants, command.numWarps, command.numStages, command.numCtas, command.splitK},
      &launch);
  if (!space)
    return reportError((command.space.empty() ? "" : "'" + command.space + "': ") +
                       llvm::toString(space.takeError()));
  configs = std::move(*space);
  if (configs.size() == 1)
    reportNote("there is one configuration only; give lists as in '--num-warps 4,8', or a space "
               "with '--space'");
  return ExitCode::Ok;
}

ExitCode CommandTuner::openDevices() {
  llvm::SmallString<256> self;
  if (std::error_code error = llvm::sys::fs::real_path("/proc/self/exe", self))
    return reportError("cannot find this program: " + error.message(), ExitCode::Unavailable);
  program = std::string(self);
  if (!isSimulated())
    return openGpus();
  target = "sim";
  outcome.device = "simulator";
  outcome.unit = "cost";
  devices.assign(std::max(1u, command.jobs), "sim");
  options.compiles = options.measuresFinalists = false;
  return ExitCode::Ok;
}

/// The devices that measure: those of '--devices', or the one of '--device' and, unless that was
/// named, all others of its kind.
ExitCode CommandTuner::openGpus() {
  int first = command.devices.empty() ? command.run.deviceNumber : command.devices.front();
  Result<tilecrt::cuda::Device> device = openGpu(first);
  if (!device.ok()) {
    ExitCode code = reportError(device.message(), ExitCode::Unavailable);
    reportNote("times need a GPU; '--device sim' compares the simulator's counters instead");
    return code;
  }
  CompileOptions aimed = makeCompileOptions(command.run.kernel);
  if (Status status = aimAtGpu(*device, aimed); !status.ok())
    return reportUnlessOk(status);
  target = aimed.target;
  lastStage = aimed.stopAfter;
  outcome.device = device->properties().name;
  options.model = makeTuningTarget(target, unsigned(device->properties().smCount));

  auto add = [&](int ordinal) { devices.push_back("cuda:" + std::to_string(ordinal)); };
  add(first);
  if (!command.devices.empty()) {
    for (int ordinal : llvm::drop_begin(command.devices)) {
      Result<tilecrt::cuda::Device> other = openGpu(ordinal);
      if (!other.ok())
        return reportError(other.message(), ExitCode::Unavailable);
      if (other->properties().name != outcome.device)
        return reportError("device " + llvm::Twine(ordinal) + " is '" + other->properties().name +
                           "', device " + llvm::Twine(first) + " '" + outcome.device +
                           "': times are compared on devices of one kind");
      add(ordinal);
    }
    return ExitCode::Ok;
  }
  Result<int> count = device->driver().deviceCount();
  for (int ordinal = 0; !command.run.isDeviceNamed && count.ok() && ordinal < *count; ++ordinal) {
    if (ordinal == first)
      continue;
    Result<tilecrt::cuda::Device> other = openGpu(ordinal);
    if (other.ok() && other->properties().name == outcome.device)
      add(ordinal);
  }
  return ExitCode::Ok;
}

llvm::Expected<TuningVariant> CommandTuner::describe(const TuningConfig &config) {
  RunCommand run = withConfig(baseOf(command, *info), config, *info);
  TuningVariant variant;
  variant.options = makeCompileOptions(run.kernel);
  DiagnosticEngine diagnostics;
  {
    // The data stays where it is.
    std::lock_guard<std::mutex> lock(planMutex);
    plan.constants = ownConstants;
    rebindConstants(plan, run, source, *info, diagnostics);
    variant.options.kernel = plan.kernel;
    variant.options.arguments = plan.types;
    variant.options.constants = plan.constants;
    variant.options.heuristicArguments = heuristicArgumentsOf(plan, *info);
    variant.grid = plan.grid;
  }
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
    if (diagnostic.severity == Severity::Error)
      return llvm::createStringError(diagnostic.message);
  if (isSimulated())
    if (Status status = checkHostGrid(variant.grid, outcome.device); !status.ok())
      return llvm::createStringError(status.message());
  // The code that a launch compiles for itself.
  if (!isSimulated())
    variant.options.persistentByCost =
        tilecrt::takesSeveralTurns(variant.grid, uint64_t(options.model.multiprocessors));
  variant.options.target = target;
  variant.options.stopAfter = lastStage;
  variant.options.cache = sharedCache;
  return variant;
}

IsolatedLaunch CommandTuner::describeLaunch() const {
  IsolatedLaunch launch;
  for (const RunArray &array : plan.arrays) {
    IsolatedMemory &memory = launch.memory.emplace_back();
    memory.name = array.name;
    memory.bytes = array.data.byteSize();
    memory.read = [&array](char *to) {
      std::memcpy(to, array.data.data(), array.data.byteSize());
      return Status();
    };
    for (size_t i = 0; i < array.table.size(); ++i)
      memory.addresses.emplace_back(i * sizeof(uint64_t), MemoryPlace{array.table[i], 0});
    if (llvm::is_contained(info->resetToZero, array.name))
      launch.cleared.emplace_back(MemoryPlace{launch.memory.size() - 1, 0}, memory.bytes);
  }
  for (const auto &[name, value] : plan.arguments) {
    IsolatedArgument &argument = launch.arguments.emplace_back();
    argument.name = name;
    if (const size_t *array = std::get_if<size_t>(&value))
      argument.value = MemoryPlace{*array, 0};
    else
      argument.value = std::get<tilecrt::NumberData>(value);
  }
  return launch;
}

/// On the simulator, whatever measures. Each compiles for two targets at once.
void CommandTuner::addPredictors(const IsolatedTuning &isolated) {
  const explain::GpuLimits *gpu = explain::findGpu(outcome.device, isSimulated() ? "" : target);
  outcome.predictedFor = gpu->name.str();
  unsigned jobs = command.jobs ? command.jobs : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < std::max(1u, jobs / 2); ++i)
    options.predictors.push_back(isolated.makePredictor(gpu->name.str(), *this));
}

ExitCode CommandTuner::search() {
  CompileOptions probe;
  probe.target = target;
  probe.stopAfter = lastStage;
  cache.attachTo(probe);
  sharedCache = probe.cache;
  options.prune = command.prune;
  options.mostPredicted = command.mostPredicted;
  options.predictedPart = command.predictedPart;
  limitConfigs(command.mostConfigs, options);
  options.mostSeconds = command.mostSeconds;
  options.milliseconds = command.milliseconds;
  options.jobs = command.jobs;
  ProgressLine line("tuning " + outcome.kernel);
  options.progress = [&](const TuningProgress &progress) {
    line.show(progress.done, progress.total,
              progress.best ? costText(progress.best->cost, outcome.unit) + " (" +
                                  progress.best->config.describe() + ")"
                            : "");
    return true;
  };
  IsolationOptions isolation;
  isolation.program = program;
  isolation.sourceName = sources.getBuffer(file)->getName().str();
  isolation.sourceText = sources.getBuffer(file)->getText().str();
  isolation.checks = isSimulated() && command.run.check.value_or(true);
  isolation.timeoutSeconds = command.timeoutSeconds;
  isolation.repeats = command.repeats;
  isolation.flushL2 = command.flushL2;
  isolation.problem = isSimulated() ? this : nullptr;
  Result<std::unique_ptr<IsolatedTuning>> isolated =
      IsolatedTuning::create(describeLaunch(), std::move(isolation));
  if (!isolated.ok())
    return reportUnlessOk(isolated.status());
  std::vector<std::unique_ptr<Measurer>> measurers;
  for (const std::string &device : devices)
    measurers.push_back((*isolated)->makeMeasurer(device));
  if (command.mostPredicted != 0 || command.predictedPart != 0)
    addPredictors(**isolated);
  tune(*this, std::move(configs), measurers, options, outcome);
  return ExitCode::Ok;
}

ExitCode CommandTuner::finish() {
  std::string data = printOutcomeAsJson(outcome);
  ExitCode code = writeToStdout(command.run.json ? data : printOutcome(outcome));
  if (code == ExitCode::Ok)
    code = writeMeasurementPage(command.page, std::move(others), data, "tune");
  if (code != ExitCode::Ok)
    return code;
  const Candidate *best = outcome.best();
  if (!best)
    return reportError("no configuration could be measured" +
                       (outcome.lost.empty() ? "" : ": " + outcome.lost));
  if (command.database.empty())
    return ExitCode::Ok;
  TuningKey key =
      tuningKeyOf(plan, *info, kernelSourceHash(sources, *source.tree, info->name, source.modules),
                  outcome.device);
  if (llvm::Error error = TuningDatabase::update(command.database, recordOf(outcome, key)))
    return reportError(llvm::toString(std::move(error)));
  return ExitCode::Ok;
}

ExitCode CommandTuner::run() {
  if (ExitCode code = readMeasurements(command.page, others); code != ExitCode::Ok)
    return code;
  if (command.run.kernel.file.empty())
    return writeMeasurementPage(command.page, std::move(others), "", "tune");
  for (ExitCode (CommandTuner::*step)() :
       {&CommandTuner::readSource, &CommandTuner::readDatabase, &CommandTuner::openDevices,
        &CommandTuner::expand, &CommandTuner::search, &CommandTuner::finish})
    if (ExitCode code = (this->*step)(); code != ExitCode::Ok)
      return code;
  return ExitCode::Ok;
}

ExitCode execute(const TuneWorkerCommand &command) {
  serveTuning(command.socket);
  return ExitCode::Ok;
}

ExitCode execute(const TuneCommand &command) { return CommandTuner(command).run(); }

} // namespace tilec::tool
