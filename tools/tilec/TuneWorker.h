// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child of the autotuner: measures one configuration after the other, on requests of its
// parent. What a configuration does to the process (a fault, an endless loop, a lost device) ends
// this process only.
//
// Requests and answers are those of RemoteMeasurer, without a setup.

#ifndef TILEC_TOOLS_TILEC_TUNEWORKER_H
#define TILEC_TOOLS_TILEC_TUNEWORKER_H

#include "ExitCode.h"
#include "Options.h"

namespace tilec::tool {

/// Serves the socket until the parent closes it.
ExitCode serveTuning(const TuneCommand &command);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_TUNEWORKER_H
