// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The autotuner over the C interface: reads the caller's options, lets the library's tuner search
// with the caller's launch, and keeps what it found.

#include "SourceJit.h"
#include "TuningLaunch.h"

#include "tilec/Driver/ToolHints.h"
#include "tilec/Support/Processor.h"
#include "tilec/Syntax/ASTPrinter.h"
#include "tilec/Tuning/ProductSpace.h"
#include "tilecrt/data/GridExpr.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tilec;
using namespace tilec::api;

namespace {

/// One call of tilec_tune_...
class Session final : public TuningProblem {
public:
  /// `fromCall` is null where the options say what to launch.
  Session(std::shared_ptr<RunDevice> on, SourceLoad loadSourceText,
          const DescribedLaunch *fromCall = nullptr)
      : device(std::move(on)), load(loadSourceText), described(fromCall) {}

  tilec_status run(const tilec_tune_options *options, tilec_tuning **tuning,
                   tilec_diagnostics **diagnostics);

  llvm::Expected<FileId> loadSource(SourceManager &into) override { return load(into); }
  llvm::Expected<TuningVariant> describe(const TuningConfig &config) override;
  bool inferredMapsFit(const tilecrt::KernelMetadata &metadata) override {
    return tilec::inferredMapsFit(metadata, arguments.here(launch).arguments(metadata));
  }

  /// What a search found.
  const TuningObject &found() const { return *result; }
  const KernelInfo &kernelInfo() const { return *kernel; }

private:
  tilec_status readOptions(const tilec_tune_options *options);
  tilec_status readLaunch();
  tilec_status readTarget();
  tilec_status readSource();
  tilec_status readSpace();
  /// The simulator is like an H200.
  TuningTarget modelOfDevice() const {
    return isSimulated ? TuningTarget()
                       : makeTuningTarget(reader.result.target, info.multiprocessors);
  }
  /// Whether the database has a configuration, which is the result then.
  tilec_status readDatabase(bool &found);
  tilec_status search();
  tilec_status measureHere(const TunerOptions &options);
  tilec_status measureIsolated(TunerOptions options);
  tilec_status finish();
  /// The kernel of the best one, as the caller wants it.
  tilec_status compileBest(const Candidate &best);
  CompileOptions optionsOf(const TuningConfig &config) const;
  llvm::Expected<std::array<uint32_t, 3>> gridOf(const TuningConfig &config);
  std::optional<int64_t> valueOf(llvm::StringRef name, const CompileOptions &options) const;
  bool report(const TuningProgress &progress) const;

  std::shared_ptr<RunDevice> device;
  SourceLoad load;
  const DescribedLaunch *described;
  tilec_tune_options given = {};
  tilec_device_launch launch = {};
  DeviceInfo info;
  bool isSimulated = false;
  OptionsReader reader;
  SourceManager sources;
  FileId file = 0;
  DiagnosticEngine engine;
  ParsedSource source;
  /// A copy, of which host code may prune configurations.
  std::optional<KernelInfo> kernel;
  TuningLaunch arguments;
  llvm::StringMap<int64_t> integers;
  TuningKey key;
  /// What `prune_configs_by` leaves; 0: all.
  size_t topK = 0;
  std::vector<TuningConfig> configs;
  std::mutex gridMutex;
  std::shared_ptr<TuningObject> result = std::make_shared<TuningObject>();
};

} // namespace

//===----------------------------------------------------------------------------------===//
// What the caller gave
//===----------------------------------------------------------------------------------===//

