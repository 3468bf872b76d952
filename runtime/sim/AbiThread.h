// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the extern "C" functions get at the thread that calls them. No exception leaves them: the
// frames of JIT-compiled code could not be unwound.
#ifndef TILEC_RUNTIME_SIM_ABITHREAD_H
#define TILEC_RUNTIME_SIM_ABITHREAD_H

#include "runtime/sim/Cluster.h"

#include <new>

namespace tilecrt::sim {

/// Runs `body(thread)` if a simulated thread is running. Failures of the simulator itself stop the
/// CTA.
template <typename Body> void inThread(int32_t site, const Body &body) {
  Thread *t = currentThread();
  if (!t)
    return;
  try {
    body(*t);
    return;
  } catch (const std::bad_alloc &) {
  }
  t->cluster->stop(*t, FindingKind::HostFault, site, "the simulator ran out of memory");
}

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_ABITHREAD_H
