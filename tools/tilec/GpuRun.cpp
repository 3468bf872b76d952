// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers up, one launch whose results count, buffers down, then the timed launches (which may
// change the buffers again, so nothing is read after them).

#include "GpuRun.h"

#include "Environment.h"
#include "RunSaving.h"

#include "tilec/Driver/ToolHints.h"
#include "tilec/Support/Processor.h"
#include "tilecrt/cuda/DeviceBuffer.h"
#include "tilecrt/cuda/LaunchArguments.h"
#include "tilecrt/cuda/Module.h"

using namespace tilecrt::cuda;
using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

Result<Device> openGpuDevice(int ordinal) {
  Result<Driver> driver = Driver::open();
  if (!driver.ok())
    return driver.status();
  return Device::open(*driver, ordinal);
}

Result<Context> openGpu(int ordinal) {
  Result<Device> device = openGpuDevice(ordinal);
  if (!device.ok())
    return device.status();
  return Context::create(*device);
}

Result<std::string> targetFor(const DeviceProperties &device) {
  if (const Processor *processor = processorOfGpu(device.computeMajor, device.computeMinor))
    return processor->name.str();
  return tilecrt::unavailable("'" + device.name + "' is " + device.archName() +
                              "; tilec needs sm_70 or newer");
}

namespace {

/// A fault on the device says nothing about its place; another tool of ours does. `saved` says
/// where the launch is.
Status explain(const Status &status, const std::string &saved = "") {
  if (status.code() != tilecrt::StatusCode::deviceError)
    return status.ok() ? status : Status(status.code(), status.message() + saved);
  if (!saved.empty())
    return Status(status.code(), status.message() + saved);
  return Status(status.code(), status.message() +
                                   "; the simulator finds the place: tilec run --device sim "
                                   "--check");
}

/// The kernel loaded on the device with its arguments, ready to be launched many times.
class Launch {
public:
  /// With `command` the launch is saved as it says.
  static Result<Launch> create(const Context &context, const CompiledKernel &compiled,
                               RunPlan &plan, const RunCommand *command) {
    Launch launch;
    launch.saving = command;
    if (Status status = launch.upload(context, plan); !status.ok())
      return status;
    if (Status status = launch.load(context, compiled); !status.ok())
      return status;
    if (Status status = launch.pack(context, compiled, plan); !status.ok())
      return status;
    return launch;
  }

  /// The first launch, whose failure is the kernel's.
  Status runOnce(const Stream &stream) {
    Status status = queue(stream);
    if (status.ok())
      status = stream.synchronize();
    if (ticket && status.ok())
      ticket->succeed();
    std::string note = ticket && !status.ok() ? ticket->fail(status.message()) : "";
    ticket.reset();
    return explain(status, note);
  }

  Status queue(const Stream &stream) { return kernel->launch(shape, stream, arguments.pointers()); }

  Status download(RunPlan &plan) const {
    for (size_t i = 0; i < buffers.size(); ++i) {
      tilecrt::HostArray &array = plan.arrays[i].data;
      TILECRT_RETURN_IF_ERROR(buffers[i]
                                  .copyTo(array.data(), array.byteSize())
                                  .withContext("array '" + plan.arrays[i].name + "'"));
    }
    return Status();
  }

private:
  Status upload(const Context &context, RunPlan &plan) {
    for (const RunArray &array : plan.arrays) {
      Result<DeviceBuffer> buffer = DeviceBuffer::create(context, array.data.byteSize());
      if (!buffer.ok())
        return buffer.status().withContext("array '" + array.name + "'");
      addresses.push_back(buffer->address());
      buffers.push_back(std::move(*buffer));
    }
    fillTables(plan.arrays, addresses);
    for (size_t i = 0; i < buffers.size(); ++i) {
      const tilecrt::HostArray &array = plan.arrays[i].data;
      TILECRT_RETURN_IF_ERROR(buffers[i].copyFrom(array.data(), array.byteSize()));
    }
    return Status();
  }

  Status load(const Context &context, const CompiledKernel &compiled) {
    bool isPtx = compiled.cubin.empty();
    const DeviceProperties &device = context.device().properties();
    TILECRT_RETURN_IF_ERROR(checkTargetRuns(compiled.metadata.target, device, isPtx));
    Result<Module> loaded = Module::load(context, isPtx ? compiled.ptx : compiled.cubin);
    if (!loaded.ok())
      return loaded.status();
    Result<Kernel> entry = loaded->kernel(compiled.metadata.name);
    if (!entry.ok())
      return entry.status();
    kernel.emplace(std::move(*entry));
    return Status();
  }

