// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a kernel that was compiled for the interpreter of the tile dialect.

#ifndef TILEC_TOOLS_TILEC_INTERPRETERRUN_H
#define TILEC_TOOLS_TILEC_INTERPRETERRUN_H

#include "RunOutcome.h"

namespace tilec::tool {

/// Runs the kernel once on copies of the plan's arrays, which become the plan's arrays. What is
/// wrong with the kernel goes to `diagnostics`; the result means nothing then.
tilecrt::Result<RunOutcome> runOnInterpreter(Compiler &compiler, SourceManager &sources,
                                             const CompiledKernel &kernel, RunPlan &plan,
                                             const RunCommand &command,
                                             DiagnosticEngine &diagnostics);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_INTERPRETERRUN_H
