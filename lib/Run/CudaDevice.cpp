// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA device over the runtime's wrapper of the driver. What a recording launches is kept by the
// graph that comes of it; whether anything is recorded at all is one relaxed load for a launch.

#include "tilec/Run/RunDevice.h"
#include "tilec/Support/Processor.h"

#include "tilecrt/cuda/DeviceBuffer.h"
#include "tilecrt/cuda/Graph.h"
#include "tilecrt/cuda/Module.h"
#include "tilecrt/cuda/PreparedLaunch.h"
#include "tilecrt/cuda/Stream.h"
#include "tilecrt/cuda/TensorMapCache.h"

#include "llvm/ADT/SmallVector.h"

#include <map>

using namespace tilecrt;
using namespace tilecrt::cuda;

namespace tilec {

namespace {

CUstream streamOf(void *stream) { return static_cast<CUstream>(stream); }
CUdeviceptr addressOf(const void *memory) { return reinterpret_cast<uintptr_t>(memory); }

class CudaDevice final : public RunDevice {
public:
  CudaDevice(Context made, const std::string &library);

  const DeviceProperties &properties() const { return context.device().properties(); }
  const DriverTable &table() const { return context.shared()->table(); }
  const Context &getContext() const { return context; }

  Result<std::pair<uint64_t, uint64_t>> freeAndTotalMemory() const override {
    return context.memoryInfo();
  }
  Status synchronize() const override { return context.synchronize(); }
  Result<void *> createStream() override;
  Status destroyStream(void *stream) override;
  Status synchronizeStream(void *stream) override;
  Status waitForStream(void *stream, void *awaited) override;
  bool canWait(void *stream) override;
  Result<void *> allocate(size_t bytes) override;
  Status release(void *memory) override;
  Result<MemoryRange> allocationOf(const void *address) const override;
  Status upload(void *to, const void *from, size_t bytes, void *stream) override;
  Status download(void *to, const void *from, size_t bytes, void *stream) override;
  Status copy(void *to, const void *from, size_t bytes, void *stream) override;
  Status fill(void *to, uint8_t value, size_t bytes, void *stream) override;
  Status checkTarget(const std::string &target, bool isPtx) const override {
    return checkTargetRuns(target, properties(), isPtx);
  }
  Result<std::shared_ptr<RunFunction>> load(std::shared_ptr<const CompiledKernel> kernel) override;
  Status beginRecording(void *stream) override;
  Result<std::shared_ptr<RunGraph>> endRecording(void *stream) override;

  /// The allocation that an address is in, whoever made it. In the context.
  std::optional<LaunchMemory::Range> findAllocation(uint64_t address);

  /// Makes a launch: as it is, or saved before and waited for.
  template <typename Queue>
  LaunchOutcome launch(const CompiledKernel &kernel, const void *const *arguments,
                       const LaunchShape &shape, void *stream, Queue queue) {
    std::shared_ptr<LaunchSaver> saver = getSaver();
    return saver ? launchSaved(*saver, kernel, arguments, shape, stream, queue) : queue();
  }
  /// Queues a graph, whose launches are not saved.
  LaunchOutcome launchGraph(const Graph &graph, CUstream stream);

  /// To be called with every kernel that is launched.
  void noteLaunch(void *stream, const std::shared_ptr<Kernel> &kernel) {
    if (numRecordings.load(std::memory_order_relaxed) != 0)
      keepForRecording(stream, kernel);
  }

private:
  void keepForRecording(void *stream, const std::shared_ptr<Kernel> &kernel);
  LaunchOutcome launchSaved(LaunchSaver &saver, const CompiledKernel &kernel,
                            const void *const *arguments, const LaunchShape &shape, void *stream,
                            llvm::function_ref<Status()> queue);
  /// Calls a function of the driver with the context current.
  template <typename Call> Status inContext(Call call) const {
    ContextScope scope(*context.shared());
    return scope.status().ok() ? call() : scope.status();
  }

