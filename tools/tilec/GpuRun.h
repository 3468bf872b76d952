// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a compiled kernel on a GPU through the CUDA driver.

#ifndef TILEC_TOOLS_TILEC_GPURUN_H
#define TILEC_TOOLS_TILEC_GPURUN_H

#include "RunOutcome.h"

#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/TimeKernel.h"

namespace tilec::tool {

/// The driver's device, or why there is none.
tilecrt::Result<tilecrt::cuda::Device> openGpuDevice(int ordinal);

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

/// Launches the kernel once, and then times it; nothing is copied back.
tilecrt::Result<tilecrt::cuda::Timing> timeOnGpu(const tilecrt::cuda::Context &context,
                                                 const CompiledKernel &kernel, RunPlan &plan,
                                                 const tilecrt::cuda::TimingOptions &options);

/// Launches the kernel once on fresh copies of the arrays, then times as many launches as fit.
tilecrt::Result<tilecrt::cuda::Timing> measureOnGpu(const tilecrt::cuda::Context &context,
                                                    const CompiledKernel &kernel, RunPlan &plan,
                                                    const tilecrt::cuda::MeasureOptions &options);

/// "NVIDIA H200 (cuda:0)".
std::string describeGpu(const tilecrt::cuda::Context &context);

/// Compiles for the GPU: to a cubin where there is a ptxas for it, otherwise to PTX, which the
/// driver assembles.
tilecrt::Status aimAtGpu(const tilecrt::cuda::Device &device, CompileOptions &options);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_GPURUN_H
