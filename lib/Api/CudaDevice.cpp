// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA device over the runtime's wrapper of the driver. What a recording launches is kept by the
// graph that comes of it; whether anything is recorded at all is one relaxed load for a launch.

#include "DeviceObjects.h"
#include "tilec/Support/Processor.h"

#include "tilecrt/cuda/DeviceBuffer.h"
#include "tilecrt/cuda/Graph.h"
#include "tilecrt/cuda/Module.h"
#include "tilecrt/cuda/PreparedLaunch.h"
#include "tilecrt/cuda/Stream.h"
#include "tilecrt/cuda/TensorMapCache.h"

#include "llvm/ADT/SmallVector.h"

#include <map>

using namespace tilec;
using namespace tilec::api;
using namespace tilecrt;
using namespace tilecrt::cuda;

namespace {

CUstream streamOf(void *stream) { return static_cast<CUstream>(stream); }
CUdeviceptr addressOf(const void *memory) { return reinterpret_cast<uintptr_t>(memory); }

/// Success costs no call.
tilec_status done(const Status &status) { return status.ok() ? TILEC_OK : fail(status); }

class CudaDevice final : public DeviceObject {
public:
  CudaDevice(Context made, std::string driver)
      : context(std::move(made)), targetName(targetOf(properties())),
        driverFile(std::move(driver)) {}

  const DeviceProperties &properties() const { return context.device().properties(); }
  const DriverTable &table() const { return context.shared()->table(); }
  const Context &getContext() const { return context; }

  void describe(tilec_device_info &info) const override;
  std::string driverPath() const override { return driverFile; }
  tilec_status memory(uint64_t &freeBytes, uint64_t &totalBytes) const override;
  tilec_status synchronize() const override { return done(context.synchronize()); }
  tilec_status createStream(void *&stream) override;
  tilec_status destroyStream(void *stream) override;
  tilec_status synchronizeStream(void *stream) override;
  tilec_status waitForStream(void *stream, void *awaited) override;
  tilec_status allocate(size_t bytes, void *&memory) override;
  tilec_status release(void *memory) override;
  tilec_status allocationOf(const void *address, MemoryRange &range) const override;
  tilec_status upload(void *to, const void *from, size_t bytes, void *stream) override;
  tilec_status download(void *to, const void *from, size_t bytes, void *stream) override;
  tilec_status copy(void *to, const void *from, size_t bytes, void *stream) override;
  tilec_status fill(void *to, uint8_t value, size_t bytes, void *stream) override;
  tilec_status checkTarget(const std::string &target, bool isPtx) const override {
    return fail(checkTargetRuns(target, properties(), isPtx));
  }
  tilec_status load(std::shared_ptr<KernelObject> kernel,
                    std::shared_ptr<FunctionObject> &function) override;
  tilec_status beginRecording(void *stream) override;
  tilec_status endRecording(void *stream, std::shared_ptr<GraphObject> &graph) override;

  /// The allocation that an address is in, whoever made it. In the context.
  std::optional<LaunchMemory::Range> findAllocation(uint64_t address);

  /// Makes a launch: as it is, or saved before and waited for.
  template <typename Queue>
  tilec_status launch(const CompiledKernel &kernel, const void *const *arguments,
                      const LaunchShape &shape, void *stream, Queue queue) {
    std::shared_ptr<LaunchSaver> saver = getSaver();
    return saver ? launchSaved(*saver, kernel, arguments, shape, stream, queue) : done(queue());
  }
  /// Queues a graph, whose launches are not saved.
  tilec_status launchGraph(const Graph &graph, CUstream stream);

  /// To be called with every kernel that is launched.
  void noteLaunch(void *stream, const std::shared_ptr<Kernel> &kernel) {
    if (numRecordings.load(std::memory_order_relaxed) != 0)
      keepForRecording(stream, kernel);
  }

private:
  /// The compile target; compiling for a device that is too old says so.
  static std::string targetOf(const DeviceProperties &device) {
    const Processor *processor = processorOfGpu(device.computeMajor, device.computeMinor);
    return processor ? processor->name.str() : device.archName();
  }
  void keepForRecording(void *stream, const std::shared_ptr<Kernel> &kernel);
  tilec_status launchSaved(LaunchSaver &saver, const CompiledKernel &kernel,
                           const void *const *arguments, const LaunchShape &shape, void *stream,
                           llvm::function_ref<Status()> queue);
  /// Whether work may be waited for now: not while it is recorded.
  bool canWait(void *stream);
  /// Calls a function of the driver with the context current.
  template <typename Call> tilec_status inContext(Call call) const {
    ContextScope scope(*context.shared());
    return scope.status().ok() ? done(call()) : fail(scope.status());
  }

