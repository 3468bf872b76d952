// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values lie in 16-byte slots that never move, so that the driver's array of addresses is made
// once. A set of bits says which tensor maps are out of date.

#include "tilecrt/cuda/PreparedLaunch.h"

#include "tilecrt/TensorMapValues.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tilecrt::cuda {

namespace {

constexpr size_t lastMapBit = 63;

uint64_t mapBit(size_t map) { return uint64_t(1) << std::min(map, lastMapBit); }

} // namespace

Status encodeTensorMap(const KernelMetadata &metadata, const TensorMapArgument &map,
                       const void *const *arguments, const DriverTable &driver,
                       CUtensorMap &encoded) {
  Result<sim::TensorMapFields> fields = tensorMapFields(metadata, map, arguments);
  if (!fields.ok())
    return fields.status();
  return TILECRT_CUDA_CALL(driver, tensorMapEncodeTiled,
                           (&encoded, CUtensorMapDataType(fields->type), fields->rank,
                            reinterpret_cast<void *>(fields->address), fields->dims.data(),
                            fields->strides.data(), fields->box.data(),
                            fields->elementStrides.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                            CUtensorMapSwizzle(fields->swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                            CUtensorMapFloatOOBfill(fields->fill)));
}

Status checkArgument(const KernelMetadata &metadata, size_t index, const void *data, size_t size) {
  const KernelArgument &argument = metadata.arguments[index];
  // Divisibility is by a power of two: the low bits decide, whatever the sign.
  uint64_t value = 0;
  bool good = data && size == argument.sizeBytes && size <= 16;
  if (good && argument.divisibility > 1 && argument.kind != ArgumentKind::floating) {
    std::memcpy(&value, data, std::min(size, sizeof value));
    good = value % argument.divisibility == 0;
  }
  if (good)
    return Status();
  std::string named =
      "kernel '" + metadata.name + "': argument '" + argument.name + "' ('" + argument.type + "') ";
  if (!data)
    return invalidArgument(named + "has no value");
  if (size != argument.sizeBytes || size > 16)
    return invalidArgument(named + "takes " + std::to_string(argument.sizeBytes) + " bytes, got " +
                           std::to_string(size));
  return invalidArgument(named + "was compiled for multiples of " +
                         std::to_string(argument.divisibility) + ", got " + std::to_string(value));
}

Status checkCluster(const KernelMetadata &metadata, const LaunchShape &shape) {
  const Dim3 &given = shape.cluster;
  bool isSame =
      given.x == metadata.clusterX && given.y == metadata.clusterY && given.z == metadata.clusterZ;
  if (isSame || (metadata.clusterX <= 1 && metadata.clusterY <= 1 && metadata.clusterZ <= 1))
    return Status();
  auto text = [](uint64_t x, uint64_t y, uint64_t z) {
    return std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z);
  };
  return invalidArgument("kernel '" + metadata.name + "': the cluster is " +
                         text(given.x, given.y, given.z) + ", the code is for clusters of " +
                         text(metadata.clusterX, metadata.clusterY, metadata.clusterZ));
}

Result<PreparedLaunch> PreparedLaunch::create(std::shared_ptr<Kernel> kernel,
                                              std::shared_ptr<const KernelMetadata> metadata,
                                              const LaunchShape &shape,
                                              const void *const *arguments) {
  TILECRT_RETURN_IF_ERROR(checkCluster(*metadata, shape));
  TILECRT_RETURN_IF_ERROR(kernel->checkLaunch(shape));
  TILECRT_RETURN_IF_ERROR(kernel->prepare(shape));
  PreparedLaunch result;
  result.shape = shape;
  result.setup = makeLaunchSetup(shape);
  size_t count = metadata->arguments.size(), mapCount = metadata->tensorMaps.size();
  result.slots.resize(count);
  result.maps.resize(mapCount);
  result.mapsOfArgument.resize(count);
  for (size_t i = 0; i < count; ++i) {
    uint32_t size = metadata->arguments[i].sizeBytes;
    TILECRT_RETURN_IF_ERROR(checkArgument(*metadata, i, arguments[i], size));
    std::memcpy(result.slots[i].bytes, arguments[i], size);
    result.addresses.push_back(result.slots[i].bytes);
  }
  for (size_t i = 0; i < mapCount; ++i) {
    const TensorMapArgument &map = metadata->tensorMaps[i];
    for (size_t argument : argumentsOfMap(*metadata, map))
      result.mapsOfArgument[argument] |= mapBit(i);
    result.staleMaps |= mapBit(i);
    result.addresses.push_back(&result.maps[i]);
  }
  if (shape.residentBlocks != 0) {
    result.programs = std::make_unique<ProgramArguments>(shape.grid);
    result.programs->addTo(result.addresses, *metadata);
  }
  result.takeGrid(shape.grid);
  result.function = std::move(kernel);
  result.metadata = std::move(metadata);
  // A tensor that no map can describe is known now, not at the first launch.
  ContextScope scope(*result.function->context());
  TILECRT_RETURN_IF_ERROR(scope.status());
  TILECRT_RETURN_IF_ERROR(result.encodeStaleMaps());
  return result;
}

Status PreparedLaunch::encodeStaleMaps() {
  for (size_t i = 0; i < maps.size(); ++i)
    if (staleMaps & mapBit(i))
      TILECRT_RETURN_IF_ERROR(encodeTensorMap(*metadata, metadata->tensorMaps[i], addresses.data(),
                                              function->context()->table(), maps[i]));
  staleMaps = 0;
  return Status();
}

Status PreparedLaunch::setArgument(size_t index, const void *data, size_t size) {
  if (index >= slots.size())
    return invalidArgument("kernel '" + metadata->name + "' has no argument " +
                           std::to_string(index) + ": there are " + std::to_string(slots.size()));
  TILECRT_RETURN_IF_ERROR(checkArgument(*metadata, index, data, size));
  if (mapsOfArgument[index] && std::memcmp(slots[index].bytes, data, size) != 0)
    staleMaps |= mapsOfArgument[index];
  std::memcpy(slots[index].bytes, data, size);
  return Status();
}

Status PreparedLaunch::setGrid(const Dim3 &grid) {
  LaunchShape changed = shape;
  changed.grid = grid;
  TILECRT_RETURN_IF_ERROR(function->checkLaunch(changed));
  takeGrid(grid);
  return Status();
}

void PreparedLaunch::takeGrid(const Dim3 &grid) {
  shape.grid = grid;
  Dim3 launched = launchedGrid(shape);
  setup.config.gridDimX = unsigned(launched.x);
  setup.config.gridDimY = unsigned(launched.y);
  setup.config.gridDimZ = unsigned(launched.z);
  if (programs)
    programs->setGrid(grid);
}

Status PreparedLaunch::launch(CUstream stream) {
  const ContextState &context = *function->context();
  ContextScope scope(context);
  TILECRT_RETURN_IF_ERROR(scope.status());
  if (staleMaps)
    TILECRT_RETURN_IF_ERROR(encodeStaleMaps());
  if (programs)
    TILECRT_RETURN_IF_ERROR(programs->setStream(*metadata, context, stream));
  setup.point();
  setup.config.hStream = stream;
  CUresult result =
      context.table().launchKernelEx(&setup.config, function->handle(), addresses.data(), nullptr);
  if (result == CUDA_SUCCESS)
    return Status();
  return TILECRT_CUDA_FAILURE(context.table(), result, launchKernelEx)
      .withContext("launching kernel '" + metadata->name + "'");
}

} // namespace tilecrt::cuda
