// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator as a device: memory is host memory, every call is done when it returns, and a
// stream is a number that can be recorded. A kernel may touch what was allocated on the device, as
// on a GPU, and nothing else.

#include "DeviceObjects.h"
#include "Places.h"

#include "tilec/Target/HostJIT.h"
#include "tilec/Tuning/SimulatedCost.h"
#include "tilecrt/cuda/PreparedLaunch.h"

#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <optional>

#include <unistd.h>

using namespace tilec;
using namespace tilec::api;
using namespace tilecrt::sim;

namespace {

constexpr std::align_val_t memoryAlignment{256};

using Work = std::function<tilec_status()>;

tilec_status invalid(std::string message) {
  return fail(TILEC_INVALID_ARGUMENT, std::move(message));
}

/// The values of a launch, each where it is aligned for its type, and the memory of the program's
/// own that it may touch.
class Values {
public:
  explicit Values(const tilecrt::KernelMetadata &metadata)
      : slots(metadata.arguments.size()), addresses(metadata.arguments.size()) {}

  std::vector<tilecrt::sim::Buffer> buffers;

  void set(size_t index, const void *data, size_t size) {
    std::memcpy(slots[index].bytes, data, size);
  }
  void **pointers() {
    for (size_t i = 0; i < slots.size(); ++i)
      addresses[i] = slots[i].bytes;
    return addresses.data();
  }

private:
  struct alignas(16) Slot {
    unsigned char bytes[16];
  };
  std::vector<Slot> slots;
  std::vector<void *> addresses;
};

class SimDevice final : public DeviceObject {
public:
  explicit SimDevice(const tilec_device_options &given)
      : options(given),
        totalBytes(uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE))) {}
  ~SimDevice() override {
    for (const auto &[memory, bytes] : buffers)
      operator delete(memory, memoryAlignment);
  }

  void describe(tilec_device_info &info) const override {
    info.name = "simulator";
    info.target = "sim";
    info.memory_bytes = totalBytes;
  }
  tilec_status memory(uint64_t &freeBytes, uint64_t &total) const override {
    std::lock_guard<std::mutex> lock(mutex);
    total = totalBytes;
    freeBytes = totalBytes - usedBytes;
    return TILEC_OK;
  }
  tilec_status synchronize() const override { return TILEC_OK; }
  tilec_status createStream(void *&stream) override;
  tilec_status destroyStream(void *stream) override;
  tilec_status synchronizeStream(void *stream) override;
  /// What is queued was done before the call returned.
  tilec_status waitForStream(void *stream, void *awaited) override {
    std::lock_guard<std::mutex> lock(mutex);
    return find(stream) && find(awaited) ? TILEC_OK : TILEC_INVALID_ARGUMENT;
  }
  tilec_status allocate(size_t bytes, void *&memory) override;
  tilec_status release(void *memory) override;
  tilec_status allocationOf(const void *address, MemoryRange &range) const override;
  tilec_status upload(void *to, const void *from, size_t bytes, void *stream) override {
    return submit(stream, [=] {
      tilec_status status = checkRange(to, bytes);
      if (status == TILEC_OK)
        std::memcpy(to, from, bytes);
      return status;
    });
  }
  tilec_status download(void *to, const void *from, size_t bytes, void *stream) override {
    return submit(stream, [=] {
      tilec_status status = checkRange(from, bytes);
      if (status == TILEC_OK)
        std::memcpy(to, from, bytes);
      return status;
    });
  }
  tilec_status copy(void *to, const void *from, size_t bytes, void *stream) override {
    return submit(stream, [=] {
      tilec_status status = checkRange(to, bytes);
      if (status == TILEC_OK)
        status = checkRange(from, bytes);
      if (status == TILEC_OK)
        std::memmove(to, from, bytes);
      return status;
    });
  }
  tilec_status fill(void *to, uint8_t value, size_t bytes, void *stream) override {
    return submit(stream, [=] {
      tilec_status status = checkRange(to, bytes);
      if (status == TILEC_OK)
        std::memset(to, value, bytes);
      return status;
    });
  }
  tilec_status checkTarget(const std::string &target, bool /*isPtx*/) const override {
    return isSimulator(target) ? TILEC_OK
                               : invalid("code for '" + target + "' does not run on the simulator");
  }
  tilec_status load(std::shared_ptr<KernelObject> kernel,
                    std::shared_ptr<FunctionObject> &function) override;
  tilec_status beginRecording(void *stream) override;
  tilec_status endRecording(void *stream, std::shared_ptr<GraphObject> &graph) override;

  /// Does the work, or records it.
  tilec_status submit(void *stream, Work work);
  tilec_status simulate(const CompiledKernel &kernel, std::array<uint32_t, 3> grid,
                        Values values) const;
  /// The allocation that an address is in, or the end of.
  std::optional<LaunchMemory::Range> findBuffer(uint64_t address) const;
  /// The same with counters, and without printing.
  tilec_status measure(const CompiledKernel &kernel, std::array<uint32_t, 3> grid, Values values,
                       double &cost) const;

