// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec explain: compile the kernel for a GPU and for the simulator, run it there with counters,
// and say what it loses time with.

#include "CacheSetup.h"
#include "Commands.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "HostRun.h"
#include "OutputFile.h"
#include "PlanLaunch.h"
#include "RunTimeline.h"
#include "SourceFile.h"
#include "TunedConfig.h"

#include "tilec/Explain/Explain.h"
#include "tilecrt/Timeline.h"
#include "tilecrt/sim/Sample.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>
#include <thread>

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

namespace {

/// What one report may cost the simulator: instructions of threads and, for each lane of a request,
/// so many more. About two seconds.
constexpr double mostWork = 6e7, workOfRequest = 32 * 4;
/// Programs of the first, small sample.
constexpr uint64_t firstPrograms = 2;
/// Marks of a warp in the timeline.
constexpr uint64_t mostMarks = 1024;

/// One report, step by step; each step returns Ok to go on.
class Reporter {
public:
  explicit Reporter(const ExplainCommand &explainCommand)
      : command(explainCommand), run(explainCommand.run), cache(run.kernel.cache) {}

  ExitCode report();

private:
  ExitCode readSource();
  ExitCode applyTuned();
  ExitCode compile();
  ExitCode launch();
  ExitCode followWarps();
  ExitCode write();

  ExitCode print(const DiagnosticEngine &diagnostics) const {
    printDiagnostics(sources, diagnostics, run.kernel.diagnosticsFormat);
    return diagnostics.hasErrors() ? ExitCode::InputError : ExitCode::Ok;
  }
  CompileOptions optionsFor(llvm::StringRef target) const;
  std::unique_ptr<CompiledKernel> compileFor(Compiler &compiler, SourceManager &with, FileId of,
                                             const CompileOptions &options,
                                             DiagnosticEngine &diagnostics) const;
  uint64_t programs() const { return uint64_t(plan.grid[0]) * plan.grid[1] * plan.grid[2]; }
  Result<tilecrt::sim::LaunchResult> simulate(ArrayLaunch &bound, uint64_t sample);
  uint64_t programsInTime(const tilecrt::sim::LaunchResult &first, uint64_t ran) const;
  std::vector<explain::Argument> describeArguments() const;
  void keepTimeline(const tilecrt::timeline::Timeline &read);

  const ExplainCommand &command;
  RunCommand run;
  SourceManager sources;
  FileId file = 0;
  ParsedSource source;
  const KernelInfo *info = nullptr;
  RunPlan plan;
  KernelCache cache;
  Compiler compiler;
  std::unique_ptr<CompiledKernel> kernel, simulated;
  /// Of the compilation for the GPU.
  DiagnosticEngine messages{/*limit=*/0};
  tilecrt::sim::LaunchResult outcome;
  std::optional<uint64_t> simulatedPrograms;
  std::optional<explain::Timeline> timeline;
  std::vector<std::pair<std::string, int>> timelinePlaces;
};

} // namespace

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

ExitCode Reporter::applyTuned() {
  if (run.tuned.empty())
    return ExitCode::Ok;
  // Tuned on such a GPU, if it was.
  ExitCode code = applyDatabase(sources, source, *info, plan, command.gpu->name.str(), run);
  if (code != ExitCode::Ok)
    return code;
  DiagnosticEngine diagnostics;
  rebindConstants(plan, run, source, *info, diagnostics);
  return print(diagnostics);
}

CompileOptions Reporter::optionsFor(llvm::StringRef target) const {
  CompileOptions options = makeCompileOptions(run.kernel);
  options.kernel = plan.kernel;
  options.arguments = plan.types;
  options.heuristicArguments = heuristicArgumentsOf(plan, *info);
  options.constants = plan.constants;
  options.target = target.str();
  return options;
}

std::unique_ptr<CompiledKernel> Reporter::compileFor(Compiler &with, SourceManager &from, FileId of,
                                                     const CompileOptions &options,
                                                     DiagnosticEngine &diagnostics) const {
  return with.compileFitting(
      from, of, options, plan.grid,
      [&](const auto &metadata) { return inferredMapsFit(plan, metadata); }, diagnostics);
}

