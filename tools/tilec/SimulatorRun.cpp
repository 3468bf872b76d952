// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of the simulator on a copy of the arrays.

#include "SimulatorRun.h"

#include "RunMemory.h"
#include "RunSaving.h"

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

RunTime summarizeTimes(std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  RunTime time;
  time.repeats = unsigned(microseconds.size());
  time.median = microseconds[microseconds.size() / 2];
  time.min = microseconds.front();
  for (double sample : microseconds)
    time.mean += sample / double(microseconds.size());
  return time;
}

/// The first thing that went wrong.
static std::string whyFailed(const tilecrt::sim::LaunchResult &launch,
                             const tilecrt::sim::LaunchConfig &config) {
  return launch.findings.empty() ? launch.error : describeFinding(launch.findings.front(), config);
}

Result<RunOutcome> runOnSimulator(const CompiledKernel &kernel, RunPlan &plan,
                                  const RunCommand &command) {
  TILECRT_RETURN_IF_ERROR(checkHostGrid(plan.grid, "simulator"));
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
  config.sites = &kernel.host->sites();
  outcome.checked = config.check;
  Result<std::optional<LaunchSaver::Ticket>> ticket =
      saveRun(command, kernel, plan, addresses, *values, "the simulator");
  if (!ticket.ok())
    return ticket.status();
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
  if (*ticket && outcome.launch.clean())
    (*ticket)->succeed();
  else if (*ticket)
    outcome.saved = (*ticket)->fail(whyFailed(outcome.launch, config));
  arena->copyOut(plan.arrays);
  outcome.sites = kernel.host->sites();
  outcome.time = summarizeTimes(std::move(microseconds));
  return outcome;
}

} // namespace tilec::tool