  Context context;
  std::string targetName, driverFile;
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

class CudaGraph final : public GraphObject {
public:
  CudaGraph(std::shared_ptr<CudaDevice> device, Graph recorded,
            std::vector<std::shared_ptr<Kernel>> launched)
      : owner(std::move(device)), kernels(std::move(launched)), graph(std::move(recorded)) {}

  tilec_status launch(void *stream) override { return owner->launchGraph(graph, streamOf(stream)); }

private:
  std::shared_ptr<CudaDevice> owner;
  /// Unloaded after the graph is destroyed.
  std::vector<std::shared_ptr<Kernel>> kernels;
  Graph graph;
};

class CudaPrepared final : public PreparedObject {
public:
  CudaPrepared(std::shared_ptr<CudaDevice> device, std::shared_ptr<const CompiledKernel> kernel,
               PreparedLaunch packed)
      : owner(std::move(device)), compiled(std::move(kernel)), prepared(std::move(packed)) {}

  tilec_status setArgument(size_t index, const void *data, size_t size) override {
    return done(prepared.setArgument(index, data, size));
  }
  tilec_status setGrid(std::array<uint32_t, 3> grid) override {
    return done(prepared.setGrid({grid[0], grid[1], grid[2]}));
  }
  tilec_status launch(void *stream) override {
    owner->noteLaunch(stream, prepared.kernel());
    return owner->launch(*compiled, prepared.arguments(), prepared.launchShape(), stream,
                         [&] { return prepared.launch(streamOf(stream)); });
  }
  std::shared_ptr<DeviceObject> device() const override { return owner; }

private:
  std::shared_ptr<CudaDevice> owner;
  std::shared_ptr<const CompiledKernel> compiled;
  PreparedLaunch prepared;
};

class CudaFunction final : public FunctionObject {
public:
  CudaFunction(std::shared_ptr<CudaDevice> device, std::shared_ptr<KernelObject> compiled,
               Kernel loaded)
      : FunctionObject(std::move(compiled)), owner(std::move(device)),
        entry(std::make_shared<Kernel>(std::move(loaded))), latestMaps(metadata()) {}

  tilec_status describe(tilec_function_info &info) override;
  tilec_status launch(const LaunchRequest &request) override;
  tilec_status prepare(const LaunchRequest &request,
                       std::shared_ptr<PreparedObject> &prepared) override;
  tilec_status measure(const LaunchRequest &request, const MeasureOptions &options,
                       double &cost) override;
  Status raiseLimits(const LaunchShape &shape) {
    std::lock_guard<std::mutex> lock(mutex);
    return entry->prepare(shape);
  }
  LaunchShape shapeOf(const LaunchRequest &request) const;

private:
  Status queue(const LaunchRequest &request);