private:
  struct StreamState {
    /// What was recorded since tilec_graph_begin.
    std::optional<std::vector<Work>> recording;
  };

  /// Whether bytes are within one of the device's allocations.
  tilec_status checkRange(const void *memory, size_t bytes) const;
  tilec_status statusOf(const LaunchResult &result, const CompiledKernel &kernel,
                        const LaunchConfig &config) const;
  /// The stream of a number; null after a failure was kept. Under the lock.
  StreamState *find(void *stream);
  LaunchConfig configOf(const CompiledKernel &kernel, std::array<uint32_t, 3> grid,
                        Values &values) const;
  /// Nothing when launches are not saved.
  std::optional<LaunchSaver::Ticket> save(const CompiledKernel &kernel,
                                          std::array<uint32_t, 3> grid, void **arguments) const;
  /// Calls the program back with what happened.
  void tell(const CompiledKernel &kernel, const LaunchResult &result) const;
  tilec_status run(const CompiledKernel &kernel, void **arguments,
                   const LaunchConfig &config) const;

  tilec_device_options options;
  uint64_t totalBytes;
  /// Guards what follows.
  mutable std::mutex mutex;
  uint64_t usedBytes = 0;
  std::map<void *, size_t> buffers;
  std::map<void *, StreamState> streams = {{nullptr, {}}};
};

class SimGraph final : public GraphObject {
public:
  SimGraph(std::shared_ptr<SimDevice> device, std::vector<Work> recorded)
      : owner(std::move(device)), steps(std::move(recorded)) {}

  tilec_status launch(void *stream) override {
    for (const Work &step : steps)
      if (tilec_status status = owner->submit(stream, step))
        return status;
    return TILEC_OK;
  }

private:
  std::shared_ptr<SimDevice> owner;
  std::vector<Work> steps;
};

class SimFunction final : public FunctionObject, public std::enable_shared_from_this<SimFunction> {
public:
  SimFunction(std::shared_ptr<SimDevice> device, std::shared_ptr<KernelObject> compiled)
      : FunctionObject(std::move(compiled)), owner(std::move(device)) {}

  tilec_status describe(tilec_function_info &info) override {
    info.registers = info.local_bytes = -1;
    return TILEC_OK;
  }
  tilec_status launch(const LaunchRequest &request) override {
    return launch(request.grid, valuesOf(request), request.stream);
  }
  tilec_status prepare(const LaunchRequest &request,
                       std::shared_ptr<PreparedObject> &prepared) override;
  tilec_status measure(const LaunchRequest &request, const MeasureOptions & /*options*/,
                       double &cost) override {
    return owner->measure(kernel(), request.grid, valuesOf(request), cost);
  }

  /// The work does not keep the device, which may have recorded it.
  tilec_status launch(std::array<uint32_t, 3> grid, Values values, void *stream) {
    return owner->submit(
        stream, [device = owner.get(), kernel = sharedKernel(), grid, values = std::move(values)] {
          return device->simulate(*kernel, grid, values);
        });
  }
  const std::shared_ptr<SimDevice> &device() const { return owner; }

private:
  Values valuesOf(const LaunchRequest &request) const {
    Values values(metadata());
    for (size_t i = 0; i < metadata().arguments.size(); ++i)
      values.set(i, request.arguments[i], metadata().arguments[i].sizeBytes);
    for (const tilec_buffer &buffer : request.buffers)
      values.buffers.push_back({buffer.data, buffer.size, buffer.name ? buffer.name : "",
                                (buffer.flags & TILEC_BUFFER_READ_ONLY) != 0});
    return values;
  }