  Context context;
  /// Guards what follows.
  std::mutex mutex;
  std::map<void *, Stream> streams;
  std::map<void *, DeviceBuffer> buffers;
  /// Streams that are recorded, and the kernels that were launched on them.
  std::map<void *, std::vector<std::shared_ptr<Kernel>>> recordings;
  std::atomic<unsigned> numRecordings{0};
  /// Held by a launch that is saved, until it is done: a failure is then its own.
  std::mutex savingMutex;
};

/// For one launch that is being saved.
class CudaMemory final : public LaunchMemory {
public:
  explicit CudaMemory(CudaDevice &cuda) : device(cuda) {}

  std::optional<Range> find(uint64_t address) override { return device.findAllocation(address); }
  llvm::Error read(uint64_t address, llvm::MutableArrayRef<char> to) override {
    Status status = TILECRT_CUDA_CALL(device.table(), memcpyDtoH, (to.data(), address, to.size()));
    if (status.ok())
      return llvm::Error::success();
    return llvm::createStringError(llvm::inconvertibleErrorCode(), status.message());
  }

private:
  CudaDevice &device;
};

class CudaGraph final : public RunGraph {
public:
  CudaGraph(std::shared_ptr<CudaDevice> device, Graph recorded,
            std::vector<std::shared_ptr<Kernel>> launched)
      : owner(std::move(device)), kernels(std::move(launched)), graph(std::move(recorded)) {}

  LaunchOutcome launch(void *stream) override {
    return owner->launchGraph(graph, streamOf(stream));
  }

private:
  std::shared_ptr<CudaDevice> owner;
  /// Unloaded after the graph is destroyed.
  std::vector<std::shared_ptr<Kernel>> kernels;
  Graph graph;
};

class CudaPrepared final : public RunPrepared {
public:
  CudaPrepared(std::shared_ptr<CudaDevice> device, std::shared_ptr<const CompiledKernel> kernel,
               PreparedLaunch packed)
      : owner(std::move(device)), compiled(std::move(kernel)), prepared(std::move(packed)) {}

  Status setArgument(size_t index, const void *data, size_t size) override {
    return prepared.setArgument(index, data, size);
  }
  Status setGrid(std::array<uint32_t, 3> grid) override {
    return prepared.setGrid({grid[0], grid[1], grid[2]});
  }
  LaunchOutcome launch(void *stream) override {
    owner->noteLaunch(stream, prepared.kernel());
    return owner->launch(*compiled, prepared.arguments(), prepared.launchShape(), stream,
                         [&] { return prepared.launch(streamOf(stream)); });
  }
  std::shared_ptr<RunDevice> device() const override { return owner; }

private:
  std::shared_ptr<CudaDevice> owner;
  std::shared_ptr<const CompiledKernel> compiled;
  PreparedLaunch prepared;
};

class CudaFunction final : public RunFunction {
public:
  CudaFunction(std::shared_ptr<CudaDevice> device, std::shared_ptr<const CompiledKernel> compiled,
               Kernel loaded)
      : RunFunction(std::move(compiled)), owner(std::move(device)),
        entry(std::make_shared<Kernel>(std::move(loaded))), latestMaps(metadata()) {}

  Result<FunctionInfo> describe() override;
  LaunchOutcome launch(const LaunchRequest &request) override;
  Result<std::shared_ptr<RunPrepared>> prepare(const LaunchRequest &request) override;
  Result<Timing> time(const LaunchRequest &request, const TimingOptions &options) override;
  Result<Timing> measure(const LaunchRequest &request, const MeasureOptions &options) override;
  Status raiseLimits(const LaunchShape &shape) {
    std::lock_guard<std::mutex> lock(mutex);
    return entry->prepare(shape);
  }
  /// Asks how many CTAs of a persistent kernel there are at once.
  Status findResidentBlocks();
  LaunchShape shapeOf(const LaunchRequest &request) const;

private:
  Status queue(const LaunchRequest &request);

