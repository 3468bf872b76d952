// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a report together: a kernel that was compiled for a GPU with its stages kept, and a launch
// of the same kernel on the simulator with counters.

#ifndef TILEC_EXPLAIN_EXPLAIN_H
#define TILEC_EXPLAIN_EXPLAIN_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Explain/GpuRun.h"
#include "tilec/Explain/Report.h"

namespace tilec::explain {

/// What a report is about. Nothing of it is owned.
struct Subject {
  const SourceManager *sources = nullptr;
  FileId file = 0;
  /// Compiled as forReport() says, and what was said of it.
  const CompiledKernel *kernel = nullptr;
  const DiagnosticEngine *messages = nullptr;
  /// The same kernel for the simulator, and a launch of it with counters.
  const CompiledKernel *simulated = nullptr;
  const tilecrt::sim::LaunchResult *run = nullptr;
  /// Programs of the launch, and of those that were simulated where these are fewer.
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::optional<uint64_t> simulatedPrograms;
  std::vector<Argument> arguments;
  /// The GPU that times are for; null: the usual one of the kernel's processor.
  const GpuLimits *gpu = nullptr;
  ToolSearch tools;
  /// Of launches on a GPU, when there were any.
  const GpuRun *gpuRun = nullptr;
  /// What warps did, and the places of its events, file and line.
  std::optional<Timeline> timeline;
  std::vector<std::pair<std::string, int>> timelinePlaces;
};

/// The options with what a report needs of a compilation: all its stages, and remarks.
CompileOptions forReport(CompileOptions options);

/// The same for predictTime() alone.
CompileOptions forPrediction(CompileOptions options);

/// Always gives a report; what could not be found out is not in it.
Report explain(const Subject &subject);

/// The time that the report has.
Time predictTime(const Subject &subject);

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_EXPLAIN_H
