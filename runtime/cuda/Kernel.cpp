// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching: every limit is compared with the device's and the kernel's own first, so that a bad
// launch is an error with numbers and not a driver failure that poisons the context.

#include "tilecrt/cuda/Module.h"

#include "tilecrt/KernelMetadata.h"

#include <algorithm>
#include <utility>

namespace tilecrt::cuda {

namespace {

/// Cluster sizes up to this run everywhere; up to the second only where the kernel opts in.
constexpr uint64_t portableClusterSize = 8;
constexpr uint64_t largestClusterSize = 16;

std::string toText(const Dim3 &extent) {
  return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " +
         std::to_string(extent.z);
}

Status checkExtent(const char *what, const Dim3 &extent, const int (&limits)[3]) {
  const std::pair<const char *, uint64_t> dimensions[] = {
      {"x", extent.x}, {"y", extent.y}, {"z", extent.z}};
  for (int i = 0; i < 3; ++i) {
    auto [axis, value] = dimensions[i];
    if (value == 0)
      return invalidArgument(std::string(what) + " is " + toText(extent) +
                             ", every dimension must be at least 1");
    if (value > uint64_t(limits[i]))
      return invalidArgument(std::string(what) + " is " + toText(extent) + ", its " + axis +
                             " dimension is limited to " + std::to_string(limits[i]));
  }
  return Status();
}

Status checkPersistent(const LaunchShape &shape) {
  if (shape.residentBlocks == 0)
    return Status();
  // The limits of the device keep the product of two from wrapping around.
  if (shape.grid.x * shape.grid.y > maxPersistentPrograms / shape.grid.z)
    return invalidArgument("the grid is " + toText(shape.grid) + ", more than " +
                           std::to_string(maxPersistentPrograms) +
                           " programs, the limit of a persistent kernel");
  return Status();
}

/// That the blocks of a checked grid of programs are not too many, either.
Status checkSplit(const LaunchShape &shape, const DeviceProperties &device) {
  uint64_t blocks = ctasAlongX(shape.grid.x, shape.splitK);
  if (shape.residentBlocks != 0 || blocks <= uint64_t(device.maxGrid[0]))
    return Status();
  return invalidArgument("the grid is " + toText(shape.grid) + " programs of " +
                         std::to_string(shape.splitK) + " blocks each, " + std::to_string(blocks) +
                         " blocks in x; the limit is " + std::to_string(device.maxGrid[0]));
}

Status checkCluster(const LaunchShape &shape, const DeviceProperties &device) {
  const Dim3 &cluster = shape.cluster;
  const int limits[3] = {int(largestClusterSize), int(largestClusterSize), int(largestClusterSize)};
  TILECRT_RETURN_IF_ERROR(checkExtent("the cluster", cluster, limits));
  uint64_t blocks = cluster.x * cluster.y * cluster.z;
  if (blocks == 1)
    return Status();
  if (!device.clusterLaunch)
    return invalidArgument("the cluster is " + toText(cluster) + ", '" + device.archName() +
                           "' has no clusters");
  if (blocks > largestClusterSize)
    return invalidArgument("the cluster is " + toText(cluster) + ", " + std::to_string(blocks) +
                           " blocks; the limit is " + std::to_string(largestClusterSize));
  // The blocks of a persistent kernel are whole clusters, whatever programs they run.
  bool isWhole = ctasAlongX(shape.grid.x, shape.splitK) % cluster.x == 0 &&
                 shape.grid.y % cluster.y == 0 && shape.grid.z % cluster.z == 0;
  if (!isWhole && shape.residentBlocks == 0)
    return invalidArgument("the grid is " + toText(shape.grid) +
                           ", not a multiple of the cluster " + toText(cluster));
  return Status();
}

uint64_t clusterBlocks(const LaunchShape &shape) {
  return shape.cluster.x * shape.cluster.y * shape.cluster.z;
}

} // namespace

Dim3 launchedGrid(const LaunchShape &shape) {
  uint64_t row = ctasAlongX(shape.grid.x, shape.splitK);
  if (shape.residentBlocks == 0)
    return {row, shape.grid.y, shape.grid.z};
  // Whole clusters: a block for which no program is left has nothing to do.
  uint64_t blocks = persistentCtas(row * shape.grid.y * shape.grid.z, shape.residentBlocks),
           cluster = clusterBlocks(shape);
  return {(blocks + cluster - 1) / cluster * cluster, 1, 1};
}

LaunchSetup makeLaunchSetup(const LaunchShape &shape) {
  LaunchSetup setup;
  CUlaunchConfig &config = setup.config;
  Dim3 grid = launchedGrid(shape);
  config.gridDimX = unsigned(grid.x);
  config.gridDimY = unsigned(grid.y);
  config.gridDimZ = unsigned(grid.z);
  config.blockDimX = unsigned(shape.block.x);
  config.blockDimY = unsigned(shape.block.y);
  config.blockDimZ = unsigned(shape.block.z);
  config.sharedMemBytes = unsigned(shape.dynamicSharedBytes);
  if (clusterBlocks(shape) > 1) {
    CUlaunchAttribute &cluster = setup.attributes[config.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    bool isRow = shape.residentBlocks != 0;
    cluster.value.clusterDim.x = unsigned(isRow ? clusterBlocks(shape) : shape.cluster.x);
    cluster.value.clusterDim.y = unsigned(isRow ? 1 : shape.cluster.y);
    cluster.value.clusterDim.z = unsigned(isRow ? 1 : shape.cluster.z);
  }
  if (shape.programmatic) {
    CUlaunchAttribute &programmatic = setup.attributes[config.numAttrs++];
    programmatic.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    programmatic.value.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cooperative) {
    CUlaunchAttribute &cooperative = setup.attributes[config.numAttrs++];
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
  }
  return setup;
}

Status Kernel::checkLaunch(const LaunchShape &shape) const {
  const DeviceProperties &device = owner->context()->device().properties();
  auto check = [&]() -> Status {
    TILECRT_RETURN_IF_ERROR(checkExtent("the grid", shape.grid, device.maxGrid));
    TILECRT_RETURN_IF_ERROR(checkExtent("the block", shape.block, device.maxBlock));
    // The three factors are within the device's limits, so the product cannot wrap around.
    uint64_t threads = shape.block.x * shape.block.y * shape.block.z;
    if (threads > uint64_t(device.maxThreadsPerBlock))
      return invalidArgument("the block is " + toText(shape.block) + ", " +
                             std::to_string(threads) + " threads; the device's limit is " +
                             std::to_string(device.maxThreadsPerBlock));
    if (threads > uint64_t(facts.maxThreadsPerBlock))
      return invalidArgument("the block is " + toText(shape.block) + ", " +
                             std::to_string(threads) + " threads; with " +
                             std::to_string(facts.registers) +
                             " registers per thread the kernel's limit is " +
                             std::to_string(facts.maxThreadsPerBlock));
    uint64_t room = uint64_t(device.sharedPerBlockOptIn) -
                    std::min<uint64_t>(device.sharedPerBlockOptIn, facts.staticSharedBytes);
    if (shape.dynamicSharedBytes > room)
      return invalidArgument(std::to_string(shape.dynamicSharedBytes) + " bytes of dynamic and " +
                             std::to_string(facts.staticSharedBytes) +
                             " bytes of static shared memory per block; the device's limit is " +
                             std::to_string(device.sharedPerBlockOptIn) + " together");
    TILECRT_RETURN_IF_ERROR(checkPersistent(shape));
    TILECRT_RETURN_IF_ERROR(checkSplit(shape, device));
    return checkCluster(shape, device);
  };
  Status status = check();
  return status.ok() ? status : status.withContext("cannot launch kernel '" + entry + "'");
}

Status Kernel::prepare(uint64_t dynamicSharedBytes) {
  const SharedContext &shared = owner->context();
  const DeviceProperties &device = shared->device().properties();
  uint64_t total = dynamicSharedBytes + uint64_t(facts.staticSharedBytes);
  if (total <= uint64_t(device.sharedPerBlock) || dynamicSharedBytes <= allowedDynamicShared)
    return Status();
  if (total > uint64_t(device.sharedPerBlockOptIn))
    return checkLaunch(LaunchShape{{}, {}, {}, dynamicSharedBytes});
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());
  TILECRT_CUDA_RETURN_IF_ERROR(
      shared->table(), funcSetAttribute,
      (function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(dynamicSharedBytes)));
  allowedDynamicShared = dynamicSharedBytes;
  return Status();
}

Status Kernel::prepare(const LaunchShape &shape) {
  TILECRT_RETURN_IF_ERROR(prepare(shape.dynamicSharedBytes));
  if (clusterBlocks(shape) <= portableClusterSize || clusterSizeRaised)
    return Status();
  const SharedContext &shared = owner->context();
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());
  TILECRT_CUDA_RETURN_IF_ERROR(shared->table(), funcSetAttribute,
                               (function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  clusterSizeRaised = true;
  return Status();
}

Status Kernel::launch(const LaunchShape &shape, const Stream &stream, void **arguments) {
  TILECRT_RETURN_IF_ERROR(checkLaunch(shape));
  const SharedContext &shared = owner->context();
  if (stream.context() != shared && stream.context()->handle() != shared->handle())
    return invalidArgument("cannot launch kernel '" + entry +
                           "': the stream belongs to another context");
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());
  TILECRT_RETURN_IF_ERROR(prepare(shape));

  LaunchSetup setup = makeLaunchSetup(shape);
  setup.point();
  setup.config.hStream = stream.handle();
  return TILECRT_CUDA_CALL(shared->table(), launchKernelEx,
                           (&setup.config, function, arguments, nullptr))
      .withContext("launching kernel '" + entry + "'");
}

Result<int> Kernel::maxActiveBlocksPerSm(uint64_t blockThreads, uint64_t dynamicSharedBytes) {
  LaunchShape shape;
  shape.block.x = blockThreads;
  shape.dynamicSharedBytes = dynamicSharedBytes;
  TILECRT_RETURN_IF_ERROR(checkLaunch(shape));
  TILECRT_RETURN_IF_ERROR(prepare(dynamicSharedBytes));
  const SharedContext &shared = owner->context();
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());
  int blocks = 0;
  TILECRT_CUDA_RETURN_IF_ERROR(shared->table(), occupancyMaxActiveBlocks,
                               (&blocks, function, int(blockThreads), dynamicSharedBytes));
  return blocks;
}

