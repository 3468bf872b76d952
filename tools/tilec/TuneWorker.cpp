// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuneWorker.h. The data is made again in the child, from the same command line: it depends on
// nothing else. It is as it was at first before every measurement.

#include "TuneWorker.h"

#include "CompileOutcome.h"
#include "Console.h"
#include "FindingDiagnostics.h"
#include "GpuRun.h"
#include "HostRun.h"
#include "SourceFile.h"
#include "TunedConfig.h"

#include "tilec/Support/ChildProcess.h"
#include "tilec/Tuning/HandedKernel.h"
#include "tilec/Tuning/SimulatedCost.h"

#include <cstring>

using tilecrt::Result;
using tilecrt::Status;
namespace json = llvm::json;

namespace tilec::tool {

namespace {

class Worker {
public:
  explicit Worker(const TuneCommand &tuneCommand)
      : command(tuneCommand), channel(tuneCommand.workerSocket) {}

  ExitCode run();

private:
  Status prepare();
  Status restoreArrays();
  Result<json::Object> measure(const json::Object &request);
  Result<json::Object> measureOnDevice(const CompiledKernel &kernel, double milliseconds);
  Result<json::Object> simulateIt(const RunCommand &variant);

  const TuneCommand &command;
  LineChannel channel;
  SourceManager sources;
  FileId file = 0;
  ParsedSource source;
  const KernelInfo *info = nullptr;
  RunPlan plan;
  /// Constants that the command line gives to all configurations.
  std::vector<ConstantSpec> ownConstants;
  std::vector<tilecrt::HostArray> pristine;
  std::shared_ptr<RunDevice> gpu;
  Compiler compiler;
  bool isLost = false;
};

std::string textOf(const DiagnosticEngine &diagnostics, const SourceManager &sources) {
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
    if (diagnostic.severity == Severity::Error) {
      LineColumn place = sources.getLineColumn(diagnostic.range);
      std::string where;
      if (diagnostic.range.isValid())
        where =
            (sources.getFileName(diagnostic.range) + ":" + llvm::Twine(place.line) + ": ").str();
      return where + diagnostic.message;
    }
  return "failed without saying why";
}

} // namespace

Status Worker::prepare() {
  llvm::Expected<FileId> loaded = sources.loadFile(command.run.kernel.file);
  if (!loaded)
    return tilecrt::ioError(llvm::toString(loaded.takeError()));
  file = *loaded;
  DiagnosticEngine diagnostics;
  source = parseSource(sources, file, diagnostics, {command.run.kernel.options.modules.roots, {}});
  if (!diagnostics.hasErrors())
    info = source.select(command.run.kernel.options.kernel, diagnostics);
  if (info)
    plan = makeRunPlan(baseOf(command, *info), source, *info, diagnostics, /*withLaunch=*/false);
  if (diagnostics.hasErrors())
    return tilecrt::invalidArgument(textOf(diagnostics, sources));
  ownConstants = plan.constants;
  for (const std::string &name : info->resetToZero)
    if (RunArray *array = plan.findArray(name); array && array->data.byteSize() != 0)
      std::memset(array->data.data(), 0, array->data.byteSize());
  if (command.run.device == DeviceKind::Simulator) {
    for (const RunArray &array : plan.arrays) {
      Result<tilecrt::HostArray> copy = array.data.clone();
      if (!copy.ok())
        return copy.status();
      pristine.push_back(std::move(*copy));
    }
    return Status();
  }
  Result<std::shared_ptr<RunDevice>> device = openCudaDevice(command.run.deviceNumber);
  if (!device.ok())
    return device.status();
  gpu = std::move(*device);
  return Status();
}

Status Worker::restoreArrays() {
  for (size_t i = 0; i < pristine.size(); ++i)
    if (pristine[i].byteSize() != 0)
      std::memcpy(plan.arrays[i].data.data(), pristine[i].data(), pristine[i].byteSize());
  return Status();
}

Result<json::Object> Worker::measureOnDevice(const CompiledKernel &kernel, double milliseconds) {
  tilecrt::cuda::MeasureOptions options;
  options.milliseconds = milliseconds;
  options.mostRepeats = command.repeats;
  options.flushL2 = command.flushL2;
  // The arrays are copied to the device afresh.
  Result<double> median = measureOnGpu(gpu, kernel, plan, options);
  if (!median.ok()) {
    isLost = median.code() == tilecrt::StatusCode::deviceError;
    return median.status();
  }
  return json::Object{{"cost", *median}, {"unit", "us"}};
}

Result<json::Object> Worker::simulateIt(const RunCommand &variant) {
  CompileOptions options = makeCompileOptions(variant.kernel);
  options.kernel = plan.kernel;
  options.arguments = plan.types;
  options.heuristicArguments = heuristicArgumentsOf(plan, *info);
  options.constants = plan.constants;
  options.countInstructions = true;
  options.target = "sim";
  DiagnosticEngine diagnostics;
  std::unique_ptr<CompiledKernel> kernel = compiler.compile(sources, file, options, diagnostics);
  if (!kernel)
    return tilecrt::invalidArgument("does not compile: " + textOf(diagnostics, sources));
  TILECRT_RETURN_IF_ERROR(restoreArrays());
  RunCommand counting = variant;
  counting.counters = true;
  counting.repeat = 1;
  Result<RunOutcome> outcome = runOnSimulator(*kernel, plan, counting);
  if (!outcome.ok())
    return outcome.status();
  DiagnosticEngine findings(/*limit=*/0);
  reportFindings(*outcome, sources, findings);
  if (!outcome->launch.clean())
    return tilecrt::deviceError(
        "faults: " + (findings.hasErrors() ? textOf(findings, sources) : outcome->launch.error));
  return json::Object{{"cost", simulatedCost(outcome->launch.totals)},
                      {"unit", "cost"},
                      {"shared", int64_t(kernel->metadata.dynamicSharedBytes)}};
}

Result<json::Object> Worker::measure(const json::Object &request) {
  const json::Value *configValue = request.get("config");
  auto path = request.getString("kernel");
  if (!configValue || (gpu && !path))
    return tilecrt::internalError("a request is not complete");
  llvm::Expected<TuningConfig> config = configFromJson(*configValue);
  if (!config)
    return tilecrt::internalError(llvm::toString(config.takeError()));
  RunCommand variant = withConfig(baseOf(command, *info), *config, *info);
  plan.constants = ownConstants;
  DiagnosticEngine diagnostics;
  rebindConstants(plan, variant, source, *info, diagnostics);
  if (diagnostics.hasErrors())
    return tilecrt::invalidArgument(textOf(diagnostics, sources));
  if (!gpu)
    return simulateIt(variant);
  Result<std::unique_ptr<CompiledKernel>> kernel = readKernel(path->str());
  if (!kernel.ok())
    return kernel.status();
  return measureOnDevice(**kernel,
                         request.getNumber("milliseconds").value_or(command.milliseconds));
}

ExitCode Worker::run() {
  Status prepared = prepare();
  if (!prepared.ok()) {
    channel.send(json::Object{{"error", prepared.message()}, {"lost", true}});
    return exitCodeOf(prepared.code());
  }
  channel.send(json::Object{{"ready", true}});
  while (!isLost) {
    std::optional<json::Object> request = channel.receive(/*milliseconds=*/-1);
    if (!request)
      return ExitCode::Ok;
    Result<json::Object> answer = measure(*request);
    if (answer.ok())
      channel.send(std::move(*answer));
    else
      channel.send(json::Object{{"error", answer.message()}, {"lost", isLost}});
  }
  return ExitCode::Ok;
}

ExitCode serveTuning(const TuneCommand &command) { return Worker(command).run(); }

} // namespace tilec::tool
