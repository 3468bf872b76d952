// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake CUDA driver in place of libcuda.so.1, and the fixture of tests over it.

#ifndef TILEC_TEST_UNIT_API_FAKECUDA_H
#define TILEC_TEST_UNIT_API_FAKECUDA_H

#include "Kernels.h"

#include "test/unit/Runtime/FakeDriverState.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

namespace tilec::test {

/// The state of the fake in its library.
inline tilecrt::cuda::fake::State &fakeCuda() {
  using Get = tilecrt::cuda::fake::State *(*)();
  static Get get = reinterpret_cast<Get>(
      dlsym(dlopen(TILEC_TEST_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL), "tilecFakeDriverState"));
  return *get();
}

inline void resetFakeCuda() {
  fakeCuda();
  using Reset = void (*)();
  static Reset reset = reinterpret_cast<Reset>(
      dlsym(dlopen(TILEC_TEST_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL), "tilecFakeDriverReset"));
  reset();
}

/// The calls of the driver so far, separated by spaces.
inline std::string fakeCalls() {
  std::string text;
  for (const std::string &call : fakeCuda().calls)
    text += (text.empty() ? "" : " ") + call;
  fakeCuda().calls.clear();
  return text;
}

template <typename Struct> Struct sizedStruct() {
  Struct result = {};
  result.struct_size = sizeof result;
  return result;
}

/// A device "sim" or, over the fake driver, "cuda"; null after a failure.
inline tilec_device *openDevice(const char *name, uint32_t simulateFlags = 0) {
  auto options = sizedStruct<tilec_device_options>();
  options.driver = TILEC_TEST_FAKE_DRIVER;
  options.simulate_flags = simulateFlags;
  tilec_device *device = nullptr;
  EXPECT_EQ(tilec_device_open(name, &options, &device), TILEC_OK) << tilec_last_error();
  return device;
}

} // namespace tilec::test

#endif // TILEC_TEST_UNIT_API_FAKECUDA_H
