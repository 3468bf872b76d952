// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ReplayRun.h.

#include "ReplayRun.h"

#include "HostRun.h"

#include "tilec/Run/SavedMemory.h"
#include "tilec/Support/Processor.h"
#include "tilec/Target/HostJIT.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using llvm::StringRef;
using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

std::string describeSaved(const SavedLaunch &saved) {
  std::string text = "replaying a launch of kernel '" + saved.kernel + "' on " + saved.device;
  switch (saved.outcome) {
  case SavedOutcome::Running:
    return text + " that had not ended when its process did";
  case SavedOutcome::Completed:
    return text + " that did not fail";
  case SavedOutcome::Failed:
    return text + " that failed: " + StringRef(saved.message).split('\n').first.str();
  }
  return text;
}

void applySaved(const SavedLaunch &saved, CompileOptions &options) {
  const CompileOptions &origin = saved.origin.options;
  options.kernel = saved.kernel;
  // What was imported then; a root of now comes first.
  llvm::append_range(options.modules.roots, origin.modules.roots);
  options.modules.texts = origin.modules.texts;
  bool debug = options.debug, countsInstructions = options.countInstructions;
  options.code() = origin.code();
  options.target = simulatorOf(origin.target);
  // What this run wants to see comes on top.
  options.debug |= debug;
  options.countInstructions |= countsInstructions;
}

//===----------------------------------------------------------------------------------===//
// Arrays that the command asks for
//===----------------------------------------------------------------------------------===//

static Result<tilecrt::HostArray> makeArray(const SavedLaunch &saved, StringRef option,
                                            StringRef name) {
  const SavedArgument *argument = findArgument(saved, name);
  std::string what = ("'" + option + "': ").str();
  if (!argument || !argument->place)
    return tilecrt::invalidArgument(what + "the launch has no array '" + name.str() + "'");
  StringRef element = argument->type;
  element.consume_front("*");
  element.consume_front("k");
  std::optional<tilecrt::DType> type =
      element == "u1" ? tilecrt::DType::boolean : tilecrt::parseDType(element.str());
  if (element.starts_with("*"))
    type = tilecrt::DType::i64;
  if (!type)
    return tilecrt::invalidArgument(what + "'" + name.str() + "' has elements of type '" +
                                    element.str() + "', which no array has");
  uint64_t bytes = saved.buffers[argument->place->buffer].bytes - argument->place->offset;
  return tilecrt::HostArray::create(*type, {int64_t(bytes / tilecrt::dtypeSize(*type))});
}

Status planReplay(const SavedLaunch &saved, const RunCommand &command, RunPlan &plan) {
  plan.kernel = saved.kernel;
  plan.grid = saved.grid;
  auto add = [&](StringRef option, const std::string &name) -> Status {
    if (plan.findArray(name))
      return Status();
    Result<tilecrt::HostArray> array = makeArray(saved, option, name);
    if (!array.ok())
      return array.status();
    RunArray entry;
    entry.name = name;
    entry.data = std::move(*array);
    plan.arrays.push_back(std::move(entry));
    return Status();
  };
  for (const NamedValue &value : command.save)
    TILECRT_RETURN_IF_ERROR(add("--save", value.first));
  for (const Expectation &expectation : command.expect)
    TILECRT_RETURN_IF_ERROR(add("--expect", expectation.name));
  for (const std::string &name : command.print)
    TILECRT_RETURN_IF_ERROR(add("--print", name));
  return Status();
}

//===----------------------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------------------===//

static void copyArrays(const SavedLaunch &saved, const SavedMemory &memory, RunPlan &plan) {
  for (RunArray &array : plan.arrays)
    if (array.data.byteSize() != 0)
      std::memcpy(array.data.data(), memory.at(*findArgument(saved, array.name)->place),
                  array.data.byteSize());
}

Result<RunOutcome> replayOnSimulator(const SavedLaunch &saved, const CompiledKernel &kernel,
                                     RunPlan &plan, const RunCommand &command) {
  std::shared_ptr<RunDevice> device = makeSimulator(command);
  TILECRT_RETURN_IF_ERROR(checkHostGrid(saved.grid, device->info().name));
  SavedMemory memory(saved);
  TILECRT_RETURN_IF_ERROR(memory.reserve());
  ArgumentBytes values;
  std::vector<const void *> arguments;
  for (const tilecrt::KernelArgument &argument : kernel.metadata.arguments) {
    Result<std::vector<char>> value = memory.valueOf(kernel.metadata, argument);
    if (!value.ok())
      return value.status();
    values.push_back(std::move(*value));
    arguments.push_back(values.back().data());
  }
  Result<std::shared_ptr<RunFunction>> function =
      device->load(std::shared_ptr<const CompiledKernel>(std::shared_ptr<void>(), &kernel));
  if (!function.ok())
    return function.status();

  Simulation simulation;
  std::vector<tilecrt::sim::Buffer> buffers = memory.listBuffers(kernel.metadata);
  LaunchRequest request;
  request.grid = saved.grid;
  request.arguments = arguments.data();
  request.buffers = buffers;
  request.hasAllBuffers = true;
  request.counts = command.counters;
  request.simulation = &simulation;
  Result<RunOutcome> outcome = runOnHost(
      *device, command.repeat.value_or(1), simulation, [&] { return memory.fill(); },
      [&] { return (*function)->launch(request); });
  if (!outcome.ok())
    return outcome;
  outcome->simulated = true;
  outcome->sites = kernel.host->sites();
  copyArrays(saved, memory, plan);
  return outcome;
}

} // namespace tilec::tool
