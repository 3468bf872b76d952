// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake driver as a library that the runtime can open in place of libcuda.so.1. It exports the
// two functions that a caller needs: the driver's door, and the state for the test.

#include "FakeDriverState.h"

using namespace tilecrt::cuda;

extern "C" {

__attribute__((visibility("default"))) CUresult cuGetProcAddress_v2(const char *name,
                                                                    void **function, int, uint64_t,
                                                                    int *) {
  *function = nullptr;
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
