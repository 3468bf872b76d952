// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a GPU says of a launch: how long it takes, and where its warps are.

#ifndef TILEC_EXPLAIN_GPURUN_H
#define TILEC_EXPLAIN_GPURUN_H

#include "tilecrt/cuda/PcSamples.h"

#include <optional>
#include <string>

namespace tilec::explain {

struct GpuRun {
  /// Medians in microseconds: after the second cache was overwritten, and without that. Nothing
  /// where it could not be launched.
  std::optional<double> cold, warm;
  std::optional<tilecrt::cuda::PcSamples> samples;
  /// Why there are no times, and why there are no samples.
  std::string notMeasured, noSamples;
};

/// One without times and samples, for that reason.
inline GpuRun notRun(std::string reason) {
  GpuRun none;
  none.notMeasured = none.noSamples = std::move(reason);
  return none;
}

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_GPURUN_H
