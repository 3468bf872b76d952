// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a kernel for the simulator with one of its CTA barriers taken out, or one of its waits
// and fences: what a forgotten one in the compiler would make. No MLIR types in this header.

#ifndef TILEC_TEST_UNIT_EXECUTION_BARRIERREMOVAL_H
#define TILEC_TEST_UNIT_EXECUTION_BARRIERREMOVAL_H

#include "tilecrt/sim/Simulator.h"

#include <string>
#include <utility>
#include <vector>

namespace tilec::harness::test {

/// A kernel whose arguments are all pointers, and one launch of it with one program.
struct SimulatedKernel {
  std::string path;
  std::string kernel;
  /// Name and type, and name and value.
  std::vector<std::pair<std::string, std::string>> arguments, constants;
  /// One per argument.
  std::vector<tilecrt::sim::Buffer> buffers;
  /// Which barrier to remove, in program order; -1 for none.
  int removedBarrier = -1;
  /// Waits and fences of asynchronous copies and products count as barriers.
  bool countsWaits = false;
};

struct BarrierOutcome {
  /// Why there was no launch.
  std::string error;
  /// Barriers that the compiler had put in.
  unsigned barriers = 0;
  tilecrt::sim::LaunchResult launch;
  std::vector<std::string> findings;
  /// The operation that was removed.
  std::string removed;
};

BarrierOutcome runWithoutBarrier(const SimulatedKernel &kernel);

} // namespace tilec::harness::test

#endif // TILEC_TEST_UNIT_EXECUTION_BARRIERREMOVAL_H
