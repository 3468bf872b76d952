// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares our declarations of the driver's binary interface with cuda.h: sizes, offsets, values.
// Everything is decided by the compiler; the test body only says that the file was there.

#include <cuda.h>

#include "tilecrt/cuda/DriverTable.h"
#include "tilecrt/cuda/DriverTypes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace ours = tilecrt::cuda;

namespace {

#define SAME_VALUE(name) static_assert(static_cast<long>(ours::name) == static_cast<long>(::name))

SAME_VALUE(CUDA_SUCCESS);
SAME_VALUE(CUDA_ERROR_INVALID_VALUE);
SAME_VALUE(CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(CUDA_ERROR_NOT_INITIALIZED);
SAME_VALUE(CUDA_ERROR_DEINITIALIZED);
SAME_VALUE(CUDA_ERROR_STUB_LIBRARY);
SAME_VALUE(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
SAME_VALUE(CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME_VALUE(CUDA_ERROR_NO_DEVICE);
SAME_VALUE(CUDA_ERROR_INVALID_DEVICE);
SAME_VALUE(CUDA_ERROR_INVALID_IMAGE);
SAME_VALUE(CUDA_ERROR_INVALID_CONTEXT);
SAME_VALUE(CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_VALUE(CUDA_ERROR_INVALID_PTX);
SAME_VALUE(CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
SAME_VALUE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_VALUE(CUDA_ERROR_JIT_COMPILATION_DISABLED);
SAME_VALUE(CUDA_ERROR_INVALID_SOURCE);
SAME_VALUE(CUDA_ERROR_OPERATING_SYSTEM);
SAME_VALUE(CUDA_ERROR_INVALID_HANDLE);
SAME_VALUE(CUDA_ERROR_NOT_FOUND);
SAME_VALUE(CUDA_ERROR_NOT_READY);
SAME_VALUE(CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_VALUE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME_VALUE(CUDA_ERROR_LAUNCH_TIMEOUT);
SAME_VALUE(CUDA_ERROR_ASSERT);
SAME_VALUE(CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME_VALUE(CUDA_ERROR_MISALIGNED_ADDRESS);
SAME_VALUE(CUDA_ERROR_LAUNCH_FAILED);
SAME_VALUE(CUDA_ERROR_SYSTEM_NOT_READY);
SAME_VALUE(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME_VALUE(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
SAME_VALUE(CUDA_ERROR_UNKNOWN);

SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);

SAME_VALUE(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME_VALUE(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_VALUE(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);

SAME_VALUE(CU_JIT_MAX_REGISTERS);
SAME_VALUE(CU_JIT_INFO_LOG_BUFFER);
SAME_VALUE(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(CU_JIT_ERROR_LOG_BUFFER);
SAME_VALUE(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(CU_JIT_OPTIMIZATION_LEVEL);
SAME_VALUE(CU_JIT_LOG_VERBOSE);
SAME_VALUE(CU_JIT_GENERATE_LINE_INFO);

SAME_VALUE(CU_STREAM_DEFAULT);
SAME_VALUE(CU_STREAM_NON_BLOCKING);
SAME_VALUE(CU_EVENT_DEFAULT);
SAME_VALUE(CU_EVENT_DISABLE_TIMING);
SAME_VALUE(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME_VALUE(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

#define SAME_LAYOUT(type)                                                                          \
  static_assert(sizeof(ours::type) == sizeof(::type) && alignof(ours::type) == alignof(::type))
#define SAME_OFFSET(type, member)                                                                  \
  static_assert(offsetof(ours::type, member) == offsetof(::type, member))

SAME_LAYOUT(CUresult);
SAME_LAYOUT(CUdevice);
SAME_LAYOUT(CUcontext);
SAME_LAYOUT(CUmodule);
SAME_LAYOUT(CUfunction);
SAME_LAYOUT(CUstream);
SAME_LAYOUT(CUevent);
SAME_LAYOUT(CUdeviceptr);
SAME_LAYOUT(CUdevice_attribute);
SAME_LAYOUT(CUfunction_attribute);
SAME_LAYOUT(CUjit_option);
SAME_LAYOUT(CUlaunchAttributeID);
SAME_LAYOUT(CUlaunchAttributeValue);
SAME_LAYOUT(CUlaunchAttribute);
SAME_LAYOUT(CUlaunchConfig);

SAME_OFFSET(CUlaunchAttribute, id);
SAME_OFFSET(CUlaunchAttribute, value);
SAME_OFFSET(CUlaunchAttributeValue, clusterDim.x);
SAME_OFFSET(CUlaunchAttributeValue, clusterDim.y);
SAME_OFFSET(CUlaunchAttributeValue, clusterDim.z);
SAME_OFFSET(CUlaunchConfig, gridDimX);
SAME_OFFSET(CUlaunchConfig, gridDimZ);
SAME_OFFSET(CUlaunchConfig, blockDimX);
SAME_OFFSET(CUlaunchConfig, blockDimZ);
SAME_OFFSET(CUlaunchConfig, sharedMemBytes);
SAME_OFFSET(CUlaunchConfig, hStream);
SAME_OFFSET(CUlaunchConfig, attrs);
SAME_OFFSET(CUlaunchConfig, numAttrs);

/// The number of parameters and the size of each; the types themselves are ours against theirs.
template <typename Ours, typename Theirs> struct SameSignature : std::false_type {};
template <typename... A, typename... B>
struct SameSignature<ours::CUresult (*)(A...), ::CUresult (*)(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return ((sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>) && ...);
  }();
};

// The suffixed names are spelled out: cuda.h maps the plain ones by macros, to a later version of
// cuEventElapsedTime than the pinned one, with the same parameters.
#define TILECRT_CUDA_FUNCTION(member, base, exported, parameters)                                  \
  static_assert(SameSignature<decltype(ours::DriverTable::member), decltype(&::exported)>::value,  \
                #exported);
#include "tilecrt/cuda/DriverFunctions.inc"
#undef TILECRT_CUDA_FUNCTION

TEST(DriverAbi, declarations_equal_cuda_h) { SUCCEED() << "checked against " << CUDA_VERSION; }

} // namespace
