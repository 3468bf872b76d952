// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the function table from the installed driver: cuGetProcAddress at the pinned API version
// first, the exported symbol where that does not know a name. Also the conversion of the driver's
// results.

#include "tilecrt/cuda/DriverTable.h"

#include <dlfcn.h>

#include <cstring>

namespace tilecrt::cuda {

namespace {

/// cuGetProcAddress as drivers from 12.0 (with a status result) and from 11.3 export it.
using GetProcAddressV2 = CUresult (*)(const char *, void **, int, uint64_t, int *);
using GetProcAddressV1 = CUresult (*)(const char *, void **, int, uint64_t);

/// Finds functions in one opened library.
class SymbolFinder {
public:
  explicit SymbolFinder(void *library) : handle(library) {
    newGetter = reinterpret_cast<GetProcAddressV2>(dlsym(handle, "cuGetProcAddress_v2"));
    oldGetter = reinterpret_cast<GetProcAddressV1>(dlsym(handle, "cuGetProcAddress"));
  }

  /// Null when the library has no such function.
  void *find(const char *baseName, const char *exportedName) const {
    void *function = nullptr;
    int status = 0;
    if (newGetter && newGetter(baseName, &function, pinnedApiVersion, 0, &status) == CUDA_SUCCESS &&
        function)
      return function;
    function = nullptr;
    if (!newGetter && oldGetter &&
        oldGetter(baseName, &function, pinnedApiVersion, 0) == CUDA_SUCCESS && function)
      return function;
    return dlsym(handle, exportedName);
  }

private:
  void *handle;
  GetProcAddressV2 newGetter = nullptr;
  GetProcAddressV1 oldGetter = nullptr;
};

Result<DriverTable> fillTable(void *library, const std::string &libraryName) {
  SymbolFinder finder(library);
  DriverTable table;
  std::string missing;
  auto note = [&](const char *name) {
    missing += missing.empty() ? "'" : ", '";
    missing += name;
    missing += "'";
  };
#define TILECRT_CUDA_FUNCTION(member, base, exported, parameters)                                  \
  table.member = reinterpret_cast<decltype(table.member)>(finder.find(#base, #exported));          \
  if (!table.member)                                                                               \
    note(#exported);
#include "tilecrt/cuda/DriverFunctions.inc"
#undef TILECRT_CUDA_FUNCTION
  if (missing.empty())
    return table;
  int version = 0;
  bool known = table.driverGetVersion && table.driverGetVersion(&version) == CUDA_SUCCESS;
  return unavailable("the CUDA driver library '" + libraryName + "'" +
                     (known ? " is for CUDA " + apiVersionText(version) + " and" : "") + " lacks " +
                     missing + "; a driver for CUDA " + apiVersionText(pinnedApiVersion) +
                     " or newer is needed");
}

StatusCode codeFor(CUresult result) {
  switch (result) {
  case CUDA_SUCCESS:
    return StatusCode::ok;
  case CUDA_ERROR_OUT_OF_MEMORY:
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    return StatusCode::outOfResources;
  case CUDA_ERROR_NOT_INITIALIZED:
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_STUB_LIBRARY:
  case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_JIT_COMPILATION_DISABLED:
  case CUDA_ERROR_OPERATING_SYSTEM:
  case CUDA_ERROR_SYSTEM_NOT_READY:
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
  case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    return StatusCode::unavailable;
  case CUDA_ERROR_INVALID_VALUE:
  case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_INVALID_SOURCE:
  case CUDA_ERROR_NOT_FOUND:
  case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    return StatusCode::invalidArgument;
  default:
    return StatusCode::deviceError;
  }
}

const char *lastPathPart(const char *path) {
  const char *slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

} // namespace

std::string apiVersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Result<DriverTable> loadDriver(const std::vector<std::string> &libraries) {
  std::string tried;
  for (const std::string &name : libraries) {
    // Never closed: the driver keeps threads and exit handlers of its own.
    if (void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      return fillTable(library, name);
    const char *reason = dlerror();
    tried += (tried.empty() ? "" : "; ") + ("'" + name + "' (") +
             (reason ? reason : "unknown reason") + ")";
  }
  return unavailable("no CUDA driver found: tried " + (tried.empty() ? "no library" : tried));
}

Status toStatus(const DriverTable &table, CUresult result, const char *call, const char *file,
                int line) {
  if (result == CUDA_SUCCESS)
    return Status();
  const char *name = nullptr;
  const char *text = nullptr;
  if (!table.getErrorName || table.getErrorName(result, &name) != CUDA_SUCCESS || !name)
    name = "an unknown error";
  if (!table.getErrorString || table.getErrorString(result, &text) != CUDA_SUCCESS || !text)
    text = "no description";
  return Status(codeFor(result), std::string(call) + " failed with " + name + " (" +
                                     std::to_string(static_cast<int>(result)) + "): " + text +
                                     " (" + lastPathPart(file) + ":" + std::to_string(line) + ")");
}

} // namespace tilecrt::cuda
