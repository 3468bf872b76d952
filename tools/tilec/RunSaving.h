// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saving the launch of a run that fails, as docs/debugging.md describes.

#ifndef TILEC_TOOLS_TILEC_RUNSAVING_H
#define TILEC_TOOLS_TILEC_RUNSAVING_H

#include "RunArguments.h"

#include "tilec/Driver/LaunchSaver.h"

namespace tilec::tool {

/// A launch of `kernel` with the plan's arrays at `addresses` and arguments of these values, saved
/// before it is made. Nothing when the command does not ask for it.
tilecrt::Result<std::optional<LaunchSaver::Ticket>>
saveRun(const RunCommand &command, const CompiledKernel &kernel, const RunPlan &plan,
        const std::vector<uint64_t> &addresses, const std::vector<std::vector<char>> &values,
        const std::string &device);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_RUNSAVING_H
