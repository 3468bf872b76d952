// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SimulatedCost.h. Instructions are counted by threads, the rest by warps.

#include "tilec/Tuning/SimulatedCost.h"

double tilec::simulatedCost(const tilecrt::sim::Counters &c) {
  // Eight times a sector is about what memory costs beside an instruction of a warp when many
  // warps run.
  double threadInstructions = 0;
  for (uint64_t count : c.instructions)
    threadInstructions += double(count);
  return threadInstructions / 32 + 8.0 * double(c.globalLoadSectors + c.globalStoreSectors) +
         2.0 * double(c.sharedLoadWavefronts + c.sharedStoreWavefronts) +
         2.0 * double(c.shuffles + c.votes + c.reduxes) + 16.0 * double(c.barriers) +
         4.0 * double(c.globalAtomics + c.sharedAtomics) + double(c.multiplyAdds) / 512 +
         double(c.bulkLoadBytes + c.bulkStoreBytes) / 4;
}
