// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec tune: expand, prune, compile in parallel, measure in children, report, remember.
//
// Threads compile the configurations in the order of their bounds, so that a budget is spent on the
// likely ones; one thread for each device feeds a child, which measures. The two meet in one list
// of candidates under one mutex.

#include "CacheSetup.h"
#include "Combinations.h"
#include "Commands.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "GpuRun.h"
#include "LineChannel.h"
#include "OutputFile.h"
#include "SourceFile.h"
#include "TunePruning.h"
#include "TuneReport.h"
#include "TuneWorker.h"
#include "TunedConfig.h"

#include "tilec/Target/PTXTarget.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <condition_variable>
#include <deque>
#include <set>
#include <thread>

using tilecrt::Result;
using tilecrt::Status;
namespace json = llvm::json;

namespace tilec::tool {

namespace {

/// A child may take this long to make its data and to open its device.
constexpr int startMilliseconds = 300000;
/// The best ones are measured once more, this many and this much longer.
constexpr size_t finalists = 3;
constexpr double finalFactor = 3;

using Clock = std::chrono::steady_clock;

class Tuner {
public:
  explicit Tuner(const TuneCommand &tuneCommand)
      : command(tuneCommand), cache(tuneCommand.run.kernel.cache),
        report{tuneCommand, {}, {}, "us", {}, {}, 0} {}
  ~Tuner() {
    if (!scratch.empty())
      llvm::sys::fs::remove_directories(scratch);
  }

  ExitCode run();

private:
  ExitCode readSource();
  ExitCode readDatabase();
  ExitCode expand();
  ExitCode openDevices();
  void estimateAll();
  void estimateSome(size_t first, size_t stride);
  void applyBudget();
  void compileSome();
  void compile(Compiler &compiler, SourceManager &ownSources, FileId ownFile, Candidate &candidate);
  void measureSome(size_t number);
  void measure(ChildProcess &child, int device, Candidate &candidate);
  bool startChild(ChildProcess &child, int device, std::string &problem);
  void searchAll();
  void measureFinalists();
  ExitCode finish();

  bool isSimulated() const { return command.run.device == DeviceKind::Simulator; }
  bool isTimeUp() const {
    return command.mostSeconds > 0 &&
           std::chrono::duration<double>(Clock::now() - begin).count() > command.mostSeconds;
  }
  RunCommand variantOf(const Candidate &candidate) const {
    return withConfig(baseOf(command, *info), candidate.config, *info);
  }
  CompileOptions optionsOf(const RunCommand &variant, const RunPlan &variantPlan) const;
  /// The constants and grid of a candidate, without its data.
  Result<RunPlan> planOf(const Candidate &candidate);
  /// Ends a candidate; called with the mutex held.
  void settle(Candidate &candidate, Candidate::State state, const std::string &reason);
  unsigned numJobs() const {
    return command.jobs ? command.jobs : std::max(1u, std::thread::hardware_concurrency());
  }

  const TuneCommand &command;
  Clock::time_point begin = Clock::now();
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
  llvm::StringMap<int64_t> argumentValues;
  std::string program, scratch, target;
  Stage lastStage = Stage::PTX;
  TuningTarget model;
  std::vector<int> devices;
  /// One for each device, as far as they are needed.
  std::vector<ChildProcess> children;