tilec_status Session::readOptions(const tilec_tune_options *options) {
  if (!options)
    return invalid("options are null");
  std::optional<tilec_tune_options> read = readStruct(options, "options");
  if (!read)
    return TILEC_INVALID_ARGUMENT;
  given = *read;
  constexpr uint32_t known =
      TILEC_TUNE_AGAIN | TILEC_TUNE_NO_PRUNE | TILEC_TUNE_WARM_L2 | TILEC_TUNE_ISOLATE;
  if (given.flags & ~known)
    return invalid("options: unknown flags 0x" + llvm::utohexstr(given.flags & ~known));
  for (auto [name, value] :
       {std::pair("max_seconds", given.max_seconds), std::pair("milliseconds", given.milliseconds),
        std::pair("timeout_seconds", given.timeout_seconds)})
    if (!(value >= 0) || value > 86400)
      return invalid(llvm::Twine("options: ") + name + " is not a number from 0 to 86400");
  if (given.repeats > 100000)
    return invalid("options: repeats is " + llvm::Twine(given.repeats) +
                   ", at most 100000 can be timed");
  if (given.jobs > 256)
    return invalid("options: jobs is " + llvm::Twine(given.jobs) + ", at most 256 can be used");
  if (given.grid && given.make_grid)
    return invalid("options: both grid and make_grid are given");
  if (tilec_status status = readLaunch())
    return status;
  constexpr uint32_t knownLaunch = TILEC_LAUNCH_PROGRAMMATIC | TILEC_LAUNCH_COOPERATIVE;
  if (launch.flags & ~knownLaunch)
    return invalid("launch: unknown flags " + llvm::Twine(launch.flags & ~knownLaunch));
  if (!given.grid && !given.make_grid)
    if (tilec_status status = checkGrid({launch.grid[0], launch.grid[1], launch.grid[2]}))
      return status;
  if (!reader.tuned.database.empty())
    return invalid("options: tuning_database is no option of a configuration: it belongs into "
                   "tilec_tune_options.database");
  return readTarget();
}

tilec_status Session::readLaunch() {
  if (described) {
    if (given.options || given.launch)
      return invalid("options: options and launch are those of the jit and the call");
    reader = described->options;
    launch = described->launch;
    return TILEC_OK;
  }
  if (!given.launch)
    return invalid("options: launch is null");
  std::optional<tilec_device_launch> read = readStruct(given.launch, "launch");
  if (!read)
    return TILEC_INVALID_ARGUMENT;
  launch = *read;
  tilec_status status = reader.read(given.options);
  return status == TILEC_OK ? reader.refuseTimeline() : status;
}

tilec_status Session::readTarget() {
  info = device->info();
  isSimulated = isSimulator(info.target);
  if (!reader.hasTarget)
    reader.result.target = info.target;
  bool forSim = isSimulator(reader.result.target);
  if (forSim != isSimulated)
    return invalid("options: target '" + reader.result.target + "' does not run on '" + info.name +
                   "'");
  reader.result.keep.clear();
  reader.result.stopAfter = Stage::Cubin;
  // Without an assembler the driver compiles PTX.
  if (!isSimulated) {
    llvm::Expected<std::string> ptxas = findPtxas(ptxasHints(reader.result.tools));
    if (!ptxas) {
      llvm::consumeError(ptxas.takeError());
      reader.result.stopAfter = Stage::PTX;
    }
  }
  result->outcome.device = info.name;
  result->outcome.unit = isSimulated ? "cost" : "us";
  return TILEC_OK;
}

tilec_status Session::readSource() {
  llvm::Expected<FileId> loaded = load(sources);
  if (!loaded) {
    engine.error(SourceRange(), llvm::toString(loaded.takeError()), "source");
    return TILEC_INPUT_ERROR;
  }
  file = *loaded;
  source = parseSource(sources, file, engine, reader.result.modules);
  if (const KernelInfo *selected = source.select(reader.result.kernel, engine))
    kernel = *selected;
  else
    return TILEC_INPUT_ERROR;
  reader.result.kernel = kernel->name;
  result->outcome.kernel = kernel->name;
  const CompileOptions &options = reader.result;
  tilec_status status = arguments.bind(*kernel, options.arguments, launch);
  if (status == TILEC_OK)
    status = arguments.findMemory(*device, given.buffers, given.num_buffers);
  if (status != TILEC_OK)
    return status;
  for (const TuningArgument &argument : arguments.getArguments())
    if (argument.integer)
      integers[argument.name] = *argument.integer;
  if (!given.space)
    topK = applyHostPruning(*kernel, *source.tree, sources, options.modules, integers, engine);
  key =
      makeTuningKey(*kernel, kernelSourceHash(sources, *source.tree, kernel->name, options.modules),
                    info.name, arguments.facts(options.arguments));
  return status;
}

