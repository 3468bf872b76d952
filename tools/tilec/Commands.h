// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands. Each prints what it has to say and returns the exit code.

#ifndef TILEC_TOOLS_TILEC_COMMANDS_H
#define TILEC_TOOLS_TILEC_COMMANDS_H

#include "ExitCode.h"
#include "Options.h"

namespace tilec::tool {

/// Parses the command line and runs the command.
ExitCode runTool(const std::vector<std::string> &arguments);

ExitCode execute(const CompileCommand &command);
ExitCode execute(const RunCommand &command);
ExitCode execute(const BenchCommand &command);
ExitCode execute(const KernelsCommand &command);
ExitCode execute(const DoctorCommand &command);
ExitCode execute(const LayoutCommand &command);
ExitCode execute(const CacheCommand &command);
ExitCode execute(const CheckCommand &command);
ExitCode execute(const TuneCommand &command);
ExitCode execute(const TuneWorkerCommand &command);
ExitCode execute(const TunedCommand &command);
ExitCode execute(const BuildCommand &command);
ExitCode execute(const ExplainCommand &command);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_COMMANDS_H
