//===- All operations of the tilegpu dialect ---------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUOPS_TD

include "dialects/TileGPU/TileGPULayoutOps.td"
include "dialects/TileGPU/TileGPUThreadOps.td"
include "dialects/TileGPU/TileGPUAtomicOps.td"
include "dialects/TileGPU/TileGPUScanOps.td"
include "dialects/TileGPU/TileGPUMatrixOps.td"
include "dialects/TileGPU/TileGPUAsyncOps.td"
include "dialects/TileGPU/TileGPURegisterOps.td"
include "dialects/TileGPU/TileGPUTensorCoreOps.td"
include "dialects/TileGPU/TileGPUTensorCopyOps.td"
include "dialects/TileGPU/TileGPURoleOps.td"
include "dialects/TileGPU/TileGPUClusterOps.td"
include "dialects/TileGPU/TileGPUProgramOps.td"
include "dialects/TileGPU/TileGPUSchedulerOps.td"
include "dialects/TileGPU/TileGPUTensorMapOps.td"
include "dialects/TileGPU/TileGPUTimelineOps.td"

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUOPS_TD