tilec_status Session::readSpace() {
  const CompileOptions &options = reader.result;
  // What all have is said once: it leaves no differences between configurations.
  ProductLaunch product{*kernel, arguments.facts(options.arguments), modelOfDevice()};
  llvm::Expected<std::vector<TuningConfig>> all =
      makeSearchSpace(*kernel, given.space ? given.space : "", {}, &product);
  if (!all)
    return fail(TILEC_INPUT_ERROR, "the search space: " + llvm::toString(all.takeError()));
  configs = std::move(*all);
  for (TuningConfig &config : configs) {
    for (const ConstantSpec &constant : options.constants)
      if (config.find(constant.name))
        config.set(constant.name, constant.value);
    if (options.numWarps)
      config.numWarps = options.numWarps;
    if (options.numStages)
      config.numStages = options.numStages;
    if (options.numCtas)
      config.numCtas = options.numCtas;
    if (options.splitK)
      config.splitK = options.splitK;
  }
  removeDuplicates(configs);
  return TILEC_OK;
}

tilec_status Session::readDatabase(bool &found) {
  found = false;
  if (!given.database)
    return TILEC_OK;
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(given.database);
  if (!database)
    return fail(TILEC_INPUT_ERROR, llvm::toString(database.takeError()));
  const TuningRecord *record = database->find(key);
  if (!record || (given.flags & TILEC_TUNE_AGAIN))
    return TILEC_OK;
  Candidate &candidate = result->outcome.candidates.emplace_back();
  candidate.config = record->config;
  candidate.state = Candidate::State::Measured;
  candidate.cost = record->cost;
  result->outcome.unit = record->unit;
  result->fromDatabase = found = true;
  llvm::Expected<std::array<uint32_t, 3>> grid = gridOf(record->config);
  if (!grid)
    return fail(TILEC_INPUT_ERROR, llvm::toString(grid.takeError()));
  candidate.grid = *grid;
  return TILEC_OK;
}

//===----------------------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------------------===//

CompileOptions Session::optionsOf(const TuningConfig &config) const {
  CompileOptions options = reader.result;
  applyConfig(config, *kernel, options);
  return options;
}

/// An integer argument or constant, or x.size and x.bytes of what a pointer leads to.
std::optional<int64_t> Session::valueOf(llvm::StringRef name, const CompileOptions &options) const {
  if (const TuningArgument *argument = arguments.find(name))
    return argument->integer;
  auto [array, fact] = name.split('.');
  if (const TuningArgument *argument = arguments.find(array); argument && argument->isPointer) {
    if (fact == "bytes")
      return int64_t(argument->memory.bytes);
    if (fact == "size")
      return int64_t(argument->memory.bytes / argument->elementBytes);
  }
  std::string text;
  for (const ConstantSpec &constant : options.constants)
    if (constant.name == name)
      text = constant.value;
  if (const ast::FunctionDef *function = source.tree->findJitFunction(kernel->name))
    for (const ast::Param &param : function->params)
      if (text.empty() && param.name == name && param.defaultValue)
        text = ast::printSource(param.defaultValue);
  if (text == "True" || text == "False")
    return text == "True";
  tilecrt::Result<int64_t> value = tilecrt::evaluateExpression(text, nullptr);
  return value.ok() ? std::optional<int64_t>(*value) : std::nullopt;
}

