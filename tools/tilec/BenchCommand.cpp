// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec bench: the combinations of kernels, constants, warps, stages and clusters one after the
// other, each compiled and measured; a combination that fails is reported and the others go on.

#include "Commands.h"

#include "BenchReport.h"
#include "CacheSetup.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "FindingDiagnostics.h"
#include "GpuRun.h"
#include "HostRun.h"
#include "MeasurementPage.h"
#include "PlanLaunch.h"
#include "SourceFile.h"
#include "Sweep.h"
#include "TunedConfig.h"

#include "tilec/Support/Combinations.h"
#include "tilec/Support/NearestName.h"
#include "tilec/Tuning/Tuner.h"

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

namespace {

class Bench {
public:
  explicit Bench(const BenchCommand &benchCommand)
      : command(benchCommand), cache(benchCommand.run.kernel.cache),
        report{benchCommand, "simulator", {}} {}

  ExitCode run();

private:
  ExitCode readSource();
  ExitCode selectKernels();
  ExitCode openDevice();
  void measureKernel(const KernelInfo &info);
  ExitCode measureRow(const KernelInfo &info, BenchRow &row);
  /// Puts the tuned configuration into the variant, where there is one.
  ExitCode makePlan(const KernelInfo &info, const SweptSizes &sizes, RunCommand &variant);
  /// The plan's compilation, but for the target.
  CompileOptions optionsOf(const RunCommand &variant) const;
  ExitCode compile(const RunCommand &variant, BenchRow &row);
  void predict(const RunCommand &variant, BenchRow &row);
  ExitCode measureOnGpu(BenchRow &row);
  ExitCode simulate(const RunCommand &variant, BenchRow &row);

  RunCommand variantOf(const KernelInfo &info, const BenchRow &row) const;
  std::vector<BenchRow> rowsOf(const KernelInfo &info) const;
  ExitCode print(const DiagnosticEngine &diagnostics) {
    printDiagnostics(sources, diagnostics, command.run.kernel.diagnosticsFormat);
    return diagnostics.hasErrors() ? ExitCode::InputError : ExitCode::Ok;
  }

  const BenchCommand &command;
  SourceManager sources;
  FileId file = 0;
  ParsedSource source;
  std::vector<const KernelInfo *> kernels;
  /// Nothing: the simulator.
  std::optional<tilecrt::cuda::Device> device;
  std::shared_ptr<RunDevice> gpu;
  /// After a fault the driver refuses everything else.
  bool isGpuLost = false;
  KernelCache cache;
  Compiler compiler;
  std::unique_ptr<CompiledKernel> compiled;
  RunPlan plan;
  /// The kernel whose data the plan holds.
  const KernelInfo *planned = nullptr;
  SweptSizes plannedSizes;
  BenchReport report;
  /// Of files, for the page.
  explain::Measurements others;
  /// Of the first combination that failed.
  ExitCode firstFailure = ExitCode::Ok;
};

bool hasParameter(const KernelInfo &info, llvm::StringRef name) {
  return llvm::any_of(info.params, [&](const KernelParam &param) { return param.name == name; });
}

} // namespace

ExitCode Bench::readSource() {
  std::optional<FileId> loaded = loadSource(sources, command.run.kernel.file);
  if (!loaded)
    return ExitCode::InputError;
  file = *loaded;
  DiagnosticEngine diagnostics;
  source = parseSource(sources, file, diagnostics, {command.run.kernel.options.modules.roots, {}});
  return diagnostics.hasErrors() ? print(diagnostics) : ExitCode::Ok;
}

