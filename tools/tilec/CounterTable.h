// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator's counters as a table for people and as JSON.

#ifndef TILEC_TOOLS_TILEC_COUNTERTABLE_H
#define TILEC_TOOLS_TILEC_COUNTERTABLE_H

#include "RunOutcome.h"

#include "llvm/Support/JSON.h"

namespace tilec::tool {

/// Memory traffic by source place, then the totals of warp operations and instructions.
std::string printCounters(const RunOutcome &outcome, const SourceManager &sources);

/// {"totals": {...}, "sites": [{"file", "line", "column", "what", ...}]}; zero counts are left out.
llvm::json::Object countersToJson(const RunOutcome &outcome);

/// The totals alone.
llvm::json::Object totalsToJson(const RunOutcome &outcome);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_COUNTERTABLE_H
