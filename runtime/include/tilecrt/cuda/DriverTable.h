// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's functions as one table of pointers, filled from the installed driver at run time or
// by a test with fakes, and the one conversion from the driver's results to a Status.

#ifndef TILECRT_CUDA_DRIVERTABLE_H
#define TILECRT_CUDA_DRIVERTABLE_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/DriverTypes.h"

#include <string>
#include <vector>

namespace tilecrt::cuda {

/// One pointer per line of DriverFunctions.inc. A loaded table has no null member.
struct DriverTable {
#define TILECRT_CUDA_FUNCTION(member, base, exported, parameters)                                  \
  CUresult(*member) parameters = nullptr;
#include "tilecrt/cuda/DriverFunctions.inc"
#undef TILECRT_CUDA_FUNCTION
};

/// The driver's own name of each member of DriverTable, for messages.
struct DriverFunctionNames {
#define TILECRT_CUDA_FUNCTION(member, base, exported, parameters)                                  \
  static constexpr const char *member = #base;
#include "tilecrt/cuda/DriverFunctions.inc"
#undef TILECRT_CUDA_FUNCTION
};

/// The API version asked of cuGetProcAddress: 12.0, whatever the driver's own version is, so that
/// a newer driver hands out functions with the parameters declared here.
constexpr int pinnedApiVersion = 12000;

/// "12.4" for 12040, as the driver writes a version.
std::string apiVersionText(int version);

/// Opens the first of `libraries` that can be opened and fills a table from it. The library stays
/// open for the life of the process. Fails with `unavailable` and says every name tried and why it
/// did not do, or which function the driver lacks.
Result<DriverTable> loadDriver(const std::vector<std::string> &libraries = {"libcuda.so.1",
                                                                            "libcuda.so"});

/// Success for CUDA_SUCCESS; otherwise a failure whose message keeps the call, the error's name,
/// number and text, and where the call was made:
///   "cuMemAlloc failed with CUDA_ERROR_OUT_OF_MEMORY (2): out of memory (DeviceBuffer.cpp:31)".
/// `file` may be a path; its last part is used.
Status toStatus(const DriverTable &table, CUresult result, const char *call, const char *file,
                int line);

} // namespace tilecrt::cuda

/// Calls a driver function and converts its result: TILECRT_CUDA_CALL(table, memFree, (address)).
#define TILECRT_CUDA_CALL(table, member, arguments)                                                \
  ::tilecrt::cuda::toStatus((table), (table).member arguments,                                     \
                            ::tilecrt::cuda::DriverFunctionNames::member, __FILE__, __LINE__)

/// The Status of a result that a driver function has returned already.
#define TILECRT_CUDA_FAILURE(table, result, member)                                                \
  ::tilecrt::cuda::toStatus((table), (result), ::tilecrt::cuda::DriverFunctionNames::member,       \
                            __FILE__, __LINE__)

/// The same, and a failure is returned from the enclosing function.
#define TILECRT_CUDA_RETURN_IF_ERROR(table, member, arguments)                                     \
  TILECRT_RETURN_IF_ERROR(TILECRT_CUDA_CALL(table, member, arguments))

#endif // TILECRT_CUDA_DRIVERTABLE_H
