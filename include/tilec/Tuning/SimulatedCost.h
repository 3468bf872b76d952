// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands for the time of a launch on the simulator.

#ifndef TILEC_TUNING_SIMULATEDCOST_H
#define TILEC_TUNING_SIMULATEDCOST_H

#include "tilecrt/sim/Simulator.h"

namespace tilec {

/// A weighted sum of a launch's counters, the same on every machine: cycles of one multiprocessor
/// whose units do not overlap. No prediction of a time, for which more than counters is needed.
double simulatedCost(const tilecrt::sim::Counters &counters);

} // namespace tilec

#endif // TILEC_TUNING_SIMULATEDCOST_H
