// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a compiled kernel on a GPU through the CUDA driver.

#ifndef TILEC_TOOLS_TILEC_GPURUN_H
#define TILEC_TOOLS_TILEC_GPURUN_H

#include "RunOutcome.h"

#include "tilecrt/cuda/Context.h"

namespace tilec::tool {

/// The device's context, or why there is none.
tilecrt::Result<tilecrt::cuda::Context> openGpu(int ordinal);

/// The best target that tilec has for the device: its own with architecture-specific features from
/// sm_90 on, otherwise the newest older one.
tilecrt::Result<std::string> targetFor(const tilecrt::cuda::DeviceProperties &device);

/// Launches the kernel once, copies the arrays back into the plan, and then times repeated
/// launches.
tilecrt::Result<RunOutcome> runOnGpu(const tilecrt::cuda::Context &context,
                                     const CompiledKernel &kernel, RunPlan &plan,
                                     const RunCommand &command);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_GPURUN_H
