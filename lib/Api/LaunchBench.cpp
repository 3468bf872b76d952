// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchBench.h. Everything is queued on the launch's stream.

#include "LaunchBench.h"

namespace tilec::api {

LaunchBench::~LaunchBench() {
  for (const Copy &copy : copies)
    if (copy.onDevice)
      (void)device->release(copy.onDevice);
}

tilec_status LaunchBench::save(std::vector<MemoryRange> changed, std::vector<MemoryRange> cleared) {
  zeros = std::move(cleared);
  for (const MemoryRange &range : changed) {
    if (range.bytes == 0)
      continue;
    Copy &copy = copies.emplace_back();
    copy.range = range;
    tilec_status status = take(device->allocate(range.bytes), copy.onDevice);
    if (status == TILEC_OUT_OF_RESOURCES) {
      copy.onHost.resize(range.bytes);
      status = done(device->download(copy.onHost.data(), range.data, range.bytes, launch.stream));
    } else if (status == TILEC_OK) {
      status = done(device->copy(copy.onDevice, range.data, range.bytes, launch.stream));
    }
    if (status != TILEC_OK)
      return status;
  }
  return done(device->synchronizeStream(launch.stream));
}

tilec_status LaunchBench::restore() {
  for (const Copy &copy : copies) {
    const auto &[range, onDevice, onHost] = copy;
    tilec_status status =
        done(onDevice ? device->copy(range.data, onDevice, range.bytes, launch.stream)
                      : device->upload(range.data, onHost.data(), range.bytes, launch.stream));
    if (status != TILEC_OK)
      return status;
  }
  return done(device->synchronizeStream(launch.stream));
}

tilec_status LaunchBench::measure(std::shared_ptr<const CompiledKernel> kernel, double milliseconds,
                                  double &cost) {
  if (tilec_status status = restore())
    return status;
  for (const MemoryRange &range : zeros)
    if (range.bytes != 0)
      if (tilec_status status = done(device->fill(range.data, 0, range.bytes, launch.stream)))
        return status;
  std::shared_ptr<RunFunction> function;
  if (tilec_status status = take(device->load(std::move(kernel)), function))
    return status;
  RequestReader reader;
  if (tilec_status status = reader.read(*function, &launch))
    return status;
  tilecrt::cuda::MeasureOptions how = options;
  how.milliseconds = milliseconds;
  return take(function->measure(reader.request, how), cost);
}

Measurement LaunchBench::measure(std::shared_ptr<const CompiledKernel> kernel,
                                 std::array<uint32_t, 3> grid, double milliseconds) {
  std::copy(grid.begin(), grid.end(), launch.grid);
  double cost = 0;
  Measurement result;
  tilec_status status = guarded([&] { return measure(std::move(kernel), milliseconds, cost); });
  if (status == TILEC_OK) {
    result.cost = cost;
    return result;
  }
  result.problem = tilec_last_error();
  // What a kernel does to a context stays.
  if (status == TILEC_DEVICE_ERROR)
    result.isLost = !device->synchronize().ok();
  return result;
}

} // namespace tilec::api
