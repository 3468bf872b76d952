// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run prints on standard output: for people, or as JSON.

#ifndef TILEC_TOOLS_TILEC_RUNREPORT_H
#define TILEC_TOOLS_TILEC_RUNREPORT_H

#include "RunOutcome.h"

namespace tilec::tool {

/// Everything that a report may speak about. Not owned.
struct RunReport {
  const RunCommand &command;
  const RunPlan &plan;
  const tilecrt::KernelMetadata &metadata;
  const RunOutcome &outcome;
  const std::vector<ExpectationResult> &expectations;
  const SourceManager &sources;
};

/// Whether the checks found something or an expectation failed.
bool isFailure(const RunReport &report);

std::string printReport(const RunReport &report);
std::string printReportAsJson(const RunReport &report);

/// "y: f32[4] = [0, 1, 2, 3]"; long axes are cut in the middle.
std::string printArray(const RunArray &array);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_RUNREPORT_H
