// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The autotuner: estimates and prunes configurations, compiles what is left in parallel, has every
// one measured, and the best few once more. Where kernels come from and how one is measured is the
// caller's.

#ifndef TILEC_TUNING_TUNER_H
#define TILEC_TUNING_TUNER_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Tuning/Pruning.h"
#include "tilec/Tuning/TuningDatabase.h"
#include "tilec/Tuning/TuningOutcome.h"

#include <functional>

namespace tilec {

/// One configuration, ready to be compiled and launched.
struct TuningVariant {
  CompileOptions options;
  std::array<uint32_t, 3> grid = {1, 1, 1};
};

/// What is tuned. Called by several threads at once.
class TuningProblem {
public:
  virtual ~TuningProblem();
  virtual llvm::Expected<FileId> loadSource(SourceManager &sources) = 0;
  /// An error says why the configuration cannot be launched.
  virtual llvm::Expected<TuningVariant> describe(const TuningConfig &config) = 0;
  /// Whether the launch has the tensor maps that were inferred for a configuration's code.
  virtual bool inferredMapsFit(const tilecrt::KernelMetadata &) { return true; }
};

struct Measurement {
  /// Nothing: see `problem`.
  std::optional<double> cost;
  std::string problem;
  /// The device cannot be used any more.
  bool isLost = false;
  /// Every timed launch, in order, in microseconds; none on the simulator.
  std::vector<double> samples;
};

/// Measures on one device, from one thread at a time.
class Measurer {
public:
  virtual ~Measurer();
  /// Called once before the others, while configurations are compiled. Says what is wrong; empty
  /// when nothing is.
  virtual std::string start() { return ""; }
  /// The timed launches together are to take `milliseconds`. The candidate has its kernel if the
  /// tuner compiles.
  virtual Measurement measure(const Candidate &candidate, double milliseconds) = 0;
};

struct TuningProgress {
  size_t done = 0, total = 0;
  /// The best so far; null without any.
  const Candidate *best = nullptr;
  /// The one that is done now.
  const Candidate *last = nullptr;
};

struct TunerOptions {
  bool prune = true;
  TuningTarget model;
  /// Values of integer arguments, for the model.
  llvm::StringMap<int64_t> argumentValues;
  /// Predict what configurations cost, in microseconds, each for one thread. Where there are any,
  /// only those are measured that are predicted to be the fastest: so many, or this part of them.
  std::vector<std::shared_ptr<Measurer>> predictors;
  size_t mostPredicted = 0;
  double predictedPart = 0;
  /// Budgets; 0: none.
  size_t mostConfigs = 0;
  double mostSeconds = 0;
  /// What the timed launches of a configuration are to take.
  double milliseconds = 20;
  /// Threads that compile; 0: one for each core.
  unsigned jobs = 0;
  /// Otherwise whoever measures compiles.
  bool compiles = true;
  /// Costs vary: the best few are measured once more, longer.
  bool measuresFinalists = true;
  /// Called by one thread at a time; false ends the search.
  std::function<bool(const TuningProgress &)> progress;
};

/// What the model knows of a GPU of this target.
TuningTarget makeTuningTarget(const std::string &target, unsigned multiprocessors);
/// Another budget; 0: none.
void limitConfigs(size_t most, TunerOptions &options);

/// "line 3: ...", the first error; empty without any.
std::string firstError(const DiagnosticEngine &diagnostics, const SourceManager &sources);
/// "does not compile: line 3: ...", likewise.
std::string refusalOf(const DiagnosticEngine &diagnostics, const SourceManager &sources);

/// What a database keeps of a search that found something.
TuningRecord recordOf(const TuningOutcome &outcome, const TuningKey &key);

/// Tries the configurations. `outcome` has its device and unit, and gets the rest. The best one is
/// outcome.best().
void tune(TuningProblem &problem, std::vector<TuningConfig> configs,
          const std::vector<std::unique_ptr<Measurer>> &measurers, const TunerOptions &options,
          TuningOutcome &outcome);

} // namespace tilec

#endif // TILEC_TUNING_TUNER_H
