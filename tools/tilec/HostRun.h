// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a kernel on the simulator or the interpreter. Arrays lie far apart, so that an access
// past the end of one does not meet the next.

#ifndef TILEC_TOOLS_TILEC_HOSTRUN_H
#define TILEC_TOOLS_TILEC_HOSTRUN_H

#include "RunOutcome.h"

#include "tilec/Run/RunDevice.h"

namespace tilec::tool {

/// The simulator as the command wants it.
std::shared_ptr<RunDevice> makeSimulator(const RunCommand &command);

/// Runs the kernel on copies of the plan's arrays; those of the last launch become the plan's
/// arrays.
tilecrt::Result<RunOutcome> runOnSimulator(const CompiledKernel &kernel, RunPlan &plan,
                                           const RunCommand &command);

/// The same once. What is wrong with the kernel goes to `diagnostics`; the result means nothing
/// then.
tilecrt::Result<RunOutcome> runOnInterpreter(Compiler &compiler, SourceManager &sources,
                                             const CompiledKernel &kernel, RunPlan &plan,
                                             DiagnosticEngine &diagnostics);

/// Launches as often as is said, each time on fresh data; the first launch, which fills in
/// `simulation`, is what the outcome is about.
tilecrt::Result<RunOutcome> runOnHost(RunDevice &device, unsigned repeats, Simulation &simulation,
                                      llvm::function_ref<tilecrt::Status()> fill,
                                      llvm::function_ref<LaunchOutcome()> launch);

/// Error when the grid has more programs than a host runs in a day.
tilecrt::Status checkHostGrid(const std::array<uint32_t, 3> &grid, const std::string &device);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_HOSTRUN_H