  std::mutex mutex;
  std::condition_variable changed;
  /// Candidates to compile, in order; those to measure; how many threads may still add some.
  std::deque<size_t> toCompile, toMeasure;
  unsigned compiling = 0;
  /// Code and grid to the candidate that has them, for those that come out the same.
  std::map<std::string, size_t> firstWithCode;
  std::vector<std::pair<size_t, size_t>> sameCode;
  double milliseconds = 0;
  std::unique_ptr<ProgressLine> progress;

public:
  TuneReport report;
};

} // namespace

ExitCode Tuner::readSource() {
  std::optional<FileId> loaded = loadSource(sources, command.run.kernel.file);
  if (!loaded)
    return ExitCode::InputError;
  file = *loaded;
  DiagnosticEngine diagnostics;
  source = parseSource(sources, file, diagnostics);
  if (!diagnostics.hasErrors())
    info = selectKernel(source, command.run.kernel.kernel, file, diagnostics);
  if (info) {
    if (info->hostPruning.isValid())
      diagnostics.remark(info->hostPruning, "functions of 'prune_configs_by' are host code and are "
                                            "not run; tilec prunes by its own model");
    plan = makeRunPlan(baseOf(command, *info), source, *info, diagnostics, /*withLaunch=*/false);
  }
  printDiagnostics(sources, diagnostics, command.run.kernel.diagnosticsFormat);
  if (diagnostics.hasErrors())
    return ExitCode::InputError;
  report.kernel = info->name;
  ownConstants = plan.constants;
  for (const auto &[name, argument] : plan.arguments)
    if (const auto *number = std::get_if<tilecrt::NumberData>(&argument);
        number && number->isInteger)
      argumentValues[name] = number->integer;
  return ExitCode::Ok;
}

/// Before anything costs time.
ExitCode Tuner::readDatabase() {
  if (command.database.empty())
    return ExitCode::Ok;
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(command.database);
  if (!database)
    return reportError(llvm::toString(database.takeError()));
  return ExitCode::Ok;
}

ExitCode Tuner::expand() {
  std::vector<TuningConfig> configs = configsOf(*info);
  if (!command.space.empty()) {
    auto text = llvm::MemoryBuffer::getFile(command.space);
    if (!text)
      return reportError("cannot read '" + command.space + "': " + text.getError().message());
    llvm::Expected<std::vector<TuningConfig>> space = parseSearchSpace((*text)->getBuffer());
    if (!space)
      return reportError("'" + command.space + "': " + llvm::toString(space.takeError()));
    configs = std::move(*space);
  }
  if (configs.empty())
    configs.emplace_back();
  // What the command line says counts more than what the configurations say.
  for (const auto &entry : command.constants)
    multiplyRows(configs, entry.second, [&](TuningConfig &config, const std::string &value) {
      config.set(entry.first, value);
    });
  multiplyRows(configs, command.numWarps,
               [](TuningConfig &config, int value) { config.numWarps = value; });
  multiplyRows(configs, command.numStages,
               [](TuningConfig &config, int value) { config.numStages = value; });
  removeDuplicates(configs);
  if (configs.size() > mostConfigs)
    return reportError("the space has " + llvm::Twine(configs.size()) +
                       " configurations, at most " + llvm::Twine(mostConfigs) + " can be tried");
  for (TuningConfig &config : configs) {
    Candidate &candidate = report.candidates.emplace_back();
    candidate.number = report.candidates.size() - 1;
    candidate.config = std::move(config);
  }
  if (report.candidates.size() == 1)
    reportNote("there is one configuration only; give lists as in '--num-warps 4,8', or a space "
               "with '--space'");
  return ExitCode::Ok;
}

ExitCode Tuner::openDevices() {
  llvm::SmallString<256> self;
  if (std::error_code error = llvm::sys::fs::real_path("/proc/self/exe", self))
    return reportError("cannot find this program: " + error.message(), ExitCode::Unavailable);
  program = std::string(self);
  llvm::SmallString<256> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("tilec-tune", folder))
    return reportError("cannot make a temporary folder: " + error.message());
  scratch = std::string(folder);
  if (isSimulated()) {
    target = "sim";
    report.device = "simulator";
    report.unit = "cost";
    devices.assign(std::max(1u, command.jobs), -1);
    return ExitCode::Ok;
  }
  Result<tilecrt::cuda::Device> device = openGpuDevice(command.run.deviceNumber);
  if (!device.ok()) {
    ExitCode code = reportError(device.message(), ExitCode::Unavailable);
    reportNote("times need a GPU; '--device sim' compares the simulator's counters instead");
    return code;
  }
  CompileOptions options = makeCompileOptions(command.run.kernel);
  if (Status status = aimAtGpu(*device, options); !status.ok())
    return reportUnlessOk(status);
  target = options.target;
  lastStage = options.stopAfter;
  report.device = device->properties().name;
  if (llvm::Expected<PTXTarget> known = findPTXTarget(target))
    model.computeCapability = known->computeCapability;
  else
    llvm::consumeError(known.takeError());
  model.multiprocessors = std::max(1, device->properties().smCount);
  devices = {command.run.deviceNumber};
  // All devices of the kind, unless one was named.
  Result<int> count = device->driver().deviceCount();
  for (int ordinal = 0; !command.run.isDeviceNamed && count.ok() && ordinal < *count; ++ordinal) {
    if (ordinal == command.run.deviceNumber)
      continue;
    Result<tilecrt::cuda::Device> other = openGpuDevice(ordinal);
    if (other.ok() && other->properties().name == report.device)
      devices.push_back(ordinal);
  }
  return ExitCode::Ok;
}

CompileOptions Tuner::optionsOf(const RunCommand &variant, const RunPlan &variantPlan) const {
  CompileOptions options = makeCompileOptions(variant.kernel);
  options.kernel = variantPlan.kernel;
  options.arguments = variantPlan.types;
  options.constants = variantPlan.constants;
  options.target = target;
  options.stopAfter = lastStage;
  options.cache = sharedCache;
  return options;
}

