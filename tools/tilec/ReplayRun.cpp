// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers lie in one reserved range of addresses, far from each other; only their own pages are
// memory. A pointer that pointed to nothing known points into the first gap.

#include "ReplayRun.h"

#include "HostRun.h"

#include "tilec/Support/Processor.h"
#include "tilec/Target/HostJIT.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

#include <sys/mman.h>

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

static const SavedArgument *findArgument(const SavedLaunch &saved, StringRef name) {
  for (const SavedArgument &argument : saved.arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

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

namespace {

constexpr uint64_t pageBytes = 4096;
/// Between two buffers: a wrong index has to be large to meet another one.
constexpr uint64_t gapBytes = uint64_t(64) << 20;

uint64_t roundToPages(uint64_t bytes) { return (bytes + pageBytes - 1) / pageBytes * pageBytes; }

/// The saved buffers in memory.
class Memory {
public:
  explicit Memory(const SavedLaunch &launch) : saved(launch) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() {
    if (base)
      munmap(base, size);
  }

  Status reserve();
  /// The contents as they were saved, with the addresses of now.
  Status fill();
  char *at(const SavedPlace &place) const { return places[place.buffer] + place.offset; }
  char *begin(size_t buffer) const { return places[buffer]; }
  /// An address where there is nothing, with the low bits of another.
  uint64_t nowhere(uint64_t address) const {
    return reinterpret_cast<uintptr_t>(base) + pageBytes + address % pageBytes;
  }

private:
  const SavedLaunch &saved;
  char *base = nullptr;
  uint64_t size = 0;
  std::vector<char *> places;
};

Status Memory::reserve() {
  size = gapBytes;
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
  for (const SavedBuffer &buffer : saved.buffers) {
    // Where it was in its page: what was misaligned is so again.
    offsets.push_back(size + buffer.address % pageBytes);
    size += roundToPages(buffer.address % pageBytes + buffer.bytes) + gapBytes;
    bytes += buffer.bytes;
  }
  void *reserved =
      mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  bool good = reserved != MAP_FAILED;
  if (good)
    base = static_cast<char *>(reserved);
  for (size_t i = 0; i < offsets.size() && good; ++i) {
    uint64_t first = offsets[i] / pageBytes * pageBytes;
    uint64_t length = roundToPages(offsets[i] - first + saved.buffers[i].bytes);
    good = length == 0 || mprotect(base + first, length, PROT_READ | PROT_WRITE) == 0;
    places.push_back(base + offsets[i]);
  }
  return good ? Status()
              : tilecrt::outOfResources("cannot have " + std::to_string(bytes) +
                                        " bytes of memory for the launch's buffers");
}

Status Memory::fill() {
  for (size_t i = 0; i < saved.buffers.size(); ++i) {
    if (llvm::Error error = readSavedBuffer(saved, i, places[i]))
      return tilecrt::ioError(llvm::toString(std::move(error)));
    for (const SavedAddress &address : saved.buffers[i].addresses) {
      uint64_t now = reinterpret_cast<uintptr_t>(at(address.place));
      std::memcpy(places[i] + address.offset, &now, sizeof now);
    }
  }
  return Status();
}

/// The values of the kernel's arguments, found by their names: the source may have been changed.
Result<std::vector<std::string>> makeValues(const SavedLaunch &saved, const Memory &memory,
                                            const tilecrt::KernelMetadata &metadata) {
  std::vector<std::string> values;
  for (const tilecrt::KernelArgument &argument : metadata.arguments) {
    const SavedArgument *known = findArgument(saved, argument.name);
    if (!known)
      return tilecrt::invalidArgument("kernel '" + metadata.name + "' takes an argument '" +
                                      argument.name + "' that the saved launch does not have");
    if (known->bytes.size() != argument.sizeBytes)
      return tilecrt::invalidArgument("argument '" + argument.name + "' ('" + argument.type +
                                      "') takes " + std::to_string(argument.sizeBytes) +
                                      " bytes, the saved launch has " +
                                      std::to_string(known->bytes.size()));
    std::string value = known->bytes;
    if (argument.kind == tilecrt::ArgumentKind::pointer) {
      uint64_t address = 0;
      std::memcpy(&address, value.data(), sizeof address);
      if (known->place)
        address = reinterpret_cast<uintptr_t>(memory.at(*known->place));
      else if (address != 0)
        address = memory.nowhere(address);
      std::memcpy(value.data(), &address, sizeof address);
    }
    values.push_back(std::move(value));
  }
  return values;
}

/// Whether the kernel has no way to write to a buffer.
bool isReadOnly(const SavedLaunch &saved, uint32_t buffer,
                const tilecrt::KernelMetadata &metadata) {
  bool isConst = false;
  for (const tilecrt::KernelArgument &argument : metadata.arguments) {
    const SavedArgument *known = findArgument(saved, argument.name);
    if (!known || !known->place || known->place->buffer != buffer)
      continue;
    if (!argument.isConst)
      return false;
    isConst = true;
  }
  for (const SavedBuffer &table : saved.buffers)
    for (const SavedAddress &address : table.addresses)
      if (address.place.buffer == buffer)
        return false;
  return isConst;
}

std::vector<tilecrt::sim::Buffer> listBuffers(const SavedLaunch &saved, const Memory &memory,
                                              const CompiledKernel &kernel) {
  std::vector<tilecrt::sim::Buffer> buffers;
  // Without any buffer, accesses would be trusted.
  if (saved.buffers.empty())
    buffers.push_back({nullptr, 0, "", false});
  for (size_t i = 0; i < saved.buffers.size(); ++i)
    buffers.push_back({memory.begin(i), saved.buffers[i].bytes, saved.buffers[i].name,
                       isReadOnly(saved, uint32_t(i), kernel.metadata)});
  return buffers;
}

void copyArrays(const SavedLaunch &saved, const Memory &memory, RunPlan &plan) {
  for (RunArray &array : plan.arrays)
    if (array.data.byteSize() != 0)
      std::memcpy(array.data.data(), memory.at(*findArgument(saved, array.name)->place),
                  array.data.byteSize());
}

} // namespace

Result<RunOutcome> replayOnSimulator(const SavedLaunch &saved, const CompiledKernel &kernel,
                                     RunPlan &plan, const RunCommand &command) {
  std::shared_ptr<RunDevice> device = makeSimulator(command);
  TILECRT_RETURN_IF_ERROR(checkHostGrid(saved.grid, device->info().name));
  Memory memory(saved);
  TILECRT_RETURN_IF_ERROR(memory.reserve());
  Result<std::vector<std::string>> values = makeValues(saved, memory, kernel.metadata);
  if (!values.ok())
    return values.status();
  std::vector<const void *> arguments;
  for (const std::string &value : *values)
    arguments.push_back(value.data());
  Result<std::shared_ptr<RunFunction>> function =
      device->load(std::shared_ptr<const CompiledKernel>(std::shared_ptr<void>(), &kernel));
  if (!function.ok())
    return function.status();

  Simulation simulation;
  std::vector<tilecrt::sim::Buffer> buffers = listBuffers(saved, memory, kernel);
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
