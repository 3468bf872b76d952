// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch that is measured with different code: before each measurement the memory that it may
// change is as it was at first.

#ifndef TILEC_LIB_API_LAUNCHBENCH_H
#define TILEC_LIB_API_LAUNCHBENCH_H

#include "DeviceObjects.h"

#include "tilec/Tuning/Tuner.h"

namespace tilec::api {

class LaunchBench {
public:
  /// The launch's values stay the caller's.
  LaunchBench(std::shared_ptr<RunDevice> on, const tilec_device_launch &given,
              tilecrt::cuda::MeasureOptions how)
      : device(std::move(on)), launch(given), options(how) {}
  /// Frees the copies.
  ~LaunchBench();

  /// Copies the memory, in device memory or, where there is not enough, in host memory. `cleared`
  /// becomes zero before each measurement.
  tilec_status save(std::vector<MemoryRange> changed, std::vector<MemoryRange> cleared);
  /// Gives the memory back what it held.
  tilec_status restore();

  /// An out-of-date handle of the device, wrong arguments and faults of the kernel are problems of
  /// the measurement.
  Measurement measure(std::shared_ptr<const CompiledKernel> kernel, std::array<uint32_t, 3> grid,
                      double milliseconds);

private:
  struct Copy {
    MemoryRange range;
    void *onDevice = nullptr;
    std::vector<char> onHost;
  };
  tilec_status measure(std::shared_ptr<const CompiledKernel> kernel, double milliseconds,
                       double &cost);

  std::shared_ptr<RunDevice> device;
  tilec_device_launch launch;
  tilecrt::cuda::MeasureOptions options;
  std::vector<Copy> copies;
  std::vector<MemoryRange> zeros;
};

} // namespace tilec::api

#endif // TILEC_LIB_API_LAUNCHBENCH_H
