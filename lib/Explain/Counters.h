// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what the simulator has counted at its sites to lines of the source, calls, and the work of
// the launch.

#ifndef TILEC_LIB_EXPLAIN_COUNTERS_H
#define TILEC_LIB_EXPLAIN_COUNTERS_H

#include "KernelFacts.h"
#include "LineTable.h"
#include "LoadRounds.h"

#include "tilec/Explain/TimeModel.h"

namespace tilec::explain {

/// A launch on the simulator.
struct CountedLaunch {
  const std::vector<tilecrt::sim::Site> *sites = nullptr;
  const tilecrt::sim::LaunchResult *result = nullptr;
  std::string kernel;
  /// What the counts are multiplied by: the launch over what was simulated.
  double scale = 1;
  double ctas = 1;
  int threadsPerCta = 32;
  /// Of the GPU.
  double multiprocessors = 1;
};

/// Fills in `calls`, `totals`, the footprint, and the counts of the lines.
void collectCounters(const CountedLaunch &launch, LineTable &lines, Report &report);

/// Fills in what the sites say of the work: counters, footprint, atomics, rounds of loads.
void collectWork(const CountedLaunch &launch, const Report &report, LaunchWork &work);

/// How often a thread of the launch runs the code of each line that has code: the most of the
/// blocks that it is in, all threads together.
std::map<std::pair<std::string, int>, double> collectRuns(const CountedLaunch &launch);

/// The loads of global memory of each line but asynchronous copies.
std::map<std::pair<std::string, int>, LineLoads> collectLoads(const CountedLaunch &launch);

/// Gives the tensors of the report, which stand at these places, requests that were simulated.
void collectRequests(const CountedLaunch &launch, const std::vector<SourcePlaces> &places,
                     Report &report);

/// Gives lines and calls their shares, once the time is known.
void shareTime(Report &report);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_COUNTERS_H