/// Both at once, each with a compiler and the source of its own.
ExitCode Reporter::compile() {
  CompileOptions forHost = optionsFor(simulatorOf(command.gpu->processor));
  forHost.countInstructions = true;
  cache.attachTo(forHost);
  std::unique_ptr<CompiledKernel> made;
  std::thread host([&] {
    SourceManager copies;
    const SourceBuffer *buffer = sources.getBuffer(file);
    llvm::Expected<FileId> copied = copies.addBuffer(buffer->getName(), buffer->getText());
    if (!copied)
      return llvm::consumeError(copied.takeError());
    Compiler other;
    DiagnosticEngine ignored;
    made = compileFor(other, copies, *copied, forHost, ignored);
  });
  kernel = compileFor(compiler, sources, file,
                      explain::forReport(optionsFor(command.gpu->processor)), messages);
  host.join();
  DiagnosticEngine shown;
  for (const Diagnostic &message : messages.getDiagnostics())
    if (message.severity != Severity::Remark)
      shown.adopt(message);
  // Without ptxas there is a report without what only ptxas knows.
  bool isOnlyUnassembled = kernel && compiler.lastFailure() == Failure::Unavailable;
  printDiagnostics(sources, shown, run.kernel.diagnosticsFormat);
  if (!kernel || (shown.hasErrors() && !isOnlyUnassembled))
    return reportFailure(compiler.lastFailure());
  simulated = std::move(made);
  if (simulated)
    return ExitCode::Ok;
  // Once more, to say why.
  DiagnosticEngine errors;
  simulated = compileFor(compiler, sources, file, forHost, errors);
  print(errors);
  return simulated ? ExitCode::Ok : reportFailure(compiler.lastFailure());
}

/// Runs all programs, or a sample of them.
Result<tilecrt::sim::LaunchResult> Reporter::simulate(ArrayLaunch &bound, uint64_t sample) {
  TILECRT_RETURN_IF_ERROR(bound.upload());
  bound.request.counts = true;
  bound.request.sampledClusters = 0;
  bound.request.grid = plan.grid;
  const tilecrt::KernelMetadata &metadata = simulated->metadata;
  if (sample != 0 && metadata.isPersistent)
    // Its CTAs take the first programs.
    bound.request.grid = {uint32_t(sample), 1, 1};
  else if (sample != 0)
    bound.request.sampledClusters = std::max<uint64_t>(
        1, sample * metadata.splitK / (metadata.clusterX * metadata.clusterY * metadata.clusterZ));
  LaunchOutcome ended = bound.run();
  if (!ended.ok() && !ended.isFault && bound.simulation.result.findings.empty())
    return ended.status;
  return std::move(bound.simulation.result);
}

/// How many programs the simulator runs in reasonable time, by what the first ones did.
uint64_t Reporter::programsInTime(const tilecrt::sim::LaunchResult &first, uint64_t ran) const {
  const tilecrt::sim::Counters &c = first.totals;
  double work = double(std::accumulate(c.instructions.begin(), c.instructions.end(), uint64_t(0))) +
                workOfRequest * double(c.globalLoadRequests + c.globalStoreRequests +
                                       c.sharedLoadRequests + c.sharedStoreRequests + c.shuffles) +
                double(c.multiplyAdds) / 4;
  return std::max<uint64_t>(ran, uint64_t(mostWork / std::max(1.0, work / double(ran))));
}

ExitCode Reporter::launch() {
  std::shared_ptr<RunDevice> device = makeSimulator(run);
  if (Status status = checkHostGrid(plan.grid, "simulator"); !status.ok() && command.allPrograms)
    return reportUnlessOk(status);
  Result<std::unique_ptr<ArrayLaunch>> bound = bindPlan(device, *simulated, plan);
  if (!bound)
    return reportUnlessOk(bound.status());
  uint64_t all = programs(), sample = 0;
  if (all > 8 * firstPrograms && !command.allPrograms) {
    Result<tilecrt::sim::LaunchResult> first = simulate(**bound, firstPrograms);
    if (!first)
      return reportUnlessOk(first.status());
    uint64_t fits = programsInTime(*first, firstPrograms);
    // Programs that wait for others cannot be a sample.
    bool waits = llvm::any_of(first->findings, [](const tilecrt::sim::Finding &finding) {
      return finding.kind == tilecrt::sim::FindingKind::Deadlock;
    });
    if (fits < all && !waits)
      sample = fits;
  }
  Result<tilecrt::sim::LaunchResult> result = simulate(**bound, sample);
  if (!result)
    return reportUnlessOk(result.status());
  outcome = std::move(*result);
  if (sample != 0) {
    const tilecrt::KernelMetadata &metadata = simulated->metadata;
    uint64_t cluster = uint64_t(metadata.clusterX) * metadata.clusterY * metadata.clusterZ;
    simulatedPrograms =
        metadata.isPersistent ? sample : outcome.clustersRun * cluster / metadata.splitK;
  }
  return ExitCode::Ok;
}

