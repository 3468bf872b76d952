// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostDevice.h.

#include "HostDevice.h"

#include "tilecrt/cuda/PreparedLaunch.h"

#include <cstring>
#include <new>

#include <unistd.h>

using tilecrt::invalidArgument;
using tilecrt::Result;
using tilecrt::Status;
using tilecrt::sim::Buffer;

namespace tilec {

/// What allocations have on a GPU.
constexpr std::align_val_t memoryAlignment{256};

namespace {

class HostGraph final : public RunGraph {
public:
  HostGraph(std::shared_ptr<HostDevice> device, std::vector<HostDevice::Work> recorded)
      : owner(std::move(device)), steps(std::move(recorded)) {}

  LaunchOutcome launch(void *stream) override {
    for (const HostDevice::Work &step : steps)
      if (LaunchOutcome status = owner->submit(stream, step); !status.ok())
        return status;
    return LaunchOutcome();
  }

private:
  std::shared_ptr<HostDevice> owner;
  std::vector<HostDevice::Work> steps;
};

class HostFunction final : public RunFunction, public std::enable_shared_from_this<HostFunction> {
public:
  HostFunction(std::shared_ptr<HostDevice> device, std::shared_ptr<const CompiledKernel> loaded)
      : RunFunction(std::move(loaded)), owner(std::move(device)) {}

  Result<FunctionInfo> describe() override { return FunctionInfo(); }
  LaunchOutcome launch(const LaunchRequest &request) override {
    return launch(HostLaunch(metadata(), request), request.stream);
  }
  Result<std::shared_ptr<RunPrepared>> prepare(const LaunchRequest &request) override;
  Result<tilecrt::cuda::Timing>
  measure(const LaunchRequest &request,
          const tilecrt::cuda::MeasureOptions & /*options*/) override {
    Result<double> cost = owner->measure(kernel(), HostLaunch(metadata(), request));
    if (!cost)
      return cost.status();
    tilecrt::cuda::Timing timing;
    timing.median = *cost;
    return timing;
  }

  /// The work does not keep the device, which may have recorded it.
  LaunchOutcome launch(HostLaunch launch, void *stream) {
    return owner->submit(stream,
                         [device = owner.get(), kernel = sharedKernel(),
                          launch = std::move(launch)] { return device->run(*kernel, launch); });
  }
  const std::shared_ptr<HostDevice> &device() const { return owner; }

private:
  std::shared_ptr<HostDevice> owner;
};

class HostPrepared final : public RunPrepared {
public:
  HostPrepared(std::shared_ptr<HostFunction> loaded, HostLaunch packed)
      : function(std::move(loaded)), prepared(std::move(packed)) {}

