// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Tuner.h. Threads compile the configurations in the order of their bounds, so that a budget is
// spent on the likely ones; one thread for each device measures. The two meet in one list of
// candidates under one mutex.

#include "tilec/Tuning/Tuner.h"

#include "tilec/Support/Processor.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <system_error>
#include <thread>

using State = tilec::Candidate::State;

namespace tilec {

TuningProblem::~TuningProblem() = default;
Measurer::~Measurer() = default;

std::string firstError(const DiagnosticEngine &diagnostics, const SourceManager &sources) {
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
    if (diagnostic.severity != Severity::Error)
      continue;
    std::string place;
    if (diagnostic.range.isValid())
      place = "line " + std::to_string(sources.getLineColumn(diagnostic.range).line) + ": ";
    return place + diagnostic.message;
  }
  return "";
}

std::string refusalOf(const DiagnosticEngine &diagnostics, const SourceManager &sources) {
  std::string error = firstError(diagnostics, sources);
  return "does not compile" + (error.empty() ? "" : ": " + error);
}

TuningTarget makeTuningTarget(const std::string &target, unsigned multiprocessors) {
  TuningTarget made;
  if (llvm::Expected<CompileTarget> known = findTarget(target))
    made.processor = known->processor;
  else
    llvm::consumeError(known.takeError());
  made.multiprocessors = int(std::max(1u, multiprocessors));
  return made;
}

void limitConfigs(size_t most, TunerOptions &options) {
  if (most != 0 && (options.mostConfigs == 0 || most < options.mostConfigs))
    options.mostConfigs = most;
}

TuningRecord recordOf(const TuningOutcome &outcome, const TuningKey &key) {
  const Candidate &best = *outcome.best();
  TuningRecord record;
  record.key = key;
  record.kernelName = outcome.kernel;
  record.config = best.config;
  record.cost = best.cost;
  record.unit = outcome.unit;
  record.measured = int64_t(outcome.count(Candidate::State::Measured));
  record.tilecVersion = TILEC_VERSION;
  return record;
}

namespace {

/// The best ones are measured once more, this many and this much longer.
constexpr size_t finalists = 3;
constexpr double finalFactor = 3;

using Clock = std::chrono::steady_clock;

class Search {
public:
  Search(TuningProblem &tuned, const std::vector<std::unique_ptr<Measurer>> &devices,
         const TunerOptions &tunerOptions, TuningOutcome &result)
      : problem(tuned), measurers(devices), options(tunerOptions), outcome(result) {}

  void run(std::vector<TuningConfig> configs);

private:
  void estimateAll();
  void estimateSome(size_t first);
  void estimate(Compiler &compiler, SourceManager &sources, FileId file, Candidate &candidate);
  void predictAll();
  void predictSome(size_t number);
  void applyBudget();
  void compileSome(size_t number);
  void compile(Compiler &compiler, SourceManager &sources, FileId file, Candidate &candidate);
  void measureSome(size_t device);
  /// False when the device is lost and others do the rest.
  bool measure(size_t device, Candidate &candidate, double milliseconds);
  void lose(size_t device, std::string why);
  void searchAll();
  void inThread(std::vector<std::thread> &threads, void (Search::*work)(size_t), size_t number);
  void measureFinalists();

  bool isTimeUp() const {
    return stopped ||
           (options.mostSeconds > 0 &&
            std::chrono::duration<double>(Clock::now() - begin).count() > options.mostSeconds);
  }
  unsigned numJobs() const {
    return options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  }
  const char *whyNotTried() const { return stopped ? "the search was stopped" : "time was up"; }
  /// Ends a candidate; called with the mutex held.
  void settle(Candidate &candidate, State state, std::string reason);

  TuningProblem &problem;
  const std::vector<std::unique_ptr<Measurer>> &measurers;
  const TunerOptions &options;
  TuningOutcome &outcome;
  Clock::time_point begin = Clock::now();

  std::mutex mutex;
  std::condition_variable changed;
  /// Candidates to predict; those to compile, in order; those to measure; how many threads may
  /// still add some.
  std::deque<size_t> toPredict, toCompile, toMeasure;
  unsigned compiling = 0;
  size_t estimators = 1;
  /// Which devices can measure.
  std::vector<bool> isWorking;
  size_t steps = 0, done = 0;
  std::atomic<bool> stopped{false};
  /// Code and grid to the candidate that has them, for those that come out the same.
  std::map<std::string, size_t> firstWithCode;
  std::vector<std::pair<size_t, size_t>> sameCode;
};

} // namespace

