// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of CUPTI's binary interface that sampling of program counters takes, declared here as
// DriverTypes.h declares the driver's, from its public documentation. A unit test compares every
// size, offset and value with cupti_pcsampling.h on machines that have it. Structs say their own
// size to the library, so that a newer one with further members takes these.

#ifndef TILECRT_CUDA_CUPTITYPES_H
#define TILECRT_CUDA_CUPTITYPES_H

#include "tilecrt/cuda/DriverTypes.h"

// CUPTI's spelling is kept, against the naming rule of this project.
// NOLINTBEGIN(readability-identifier-naming)
namespace tilecrt::cuda {

/// The results that the runtime tells apart; the library may return others.
enum CUptiResult : int {
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_INVALID_PARAMETER = 1,
  CUPTI_ERROR_INVALID_OPERATION = 7,
  CUPTI_ERROR_OUT_OF_MEMORY = 8,
  CUPTI_ERROR_HARDWARE_BUSY = 26,
  CUPTI_ERROR_NOT_SUPPORTED = 27,
  CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
  CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40
};

/// Room for the name of a stall reason: CUPTI_STALL_REASON_STRING_SIZE, a macro there.
constexpr size_t cuptiReasonNameBytes = 128;

enum CUpti_PCSamplingCollectionMode : int {
  CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS = 1,
  CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED = 2
};

enum CUpti_PCSamplingOutputDataFormat : int { CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED = 1 };

enum CUpti_PCSamplingConfigurationAttributeType : int {
  CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD = 1,
  CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE = 3,
  CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE = 4,
  CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE = 5,
  CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL = 6,
  CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT = 7,
  CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER = 8
};

struct CUpti_PCSamplingStallReason {
  uint32_t pcSamplingStallReasonIndex;
  uint32_t samples;
};

/// The samples of one instruction.
struct CUpti_PCSamplingPCData {
  size_t size;
  uint64_t cubinCrc;
  /// In bytes from the start of the function.
  uint64_t pcOffset;
  uint32_t functionIndex;
  uint32_t pad;
  char *functionName;
  /// Room before, filled in after.
  size_t stallReasonCount;
  CUpti_PCSamplingStallReason *stallReason;
  uint32_t correlationId;
};

struct CUpti_PCSamplingData {
  size_t size;
  /// Room in pPcData.
  size_t collectNumPcs;
  uint64_t totalSamples;
  uint64_t droppedSamples;
  /// Filled in, and still to be had by another call.
  size_t totalNumPcs;
  size_t remainingNumPcs;
  uint64_t rangeId;
  CUpti_PCSamplingPCData *pPcData;
  uint64_t nonUsrKernelsTotalSamples;
  uint8_t hardwareBufferFull;
};

struct CUpti_PCSamplingConfigurationInfo {
  CUpti_PCSamplingConfigurationAttributeType attributeType;
  CUptiResult attributeStatus;
  union {
    uint64_t data[3];
    uint32_t samplingPeriod;
    size_t scratchBufferSize;
    size_t hardwareBufferSize;
    CUpti_PCSamplingCollectionMode collectionMode;
    uint32_t enableStartStopControl;
    CUpti_PCSamplingOutputDataFormat outputDataFormat;
    void *samplingDataBuffer;
  } attributeData;
};

struct CUpti_PCSamplingConfigurationInfoParams {
  size_t size;
  void *pPriv;
  CUcontext ctx;
  size_t numAttributes;
  CUpti_PCSamplingConfigurationInfo *pPCSamplingConfigurationInfo;
};

struct CUpti_PCSamplingGetDataParams {
  size_t size;
  void *pPriv;
  CUcontext ctx;
  void *pcSamplingData;
};

/// Of enabling and disabling, of starting and stopping: four names in CUPTI.
struct CUpti_PCSamplingContextParams {
  size_t size;
  void *pPriv;
  CUcontext ctx;
};

struct CUpti_PCSamplingGetNumStallReasonsParams {
  size_t size;
  void *pPriv;
  CUcontext ctx;
  size_t *numStallReasons;
};

struct CUpti_PCSamplingGetStallReasonsParams {
  size_t size;
  void *pPriv;
  CUcontext ctx;
  size_t numStallReasons;
  uint32_t *stallReasonIndex;
  char **stallReasons;
};

} // namespace tilecrt::cuda
// NOLINTEND(readability-identifier-naming)

#endif // TILECRT_CUDA_CUPTITYPES_H
