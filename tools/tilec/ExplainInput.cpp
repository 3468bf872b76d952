// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ExplainInput.h. What differs between the inputs is where source, options, arguments and
// memory come from.

#include "ExplainInput.h"

#include "CacheSetup.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "Environment.h"
#include "HostRun.h"
#include "LaunchGrid.h"
#include "PlanLaunch.h"
#include "ReplayRun.h"
#include "SourceFile.h"
#include "TunedConfig.h"

#include "tilec/Bundle/BundleFile.h"
#include "tilec/Run/ExplainLaunch.h"
#include "tilec/Run/SavedMemory.h"
#include "tilec/Support/Processor.h"
#include "tilec/Target/HostJIT.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using tilecrt::Status;

namespace tilec::tool {

namespace {

/// The GPU that launches are measured on. Where there is none, the reason; empty where none was
/// asked for.
struct GpuAccess {
  std::unique_ptr<MeasuringGpu> device;
  std::string absent;
};

/// One report, step by step; each step returns Ok to go on.
class Reporter {
public:
  /// `different` may be null.
  Reporter(const ExplainCommand &explainCommand, const ExplainChange *different,
           const GpuAccess &access, explain::Report &made)
      : command(explainCommand), change(different), gpu(access), report(made),
        run(explainCommand.run), cache(run.kernel.cache) {}