void Search::settle(Candidate &candidate, State state, std::string reason) {
  candidate.state = state;
  candidate.reason = std::move(reason);
  if (steps == 0)
    return;
  done = std::min(done + 1, steps);
  if (options.progress && !stopped && !options.progress({done, steps, outcome.best(), &candidate}))
    stopped = true;
}

//===--------------------------------------------------------------------===//
// Before anything is compiled
//===--------------------------------------------------------------------===//

void Search::estimate(Compiler &compiler, SourceManager &sources, FileId file,
                      Candidate &candidate) {
  std::optional<std::string> refusal;
  State state = State::Pruned;
  llvm::Expected<TuningVariant> variant = problem.describe(candidate.config);
  if (!variant) {
    refusal = llvm::toString(variant.takeError());
    state = State::Failed;
  } else if (std::optional<std::string> clusters =
                 clusterProblem(candidate.config.numCtas, candidate.config.splitK)) {
    refusal = std::move(clusters);
  } else {
    candidate.grid = variant->grid;
    DiagnosticEngine diagnostics;
    std::optional<KernelEstimate> estimate =
        compiler.estimate(sources, file, variant->options, options.argumentValues, diagnostics);
    if (!estimate) {
      state = State::Failed;
      refusal = refusalOf(diagnostics, sources);
    } else if (options.prune) {
      refusal = refuse(*estimate, options.model);
      candidate.bound = rooflineMicroseconds(*estimate, candidate.grid, options.model,
                                             uint32_t(variant->options.splitK.value_or(1)));
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (refusal)
    settle(candidate, state, *refusal);
}

void Search::estimateSome(size_t first) {
  Compiler compiler;
  SourceManager sources;
  llvm::Expected<FileId> file = problem.loadSource(sources);
  std::string unreadable = file ? "" : llvm::toString(file.takeError());
  for (size_t i = first; i < outcome.candidates.size() && !isTimeUp(); i += estimators) {
    if (unreadable.empty()) {
      estimate(compiler, sources, *file, outcome.candidates[i]);
      continue;
    }
    std::lock_guard<std::mutex> lock(mutex);
    settle(outcome.candidates[i], State::Failed, unreadable);
  }
}

/// What is known without compiling, in parallel; then the roofline, which compares.
void Search::estimateAll() {
  estimators = std::min<size_t>(numJobs(), outcome.candidates.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < estimators; ++i)
    inThread(threads, &Search::estimateSome, i);
  for (std::thread &thread : threads)
    thread.join();
  double least = 0;
  for (const Candidate &candidate : outcome.candidates)
    if (candidate.state == State::Waiting && candidate.bound &&
        (least == 0 || *candidate.bound < least))
      least = *candidate.bound;
  for (Candidate &candidate : outcome.candidates)
    if (candidate.state == State::Waiting && candidate.bound &&
        *candidate.bound > rooflineSlack * std::max(least, launchMicroseconds))
      settle(candidate, State::Pruned,
             llvm::formatv(
                 "roofline: it takes at least {0:F1} us, another configuration may take {1:F1} us",
                 *candidate.bound, least)
                 .str());
}

void Search::predictSome(size_t number) {
  Measurer &predictor = *options.predictors[number];
  // What is wrong with a configuration is found where it is compiled or measured.
  for (bool works = predictor.start().empty(); works && !isTimeUp();) {
    Candidate *candidate = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (toPredict.empty())
        return;
      candidate = &outcome.candidates[toPredict.front()];
      toPredict.pop_front();
    }
    candidate->predicted = predictor.measure(*candidate, /*milliseconds=*/0).cost;
  }
}

/// Leaves out what is predicted to be slow.
void Search::predictAll() {
  for (const Candidate &candidate : outcome.candidates)
    if (candidate.state == State::Waiting)
      toPredict.push_back(candidate.number);
  std::vector<std::thread> threads;
  for (size_t i = 0, count = toPredict.size(); i < std::min(options.predictors.size(), count); ++i)
    inThread(threads, &Search::predictSome, i);
  for (std::thread &thread : threads)
    thread.join();
  std::vector<Candidate *> order;
  for (Candidate &candidate : outcome.candidates)
    if (candidate.state == State::Waiting && candidate.predicted)
      order.push_back(&candidate);
  llvm::sort(order, [](const Candidate *a, const Candidate *b) {
    return std::pair(*a->predicted, a->number) < std::pair(*b->predicted, b->number);
  });
  if (options.predictors.empty())
    return;
  size_t kept = options.mostPredicted
                    ? options.mostPredicted
                    : size_t(std::ceil(options.predictedPart * double(order.size())));
  for (size_t i = std::max<size_t>(kept, 1); i < order.size(); ++i)
    settle(*order[i], State::Pruned,
           llvm::formatv("predicted to take {0:F1} us, the fastest {1:F1} us", *order[i]->predicted,
                         *order.front()->predicted)
               .str());
}

/// The order of the search: by prediction or by bound where all have one, else as given.
void Search::applyBudget() {
  std::vector<size_t> order;
  bool isPredicted = true, isBounded = true;
  for (const Candidate &candidate : outcome.candidates)
    if (candidate.state == State::Waiting) {
      order.push_back(candidate.number);
      isPredicted &= candidate.predicted.has_value();
      isBounded &= candidate.bound.has_value();
    }
  auto sortBy = [&](std::optional<double> Candidate::*known) {
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::pair(*(outcome.candidates[a].*known), a) <
             std::pair(*(outcome.candidates[b].*known), b);
    });
  };
  if (isPredicted)
    sortBy(&Candidate::predicted);
  else if (isBounded)
    sortBy(&Candidate::bound);
  for (size_t i = 0; i < order.size(); ++i) {
    if (options.mostConfigs != 0 && i >= options.mostConfigs)
      settle(outcome.candidates[order[i]], State::Waiting,
             "the budget is " + std::to_string(options.mostConfigs) + " configurations");
    else
      (options.compiles ? toCompile : toMeasure).push_back(order[i]);
  }
}

