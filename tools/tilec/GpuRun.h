// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a compiled kernel on a GPU through the CUDA driver.

#ifndef TILEC_TOOLS_TILEC_GPURUN_H
#define TILEC_TOOLS_TILEC_GPURUN_H

#include "RunOutcome.h"

#include "tilec/Run/RunDevice.h"

namespace tilec::tool {

/// Launches the kernel once, copies the arrays back into the plan, and then times repeated
/// launches.
tilecrt::Result<RunOutcome> runOnGpu(const std::shared_ptr<RunDevice> &device,
                                     const CompiledKernel &kernel, RunPlan &plan,
                                     const RunCommand &command);

/// Launches the kernel once, and then times it; nothing is copied back.
tilecrt::Result<tilecrt::cuda::Timing> timeOnGpu(const std::shared_ptr<RunDevice> &device,
                                                 const CompiledKernel &kernel, RunPlan &plan,
                                                 const tilecrt::cuda::TimingOptions &options);

/// "NVIDIA H200 (cuda:0)".
std::string describeGpu(const RunDevice &device);

/// Compiles for the GPU: to a cubin where there is a ptxas for it, otherwise to PTX, which the
/// driver assembles.
tilecrt::Status aimAtGpu(const tilecrt::cuda::Device &device, CompileOptions &options);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_GPURUN_H
