// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec run: bind the data, compile for the device, launch, compare and report.

#include "CacheSetup.h"
#include "Commands.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "FindingDiagnostics.h"
#include "GpuRun.h"
#include "HostRun.h"
#include "PlanLaunch.h"
#include "ReplayRun.h"
#include "RunReport.h"
#include "RunTimeline.h"
#include "SourceFile.h"
#include "TunedConfig.h"

#include "tilecrt/data/NpyFile.h"

#include <future>

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

namespace {

/// One run, step by step; each step returns Ok to go on.
class Runner {
public:
  explicit Runner(const RunCommand &runCommand)
      : command(runCommand), cache(runCommand.kernel.cache) {}

  ExitCode run();

private:
  ExitCode readSource();
  ExitCode readReplay();
  ExitCode readExpectations();
  void beginOpening();
  ExitCode openDevice();
  ExitCode applyTuned();
  ExitCode compile();
  ExitCode openContext();
  ExitCode launch();
  ExitCode saveTimelines() { return writeTimelines(command, plan, kernel->metadata, outcome); }
  ExitCode compareArrays();
  ExitCode saveArrays();
  ExitCode report();

  ExitCode printAndCount(const DiagnosticEngine &diagnostics) {
    printDiagnostics(sources, diagnostics, command.kernel.diagnosticsFormat);
    return diagnostics.hasErrors() ? ExitCode::InputError : ExitCode::Ok;
  }

  /// With a tuned configuration in it, once that is known.
  RunCommand command;
  SourceManager sources;
  FileId file = 0;
  ParsedSource source;
  const KernelInfo *info = nullptr;
  RunPlan plan;
  /// The driver takes longer to start than the compiler: it opens the device while the data is made
  /// and its context while the kernel is compiled.
  std::shared_future<Result<tilecrt::cuda::Device>> openingDevice;
  std::future<Result<tilecrt::cuda::Context>> openingContext;
  /// The launch that is replayed, if one is.
  std::optional<SavedLaunch> saved;
  /// Nothing: the simulator.
  std::optional<tilecrt::cuda::Device> device;
  std::shared_ptr<RunDevice> gpu;
  KernelCache cache;
  Compiler compiler;
  std::unique_ptr<CompiledKernel> kernel;
  RunOutcome outcome;
  /// One for each --expect, in order.
  std::vector<tilecrt::HostArray> expected;
  std::vector<ExpectationResult> expectations;
};

/// Tolerances that fit the rounding of the element type.
tilecrt::Tolerance defaultTolerance(tilecrt::DType type) {
  tilecrt::Tolerance tolerance;
  switch (type) {
  case tilecrt::DType::f16:
    tolerance.rtol = tolerance.atol = 1e-3;
    break;
  case tilecrt::DType::bf16:
    tolerance.rtol = tolerance.atol = 1e-2;
    break;
  case tilecrt::DType::f8e4m3:
  case tilecrt::DType::f8e5m2:
    tolerance.rtol = 0.25;
    tolerance.atol = 0.0625;
    break;
  case tilecrt::DType::f32:
  case tilecrt::DType::f64:
    tolerance.rtol = 1e-5;
    tolerance.atol = 1e-6;
    break;
  default:
    tolerance.rtol = tolerance.atol = 0;
  }
  return tolerance;
}

} // namespace

ExitCode Runner::readSource() {
  std::optional<FileId> loaded = loadSource(sources, command.kernel.file);
  if (!loaded)
    return ExitCode::InputError;
  file = *loaded;
  DiagnosticEngine diagnostics;
  source = parseSource(sources, file, diagnostics, {command.kernel.options.modules.roots, {}});
  if (diagnostics.hasErrors())
    return printAndCount(diagnostics);
  // The compiler repeats the warnings.
  diagnostics.clear();
  info = source.select(command.kernel.options.kernel, diagnostics);
  if (info)
    plan = makeRunPlan(command, source, *info, diagnostics, /*withLaunch=*/command.tuned.empty());
  return printAndCount(diagnostics);
}

