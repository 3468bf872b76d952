// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the autotuner did: the measured configurations, best first, then those that failed or were
// left out, each with its reason.

#ifndef TILEC_TUNING_TUNINGOUTCOME_H
#define TILEC_TUNING_TUNINGOUTCOME_H

#include "tilec/Tuning/TuningConfig.h"
#include "tilecrt/KernelMetadata.h"

#include <array>
#include <memory>

namespace tilec {

struct CompiledKernel;

/// One configuration on its way.
struct Candidate {
  enum class State {
    /// Not looked at: a budget was used up, or the device was lost before.
    Waiting,
    /// Left out before it was compiled, or before it was measured.
    Pruned,
    Failed,
    /// Compiled to the code of another one, whose cost it has.
    Same,
    Measured
  };

  size_t number = 0;
  TuningConfig config;
  State state = State::Waiting;
  /// Why it was not measured.
  std::string reason;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// The roofline's bound in microseconds, if there is one.
  std::optional<double> bound;
  /// The predicted time in microseconds, where the search predicts.
  std::optional<double> predicted;
  tilecrt::KernelMetadata metadata;
  double cost = 0;
  /// The timed launches that the cost is the median of, in order; none on the simulator.
  std::vector<double> samples;
  /// Where the tuner compiles.
  std::shared_ptr<const CompiledKernel> kernel;
};

/// "measured", "same", "pruned", "failed", "waiting".
const char *stateName(Candidate::State state);

struct TuningOutcome {
  std::string kernel, device;
  /// Of the costs: "us", or "cost" on the simulator.
  std::string unit = "us";
  /// The GPU that times are predicted for; empty: they are not.
  std::string predictedFor;
  std::vector<Candidate> candidates;
  double seconds = 0;
  /// Why nothing can be measured any more on the caller's devices; empty when all is well.
  std::string lost;

  /// Of the measured ones the least cost; null without any.
  const Candidate *best() const;
  size_t count(Candidate::State state) const;
  /// The measured ones by cost, then the others in their order.
  std::vector<const Candidate *> sorted() const;
};

/// "81.20 us", "1234 cost".
std::string costText(double cost, const std::string &unit);

std::string printOutcome(const TuningOutcome &outcome);
std::string printOutcomeAsJson(const TuningOutcome &outcome);

/// The best configuration of a file that printOutcomeAsJson wrote; nothing when the file is
/// something else. An error says why there is none for the kernel.
llvm::Expected<std::optional<TuningConfig>> readBestConfig(const std::string &path,
                                                           llvm::StringRef kernel);

} // namespace tilec

#endif // TILEC_TUNING_TUNINGOUTCOME_H
