// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SimulatedCost.h. The weights are those of the times that 'tilec explain' predicts.

#include "tilec/Tuning/SimulatedCost.h"

#include "tilec/Explain/TimeModel.h"

double tilec::simulatedCost(const tilecrt::sim::Counters &counters) {
  return explain::busyCycles(counters);
}
