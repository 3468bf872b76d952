// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Pruning.h. Peaks are those of an H200 (sm_90), an A100 (sm_8x) and a B200 (sm_10x) for
// each multiprocessor; only ratios between configurations of one kernel are decided by them.

#include "tilec/Tuning/Pruning.h"

#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Explain/GpuLimits.h"
#include "tilec/Target/Occupancy.h"

#include <algorithm>
#include <cmath>

namespace tilec {

std::optional<std::string> refuse(const KernelEstimate &estimate, const TuningTarget &target) {
  int64_t limit = target.processor->maxSharedBytesPerCta();
  if (estimate.sharedBytes > limit)
    return "its " + std::to_string(estimate.numStages) + " stages take " +
           std::to_string(estimate.sharedBytes) + " bytes of shared memory, of " +
           std::to_string(limit);
  if (estimate.numWarps * Processor::kWarpSize > Processor::kMaxThreadsPerCta)
    return std::to_string(estimate.numWarps) + " warps are more than a CTA can have";
  if (estimate.carriedRegisters > Processor::kMaxRegistersPerThread)
    return "its loop carries " + std::to_string(estimate.carriedRegisters) +
           " registers per thread, of " + std::to_string(Processor::kMaxRegistersPerThread);
  return std::nullopt;
}

std::optional<std::string> refuse(const tilecrt::KernelMetadata &metadata,
                                  const TuningTarget &target) {
  int64_t shared = int64_t(metadata.dynamicSharedBytes) + metadata.staticSharedBytes;
  int64_t limit = target.processor->maxSharedBytesPerCta();
  if (shared > limit)
    return "it takes " + std::to_string(shared) + " bytes of shared memory, of " +
           std::to_string(limit);
  CtaFootprint footprint;
  footprint.threads = int(metadata.threadsPerCta);
  footprint.registersPerThread = std::max(metadata.registers, 0);
  footprint.sharedBytes = int(shared);
  if (residentCtas(*target.processor, footprint) < 1)
    return "no program of " + std::to_string(metadata.threadsPerCta) + " threads with " +
           std::to_string(metadata.registers) + " registers fits on a multiprocessor";
  return std::nullopt;
}

std::optional<double> rooflineMicroseconds(const KernelEstimate &estimate,
                                           const std::array<uint32_t, 3> &grid,
                                           const TuningTarget &target, uint32_t splitK) {
  if (!estimate.isWorkKnown)
    return std::nullopt;
  double programs = double(grid[0]) * grid[1] * grid[2];
  double program = estimate.globalBytes / target.processor->cacheBytesPerMicrosecond;
  if (estimate.operandBits != 0)
    program = std::max(program, estimate.tensorOps / explain::tensorOpsPerMicrosecond(
                                                         *target.processor, estimate.operandBits));
  return program / splitK * std::ceil(programs * splitK / target.multiprocessors);
}

} // namespace tilec
