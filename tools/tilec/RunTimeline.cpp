// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RunTimeline.h.

#include "RunTimeline.h"

#include "Console.h"
#include "OutputFile.h"

#include "tilecrt/Timeline.h"

#include <cstring>

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

Status addTimelineArray(const tilecrt::KernelMetadata &kernel, RunPlan &plan) {
  const tilecrt::KernelTimeline &timeline = kernel.timeline;
  if (timeline.capacity == 0)
    return Status();
  TILECRT_RETURN_IF_ERROR(tilecrt::timeline::checkCtas(kernel, plan.grid));
  int64_t words = int64_t(tilecrt::timeline::wordsOf(timeline));
  Result<tilecrt::HostArray> array = tilecrt::HostArray::create(tilecrt::DType::i64, {words});
  if (!array)
    return array.status().withContext("the timeline");
  std::memset(array->data(), 0, array->byteSize());
  plan.timelineArray = plan.arrays.size();
  plan.arrays.push_back({tilecrt::timelineArgument, std::move(*array), {}});
  return Status();
}

ExitCode writeTimelines(const RunCommand &command, const RunPlan &plan,
                        const tilecrt::KernelMetadata &kernel, RunOutcome &outcome) {
  if (!plan.timelineArray)
    return ExitCode::Ok;
  const tilecrt::HostArray &marks = plan.arrays[*plan.timelineArray].data;
  Result<tilecrt::timeline::Timeline> timeline =
      tilecrt::timeline::read(kernel, plan.grid, marks.as<uint64_t>(), marks.size());
  if (!timeline)
    return reportUnlessOk(timeline.status());
  for (llvm::StringRef path : command.timelines) {
    ExitCode code =
        writeOutput(path, path.ends_with(".svg") ? tilecrt::timeline::toSvg(*timeline)
                                                 : tilecrt::timeline::toTraceEvents(*timeline));
    if (code != ExitCode::Ok)
      return code;
  }
  outcome.timeline = tilecrt::timeline::summarize(*timeline);
  return ExitCode::Ok;
}

} // namespace tilec::tool
