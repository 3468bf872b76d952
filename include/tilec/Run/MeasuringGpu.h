// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU that launches are timed on, and whose warps are sampled where CUPTI can be had.

#ifndef TILEC_RUN_MEASURINGGPU_H
#define TILEC_RUN_MEASURINGGPU_H

#include "tilec/Explain/GpuRun.h"
#include "tilec/Run/ArrayLaunch.h"

#include "tilecrt/cuda/PcSampler.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

class MeasuringGpu {
public:
  /// Makes a launch of a kernel on a device: what it may touch is there, and the kernel loaded.
  using Bind = llvm::function_ref<tilecrt::Result<std::unique_ptr<ArrayLaunch>>(
      const std::shared_ptr<RunDevice> &)>;

  /// CUPTI is the first of the libraries that can be opened; without it launches are timed alone.
  static tilecrt::Result<std::unique_ptr<MeasuringGpu>>
  open(int ordinal, const std::vector<std::string> &cuptiLibraries, const std::string &driver = "");

  const DeviceInfo &info() const { return device->info(); }

  /// Launches it for its times, then for its samples, each time after the second cache was
  /// overwritten. A launch that fails is an error; samples that cannot be had say why.
  tilecrt::Result<explain::GpuRun> measure(Bind bind, double cyclesPerMicrosecond);

  /// What the arrays of a launch hold behind it, by name.
  tilecrt::Result<std::vector<std::pair<std::string, std::vector<char>>>> outputsOf(Bind bind);

private:
  MeasuringGpu(tilecrt::cuda::Context made, tilecrt::Result<tilecrt::cuda::CuptiTable> library,
               const std::string &driver);
  tilecrt::Result<tilecrt::cuda::PcSamples> sample(Bind bind, unsigned launches,
                                                   unsigned periodLog2);
  tilecrt::Result<tilecrt::cuda::PcSamples> sampleEnough(Bind bind, double microseconds,
                                                         double cyclesPerMicrosecond);

  tilecrt::cuda::SharedContext context;
  std::shared_ptr<RunDevice> device;
  tilecrt::Result<tilecrt::cuda::CuptiTable> cupti;
};

/// How launches of a kernel are sampled that takes so long.
struct SamplingPlan {
  unsigned launches = 1, periodLog2 = 10;
};
SamplingPlan planSampling(double microseconds, double cyclesPerMicrosecond);

} // namespace tilec

#endif // TILEC_RUN_MEASURINGGPU_H