llvm::Expected<std::array<uint32_t, 3>> Session::gridOf(const TuningConfig &config) {
  std::array<uint32_t, 3> grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  if (given.make_grid) {
    grid = {1, 1, 1};
    CompileOptions options = optionsOf(config);
    // The caller's function sees all constants.
    TuningConfig all = config;
    for (const ConstantSpec &constant : options.constants)
      all.set(constant.name, constant.value);
    ConfigRecord record(all);
    std::lock_guard<std::mutex> lock(gridMutex);
    if (given.make_grid(given.grid_context, &record.raw, grid.data()) != 0)
      return llvm::createStringError("left out by make_grid");
  } else if (given.grid) {
    CompileOptions options = optionsOf(config);
    tilecrt::Result<std::vector<int64_t>> values = tilecrt::evaluateGrid(
        given.grid, [&](std::string_view name) { return valueOf(llvm::StringRef(name), options); });
    if (!values.ok())
      return llvm::createStringError(values.message());
    for (size_t axis = 0; axis < values->size(); ++axis)
      grid[axis] = uint32_t((*values)[axis]);
  }
  if (checkGrid(grid) != TILEC_OK)
    return llvm::createStringError(tilec_last_error());
  return grid;
}

llvm::Expected<TuningVariant> Session::describe(const TuningConfig &config) {
  llvm::Expected<std::array<uint32_t, 3>> grid = gridOf(config);
  if (!grid)
    return grid.takeError();
  TuningVariant variant;
  variant.grid = *grid;
  variant.options = optionsOf(config);
  variant.options.countInstructions |= isSimulated;
  return variant;
}

//===----------------------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------------------===//

bool Session::report(const TuningProgress &progress) const {
  std::string last = progress.last->config.describe();
  std::string best = progress.best ? progress.best->config.describe() : "";
  tilec_tune_progress raw = {};
  raw.struct_size = sizeof raw;
  raw.done = progress.done;
  raw.total = progress.total;
  raw.last = last.c_str();
  raw.last_state = tilec_candidate_state(progress.last->state);
  raw.last_cost = progress.last->cost;
  raw.last_reason = progress.last->reason.c_str();
  if (progress.best) {
    raw.best = best.c_str();
    raw.best_cost = progress.best->cost;
  }
  return given.progress(given.progress_context, &raw) == 0;
}

namespace {
/// On the caller's device, in the caller's memory.
class HereMeasurer final : public Measurer {
public:
  explicit HereMeasurer(LaunchBench &launchBench) : bench(launchBench) {}
  Measurement measure(const Candidate &candidate, double milliseconds) override {
    Measurement result;
    tilec_status status = guarded([&] {
      result = bench.measure(candidate.kernel, candidate.grid, milliseconds);
      return TILEC_OK;
    });
    if (status != TILEC_OK)
      result.problem = tilec_last_error();
    return result;
  }

private:
  LaunchBench &bench;
};
} // namespace

tilec_status Session::search() {
  TunerOptions options;
  options.prune = !(given.flags & TILEC_TUNE_NO_PRUNE);
  limitConfigs(given.max_configs, options);
  limitConfigs(topK, options);
  options.mostSeconds = given.max_seconds;
  if (given.milliseconds > 0)
    options.milliseconds = given.milliseconds;
  options.jobs = given.jobs;
  options.measuresFinalists = !isSimulated;
  options.argumentValues = integers;
  options.model = modelOfDevice();
  if (given.progress)
    options.progress = [this](const TuningProgress &progress) { return report(progress); };

  return given.flags & TILEC_TUNE_ISOLATE ? measureIsolated(std::move(options))
                                          : measureHere(options);
}

/// The program of the installation that this library is in: ../bin, or ../../bin of a library in a
/// folder for the processor.
static std::string defaultWorker() {
  llvm::SmallString<256> folder(libraryPath());
  (void)llvm::sys::fs::make_absolute(folder);
  std::string first;
  for (unsigned i = 0; i < 2; ++i) {
    llvm::sys::path::remove_filename(folder);
    llvm::SmallString<256> program(folder);
    llvm::sys::path::append(program, "..", "bin", "tilec");
    llvm::sys::path::remove_dots(program, /*remove_dot_dot=*/true);
    if (llvm::sys::fs::can_execute(program))
      return std::string(program);
    if (i == 0)
      first = std::string(program);
  }
  return first;
}