  std::shared_ptr<SimDevice> owner;
};

class SimPrepared final : public PreparedObject {
public:
  SimPrepared(std::shared_ptr<SimFunction> kernel, std::array<uint32_t, 3> programs, Values packed)
      : function(std::move(kernel)), grid(programs), values(std::move(packed)) {}

  tilec_status setArgument(size_t index, const void *data, size_t size) override;
  tilec_status setGrid(std::array<uint32_t, 3> changed) override {
    grid = changed;
    return TILEC_OK;
  }
  tilec_status launch(void *stream) override { return function->launch(grid, values, stream); }
  std::shared_ptr<DeviceObject> device() const override { return function->device(); }

private:
  std::shared_ptr<SimFunction> function;
  std::array<uint32_t, 3> grid;
  Values values;
};

} // namespace

//===----------------------------------------------------------------------------------===//
// Memory and streams
//===----------------------------------------------------------------------------------===//

tilec_status tilec::api::openSimDevice(const tilec_device_options &options,
                                       std::shared_ptr<DeviceObject> &device) {
  device = std::make_shared<SimDevice>(options);
  return TILEC_OK;
}

tilec_status SimDevice::allocate(size_t bytes, void *&memory) {
  memory = nullptr;
  if (bytes == 0)
    return TILEC_OK;
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes <= totalBytes - usedBytes)
    memory = operator new(bytes, memoryAlignment, std::nothrow);
  if (!memory)
    return fail(TILEC_OUT_OF_RESOURCES,
                "cannot allocate " + std::to_string(bytes) +
                    " bytes on the simulator: " + std::to_string(totalBytes - usedBytes) + " of " +
                    std::to_string(totalBytes) + " are free");
  buffers.emplace(memory, bytes);
  usedBytes += bytes;
  return TILEC_OK;
}

tilec_status SimDevice::release(void *memory) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = buffers.find(memory);
  if (found == buffers.end())
    return invalid("not memory of tilec_memory_alloc on this device, or freed already");
  usedBytes -= found->second;
  buffers.erase(found);
  operator delete(memory, memoryAlignment);
  return TILEC_OK;
}

tilec_status SimDevice::allocationOf(const void *address, MemoryRange &range) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto next = buffers.upper_bound(const_cast<void *>(address));
  if (next != buffers.begin()) {
    range = {static_cast<char *>(std::prev(next)->first), std::prev(next)->second};
    if (range.contains(address))
      return TILEC_OK;
  }
  return invalid("not within memory of tilec_memory_alloc");
}

tilec_status SimDevice::checkRange(const void *memory, size_t bytes) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto next = buffers.upper_bound(const_cast<void *>(memory));
  if (next != buffers.begin()) {
    const auto &[begin, size] = *std::prev(next);
    size_t offset = size_t(static_cast<const char *>(memory) - static_cast<char *>(begin));
    if (offset <= size && bytes <= size - offset)
      return TILEC_OK;
  }
  return invalid("a copy of " + std::to_string(bytes) +
                 " bytes is not within memory of tilec_memory_alloc");
}

SimDevice::StreamState *SimDevice::find(void *stream) {
  auto found = streams.find(stream);
  if (found != streams.end())
    return &found->second;
  invalid("not a stream of tilec_stream_create on the simulator, or destroyed already");
  return nullptr;
}

tilec_status SimDevice::createStream(void *&stream) {
  // A number as handles have: never an address, never used twice.
  stream = reinterpret_cast<void *>(nextHandle());
  std::lock_guard<std::mutex> lock(mutex);
  streams.try_emplace(stream);
  return TILEC_OK;
}

tilec_status SimDevice::destroyStream(void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!stream)
    return invalid("the default stream cannot be destroyed");
  if (!find(stream))
    return TILEC_INVALID_ARGUMENT;
  streams.erase(stream);
  return TILEC_OK;
}

tilec_status SimDevice::synchronizeStream(void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  StreamState *state = find(stream);
  if (!state)
    return TILEC_INVALID_ARGUMENT;
  return state->recording ? invalid("the stream is being recorded: it cannot be waited for")
                          : TILEC_OK;
}

//===----------------------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------------------===//

