// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PlanLaunch.h. Tables of addresses are filled in once the arrays have places.

#include "PlanLaunch.h"

#include "Environment.h"
#include "RunTimeline.h"

using llvm::StringRef;
using tilecrt::NumberData;
using tilecrt::Result;

namespace tilec::tool {

Result<ArgumentBytes> encodeArguments(const RunPlan &plan, const tilecrt::KernelMetadata &metadata,
                                      const std::vector<uint64_t> &addresses) {
  return tilec::encodeArguments(metadata, [&](StringRef name) -> std::optional<ArgumentValue> {
    if (name == tilecrt::timelineArgument)
      return plan.timelineArray ? addresses[*plan.timelineArray] : uint64_t(0);
    if (name == scratchArgument || name == unusedArgument)
      return addresses.size() > plan.arrays.size() && name == scratchArgument ? addresses.back()
                                                                              : uint64_t(0);
    auto value = plan.arguments.find(name.str());
    if (value == plan.arguments.end())
      return std::nullopt;
    if (const size_t *index = std::get_if<size_t>(&value->second))
      return addresses[*index];
    return std::get<NumberData>(value->second);
  });
}

bool inferredMapsFit(const RunPlan &plan, const tilecrt::KernelMetadata &metadata) {
  // Arrays have places of their own, which are aligned.
  std::vector<uint64_t> addresses(plan.arrays.size());
  return tilec::inferredMapsFit(metadata, encodeArguments(plan, metadata, addresses));
}

Result<std::unique_ptr<ArrayLaunch>> bindPlan(const std::shared_ptr<RunDevice> &device,
                                              const CompiledKernel &kernel, RunPlan &plan,
                                              uint64_t scratchBytes) {
  Result<std::unique_ptr<ArrayLaunch>> launch = ArrayLaunch::create(device);
  if (!launch)
    return launch;
  for (RunArray &array : plan.arrays) {
    LaunchArray added{array.name, array.data.as<char>(), array.data.byteSize()};
    added.isReadOnly = llvm::any_of(kernel.metadata.arguments, [&](const auto &argument) {
      return argument.isConst && argument.name == array.name;
    });
    TILECRT_RETURN_IF_ERROR((*launch)->add(std::move(added)));
  }
  if (scratchBytes != 0)
    TILECRT_RETURN_IF_ERROR((*launch)->add({scratchArgument, nullptr, scratchBytes}));
  const std::vector<uint64_t> &addresses = (*launch)->addresses();
  fillTables(plan.arrays, addresses);
  TILECRT_RETURN_IF_ERROR((*launch)->upload());
  Result<ArgumentBytes> values = encodeArguments(plan, kernel.metadata, addresses);
  if (!values)
    return values.status();
  TILECRT_RETURN_IF_ERROR((*launch)->bind(kernel, std::move(*values), plan.grid));
  return launch;
}

Result<tilecrt::sim::LaunchResult> PlannedLaunch::run(const CompiledKernel &kernel,
                                                      const LaunchPart &part) {
  if (boundKernel != &kernel) {
    if (!part.marks.empty())
      TILECRT_RETURN_IF_ERROR(addTimelineArray(kernel.metadata, plan));
    Result<std::unique_ptr<ArrayLaunch>> launch = bindPlan(device, kernel, plan);
    if (!launch)
      return launch.status();
    bound = std::move(*launch);
    boundKernel = &kernel;
  } else {
    TILECRT_RETURN_IF_ERROR(bound->upload());
  }
  LaunchRequest &request = bound->request;
  request.counts = true;
  request.grid = part.grid;
  request.sampledClusters = part.sampledClusters;
  LaunchOutcome ended = bound->run();
  if (!part.marks.empty()) {
    TILECRT_RETURN_IF_ERROR(bound->download(*plan.timelineArray));
    const tilecrt::HostArray &marks = plan.arrays[*plan.timelineArray].data;
    std::copy_n(marks.as<uint64_t>(), part.marks.size(), part.marks.begin());
  }
  return takeResult(ended, bound->simulation);
}

Result<std::shared_ptr<LaunchSaver>> makeSaver(const RunCommand &command, const RunPlan &plan) {
  SaveOptions options;
  options.gridText = plan.gridText;
  options.folder = command.saveLaunches.empty() ? readSaveFolder() : command.saveLaunches;
  if (options.folder.empty())
    return std::shared_ptr<LaunchSaver>();
  llvm::Expected<std::shared_ptr<LaunchSaver>> saver = LaunchSaver::create(std::move(options));
  if (!saver)
    return tilecrt::ioError(llvm::toString(saver.takeError()));
  return std::move(*saver);
}

} // namespace tilec::tool
