/* Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   A CUDA driver that says what it is asked, for bundles: FAKE_SM is the device (90), FAKE_VERSION the driver (13000).
   FAKE_RETAIN, FAKE_LOAD, FAKE_LOAD_CUBIN and FAKE_LAUNCH are the errors of making a context, of loading code, of
   loading a cubin, and of a launch. FAKE_SAYS shows tensor maps; with "maps" the
   13th argument is the address of one, with "short" the 4th is a short float. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number(const char *name, int fallback) {
  const char *text = getenv(name);
  return text ? atoi(text) : fallback;
}

static int says(const char *what) {
  const char *text = getenv("FAKE_SAYS");
  return text && strcmp(text, what) == 0;
}

/* What handles point to. */
static char things[8];
static __thread void *current;

int cuInit(unsigned flags) { return number("FAKE_INIT", (int)flags); }
int cuDriverGetVersion(int *version) { *version = number("FAKE_VERSION", 13000); return 0; }
int cuCtxGetCurrent(void **context) { *context = current; return 0; }
int cuCtxGetDevice(int *device) { *device = 0; return 0; }
int cuCtxSetCurrent(void *context) { current = context; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = things + device;
  puts("context");
  return number("FAKE_RETAIN", 0);
}
int cuMemGetInfo_v2(size_t *left, size_t *all) {
  *left = (size_t)3 << 20;
  *all = (size_t)81000 << 20;
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t bytes) {
  *blocks = function && threads && bytes < 1000000;
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  int sm = number("FAKE_SM", 90) + device;
  *value = attribute == 16 ? 3 : attribute == 75 ? sm / 10 : sm % 10;
  return 0;
}
int cuModuleLoadData(void **module, const void *image) {
  int is_cubin = memcmp(image, "\177ELF", 4) == 0;
  printf("load %s\n", is_cubin ? "cubin" : strstr(image, ".target sm_90a") ? "sm_90a PTX" : "PTX");
  *module = things;
  return is_cubin ? number("FAKE_LOAD_CUBIN", number("FAKE_LOAD", 0)) : number("FAKE_LOAD", 0);
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  printf("function %s\n", name);
  *function = module;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) { return function ? attribute - attribute + value - value : 1; }
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *sizes, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  memset(map, 0, 128);
  memcpy(map, &address, sizeof address);
  if (getenv("FAKE_SAYS")) {
    flockfile(stdout); /* One line, whatever other threads say. */
    printf("map at %p: type %d,", address, type);
    for (unsigned i = 0; i < rank; ++i)
      printf(" %llu", (unsigned long long)sizes[i]);
    printf(", strides");
    for (unsigned i = 0; i + 1 < rank; ++i)
      printf(" %llu", (unsigned long long)strides[i]);
    printf(", box");
    for (unsigned i = 0; i < rank; ++i)
      printf(" %u", box[i]);
    printf(", swizzle %d, promotion %d, fill %d\n", swizzle, promotion, fill);
    funlockfile(stdout);
  }
  return (uintptr_t)map % 64 != 0 || steps[rank - 1] != 1 || interleave != 0 ? 1 : 0;
}

/* CUlaunchAttribute and CUlaunchConfig. */
typedef struct {
  int id;
  union {
    char size[64];
    unsigned values[3];
    void *alignment;
  } value;
} attribute;
typedef struct {
  unsigned gx, gy, gz, bx, by, bz, shared;
  void *stream;
  const attribute *attributes;
  unsigned attribute_count;
} launch_config;

int cuLaunchKernelEx(const launch_config *config, void *function, void **arguments, void **extra) {
  printf("launch %ux%ux%u of %ux%ux%u, n=%d\n", config->gx, config->gy, config->gz, config->bx, config->by, config->bz,
         says("short") ? *(uint16_t *)arguments[3] : *(int *)arguments[3]);
  for (unsigned i = 0; i < config->attribute_count; ++i)
    printf("attribute %d: %u\n", config->attributes[i].id, config->attributes[i].value.values[0]);
  if (says("maps"))
    printf("map argument of %p\n", *(void **)arguments[12]);
  return function && !extra && !config->stream && config->shared < 1000000 ? number("FAKE_LAUNCH", 0) : 1;
}
int cuMemAllocManaged(void **memory, size_t bytes, unsigned flags) { *memory = aligned_alloc(256, (bytes + flags + 255) / 256 * 256); return *memory ? 0 : 2; }
int cuCtxSynchronize(void) { return 0; }
int cuGetErrorName(int error, const char **name) { 
  *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : error == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" : "CUDA_ERROR_SOMETHING";
  return 0;
}
