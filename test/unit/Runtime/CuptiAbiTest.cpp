// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares our declarations of CUPTI's binary interface with its headers: sizes, offsets, values.
// Everything is decided by the compiler; the test body only says that the files were there.

#include <cuda.h>
#include <cupti_pcsampling.h>
#include <cupti_result.h>

#include "tilecrt/cuda/CuptiTypes.h"
#include "tilecrt/cuda/PcSampler.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace ours = tilecrt::cuda;

namespace {

#define SAME_VALUE(name) static_assert(static_cast<long>(ours::name) == static_cast<long>(::name))

SAME_VALUE(CUPTI_SUCCESS);
SAME_VALUE(CUPTI_ERROR_INVALID_PARAMETER);
SAME_VALUE(CUPTI_ERROR_INVALID_OPERATION);
SAME_VALUE(CUPTI_ERROR_OUT_OF_MEMORY);
SAME_VALUE(CUPTI_ERROR_HARDWARE_BUSY);
SAME_VALUE(CUPTI_ERROR_NOT_SUPPORTED);
SAME_VALUE(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME_VALUE(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME_VALUE(CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS);
SAME_VALUE(CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED);
SAME_VALUE(CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED);
SAME_VALUE(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD);
SAME_VALUE(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE);
SAME_VALUE(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE);
SAME_VALUE(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE);
SAME_VALUE(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL);
SAME_VALUE(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT);
SAME_VALUE(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER);
static_assert(ours::cuptiReasonNameBytes == CUPTI_STALL_REASON_STRING_SIZE);

#define SAME_STRUCT(type) static_assert(sizeof(ours::type) == sizeof(::type))
#define SAME_MEMBER(type, member)                                                                  \
  static_assert(offsetof(ours::type, member) == offsetof(::type, member) &&                        \
                sizeof(ours::type::member) == sizeof(::type::member))

SAME_STRUCT(CUpti_PCSamplingStallReason);
SAME_MEMBER(CUpti_PCSamplingStallReason, pcSamplingStallReasonIndex);
SAME_MEMBER(CUpti_PCSamplingStallReason, samples);

SAME_STRUCT(CUpti_PCSamplingPCData);
SAME_MEMBER(CUpti_PCSamplingPCData, size);
SAME_MEMBER(CUpti_PCSamplingPCData, cubinCrc);
SAME_MEMBER(CUpti_PCSamplingPCData, pcOffset);
SAME_MEMBER(CUpti_PCSamplingPCData, functionIndex);
SAME_MEMBER(CUpti_PCSamplingPCData, functionName);
SAME_MEMBER(CUpti_PCSamplingPCData, stallReasonCount);
SAME_MEMBER(CUpti_PCSamplingPCData, stallReason);
SAME_MEMBER(CUpti_PCSamplingPCData, correlationId);

SAME_STRUCT(CUpti_PCSamplingData);
SAME_MEMBER(CUpti_PCSamplingData, size);
SAME_MEMBER(CUpti_PCSamplingData, collectNumPcs);
SAME_MEMBER(CUpti_PCSamplingData, totalSamples);
SAME_MEMBER(CUpti_PCSamplingData, droppedSamples);
SAME_MEMBER(CUpti_PCSamplingData, totalNumPcs);
SAME_MEMBER(CUpti_PCSamplingData, remainingNumPcs);
SAME_MEMBER(CUpti_PCSamplingData, rangeId);
SAME_MEMBER(CUpti_PCSamplingData, pPcData);
SAME_MEMBER(CUpti_PCSamplingData, nonUsrKernelsTotalSamples);
SAME_MEMBER(CUpti_PCSamplingData, hardwareBufferFull);

SAME_STRUCT(CUpti_PCSamplingConfigurationInfo);
SAME_MEMBER(CUpti_PCSamplingConfigurationInfo, attributeType);
SAME_MEMBER(CUpti_PCSamplingConfigurationInfo, attributeStatus);
SAME_MEMBER(CUpti_PCSamplingConfigurationInfo, attributeData);

SAME_STRUCT(CUpti_PCSamplingConfigurationInfoParams);
SAME_MEMBER(CUpti_PCSamplingConfigurationInfoParams, ctx);
SAME_MEMBER(CUpti_PCSamplingConfigurationInfoParams, numAttributes);
SAME_MEMBER(CUpti_PCSamplingConfigurationInfoParams, pPCSamplingConfigurationInfo);
SAME_STRUCT(CUpti_PCSamplingGetDataParams);
SAME_MEMBER(CUpti_PCSamplingGetDataParams, ctx);
SAME_MEMBER(CUpti_PCSamplingGetDataParams, pcSamplingData);
SAME_STRUCT(CUpti_PCSamplingGetNumStallReasonsParams);
SAME_MEMBER(CUpti_PCSamplingGetNumStallReasonsParams, numStallReasons);
SAME_STRUCT(CUpti_PCSamplingGetStallReasonsParams);
SAME_MEMBER(CUpti_PCSamplingGetStallReasonsParams, numStallReasons);
SAME_MEMBER(CUpti_PCSamplingGetStallReasonsParams, stallReasonIndex);
SAME_MEMBER(CUpti_PCSamplingGetStallReasonsParams, stallReasons);

#define SAME_CONTEXT(type)                                                                         \
  static_assert(sizeof(ours::CUpti_PCSamplingContextParams) == sizeof(::type) &&                   \
                offsetof(ours::CUpti_PCSamplingContextParams, ctx) == offsetof(::type, ctx))
SAME_CONTEXT(CUpti_PCSamplingEnableParams);
SAME_CONTEXT(CUpti_PCSamplingDisableParams);
SAME_CONTEXT(CUpti_PCSamplingStartParams);
SAME_CONTEXT(CUpti_PCSamplingStopParams);

// The sizes that structs say are what the headers' macros give.
static_assert(sizeof(::CUpti_PCSamplingGetStallReasonsParams) ==
              CUpti_PCSamplingGetStallReasonsParamsSize);
static_assert(sizeof(::CUpti_PCSamplingConfigurationInfoParams) ==
              CUpti_PCSamplingConfigurationInfoParamsSize);
static_assert(sizeof(::CUpti_PCSamplingEnableParams) == CUpti_PCSamplingEnableParamsSize);

TEST(CuptiAbi, declarations_agree_with_the_headers) {
#define TILECRT_CUPTI_FUNCTION(member, exported, parameters)                                       \
  static_assert(std::is_function_v<std::remove_reference_t<decltype(::exported)>>);
#include "tilecrt/cuda/CuptiFunctions.inc"
#undef TILECRT_CUPTI_FUNCTION
}

} // namespace