tilec_status Session::measureIsolated(TunerOptions options) {
  const SourceBuffer &text = *sources.getBuffer(file);
  IsolationOptions how;
  how.program = given.worker ? given.worker : defaultWorker();
  how.sourceName = text.getName().str();
  how.sourceText = text.getText().str();
  how.driver = info.driver;
  how.timeoutSeconds = given.timeout_seconds > 0 ? given.timeout_seconds : 10;
  how.repeats = given.repeats ? given.repeats : 100;
  how.flushL2 = !(given.flags & TILEC_TUNE_WARM_L2);
  how.problem = isSimulated ? this : nullptr;
  if (!llvm::sys::fs::can_execute(how.program))
    return fail(TILEC_UNAVAILABLE, "there is no program '" + how.program +
                                       "' that measures: expected the path of 'tilec' in worker");
  std::unique_ptr<IsolatedTuning> isolated;
  if (tilec_status status =
          take(IsolatedTuning::create(arguments.isolated(*device, launch, *kernel), how), isolated))
    return status;
  options.compiles = !isSimulated;
  std::vector<std::unique_ptr<Measurer>> measurers;
  measurers.push_back(
      isolated->makeMeasurer(isSimulated ? "sim" : "cuda:" + std::to_string(info.ordinal)));
  tune(*this, std::move(configs), measurers, options, result->outcome);
  return TILEC_OK;
}

tilec_status Session::measureHere(const TunerOptions &options) {
  tilecrt::cuda::MeasureOptions how;
  how.mostRepeats = given.repeats ? given.repeats : 100;
  how.flushL2 = !(given.flags & TILEC_TUNE_WARM_L2);
  if (tilec_status status = done(device->synchronizeStream(launch.stream)))
    return status;
  LaunchBench bench(device, arguments.here(launch), how);
  if (tilec_status status =
          done(bench.save(arguments.changedMemory(), arguments.clearedMemory(*kernel))))
    return status;
  std::vector<std::unique_ptr<Measurer>> measurers;
  measurers.push_back(std::make_unique<HereMeasurer>(bench));
  tune(*this, std::move(configs), measurers, options, result->outcome);
  // Nothing can be given back to a device that is lost.
  return result->outcome.lost.empty() ? done(bench.restore()) : TILEC_OK;
}

tilec_status Session::compileBest(const Candidate &best) {
  Compiler compiler;
  DiagnosticEngine messages;
  std::shared_ptr<CompiledKernel> compiled = compiler.compileFitting(
      sources, file, optionsOf(best.config), best.grid,
      [&](const auto &metadata) { return inferredMapsFit(metadata); }, messages);
  if (!compiled)
    return fail(statusOf(compiler.lastFailure()), summarize(DiagnosticsObject(sources, messages)));
  result->kernel = std::make_shared<KernelObject>(std::move(compiled));
  return TILEC_OK;
}

tilec_status Session::finish() {
  TuningOutcome &outcome = result->outcome;
  const Candidate *best = outcome.best();
  tilec_status status = TILEC_OK;
  if (!outcome.lost.empty()) {
    status = fail(TILEC_DEVICE_ERROR, outcome.lost);
  } else if (!best) {
    std::vector<const Candidate *> order = outcome.sorted();
    std::string why = order.empty() ? "" : order.front()->reason;
    status = fail(TILEC_INPUT_ERROR, "no configuration of '" + outcome.kernel +
                                         "' could be measured" + (why.empty() ? "" : ": " + why));
  } else if (best->kernel && !isSimulated) {
    result->kernel = std::make_shared<KernelObject>(best->kernel);
  } else {
    status = compileBest(*best);
  }
  if (best && given.database && !result->fromDatabase) {
    llvm::Error written = TuningDatabase::update(given.database, recordOf(outcome, key));
    if (written && status == TILEC_OK)
      status = fail(TILEC_UNAVAILABLE, llvm::toString(std::move(written)));
    else
      llvm::consumeError(std::move(written));
  }
  result->order = outcome.sorted();
  for (const Candidate *candidate : result->order)
    result->configs.emplace_back(candidate->config);
  result->text = printOutcome(outcome);
  result->json = printOutcomeAsJson(outcome);
  // The code of all the others is of no use any more.
  for (Candidate &candidate : outcome.candidates)
    candidate.kernel.reset();
  return status;
}