ExitCode Runner::readReplay() {
  llvm::Expected<SavedLaunch> launch = readSavedLaunch(command.replay);
  if (!launch)
    return reportError(llvm::toString(launch.takeError()));
  saved = std::move(*launch);
  llvm::Expected<FileId> added = command.kernel.file.empty()
                                     ? sources.addBuffer(saved->origin.file, *saved->origin.text)
                                     : sources.loadFile(command.kernel.file);
  if (!added)
    return reportError(llvm::toString(added.takeError()));
  file = *added;
  reportNote(describeSaved(*saved));
  return reportUnlessOk(planReplay(*saved, command, plan));
}

/// Before the run, so that a wrong path costs no time.
ExitCode Runner::readExpectations() {
  for (const Expectation &expectation : command.expect) {
    // The files of bf16 and 8-bit floats do not say which type they hold.
    tilecrt::DType type = plan.findArray(expectation.name)->data.dtype();
    tilecrt::NpyReadOptions options;
    if (tilecrt::isFloat(type) && (type == tilecrt::DType::bf16 || tilecrt::dtypeSize(type) == 1))
      options.as = type;
    Result<tilecrt::HostArray> array = tilecrt::readNpy(expectation.path, options);
    // A reference may be of a wider type than the result.
    if (!array.ok() && options.as)
      array = tilecrt::readNpy(expectation.path);
    if (!array.ok())
      return reportUnlessOk(
          array.status().withContext("expectation for '" + expectation.name + "'"));
    expected.push_back(std::move(*array));
  }
  return ExitCode::Ok;
}

void Runner::beginOpening() {
  if (command.device == DeviceKind::Simulator || command.device == DeviceKind::Interpreter)
    return;
  int ordinal = command.deviceNumber;
  openingDevice = std::async(std::launch::async, [ordinal] { return openGpu(ordinal); });
  openingContext =
      std::async(std::launch::async, [opening = openingDevice]() -> Result<tilecrt::cuda::Context> {
        const Result<tilecrt::cuda::Device> &opened = opening.get();
        if (!opened.ok())
          return opened.status();
        return tilecrt::cuda::Context::create(*opened);
      });
}

ExitCode Runner::openDevice() {
  if (!openingDevice.valid())
    return ExitCode::Ok;
  const Result<tilecrt::cuda::Device> &opened = openingDevice.get();
  if (opened.ok())
    device = *opened;
  else if (command.device == DeviceKind::Cuda)
    return reportError(opened.message(), ExitCode::Unavailable);
  return ExitCode::Ok;
}

ExitCode Runner::applyTuned() {
  if (command.tuned.empty())
    return ExitCode::Ok;
  std::string name = device ? device->properties().name : "simulator";
  ExitCode code = applyDatabase(sources, source, *info, plan, name, command);
  if (code != ExitCode::Ok)
    return code;
  DiagnosticEngine diagnostics;
  rebindConstants(plan, command, source, *info, diagnostics);
  return printAndCount(diagnostics);
}

ExitCode Runner::openContext() {
  if (!device)
    return ExitCode::Ok;
  Result<tilecrt::cuda::Context> context = openingContext.get();
  if (context.ok()) {
    gpu = makeCudaDevice(std::move(*context));
    return ExitCode::Ok;
  }
  if (command.device == DeviceKind::Cuda)
    return reportError(context.message(), ExitCode::Unavailable);
  device.reset();
  return compile();
}

