// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator's findings as located diagnostics.

#ifndef TILEC_TOOLS_TILEC_FINDINGDIAGNOSTICS_H
#define TILEC_TOOLS_TILEC_FINDINGDIAGNOSTICS_H

#include "RunOutcome.h"

namespace tilec::tool {

/// One error per finding, with its thread and access, and the other party's, as notes.
void reportFindings(const RunOutcome &outcome, const SourceManager &sources,
                    DiagnosticEngine &diagnostics);

/// "CTA (3, 0, 0), thread 17 (warp 0, lane 17)".
std::string describeThread(const tilecrt::sim::ThreadRef &thread);
/// "4-byte global load"; empty when there was no access.
std::string describeAccess(const tilecrt::sim::Access &access);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_FINDINGDIAGNOSTICS_H