  Status pack(const Context &context, const CompiledKernel &compiled, const RunPlan &plan) {
    const tilecrt::KernelMetadata &metadata = compiled.metadata;
    Result<std::vector<std::vector<char>>> values = encodeArguments(plan, metadata, addresses);
    if (!values.ok())
      return values.status();
    for (const std::vector<char> &value : *values)
      arguments.addBytes(value.data(), uint32_t(value.size()));
    TILECRT_RETURN_IF_ERROR(arguments.check(metadata));
    TILECRT_RETURN_IF_ERROR(arguments.encodeTensorMaps(metadata, context));
    shape.grid = {plan.grid[0], plan.grid[1], plan.grid[2]};
    shape.block = {metadata.threadsPerCta, 1, 1};
    shape.cluster = {metadata.clusterX, metadata.clusterY, metadata.clusterZ};
    shape.dynamicSharedBytes = metadata.dynamicSharedBytes;
    TILECRT_RETURN_IF_ERROR(kernel->checkLaunch(shape));
    TILECRT_RETURN_IF_ERROR(kernel->prepare(shape.dynamicSharedBytes));
    if (!saving)
      return Status();
    Result<std::optional<LaunchSaver::Ticket>> saved =
        saveRun(*saving, compiled, plan, addresses, *values, describeGpu(context));
    if (saved.ok() && *saved)
      ticket.emplace(std::move(**saved));
    return saved.status();
  }

  std::vector<DeviceBuffer> buffers;
  std::vector<uint64_t> addresses;
  std::optional<Kernel> kernel;
  LaunchArguments arguments;
  LaunchShape shape;
  const RunCommand *saving = nullptr;
  std::optional<LaunchSaver::Ticket> ticket;
};

Result<Timing> timeLaunches(const Context &context, const Stream &stream, Launch &launch,
                            const TimingOptions &options) {
  return timeKernel(context, stream, [&](const Stream &on) { return launch.queue(on); }, options);
}

} // namespace

std::string describeGpu(const Context &context) {
  return context.device().properties().name +
         " (cuda:" + std::to_string(context.device().ordinal()) + ")";
}

Status aimAtGpu(const Device &device, CompileOptions &options) {
  Result<std::string> target = targetFor(device.properties());
  if (!target.ok())
    return target.status();
  options.target = *target;
  // The driver compiles PTX where there is no ptxas, and for devices newer than our targets.
  bool own = llvm::StringRef(*target).starts_with(device.properties().archName());
  llvm::Expected<std::string> ptxas = findPtxas(ptxasHints(options.tools));
  options.stopAfter = ptxas && own ? Stage::Cubin : Stage::PTX;
  if (!ptxas)
    llvm::consumeError(ptxas.takeError());
  return Status();
}

/// A kernel that has run once.
struct Started {
  Stream stream;
  Launch launch;
};

static Result<Started> start(const Context &context, const CompiledKernel &kernel, RunPlan &plan,
                             const RunCommand *command = nullptr) {
  Result<Stream> stream = Stream::create(context);
  if (!stream.ok())
    return stream.status();
  Result<Launch> launch = Launch::create(context, kernel, plan, command);
  if (!launch.ok())
    return launch.status();
  if (Status status = launch->runOnce(*stream); !status.ok())
    return status;
  return Started{std::move(*stream), std::move(*launch)};
}

static Result<Timing> timeStarted(const Context &context, Started &started,
                                  const TimingOptions &options) {
  Result<Timing> timing = timeLaunches(context, started.stream, started.launch, options);
  if (!timing.ok())
    return explain(timing.status());
  return timing;
}

Result<RunOutcome> runOnGpu(const Context &context, const CompiledKernel &kernel, RunPlan &plan,
                            const RunCommand &command) {
  Result<Started> started = start(context, kernel, plan, &command);
  if (!started.ok())
    return started.status();
  if (Status status = started->launch.download(plan); !status.ok())
    return status;

  TimingOptions options;
  options.repeats = command.repeat.value_or(100);
  options.warmup = std::min(options.repeats, 10u);
  Result<Timing> timing = timeStarted(context, *started, options);
  if (!timing.ok())
    return timing.status();
  RunOutcome outcome;
  outcome.device = describeGpu(context);
  outcome.time = {timing->median, timing->min, timing->mean, options.repeats};
  return outcome;
}

Result<Timing> timeOnGpu(const Context &context, const CompiledKernel &kernel, RunPlan &plan,
                         const TimingOptions &options) {
  Result<Started> started = start(context, kernel, plan);
  if (!started.ok())
    return started.status();
  return timeStarted(context, *started, options);
}

Result<Timing> measureOnGpu(const Context &context, const CompiledKernel &kernel, RunPlan &plan,
                            const MeasureOptions &options) {
  Result<Started> started = start(context, kernel, plan);
  if (!started.ok())
    return started.status();
  Result<Timing> timing = measureKernel(
      context, started->stream, [&](const Stream &on) { return started->launch.queue(on); },
      options);
  if (!timing.ok())
    return explain(timing.status());
  return timing;
}

} // namespace tilec::tool
