// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixture of tests over the fake driver.

#ifndef TILEC_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define TILEC_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include "FakeDriverState.h"

#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/Module.h"
#include "tilecrt/cuda/Stream.h"

#include <gtest/gtest.h>

namespace tilecrt::cuda::fake {

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
