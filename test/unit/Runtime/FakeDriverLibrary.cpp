// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake driver as a library that the runtime can open in place of libcuda.so.1. It exports the
// two functions that a caller needs: the driver's door, and the state for the test. For programs
// that are run whole, TILEC_FAKE_CUDA_FAIL=CALL:OTHER:RESULT makes OTHER fail from when CALL is
// made. FAKE_CUDA_DEVICES is a list of names of devices, separated by ';', and FAKE_CUDA_LOG the
// file State::contextLog.

#include "FakeDriverState.h"

#include <cstdlib>

using namespace tilecrt::cuda;

static void readEnvironment() {
  const char *text = std::getenv("TILEC_FAKE_CUDA_FAIL");
  std::string all = text ? text : "";
  size_t first = all.find(':'), second = all.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    return;
  fake::state().failuresAfter[all.substr(0, first)] = {
      all.substr(first + 1, second - first - 1), CUresult(std::atoi(all.c_str() + second + 1))};
}

namespace {

/// Sets what the environment says, when the library is loaded.
struct Environment {
  Environment() {
    if (const char *log = std::getenv("FAKE_CUDA_LOG"))
      fake::state().contextLog = log;
    const char *names = std::getenv("FAKE_CUDA_DEVICES");
    if (!names)
      return;
    std::vector<std::string> &list = fake::state().deviceNames;
    list.assign(1, "");
    for (const char *c = names; *c; ++c)
      if (*c == ';')
        list.emplace_back();
      else
        list.back() += *c;
    fake::state().deviceCount = int(list.size());
  }
} environment;

} // namespace

extern "C" {

__attribute__((visibility("default"))) CUresult cuGetProcAddress_v2(const char *name,
                                                                    void **function, int, uint64_t,
                                                                    int *) {
  *function = nullptr;
  static const bool isRead = (readEnvironment(), true);
  (void)isRead;
  if (fake::state().missing.count(name))
    return CUDA_ERROR_NOT_FOUND;
  static const DriverTable table = fake::table();
#define TILECRT_CUDA_FUNCTION(member, base, exported, parameters)                                  \
  if (std::string(name) == #base)                                                                  \
    *function = reinterpret_cast<void *>(table.member);
#include "tilecrt/cuda/DriverFunctions.inc"
#undef TILECRT_CUDA_FUNCTION
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

__attribute__((visibility("default"))) fake::State *tilecFakeDriverState() {
  return &fake::state();
}

__attribute__((visibility("default"))) void tilecFakeDriverReset() { fake::resetState(); }

} // extern "C"