//===--------------------------------------------------------------------===//
// Compiling
//===--------------------------------------------------------------------===//

void Search::compile(Compiler &compiler, SourceManager &sources, FileId file,
                     Candidate &candidate) {
  llvm::Expected<TuningVariant> variant = problem.describe(candidate.config);
  DiagnosticEngine diagnostics;
  std::shared_ptr<CompiledKernel> kernel;
  std::string refusal;
  if (!variant)
    refusal = llvm::toString(variant.takeError());
  else if (!(kernel = compiler.compileFitting(
                 sources, file, variant->options, variant->grid,
                 [&](const auto &metadata) { return problem.inferredMapsFit(metadata); },
                 diagnostics)))
    refusal = refusalOf(diagnostics, sources);
  std::lock_guard<std::mutex> lock(mutex);
  if (!kernel) {
    settle(candidate, State::Failed, refusal);
    return;
  }
  candidate.metadata = kernel->metadata;
  candidate.kernel = kernel;
  if (options.prune || !kernel->host) {
    if (std::optional<std::string> tooLarge = refuse(kernel->metadata, options.model)) {
      settle(candidate, State::Pruned, *tooLarge);
      return;
    }
  }
  // Code for the host has no text to compare.
  if (!kernel->ptx.empty()) {
    std::string identity =
        llvm::formatv("{0}/{1}x{2}x{3}/{4}", kernel->ptx, candidate.grid[0], candidate.grid[1],
                      candidate.grid[2], candidate.config.maxRegisters.value_or(0))
            .str();
    auto [first, isNew] = firstWithCode.try_emplace(std::move(identity), candidate.number);
    if (!isNew) {
      sameCode.emplace_back(candidate.number, first->second);
      settle(candidate, State::Same,
             "the same code as " + outcome.candidates[first->second].config.describe());
      return;
    }
  }
  toMeasure.push_back(candidate.number);
  changed.notify_all();
}

void Search::compileSome(size_t) {
  Compiler compiler;
  SourceManager sources;
  llvm::Expected<FileId> file = problem.loadSource(sources);
  std::string unreadable = file ? "" : llvm::toString(file.takeError());
  while (true) {
    Candidate *candidate = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (toCompile.empty()) {
        --compiling;
        changed.notify_all();
        return;
      }
      candidate = &outcome.candidates[toCompile.front()];
      toCompile.pop_front();
      if (!unreadable.empty() || !outcome.lost.empty() || isTimeUp()) {
        bool failed = !unreadable.empty();
        settle(*candidate, failed ? State::Failed : State::Waiting,
               failed                 ? unreadable
               : outcome.lost.empty() ? whyNotTried()
                                      : "the device was lost");
        continue;
      }
    }
    compile(compiler, sources, *file, *candidate);
  }
}

//===--------------------------------------------------------------------===//
// Measuring
//===--------------------------------------------------------------------===//

/// Called with the mutex held. The last device says why nothing more can be measured.
void Search::lose(size_t device, std::string why) {
  isWorking[device] = false;
  if (!llvm::is_contained(isWorking, true))
    outcome.lost = std::move(why);
}

bool Search::measure(size_t device, Candidate &candidate, double milliseconds) {
  Measurement measured = measurers[device]->measure(candidate, milliseconds);
  std::lock_guard<std::mutex> lock(mutex);
  candidate.cost = measured.cost.value_or(0);
  candidate.samples = std::move(measured.samples);
  settle(candidate, measured.cost ? State::Measured : State::Failed, measured.problem);
  if (measured.isLost)
    lose(device, "the configuration " + candidate.config.describe() +
                     " has made the device unusable: " + measured.problem);
  return !measured.isLost || !outcome.lost.empty();
}

