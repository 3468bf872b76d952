// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch that is measured with different code: before each measurement the memory that it may
// change is as it was at first.

#ifndef TILEC_RUN_LAUNCHBENCH_H
#define TILEC_RUN_LAUNCHBENCH_H

#include "tilec/Run/ArgumentBytes.h"
#include "tilec/Run/RunDevice.h"
#include "tilec/Tuning/Tuner.h"

namespace tilec {

/// What is the same for all code.
struct BenchLaunch {
  /// The values of a kernel's arguments.
  std::function<tilecrt::Result<ArgumentBytes>(const tilecrt::KernelMetadata &)> arguments;
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  bool isProgrammatic = false, isCooperative = false;
  void *stream = nullptr;
  /// Of a simulator that checks: all memory that a kernel may touch; null: nothing is checked.
  std::function<std::vector<tilecrt::sim::Buffer>(const tilecrt::KernelMetadata &)> buffers;
};

/// Everything is queued on the launch's stream.
class LaunchBench {
public:
  LaunchBench(std::shared_ptr<RunDevice> on, BenchLaunch measured,
              tilecrt::cuda::MeasureOptions how)
      : device(std::move(on)), launch(std::move(measured)), options(how) {}
  LaunchBench(const LaunchBench &) = delete;
  LaunchBench &operator=(const LaunchBench &) = delete;
  /// Frees the copies.
  ~LaunchBench();

  /// Copies the memory, in device memory or, where there is not enough, in host memory. `cleared`
  /// becomes zero before each measurement.
  tilecrt::Status save(std::vector<MemoryRange> changed, std::vector<MemoryRange> cleared);
  /// Gives the memory back what it held.
  tilecrt::Status restore();

  /// Wrong arguments and faults of the kernel are problems of the measurement.
  Measurement measure(std::shared_ptr<const CompiledKernel> kernel, std::array<uint32_t, 3> grid,
                      double milliseconds);

private:
  struct Copy {
    MemoryRange range;
    void *onDevice = nullptr;
    std::vector<char> onHost;
  };
  tilecrt::Result<tilecrt::cuda::Timing> timingOf(std::shared_ptr<const CompiledKernel> kernel,
                                                  std::array<uint32_t, 3> grid,
                                                  double milliseconds);
  /// The simulator's cost of a launch without findings.
  tilecrt::Result<double> check(RunFunction &function, LaunchRequest &request);

  std::shared_ptr<RunDevice> device;
  BenchLaunch launch;
  tilecrt::cuda::MeasureOptions options;
  std::vector<Copy> copies;
  std::vector<MemoryRange> zeros;
};

} // namespace tilec

#endif // TILEC_RUN_LAUNCHBENCH_H
