// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins and ticks of the clocks of one warp.
#include "runtime/sim/HappensBefore.h"

namespace tilecrt::sim {

void WarpClock::reset(unsigned warps) {
  warpNow = 1;
  asyncNow = bulkLoadsNow = 0;
  known.reset(warps);
  lanes.fill(1);
  matrix.reset();
}

void WarpClock::release(unsigned self, WarpKnowledge &meeting) {
  known.at(self, OwnPart) = warpNow;
  meeting.join(known);
  ++warpNow;
}

void WarpClock::acquire(const WarpKnowledge &meeting) { known.join(meeting); }

void WarpClock::proxyFence(unsigned self) {
  known.at(self, OwnPart) = warpNow++;
  for (unsigned warp = 0; warp < known.warps(); ++warp) {
    known.raise(warp, OwnFencedPart, known.at(warp, OwnPart));
    known.raise(warp, AsyncFencedPart, known.at(warp, AsyncPart));
  }
}

void WarpClock::syncLanes(uint32_t members, uint32_t live) {
  bool whole = (live & ~members) == 0;
  if (whole && !matrix) {
    // Finished lanes keep up, so that one clock speaks for the warp.
    for (uint32_t &clock : lanes)
      ++clock;
    return;
  }
  if (!matrix) {
    matrix = std::make_unique<LaneMatrix>();
    for (auto &row : *matrix)
      for (unsigned l = 0; l < warpSize; ++l)
        row[l] = lanes[l] - 1;
  }
  std::array<uint32_t, warpSize> joined = {};
  for (unsigned m = 0; m < warpSize; ++m) {
    if (!(members >> m & 1))
      continue;
    for (unsigned l = 0; l < warpSize; ++l)
      joined[l] = std::max(joined[l], (*matrix)[m][l]);
    joined[m] = lanes[m];
  }
  for (unsigned m = 0; m < warpSize; ++m) {
    if (!(members >> m & 1))
      continue;
    (*matrix)[m] = joined;
    ++lanes[m];
  }
}

} // namespace tilecrt::sim