ExitCode Runner::compile() {
  CompileOptions options = makeCompileOptions(command.kernel);
  options.kernel = plan.kernel;
  options.arguments = plan.types;
  if (info)
    options.heuristicArguments = heuristicArgumentsOf(plan, *info);
  options.constants = plan.constants;
  options.countInstructions = command.counters;
  options.target = command.device == DeviceKind::Interpreter ? "interp" : "sim";
  if (device) {
    if (Status status = aimAtGpu(*device, options); !status.ok())
      return reportUnlessOk(status);
    options.persistentByCost =
        tilecrt::takesSeveralTurns(plan.grid, uint64_t(device->properties().smCount));
  }
  if (saved)
    applySaved(*saved, options);
  cache.attachTo(options);
  DiagnosticEngine diagnostics;
  kernel = compiler.compileFitting(
      sources, file, options, plan.grid,
      [&](const auto &metadata) { return inferredMapsFit(plan, metadata); }, diagnostics);
  printDiagnostics(sources, diagnostics, command.kernel.diagnosticsFormat);
  return kernel ? ExitCode::Ok : reportFailure(compiler.lastFailure());
}

ExitCode Runner::launch() {
  // A saved launch has its buffer.
  if (!saved)
    if (Status status = addTimelineArray(kernel->metadata, plan); !status.ok())
      return reportUnlessOk(status);
  DiagnosticEngine errors;
  Result<RunOutcome> result = saved ? replayOnSimulator(*saved, *kernel, plan, command)
                              : gpu ? runOnGpu(gpu, *kernel, plan, command)
                              : command.device == DeviceKind::Interpreter
                                  ? runOnInterpreter(compiler, sources, *kernel, plan, errors)
                                  : runOnSimulator(*kernel, plan, command);
  if (errors.hasErrors())
    return printAndCount(errors);
  if (!result.ok())
    return reportUnlessOk(result.status());
  outcome = std::move(*result);
  DiagnosticEngine findings(/*limit=*/0);
  reportFindings(outcome, sources, findings);
  printDiagnostics(sources, findings, command.kernel.diagnosticsFormat);
  if (!outcome.saved.empty())
    reportNote(llvm::StringRef(outcome.saved).trim());
  return ExitCode::Ok;
}

ExitCode Runner::compareArrays() {
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string &name = command.expect[i].name;
    const tilecrt::HostArray &actual = plan.findArray(name)->data;
    tilecrt::Tolerance tolerance = defaultTolerance(actual.dtype());
    tolerance.rtol = command.rtol.value_or(tolerance.rtol);
    tolerance.atol = command.atol.value_or(tolerance.atol);
    Result<tilecrt::Comparison> comparison = tilecrt::compareArrays(actual, expected[i], tolerance);
    if (!comparison.ok())
      return reportUnlessOk(comparison.status().withContext("expectation for '" + name + "'"));
    if (!comparison->matches())
      reportError("array '" + name + "' is not as expected: " + comparison->describe());
    expectations.push_back({name, std::move(*comparison)});
  }
  return ExitCode::Ok;
}

ExitCode Runner::saveArrays() {
  for (const auto &[name, path] : command.save) {
    ExitCode code = reportUnlessOk(tilecrt::writeNpy(path, plan.findArray(name)->data));
    if (code != ExitCode::Ok)
      return code;
  }
  return ExitCode::Ok;
}

ExitCode Runner::report() {
  RunReport content{command, plan, kernel->metadata, outcome, expectations, sources};
  ExitCode code = writeToStdout(command.json ? printReportAsJson(content) : printReport(content));
  if (code != ExitCode::Ok)
    return code;
  return isFailure(content) ? ExitCode::InputError : ExitCode::Ok;
}

ExitCode Runner::run() {
  beginOpening();
  for (ExitCode (Runner::*step)() :
       {command.replay.empty() ? &Runner::readSource : &Runner::readReplay,
        &Runner::readExpectations, &Runner::openDevice, &Runner::applyTuned, &Runner::compile,
        &Runner::openContext, &Runner::launch, &Runner::saveTimelines, &Runner::saveArrays,
        &Runner::compareArrays})
    if (ExitCode code = (this->*step)(); code != ExitCode::Ok)
      return code;
  return report();
}

ExitCode execute(const RunCommand &command) { return Runner(command).run(); }

} // namespace tilec::tool
