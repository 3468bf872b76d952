// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child of the autotuner: measures one configuration after the other, on requests of its
// parent. What a configuration does to the process (a fault, an endless loop, a lost device) ends
// this process only.
//
// Requests and answers are lines of JSON on a socket:
//   {"config": {...}, "kernel": "FILE"}            FILE: an encoded CacheEntry; "" on the
//   simulator,
//                                                  where the child compiles
//   {"cost": 12.5, "unit": "us", "metadata": ...}  or  {"error": "...", "lost": false}
// The first line of the child is {"ready": true} or an error.

#ifndef TILEC_TOOLS_TILEC_TUNEWORKER_H
#define TILEC_TOOLS_TILEC_TUNEWORKER_H

#include "ExitCode.h"
#include "Options.h"

#include "tilec/Cache/Container.h"
#include "tilecrt/Result.h"

namespace tilec::tool {

/// Serves the socket until the parent closes it.
ExitCode serveTuning(const TuneCommand &command);

/// A compiled kernel as the parent hands it over.
std::string encodeKernel(const CompiledKernel &kernel);
tilecrt::Result<std::unique_ptr<CompiledKernel>> decodeKernel(llvm::StringRef bytes);

/// The simulator's cost of a launch: a weighted sum of its counters, the same on every machine.
double simulatedCost(const tilecrt::sim::Counters &counters);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_TUNEWORKER_H