  Status setArgument(size_t index, const void *data, size_t size) override {
    const tilecrt::KernelMetadata &metadata = function->metadata();
    if (index >= metadata.arguments.size())
      return invalidArgument("argument " + std::to_string(index) + " does not exist: there are " +
                             std::to_string(metadata.arguments.size()));
    TILECRT_RETURN_IF_ERROR(tilecrt::cuda::checkArgument(metadata, index, data, size));
    prepared.set(index, data, size);
    return Status();
  }
  Status setGrid(std::array<uint32_t, 3> changed) override {
    prepared.grid = changed;
    return Status();
  }
  LaunchOutcome launch(void *stream) override { return function->launch(prepared, stream); }
  std::shared_ptr<RunDevice> device() const override { return function->device(); }

private:
  std::shared_ptr<HostFunction> function;
  HostLaunch prepared;
};

} // namespace

Result<std::shared_ptr<RunPrepared>> HostFunction::prepare(const LaunchRequest &request) {
  return std::shared_ptr<RunPrepared>(
      std::make_shared<HostPrepared>(shared_from_this(), HostLaunch(metadata(), request)));
}

Result<tilecrt::cuda::Timing> RunFunction::time(const LaunchRequest & /*request*/,
                                                const tilecrt::cuda::TimingOptions & /*options*/) {
  return tilecrt::unavailable("times need a GPU");
}

HostLaunch::HostLaunch(const tilecrt::KernelMetadata &metadata, const LaunchRequest &request)
    : grid(request.grid), cluster(request.cluster),
      buffers(request.buffers.begin(), request.buffers.end()), hasAllBuffers(request.hasAllBuffers),
      counts(request.counts), sampledClusters(request.sampledClusters),
      simulation(request.simulation), slots(metadata.arguments.size()),
      addresses(metadata.arguments.size()) {
  for (size_t i = 0; i < slots.size(); ++i)
    set(i, request.arguments[i], metadata.arguments[i].sizeBytes);
}

//===----------------------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------------------===//

HostDevice::HostDevice(size_t bytesBetween) : gapBytes(bytesBetween) {
  facts.memoryBytes = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
}

HostDevice::~HostDevice() {
  for (const auto &[memory, bytes] : allocations)
    operator delete(memory, memoryAlignment);
}

Result<std::pair<uint64_t, uint64_t>> HostDevice::freeAndTotalMemory() const {
  std::lock_guard<std::mutex> lock(mutex);
  return std::make_pair(facts.memoryBytes - usedBytes, facts.memoryBytes);
}

Result<void *> HostDevice::allocate(size_t bytes) {
  void *memory = nullptr;
  if (bytes == 0)
    return memory;
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes <= facts.memoryBytes - usedBytes)
    memory = operator new(bytes + gapBytes, memoryAlignment, std::nothrow);
  if (!memory)
    return tilecrt::outOfResources("cannot allocate " + std::to_string(bytes) + " bytes on the " +
                                   facts.name + ": " +
                                   std::to_string(facts.memoryBytes - usedBytes) + " of " +
                                   std::to_string(facts.memoryBytes) + " are free");
  allocations.emplace(memory, bytes);
  usedBytes += bytes;
  return memory;
}

Status HostDevice::release(void *memory) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = allocations.find(memory);
  if (found == allocations.end())
    return invalidArgument("not memory of tilec_memory_alloc on this device, or freed already");
  usedBytes -= found->second;
  allocations.erase(found);
  operator delete(memory, memoryAlignment);
  return Status();
}

std::optional<MemoryRange> HostDevice::findAllocation(const void *address) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto next = allocations.upper_bound(const_cast<void *>(address));
  if (next == allocations.begin())
    return std::nullopt;
  const auto &[memory, bytes] = *std::prev(next);
  MemoryRange range = {static_cast<char *>(memory), bytes};
  if (static_cast<const char *>(address) > range.data + bytes)
    return std::nullopt;
  return range;
}

Result<MemoryRange> HostDevice::allocationOf(const void *address) const {
  std::optional<MemoryRange> range = findAllocation(address);
  if (range && range->contains(address))
    return *range;
  return invalidArgument("not within memory of tilec_memory_alloc");
}

Status HostDevice::checkRange(const void *memory, size_t bytes) const {
  if (std::optional<MemoryRange> range = findAllocation(memory))
    if (bytes <= size_t(range->data + range->bytes - static_cast<const char *>(memory)))
      return Status();
  return invalidArgument("a copy of " + std::to_string(bytes) +
                         " bytes is not within memory of tilec_memory_alloc");
}

Status HostDevice::upload(void *to, const void *from, size_t bytes, void *stream) {
  return submit(stream,
                [this, to, from, bytes]() -> LaunchOutcome {
                  TILECRT_RETURN_IF_ERROR(checkRange(to, bytes));
                  std::memcpy(to, from, bytes);
                  return LaunchOutcome();
                })
      .status;
}

Status HostDevice::download(void *to, const void *from, size_t bytes, void *stream) {
  return submit(stream,
                [this, to, from, bytes]() -> LaunchOutcome {
                  TILECRT_RETURN_IF_ERROR(checkRange(from, bytes));
                  std::memcpy(to, from, bytes);
                  return LaunchOutcome();
                })
      .status;
}

Status HostDevice::copy(void *to, const void *from, size_t bytes, void *stream) {
  return submit(stream,
                [this, to, from, bytes]() -> LaunchOutcome {
                  TILECRT_RETURN_IF_ERROR(checkRange(to, bytes));
                  TILECRT_RETURN_IF_ERROR(checkRange(from, bytes));
                  std::memmove(to, from, bytes);
                  return LaunchOutcome();
                })
      .status;
}