Result<RunPlan> Tuner::planOf(const Candidate &candidate) {
  RunPlan variant;
  DiagnosticEngine diagnostics;
  {
    // The data stays where it is.
    std::lock_guard<std::mutex> lock(planMutex);
    plan.constants = ownConstants;
    rebindConstants(plan, variantOf(candidate), source, *info, diagnostics);
    variant.kernel = plan.kernel;
    variant.arguments = plan.arguments;
    variant.types = plan.types;
    variant.constants = plan.constants;
    variant.grid = plan.grid;
  }
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
    if (diagnostic.severity == Severity::Error)
      return tilecrt::invalidArgument(diagnostic.message);
  return variant;
}

void Tuner::settle(Candidate &candidate, Candidate::State state, const std::string &reason) {
  candidate.state = state;
  candidate.reason = reason;
  const Candidate *best = report.best();
  if (progress)
    progress->step(
        best ? llvm::formatv("{0:F2} {1} ({2})", best->cost, report.unit, best->config.describe())
                   .str()
             : "");
}

void Tuner::estimateSome(size_t first, size_t stride) {
  Compiler compiler;
  SourceManager ownSources;
  llvm::Expected<FileId> ownFile = ownSources.loadFile(command.run.kernel.file);
  if (!ownFile) {
    llvm::consumeError(ownFile.takeError());
    return;
  }
  for (size_t i = first; i < report.candidates.size() && !isTimeUp(); i += stride) {
    Candidate &candidate = report.candidates[i];
    Result<RunPlan> variant = planOf(candidate);
    std::optional<std::string> refusal;
    Candidate::State state = Candidate::State::Pruned;
    if (!variant.ok()) {
      refusal = variant.message();
      state = Candidate::State::Failed;
    } else if (candidate.config.numCtas.value_or(1) > 1) {
      refusal = "clusters of " + std::to_string(*candidate.config.numCtas) +
                " programs are not supported";
    } else {
      candidate.grid = variant->grid;
      DiagnosticEngine diagnostics;
      CompileOptions options = optionsOf(variantOf(candidate), *variant);
      std::optional<KernelEstimate> estimate =
          compiler.estimate(ownSources, *ownFile, options, argumentValues, diagnostics);
      if (!estimate) {
        state = Candidate::State::Failed;
        refusal = "does not compile";
        for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
          if (diagnostic.severity == Severity::Error) {
            refusal = "does not compile: line " +
                      std::to_string(ownSources.getLineColumn(diagnostic.range).line) + ": " +
                      diagnostic.message;
            break;
          }
      } else if (command.prune) {
        refusal = refuse(*estimate, model);
        candidate.bound = rooflineMicroseconds(*estimate, candidate.grid, model);
      }
    }
    std::lock_guard<std::mutex> lock(mutex);
    if (refusal)
      settle(candidate, state, *refusal);
  }
}

/// What is known without compiling, in parallel; then the roofline, which compares.
void Tuner::estimateAll() {
  unsigned jobs = unsigned(std::min<size_t>(numJobs(), report.candidates.size()));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < jobs; ++i)
    threads.emplace_back([this, i, jobs] { estimateSome(i, jobs); });
  for (std::thread &thread : threads)
    thread.join();
  double least = 0;
  for (const Candidate &candidate : report.candidates)
    if (candidate.state == Candidate::State::Waiting && candidate.bound &&
        (least == 0 || *candidate.bound < least))
      least = *candidate.bound;
  for (Candidate &candidate : report.candidates)
    if (candidate.state == Candidate::State::Waiting && candidate.bound &&
        *candidate.bound > rooflineSlack * std::max(least, launchMicroseconds))
      settle(candidate, Candidate::State::Pruned,
             llvm::formatv("it cannot take less than {0:F1} us, another one may take {1:F1} us",
                           *candidate.bound, least)
                 .str());
}

/// The order of the search: by bound where all have one, else as given.
void Tuner::applyBudget() {
  std::vector<size_t> order;
  bool known = true;
  for (const Candidate &candidate : report.candidates)
    if (candidate.state == Candidate::State::Waiting) {
      order.push_back(candidate.number);
      known &= candidate.bound.has_value();
    }
  if (known)
    llvm::sort(order, [&](size_t a, size_t b) {
      double boundA = *report.candidates[a].bound, boundB = *report.candidates[b].bound;
      return boundA != boundB ? boundA < boundB : a < b;
    });
  for (size_t i = 0; i < order.size(); ++i) {
    if (command.mostConfigs != 0 && i >= command.mostConfigs) {
      settle(report.candidates[order[i]], Candidate::State::Waiting,
             "the budget is " + std::to_string(command.mostConfigs) + " configurations");
      continue;
    }
    (isSimulated() ? toMeasure : toCompile).push_back(order[i]);
  }
}

