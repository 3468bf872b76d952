// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of operations in flight, and the start of a cluster.
#include "runtime/sim/AsyncState.h"

namespace tilecrt::sim {

void AsyncState::reset(uint32_t threads, uint32_t warps) {
  writers.resize(1);
  freeMarks.clear();
  // Most kernels have none: a queue that was not used is as good as new.
  copies.resize(threads);
  bulkStores.resize(threads);
  if (queuesUsed) {
    for (CopyQueue &queue : copies)
      queue = CopyQueue();
    for (BulkQueue &queue : bulkStores)
      queue = BulkQueue();
  }
  queuesUsed = false;
  bulkLoads.clear();
  mbarriers.clear();
  waits.assign(threads, MbarrierWait());
  wgmma.clear();
  wgmma.resize(warps);
  warpgroups.clear();
  warpgroups.resize(warps);
  waitingLanes = 0;
}

uint32_t AsyncState::addWriter(int32_t site, uint32_t thread) {
  uint32_t mark = static_cast<uint32_t>(writers.size());
  if (!freeMarks.empty()) {
    mark = freeMarks.back();
    freeMarks.pop_back();
  } else {
    writers.emplace_back();
  }
  writers[mark] = {site, thread};
  return mark;
}

void AsyncState::dropWriter(uint32_t mark) { freeMarks.push_back(mark); }

} // namespace tilecrt::sim