Status HostDevice::fill(void *to, uint8_t value, size_t bytes, void *stream) {
  return submit(stream,
                [this, to, value, bytes]() -> LaunchOutcome {
                  TILECRT_RETURN_IF_ERROR(checkRange(to, bytes));
                  std::memset(to, value, bytes);
                  return LaunchOutcome();
                })
      .status;
}

std::vector<Buffer> HostDevice::buffersOf(const CompiledKernel &kernel, HostLaunch &launch) const {
  if (launch.hasAllBuffers)
    return launch.buffers;
  std::map<const void *, std::string> names;
  void **arguments = launch.pointers();
  const auto &described = kernel.metadata.arguments;
  for (size_t i = 0; i < described.size(); ++i)
    if (described[i].kind == tilecrt::ArgumentKind::pointer)
      names.emplace(*static_cast<void **>(arguments[i]), described[i].name);
  std::vector<Buffer> buffers;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[memory, bytes] : allocations) {
      auto name = names.find(memory);
      buffers.push_back({memory, bytes, name == names.end() ? "" : name->second, false});
    }
  }
  buffers.insert(buffers.end(), launch.buffers.begin(), launch.buffers.end());
  // Without any buffer, accesses would be trusted.
  if (buffers.empty())
    buffers.push_back({nullptr, 0, "", false});
  return buffers;
}

//===----------------------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------------------===//

static Status notAStream() {
  return invalidArgument(
      "not a stream of tilec_stream_create on the simulator, or destroyed already");
}

HostDevice::StreamState *HostDevice::find(void *stream) {
  auto found = streams.find(stream);
  return found == streams.end() ? nullptr : &found->second;
}

Result<void *> HostDevice::createStream() {
  // Never an address, never used twice.
  static std::atomic<uintptr_t> count{0};
  void *stream = reinterpret_cast<void *>(2 * count++ + 1);
  std::lock_guard<std::mutex> lock(mutex);
  streams.try_emplace(stream);
  return stream;
}

Status HostDevice::destroyStream(void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!stream)
    return invalidArgument("the default stream cannot be destroyed");
  return streams.erase(stream) != 0 ? Status() : notAStream();
}

Status HostDevice::synchronizeStream(void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  StreamState *state = find(stream);
  if (!state)
    return notAStream();
  return state->recording ? invalidArgument("the stream is being recorded: it cannot be waited for")
                          : Status();
}

/// What is queued was done before the call returned.
Status HostDevice::waitForStream(void *stream, void *awaited) {
  std::lock_guard<std::mutex> lock(mutex);
  return find(stream) && find(awaited) ? Status() : notAStream();
}

bool HostDevice::canWait(void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  StreamState *state = find(stream);
  return !state || !state->recording;
}

LaunchOutcome HostDevice::submit(void *stream, Work work) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    StreamState *state = find(stream);
    if (!state)
      return notAStream();
    if (state->recording) {
      state->recording->push_back(std::move(work));
      return LaunchOutcome();
    }
  }
  return work();
}

Status HostDevice::beginRecording(void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  StreamState *state = find(stream);
  if (!state)
    return notAStream();
  if (state->recording)
    return invalidArgument("the stream is being recorded already");
  state->recording.emplace();
  return Status();
}

Result<std::shared_ptr<RunGraph>> HostDevice::endRecording(void *stream) {
  std::vector<Work> steps;
  {
    std::lock_guard<std::mutex> lock(mutex);
    StreamState *state = find(stream);
    if (!state)
      return notAStream();
    if (!state->recording)
      return invalidArgument("the stream is not being recorded");
    steps = std::move(*state->recording);
    state->recording.reset();
  }
  return std::shared_ptr<RunGraph>(std::make_shared<HostGraph>(
      std::static_pointer_cast<HostDevice>(shared_from_this()), std::move(steps)));
}

Result<std::shared_ptr<RunFunction>>
HostDevice::load(std::shared_ptr<const CompiledKernel> kernel) {
  TILECRT_RETURN_IF_ERROR(checkKernel(*kernel));
  return std::shared_ptr<RunFunction>(std::make_shared<HostFunction>(
      std::static_pointer_cast<HostDevice>(shared_from_this()), std::move(kernel)));
}

} // namespace tilec
