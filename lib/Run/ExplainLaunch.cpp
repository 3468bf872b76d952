// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ExplainLaunch.h. A large grid is sampled: what two programs did says how many there is time
// for.

#include "tilec/Run/ExplainLaunch.h"

#include "tilec/Support/Processor.h"
#include "tilecrt/Timeline.h"
#include "tilecrt/sim/Sample.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <numeric>
#include <thread>

using llvm::StringRef;
using tilecrt::Result;
using tilecrt::Status;
using tilecrt::sim::LaunchResult;

namespace tilec {

namespace {

/// What one report may cost the simulator: instructions of threads and, for each lane of a request,
/// so many more. About two seconds, and a fifth of one where only the time is wanted.
constexpr double mostWork = 6e7, workOfPrediction = 6e6, workOfRequest = 32 * 4;
/// Programs of the first, small sample.
constexpr uint64_t firstPrograms = 2;
/// Marks of a warp in the timeline.
constexpr uint64_t mostMarks = 1024;

} // namespace

//===----------------------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------------------===//

RepeatedLaunch::~RepeatedLaunch() = default;

Result<std::unique_ptr<ArrayLaunch>> RepeatedLaunch::bind(const std::shared_ptr<RunDevice> &,
                                                          const CompiledKernel &, uint64_t) {
  return tilecrt::unavailable("its memory is for the simulator");
}

Result<LaunchResult> takeResult(const LaunchOutcome &ended, Simulation &simulation) {
  if (!ended.ok() && !ended.isFault && simulation.result.findings.empty())
    return ended.status;
  return std::move(simulation.result);
}

Result<ArgumentBytes> MemoryLaunch::valuesFor(const tilecrt::KernelMetadata &kernel,
                                              uint64_t marks) {
  ArgumentBytes values;
  for (const tilecrt::KernelArgument &argument : kernel.arguments) {
    std::vector<char> &bytes = values.emplace_back();
    if (argument.name == tilecrt::timelineArgument) {
      bytes.resize(sizeof marks);
      std::memcpy(bytes.data(), &marks, sizeof marks);
      continue;
    }
    Result<std::vector<char>> value = valueOf(kernel, argument);
    if (!value)
      return value.status();
    bytes = std::move(*value);
  }
  return values;
}

bool MemoryLaunch::inferredMapsFit(const tilecrt::KernelMetadata &kernel) {
  return tilec::inferredMapsFit(kernel, valuesFor(kernel, 0));
}

Result<LaunchResult> MemoryLaunch::run(const CompiledKernel &kernel, const LaunchPart &part) {
  SimulatorOptions options;
  options.check = true;
  std::shared_ptr<RunDevice> device = makeSimDevice(options);
  Result<std::shared_ptr<RunFunction>> function =
      device->load(std::shared_ptr<const CompiledKernel>(std::shared_ptr<void>(), &kernel));
  if (!function)
    return function.status();
  Result<ArgumentBytes> values =
      valuesFor(kernel.metadata, reinterpret_cast<uintptr_t>(part.marks.data()));
  if (!values)
    return values.status();
  std::vector<const void *> arguments;
  for (const std::vector<char> &value : *values)
    arguments.push_back(value.data());
  std::vector<tilecrt::sim::Buffer> buffers = buffersFor(kernel.metadata);
  if (!part.marks.empty())
    buffers.push_back({reinterpret_cast<char *>(part.marks.data()),
                       part.marks.size() * sizeof(uint64_t), tilecrt::timelineArgument, false});
  TILECRT_RETURN_IF_ERROR(restore());
  Simulation simulation;
  LaunchRequest request;
  request.grid = part.grid;
  request.sampledClusters = part.sampledClusters;
  request.arguments = arguments.data();
  request.buffers = buffers;
  request.hasAllBuffers = true;
  request.counts = true;
  request.simulation = &simulation;
  LaunchOutcome ended = (*function)->launch(request);
  return takeResult(ended, simulation);
}

explain::Argument describeArgument(const std::string &name, const std::string &type,
                                   StringRef bytes, uint64_t pointedBytes) {
  explain::Argument argument;
  argument.name = name;
  argument.type = type;
  StringRef element = StringRef(type).split(':').first;
  bool isPointer = element.consume_front("*");
  if (isPointer)
    element.consume_front("k");
  std::optional<tilecrt::DType> dtype = element.starts_with("*") ? tilecrt::DType::i64
                                        : element == "u1" ? tilecrt::DType::boolean
                                                          : tilecrt::parseDType(element.str());
  if (isPointer) {
    argument.kind = explain::Argument::Kind::Array;
    argument.bytes = int64_t(pointedBytes);
    if (dtype) {
      argument.dtype = tilecrt::dtypeName(*dtype);
      argument.shape = {int64_t(pointedBytes / tilecrt::dtypeSize(*dtype))};
    }
    return argument;
  }
  if (!dtype || bytes.size() < tilecrt::dtypeSize(*dtype))
    return argument;
  if (tilecrt::isFloat(*dtype)) {
    argument.value =
        llvm::formatv("{0}", llvm::format("%g", tilecrt::elementToDouble(*dtype, bytes.data())));
    return argument;
  }
  uint64_t bits = 0;
  size_t size = tilecrt::dtypeSize(*dtype);
  std::memcpy(&bits, bytes.data(), size);
  unsigned unused = unsigned(8 * (sizeof bits - size));
  argument.value = tilecrt::isSignedInteger(*dtype)
                       ? std::to_string(int64_t(bits << unused) >> unused)
                       : std::to_string(bits);
  return argument;
}

//===----------------------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------------------===//

std::string LaunchExplainer::processor() const {
  return subject.measuringGpu ? subject.measuringGpu->info().target : subject.gpu->processor.str();
}

CompileOptions LaunchExplainer::optionsFor(const std::string &target) const {
  CompileOptions options = subject.options;
  options.target = target;
  // Whatever it was compiled for before.
  options.stopAfter = CompileOptions().stopAfter;
  options.keep.clear();
  options.remarks = false;
  return options;
}

std::unique_ptr<CompiledKernel> LaunchExplainer::compileFor(Compiler &with, SourceManager &from,
                                                            FileId of,
                                                            const CompileOptions &options,
                                                            DiagnosticEngine &diagnostics) const {
  return with.compileFitting(
      from, of, options, subject.grid,
      [&](const auto &metadata) { return subject.launch->inferredMapsFit(metadata); }, diagnostics);
}

/// Both at once, each with a compiler and the source of its own.
bool LaunchExplainer::compile() {
  CompileOptions forHost = optionsFor(simulatorOf(processor()));
  forHost.countInstructions = true;
  std::unique_ptr<CompiledKernel> made;
  std::thread host([&] {
    SourceManager copies;
    const SourceBuffer *buffer = subject.sources->getBuffer(subject.file);
    llvm::Expected<FileId> copied = copies.addBuffer(buffer->getName(), buffer->getText());
    if (!copied)
      return llvm::consumeError(copied.takeError());
    Compiler other;
    DiagnosticEngine ignored;
    made = compileFor(other, copies, *copied, forHost, ignored);
  });
  CompileOptions forGpu = optionsFor(processor());
  forGpu = subject.onlyPredicts ? explain::forPrediction(std::move(forGpu))
                                : explain::forReport(std::move(forGpu));
  kernel = compileFor(compiler, *subject.sources, subject.file, forGpu, messages);
  host.join();
  why = compiler.lastFailure();
  // Without ptxas there is a report without what only ptxas knows.
  bool isOnlyUnassembled = kernel && why == Failure::Unavailable;
  if (!kernel || (messages.hasErrors() && !isOnlyUnassembled))
    return false;
  why = Failure::None;
  simulated = std::move(made);
  if (simulated)
    return true;
  // Once more, to say why.
  messages.clear();
  simulated = compileFor(compiler, *subject.sources, subject.file, forHost, messages);
  why = compiler.lastFailure();
  return simulated != nullptr;
}

//===----------------------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------------------===//

LaunchPart LaunchExplainer::partOf(uint64_t sample, const tilecrt::KernelMetadata &metadata) const {
  LaunchPart part;
  part.grid = subject.grid;
  if (sample != 0 && metadata.isPersistent)
    // Its CTAs take the first programs.
    part.grid = {uint32_t(sample), 1, 1};
  else if (sample != 0)
    part.sampledClusters = std::max<uint64_t>(
        1, sample * metadata.splitK / (metadata.clusterX * metadata.clusterY * metadata.clusterZ));
  return part;
}

/// What a run has cost the simulator.
static double workOf(const LaunchResult &ran) {
  const tilecrt::sim::Counters &c = ran.totals;
  return double(std::accumulate(c.instructions.begin(), c.instructions.end(), uint64_t(0))) +
         workOfRequest * double(c.globalLoadRequests + c.globalStoreRequests +
                                c.sharedLoadRequests + c.sharedStoreRequests + c.shuffles) +
         double(c.multiplyAdds) / 4;
}

/// How many programs the simulator runs in reasonable time, by what the first ones did.
static uint64_t programsInTime(const LaunchResult &first, uint64_t ran, double budget) {
  return std::max<uint64_t>(ran, uint64_t(budget / std::max(1.0, workOf(first) / double(ran))));
}

Status LaunchExplainer::count() {
  const tilecrt::KernelMetadata &metadata = simulated->metadata;
  uint64_t all = programs(), sample = 0;
  if (all > 8 * firstPrograms && !subject.allPrograms) {
    Result<LaunchResult> first = subject.launch->run(*simulated, partOf(firstPrograms, metadata));
    if (!first)
      return first.status();
    uint64_t fits =
        programsInTime(*first, firstPrograms, subject.onlyPredicts ? workOfPrediction : mostWork);
    // Programs that wait for others cannot be a sample.
    bool waits = llvm::any_of(first->findings, [](const tilecrt::sim::Finding &finding) {
      return finding.kind == tilecrt::sim::FindingKind::Deadlock;
    });
    if (fits < all && !waits)
      sample = fits;
  }
  Result<LaunchResult> result = subject.launch->run(*simulated, partOf(sample, metadata));
  if (!result)
    return result.status();
  outcome = std::move(*result);
  if (sample != 0) {
    uint64_t cluster = uint64_t(metadata.clusterX) * metadata.clusterY * metadata.clusterZ;
    simulatedPrograms =
        metadata.isPersistent ? sample : outcome.clustersRun * cluster / metadata.splitK;
  }
  return Status();
}

explain::GpuRun LaunchExplainer::measure(MeasuringGpu::Bind bind) {
  Result<explain::GpuRun> measured =
      subject.measuringGpu->measure(bind, subject.gpu->cyclesPerMicrosecond());
  return measured ? std::move(*measured) : explain::notRun(measured.message());
}

/// What does what it must not is not launched: the device would be lost.
explain::GpuRun LaunchExplainer::runOnGpu() {
  if (!outcome.findings.empty())
    return explain::notRun("the simulator says that the kernel does what it must not");
  if (!subject.noGpu.empty())
    return explain::notRun(subject.noGpu);
  return measure(
      [&](const std::shared_ptr<RunDevice> &gpu) { return subject.launch->bind(gpu, *kernel); });
}

/// The number of the CTA in the middle of the grid.
static uint64_t middleCta(std::array<uint32_t, 3> grid, const tilecrt::KernelMetadata &metadata) {
  std::array<uint32_t, 3> cluster = {metadata.clusterX, metadata.clusterY, metadata.clusterZ};
  std::array<uint32_t, 3> clusters = grid;
  clusters[0] = uint32_t(tilecrt::ctasAlongX(grid[0], metadata.splitK));
  uint64_t columns = clusters[0], rows = clusters[1];
  for (size_t axis = 0; axis < 3; ++axis)
    clusters[axis] = std::max(1u, clusters[axis] / cluster[axis]);
  uint64_t number = tilecrt::sim::sampledCluster(clusters, 1, 0);
  uint64_t x = number % clusters[0] * cluster[0],
           y = number / clusters[0] % clusters[1] * cluster[1],
           z = number / clusters[0] / clusters[1] * cluster[2];
  return x + columns * (y + rows * z);
}

static explain::Timeline timelineOf(const tilecrt::timeline::Timeline &read,
                                    std::vector<std::pair<std::string, int>> &places) {
  explain::Timeline timeline;
  timeline.isOrder = read.isOrder;
  for (const tilecrt::TimelineEvent &event : read.events) {
    const tilecrt::timeline::Kind &kind = tilecrt::timeline::findKind(event.kind);
    timeline.events.push_back(
        {event.kind, kind.text, kind.isWait, kind.lightColour, kind.darkColour, {}});
    places.emplace_back(event.file, int(event.line));
  }
  for (const tilecrt::timeline::Warp &warp : read.warps) {
    explain::Timeline::Warp &kept = timeline.warps.emplace_back();
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
  return timeline;
}

/// Another compilation, with marks, of which one CTA is run. Its counts are of no use.
Status LaunchExplainer::followWarps() {
  const tilecrt::KernelMetadata &metadata = simulated->metadata;
  CompileOptions options = optionsFor(simulatorOf(processor()));
  options.timelineMarks = mostMarks;
  options.timelineFirstCta = options.timelineLastCta =
      metadata.isPersistent ? 0 : middleCta(subject.grid, metadata);
  DiagnosticEngine ignored;
  std::unique_ptr<CompiledKernel> marked =
      compileFor(compiler, *subject.sources, subject.file, options, ignored);
  if (!marked)
    return tilecrt::internalError("the kernel does not compile with a timeline");
  std::vector<uint64_t> marks(tilecrt::timeline::wordsOf(marked->metadata.timeline));
  uint64_t few = std::min(programs(), firstPrograms * metadata.splitK * metadata.clusterX);
  LaunchPart part = partOf(metadata.isPersistent ? few : 1, marked->metadata);
  part.marks = marks;
  Result<LaunchResult> ran = subject.launch->run(*marked, part);
  if (!ran)
    return ran.status();
  Result<tilecrt::timeline::Timeline> read =
      tilecrt::timeline::read(marked->metadata, part.grid, marks.data(), marks.size());
  if (!read)
    return read.status();
  timeline = timelineOf(*read, timelinePlaces);
  return Status();
}

Status LaunchExplainer::run() {
  TILECRT_RETURN_IF_ERROR(count());
  // What stops early says nothing of the time.
  if (subject.onlyPredicts && !outcome.findings.empty())
    return tilecrt::deviceError("faults: " + outcome.findings.front().message);
  if (subject.measuringGpu || !subject.noGpu.empty())
    gpuRun = runOnGpu();
  if (subject.timeline == ExplainSubject::Timeline::Yes)
    return followWarps();
  double ofProgram = workOf(outcome) / double(simulatedPrograms.value_or(programs()));
  if (subject.timeline == ExplainSubject::Timeline::IfQuick && ofProgram < mostWork / 4)
    // What it is not given, a page says.
    (void)followWarps();
  return Status();
}

explain::Subject LaunchExplainer::describe() const {
  explain::Subject about;
  about.sources = subject.sources;
  about.file = subject.file;
  about.kernel = kernel.get();
  about.messages = &messages;
  about.simulated = simulated.get();
  about.run = &outcome;
  about.grid = subject.grid;
  about.simulatedPrograms = simulatedPrograms;
  about.arguments = subject.arguments;
  for (const ConstantSpec &constant : subject.options.constants) {
    explain::Argument argument;
    argument.name = constant.name;
    argument.kind = explain::Argument::Kind::Constant;
    argument.value = constant.value;
    about.arguments.push_back(std::move(argument));
  }
  about.gpu = subject.gpu;
  about.tools = subject.options.tools;
  about.gpuRun = gpuRun ? &*gpuRun : nullptr;
  about.timeline = timeline;
  about.timelinePlaces = timelinePlaces;
  return about;
}

explain::Report LaunchExplainer::report() const { return explain::explain(describe()); }

double LaunchExplainer::predict() const { return explain::predictTime(describe()).predicted; }

} // namespace tilec
