// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver made of fakes: it records every call in order, keeps device memory in host memory, and
// fails a chosen call with a chosen result. One per process.

#ifndef TILEC_TEST_UNIT_RUNTIME_FAKEDRIVERSTATE_H
#define TILEC_TEST_UNIT_RUNTIME_FAKEDRIVERSTATE_H

#include "tilecrt/cuda/DriverTable.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilecrt::cuda::fake {

/// What the fakes saw and how they behave.
struct State {
  /// One device like an H100, nothing called yet.
  State();

  /// The driver's names of all calls, in order, without the queries.
  std::vector<std::string> calls;
  /// Call name to the result it returns from now on.
  std::map<std::string, CUresult> failures;
  /// Call name to another call and its result, from when the first is made.
  std::map<std::string, std::pair<std::string, CUresult>> failuresAfter;
  int deviceCount = 1;
  /// Of the first devices; the others are called like the last one.
  std::vector<std::string> deviceNames = {"Fake H100"};
  /// A file that gets the number of every device that a context is made on; empty: none.
  std::string contextLog;
  int driverVersion = 12040;
  std::map<int, int> deviceAttributes;
  std::map<int, int> functionAttributes;
  /// Contexts that are pushed, on all threads.
  std::atomic<int> contextDepth{0};
  std::map<CUdeviceptr, std::string> memory;
  CUdeviceptr nextAddress = 0x7f0000000000;
  /// Of the last launch; its attributes are copied.
  CUlaunchConfig launch = {};
  std::vector<CUlaunchAttribute> launchAttributes;
  std::vector<int> launchedInts;
  /// What cuOccupancyMaxActiveClusters says.
  int activeClusters = 520;
  /// Attribute and value of every cuFuncSetAttribute.
  std::vector<std::pair<int, int>> functionSettings;
  /// What the fake compiler writes to the error log.
  std::string errorLog;
  /// Milliseconds returned by the next cuEventElapsedTime calls, in turn.
  std::vector<float> elapsed;
  size_t nextElapsed = 0;
  /// Streams that are being captured, with the number of launches since.
  std::map<CUstream, int> captures;
  /// Launches of every instantiated graph.
  std::map<CUgraphExec, int> graphs;
  uintptr_t nextGraph = 0x600;
  /// Base names that cuGetProcAddress does not know (the fake as a library only).
  std::set<std::string> missing;
  /// Held by every fake that changes the state.
  std::recursive_mutex mutex;
};

State &state();
void resetState();

/// A table whose members all point to fakes.
DriverTable table();

} // namespace tilecrt::cuda::fake

#endif // TILEC_TEST_UNIT_RUNTIME_FAKEDRIVERSTATE_H