  std::shared_ptr<CudaDevice> owner;
  std::shared_ptr<Kernel> entry;
  uint64_t residentBlocks = 0;
  /// The driver's limits of the kernel are raised by one thread at a time.
  std::mutex mutex;
  TensorMapCache latestMaps;
};

} // namespace

//===----------------------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------------------===//

Result<Device> openGpu(int ordinal, const std::string &library) {
  Result<Driver> driver = Driver::open(library);
  if (!driver)
    return driver.status();
  return Device::open(*driver, ordinal);
}

Result<std::string> targetOf(const DeviceProperties &device) {
  if (const Processor *processor = processorOfGpu(device.computeMajor, device.computeMinor))
    return processor->name.str();
  return unavailable("'" + device.name + "' is " + device.archName() +
                     "; tilec needs sm_70 or newer");
}

std::shared_ptr<RunDevice> makeCudaDevice(Context context, const std::string &library) {
  return std::make_shared<CudaDevice>(std::move(context), library);
}

Result<std::shared_ptr<RunDevice>> openCudaDevice(int ordinal, const std::string &library) {
  Result<Device> opened = openGpu(ordinal, library);
  if (!opened)
    return opened.status();
  Result<Context> context = Context::create(*opened);
  if (!context)
    return context.status();
  return makeCudaDevice(std::move(*context), library);
}

CudaDevice::CudaDevice(Context made, const std::string &library) : context(std::move(made)) {
  const DeviceProperties &device = properties();
  Result<std::string> target = targetOf(device);
  facts.name = device.name;
  // Compiling for a device that is too old says so.
  facts.target = target ? *target : device.archName();
  facts.computeMajor = device.computeMajor;
  facts.computeMinor = device.computeMinor;
  facts.multiprocessors = unsigned(device.smCount);
  facts.concurrentCtas = facts.multiprocessors;
  facts.sharedBytes = unsigned(device.sharedPerBlockOptIn);
  facts.memoryBytes = device.totalMemoryBytes;
  facts.l2Bytes = device.l2Bytes;
  facts.driverVersion = context.device().driver().version();
  facts.ordinal = context.device().ordinal();
  facts.driver = library;
  facts.context = context.shared()->handle();
}

Result<void *> CudaDevice::createStream() {
  Result<Stream> made = Stream::create(context);
  if (!made)
    return made.status();
  void *stream = made->handle();
  std::lock_guard<std::mutex> lock(mutex);
  streams.insert_or_assign(stream, std::move(*made));
  return stream;
}

Status CudaDevice::destroyStream(void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (streams.erase(stream) == 0)
    return invalidArgument("not a stream of tilec_stream_create, or destroyed already");
  // Its handle may come again.
  if (recordings.erase(stream) != 0)
    --numRecordings;
  return Status();
}

Status CudaDevice::synchronizeStream(void *stream) {
  return inContext(
      [&] { return TILECRT_CUDA_CALL(table(), streamSynchronize, (streamOf(stream))); });
}

Status CudaDevice::waitForStream(void *stream, void *awaited) {
  // The driver keeps the event until it was waited for.
  Result<Event> event = Event::create(context, /*timing=*/false);
  if (!event)
    return event.status();
  TILECRT_RETURN_IF_ERROR(event->record(Stream::borrow(context, streamOf(awaited))));
  return Stream::borrow(context, streamOf(stream)).wait(*event);
}

Result<void *> CudaDevice::allocate(size_t bytes) {
  Result<DeviceBuffer> buffer = DeviceBuffer::create(context, bytes);
  if (!buffer)
    return buffer.status();
  void *memory = reinterpret_cast<void *>(buffer->address());
  std::lock_guard<std::mutex> lock(mutex);
  buffers.insert_or_assign(memory, std::move(*buffer));
  return memory;
}

Status CudaDevice::release(void *memory) {
  std::lock_guard<std::mutex> lock(mutex);
  if (buffers.erase(memory) == 0)
    return invalidArgument("not memory of tilec_memory_alloc on this device, or freed already");
  return Status();
}

Result<MemoryRange> CudaDevice::allocationOf(const void *address) const {
  CUdeviceptr start = 0;
  size_t bytes = 0;
  TILECRT_RETURN_IF_ERROR(inContext([&] {
    return TILECRT_CUDA_CALL(table(), memGetAddressRange, (&start, &bytes, addressOf(address)));
  }));
  return MemoryRange{reinterpret_cast<char *>(start), bytes};
}

Status CudaDevice::upload(void *to, const void *from, size_t bytes, void *stream) {
  return inContext([&] {
    return TILECRT_CUDA_CALL(table(), memcpyHtoDAsync,
                             (addressOf(to), from, bytes, streamOf(stream)));
  });
}

Status CudaDevice::download(void *to, const void *from, size_t bytes, void *stream) {
  return inContext([&] {
    return TILECRT_CUDA_CALL(table(), memcpyDtoHAsync,
                             (to, addressOf(from), bytes, streamOf(stream)));
  });
}

Status CudaDevice::copy(void *to, const void *from, size_t bytes, void *stream) {
  return inContext([&] {
    return TILECRT_CUDA_CALL(table(), memcpyDtoDAsync,
                             (addressOf(to), addressOf(from), bytes, streamOf(stream)));
  });
}

Status CudaDevice::fill(void *to, uint8_t value, size_t bytes, void *stream) {
  return inContext([&] {
    return TILECRT_CUDA_CALL(table(), memsetD8Async,
                             (addressOf(to), value, bytes, streamOf(stream)));
  });
}

Result<std::shared_ptr<RunFunction>>
CudaDevice::load(std::shared_ptr<const CompiledKernel> kernel) {
  const KernelMetadata &metadata = kernel->metadata;
  bool isPtx = kernel->cubin.empty();
  const std::string &image = isPtx ? kernel->ptx : kernel->cubin;
  if (image.empty())
    return invalidArgument("kernel '" + metadata.name + "' for target '" + metadata.target +
                           "' has no code for '" + facts.name + "': expected PTX or a cubin");
  TILECRT_RETURN_IF_ERROR(
      checkTarget(metadata.target, isPtx).withContext("kernel '" + metadata.name + "'"));
  Result<Module> module = Module::load(context, image);
  if (!module)
    return module.status().withContext("kernel '" + metadata.name + "'");
  Result<Kernel> entry = module->kernel(metadata.name);
  if (!entry)
    return entry.status();
  auto loaded =
      std::make_shared<CudaFunction>(std::static_pointer_cast<CudaDevice>(shared_from_this()),
                                     std::move(kernel), std::move(*entry));
  // Shared memory and clusters that no launch could have are known now.
  TILECRT_RETURN_IF_ERROR(loaded->raiseLimits(loaded->shapeOf(LaunchRequest())));
  TILECRT_RETURN_IF_ERROR(loaded->findResidentBlocks());
  return std::shared_ptr<RunFunction>(std::move(loaded));
}

//===----------------------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------------------===//

void CudaDevice::keepForRecording(void *stream, const std::shared_ptr<Kernel> &kernel) {
  std::lock_guard<std::mutex> lock(mutex);
  auto recording = recordings.find(stream);
  if (recording != recordings.end())
    recording->second.push_back(kernel);
}

Status CudaDevice::beginRecording(void *stream) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!recordings.try_emplace(stream).second)
      return invalidArgument("the stream is being recorded already");
    ++numRecordings;
  }
  Status begun = Graph::beginCapture(context, streamOf(stream));
  if (begun.ok())
    return begun;
  std::lock_guard<std::mutex> lock(mutex);
  recordings.erase(stream);
  --numRecordings;
  return begun;
}

