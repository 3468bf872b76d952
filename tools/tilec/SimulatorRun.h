// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a kernel that was compiled for the host on the simulator.

#ifndef TILEC_TOOLS_TILEC_SIMULATORRUN_H
#define TILEC_TOOLS_TILEC_SIMULATORRUN_H

#include "RunOutcome.h"

namespace tilec::tool {

/// Median, least and mean of at least one time.
RunTime summarizeTimes(std::vector<double> microseconds);

/// Runs the kernel on copies of the plan's arrays that lie far apart, so that an access past the
/// end of one does not meet the next; the copies of the last launch become the plan's arrays.
tilecrt::Result<RunOutcome> runOnSimulator(const CompiledKernel &kernel, RunPlan &plan,
                                           const RunCommand &command);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_SIMULATORRUN_H