  std::shared_ptr<CudaDevice> owner;
  std::shared_ptr<Kernel> entry;
  /// The driver's limits of the kernel are raised by one thread at a time.
  std::mutex mutex;
  TensorMapCache latestMaps;
};

} // namespace

//===----------------------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------------------===//

tilec_status tilec::api::openCudaDevice(const tilec_device_options &options, int ordinal,
                                        std::shared_ptr<DeviceObject> &device) {
  Result<Driver> driver = Driver::open(options.driver ? options.driver : "");
  if (!driver)
    return fail(driver.status());
  Result<Device> opened = Device::open(*driver, ordinal);
  if (!opened)
    return fail(opened.status());
  Result<Context> context = Context::create(*opened);
  if (!context)
    return fail(context.status());
  device = std::make_shared<CudaDevice>(std::move(*context), options.driver ? options.driver : "");
  return TILEC_OK;
}

void CudaDevice::describe(tilec_device_info &info) const {
  const DeviceProperties &facts = properties();
  info.name = facts.name.c_str();
  info.target = targetName.c_str();
  info.compute_major = facts.computeMajor;
  info.compute_minor = facts.computeMinor;
  info.multiprocessors = uint32_t(facts.smCount);
  info.shared_bytes = uint32_t(facts.sharedPerBlockOptIn);
  info.memory_bytes = facts.totalMemoryBytes;
  info.l2_bytes = facts.l2Bytes;
  info.driver_version = context.device().driver().version();
  info.ordinal = context.device().ordinal();
  info.context = context.shared()->handle();
}

tilec_status CudaDevice::memory(uint64_t &freeBytes, uint64_t &totalBytes) const {
  Result<std::pair<uint64_t, uint64_t>> info = context.memoryInfo();
  if (!info)
    return fail(info.status());
  std::tie(freeBytes, totalBytes) = *info;
  return TILEC_OK;
}

tilec_status CudaDevice::createStream(void *&stream) {
  Result<Stream> made = Stream::create(context);
  if (!made)
    return fail(made.status());
  stream = made->handle();
  std::lock_guard<std::mutex> lock(mutex);
  streams.insert_or_assign(stream, std::move(*made));
  return TILEC_OK;
}

tilec_status CudaDevice::destroyStream(void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (streams.erase(stream) == 0)
    return api::fail(TILEC_INVALID_ARGUMENT,
                     "not a stream of tilec_stream_create, or destroyed already");
  // Its handle may come again.
  if (recordings.erase(stream) != 0)
    --numRecordings;
  return TILEC_OK;
}

tilec_status CudaDevice::synchronizeStream(void *stream) {
  return inContext(
      [&] { return TILECRT_CUDA_CALL(table(), streamSynchronize, (streamOf(stream))); });
}

tilec_status CudaDevice::waitForStream(void *stream, void *awaited) {
  // The driver keeps the event until it was waited for.
  Result<Event> event = Event::create(context, /*timing=*/false);
  if (!event)
    return fail(event.status());
  if (Status recorded = event->record(Stream::borrow(context, streamOf(awaited))); !recorded.ok())
    return fail(recorded);
  return done(Stream::borrow(context, streamOf(stream)).wait(*event));
}

tilec_status CudaDevice::allocate(size_t bytes, void *&memory) {
  Result<DeviceBuffer> buffer = DeviceBuffer::create(context, bytes);
  if (!buffer)
    return fail(buffer.status());
  memory = reinterpret_cast<void *>(buffer->address());
  std::lock_guard<std::mutex> lock(mutex);
  buffers.insert_or_assign(memory, std::move(*buffer));
  return TILEC_OK;
}

tilec_status CudaDevice::release(void *memory) {
  std::lock_guard<std::mutex> lock(mutex);
  if (buffers.erase(memory) == 0)
    return api::fail(TILEC_INVALID_ARGUMENT,
                     "not memory of tilec_memory_alloc on this device, or freed already");
  return TILEC_OK;
}

tilec_status CudaDevice::allocationOf(const void *address, MemoryRange &range) const {
  CUdeviceptr start = 0;
  size_t bytes = 0;
  tilec_status status = inContext([&] {
    return TILECRT_CUDA_CALL(table(), memGetAddressRange, (&start, &bytes, addressOf(address)));
  });
  range = {reinterpret_cast<char *>(start), bytes};
  return status;
}

tilec_status CudaDevice::upload(void *to, const void *from, size_t bytes, void *stream) {
  return inContext([&] {
    return TILECRT_CUDA_CALL(table(), memcpyHtoDAsync,
                             (addressOf(to), from, bytes, streamOf(stream)));
  });
}

tilec_status CudaDevice::download(void *to, const void *from, size_t bytes, void *stream) {
  return inContext([&] {
    return TILECRT_CUDA_CALL(table(), memcpyDtoHAsync,
                             (to, addressOf(from), bytes, streamOf(stream)));
  });
}

tilec_status CudaDevice::copy(void *to, const void *from, size_t bytes, void *stream) {
  return inContext([&] {
    return TILECRT_CUDA_CALL(table(), memcpyDtoDAsync,
                             (addressOf(to), addressOf(from), bytes, streamOf(stream)));
  });
}

tilec_status CudaDevice::fill(void *to, uint8_t value, size_t bytes, void *stream) {
  return inContext([&] {
    return TILECRT_CUDA_CALL(table(), memsetD8Async,
                             (addressOf(to), value, bytes, streamOf(stream)));
  });
}

tilec_status CudaDevice::load(std::shared_ptr<KernelObject> kernel,
                              std::shared_ptr<FunctionObject> &function) {
  const CompiledKernel &compiled = kernel->kernel;
  const KernelMetadata &metadata = compiled.metadata;
  bool isPtx = compiled.cubin.empty();
  const std::string &image = isPtx ? compiled.ptx : compiled.cubin;
  if (image.empty())
    return api::fail(TILEC_INVALID_ARGUMENT, "kernel '" + metadata.name + "' for target '" +
                                                 metadata.target + "' has no code for '" +
                                                 properties().name + "': expected PTX or a cubin");
  if (Status runs = checkTargetRuns(metadata.target, properties(), isPtx); !runs.ok())
    return fail(runs.withContext("kernel '" + metadata.name + "'"));
  Result<Module> module = Module::load(context, image);
  if (!module)
    return fail(module.status().withContext("kernel '" + metadata.name + "'"));
  Result<Kernel> entry = module->kernel(metadata.name);
  if (!entry)
    return fail(entry.status());
  auto loaded =
      std::make_shared<CudaFunction>(std::static_pointer_cast<CudaDevice>(shared_from_this()),
                                     std::move(kernel), std::move(*entry));
  // Shared memory and clusters that no launch could have are known now.
  if (Status raised = loaded->raiseLimits(loaded->shapeOf(LaunchRequest())); !raised.ok())
    return fail(raised);
  function = std::move(loaded);
  return TILEC_OK;
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

tilec_status CudaDevice::beginRecording(void *stream) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!recordings.try_emplace(stream).second)
      return api::fail(TILEC_INVALID_ARGUMENT, "the stream is being recorded already");
    ++numRecordings;
  }
  Status begun = Graph::beginCapture(context, streamOf(stream));
  if (begun.ok())
    return TILEC_OK;
  std::lock_guard<std::mutex> lock(mutex);
  recordings.erase(stream);
  --numRecordings;
  return fail(begun);
}