ExitCode Bench::selectKernels() {
  DiagnosticEngine diagnostics;
  std::vector<std::string> names = command.kernels;
  if (names.empty())
    names.push_back("");
  for (const std::string &name : names)
    if (const KernelInfo *info = source.select(name, diagnostics))
      kernels.push_back(info);
  if (diagnostics.hasErrors())
    return print(diagnostics);
  // One kernel's plan checks the names itself; of several, each takes what it knows.
  if (kernels.size() < 2)
    return ExitCode::Ok;
  std::vector<llvm::StringRef> known;
  for (const KernelInfo *info : kernels)
    for (const KernelParam &param : info->params)
      known.push_back(param.name);
  auto check = [&](const auto &list) {
    for (const auto &[name, value] : list) {
      if (llvm::is_contained(known, name))
        continue;
      llvm::StringRef nearest = nearestName(name, known);
      diagnostics.error(SourceRange(),
                        "no kernel has a parameter '" + name + "'" +
                            (nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?"));
    }
  };
  check(command.run.kernel.arguments);
  check(command.run.kernel.options.constants);
  return print(diagnostics);
}

/// Before any data is made.
ExitCode Bench::openDevice() {
  if (command.run.device == DeviceKind::Simulator)
    return ExitCode::Ok;
  Result<tilecrt::cuda::Device> opened = openGpu(command.run.deviceNumber);
  Result<tilecrt::cuda::Context> context =
      opened.ok() ? tilecrt::cuda::Context::create(*opened) : opened.status();
  if (!context.ok()) {
    ExitCode code = reportError(context.message(), ExitCode::Unavailable);
    reportNote("times need a GPU; '--device sim' gives the simulator's counters instead");
    return code;
  }
  device = *opened;
  gpu = makeCudaDevice(std::move(*context));
  report.device = describeGpu(*gpu);
  return ExitCode::Ok;
}

/// All combinations for one kernel, the last list varying fastest.
std::vector<BenchRow> Bench::rowsOf(const KernelInfo &info) const {
  std::vector<BenchRow> rows(1);
  rows.front().kernel = info.name;
  for (const auto &[name, values] : command.sweeps)
    multiplyRows(rows, values, [&, size = name](BenchRow &row, int64_t value) {
      row.sizes.emplace_back(size, value);
    });
  for (const auto &[name, values] : command.constants)
    if (kernels.size() < 2 || hasParameter(info, name))
      multiplyRows(rows, values, [&, constant = name](BenchRow &row, const std::string &value) {
        row.constants.push_back({constant, value});
      });
  multiplyRows(rows, command.splitK, [](BenchRow &row, int value) { row.splitK = value; });
  multiplyRows(rows, command.numCtas, [](BenchRow &row, int value) { row.numCtas = value; });
  multiplyRows(rows, command.numStages, [](BenchRow &row, int value) { row.numStages = value; });
  multiplyRows(rows, command.numWarps, [](BenchRow &row, int value) { row.numWarps = value; });
  return rows;
}

/// The run that a row stands for.
RunCommand Bench::variantOf(const KernelInfo &info, const BenchRow &row) const {
  RunCommand variant = command.run;
  CompileOptions &options = variant.kernel.options;
  options.kernel = info.name;
  options.constants = row.constants;
  options.numWarps = row.numWarps;
  options.numStages = row.numStages;
  options.numCtas = row.numCtas;
  options.splitK = row.splitK;
  if (kernels.size() > 1)
    llvm::erase_if(variant.kernel.arguments,
                   [&](const NamedValue &value) { return !hasParameter(info, value.first); });
  return variant;
}

ExitCode Bench::makePlan(const KernelInfo &info, const SweptSizes &sizes, RunCommand &variant) {
  DiagnosticEngine diagnostics;
  // The GPU works on copies of the data; the simulator leaves its results in it.
  if (planned != &info || plannedSizes != sizes || !gpu) {
    plan = RunPlan();
    plan = makeRunPlan(variant, source, info, diagnostics, /*withLaunch=*/false);
    planned = diagnostics.hasErrors() ? nullptr : &info;
    plannedSizes = sizes;
  }
  if (planned && !variant.tuned.empty()) {
    std::string name = gpu ? gpu->info().name : "simulator";
    ExitCode code = applyDatabase(sources, source, info, plan, name, variant);
    if (code != ExitCode::Ok)
      return code;
  }
  if (planned)
    rebindConstants(plan, variant, source, info, diagnostics);
  return print(diagnostics);
}

CompileOptions Bench::optionsOf(const RunCommand &variant) const {
  CompileOptions options = makeCompileOptions(variant.kernel);
  options.kernel = plan.kernel;
  options.arguments = plan.types;
  options.heuristicArguments = heuristicArgumentsOf(plan, *planned);
  options.constants = plan.constants;
  return options;
}

/// On the simulator, whatever measures. What cannot be predicted is measured all the same.
void Bench::predict(const RunCommand &variant, BenchRow &row) {
  PlannedLaunch launch(makeSimulator(variant), plan);
  ExplainSubject subject;
  subject.sources = &sources;
  subject.file = file;
  subject.options = optionsOf(variant);
  subject.grid = plan.grid;
  subject.launch = &launch;
  subject.gpu = command.predictedGpu;
  subject.onlyPredicts = true;
  CompileOptions forHost = subject.options;
  forHost.target = simulatorOf(command.predictedGpu->processor.str());
  cache.attachTo(forHost);
  subject.options.cache = forHost.cache;
  LaunchExplainer explainer(std::move(subject));
  // Why it does not compile, the compilation for the device says.
  if (!explainer.compile())
    return;
  if (Status status = explainer.run(); status.ok())
    row.predicted = explainer.predict();
  else
    reportNote("no prediction: " + status.message());
}

ExitCode Bench::compile(const RunCommand &variant, BenchRow &row) {
  CompileOptions options = optionsOf(variant);
  options.target = "sim";
  if (gpu) {
    if (Status status = aimAtGpu(*device, options); !status.ok())
      return reportUnlessOk(status);
    options.persistentByCost = tilecrt::takesSeveralTurns(plan.grid, gpu->info().concurrentCtas);
  }
  cache.attachTo(options);
  DiagnosticEngine diagnostics;
  compiled = compiler.compileFitting(
      sources, file, options, plan.grid,
      [&](const auto &metadata) { return inferredMapsFit(plan, metadata); }, diagnostics);
  print(diagnostics);
  if (!compiled)
    row.message = firstError(diagnostics, sources);
  return compiled ? ExitCode::Ok : reportFailure(compiler.lastFailure());
}

ExitCode Bench::measureOnGpu(BenchRow &row) {
  tilecrt::cuda::TimingOptions options;
  options.warmup = command.warmup;
  options.repeats = command.repeats;
  options.flushL2 = command.flushL2;
  Result<tilecrt::cuda::Timing> timing = timeOnGpu(gpu, *compiled, plan, options);
  if (!timing.ok()) {
    isGpuLost = timing.code() == tilecrt::StatusCode::deviceError;
    row.message = timing.message();
    return reportUnlessOk(timing.status());
  }
  row.timing = std::move(*timing);
  return ExitCode::Ok;
}

ExitCode Bench::simulate(const RunCommand &variant, BenchRow &row) {
  Result<RunOutcome> outcome = runOnSimulator(*compiled, plan, variant);
  if (!outcome.ok()) {
    row.message = outcome.message();
    return reportUnlessOk(outcome.status());
  }
  row.simulation = std::move(*outcome);
  DiagnosticEngine findings(/*limit=*/0);
  reportFindings(row.simulation, sources, findings);
  print(findings);
  if (!row.simulation.launch.clean())
    firstFailure = firstFailure == ExitCode::Ok ? ExitCode::InputError : firstFailure;
  return ExitCode::Ok;
}

ExitCode Bench::measureRow(const KernelInfo &info, BenchRow &row) {
  if (isGpuLost) {
    row.failure = "the GPU was lost by a fault before";
    return ExitCode::InputError;
  }
  RunCommand variant = variantOf(info, row);
  row.failure = "the arguments do not fit the kernel";
  if (Status filled = fillSizes(variant, row.sizes); !filled.ok())
    return reportUnlessOk(filled);
  row.constants = variant.kernel.options.constants;
  if (ExitCode code = makePlan(info, row.sizes, variant); code != ExitCode::Ok)
    return code;
  row.grid = plan.grid;
  row.movedBytes = plan.movedBytes;
  row.flops = plan.flops;
  row.failure = "the kernel does not compile";
  if (ExitCode code = compile(variant, row); code != ExitCode::Ok)
    return code;
  row.metadata = compiled->metadata;
  if (command.predictedGpu)
    predict(variant, row);
  row.failure = "the launch failed";
  if (ExitCode code = gpu ? measureOnGpu(row) : simulate(variant, row); code != ExitCode::Ok)
    return code;
  row.failure.clear();
  return ExitCode::Ok;
}

void Bench::measureKernel(const KernelInfo &info) {
  for (BenchRow &row : rowsOf(info)) {
    if (ExitCode code = measureRow(info, row); code != ExitCode::Ok) {
      std::string name = row.kernel;
      for (const auto &[size, value] : row.sizes)
        name += " " + size + "=" + std::to_string(value);
      for (const auto &[constant, value] : row.constants)
        name += " " + constant + "=" + value;
      if (row.numWarps)
        name += " num_warps=" + std::to_string(*row.numWarps);
      if (row.numStages)
        name += " num_stages=" + std::to_string(*row.numStages);
      if (row.numCtas)
        name += " num_ctas=" + std::to_string(*row.numCtas);
      if (row.splitK)
        name += " split_k=" + std::to_string(*row.splitK);
      reportNote("no measurement of " + name + ": " + row.failure);
      firstFailure = firstFailure == ExitCode::Ok ? code : firstFailure;
    }
    report.rows.push_back(std::move(row));
  }
}

ExitCode Bench::run() {
  if (ExitCode code = readMeasurements(command.page, others); code != ExitCode::Ok)
    return code;
  if (command.run.kernel.file.empty())
    return writeMeasurementPage(command.page, std::move(others), "", "bench");
  for (ExitCode (Bench::*step)() : {&Bench::readSource, &Bench::selectKernels, &Bench::openDevice})
    if (ExitCode code = (this->*step)(); code != ExitCode::Ok)
      return code;
  for (const KernelInfo *info : kernels)
    measureKernel(*info);
  std::string data = printReportAsJson(report);
  ExitCode code = writeToStdout(command.run.json ? data : printReport(report));
  if (code == ExitCode::Ok)
    code = writeMeasurementPage(command.page, std::move(others), data, "bench");
  return code == ExitCode::Ok ? firstFailure : code;
}

ExitCode execute(const BenchCommand &command) { return Bench(command).run(); }

} // namespace tilec::tool
