// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch that is made many times: checked and packed once, updated in place. What is left at each
// launch is the driver's own call.

#ifndef TILECRT_CUDA_PREPAREDLAUNCH_H
#define TILECRT_CUDA_PREPAREDLAUNCH_H

#include "tilecrt/KernelMetadata.h"
#include "tilecrt/Result.h"
#include "tilecrt/cuda/Module.h"
#include "tilecrt/cuda/ProgramArguments.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tilecrt::cuda {

/// Encodes one of a kernel's tensor maps. `arguments` points to the values of the kernel's
/// arguments; a context must be current.
Status encodeTensorMap(const KernelMetadata &metadata, const TensorMapArgument &map,
                       const void *const *arguments, const DriverTable &driver,
                       CUtensorMap &encoded);

/// invalidArgument, with the argument's name, when a value is not what the kernel was compiled for.
Status checkArgument(const KernelMetadata &metadata, size_t index, const void *data, size_t size);

/// invalidArgument when a launch has other clusters than those that the kernel was compiled for.
Status checkCluster(const KernelMetadata &metadata, const LaunchShape &shape);

/// A packed launch of one kernel. Not for two threads at once.
class PreparedLaunch {
public:
  /// `arguments` points to one value for each of the metadata's arguments, of the size that it
  /// says. The kernel and its metadata are kept.
  static Result<PreparedLaunch> create(std::shared_ptr<Kernel> kernel,
                                       std::shared_ptr<const KernelMetadata> metadata,
                                       const LaunchShape &shape, const void *const *arguments);

  /// A tensor map that is made from the argument is encoded again at the next launch if the value
  /// differs.
  Status setArgument(size_t index, const void *data, size_t size);
  Status setGrid(const Dim3 &grid);
  /// Queues the launch. Allocates nothing, unless it fails.
  Status launch(CUstream stream);
  /// One pointer to each argument's present value.
  const void *const *arguments() const { return addresses.data(); }
  const LaunchShape &launchShape() const { return shape; }

  const std::shared_ptr<Kernel> &kernel() const { return function; }

private:
  struct alignas(16) Slot {
    unsigned char bytes[16];
  };

  PreparedLaunch() = default;
  Status encodeStaleMaps();
  void takeGrid(const Dim3 &grid);

  std::shared_ptr<Kernel> function;
  std::shared_ptr<const KernelMetadata> metadata;
  LaunchShape shape;
  LaunchSetup setup;
  std::vector<Slot> slots;
  std::vector<CUtensorMap> maps;
  /// Of a persistent kernel. On the heap, as all that the driver is given addresses of.
  std::unique_ptr<ProgramArguments> programs;
  /// One pointer per argument and tensor map, and to those that a persistent kernel has besides.
  std::vector<void *> addresses;
  /// For each argument, the tensor maps that are made from it, as bits; the last bit stands for all
  /// maps from its number on.
  std::vector<uint64_t> mapsOfArgument;
  uint64_t staleMaps = 0;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_PREPAREDLAUNCH_H