void Search::measureSome(size_t device) {
  // The device is opened while the first configurations are compiled.
  if (std::string why = measurers[device]->start(); !why.empty()) {
    std::lock_guard<std::mutex> lock(mutex);
    lose(device, std::move(why));
    if (outcome.lost.empty())
      return;
  }
  while (true) {
    Candidate *candidate = nullptr;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return !toMeasure.empty() || compiling == 0; });
      if (toMeasure.empty())
        return;
      candidate = &outcome.candidates[toMeasure.front()];
      toMeasure.pop_front();
      if (!outcome.lost.empty() || isTimeUp()) {
        settle(*candidate, State::Waiting,
               outcome.lost.empty() ? whyNotTried() : "the device was lost");
        continue;
      }
    }
    if (!measure(device, *candidate, options.milliseconds))
      return;
  }
}

void Search::inThread(std::vector<std::thread> &threads, void (Search::*work)(size_t),
                      size_t number) {
  auto body = [this, work, number] {
    try {
      (this->*work)(number);
    } catch (const std::bad_alloc &) {
      std::lock_guard<std::mutex> lock(mutex);
      outcome.lost = "there is no memory left on the host";
      stopped = true;
      compiling -= work == &Search::compileSome;
      changed.notify_all();
    }
  };
  try {
    threads.emplace_back(body);
  } catch (const std::system_error &) {
    // As many threads as there can be; one after the other, if there cannot be any.
    body();
  }
}

void Search::searchAll() {
  steps = toCompile.size() + toMeasure.size();
  compiling = unsigned(std::min<size_t>(toCompile.empty() ? 0 : numJobs(), toCompile.size()));
  isWorking.assign(std::min(measurers.size(), std::max<size_t>(steps, 1)), true);
  if (steps == 0)
    return;
  std::vector<std::thread> threads;
  for (unsigned i = 0, count = compiling; i < count; ++i)
    inThread(threads, &Search::compileSome, i);
  for (size_t i = 1; i < measurers.size() && i < steps; ++i)
    inThread(threads, &Search::measureSome, i);
  // The first device belongs to the calling thread.
  measureSome(0);
  for (std::thread &thread : threads)
    thread.join();
  steps = 0;
  for (auto [same, first] : sameCode)
    if (outcome.candidates[first].state == State::Measured)
      outcome.candidates[same].cost = outcome.candidates[first].cost;
  for (Candidate &candidate : outcome.candidates)
    if (candidate.state == State::Waiting && candidate.reason.empty())
      candidate.reason = whyNotTried();
}

/// The first measurements were short: the best few once more, longer.
void Search::measureFinalists() {
  if (!options.measuresFinalists || outcome.count(State::Measured) < 2 || !outcome.lost.empty() ||
      isTimeUp())
    return;
  std::vector<Candidate *> list;
  for (Candidate &candidate : outcome.candidates)
    if (candidate.state == State::Measured)
      list.push_back(&candidate);
  size_t device = size_t(llvm::find(isWorking, true) - isWorking.begin());
  llvm::sort(list, [](const Candidate *a, const Candidate *b) {
    return a->cost != b->cost ? a->cost < b->cost : a->number < b->number;
  });
  list.resize(std::min(list.size(), finalists));
  for (Candidate *candidate : list) {
    double before = candidate->cost;
    std::vector<double> samplesBefore = candidate->samples;
    bool works = measure(device, *candidate, options.milliseconds * finalFactor);
    // It ran before.
    if (candidate->state != State::Measured) {
      settle(*candidate, State::Measured, "");
      candidate->cost = before;
      candidate->samples = std::move(samplesBefore);
    }
    if (!works)
      return;
  }
}

void Search::run(std::vector<TuningConfig> configs) {
  for (TuningConfig &config : configs) {
    Candidate &candidate = outcome.candidates.emplace_back();
    candidate.number = outcome.candidates.size() - 1;
    candidate.config = std::move(config);
    candidate.predicted = candidate.config.predicted;
  }
  estimateAll();
  predictAll();
  applyBudget();
  searchAll();
  measureFinalists();
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
}

void tune(TuningProblem &problem, std::vector<TuningConfig> configs,
          const std::vector<std::unique_ptr<Measurer>> &measurers, const TunerOptions &options,
          TuningOutcome &outcome) {
  Search(problem, measurers, options, outcome).run(std::move(configs));
}

} // namespace tilec