tilec_status CudaDevice::endRecording(void *stream, std::shared_ptr<GraphObject> &graph) {
  std::vector<std::shared_ptr<Kernel>> kernels;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto recording = recordings.find(stream);
    if (recording == recordings.end())
      return api::fail(TILEC_INVALID_ARGUMENT, "the stream is not being recorded");
    kernels = std::move(recording->second);
    recordings.erase(recording);
    --numRecordings;
  }
  Result<Graph> recorded = Graph::endCapture(context, streamOf(stream));
  if (!recorded)
    return fail(recorded.status());
  graph = std::make_shared<CudaGraph>(std::static_pointer_cast<CudaDevice>(shared_from_this()),
                                      std::move(*recorded), std::move(kernels));
  return TILEC_OK;
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
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return table().streamIsCapturing(streamOf(stream), &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_NONE;
}

tilec_status CudaDevice::launchSaved(LaunchSaver &saver, const CompiledKernel &kernel,
                                     const void *const *arguments, const LaunchShape &shape,
                                     void *stream, llvm::function_ref<Status()> queue) {
  std::lock_guard<std::mutex> lock(savingMutex);
  ContextScope scope(*context.shared());
  if (!scope.status().ok())
    return fail(scope.status());
  if (!canWait(stream))
    return done(queue());
  if (Status before = context.synchronize(); !before.ok())
    return fail(before.withContext("before the launch of kernel '" + kernel.metadata.name + "'"));
  CudaMemory memory(*this);
  auto extents = [](const Dim3 &given) -> std::array<uint32_t, 3> {
    return {uint32_t(given.x), uint32_t(given.y), uint32_t(given.z)};
  };
  LaunchToSave launch{kernel, arguments, extents(shape.grid), extents(shape.cluster),
                      properties().name};
  LaunchSaver::Ticket ticket = saver.save(launch, memory);
  Status status = queue();
  // What was refused did not run.
  if (status.code() == StatusCode::invalidArgument)
    return fail(status);
  if (status.ok())
    status = context.synchronize().withContext("kernel '" + kernel.metadata.name + "'");
  if (status.ok()) {
    ticket.succeed();
    return TILEC_OK;
  }
  tilec_status code = fail(status);
  std::string note = ticket.fail(status.message());
  addToFailure(note, ticket.keptFolder());
  return code;
}