  ExitCode explain();
  /// After that: Triton's code beside it.
  ExitCode explainTriton(const explain::TritonKernel &triton, explain::Report &other);

private:
  ExitCode applyChange();
  ExitCode read();
  ExitCode readSource();
  ExitCode readReplay();
  ExitCode changeSaved();
  ExitCode changeSavedGrid(const std::string &text);
  ExitCode readBundle();
  std::string takeCode(const BundleKernel &kernel, const BundleImage &image);
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
  const GpuAccess &gpu;
  explain::Report &report;
  RunCommand run;
  SourceManager sources;
  FileId file = 0;
  ParsedSource source;
  const KernelInfo *info = nullptr;
  RunPlan plan;
  std::optional<SavedLaunch> saved;
  /// What the code of a bundle was compiled with, if it is one.
  std::optional<CodeOptions> bundled;
  KernelCache cache;
  ExplainSubject subject;
  std::unique_ptr<RepeatedLaunch> repeated;
  std::optional<LaunchExplainer> explainer;
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
  // A cluster is for several programs or for one.
  if (config.numCtas.value_or(1) > 1)
    options.splitK.reset();
  if (config.splitK.value_or(1) > 1)
    options.numCtas.reset();
  for (auto [option, value] :
       {std::pair(&options.numWarps, config.numWarps),
        std::pair(&options.numStages, config.numStages),
        std::pair(&options.numCtas, config.numCtas), std::pair(&options.splitK, config.splitK),
        std::pair(&options.maxRegisters, config.maxRegisters)})
    if (value)
      *option = value;
}

static ExitCode reportChangedArgument(llvm::StringRef name) {
  return reportError("'--against' changes constants, launch options and the grid, '" + name +
                     "' is an argument");
}

ExitCode Reporter::applyChange() {
  subject.gpu = command.gpu ? command.gpu : explain::findGpu("", "");
  if (gpu.device)
    subject.gpu = explain::findGpu(gpu.device->info().name, gpu.device->info().target);
  subject.measuringGpu = gpu.device.get();
  subject.noGpu = gpu.absent;
  if (!change)
    return ExitCode::Ok;
  for (const auto &[name, value] : change->config.constants)
    for (const NamedValue &argument : run.kernel.arguments)
      if (argument.first == name)
        return reportChangedArgument(name);
  if (!change->file.empty())
    run.kernel.file = change->file;
  if (!change->grid.empty())
    run.grid = change->grid;
  if (change->gpu && change->gpu != subject.gpu) {
    subject.gpu = change->gpu;
    subject.measuringGpu = nullptr;
    if (gpu.device)
      subject.noGpu = "this is about another GPU";
  }
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

/// Whether a launch with arguments of these types may have code for those: pointers lead to the
/// same elements, and what the code was promised holds. Numbers are converted.
static bool takes(const std::vector<ArgumentSpec> &code, const std::vector<ArgumentSpec> &given,
                  std::string &why) {
  for (const ArgumentSpec &wanted : code) {
    auto found = llvm::find_if(given, [&](const auto &other) { return other.name == wanted.name; });
    if (found == given.end()) {
      why = "argument '" + wanted.name + "' is not given";
      return false;
    }
    llvm::StringRef type = wanted.type, own = found->type;
    auto [base, promise] = type.split(':');
    auto [ownBase, ownPromise] = own.split(':');
    auto elementOf = [](llvm::StringRef text) {
      if (text.consume_front("*"))
        text.consume_front("k");
      return text;
    };
    bool isPointer = base.starts_with("*") || ownBase.starts_with("*");
    bool isDescriptor = base.starts_with("tensordesc") || ownBase.starts_with("tensordesc");
    if ((isPointer && (base.starts_with("*") != ownBase.starts_with("*") ||
                       elementOf(base) != elementOf(ownBase))) ||
        (isDescriptor && base != ownBase) || (!promise.empty() && ownPromise.empty())) {
      why = ("argument '" + wanted.name + "' is " + own + ", the code takes " + type).str();
      return false;
    }
  }
  return true;
}

/// Makes the launch with the code of a bundle; says why it is not one for the arguments.
std::string Reporter::takeCode(const BundleKernel &kernel, const BundleImage &image) {
  RunCommand launched = run;
  launched.kernel.options.kernel = kernel.kernel;
  launched.kernel.options.constants = image.options.constants;
  launched.kernel.options.modules.texts = kernel.source->modules;
  if (change)
    apply(*change, launched.kernel.options);
  launched.kernel.options.kernel = kernel.kernel;
  if (launched.grid.empty())
    launched.grid = kernel.grid;
  llvm::Expected<FileId> added = sources.addBuffer(kernel.source->file, kernel.source->text);
  if (!added)
    return llvm::toString(added.takeError());
  file = *added;
  DiagnosticEngine diagnostics;
  source = parseSource(sources, file, diagnostics, launched.kernel.options.modules);
  info = diagnostics.hasErrors() ? nullptr : source.select(kernel.kernel, diagnostics);
  if (info)
    plan = makeRunPlan(launched, source, *info, diagnostics,
                       /*withLaunch=*/!launched.grid.empty());
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
    if (diagnostic.severity == Severity::Error)
      return diagnostic.message;
  std::string why;
  if (!takes(image.options.arguments, plan.types, why))
    return why;
  if (launched.grid.empty())
    return "the bundle has no grid for it: '--grid' gives one";
  run = std::move(launched);
  plan.types = image.options.arguments;
  bundled = image.options;
  return "";
}

/// The usual GPU where a kernel has code for it, else one that it has code for.
static const explain::GpuLimits *gpuOf(const BundleKernel &kernel,
                                       const explain::GpuLimits *usual) {
  const explain::GpuLimits *other = nullptr;
  for (const BundleImage &image : kernel.images) {
    if (image.target == usual->processor)
      return usual;
    if (const explain::GpuLimits *gpu = explain::findGpu("", image.target);
        !other && gpu->processor == image.target)
      other = gpu;
  }
  return other ? other : usual;
}

/// Takes the first code for the GPU that the arguments are for.
ExitCode Reporter::readBundle() {
  std::string path = run.kernel.file;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return reportError("cannot read '" + path + "': " + buffer.getError().message());
  llvm::Expected<Bundle> bundle = decodeBundle((*buffer)->getBuffer());
  if (!bundle)
    return reportError("'" + path + "' is " + llvm::toString(bundle.takeError()));
  std::string name = change && !change->kernel.empty() ? change->kernel : run.kernel.options.kernel;
  std::string known, reasons;
  size_t named = 0;
  for (const BundleKernel &kernel : bundle->kernels) {
    known += (known.empty() ? "" : ", ") + kernel.name;
    if (!name.empty() && kernel.name != name && kernel.kernel != name)
      continue;
    ++named;
    if (!kernel.source)
      return reportError("bundle '" + bundle->name + "' has no source of '" + kernel.name +
                         "': 'tilec build --keep-sources' keeps it");
    std::string targets, why;
    if (!command.gpu && !gpu.device && !(change && change->gpu))
      subject.gpu = gpuOf(kernel, subject.gpu);
    for (const BundleImage &image : kernel.images) {
      targets += (targets.empty() ? "" : ", ") + image.target;
      if (image.target != subject.gpu->processor)
        continue;
      why = takeCode(kernel, image);
      if (why.empty())
        return ExitCode::Ok;
      break;
    }
    if (why.empty())
      why = ("it has code for " + targets + ", and an " + subject.gpu->name + " takes " +
             subject.gpu->processor)
                .str();
    reasons += "\n  " + kernel.name + ": " + why;
  }
  if (named == 0)
    return reportError("bundle '" + bundle->name + "' has no kernel '" + name + "'; it has " +
                       known);
  return reportError("no code of bundle '" + bundle->name + "' takes this launch" + reasons);
}

/// A constant of a list that another list has otherwise, or not; null when there is none.
static const ConstantSpec *findOther(const std::vector<ConstantSpec> &list,
                                     const std::vector<ConstantSpec> &known) {
  for (const ConstantSpec &constant : list)
    if (llvm::none_of(known, [&](const ConstantSpec &other) {
          return other.name == constant.name && other.value == constant.value;
        }))
      return &constant;
  return nullptr;
}

/// Evaluates the grid of what is different, with its constants.
ExitCode Reporter::changeSavedGrid(const std::string &text) {
  DiagnosticEngine diagnostics;
  source = parseSource(sources, file, diagnostics, subject.options.modules);
  info = diagnostics.hasErrors() ? nullptr : source.select(subject.options.kernel, diagnostics);
  if (!info)
    return print(diagnostics);
  tilecrt::Result<std::array<uint32_t, 3>> grid =
      evaluateLaunchGrid(text, [&](std::string_view name) -> std::optional<int64_t> {
        for (const explain::Argument &argument : subject.arguments)
          if (int64_t value = 0;
              argument.name == name && !llvm::StringRef(argument.value).getAsInteger(10, value))
            return value;
        return constantNumber(source, *info, subject.options.constants, name);
      });
  if (!grid)
    return reportError((change->grid.empty() ? "'" + run.replay + "'" : "'--against'") + ": " +
                       grid.message());
  subject.grid = *grid;
  return ExitCode::Ok;
}

/// Puts a change in the place of what a saved launch says.
ExitCode Reporter::changeSaved() {
  if (!change)
    return ExitCode::Ok;
  for (const auto &[name, value] : change->config.constants)
    if (findArgument(*saved, name))
      return reportChangedArgument(name);
  apply(*change, subject.options);
  const std::string &text = change->grid.empty() ? saved->gridText : change->grid;
  if (!text.empty())
    return changeSavedGrid(text);
  const ConstantSpec *other = findOther(subject.options.constants, saved->origin.options.constants);
  if (!other)
    return ExitCode::Ok;
  const auto &[x, y, z] = saved->grid;
  return reportError(
      llvm::formatv("'{0}': grid: only the numbers ({1}, {2}, {3}) were saved, which "
                    "may depend on '{4}': say them in '--against', as in "
                    "'grid=({1}, {2}, {3})'",
                    run.replay, x, y, z, other->name)
          .str());
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
  subject.grid = saved->grid;
  subject.arguments = describeArguments(*saved);
  if (ExitCode code = changeSaved(); code != ExitCode::Ok)
    return code;
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
  if (!bundled)
    return options;
  // What the code was compiled with; a change counts more.
  options.code() = *bundled;
  if (change)
    apply(*change, options);
  options.kernel = plan.kernel;
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
  subject.timeline = command.timeline ? ExplainSubject::Timeline::Yes
                     : command.html   ? ExplainSubject::Timeline::IfQuick
                                      : ExplainSubject::Timeline::No;
  // Only code for the simulator is kept in the cache: the other is compiled with all its stages.
  CompileOptions forHost = subject.options;
  forHost.target = simulatorOf(subject.measuringGpu ? subject.measuringGpu->info().target
                                                    : subject.gpu->processor.str());
  cache.attachTo(forHost);
  subject.options.cache = forHost.cache;
  if (Status status = checkHostGrid(subject.grid, "simulator"); !status.ok() && command.allPrograms)
    return reportUnlessOk(status);
  return ExitCode::Ok;
}

ExitCode Reporter::explainLaunch() {
  explainer.emplace(subject);
  bool isCompiled = explainer->compile();
  DiagnosticEngine shown;
  for (const Diagnostic &message : explainer->getMessages().getDiagnostics())
    if (message.severity != Severity::Remark)
      shown.adopt(message);
  printDiagnostics(sources, shown, run.kernel.diagnosticsFormat);
  if (!isCompiled)
    return reportFailure(explainer->failure());
  if (Status status = explainer->run(); !status.ok())
    return reportUnlessOk(status);
  report = explainer->report();
  if (const std::optional<explain::GpuRun> &measured = explainer->getGpuRun(); !measured)
    return ExitCode::Ok;
  else if (!measured->cold)
    reportWarning("no time and no samples of a GPU: " + measured->notMeasured);
  else if (!report.samples->absent.empty())
    reportWarning("no samples of the GPU: " + report.samples->absent);
  return ExitCode::Ok;
}

ExitCode Reporter::explainTriton(const explain::TritonKernel &triton, explain::Report &other) {
  tilecrt::Result<explain::Report> made = explainer->explainTriton(triton, report);
  if (!made)
    return reportUnlessOk(made.status());
  other = std::move(*made);
  const std::optional<explain::GpuRun> &ours = explainer->getGpuRun(),
                                       &theirs = explainer->getTritonRun();
  if (!ours || !ours->cold)
    return ExitCode::Ok;
  if (!theirs->cold)
    reportWarning("no time and no samples of Triton's kernel: " + theirs->notMeasured);
  else if (!other.samples->absent.empty())
    reportWarning("no samples of Triton's kernel: " + other.samples->absent);
  return ExitCode::Ok;
}

ExitCode Reporter::read() {
  if (!run.replay.empty())
    return readReplay();
  return isBundle(run.kernel.file) ? readBundle() : readSource();
}

ExitCode Reporter::explain() {
  for (ExitCode (Reporter::*step)() :
       {&Reporter::applyChange, &Reporter::read, &Reporter::applyTuned, &Reporter::describe,
        &Reporter::explainLaunch})
    if (ExitCode code = (this->*step)(); code != ExitCode::Ok)
      return code;
  return ExitCode::Ok;
}

static GpuAccess openGpuOf(const ExplainCommand &command) {
  GpuAccess gpu;
  if (command.run.device != DeviceKind::Cuda)
    return gpu;
  tilecrt::Result<std::unique_ptr<MeasuringGpu>> opened =
      MeasuringGpu::open(command.run.deviceNumber, readCuptiPlaces(command.cupti));
  if (opened)
    gpu.device = std::move(*opened);
  else
    gpu.absent = opened.message();
  return gpu;
}

ExitCode explainInput(const ExplainCommand &command, explain::Report &report) {
  std::optional<explain::TritonKernel> triton;
  if (command.against && !command.against->triton.empty()) {
    llvm::Expected<explain::TritonKernel> kernel =
        explain::readTritonKernel(command.against->triton);
    if (!kernel)
      return reportError(llvm::toString(kernel.takeError()));
    triton = std::move(*kernel);
  }
  GpuAccess gpu = openGpuOf(command);
  Reporter reporter(command, nullptr, gpu, report);
  ExitCode code = reporter.explain();
  if (code != ExitCode::Ok || !command.against)
    return code;
  auto other = std::make_shared<explain::Report>();
  code = triton ? reporter.explainTriton(*triton, *other)
                : Reporter(command, &*command.against, gpu, *other).explain();
  report.against = std::move(other);
  return code;
}

} // namespace tilec::tool
