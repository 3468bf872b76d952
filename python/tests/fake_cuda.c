/* Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   A CUDA driver with GPUs that run nothing, as a library in place of libcuda.so.1. Memory is the host's. It writes what
   it is asked to the file FAKE_CUDA_LOG, a line for a call: its name, the number of the device whose context is current,
   and the streams. FAKE_CUDA_DEVICES is the number of GPUs, 2. As the real one, it fails in a process that was forked
   after it was initialised. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t address;
enum { success = 0, invalid = 1, not_initialised = 3, max_devices = 8, max_blocks = 256 };

static char contexts[max_devices];
static __thread char *stack[16];
static __thread int depth;
static pid_t owner;
static struct {
  char *start;
  size_t bytes;
  int device;
} blocks[max_blocks];

static int devices(void) {
  const char *text = getenv("FAKE_CUDA_DEVICES");
  return text ? atoi(text) : 2;
}

static int current(void) { return depth ? (int)(stack[depth - 1] - contexts) : -1; }

static int say(const char *format, ...) {
  const char *name = getenv("FAKE_CUDA_LOG");
  FILE *file = name ? fopen(name, "a") : NULL;
  if (file) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fclose(file);
  }
  return success;
}

static int find(address at) {
  for (int i = 0; i < max_blocks; ++i)
    if (blocks[i].start && at - (address)blocks[i].start < blocks[i].bytes)
      return i;
  return -1;
}

int cuGetErrorName(int error, const char **text) { *text = error == not_initialised ? "CUDA_ERROR_NOT_INITIALIZED" : "CUDA_ERROR"; return success; }
int cuGetErrorString(int error, const char **text) { *text = "an error"; return success; }
int cuInit(unsigned flags) {
  say("cuInit");
  if (owner && owner != getpid())
    return not_initialised;
  owner = getpid();
  return success;
}
int cuDriverGetVersion(int *version) { *version = 12040; return success; }
int cuDeviceGetCount(int *count) { *count = devices(); return success; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return success; }
int cuDeviceGetName(char *name, int size, int device) { snprintf(name, size, "Fake %d", device); return success; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  static const int values[][2] = {{1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 49152},
                                  {10, 32}, {12, 65536}, {16, 132}, {38, 1 << 20}, {39, 2048}, {75, 9}, {76, 0}, {81, 233472},
                                  {97, 232448}, {120, 1}};
  for (unsigned i = 0; i < sizeof values / sizeof *values; ++i)
    if (values[i][0] == attribute) {
      *value = values[i][1];
      return success;
    }
  *value = 1;
  return success;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)80 << 30; return success; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = contexts + device; return say("context %d", device); }
int cuDevicePrimaryCtxRelease_v2(int device) { return success; }
int cuCtxGetCurrent(void **context) { *context = depth ? stack[depth - 1] : NULL; return success; }
int cuCtxPushCurrent_v2(void *context) { stack[depth++] = context; return success; }
int cuCtxPopCurrent_v2(void **context) { *context = stack[--depth]; return success; }
int cuCtxSynchronize(void) { return say("wait for device %d", current()); }

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) { *module = contexts + current(); return say("load %d", current()); }
int cuModuleUnload(void *module) { return success; }
int cuModuleGetFunction(void **function, void *module, const char *name) { *function = module; return success; }
int cuFuncGetAttribute(int *value, int attribute, void *function) { *value = attribute == 0 ? 1024 : 0; return success; }
int cuFuncSetAttribute(void *function, int attribute, int value) { return success; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks_, void *function, int threads, size_t bytes) { *blocks_ = 8; return success; }
struct attribute { int id, unused; unsigned value[16]; };
struct launch { unsigned grid[3], block[3], shared; void *stream; struct attribute *attributes; unsigned count; };
int cuOccupancyMaxActiveClusters(int *clusters, void *function, const struct launch *launch) { *clusters = 66; return success; }
int cuLaunchKernelEx(const struct launch *launch, void *function, void **arguments, void **extra) {
  if (function != contexts + current())
    return invalid;
  for (unsigned i = 0; i < launch->count; ++i)
    if (launch->attributes[i].id == 4)
      say("clusters of %u", launch->attributes[i].value[0]);
  return say("launch %d on %p", current(), launch->stream);
}
int cuTensorMapEncodeTiled(void *map) { memset(map, 0, 128); return success; }

int cuStreamCreate(void **stream, unsigned flags) { *stream = malloc(8); return success; }
int cuStreamDestroy_v2(void *stream) { return success; }
int cuStreamSynchronize(void *stream) { return say("wait for stream %d %p", current(), stream); }
int cuStreamWaitEvent(void *stream, void **event, unsigned flags) { return say("%p waits for %p", stream, *event); }
int cuStreamIsCapturing(void *stream, int *status) { *status = 0; return success; }
int cuStreamGetId(void *stream, unsigned long long *number) { *number = (unsigned long long)stream; return success; }
int cuThreadExchangeStreamCaptureMode(int *mode) { return success; }
int cuStreamBeginCapture_v2(void *stream, int mode) { return success; }
int cuStreamEndCapture(void *stream, void **graph) { return invalid; }
int cuGraphInstantiateWithFlags(void **instance, void *graph, unsigned long long flags) { return invalid; }
int cuGraphLaunch(void *instance, void *stream) { return invalid; }
int cuGraphExecDestroy(void *instance) { return success; }
int cuGraphDestroy(void *graph) { return success; }
int cuEventCreate(void **event, unsigned flags) { *event = malloc(sizeof(void *)); return success; }
int cuEventDestroy_v2(void *event) { free(event); return success; }
int cuEventRecord(void **event, void *stream) { *event = stream; return success; }
int cuEventSynchronize(void *event) { return success; }
int cuEventElapsedTime(float *milliseconds, void *start, void *stop) { *milliseconds = 1; return success; }

int cuMemAlloc_v2(address *at, size_t bytes) {
  int i = 0;
  while (i + 1 < max_blocks && blocks[i].start)
    ++i;
  blocks[i].start = aligned_alloc(256, (bytes + 255) / 256 * 256);
  blocks[i].bytes = bytes;
  blocks[i].device = current();
  *at = (address)blocks[i].start;
  return say("allocate %d", current());
}
int cuMemFree_v2(address at) {
  int i = find(at);
  if (i < 0 || blocks[i].device != current())
    return invalid;
  free(blocks[i].start);
  blocks[i].start = NULL;
  return say("free %d", current());
}
int cuMemGetInfo_v2(size_t *free_bytes, size_t *bytes) { *free_bytes = *bytes = (size_t)80 << 30; return success; }
int cuMemGetAddressRange_v2(address *start, size_t *bytes, address at) {
  int i = find(at);
  if (i < 0)
    return invalid;
  *start = (address)blocks[i].start;
  *bytes = blocks[i].bytes;
  return success;
}
int cuPointerGetAttribute(void *value, int attribute, address at) {
  int i = find(at);
  if (i < 0 || attribute != 9)
    return invalid;
  *(int *)value = blocks[i].device;
  return success;
}
static int copy(void *to, const void *from, size_t bytes, const char *what, void *stream) {
  memcpy(to, from, bytes);
  return say("%s %d on %p", what, current(), stream);
}
int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes) { return copy((void *)to, from, bytes, "upload", NULL); }
int cuMemcpyDtoH_v2(void *to, address from, size_t bytes) { return copy(to, (void *)from, bytes, "download", NULL); }
int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream) { return copy((void *)to, from, bytes, "upload", stream); }
int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream) { return copy(to, (void *)from, bytes, "download", stream); }
int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void *stream) { return copy((void *)to, (void *)from, bytes, "copy", stream); }
int cuMemsetD8Async(address to, unsigned char value, size_t count, void *stream) { memset((void *)to, value, count); return success; }
int cuMemsetD32Async(address to, unsigned value, size_t count, void *stream) { return success; }