tilec_status SimDevice::submit(void *stream, Work work) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    StreamState *state = find(stream);
    if (!state)
      return TILEC_INVALID_ARGUMENT;
    if (state->recording) {
      state->recording->push_back(std::move(work));
      return TILEC_OK;
    }
  }
  return work();
}

tilec_status SimDevice::beginRecording(void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  StreamState *state = find(stream);
  if (!state)
    return TILEC_INVALID_ARGUMENT;
  if (state->recording)
    return invalid("the stream is being recorded already");
  state->recording.emplace();
  return TILEC_OK;
}

tilec_status SimDevice::endRecording(void *stream, std::shared_ptr<GraphObject> &graph) {
  std::vector<Work> steps;
  {
    std::lock_guard<std::mutex> lock(mutex);
    StreamState *state = find(stream);
    if (!state)
      return TILEC_INVALID_ARGUMENT;
    if (!state->recording)
      return invalid("the stream is not being recorded");
    steps = std::move(*state->recording);
    state->recording.reset();
  }
  graph = std::make_shared<SimGraph>(std::static_pointer_cast<SimDevice>(shared_from_this()),
                                     std::move(steps));
  return TILEC_OK;
}

//===----------------------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------------------===//

tilec_status SimDevice::load(std::shared_ptr<KernelObject> kernel,
                             std::shared_ptr<FunctionObject> &function) {
  const tilecrt::KernelMetadata &metadata = kernel->kernel.metadata;
  if (!kernel->kernel.host)
    return invalid("kernel '" + metadata.name + "' for target '" + metadata.target +
                   "' has no host code: expected target 'sim', compiled to the end");
  function = std::make_shared<SimFunction>(std::static_pointer_cast<SimDevice>(shared_from_this()),
                                           std::move(kernel));
  return TILEC_OK;
}

LaunchConfig SimDevice::configOf(const CompiledKernel &kernel, std::array<uint32_t, 3> grid,
                                 Values &values) const {
  void **arguments = values.pointers();
  LaunchConfig config;
  config.grid = grid;
  config.check = options.simulate_flags & TILEC_SIMULATE_CHECK;
  config.hostThreads = options.host_threads;
  config.sites = &kernel.host->sites();
  std::map<const void *, std::string> names;
  const auto &described = kernel.metadata.arguments;
  for (size_t i = 0; i < described.size(); ++i)
    if (described[i].kind == tilecrt::ArgumentKind::pointer)
      names.emplace(*static_cast<void **>(arguments[i]), described[i].name);
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &[memory, bytes] : buffers) {
    auto name = names.find(memory);
    config.buffers.push_back({memory, bytes, name == names.end() ? "" : name->second, false});
  }
  config.buffers.insert(config.buffers.end(), values.buffers.begin(), values.buffers.end());
  // Without any buffer, accesses would be trusted.
  if (config.buffers.empty())
    config.buffers.push_back({nullptr, 0, "", false});
  return config;
}

std::optional<LaunchMemory::Range> SimDevice::findBuffer(uint64_t address) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto next = buffers.upper_bound(reinterpret_cast<void *>(address));
  if (next == buffers.begin())
    return std::nullopt;
  const auto &[memory, bytes] = *std::prev(next);
  uint64_t begin = reinterpret_cast<uintptr_t>(memory);
  if (address - begin > bytes)
    return std::nullopt;
  return LaunchMemory::Range{begin, bytes};
}

namespace {
class SimMemory final : public LaunchMemory {
public:
  explicit SimMemory(const SimDevice &simulator) : device(simulator) {}

  std::optional<Range> find(uint64_t address) override { return device.findBuffer(address); }
  llvm::Error read(uint64_t address, llvm::MutableArrayRef<char> to) override {
    std::memcpy(to.data(), reinterpret_cast<const void *>(address), to.size());
    return llvm::Error::success();
  }

private:
  const SimDevice &device;
};
} // namespace

std::optional<LaunchSaver::Ticket> SimDevice::save(const CompiledKernel &kernel,
                                                   std::array<uint32_t, 3> grid,
                                                   void **arguments) const {
  std::shared_ptr<LaunchSaver> saver = getSaver();
  if (!saver)
    return std::nullopt;
  SimMemory memory(*this);
  return saver->save({kernel, arguments, grid, {0, 0, 0}, "the simulator"}, memory);
}