Result<std::shared_ptr<RunGraph>> CudaDevice::endRecording(void *stream) {
  std::vector<std::shared_ptr<Kernel>> kernels;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto recording = recordings.find(stream);
    if (recording == recordings.end())
      return invalidArgument("the stream is not being recorded");
    kernels = std::move(recording->second);
    recordings.erase(recording);
    --numRecordings;
  }
  Result<Graph> recorded = Graph::endCapture(context, streamOf(stream));
  if (!recorded)
    return recorded.status();
  return std::shared_ptr<RunGraph>(
      std::make_shared<CudaGraph>(std::static_pointer_cast<CudaDevice>(shared_from_this()),
                                  std::move(*recorded), std::move(kernels)));
}

//===----------------------------------------------------------------------------------===//
// Saving launches
//===----------------------------------------------------------------------------------===//

std::optional<LaunchMemory::Range> CudaDevice::findAllocation(uint64_t address) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto next = buffers.upper_bound(reinterpret_cast<void *>(address));
    if (next != buffers.begin()) {
      const DeviceBuffer &buffer = std::prev(next)->second;
      if (address - buffer.address() <= buffer.size())
        return LaunchMemory::Range{buffer.address(), buffer.size()};
    }
  }
  CUdeviceptr base = 0;
  size_t bytes = 0;
  if (table().memGetAddressRange(&base, &bytes, address) == CUDA_SUCCESS)
    return LaunchMemory::Range{base, bytes};
  // Managed memory and the host's, as far as the device reaches it.
  bool known =
      table().pointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address) ==
          CUDA_SUCCESS &&
      table().pointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address) == CUDA_SUCCESS;
  if (!known || base == 0 || address - base >= bytes)
    return std::nullopt;
  return LaunchMemory::Range{base, bytes};
}