void Tuner::compile(Compiler &compiler, SourceManager &ownSources, FileId ownFile,
                    Candidate &candidate) {
  Result<RunPlan> variant = planOf(candidate);
  DiagnosticEngine diagnostics;
  std::unique_ptr<CompiledKernel> kernel;
  if (variant.ok())
    kernel = compiler.compile(ownSources, ownFile, optionsOf(variantOf(candidate), *variant),
                              diagnostics);
  std::string problem = variant.ok() ? "" : variant.message();
  if (!kernel && problem.empty()) {
    problem = "does not compile";
    for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
      if (diagnostic.severity == Severity::Error) {
        problem += ": " + diagnostic.message;
        break;
      }
  }
  std::optional<std::string> refusal;
  std::string path = scratch + "/" + std::to_string(candidate.number);
  std::string identity;
  if (kernel) {
    refusal = refuse(kernel->metadata, model);
    identity = kernel->ptx + "/" + std::to_string(candidate.grid[0]) + "x" +
               std::to_string(candidate.grid[1]) + "x" + std::to_string(candidate.grid[2]) + "/" +
               std::to_string(candidate.config.maxRegisters.value_or(0));
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (!error)
      os << encodeKernel(*kernel);
    if (error || os.has_error()) {
      problem = "cannot write '" + path + "'";
      os.clear_error();
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (kernel)
    candidate.metadata = kernel->metadata;
  if (!problem.empty()) {
    settle(candidate, Candidate::State::Failed, problem);
  } else if (refusal) {
    settle(candidate, Candidate::State::Pruned, *refusal);
  } else if (auto first = firstWithCode.try_emplace(identity, candidate.number); !first.second) {
    sameCode.emplace_back(candidate.number, first.first->second);
    settle(candidate, Candidate::State::Same,
           "the same code as " + report.candidates[first.first->second].config.describe());
  } else {
    toMeasure.push_back(candidate.number);
    changed.notify_all();
  }
}

void Tuner::compileSome() {
  Compiler compiler;
  SourceManager ownSources;
  llvm::Expected<FileId> ownFile = ownSources.loadFile(command.run.kernel.file);
  std::string problem = ownFile ? "" : llvm::toString(ownFile.takeError());
  while (true) {
    Candidate *candidate = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (toCompile.empty()) {
        --compiling;
        changed.notify_all();
        return;
      }
      candidate = &report.candidates[toCompile.front()];
      toCompile.pop_front();
      if (!problem.empty() || isTimeUp()) {
        settle(*candidate, problem.empty() ? Candidate::State::Waiting : Candidate::State::Failed,
               problem.empty() ? "time was up" : problem);
        continue;
      }
    }
    compile(compiler, ownSources, *ownFile, *candidate);
  }
}

bool Tuner::startChild(ChildProcess &child, int device, std::string &problem) {
  std::vector<std::string> words = command.words;
  if (device >= 0) {
    words.push_back("--worker-device");
    words.push_back(std::to_string(device));
  }
  if (!child.start(program, words, "--worker-socket")) {
    problem = "cannot start a process";
    return false;
  }
  std::optional<json::Object> hello = child.getChannel().receive(startMilliseconds);
  if (hello && hello->get("ready"))
    return true;
  auto text = hello ? hello->getString("error") : std::nullopt;
  std::string end = child.stop();
  problem = text ? text->str() : "the measuring process ended: " + end;
  return false;
}

void Tuner::measure(ChildProcess &child, int device, Candidate &candidate) {
  std::string problem;
  Candidate::State state = Candidate::State::Failed;
  double cost = 0;
  std::string unit;
  if (child.isRunning() || startChild(child, device, problem)) {
    json::Object request{{"config", toJson(candidate.config)},
                         {"kernel", scratch + "/" + std::to_string(candidate.number)},
                         {"milliseconds", milliseconds}};
    LineChannel &channel = child.getChannel();
    bool sent = channel.send(std::move(request));
    std::optional<json::Object> answer =
        sent ? channel.receive(int(command.timeoutSeconds * 1e3)) : std::nullopt;
    if (answer && answer->getNumber("cost")) {
      state = Candidate::State::Measured;
      cost = *answer->getNumber("cost");
    } else if (answer && answer->getString("error")) {
      problem = answer->getString("error")->str();
      if (answer->getBoolean("lost").value_or(false))
        child.stop();
    } else if (channel.isTimeUp()) {
      child.stop();
      problem = llvm::formatv("hangs: no result after {0:F1} s", command.timeoutSeconds).str();
    } else {
      std::string end = child.stop();
      problem = "ended its process: " + (end.empty() ? "no answer" : end);
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  candidate.cost = cost;
  settle(candidate, state, problem);
}

void Tuner::measureSome(size_t number) {
  ChildProcess &child = children[number];
  int device = devices[number];
  std::string problem;
  // The device is opened while the first configurations are compiled.
  bool works = startChild(child, device, problem);
  while (true) {
    Candidate *candidate = nullptr;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return !toMeasure.empty() || compiling == 0; });
      if (toMeasure.empty())
        return;
      candidate = &report.candidates[toMeasure.front()];
      toMeasure.pop_front();
      if (!works) {
        settle(*candidate, Candidate::State::Failed, problem);
        continue;
      }
      if (isTimeUp()) {
        settle(*candidate, Candidate::State::Waiting, "time was up");
        continue;
      }
    }
    measure(child, device, *candidate);
  }
}

