// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a saved launch again on the simulator.

#ifndef TILEC_TOOLS_TILEC_REPLAYRUN_H
#define TILEC_TOOLS_TILEC_REPLAYRUN_H

#include "RunOutcome.h"

#include "tilec/Driver/SavedLaunch.h"

namespace tilec::tool {

/// What is replayed, where it ran and how it ended, in one line.
std::string describeSaved(const SavedLaunch &saved);

/// A plan with the launch's grid and, of the arguments that the command saves, prints or compares,
/// an array each: from where the pointer points to the end of its buffer. Filled by the replay.
tilecrt::Status planReplay(const SavedLaunch &saved, const RunCommand &command, RunPlan &plan);

/// The options of the saved kernel, for the simulator with the code of the same processor.
void applySaved(const SavedLaunch &saved, CompileOptions &options);

/// Runs the kernel on the saved memory.
tilecrt::Result<RunOutcome> replayOnSimulator(const SavedLaunch &saved,
                                              const CompiledKernel &kernel, RunPlan &plan,
                                              const RunCommand &command);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_REPLAYRUN_H
