// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run was and did, whatever it ran on; the report is made from it.

#ifndef TILEC_TOOLS_TILEC_RUNOUTCOME_H
#define TILEC_TOOLS_TILEC_RUNOUTCOME_H

#include "RunArguments.h"

#include "tilecrt/KernelMetadata.h"
#include "tilecrt/Timeline.h"
#include "tilecrt/data/Compare.h"
#include "tilecrt/sim/Simulator.h"

namespace tilec::tool {

/// Microseconds of repeated launches: of the kernel on a GPU, of the whole simulation or
/// interpretation otherwise.
struct RunTime {
  double median = 0;
  double min = 0;
  double mean = 0;
  unsigned repeats = 0;
};

struct RunOutcome {
  /// "NVIDIA H200 (cuda:0)", "simulator" or "interpreter".
  std::string device;
  bool simulated = false;
  /// By the interpreter of the tile dialect.
  bool interpreted = false;
  bool checked = false;
  RunTime time;
  /// Of the first launch; of the interpreter only what was printed.
  tilecrt::sim::LaunchResult launch;
  std::vector<tilecrt::sim::Site> sites;
  /// Where a launch that failed was saved, or why it was not; empty when it was not asked for.
  std::string saved;
  /// What the files of the timeline have.
  std::optional<tilecrt::timeline::Summary> timeline;
};

/// The result of one --expect.
struct ExpectationResult {
  std::string name;
  tilecrt::Comparison comparison;
};

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_RUNOUTCOME_H
