// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the autotuner, 'run --tuned' and 'bench --tuned' share: how a configuration is put into a
// command, and how a database is asked.

#ifndef TILEC_TOOLS_TILEC_TUNEDCONFIG_H
#define TILEC_TOOLS_TILEC_TUNEDCONFIG_H

#include "ExitCode.h"
#include "RunArguments.h"

#include "tilec/Tuning/SearchSpace.h"

namespace tilec::tool {

/// The autotuner's run without a configuration: a list of one value for a parameter that is not a
/// constexpr is a constant of every run.
RunCommand baseOf(const TuneCommand &command, const KernelInfo &kernel);

/// The command with a configuration's constants and launch options where it does not have its own.
RunCommand withConfig(RunCommand command, const TuningConfig &config, const KernelInfo &kernel);

/// What is known of the launch of a plan.
LaunchFacts launchFactsOf(const RunPlan &plan);

/// What a launch of this plan is filed under.
TuningKey tuningKeyOf(const RunPlan &plan, const KernelInfo &kernel, const std::string &kernelHash,
                      const std::string &device);

/// Puts the configuration that the command's database has for this launch into the command, or the
/// best one of what 'tilec tune --json' has printed. Says so when a database has none, and leaves
/// the command as it is.
ExitCode applyDatabase(const SourceManager &sources, const ParsedSource &source,
                       const KernelInfo &kernel, const RunPlan &plan, const std::string &device,
                       RunCommand &command);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_TUNEDCONFIG_H
