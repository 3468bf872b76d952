// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on a CUDA GPU: one device buffer per image, one launch for the result, and more for the time
// when it is wanted (those come after the results were taken). The cubin is loaded where ptxas made
// one, otherwise the driver's own compiler gets the PTX.

#include "BufferImages.h"
#include "KernelCache.h"
#include "tilec/Support/Processor.h"

#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/Device.h"
#include "tilecrt/cuda/DeviceBuffer.h"
#include "tilecrt/cuda/LaunchArguments.h"
#include "tilecrt/cuda/Module.h"
#include "tilecrt/cuda/Stream.h"
#include "tilecrt/cuda/TimeKernel.h"

namespace tilec::harness {
namespace {

using namespace tilecrt::cuda;

/// The compile target for a device.
std::string targetOf(const DeviceProperties &device) {
  const Processor *processor = processorOfGpu(device.computeMajor, device.computeMinor);
  return processor ? processor->name.str() : device.archName();
}

class CudaDevice final : public KernelDevice {
public:
  CudaDevice(const CompilerPlaces &places, Device opened, Context made, Stream queue)
      : device(std::move(opened)), context(std::move(made)), stream(std::move(queue)),
        kernels(places, targetOf(device.properties())) {}

  std::string name() const override { return "cuda:" + std::to_string(device.ordinal()); }
  std::string describe() const override {
    return device.properties().name + " (" + device.properties().archName() + ")";
  }
  Result<Outcome> run(const KernelRun &run, const RunOptions &options) override;

private:
  /// The loaded kernel of a compiled one, loaded once.
  Result<Kernel *> load(const CompiledKernel &compiled);

  Device device;
  Context context;
  Stream stream;
  KernelCache kernels;
  std::map<const CompiledKernel *, Kernel> loaded;
};

} // namespace

Result<Kernel *> CudaDevice::load(const CompiledKernel &compiled) {
  auto known = loaded.find(&compiled);
  if (known != loaded.end())
    return &known->second;
  Result<Module> module =
      Module::load(context, compiled.cubin.empty() ? compiled.ptx : compiled.cubin);
  if (!module)
    return module.status();
  Result<Kernel> kernel = module->kernel(compiled.metadata.name);
  if (!kernel)
    return kernel.status();
  return &loaded.emplace(&compiled, std::move(*kernel)).first->second;
}

Result<Outcome> CudaDevice::run(const KernelRun &run, const RunOptions &options) {
  Result<const CompiledKernel *> compiled = kernels.get(run);
  if (!compiled)
    return compiled.status();
  const tilecrt::KernelMetadata &metadata = (*compiled)->metadata;
  Result<Kernel *> kernel = load(**compiled);
  if (!kernel)
    return kernel.status();
  Result<BufferImages> images = BufferImages::create(run);
  if (!images)
    return images.status();

  std::vector<DeviceBuffer> buffers;
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < images->size(); ++i) {
    Result<DeviceBuffer> buffer = DeviceBuffer::create(context, images->image(i).byteSize());
    if (!buffer)
      return buffer.status().withContext("buffer '" + images->argument(i).name + "'");
    buffers.push_back(std::move(*buffer));
    addresses.push_back(buffers.back().address());
  }
  TILECRT_RETURN_IF_ERROR(images->fillAddressTables(addresses));
  for (size_t i = 0; i < images->size(); ++i)
    TILECRT_RETURN_IF_ERROR(
        buffers[i].copyFrom(images->image(i).data(), images->image(i).byteSize()));

  Result<std::vector<uint64_t>> values =
      images->argumentValues(argumentNames(**compiled), addresses);
  if (!values)
    return values.status();
  LaunchArguments arguments;
  for (size_t i = 0; i < values->size(); ++i)
    arguments.addBytes(&(*values)[i], metadata.arguments[i].sizeBytes);
  TILECRT_RETURN_IF_ERROR(arguments.check(metadata));
  TILECRT_RETURN_IF_ERROR(arguments.encodeTensorMaps(metadata, context));

  LaunchShape shape;
  shape.grid = {run.grid[0], run.grid[1], run.grid[2]};
  shape.block = {metadata.threadsPerCta, 1, 1};
  shape.cluster = {metadata.clusterX, metadata.clusterY, metadata.clusterZ};
  shape.dynamicSharedBytes = metadata.dynamicSharedBytes;
  TILECRT_RETURN_IF_ERROR((*kernel)->launch(shape, stream, arguments.pointers()));
  TILECRT_RETURN_IF_ERROR(stream.synchronize());

  Outcome outcome;
  for (size_t i = 0; i < images->size(); ++i)
    TILECRT_RETURN_IF_ERROR(
        buffers[i].copyTo(images->image(i).data(), images->image(i).byteSize()));
  TILECRT_RETURN_IF_ERROR(images->collect(outcome));
  if (options.measure) {
    Result<Timing> timing = timeKernel(context, stream, [&](const Stream &queue) {
      return (*kernel)->launch(shape, queue, arguments.pointers());
    });
    if (!timing)
      return timing.status();
    outcome.microseconds = timing->median;
  }
  return outcome;
}

Result<std::unique_ptr<KernelDevice>> makeCudaDevice(const CompilerPlaces &places, int ordinal) {
  Result<Driver> driver = Driver::open();
  if (!driver)
    return driver.status();
  Result<Device> device = Device::open(*driver, ordinal);
  if (!device)
    return device.status();
  Result<Context> context = Context::create(*device);
  if (!context)
    return context.status();
  Result<Stream> stream = Stream::create(*context);
  if (!stream)
    return stream.status();
  return std::unique_ptr<KernelDevice>(std::make_unique<CudaDevice>(
      places, std::move(*device), std::move(*context), std::move(*stream)));
}

} // namespace tilec::harness
