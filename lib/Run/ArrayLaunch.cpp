// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ArrayLaunch.h.

#include "tilec/Run/ArrayLaunch.h"

#include "tilecrt/TensorMapValues.h"
#include "tilecrt/cuda/PreparedLaunch.h"

using tilecrt::Result;
using tilecrt::Status;

namespace tilec {

static void *pointerTo(uint64_t address) { return reinterpret_cast<void *>(address); }

Result<std::unique_ptr<ArrayLaunch>> ArrayLaunch::create(std::shared_ptr<RunDevice> device) {
  Result<void *> stream = device->createStream();
  if (!stream)
    return stream.status();
  return std::unique_ptr<ArrayLaunch>(new ArrayLaunch(std::move(device), *stream));
}

ArrayLaunch::~ArrayLaunch() {
  (void)device->destroyStream(stream);
  for (uint64_t place : places)
    (void)device->release(pointerTo(place));
}

Status ArrayLaunch::add(LaunchArray array) {
  // An empty array has a place of its own as well.
  Result<void *> memory = device->allocate(std::max<uint64_t>(array.bytes, 1));
  if (!memory)
    return memory.status().withContext("array '" + array.name + "'");
  places.push_back(reinterpret_cast<uintptr_t>(*memory));
  buffers.push_back({static_cast<char *>(*memory) + array.visibleBegin, array.visibleBytes,
                     array.name, array.isReadOnly});
  arrays.push_back(std::move(array));
  return Status();
}

Status ArrayLaunch::upload() {
  for (size_t i = 0; i < arrays.size(); ++i)
    if (const LaunchArray &array = arrays[i]; array.bytes != 0 && array.data)
      TILECRT_RETURN_IF_ERROR(device->upload(pointerTo(places[i]), array.data, array.bytes, stream)
                                  .withContext("array '" + array.name + "'"));
  return Status();
}

Status ArrayLaunch::queueDownload(size_t number) {
  const LaunchArray &array = arrays[number];
  if (array.bytes == 0 || !array.data)
    return Status();
  return device->download(array.data, pointerTo(places[number]), array.bytes, stream)
      .withContext("array '" + array.name + "'");
}

Status ArrayLaunch::download() {
  for (size_t i = 0; i < arrays.size(); ++i)
    TILECRT_RETURN_IF_ERROR(queueDownload(i));
  return device->synchronizeStream(stream);
}

Status ArrayLaunch::download(size_t array) {
  TILECRT_RETURN_IF_ERROR(queueDownload(array));
  return device->synchronizeStream(stream);
}

Result<std::vector<std::pair<std::string, std::vector<char>>>> ArrayLaunch::readBack() {
  std::vector<std::pair<std::string, std::vector<char>>> contents;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const LaunchArray &array = arrays[i];
    if (array.bytes == 0 || !array.data)
      continue;
    std::vector<char> &bytes = contents.emplace_back(array.name, array.bytes).second;
    TILECRT_RETURN_IF_ERROR(
        device->download(bytes.data(), pointerTo(places[i]), array.bytes, stream)
            .withContext("array '" + array.name + "'"));
  }
  TILECRT_RETURN_IF_ERROR(device->synchronizeStream(stream));
  return contents;
}

Status ArrayLaunch::bind(const CompiledKernel &kernel, std::vector<std::vector<char>> argumentBytes,
                         std::array<uint32_t, 3> grid) {
  values = std::move(argumentBytes);
  pointers.clear();
  const tilecrt::KernelMetadata &metadata = kernel.metadata;
  if (values.size() != metadata.arguments.size())
    return tilecrt::internalError("kernel '" + metadata.name + "' has " +
                                  std::to_string(metadata.arguments.size()) + " arguments, not " +
                                  std::to_string(values.size()));
  for (const std::vector<char> &value : values)
    pointers.push_back(value.data());
  bool haveSizes = true;
  for (size_t i = 0; i < values.size(); ++i)
    haveSizes &= values[i].size() == metadata.arguments[i].sizeBytes;
  for (size_t i = 0; i < values.size(); ++i) {
    Status good = tilecrt::cuda::checkArgument(metadata, i, values[i].data(), values[i].size());
    if (good.ok())
      continue;
    // A tensor that no map can describe says more than one of its sizes.
    if (haveSizes)
      for (const tilecrt::TensorMapArgument &map : metadata.tensorMaps)
        if (auto fields = tilecrt::tensorMapFields(metadata, map, pointers.data()); !fields)
          return fields.status();
    return good;
  }
  Result<std::shared_ptr<RunFunction>> loaded =
      device->load(std::shared_ptr<const CompiledKernel>(std::shared_ptr<void>(), &kernel));
  if (!loaded)
    return loaded.status();
  function = std::move(*loaded);
  request.grid = grid;
  request.arguments = pointers.data();
  request.stream = stream;
  request.buffers = buffers;
  request.hasAllBuffers = true;
  request.simulation = &simulation;
  return Status();
}

LaunchOutcome ArrayLaunch::run() {
  LaunchOutcome outcome = function->launch(request);
  return outcome.ok() ? LaunchOutcome(device->synchronizeStream(stream)) : outcome;
}

} // namespace tilec
