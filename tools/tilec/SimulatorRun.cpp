// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of the simulator on a copy of the arrays.

#include "SimulatorRun.h"

#include "RunMemory.h"

#include "tilec/Target/HostJIT.h"

#include <algorithm>
#include <chrono>

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

namespace {

tilecrt::sim::LaunchConfig makeConfig(const CompiledKernel &kernel, const RunPlan &plan,
                                      const RunCommand &command,
                                      const std::vector<uint64_t> &addresses) {
  tilecrt::sim::LaunchConfig config;
  config.grid = plan.grid;
  config.check = command.check.value_or(true);
  config.counters = command.counters;
  config.maxFindings = 20;
  for (size_t i = 0; i < plan.arrays.size(); ++i) {
    const RunArray &array = plan.arrays[i];
    bool readOnly = llvm::any_of(kernel.metadata.arguments, [&](const auto &argument) {
      return argument.isConst && argument.name == array.name;
    });
    config.buffers.push_back(
        {reinterpret_cast<void *>(addresses[i]), array.data.byteSize(), array.name, readOnly});
  }
  return config;
}

} // namespace

Result<RunOutcome> runOnSimulator(const CompiledKernel &kernel, RunPlan &plan,
                                  const RunCommand &command) {
  if (Status status = checkHostGrid(plan, command); !status.ok())
    return status;
  Result<RunMemory> arena = RunMemory::create(plan.arrays);
  if (!arena.ok())
    return arena.status();
  std::vector<uint64_t> addresses = arena->addresses();
  fillTables(plan.arrays, addresses);
  Result<std::vector<std::vector<char>>> values = encodeArguments(plan, kernel.metadata, addresses);
  if (!values.ok())
    return values.status();
  std::vector<void *> arguments;
  for (std::vector<char> &value : *values)
    arguments.push_back(value.data());

  RunOutcome outcome;
  outcome.device = "simulator";
  outcome.simulated = true;
  tilecrt::sim::LaunchConfig config = makeConfig(kernel, plan, command, addresses);
  outcome.checked = config.check;
  std::vector<double> microseconds;
  for (unsigned i = 0; i < command.repeat.value_or(1); ++i) {
    arena->copyIn(plan.arrays);
    auto start = std::chrono::steady_clock::now();
    tilecrt::sim::LaunchResult launch = simulate(kernel, arguments.data(), config);
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    microseconds.push_back(time.count());
    if (launch.status == tilecrt::sim::LaunchStatus::Invalid)
      return tilecrt::invalidArgument("the kernel cannot be launched: " + launch.error);
    if (i == 0)
      outcome.launch = std::move(launch);
  }
  arena->copyOut(plan.arrays);
  outcome.sites = kernel.host->sites();

  std::sort(microseconds.begin(), microseconds.end());
  outcome.time.repeats = unsigned(microseconds.size());
  outcome.time.median = microseconds[microseconds.size() / 2];
  outcome.time.min = microseconds.front();
  for (double time : microseconds)
    outcome.time.mean += time / double(microseconds.size());
  return outcome;
}

} // namespace tilec::tool
