// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in a bundle: the program has no tilec in it, and needs nothing but the CUDA driver when it
// runs. The memory here comes from that driver, too; a program has its own ways.

#include "sums.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>

enum { count = 1000 };

static int call(void *driver, const char *name, int (**function)(void)) {
  // POSIX lets a pointer to an object hold one to a function.
  *(void **)function = dlsym(driver, name);
  return *function != NULL;
}

/// Makes the first device's context current and gives `arrays` of `count` floats, which host and
/// device may use in turn.
static int allocate(void *driver, float *arrays[3]) {
  int (*init)(void), (*retain)(void), (*setCurrent)(void), (*allocateManaged)(void);
  void *context = NULL;
  if (!call(driver, "cuInit", &init) || !call(driver, "cuDevicePrimaryCtxRetain", &retain) ||
      !call(driver, "cuCtxSetCurrent", &setCurrent) ||
      !call(driver, "cuMemAllocManaged", &allocateManaged))
    return 0;
  if (((int (*)(unsigned))init)(0) || ((int (*)(void **, int))retain)(&context, 0) ||
      ((int (*)(void *))setCurrent)(context))
    return 0;
  for (int i = 0; i < 3; ++i)
    if (((int (*)(float **, size_t, unsigned))allocateManaged)(&arrays[i], count * sizeof(float), 1))
      return 0;
  return 1;
}

int main(void) {
  static float ours[3][count];
  float *arrays[3] = {ours[0], ours[1], ours[2]};
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  // Without a driver the bundle says so itself.
  if (driver && !allocate(driver, arrays)) {
    fprintf(stderr, "bundle: there is no memory on the device\n");
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    arrays[0][i] = 0.5f * (float)i;
    arrays[1][i] = 1.0f / (float)(i + 1);
  }
  sums_status status = sums_scaled_add(arrays[0], arrays[1], arrays[2], 3.0f, count, NULL);
  if (status != sums_OK) {
    fprintf(stderr, "bundle: %s\n", sums_error());
    return (int)status;
  }
  int (*synchronize)(void);
  if (!call(driver, "cuCtxSynchronize", &synchronize) || synchronize()) {
    fprintf(stderr, "bundle: the kernel failed\n");
    return 1;
  }
  float worst = 0;
  for (int i = 0; i < count; ++i)
    worst = fmaxf(worst, fabsf(arrays[2][i] - fmaf(arrays[0][i], 3.0f, arrays[1][i])));
  printf("%d sums by a bundle: largest error %g\n", (int)count, (double)worst);
  return worst < 1e-3f ? 0 : 1;
}
