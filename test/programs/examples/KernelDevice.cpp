// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The images of a run on a device: one launch for the result, and more for the time when it is
// wanted (those come after the results were taken). On the host, buffers are known under their
// argument names, inputs as read-only, so that a finding says which argument it is about.

#include "KernelDevice.h"

#include "BufferImages.h"
#include "KernelCache.h"

#include "tilec/Run/ArrayLaunch.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace tilec::harness {

static std::string failureOf(const tilecrt::sim::LaunchResult &result) {
  if (result.status != tilecrt::sim::LaunchStatus::Completed)
    return result.error;
  if (result.findings.empty())
    return "";
  return result.findings.size() == 1
             ? "the simulator has a finding"
             : "the simulator has " + std::to_string(result.findings.size()) + " findings";
}

static Result<std::array<uint32_t, 3>> gridOf(const KernelRun &run) {
  std::array<uint32_t, 3> grid = {};
  for (size_t axis = 0; axis < 3; ++axis) {
    if (run.grid[axis] == 0 || run.grid[axis] > UINT32_MAX)
      return tilecrt::invalidArgument("a grid of " + std::to_string(run.grid[axis]) +
                                      " programs cannot be launched");
    grid[axis] = uint32_t(run.grid[axis]);
  }
  return grid;
}

static Result<Outcome> runOn(const std::shared_ptr<RunDevice> &device, const CompiledKernel &kernel,
                             const KernelRun &run, const RunOptions &options) {
  Result<BufferImages> images = BufferImages::create(run);
  if (!images)
    return images.status();
  Result<std::array<uint32_t, 3>> grid = gridOf(run);
  if (!grid)
    return grid.status();
  Result<std::unique_ptr<ArrayLaunch>> created = ArrayLaunch::create(device);
  if (!created)
    return created.status();
  ArrayLaunch &launch = **created;
  for (size_t i = 0; i < images->size(); ++i) {
    const Argument &argument = images->argument(i);
    HostArray &image = images->image(i);
    TILECRT_RETURN_IF_ERROR(
        launch.add({argument.name, image.as<char>(), image.byteSize(), images->start(i),
                    images->byteSize(i), !argument.isWritten()}));
  }
  TILECRT_RETURN_IF_ERROR(images->fillAddressTables(launch.addresses()));
  TILECRT_RETURN_IF_ERROR(launch.upload());
  Result<std::vector<std::vector<char>>> values =
      images->argumentValues(kernel.metadata, launch.addresses());
  if (!values)
    return values.status();
  TILECRT_RETURN_IF_ERROR(launch.bind(kernel, std::move(*values), *grid));
  launch.request.counts = options.counters;

  Outcome outcome;
  auto start = std::chrono::steady_clock::now();
  LaunchOutcome ended = launch.run();
  std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
  outcome.microseconds = elapsed.count();
  outcome.simulation = std::move(launch.simulation.result);
  outcome.failure = failureOf(outcome.simulation);
  if (!ended.ok() && !ended.isFault && outcome.failure.empty())
    return ended.status;
  for (const tilecrt::sim::Finding &finding : outcome.simulation.findings)
    outcome.findings.push_back(tilecrt::sim::describeFinding(finding, launch.simulation.config));
  TILECRT_RETURN_IF_ERROR(launch.download());
  TILECRT_RETURN_IF_ERROR(images->collect(outcome));
  if (options.measure && device->info().context) {
    Result<tilecrt::cuda::Timing> timing = launch.time({});
    if (!timing)
      return timing.status();
    outcome.microseconds = timing->median;
  }
  return outcome;
}

/// Few enough that a CTA of a persistent kernel has three programs, where there are three.
static uint32_t simulatedCtasOf(const KernelRun &run) {
  uint64_t programs = run.grid[0] * run.grid[1] * run.grid[2];
  return static_cast<uint32_t>(std::clamp<uint64_t>(programs / 3, 1, 3));
}

Result<Outcome> runOnSimulator(const CompiledKernel &kernel, const KernelRun &run,
                               const RunOptions &options) {
  SimulatorOptions simulator;
  simulator.residentCtas = simulatedCtasOf(run);
  simulator.check = options.check;
  return runOn(makeSimDevice(std::move(simulator)), kernel, run, options);
}

namespace {

class SimKernelDevice final : public KernelDevice {
public:
  SimKernelDevice(const CompilerPlaces &places, const std::string &processor)
      : target(processor.empty() ? "sim" : "sim:" + processor), kernels(places, target) {}

  std::string name() const override { return target; }
  std::string describe() const override {
    return "simulator on " + std::to_string(std::thread::hardware_concurrency()) + " host cores";
  }
  Result<Outcome> run(const KernelRun &run, const RunOptions &options) override {
    Result<const CompiledKernel *> kernel = kernels.get(run);
    return kernel ? runOnSimulator(**kernel, run, options) : kernel.status();
  }

private:
  std::string target;
  KernelCache kernels;
};

class InterpKernelDevice final : public KernelDevice {
public:
  explicit InterpKernelDevice(const CompilerPlaces &compilerPlaces)
      : places(compilerPlaces), kernels(compilerPlaces, "interp") {}

  std::string name() const override { return "interp"; }
  std::string describe() const override { return "interpreter of the tile dialect"; }
  Result<Outcome> run(const KernelRun &run, const RunOptions &options) override {
    Result<const CompiledKernel *> kernel = kernels.get(run);
    if (!kernel)
      return kernel.status();
    // For the places of errors.
    SourceManager sources;
    llvm::consumeError(sources.loadFile(places.sourceFolder + "/" + run.file).takeError());
    DiagnosticEngine diagnostics;
    Result<Outcome> outcome = runOn(
        makeInterpreterDevice(kernels.getCompiler(), sources, diagnostics), **kernel, run, options);
    if (outcome && diagnostics.hasErrors())
      outcome->failure = renderDiagnostics(sources, diagnostics);
    return outcome;
  }

private:
  CompilerPlaces places;
  KernelCache kernels;
};

class CudaKernelDevice final : public KernelDevice {
public:
  CudaKernelDevice(const CompilerPlaces &places, std::shared_ptr<RunDevice> opened)
      : device(std::move(opened)), kernels(places, device->info().target) {}

  std::string name() const override { return "cuda:" + std::to_string(device->info().ordinal); }
  std::string describe() const override {
    const DeviceInfo &info = device->info();
    return info.name + " (sm_" + std::to_string(info.computeMajor * 10 + info.computeMinor) + ")";
  }
  Result<Outcome> run(const KernelRun &run, const RunOptions &options) override {
    Result<const CompiledKernel *> kernel = kernels.get(run);
    return kernel ? runOn(device, **kernel, run, options) : kernel.status();
  }

private:
  std::shared_ptr<RunDevice> device;
  KernelCache kernels;
};

} // namespace

std::unique_ptr<KernelDevice> makeSimDevice(const CompilerPlaces &places,
                                            const std::string &processor) {
  return std::make_unique<SimKernelDevice>(places, processor);
}

std::unique_ptr<KernelDevice> makeInterpDevice(const CompilerPlaces &places) {
  return std::make_unique<InterpKernelDevice>(places);
}

Result<std::unique_ptr<KernelDevice>> makeCudaDevice(const CompilerPlaces &places, int ordinal) {
  Result<std::shared_ptr<RunDevice>> device = openCudaDevice(ordinal);
  if (!device)
    return device.status();
  return std::unique_ptr<KernelDevice>(
      std::make_unique<CudaKernelDevice>(places, std::move(*device)));
}

} // namespace tilec::harness