tilec_status SimDevice::simulate(const CompiledKernel &kernel, std::array<uint32_t, 3> grid,
                                 Values values) const {
  void **arguments = values.pointers();
  LaunchConfig config = configOf(kernel, grid, values);
  std::optional<LaunchSaver::Ticket> ticket = save(kernel, grid, arguments);
  tilec_status status = run(kernel, arguments, config);
  // What was refused did not run.
  if (!ticket || status == TILEC_INVALID_ARGUMENT)
    return status;
  if (status == TILEC_OK) {
    ticket->succeed();
  } else {
    std::string note = ticket->fail(tilec_last_error());
    addToFailure(note, ticket->keptFolder());
  }
  return status;
}

void SimDevice::tell(const CompiledKernel &kernel, const LaunchResult &result) const {
  auto send = [&](tilec_event_kind kind, const char *finding, const std::string &text, int32_t site,
                  const ThreadRef &thread, const std::vector<int32_t> &coordinates) {
    if (!options.event)
      return;
    Site place = placeOf(site, kernel.host->sites());
    tilec_device_event event = {};
    event.struct_size = sizeof event;
    event.kind = kind;
    event.kernel = kernel.metadata.name.c_str();
    event.finding = finding;
    event.text = text.c_str();
    event.file = place.file.c_str();
    event.line = uint32_t(std::max(place.line, 0));
    event.column = uint32_t(std::max(place.col, 0));
    std::copy_n(thread.cta.begin(), 3, event.program);
    event.thread = thread.thread;
    event.coordinates = coordinates.data();
    event.num_coordinates = coordinates.size();
    options.event(options.event_context, &event);
  };
  for (const PrintedLine &line : result.printed) {
    if (options.print)
      options.print(options.print_context, line.text.c_str());
    send(TILEC_EVENT_PRINTED, "", line.text, line.site, line.thread, printedElement(line.text));
  }
  for (const Finding &finding : result.findings)
    send(TILEC_EVENT_FINDING, findingKindName(finding.kind), finding.message, finding.site,
         finding.thread, assertedElement(finding, result.printed, kernel.host->sites()));
}

tilec_status SimDevice::run(const CompiledKernel &kernel, void **arguments,
                            const LaunchConfig &config) const {
  LaunchResult result = tilec::simulate(kernel, arguments, config);
  tell(kernel, result);
  return statusOf(result, kernel, config);
}

tilec_status SimDevice::measure(const CompiledKernel &kernel, std::array<uint32_t, 3> grid,
                                Values values, double &cost) const {
  void **arguments = values.pointers();
  LaunchConfig config = configOf(kernel, grid, values);
  config.counters = true;
  LaunchResult result = tilec::simulate(kernel, arguments, config);
  cost = simulatedCost(result.totals);
  return statusOf(result, kernel, config);
}

tilec_status SimDevice::statusOf(const LaunchResult &result, const CompiledKernel &kernel,
                                 const LaunchConfig &config) const {
  if (result.status == LaunchStatus::Invalid)
    return invalid("launching kernel '" + kernel.metadata.name + "': " + result.error);
  if (!result.findings.empty()) {
    size_t others = result.findings.size() + size_t(result.findingsDropped) - 1;
    return fail(TILEC_INPUT_ERROR,
                describeFinding(result.findings.front(), config) +
                    elementText(assertedElement(result.findings.front(), result.printed,
                                                kernel.host->sites())) +
                    (others ? "\nand " + std::to_string(others) + " other findings" : ""));
  }
  if (result.status != LaunchStatus::Completed)
    return fail(TILEC_UNAVAILABLE, result.error);
  return TILEC_OK;
}

tilec_status SimFunction::prepare(const LaunchRequest &request,
                                  std::shared_ptr<PreparedObject> &prepared) {
  prepared = std::make_shared<SimPrepared>(shared_from_this(), request.grid, valuesOf(request));
  return TILEC_OK;
}

tilec_status SimPrepared::setArgument(size_t index, const void *data, size_t size) {
  const tilecrt::KernelMetadata &metadata = function->metadata();
  if (index >= metadata.arguments.size())
    return failIndex("argument", index, metadata.arguments.size());
  tilecrt::Status status = tilecrt::cuda::checkArgument(metadata, index, data, size);
  if (!status.ok())
    return fail(status);
  values.set(index, data, size);
  return TILEC_OK;
}
