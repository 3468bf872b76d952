// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchBench.h.

#include "tilec/Run/LaunchBench.h"

#include "tilec/Explain/TimeModel.h"
#include "tilec/Run/Places.h"
#include "tilec/Target/HostJIT.h"
#include "tilecrt/cuda/PreparedLaunch.h"

using tilecrt::Result;
using tilecrt::Status;
using tilecrt::cuda::Timing;

namespace tilec {

LaunchBench::~LaunchBench() {
  for (const Copy &copy : copies)
    if (copy.onDevice)
      (void)device->release(copy.onDevice);
}

Status LaunchBench::save(std::vector<MemoryRange> changed, std::vector<MemoryRange> cleared) {
  zeros = std::move(cleared);
  for (const MemoryRange &range : changed) {
    if (range.bytes == 0)
      continue;
    Copy &copy = copies.emplace_back();
    copy.range = range;
    Result<void *> memory = device->allocate(range.bytes);
    if (memory) {
      copy.onDevice = *memory;
      TILECRT_RETURN_IF_ERROR(device->copy(copy.onDevice, range.data, range.bytes, launch.stream));
    } else if (memory.code() == tilecrt::StatusCode::outOfResources) {
      copy.onHost.resize(range.bytes);
      TILECRT_RETURN_IF_ERROR(
          device->download(copy.onHost.data(), range.data, range.bytes, launch.stream));
    } else {
      return memory.status();
    }
  }
  return device->synchronizeStream(launch.stream);
}

Status LaunchBench::restore() {
  for (const auto &[range, onDevice, onHost] : copies)
    TILECRT_RETURN_IF_ERROR(
        onDevice ? device->copy(range.data, onDevice, range.bytes, launch.stream)
                 : device->upload(range.data, onHost.data(), range.bytes, launch.stream));
  return device->synchronizeStream(launch.stream);
}

Result<double> LaunchBench::check(RunFunction &function, LaunchRequest &request) {
  Simulation simulation;
  std::vector<tilecrt::sim::Buffer> buffers = launch.buffers(function.metadata());
  request.buffers = buffers;
  request.hasAllBuffers = request.counts = true;
  request.simulation = &simulation;
  LaunchOutcome outcome = function.launch(request);
  const tilecrt::sim::LaunchResult &result = simulation.result;
  if (outcome.ok())
    return explain::busyCycles(result.totals);
  if (outcome.status.code() == tilecrt::StatusCode::invalidArgument)
    return outcome.status;
  if (result.findings.empty())
    return outcome.status.withContext("faults");
  const tilecrt::sim::Finding &first = result.findings.front();
  tilecrt::sim::Site site = placeOf(first.site, function.kernel().host->sites());
  return tilecrt::deviceError("faults: " + site.file + ":" + std::to_string(site.line) + ": " +
                              findingKindName(first.kind) + ": " + first.message);
}

Result<Timing> LaunchBench::timingOf(std::shared_ptr<const CompiledKernel> kernel,
                                     std::array<uint32_t, 3> grid, double milliseconds) {
  TILECRT_RETURN_IF_ERROR(restore());
  for (const MemoryRange &range : zeros)
    if (range.bytes != 0)
      TILECRT_RETURN_IF_ERROR(device->fill(range.data, 0, range.bytes, launch.stream));
  Result<std::shared_ptr<RunFunction>> function = device->load(std::move(kernel));
  if (!function)
    return function.status();
  const tilecrt::KernelMetadata &metadata = (*function)->metadata();
  Result<ArgumentBytes> values = launch.arguments(metadata);
  if (!values)
    return values.status();
  if (values->size() != metadata.arguments.size())
    return tilecrt::invalidArgument("kernel '" + metadata.name + "' takes " +
                                    std::to_string(metadata.arguments.size()) + " arguments, got " +
                                    std::to_string(values->size()));
  std::vector<const void *> pointers;
  for (const std::vector<char> &value : *values) {
    TILECRT_RETURN_IF_ERROR(
        tilecrt::cuda::checkArgument(metadata, pointers.size(), value.data(), value.size()));
    pointers.push_back(value.data());
  }
  LaunchRequest request;
  request.grid = grid;
  request.cluster = launch.cluster;
  request.isProgrammatic = launch.isProgrammatic;
  request.isCooperative = launch.isCooperative;
  request.arguments = pointers.data();
  request.stream = launch.stream;
  if (launch.buffers) {
    Result<double> cost = check(**function, request);
    if (!cost)
      return cost.status();
    Timing timing;
    timing.median = *cost;
    return timing;
  }
  tilecrt::cuda::MeasureOptions how = options;
  how.milliseconds = milliseconds;
  Result<Timing> timing = (*function)->measure(request, how);
  // The simulator has said where.
  if (timing || timing.code() != tilecrt::StatusCode::deviceError || (*function)->kernel().host)
    return timing;
  return tilecrt::deviceError("faults: " + timing.message() + "; the simulator finds the place");
}

Measurement LaunchBench::measure(std::shared_ptr<const CompiledKernel> kernel,
                                 std::array<uint32_t, 3> grid, double milliseconds) {
  Measurement result;
  Result<Timing> timing = timingOf(std::move(kernel), grid, milliseconds);
  if (timing) {
    result.cost = timing->median;
    result.samples = std::move(timing->samples);
    return result;
  }
  result.problem = timing.message();
  // What a kernel does to a context stays.
  if (timing.code() == tilecrt::StatusCode::deviceError)
    result.isLost = !device->synchronize().ok();
  return result;
}

} // namespace tilec
