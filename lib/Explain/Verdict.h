// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from the numbers of a report: occupancy, waves, and the verdict in words.

#ifndef TILEC_LIB_EXPLAIN_VERDICT_H
#define TILEC_LIB_EXPLAIN_VERDICT_H

#include "tilec/Explain/TimeModel.h"

namespace tilec::explain {

/// Of the report's launch with its resources.
Occupancy findOccupancy(const Report &report);
/// The same, once its occupancy is known.
Waves findWaves(const Report &report);

/// Fills in the verdict of a report whose time is known, or that was not counted.
void giveVerdict(Report &report, const LaunchWork &work);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_VERDICT_H
