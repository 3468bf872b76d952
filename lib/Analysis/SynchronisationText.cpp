// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan of barriers and fences as text.

#include "tilec/Analysis/Synchronisation.h"

using namespace mlir;
using namespace tilec;

void tilec::print(ArrayRef<SyncPoint> plan, raw_ostream &os) {
  for (const SyncPoint &point : plan) {
    bool hasBarrier = point.barrier != SyncThreads::None;
    if (point.needsFence)
      os << "fence" << (hasBarrier ? " and " : " ");
    if (hasBarrier)
      os << (point.barrier == SyncThreads::Warp        ? "warp barrier "
             : point.barrier == SyncThreads::Warpgroup ? "warpgroup barrier "
                                                       : "barrier ");
    if (point.purpose == SyncPurpose::GlobalAccesses)
      os << "of global memory ";
    os << (point.isBehind ? "behind " : "in front of ") << point.op->getName();
    if (point.earlier == point.later) {
      os << "\n";
      continue;
    }
    if (point.op == point.later)
      os << ", ";
    else
      os << ": " << point.later->getName() << " ";
    os << "after " << point.earlier->getName() << "\n";
  }
}
