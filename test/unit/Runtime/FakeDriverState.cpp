// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fakes behind FakeDriverState.h.

#include "FakeDriverState.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace tilecrt::cuda::fake {

State &state() {
  static State instance;
  return instance;
}

namespace {

/// Records a call and returns what it is to return.
CUresult record(const char *call) {
  std::lock_guard lock(state().mutex);
  state().calls.push_back(call);
  if (auto after = state().failuresAfter.find(call); after != state().failuresAfter.end())
    state().failures.insert(after->second);
  auto it = state().failures.find(call);
  return it == state().failures.end() ? CUDA_SUCCESS : it->second;
}

/// For queries: the result without an entry in the list.
CUresult query(const char *call) {
  std::lock_guard lock(state().mutex);
  auto it = state().failures.find(call);
  return it == state().failures.end() ? CUDA_SUCCESS : it->second;
}

template <typename Handle> Handle handle(uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

CUresult getErrorName(CUresult error, const char **text) {
  if (error == CUDA_ERROR_OUT_OF_MEMORY)
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
  else if (error == CUDA_ERROR_LAUNCH_FAILED)
    *text = "CUDA_ERROR_LAUNCH_FAILED";
  else if (error == CUDA_ERROR_NO_DEVICE)
    *text = "CUDA_ERROR_NO_DEVICE";
  else if (error == CUDA_ERROR_INVALID_PTX)
    *text = "CUDA_ERROR_INVALID_PTX";
  else
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult getErrorString(CUresult error, const char **text) {
  const char *name = nullptr;
  if (getErrorName(error, &name) != CUDA_SUCCESS)
    return CUDA_ERROR_INVALID_VALUE;
  *text = "fake text";
  return CUDA_SUCCESS;
}

CUresult init(unsigned) { return record("cuInit"); }

CUresult driverGetVersion(int *version) {
  *version = state().driverVersion;
  return query("cuDriverGetVersion");
}

CUresult deviceGetCount(int *count) {
  *count = state().deviceCount;
  return query("cuDeviceGetCount");
}

CUresult deviceGet(CUdevice *device, int ordinal) {
  *device = ordinal + 40;
  return query("cuDeviceGet");
}

CUresult deviceGetName(char *name, int size, CUdevice device) {
  const std::vector<std::string> &names = state().deviceNames;
  std::strncpy(name, names[std::min(size_t(device - 40), names.size() - 1)].c_str(), size_t(size));
  return query("cuDeviceGetName");
}

CUresult deviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  auto it = state().deviceAttributes.find(attribute);
  if (it == state().deviceAttributes.end())
    return CUDA_ERROR_INVALID_VALUE;
  *value = it->second;
  return CUDA_SUCCESS;
}

CUresult deviceTotalMem(size_t *bytes, CUdevice) {
  *bytes = size_t(80) << 30;
  return query("cuDeviceTotalMem");
}

CUresult primaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = handle<CUcontext>(uintptr_t(0x100 + device));
  if (!state().contextLog.empty())
    if (std::FILE *file = std::fopen(state().contextLog.c_str(), "a")) {
      std::fprintf(file, "device %d\n", device - 40);
      std::fclose(file);
    }
  return record("cuDevicePrimaryCtxRetain");
}

CUresult primaryCtxRelease(CUdevice) { return record("cuDevicePrimaryCtxRelease"); }

/// The driver has one for each thread.
thread_local CUcontext currentContext = nullptr;

CUresult ctxGetCurrent(CUcontext *context) {
  *context = currentContext;
  return CUDA_SUCCESS;
}

CUresult ctxPushCurrent(CUcontext context) {
  CUresult result = query("cuCtxPushCurrent");
  if (result == CUDA_SUCCESS) {
    ++state().contextDepth;
    currentContext = context;
  }
  return result;
}

CUresult ctxPopCurrent(CUcontext *context) {
  *context = currentContext;
  currentContext = nullptr;
  --state().contextDepth;
  return CUDA_SUCCESS;
}

CUresult ctxSynchronize() { return record("cuCtxSynchronize"); }

CUresult moduleLoadDataEx(CUmodule *module, const void *, unsigned count, CUjit_option *options,
                          void **values) {
  *module = handle<CUmodule>(0x200);
  char *log = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      log = static_cast<char *>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      size = reinterpret_cast<size_t>(values[i]);
  }
  if (log && size > state().errorLog.size())
    std::memcpy(log, state().errorLog.c_str(), state().errorLog.size() + 1);
  return record("cuModuleLoadDataEx");
}

CUresult moduleUnload(CUmodule) { return record("cuModuleUnload"); }

