// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters in device memory from which the CTAs of persistent launches take programs
// (KernelMetadata::hasProgramCounter). A launch leaves its counter at zero.

#ifndef TILECRT_CUDA_PROGRAMCOUNTERS_H
#define TILECRT_CUDA_PROGRAMCOUNTERS_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/DriverTable.h"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace tilecrt::cuda {

/// The counters of one context. A stream has one, as its launches run one after the other; a launch
/// that is captured has one of its own, as its graph may be launched on any stream. For any thread.
class ProgramCounters {
public:
  /// The address of the counter for a launch on `stream`. The context is current.
  Result<CUdeviceptr> find(const DriverTable &table, CUstream stream);
  /// Frees them. The context is current, and no launch runs.
  void release(const DriverTable &table);

private:
  Result<CUdeviceptr> make(const DriverTable &table);
  Status addPage(const DriverTable &table);

  std::mutex mutex;
  /// By the stream's number, which no later stream has.
  std::unordered_map<unsigned long long, CUdeviceptr> ofStream;
  std::vector<CUdeviceptr> pages;
  /// Counters of the last page that are in use.
  size_t used = 0;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_PROGRAMCOUNTERS_H
