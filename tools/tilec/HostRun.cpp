// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostRun.h.

#include "HostRun.h"

#include "PlanLaunch.h"

#include "tilec/Target/HostJIT.h"

#include <algorithm>
#include <chrono>

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

/// Between two arrays.
constexpr size_t gapBytes = size_t(1) << 20;
/// More programs than this would run for hours.
constexpr uint64_t mostPrograms = uint64_t(1) << 24;

Status checkHostGrid(const std::array<uint32_t, 3> &grid, const std::string &device) {
  uint64_t programs = 1;
  for (uint64_t extent : grid) {
    // Three extents may be too much for 64 bits.
    programs = extent > mostPrograms ? mostPrograms + 1 : programs * extent;
    if (programs > mostPrograms)
      return tilecrt::invalidArgument("the grid is " + std::to_string(grid[0]) + " x " +
                                      std::to_string(grid[1]) + " x " + std::to_string(grid[2]) +
                                      "; the " + device + " runs at most " +
                                      std::to_string(mostPrograms) + " programs");
  }
  return Status();
}

/// Median, least and mean of at least one time.
static RunTime summarizeTimes(std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  RunTime time;
  time.repeats = unsigned(microseconds.size());
  time.median = microseconds[microseconds.size() / 2];
  time.min = microseconds.front();
  for (double sample : microseconds)
    time.mean += sample / double(microseconds.size());
  return time;
}

Result<RunOutcome> runOnHost(RunDevice &device, unsigned repeats, Simulation &simulation,
                             llvm::function_ref<Status()> fill,
                             llvm::function_ref<LaunchOutcome()> launch) {
  RunOutcome outcome;
  outcome.device = device.info().name;
  std::vector<double> microseconds;
  for (unsigned i = 0; i < repeats; ++i) {
    TILECRT_RETURN_IF_ERROR(fill());
    auto start = std::chrono::steady_clock::now();
    LaunchOutcome ended = launch();
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    microseconds.push_back(time.count());
    if (ended.status.code() == tilecrt::StatusCode::invalidArgument)
      return ended.status;
    if (i != 0)
      continue;
    outcome.launch = std::move(simulation.result);
    outcome.checked = simulation.config.check;
    outcome.saved = ended.note;
    device.setSaver(nullptr);
  }
  outcome.time = summarizeTimes(std::move(microseconds));
  return outcome;
}

static Result<RunOutcome> runPlan(const std::shared_ptr<RunDevice> &device,
                                  const CompiledKernel &kernel, RunPlan &plan, unsigned repeats,
                                  bool counts) {
  TILECRT_RETURN_IF_ERROR(checkHostGrid(plan.grid, device->info().name));
  Result<std::unique_ptr<ArrayLaunch>> bound = bindPlan(device, kernel, plan);
  if (!bound)
    return bound.status();
  ArrayLaunch &launch = **bound;
  launch.request.counts = counts;
  Result<RunOutcome> outcome = runOnHost(
      *device, repeats, launch.simulation, [&] { return launch.upload(); },
      [&] { return launch.run(); });
  if (outcome)
    TILECRT_RETURN_IF_ERROR(launch.download());
  return outcome;
}

std::shared_ptr<RunDevice> makeSimulator(const RunCommand &command) {
  SimulatorOptions options;
  options.check = command.check.value_or(true);
  options.maxFindings = 20;
  options.gapBytes = gapBytes;
  return makeSimDevice(std::move(options));
}

Result<RunOutcome> runOnSimulator(const CompiledKernel &kernel, RunPlan &plan,
                                  const RunCommand &command) {
  std::shared_ptr<RunDevice> device = makeSimulator(command);
  Result<std::shared_ptr<LaunchSaver>> saver = makeSaver(command, plan);
  if (!saver)
    return saver.status();
  device->setSaver(*saver);
  Result<RunOutcome> outcome =
      runPlan(device, kernel, plan, command.repeat.value_or(1), command.counters);
  if (!outcome)
    return outcome;
  outcome->simulated = true;
  outcome->sites = kernel.host->sites();
  return outcome;
}

Result<RunOutcome> runOnInterpreter(Compiler &compiler, SourceManager &sources,
                                    const CompiledKernel &kernel, RunPlan &plan,
                                    DiagnosticEngine &diagnostics) {
  Result<RunOutcome> outcome =
      runPlan(makeInterpreterDevice(compiler, sources, diagnostics, gapBytes), kernel, plan,
              /*repeats=*/1, /*counts=*/false);
  if (outcome) {
    outcome->interpreted = true;
    outcome->checked = false;
  }
  return outcome;
}

} // namespace tilec::tool