tilec_status CudaDevice::launchGraph(const Graph &graph, CUstream stream) {
  std::shared_ptr<LaunchSaver> saver = getSaver();
  Status status = graph.launch(stream);
  if (saver && status.ok() && canWait(stream))
    status = context.synchronize();
  tilec_status code = done(status);
  if (saver && !status.ok())
    addToFailure("\nlaunches of a graph are not saved: launched one by one, the one that fails is",
                 "");
  return code;
}

//===----------------------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------------------===//

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
  shape.programmatic = request.flags & TILEC_LAUNCH_PROGRAMMATIC;
  shape.cooperative = request.flags & TILEC_LAUNCH_COOPERATIVE;
  return shape;
}

tilec_status CudaFunction::describe(tilec_function_info &info) {
  info.registers = entry->attributes().registers;
  info.local_bytes = entry->attributes().localBytes;
  info.handle = entry->handle();
  std::lock_guard<std::mutex> lock(mutex);
  Result<int> programs =
      entry->maxActiveBlocksPerSm(metadata().threadsPerCta, metadata().dynamicSharedBytes);
  if (!programs)
    return fail(programs.status());
  info.programs_per_multiprocessor = *programs;
  return TILEC_OK;
}

tilec_status CudaFunction::launch(const LaunchRequest &request) {
  return owner->launch(kernel(), request.arguments, shapeOf(request), request.stream,
                       [&] { return queue(request); });
}

Status CudaFunction::queue(const LaunchRequest &request) {
  LaunchShape shape = shapeOf(request);
  TILECRT_RETURN_IF_ERROR(entry->checkLaunch(shape));
  if (request.cluster[0] != 0)
    TILECRT_RETURN_IF_ERROR(raiseLimits(shape));
  const ContextState &state = *entry->context();
  ContextScope scope(state);
  TILECRT_RETURN_IF_ERROR(scope.status());

  const KernelMetadata &facts = metadata();
  size_t count = facts.arguments.size();
  llvm::SmallVector<void *, 48> addresses;
  for (size_t i = 0; i < count; ++i)
    addresses.push_back(const_cast<void *>(request.arguments[i]));
  llvm::SmallVector<CUtensorMap, 4> maps(facts.tensorMaps.size());
  if (!maps.empty())
    TILECRT_RETURN_IF_ERROR(latestMaps.get(request.arguments, state.table(), maps.data()));
  for (CUtensorMap &map : maps)
    addresses.push_back(&map);
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

tilec_status CudaFunction::measure(const LaunchRequest &request, const MeasureOptions &options,
                                   double &cost) {
  const Context &context = owner->getContext();
  Stream stream = Stream::borrow(context, streamOf(request.stream));
  auto work = [&](const Stream &) { return queue(request); };
  // A failure of the first launch is the kernel's.
  Status first = work(stream);
  if (first.ok())
    first = stream.synchronize();
  if (!first.ok())
    return fail(first);
  Result<Timing> timing = measureKernel(context, stream, work, options);
  if (!timing)
    return fail(timing.status());
  cost = timing->median;
  return TILEC_OK;
}

tilec_status CudaFunction::prepare(const LaunchRequest &request,
                                   std::shared_ptr<PreparedObject> &prepared) {
  std::lock_guard<std::mutex> lock(mutex);
  Result<PreparedLaunch> packed =
      PreparedLaunch::create(entry, sharedMetadata(), shapeOf(request), request.arguments);
  if (!packed)
    return fail(packed.status());
  prepared = std::make_shared<CudaPrepared>(owner, sharedKernel(), std::move(*packed));
  return TILEC_OK;
}