void Tuner::searchAll() {
  size_t steps = toCompile.size() + toMeasure.size();
  progress = std::make_unique<ProgressLine>(steps, "tuning " + report.kernel);
  compiling = unsigned(std::min<size_t>(toCompile.empty() ? 0 : numJobs(), toCompile.size()));
  std::vector<std::thread> threads;
  unsigned compilers = compiling;
  for (unsigned i = 0; i < compilers; ++i)
    threads.emplace_back([this] { compileSome(); });
  size_t measurers = std::min(devices.size(), std::max<size_t>(steps, 1));
  children.resize(measurers);
  for (size_t i = 0; i < measurers; ++i)
    threads.emplace_back([this, i] { measureSome(i); });
  for (std::thread &thread : threads)
    thread.join();
  progress.reset();
  for (auto [same, first] : sameCode)
    if (report.candidates[first].state == Candidate::State::Measured)
      report.candidates[same].cost = report.candidates[first].cost;
}

/// The first measurements were short: the best few once more, longer.
void Tuner::measureFinalists() {
  if (isSimulated() || report.count(Candidate::State::Measured) < 2 || isTimeUp())
    return;
  std::vector<Candidate *> list;
  for (Candidate &candidate : report.candidates)
    if (candidate.state == Candidate::State::Measured)
      list.push_back(&candidate);
  std::sort(list.begin(), list.end(),
            [](const Candidate *a, const Candidate *b) { return a->cost < b->cost; });
  list.resize(std::min(list.size(), finalists));
  milliseconds = command.milliseconds * finalFactor;
  for (Candidate *candidate : list) {
    double before = candidate->cost;
    measure(children.front(), devices.front(), *candidate);
    // It ran before.
    if (candidate->state != Candidate::State::Measured) {
      settle(*candidate, Candidate::State::Measured, "");
      candidate->cost = before;
    }
  }
}

ExitCode Tuner::finish() {
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  ExitCode code = writeToStdout(command.run.json ? printReportAsJson(report) : printReport(report));
  if (code != ExitCode::Ok)
    return code;
  const Candidate *best = report.best();
  if (!best)
    return reportError("no configuration could be measured");
  if (command.database.empty())
    return ExitCode::Ok;
  TuningRecord record;
  record.key =
      tuningKeyOf(plan, *info, kernelSourceHash(sources, *source.tree, info->name), report.device);
  record.kernelName = info->name;
  record.config = best->config;
  record.cost = best->cost;
  record.unit = report.unit;
  record.measured = int64_t(report.count(Candidate::State::Measured));
  record.tilecVersion = TILEC_VERSION;
  if (llvm::Error error = TuningDatabase::update(command.database, record))
    return reportError(llvm::toString(std::move(error)));
  return ExitCode::Ok;
}

ExitCode Tuner::run() {
  milliseconds = command.milliseconds;
  for (ExitCode (Tuner::*step)() :
       {&Tuner::readSource, &Tuner::readDatabase, &Tuner::expand, &Tuner::openDevices})
    if (ExitCode code = (this->*step)(); code != ExitCode::Ok)
      return code;
  CompileOptions probe;
  probe.target = target;
  probe.stopAfter = lastStage;
  cache.attachTo(probe);
  sharedCache = probe.cache;
  estimateAll();
  applyBudget();
  searchAll();
  measureFinalists();
  return finish();
}

ExitCode execute(const TuneCommand &command) {
  if (command.workerSocket >= 0)
    return serveTuning(command);
  return Tuner(command).run();
}

} // namespace tilec::tool