Result<uint64_t> Kernel::residentBlocks(LaunchShape shape) {
  uint64_t cluster = clusterBlocks(shape);
  if (cluster > 1) {
    // One cluster, in the row that a persistent launch has them in.
    shape.grid = shape.cluster = {cluster, 1, 1};
    shape.residentBlocks = 0;
    shape.splitK = 1;
    TILECRT_RETURN_IF_ERROR(checkLaunch(shape));
    TILECRT_RETURN_IF_ERROR(prepare(shape));
    const SharedContext &shared = owner->context();
    ContextScope scope(*shared);
    TILECRT_RETURN_IF_ERROR(scope.status());
    LaunchSetup setup = makeLaunchSetup(shape);
    setup.point();
    int clusters = 0;
    TILECRT_CUDA_RETURN_IF_ERROR(shared->table(), occupancyMaxActiveClusters,
                                 (&clusters, function, &setup.config));
    return uint64_t(std::max(1, clusters)) * cluster;
  }
  Result<int> blocks = maxActiveBlocksPerSm(shape.block.x, shape.dynamicSharedBytes);
  if (!blocks)
    return blocks.status();
  const DeviceProperties &device = owner->context()->device().properties();
  return uint64_t(std::max(1, *blocks)) * uint64_t(std::max(1, device.smCount));
}

} // namespace tilecrt::cuda
