// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver made of fakes: it records every call in order, keeps device memory in host memory, and
// fails a chosen call with a chosen result. One per process, reset by each test's fixture.

#ifndef TILEC_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define TILEC_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/DriverTable.h"
#include "tilecrt/cuda/Module.h"
#include "tilecrt/cuda/Stream.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace tilecrt::cuda::fake {

/// What the fakes saw and how they behave.
struct State {
  /// The driver's names of all calls, in order, without the queries.
  std::vector<std::string> calls;
  /// Call name to the result it returns from now on.
  std::map<std::string, CUresult> failures;
  int deviceCount = 1;
  int driverVersion = 12040;
  std::map<int, int> deviceAttributes;
  std::map<int, int> functionAttributes;
  CUcontext current = nullptr;
  int contextDepth = 0;
  std::map<CUdeviceptr, std::string> memory;
  /// Of the last launch; its attributes are copied.
  CUlaunchConfig launch = {};
  std::vector<CUlaunchAttribute> launchAttributes;
  std::vector<int> launchedInts;
  /// Attribute and value of every cuFuncSetAttribute.
  std::vector<std::pair<int, int>> functionSettings;
  /// What the fake compiler writes to the error log.
  std::string errorLog;
  /// Milliseconds returned by the next cuEventElapsedTime calls, in turn.
  std::vector<float> elapsed;
  size_t nextElapsed = 0;
};

State &state();

/// A table whose members all point to fakes.
DriverTable table();

/// Resets the state to one device like an H100 before each test.
class FakeDriverTest : public ::testing::Test {
protected:
  void SetUp() override;
  /// Every pushed context was popped.
  void TearDown() override;

  Driver driver();
  Device device();
  Context context();
  /// The recorded calls, separated by spaces.
  static std::string calls();
  static void clearCalls() { state().calls.clear(); }
};

} // namespace tilecrt::cuda::fake

#endif // TILEC_TEST_UNIT_RUNTIME_FAKEDRIVER_H
