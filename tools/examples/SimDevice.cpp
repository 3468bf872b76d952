// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on the simulator. Buffers are registered under their argument names, inputs as read-only, so
// that a finding says which argument it is about.

#include "SimDevice.h"

#include "BufferImages.h"
#include "KernelCache.h"

#include "tilec/Target/HostJIT.h"

#include <chrono>
#include <thread>

namespace tilec::harness {
namespace {

class SimDevice final : public KernelDevice {
public:
  SimDevice(const CompilerPlaces &places, const std::string &processor)
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

} // namespace

Result<Outcome> runOnSimulator(const CompiledKernel &kernel, const KernelRun &run,
                               const RunOptions &options) {
  Result<BufferImages> images = BufferImages::create(run);
  if (!images)
    return images.status();

  tilecrt::sim::LaunchConfig config;
  config.check = options.check;
  config.counters = options.counters;
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < images->size(); ++i) {
    auto *data = images->image(i).as<unsigned char>();
    addresses.push_back(reinterpret_cast<uint64_t>(data));
    config.buffers.push_back({data + images->start(i), images->byteSize(i),
                              images->argument(i).name, !images->argument(i).isWritten()});
  }
  TILECRT_RETURN_IF_ERROR(images->fillAddressTables(addresses));
  Result<std::vector<uint64_t>> values = images->argumentValues(argumentNames(kernel), addresses);
  if (!values)
    return values.status();
  std::vector<void *> arguments;
  for (uint64_t &value : *values)
    arguments.push_back(&value);
  Result<std::array<uint32_t, 3>> grid = hostGrid(run);
  if (!grid)
    return grid.status();
  config.grid = *grid;

  Outcome outcome;
  auto start = std::chrono::steady_clock::now();
  outcome.simulation = simulate(kernel, arguments.data(), config);
  std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
  outcome.microseconds = elapsed.count();

  const tilecrt::sim::LaunchResult &result = outcome.simulation;
  config.sites = &kernel.host->sites();
  for (const tilecrt::sim::Finding &finding : result.findings)
    outcome.findings.push_back(tilecrt::sim::describeFinding(finding, config));
  if (!result.findings.empty())
    outcome.failure =
        result.findings.size() == 1
            ? "the simulator has a finding"
            : "the simulator has " + std::to_string(result.findings.size()) + " findings";
  if (result.status != tilecrt::sim::LaunchStatus::Completed)
    outcome.failure = result.error;
  TILECRT_RETURN_IF_ERROR(images->collect(outcome));
  return outcome;
}

std::unique_ptr<KernelDevice> makeSimDevice(const CompilerPlaces &places,
                                            const std::string &processor) {
  return std::make_unique<SimDevice>(places, processor);
}

} // namespace tilec::harness