CUresult moduleGetFunction(CUfunction *function, CUmodule, const char *name) {
  std::lock_guard lock(state().mutex);
  *function = handle<CUfunction>(0x300);
  return std::strcmp(name, "missing") == 0 ? CUDA_ERROR_NOT_FOUND : record("cuModuleGetFunction");
}

CUresult funcGetAttribute(int *value, CUfunction_attribute attribute, CUfunction) {
  std::lock_guard lock(state().mutex);
  *value = state().functionAttributes[attribute];
  return CUDA_SUCCESS;
}

CUresult funcSetAttribute(CUfunction, CUfunction_attribute attribute, int value) {
  std::lock_guard lock(state().mutex);
  state().functionSettings.emplace_back(attribute, value);
  return record("cuFuncSetAttribute");
}

CUresult occupancyMaxActiveBlocks(int *blocks, CUfunction, int, size_t) {
  *blocks = 8;
  return record("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

CUresult occupancyMaxActiveClusters(int *clusters, CUfunction, const CUlaunchConfig *config) {
  std::lock_guard lock(state().mutex);
  state().launch = *config;
  state().launchAttributes.assign(config->attrs, config->attrs + config->numAttrs);
  *clusters = state().activeClusters;
  return record("cuOccupancyMaxActiveClusters");
}

CUresult launchKernelEx(const CUlaunchConfig *config, CUfunction, void **arguments, void **) {
  {
    std::lock_guard lock(state().mutex);
    auto captured = state().captures.find(config->hStream);
    if (captured != state().captures.end())
      ++captured->second;
    state().launch = *config;
    state().launchAttributes.assign(config->attrs, config->attrs + config->numAttrs);
    state().launchedInts.clear();
    for (int i = 0; arguments && i < 2; ++i)
      state().launchedInts.push_back(*static_cast<int *>(arguments[i]));
  }
  return record("cuLaunchKernelEx");
}

CUresult tensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned rank,
                              void *address, const uint64_t *dims, const uint64_t *strides,
                              const uint32_t *box, const uint32_t *, CUtensorMapInterleave,
                              CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                              CUtensorMapFloatOOBfill) {
  map->opaque[0] = reinterpret_cast<uintptr_t>(address);
  map->opaque[1] = uint64_t(type);
  map->opaque[2] = rank;
  map->opaque[3] = dims[0];
  map->opaque[4] = rank > 1 ? strides[0] : 0;
  map->opaque[5] = box[0];
  map->opaque[6] = uint64_t(swizzle);
  return record("cuTensorMapEncodeTiled");
}

CUresult streamCreate(CUstream *stream, unsigned) {
  *stream = handle<CUstream>(0x400);
  return record("cuStreamCreate");
}

CUresult streamDestroy(CUstream) { return record("cuStreamDestroy"); }
CUresult streamSynchronize(CUstream) { return record("cuStreamSynchronize"); }
CUresult streamWaitEvent(CUstream, CUevent, unsigned) { return record("cuStreamWaitEvent"); }

CUresult streamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  std::lock_guard lock(state().mutex);
  *status = state().captures.count(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                           : CU_STREAM_CAPTURE_STATUS_NONE;
  return query("cuStreamIsCapturing");
}

CUresult streamGetId(CUstream stream, unsigned long long *number) {
  *number = reinterpret_cast<uintptr_t>(stream);
  return query("cuStreamGetId");
}

CUresult threadExchangeStreamCaptureMode(CUstreamCaptureMode *) {
  return query("cuThreadExchangeStreamCaptureMode");
}

CUresult streamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  std::lock_guard lock(state().mutex);
  state().captures[stream] = 0;
  return record("cuStreamBeginCapture");
}

CUresult streamEndCapture(CUstream stream, CUgraph *graph) {
  std::lock_guard lock(state().mutex);
  auto captured = state().captures.find(stream);
  if (captured == state().captures.end())
    return CUDA_ERROR_INVALID_VALUE;
  *graph = handle<CUgraph>(uintptr_t(0x1000 + captured->second));
  state().captures.erase(captured);
  return record("cuStreamEndCapture");
}

CUresult graphInstantiate(CUgraphExec *instance, CUgraph graph, unsigned long long) {
  std::lock_guard lock(state().mutex);
  CUresult result = record("cuGraphInstantiateWithFlags");
  if (result == CUDA_SUCCESS) {
    *instance = handle<CUgraphExec>(state().nextGraph++);
    state().graphs[*instance] = int(reinterpret_cast<uintptr_t>(graph) - 0x1000);
  }
  return result;
}

CUresult graphDestroy(CUgraph) { return record("cuGraphDestroy"); }
CUresult graphLaunch(CUgraphExec, CUstream) { return record("cuGraphLaunch"); }

CUresult graphExecDestroy(CUgraphExec instance) {
  std::lock_guard lock(state().mutex);
  state().graphs.erase(instance);
  return record("cuGraphExecDestroy");
}

