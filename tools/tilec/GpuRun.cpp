// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays up, one launch whose results count, arrays down, then the timed launches (which may change
// the arrays again, so nothing is read after them).

#include "GpuRun.h"

#include "PlanLaunch.h"

#include "tilec/Driver/ToolHints.h"

using namespace tilecrt::cuda;
using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

/// A fault on the device says nothing about its place; another tool of ours does. `saved` says
/// where the launch is.
static Status explain(const Status &status, const std::string &saved = "") {
  bool isFault = status.code() == tilecrt::StatusCode::deviceError && saved.empty();
  return status.ok() ? status
                     : Status(status.code(), status.message() + saved +
                                                 (isFault ? "; the simulator finds the place: "
                                                            "tilec run --device sim --check"
                                                          : ""));
}

/// A launch that was made once; the failure of that is the kernel's.
static Result<std::unique_ptr<ArrayLaunch>> start(const std::shared_ptr<RunDevice> &device,
                                                  const CompiledKernel &kernel, RunPlan &plan) {
  Result<std::unique_ptr<ArrayLaunch>> launch = bindPlan(device, kernel, plan);
  if (!launch)
    return launch;
  LaunchOutcome first = (*launch)->run();
  if (!first.ok())
    return explain(first.status, first.note);
  return launch;
}

std::string describeGpu(const RunDevice &device) {
  return device.info().name + " (cuda:" + std::to_string(device.info().ordinal) + ")";
}

Status aimAtGpu(const Device &device, CompileOptions &options) {
  Result<std::string> target = targetOf(device.properties());
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

Result<RunOutcome> runOnGpu(const std::shared_ptr<RunDevice> &device, const CompiledKernel &kernel,
                            RunPlan &plan, const RunCommand &command) {
  Result<std::shared_ptr<LaunchSaver>> saver = makeSaver(command, plan);
  if (!saver)
    return saver.status();
  device->setSaver(*saver);
  Result<std::unique_ptr<ArrayLaunch>> launch = start(device, kernel, plan);
  device->setSaver(nullptr);
  if (!launch.ok())
    return launch.status();
  TILECRT_RETURN_IF_ERROR((*launch)->download());

  TimingOptions options;
  options.repeats = command.repeat.value_or(100);
  options.warmup = std::min(options.repeats, 10u);
  Result<Timing> timing = (*launch)->time(options);
  if (!timing.ok())
    return explain(timing.status());
  // Of the last launch: the first one finds cold caches.
  if (plan.timelineArray)
    TILECRT_RETURN_IF_ERROR((*launch)->download(*plan.timelineArray));
  RunOutcome outcome;
  outcome.device = describeGpu(*device);
  outcome.time = {timing->median, timing->min, timing->mean, options.repeats};
  return outcome;
}

Result<Timing> timeOnGpu(const std::shared_ptr<RunDevice> &device, const CompiledKernel &kernel,
                         RunPlan &plan, const TimingOptions &options) {
  Result<std::unique_ptr<ArrayLaunch>> launch = start(device, kernel, plan);
  if (!launch.ok())
    return launch.status();
  Result<Timing> timing = (*launch)->time(options);
  return timing.ok() ? timing : Result<Timing>(explain(timing.status()));
}

} // namespace tilec::tool
