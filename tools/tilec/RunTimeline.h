// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timeline of a run: the buffer that the kernel fills, and the files that it becomes.

#ifndef TILEC_TOOLS_TILEC_RUNTIMELINE_H
#define TILEC_TOOLS_TILEC_RUNTIMELINE_H

#include "ExitCode.h"
#include "RunOutcome.h"

namespace tilec::tool {

/// Gives the plan an array for the marks of a kernel that was compiled with a timeline. An error
/// where the grid has none of its CTAs.
tilecrt::Status addTimelineArray(const tilecrt::KernelMetadata &kernel, RunPlan &plan);

/// Writes the files that the command asks for, and notes in the outcome what there is in them.
ExitCode writeTimelines(const RunCommand &command, const RunPlan &plan,
                        const tilecrt::KernelMetadata &kernel, RunOutcome &outcome);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_RUNTIMELINE_H
