// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a report, one after the other. The texts of the stages are read back as modules:
// what a kernel was compiled to may come from a cache.

#include "tilec/Explain/Explain.h"

#include "CodeCounts.h"
#include "Counters.h"
#include "KernelFacts.h"
#include "Rules/Rules.h"
#include "Samples.h"
#include "StageText.h"
#include "Verdict.h"

#include "tilec/Analysis/KernelEstimate.h"
#include "tilec/Driver/Registration.h"
#include "tilec/Driver/ToolHints.h"
#include "tilec/Explain/TimeModel.h"
#include "tilec/Support/Processor.h"
#include "tilec/Target/CubinFile.h"
#include "tilec/Target/HostJIT.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tilec::explain {

CompileOptions forReport(CompileOptions options) {
  options.stopAfter = Stage::Cubin;
  options.keep = {Stage::Tile, Stage::TileGPU, Stage::LLVM, Stage::PTX};
  options.remarks = true;
  options.lineInfo = true;
  return options;
}

CompileOptions forPrediction(CompileOptions options) {
  options.stopAfter = Stage::Cubin;
  options.keep = {Stage::Tile};
  options.lineInfo = true;
  return options;
}

namespace {

class Explainer {
public:
  explicit Explainer(const Subject &given)
      : subject(given), lines(*given.sources, given.file, report) {}

  Report run();
  Time predictOnly();

private:
  void describeKernel();
  void describeOptions();
  void addRemarks();
  void readTile(bool withText);
  void addStages();
  void addCubin(bool withRegisters) {
    report.stages.push_back(
        textOfCubin(subject.kernel->cubin, ptxasHints(subject.tools), lines, withRegisters));
  }
  void countRun();
  void addFindings();
  void addTimeline();
  void predict();

  mlir::OwningOpRef<mlir::ModuleOp> parse(Stage stage);
  const std::string *textOf(Stage stage) const {
    auto text = subject.kernel->stages.find(stage);
    return text == subject.kernel->stages.end() ? nullptr : &text->second;
  }
  const tilecrt::KernelMetadata &metadata() const { return subject.kernel->metadata; }

