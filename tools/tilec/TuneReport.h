// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the autotuner did: the measured configurations, best first, then those that failed or were
// left out, each with its reason; and the line of progress while it works.

#ifndef TILEC_TOOLS_TILEC_TUNEREPORT_H
#define TILEC_TOOLS_TILEC_TUNEREPORT_H

#include "Options.h"

#include "tilec/Tuning/TuningDatabase.h"
#include "tilecrt/KernelMetadata.h"

#include <array>
#include <chrono>
#include <mutex>

namespace tilec::tool {

/// One configuration on its way.
struct Candidate {
  enum class State {
    /// Not looked at: a budget was used up.
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
  tilecrt::KernelMetadata metadata;
  double cost = 0;
};

struct TuneReport {
  const TuneCommand &command;
  std::string kernel, device, unit;
  TuningKey key;
  std::vector<Candidate> candidates;
  double seconds = 0;

  /// Of the measured ones the least cost; null without any.
  const Candidate *best() const;
  size_t count(Candidate::State state) const;
};

std::string printReport(const TuneReport &report);
std::string printReportAsJson(const TuneReport &report);

/// "12/24, best 81.20 us" with a bar, on a terminal; otherwise nothing.
class ProgressLine {
public:
  ProgressLine(size_t allSteps, std::string what);
  ~ProgressLine();
  /// One more is done; `best` describes the best so far.
  void step(const std::string &best);

private:
  std::mutex mutex;
  size_t total, done = 0;
  std::string title;
  bool shown;
  std::chrono::steady_clock::time_point start;
};

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_TUNEREPORT_H