tilec_status Session::run(const tilec_tune_options *options, tilec_tuning **tuning,
                          tilec_diagnostics **diagnostics) {
  if (tilec_status status = readOptions(options))
    return status;
  bool found = false;
  tilec_status status = readSource();
  bool isReadable = !engine.hasErrors();
  if (status == TILEC_OK)
    status = readSpace();
  if (status == TILEC_OK)
    status = readDatabase(found);
  if (status == TILEC_OK && !found)
    status = search();
  if (status == TILEC_OK) {
    status = finish();
    *tuning = Tunings::get().insert(result);
  }
  auto messages = std::make_shared<DiagnosticsObject>(sources, engine);
  if (!isReadable)
    fail(status, summarize(*messages));
  if (diagnostics)
    *diagnostics = Diagnostics::get().insert(std::move(messages));
  return status;
}

/// What both ways to tune share.
static tilec_status tuneSource(tilec_device *handle, const tilec_tune_options *options,
                               tilec_tuning **tuning, tilec_diagnostics **diagnostics,
                               SourceLoad load) {
  if (!tuning)
    return invalid("tuning is null");
  std::shared_ptr<RunDevice> device = Devices::get().find(handle);
  if (!device)
    return failHandle("tilec_device");
  return Session(std::move(device), load).run(options, tuning, diagnostics);
}

tilec_status tilec_tune_text(tilec_device *device, const char *name, const char *text,
                             size_t length, const tilec_tune_options *options,
                             tilec_tuning **tuning, tilec_diagnostics **diagnostics) {
  clear(tuning);
  clear(diagnostics);
  return withText(name, text, length, [&](SourceLoad load) {
    return tuneSource(device, options, tuning, diagnostics, load);
  });
}

tilec_status tilec_tune_file(tilec_device *device, const char *path,
                             const tilec_tune_options *options, tilec_tuning **tuning,
                             tilec_diagnostics **diagnostics) {
  clear(tuning);
  clear(diagnostics);
  return withFile(path, [&](SourceLoad load) {
    return tuneSource(device, options, tuning, diagnostics, load);
  });
}

tilec_status tilec_jit_tune(tilec_jit *jit, const tilec_call *call,
                            const tilec_tune_options *options, tilec_tuning **tuning,
                            tilec_diagnostics **diagnostics, tilec_jit **tuned) {
  clear(tuning);
  clear(diagnostics);
  clear(tuned);
  return guarded([&] {
    if (!tuning || !tuned)
      return invalid("tuning or tuned is null");
    std::shared_ptr<JitObject> object = Jits::get().find(jit);
    if (!object)
      return failHandle("tilec_jit");
    SourceJit *source = object->asSource();
    if (!source || !source->getDevice())
      return invalid("a kernel that is tuned comes from its source and has a device");
    std::optional<tilec_call> read = readCall(call);
    if (!read)
      return TILEC_INVALID_ARGUMENT;
    DescribedLaunch described;
    if (tilec_status status = source->describeLaunch(*read, described))
      return status;
    auto load = [&](SourceManager &sources) { return source->loadSource(sources); };
    Session session(source->getDevice(), load, &described);
    if (tilec_status status = session.run(options, tuning, diagnostics))
      return status;
    std::shared_ptr<SourceJit> made;
    if (tilec_status status =
            source->withConfig(*read, session.kernelInfo(), session.found(), made))
      return status;
    *tuned = Jits::get().insert(std::move(made));
    return TILEC_OK;
  });
}

int32_t tilec_jit_is_tuning_key(const tilec_jit *jit, size_t index) {
  return factOf<Jits>(jit, [&](JitObject &object) {
    return int32_t(index < object.getParameters().size() &&
                   object.getParameters()[index].isTuningKey);
  });
}