  const Subject &subject;
  Report report;
  LineTable lines;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  CountedLaunch launch;
  LaunchWork work;
  /// Of the report's tensors.
  std::vector<SourcePlaces> tensorPlaces;
};

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> Explainer::parse(Stage stage) {
  const std::string *text = textOf(stage);
  if (!text)
    return nullptr;
  mlir::ScopedDiagnosticHandler silent(&context,
                                       [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  return mlir::parseSourceString<mlir::ModuleOp>(*text, config);
}

void Explainer::describeOptions() {
  auto add = [&](const char *name, int64_t value) {
    report.options.emplace_back(name, std::to_string(value));
  };
  add("numWarps", metadata().numWarps);
  add("numStages", metadata().numStages);
  if (!subject.kernel->origin)
    return;
  const CompileOptions &options = subject.kernel->origin->options;
  for (const auto &[name, value] :
       {std::pair("numCtas", options.numCtas), std::pair("splitK", options.splitK),
        std::pair("maxRegisters", options.maxRegisters)})
    if (value)
      add(name, *value);
  if (options.persistent)
    report.options.emplace_back("persistent", *options.persistent ? "true" : "false");
}

void Explainer::describeKernel() {
  report.version = TILEC_VERSION;
  report.kernel = metadata().name;
  report.target = metadata().target;
  report.device = subject.gpuRun && subject.gpuRun->cold ? "cuda" : "sim";
  report.gpu = subject.gpu ? subject.gpu : findGpu("", metadata().target);
  describeOptions();
  report.kernelLine = lines.lineOfKernel();
  Launch &described = report.launch;
  described.grid = subject.grid;
  described.programs = uint64_t(subject.grid[0]) * subject.grid[1] * subject.grid[2];
  described.ctas = described.programs * std::max(1u, metadata().splitK);
  described.threadsPerCta = int(metadata().threadsPerCta);
  described.cluster = {metadata().clusterX, metadata().clusterY, metadata().clusterZ};
  described.splitK = int(metadata().splitK);
  described.isPersistent = metadata().isPersistent;
  described.arguments = subject.arguments;
  described.sampledPrograms = subject.simulatedPrograms;
  Resources &resources = report.resources;
  if (metadata().registers >= 0)
    resources.registers = metadata().registers;
  if (metadata().spillBytes >= 0)
    resources.spillBytes = metadata().spillBytes;
  resources.staticSharedBytes = metadata().staticSharedBytes;
  resources.dynamicSharedBytes = metadata().dynamicSharedBytes;
  if (std::optional<CubinKernel> code = findInCubin(subject.kernel->cubin, report.kernel))
    resources.localBytes = code->localBytes;
  report.occupancy = findOccupancy(report);
  report.waves = findWaves(report);
}

void Explainer::addRemarks() {
  for (const Diagnostic &message : subject.messages->getDiagnostics()) {
    if (message.severity != Severity::Remark || !message.range.isValid())
      continue;
    Remark &remark = report.remarks.emplace_back();
    LineColumn begin = subject.sources->getLineColumn(message.range);
    LineColumn end = subject.sources->getLineColumn(message.range.atEnd());
    remark.file = lines.file(subject.sources->getFileName(message.range), int(begin.line));
    remark.line = int(begin.line);
    remark.column = int(begin.column);
    remark.endLine = int(end.line);
    remark.endColumn = int(end.column);
    remark.severity = "remark";
    remark.category = message.category;
    remark.message = message.message;
    for (const Diagnostic &note : message.notes)
      remark.notes.push_back(note.message);
    remark.metrics = message.metrics;
    if (LineIndex line = lines.add(remark.file, remark.line))
      lines[*line].remarks.push_back(report.remarks.size() - 1);
  }
}

void Explainer::readTile(bool withText) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto tile = parse(Stage::Tile);
  if (!tile)
    return;
  if (withText)
    report.stages.push_back(textOfModule(*tile, "tile", lines));
  work.operandBits = estimateKernel(*tile, {}).operandBits;
  PipelineOptions options;
  options.numWarps = int(metadata().numWarps);
  if (subject.kernel->origin)
    options.numCtas = subject.kernel->origin->options.numCtas.value_or(1);
  collectPlans(*tile, options, int(metadata().numStages), lines, report);
}

void Explainer::addStages() {
  readTile(/*withText=*/true);
  if (auto tilegpu = parse(Stage::TileGPU)) {
    report.stages.push_back(textOfModule(*tilegpu, "tilegpu", lines));
    tensorPlaces = collectTensors(*tilegpu, lines, report);
    collectShared(*tilegpu, lines, report);
  }
  if (const std::string *text = textOf(Stage::LLVM))
    report.stages.push_back(textOfLLVM(*text, lines));
  if (const std::string *text = textOf(Stage::PTX))
    report.stages.push_back(textOfPTX(*text, lines));
  addCubin(/*withRegisters=*/true);
  countCode(lines, report);
}

/// Accesses of local memory in the code of a GPU, times how often it runs.
static double spillWavefronts(const Report &report,
                              const std::map<std::pair<std::string, int>, double> &runs) {
  if (report.resources.spillBytes.value_or(0) <= 0)
    return 0;
  double wavefronts = 0;
  for (const StageText &stage : report.stages) {
    if (stage.name != "sass")
      continue;
    for (auto [text, source] : llvm::zip(stage.lines, stage.source)) {
      llvm::StringRef code = text;
      if (source.empty() || (!code.contains(" STL") && !code.contains(" LDL")))
        continue;
      const SourceLine &line = report.lines[source.front()];
      auto known = runs.find({report.files[line.file].name, line.line});
      if (known == runs.end())
        continue;
      int words = code.contains(".128") ? 4 : code.contains(".64") ? 2 : 1;
      wavefronts += known->second / Processor::kWarpSize * words;
    }
  }
  // Without the code, each spill is at least once.
  constexpr double bytesOfWord = 4;
  double warps = double(report.launch.ctas) * report.launch.threadsPerCta / Processor::kWarpSize;
  return std::max(wavefronts, *report.resources.spillBytes / bytesOfWord * warps);
}

void Explainer::countRun() {
  launch.sites = &subject.simulated->host->sites();
  launch.result = subject.run;
  launch.kernel = report.kernel;
  launch.ctas = double(report.launch.ctas);
  launch.threadsPerCta = report.launch.threadsPerCta;
  launch.multiprocessors = report.gpu->multiprocessors;
  if (subject.simulatedPrograms)
    launch.scale = double(report.launch.programs) / double(*subject.simulatedPrograms);
  collectCounters(launch, lines, report);
  collectRequests(launch, tensorPlaces, report);
  collectWork(launch, report, work);
  work.residentCtas = report.occupancy.ctas;
  work.sharedBytes =
      double(report.resources.staticSharedBytes + report.resources.dynamicSharedBytes);
  for (const ScheduledLoop &loop : report.schedule.loops)
    work.copiesAhead = std::max(work.copiesAhead, double(loop.distance));
  work.spillWavefronts = spillWavefronts(report, collectRuns(launch));
  work.loadRounds =
      findLoadRounds(report, collectLoads(launch), latenciesOfInstruction(*report.gpu))
          .value_or(work.loadRounds);
}

void Explainer::addFindings() {
  for (const tilecrt::sim::Finding &found : subject.run->findings) {
    Finding &finding = report.findings.emplace_back();
    finding.kind = findingKindName(found.kind);
    finding.message = found.message;
    finding.count = found.count;
    if (found.site >= 0 && size_t(found.site) < launch.sites->size()) {
      const tilecrt::sim::Site &site = (*launch.sites)[size_t(found.site)];
      finding.line = lines.add(site.file, site.line);
    }
  }
}

void Explainer::addTimeline() {
  report.timeline = subject.timeline;
  if (report.timeline)
    for (auto [event, place] : llvm::zip(report.timeline->events, subject.timelinePlaces))
      event.line = lines.add(place.first, place.second);
}

void Explainer::predict() {
  report.time = predictTime(work, *report.gpu);
  if (subject.gpuRun) {
    report.time.measured = subject.gpuRun->cold;
    report.time.measuredWarm = subject.gpuRun->warm;
  }
  report.roofline =
      rooflineOf(work, *report.gpu, report.time.measured.value_or(report.time.predicted));
  shareTime(report);
  // Once the shares of the calls are known.
  if (subject.gpuRun)
    collectSamples(*subject.gpuRun, lines, report);
  lines.finish();
  giveVerdict(report, work);
}

Report Explainer::run() {
  describeKernel();
  addRemarks();
  addStages();
  countRun();
  addFindings();
  addTimeline();
  // The kernel itself, whatever there is in it.
  (void)lines.add(size_t(0), report.kernelLine);
  predict();
  return std::move(report);
}

Time Explainer::predictOnly() {
  describeKernel();
  readTile(/*withText=*/false);
  // What warps wait for and where spilled registers are accessed is in the code.
  addCubin(/*withRegisters=*/false);
  countRun();
  return explain::predictTime(work, *report.gpu);
}

Report explain(const Subject &subject) { return Explainer(subject).run(); }

Time predictTime(const Subject &subject) { return Explainer(subject).predictOnly(); }

} // namespace tilec::explain