CUresult eventCreate(CUevent *event, unsigned) {
  *event = handle<CUevent>(0x500);
  return record("cuEventCreate");
}

CUresult eventDestroy(CUevent) { return record("cuEventDestroy"); }
CUresult eventRecord(CUevent, CUstream) { return record("cuEventRecord"); }
CUresult eventSynchronize(CUevent) { return record("cuEventSynchronize"); }

CUresult eventElapsedTime(float *milliseconds, CUevent, CUevent) {
  const std::vector<float> &times = state().elapsed;
  *milliseconds = times.empty() ? 1.0f : times[state().nextElapsed++ % times.size()];
  return query("cuEventElapsedTime");
}

CUresult memAlloc(CUdeviceptr *address, size_t bytes) {
  std::lock_guard lock(state().mutex);
  CUresult result = record("cuMemAlloc");
  if (result == CUDA_SUCCESS) {
    *address = state().nextAddress;
    // A gap of a page and more, and the alignment of the driver.
    state().nextAddress += (bytes / 256 + 33) * 256;
    state().memory[*address] = std::string(bytes, '\0');
  }
  return result;
}

CUresult memFree(CUdeviceptr address) {
  std::lock_guard lock(state().mutex);
  state().memory.erase(address);
  return record("cuMemFree");
}

CUresult memGetInfo(size_t *freeBytes, size_t *totalBytes) {
  *freeBytes = 1000;
  *totalBytes = 2000;
  return query("cuMemGetInfo");
}

/// The bytes behind an address inside some allocation.
char *bytesAt(CUdeviceptr address) {
  auto it = --state().memory.upper_bound(address);
  return it->second.data() + (address - it->first);
}

/// The allocation that an address is in; the end when there is none.
std::map<CUdeviceptr, std::string>::iterator allocationOf(CUdeviceptr address) {
  std::map<CUdeviceptr, std::string> &memory = state().memory;
  auto next = memory.upper_bound(address);
  if (next == memory.begin() || address - std::prev(next)->first >= std::prev(next)->second.size())
    return memory.end();
  return std::prev(next);
}

CUresult memGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  std::lock_guard lock(state().mutex);
  auto allocation = allocationOf(address);
  if (allocation == state().memory.end())
    return CUDA_ERROR_NOT_FOUND;
  *base = allocation->first;
  *bytes = allocation->second.size();
  return query("cuMemGetAddressRange");
}

CUresult pointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  std::lock_guard lock(state().mutex);
  auto allocation = allocationOf(address);
  if (allocation == state().memory.end())
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
    *static_cast<CUdeviceptr *>(value) = allocation->first;
  else
    *static_cast<size_t *>(value) = allocation->second.size();
  return query("cuPointerGetAttribute");
}

CUresult memcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  std::lock_guard lock(state().mutex);
  std::memcpy(bytesAt(to), from, bytes);
  return record("cuMemcpyHtoD");
}

CUresult memcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  std::lock_guard lock(state().mutex);
  std::memcpy(to, bytesAt(from), bytes);
  return record("cuMemcpyDtoH");
}

CUresult memcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream) {
  std::lock_guard lock(state().mutex);
  std::memcpy(bytesAt(to), from, bytes);
  return record("cuMemcpyHtoDAsync");
}

CUresult memcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream) {
  std::lock_guard lock(state().mutex);
  std::memcpy(to, bytesAt(from), bytes);
  return record("cuMemcpyDtoHAsync");
}

CUresult memcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  std::lock_guard lock(state().mutex);
  std::memcpy(bytesAt(to), bytesAt(from), bytes);
  return record("cuMemcpyDtoDAsync");
}

CUresult memsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream) {
  std::lock_guard lock(state().mutex);
  std::memset(bytesAt(to), value, count);
  return record("cuMemsetD8Async");
}

CUresult memsetD32Async(CUdeviceptr, unsigned, size_t, CUstream) {
  return record("cuMemsetD32Async");
}

} // namespace

DriverTable table() {
  DriverTable result;
#define TILECRT_CUDA_FUNCTION(member, base, exported, parameters) result.member = member;
#include "tilecrt/cuda/DriverFunctions.inc"
#undef TILECRT_CUDA_FUNCTION
  return result;
}

State::State() {
  deviceAttributes = {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
                      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
                      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
                      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
                      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
                      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
                      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
                      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
                      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
                      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
                      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
                      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2619000},
                      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 5120},
                      {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1}};
  functionAttributes = {{CU_FUNC_ATTRIBUTE_NUM_REGS, 40},
                        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0},
                        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0},
                        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024}};
}

void resetState() {
  currentContext = nullptr;
  State &all = state();
  all.~State();
  new (&all) State();
}

} // namespace tilecrt::cuda::fake
