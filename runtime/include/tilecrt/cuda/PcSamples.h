// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of the program counters of warps, as data: what the GPU found warps at, and why they did
// not go on.

#ifndef TILECRT_CUDA_PCSAMPLES_H
#define TILECRT_CUDA_PCSAMPLES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilecrt::cuda {

/// Warps that were found at one instruction for one reason.
struct PcCount {
  /// The symbol that the instruction is in, and how many bytes behind its start.
  std::string function;
  uint64_t offset = 0;
  /// Index in PcSamples::reasons.
  size_t reason = 0;
  uint64_t samples = 0;
};

struct PcSamples {
  /// The library's names, "smsp__pcsamp_warps_issue_stalled_long_scoreboard". A sample without an
  /// issue in its cycle counts once more for a reason whose name ends in "_not_issued".
  std::vector<std::string> reasons;
  std::vector<PcCount> counts;
  /// As the library counts them: taken by the hardware, and of these lost on the way.
  uint64_t total = 0, dropped = 0;
  bool isBufferFull = false;
  /// Cycles between samples of one scheduler.
  uint64_t periodCycles = 0;
  /// That were sampled.
  unsigned launches = 0;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_PCSAMPLES_H