void Reporter::keepTimeline(const tilecrt::timeline::Timeline &read) {
  timeline.emplace();
  timeline->isOrder = read.isOrder;
  for (const tilecrt::TimelineEvent &event : read.events) {
    const tilecrt::timeline::Kind &kind = tilecrt::timeline::findKind(event.kind);
    timeline->events.push_back(
        {event.kind, kind.text, kind.isWait, kind.lightColour, kind.darkColour, {}});
    timelinePlaces.emplace_back(event.file, int(event.line));
  }
  for (const tilecrt::timeline::Warp &warp : read.warps) {
    explain::Timeline::Warp &kept = timeline->warps.emplace_back();
    kept.cta = warp.cta;
    kept.number = warp.number;
    kept.role = warp.role;
    kept.begin = warp.begin;
    kept.end = warp.end;
    for (const tilecrt::timeline::Span &span : warp.spans)
      kept.spans.push_back({span.event, span.begin, span.end, span.depth, span.number});
    for (const tilecrt::timeline::Flight &flight : warp.flights)
      kept.flights.push_back({flight.event, flight.begin, flight.end, flight.lane, 0});
  }
}

/// Another compilation, with marks, of which one CTA is run. Its counts are of no use.
ExitCode Reporter::followWarps() {
  if (!command.timeline)
    return ExitCode::Ok;
  const tilecrt::KernelMetadata &metadata = simulated->metadata;
  std::array<uint32_t, 3> cluster = {metadata.clusterX, metadata.clusterY, metadata.clusterZ};
  std::array<uint32_t, 3> clusters = plan.grid;
  clusters[0] = uint32_t(tilecrt::ctasAlongX(plan.grid[0], metadata.splitK));
  uint64_t columns = clusters[0], rows = clusters[1];
  for (size_t axis = 0; axis < 3; ++axis)
    clusters[axis] = std::max(1u, clusters[axis] / cluster[axis]);
  uint64_t number = tilecrt::sim::sampledCluster(clusters, 1, 0);
  uint64_t x = number % clusters[0] * cluster[0],
           y = number / clusters[0] % clusters[1] * cluster[1],
           z = number / clusters[0] / clusters[1] * cluster[2];
  CompileOptions options = optionsFor(simulatorOf(command.gpu->processor));
  options.timelineMarks = mostMarks;
  options.timelineFirstCta = options.timelineLastCta =
      metadata.isPersistent ? 0 : x + columns * (y + rows * z);
  cache.attachTo(options);
  DiagnosticEngine ignored;
  std::unique_ptr<CompiledKernel> marked = compileFor(compiler, sources, file, options, ignored);
  if (!marked)
    return reportFailure(compiler.lastFailure());
  if (Status status = addTimelineArray(marked->metadata, plan); !status.ok())
    return reportUnlessOk(status);
  Result<std::unique_ptr<ArrayLaunch>> bound = bindPlan(makeSimulator(run), *marked, plan);
  if (!bound)
    return reportUnlessOk(bound.status());
  uint64_t few = std::min(programs(), firstPrograms * metadata.splitK * cluster[0]);
  Result<tilecrt::sim::LaunchResult> ran = simulate(**bound, metadata.isPersistent ? few : 1);
  if (!ran)
    return reportUnlessOk(ran.status());
  if (Status status = (*bound)->download(*plan.timelineArray); !status.ok())
    return reportUnlessOk(status);
  const tilecrt::HostArray &marks = plan.arrays[*plan.timelineArray].data;
  Result<tilecrt::timeline::Timeline> read = tilecrt::timeline::read(
      marked->metadata, (*bound)->request.grid, marks.as<uint64_t>(), marks.size());
  if (!read)
    return reportUnlessOk(read.status());
  keepTimeline(*read);
  return ExitCode::Ok;
}

std::vector<explain::Argument> Reporter::describeArguments() const {
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
  for (const ConstantSpec &constant : plan.constants) {
    explain::Argument argument;
    argument.name = constant.name;
    argument.kind = explain::Argument::Kind::Constant;
    argument.value = constant.value;
    list.push_back(std::move(argument));
  }
  return list;
}

ExitCode Reporter::write() {
  explain::Subject subject;
  subject.sources = &sources;
  subject.file = file;
  subject.kernel = kernel.get();
  subject.messages = &messages;
  subject.simulated = simulated.get();
  subject.run = &outcome;
  subject.grid = plan.grid;
  subject.simulatedPrograms = simulatedPrograms;
  subject.arguments = describeArguments();
  subject.gpu = command.gpu;
  subject.tools = makeCompileOptions(run.kernel).tools;
  subject.timeline = timeline;
  subject.timelinePlaces = timelinePlaces;
  explain::Report made = explain::explain(subject);
  return writeOutput(command.output,
                     command.json ? explain::writeReport(made) : explain::describeReport(made));
}

ExitCode Reporter::report() {
  for (ExitCode (Reporter::*step)() :
       {&Reporter::readSource, &Reporter::applyTuned, &Reporter::compile, &Reporter::launch,
        &Reporter::followWarps, &Reporter::write})
    if (ExitCode code = (this->*step)(); code != ExitCode::Ok)
      return code;
  return ExitCode::Ok;
}

ExitCode execute(const ExplainCommand &command) { return Reporter(command).report(); }

} // namespace tilec::tool