bool CudaDevice::canWait(void *stream) {
  if (numRecordings.load(std::memory_order_relaxed) != 0)
    return false;
  ContextScope scope(*context.shared());
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return scope.status().ok() &&
         table().streamIsCapturing(streamOf(stream), &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_NONE;
}

LaunchOutcome CudaDevice::launchSaved(LaunchSaver &saver, const CompiledKernel &kernel,
                                      const void *const *arguments, const LaunchShape &shape,
                                      void *stream, llvm::function_ref<Status()> queue) {
  std::lock_guard<std::mutex> lock(savingMutex);
  ContextScope scope(*context.shared());
  TILECRT_RETURN_IF_ERROR(scope.status());
  if (!canWait(stream))
    return queue();
  TILECRT_RETURN_IF_ERROR(context.synchronize().withContext("before the launch of kernel '" +
                                                            kernel.metadata.name + "'"));
  CudaMemory memory(*this);
  auto extents = [](const Dim3 &given) -> std::array<uint32_t, 3> {
    return {uint32_t(given.x), uint32_t(given.y), uint32_t(given.z)};
  };
  LaunchToSave launch{kernel, arguments, extents(shape.grid), extents(shape.cluster),
                      properties().name};
  LaunchSaver::Ticket ticket = saver.save(launch, memory);
  LaunchOutcome outcome = queue();
  // What was refused did not run.
  if (outcome.status.code() == StatusCode::invalidArgument)
    return outcome;
  if (outcome.ok())
    outcome = context.synchronize().withContext("kernel '" + kernel.metadata.name + "'");
  if (outcome.ok()) {
    ticket.succeed();
  } else {
    outcome.note = ticket.fail(outcome.status.message());
    outcome.savedFolder = ticket.keptFolder();
  }
  return outcome;
}

LaunchOutcome CudaDevice::launchGraph(const Graph &graph, CUstream stream) {
  std::shared_ptr<LaunchSaver> saver = getSaver();
  LaunchOutcome outcome = graph.launch(stream);
  if (saver && outcome.ok() && canWait(stream))
    outcome = context.synchronize();
  if (saver && !outcome.ok())
    outcome.note =
        "\nlaunches of a graph are not saved: launched one by one, the one that fails is";
  return outcome;
}

//===----------------------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------------------===//

Status CudaFunction::findResidentBlocks() {
  if (!metadata().isPersistent)
    return Status();
  Result<uint64_t> blocks = entry->residentBlocks(shapeOf(LaunchRequest()));
  if (blocks)
    residentBlocks = *blocks;
  return blocks.status();
}

LaunchShape CudaFunction::shapeOf(const LaunchRequest &request) const {
  const KernelMetadata &facts = metadata();
  LaunchShape shape;
  shape.grid = {request.grid[0], request.grid[1], request.grid[2]};
  shape.block = {facts.threadsPerCta, 1, 1};
  if (request.cluster == std::array<uint32_t, 3>{0, 0, 0})
    shape.cluster = {facts.clusterX, facts.clusterY, facts.clusterZ};
  else
    shape.cluster = {request.cluster[0], request.cluster[1], request.cluster[2]};
  shape.dynamicSharedBytes = facts.dynamicSharedBytes;
  // A launch that began before the one in front of it has ended would take numbers from its
  // counter.
  shape.programmatic = request.isProgrammatic && !facts.hasProgramCounter;
  shape.cooperative = request.isCooperative;
  shape.residentBlocks = residentBlocks;
  shape.splitK = facts.splitK;
  return shape;
}

Result<FunctionInfo> CudaFunction::describe() {
  FunctionInfo info;
  info.registers = entry->attributes().registers;
  info.localBytes = entry->attributes().localBytes;
  info.handle = entry->handle();
  std::lock_guard<std::mutex> lock(mutex);
  Result<int> programs =
      entry->maxActiveBlocksPerSm(metadata().threadsPerCta, metadata().dynamicSharedBytes);
  if (!programs)
    return programs.status();
  info.programsPerMultiprocessor = *programs;
  return info;
}

LaunchOutcome CudaFunction::launch(const LaunchRequest &request) {
  return owner->launch(kernel(), request.arguments, shapeOf(request), request.stream,
                       [&] { return queue(request); });
}

Status CudaFunction::queue(const LaunchRequest &request) {
  LaunchShape shape = shapeOf(request);
  TILECRT_RETURN_IF_ERROR(checkCluster(metadata(), shape));
  TILECRT_RETURN_IF_ERROR(entry->checkLaunch(shape));
  if (request.cluster[0] != 0)
    TILECRT_RETURN_IF_ERROR(raiseLimits(shape));
  const ContextState &state = *entry->context();
  ContextScope scope(state);
  TILECRT_RETURN_IF_ERROR(scope.status());

  const KernelMetadata &facts = metadata();
  llvm::SmallVector<void *, 48> addresses;
  for (size_t i = 0; i < facts.arguments.size(); ++i)
    addresses.push_back(const_cast<void *>(request.arguments[i]));
  llvm::SmallVector<CUtensorMap, 4> maps(facts.tensorMaps.size());
  if (!maps.empty())
    TILECRT_RETURN_IF_ERROR(latestMaps.get(request.arguments, state.table(), maps.data()));
  for (CUtensorMap &map : maps)
    addresses.push_back(&map);
  ProgramArguments programs(shape.grid);
  TILECRT_RETURN_IF_ERROR(programs.setStream(facts, state, streamOf(request.stream)));
  programs.addTo(addresses, facts);
  LaunchSetup setup = makeLaunchSetup(shape);
  setup.point();
  setup.config.hStream = streamOf(request.stream);
  owner->noteLaunch(request.stream, entry);
  CUresult result =
      state.table().launchKernelEx(&setup.config, entry->handle(), addresses.data(), nullptr);
  if (result == CUDA_SUCCESS)
    return Status();
  return TILECRT_CUDA_FAILURE(state.table(), result, launchKernelEx)
      .withContext("launching kernel '" + facts.name + "'");
}

Result<Timing> CudaFunction::time(const LaunchRequest &request, const TimingOptions &options) {
  const Context &context = owner->getContext();
  return timeKernel(
      context, Stream::borrow(context, streamOf(request.stream)),
      [&](const Stream &) { return queue(request); }, options);
}

Result<Timing> CudaFunction::measure(const LaunchRequest &request, const MeasureOptions &options) {
  const Context &context = owner->getContext();
  Stream stream = Stream::borrow(context, streamOf(request.stream));
  auto work = [&](const Stream &) { return queue(request); };
  // A failure of the first launch is the kernel's.
  TILECRT_RETURN_IF_ERROR(work(stream));
  TILECRT_RETURN_IF_ERROR(stream.synchronize());
  return measureKernel(context, stream, work, options);
}

Result<std::shared_ptr<RunPrepared>> CudaFunction::prepare(const LaunchRequest &request) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const KernelMetadata> facts(sharedKernel(), &metadata());
  Result<PreparedLaunch> packed =
      PreparedLaunch::create(entry, std::move(facts), shapeOf(request), request.arguments);
  if (!packed)
    return packed.status();
  return std::shared_ptr<RunPrepared>(
      std::make_shared<CudaPrepared>(owner, sharedKernel(), std::move(*packed)));
}

} // namespace tilec
