// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator as a device. A finding is the launch's failure.

#include "HostDevice.h"

#include "tilec/Explain/TimeModel.h"
#include "tilec/Run/Places.h"
#include "tilec/Support/Processor.h"
#include "tilec/Target/HostJIT.h"

#include <cstring>

using tilecrt::Result;
using tilecrt::Status;
using tilecrt::sim::LaunchConfig;
using tilecrt::sim::LaunchResult;

namespace tilec {

namespace {

class SimDevice final : public HostDevice {
public:
  explicit SimDevice(SimulatorOptions given)
      : HostDevice(given.gapBytes), options(std::move(given)) {
    facts.name = "simulator";
    facts.target = "sim";
    facts.concurrentCtas = options.residentCtas;
  }

  Status checkTarget(const std::string &target, bool /*isPtx*/) const override {
    return isSimulator(target) ? Status()
                               : tilecrt::invalidArgument("code for '" + target +
                                                          "' does not run on the simulator");
  }
  Status checkKernel(const CompiledKernel &kernel) const override {
    const tilecrt::KernelMetadata &metadata = kernel.metadata;
    return kernel.host ? Status()
                       : tilecrt::invalidArgument(
                             "kernel '" + metadata.name + "' for target '" + metadata.target +
                             "' has no host code: expected target 'sim', compiled to the end");
  }
  LaunchOutcome run(const CompiledKernel &kernel, HostLaunch launch) const override;
  Result<double> measure(const CompiledKernel &kernel, HostLaunch launch) const override;

private:
  LaunchConfig configOf(const CompiledKernel &kernel, HostLaunch &launch) const;
  /// Nothing when launches are not saved.
  std::optional<LaunchSaver::Ticket> save(const CompiledKernel &kernel, HostLaunch &launch) const;

  SimulatorOptions options;
};

class SimMemory final : public LaunchMemory {
public:
  explicit SimMemory(const HostDevice &simulator) : device(simulator) {}

  std::optional<Range> find(uint64_t address) override {
    std::optional<MemoryRange> range =
        device.findAllocation(reinterpret_cast<const void *>(address));
    if (!range)
      return std::nullopt;
    return Range{reinterpret_cast<uintptr_t>(range->data), range->bytes};
  }
  llvm::Error read(uint64_t address, llvm::MutableArrayRef<char> to) override {
    std::memcpy(to.data(), reinterpret_cast<const void *>(address), to.size());
    return llvm::Error::success();
  }

private:
  const HostDevice &device;
};

LaunchOutcome statusOf(const LaunchResult &result, const CompiledKernel &kernel,
                       const LaunchConfig &config) {
  if (result.status == tilecrt::sim::LaunchStatus::Invalid)
    return tilecrt::invalidArgument("launching kernel '" + kernel.metadata.name +
                                    "': " + result.error);
  if (!result.findings.empty()) {
    const tilecrt::sim::Finding &first = result.findings.front();
    size_t others = result.findings.size() + size_t(result.findingsDropped) - 1;
    return {tilecrt::deviceError(
                describeFinding(first, config) +
                elementText(assertedElement(first, result.printed, kernel.host->sites())) +
                (others ? "\nand " + std::to_string(others) + " other findings" : "")),
            /*isKernelFault=*/true};
  }
  if (result.status != tilecrt::sim::LaunchStatus::Completed)
    return tilecrt::unavailable(result.error);
  return {};
}

} // namespace

LaunchConfig SimDevice::configOf(const CompiledKernel &kernel, HostLaunch &launch) const {
  LaunchConfig config;
  config.grid = launch.grid;
  if (launch.cluster != std::array<uint32_t, 3>{0, 0, 0})
    config.cluster = launch.cluster;
  config.residentCtas = options.residentCtas;
  config.check = options.check;
  config.counters = launch.counts;
  config.sampledClusters = launch.sampledClusters;
  config.hostThreads = options.hostThreads;
  config.maxFindings = options.maxFindings;
  config.sites = &kernel.host->sites();
  config.buffers = buffersOf(kernel, launch);
  return config;
}

std::optional<LaunchSaver::Ticket> SimDevice::save(const CompiledKernel &kernel,
                                                   HostLaunch &launch) const {
  std::shared_ptr<LaunchSaver> saver = getSaver();
  if (!saver)
    return std::nullopt;
  SimMemory memory(*this);
  return saver->save({kernel, launch.pointers(), launch.grid, launch.cluster, "the simulator"},
                     memory);
}

LaunchOutcome SimDevice::run(const CompiledKernel &kernel, HostLaunch launch) const {
  LaunchConfig config = configOf(kernel, launch);
  std::optional<LaunchSaver::Ticket> ticket = save(kernel, launch);
  LaunchResult result = tilec::simulate(kernel, launch.pointers(), config);
  LaunchOutcome status = statusOf(result, kernel, config);
  // What was refused did not run.
  bool hasRun = result.status != tilecrt::sim::LaunchStatus::Invalid;
  if (hasRun && options.observer)
    options.observer(kernel, result);
  if (hasRun && ticket && status.ok())
    ticket->succeed();
  if (hasRun && ticket && !status.ok()) {
    status.note = ticket->fail(status.status.message());
    status.savedFolder = ticket->keptFolder();
  }
  if (launch.simulation)
    *launch.simulation = {std::move(result), std::move(config)};
  return status;
}

Result<double> SimDevice::measure(const CompiledKernel &kernel, HostLaunch launch) const {
  launch.counts = true;
  LaunchConfig config = configOf(kernel, launch);
  LaunchResult result = tilec::simulate(kernel, launch.pointers(), config);
  LaunchOutcome status = statusOf(result, kernel, config);
  if (!status.ok())
    return status.status;
  return explain::busyCycles(result.totals);
}

std::shared_ptr<RunDevice> makeSimDevice(SimulatorOptions options) {
  return std::make_shared<SimDevice>(std::move(options));
}

} // namespace tilec
