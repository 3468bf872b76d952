/* Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   A CUDA driver that says what it is asked, for bundles: FAKE_SM is the device (90), FAKE_VERSION the driver (13000). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number(const char *name, int fallback) {
  const char *text = getenv(name);
  return text ? atoi(text) : fallback;
}

static void *current;

int cuInit(unsigned flags) { return number("FAKE_INIT", (int)flags); }
int cuDriverGetVersion(int *version) { *version = number("FAKE_VERSION", 13000); return 0; }
int cuCtxGetCurrent(void **context) { *context = current; return 0; }
int cuCtxGetDevice(int *device) { *device = 0; return 0; }
int cuCtxSetCurrent(void *context) { current = context; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &current + device; puts("context"); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  int sm = number("FAKE_SM", 90) + device;
  *value = attribute == 75 ? sm / 10 : sm % 10;
  return 0;
}
int cuModuleLoadData(void **module, const void *image) {
  printf("load %s\n", memcmp(image, "\177ELF", 4) == 0 ? "cubin" : strstr(image, ".target sm_90a") ? "sm_90a PTX" : "PTX");
  *module = &current;
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  printf("function %s\n", name);
  *function = module;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) { return function ? attribute - attribute + value - value : 1; }
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **arguments, void **extra) {
  printf("launch %ux%ux%u of %ux%ux%u, n=%d\n", gx, gy, gz, bx, by, bz, *(int *)arguments[3]);
  return function && !extra && !stream && shared < 1000000 ? 0 : 1;
}
int cuMemAllocManaged(void **memory, size_t bytes, unsigned flags) { *memory = aligned_alloc(256, (bytes + flags + 255) / 256 * 256); return *memory ? 0 : 2; }
int cuCtxSynchronize(void) { return 0; }
int cuGetErrorName(int error, const char **name) { *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_SOMETHING"; return 0; }
