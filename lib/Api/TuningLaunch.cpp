// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuningLaunch.h.

#include "TuningLaunch.h"

#include "CallKind.h"

#include "tilec/Sema/DType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace tilec::api {

tilec_status TuningLaunch::bind(const KernelInfo &kernel, const std::vector<ArgumentSpec> &types,
                                const tilec_device_launch &launch) {
  std::vector<tilecrt::KernelArgument> described;
  for (const KernelParam &param : kernel.params)
    for (const ArgumentSpec &type : types)
      if (type.name == param.name && type.type != "constexpr")
        addArguments(type, described);
  arguments.resize(described.size());
  if (launch.num_arguments != arguments.size())
    return invalid("kernel '" + kernel.name + "' takes " + llvm::Twine(arguments.size()) +
                   " arguments of those types, got " + llvm::Twine(launch.num_arguments));
  if (!launch.arguments && !arguments.empty())
    return invalid("launch: arguments are null");
  for (size_t i = 0; i < arguments.size(); ++i) {
    TuningArgument &argument = arguments[i];
    const tilecrt::KernelArgument &type = described[i];
    argument.name = type.name;
    argument.value = launch.arguments[i];
    if (!argument.value.data || argument.value.size == 0 || argument.value.size > 16)
      return invalid("argument '" + argument.name + "' has no value, or one of " +
                     llvm::Twine(argument.value.size) + " bytes");
    if (type.kind == tilecrt::ArgumentKind::pointer) {
      if (argument.value.size != sizeof(void *))
        return invalid("argument '" + argument.name + "' takes " + llvm::Twine(sizeof(void *)) +
                       " bytes, got " + llvm::Twine(argument.value.size));
      argument.isPointer = true;
      argument.isReadOnly = type.isConst;
      argument.elementBytes =
          std::max(8u, parseSignatureType(type.type)->getElement().getBitWidth()) / 8;
      std::memcpy(&argument.address, argument.value.data, sizeof(void *));
    } else if (type.kind == tilecrt::ArgumentKind::integer &&
               argument.value.size <= sizeof(int64_t)) {
      argument.integer =
          readInteger(argument.value.data, argument.value.size, type.type.front() == 'i');
    }
  }
  return TILEC_OK;
}

tilec_status TuningLaunch::findMemory(const RunDevice &device, const tilec_buffer *buffers,
                                      size_t count) {
  if (!buffers && count != 0)
    return invalid("options: buffers are null, their number is " + llvm::Twine(count));
  for (const tilec_buffer &buffer : llvm::ArrayRef(buffers, count)) {
    if (buffer.flags & ~TILEC_BUFFER_READ_ONLY)
      return invalid("options: unknown flags of a buffer");
    if (buffer.size > UINTPTR_MAX - reinterpret_cast<uintptr_t>(buffer.data))
      return invalid("options: a buffer ends behind the last address");
    regions.push_back({{static_cast<char *>(buffer.data), buffer.size},
                       (buffer.flags & TILEC_BUFFER_READ_ONLY) != 0});
  }
  for (TuningArgument &argument : arguments) {
    if (!argument.isPointer || !argument.address)
      continue;
    auto isThere = [&](const Region &region) { return region.range.contains(argument.address); };
    auto region = llvm::find_if(regions, isThere);
    if (region == regions.end()) {
      Region found;
      found.isReadOnly = argument.isReadOnly;
      tilecrt::Result<MemoryRange> range = device.allocationOf(argument.address);
      if (!range)
        return invalid("the size of the memory that argument '" + argument.name +
                       "' points to is not known: it has to be among the buffers");
      found.range = *range;
      regions.push_back(found);
      region = regions.end() - 1;
    } else if (!argument.isReadOnly && size_t(region - regions.begin()) >= count) {
      region->isReadOnly = false;
    }
    argument.memory = {argument.address,
                       size_t(region->range.data + region->range.bytes - argument.address)};
  }
  // An argument ends where the next one of the same memory begins.
  for (TuningArgument &argument : arguments)
    for (const TuningArgument &other : arguments)
      if (other.address > argument.address && argument.memory.contains(other.address))
        argument.memory.bytes = size_t(other.address - argument.address);
  return TILEC_OK;
}

const TuningArgument *TuningLaunch::find(StringRef name) const {
  for (const TuningArgument &argument : arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

std::vector<MemoryRange> TuningLaunch::memory(bool readOnlyToo) const {
  std::vector<MemoryRange> ranges;
  for (const Region &region : regions)
    if (region.range.bytes != 0 && (readOnlyToo || !region.isReadOnly))
      ranges.push_back(region.range);
  llvm::sort(ranges, [](const MemoryRange &a, const MemoryRange &b) { return a.data < b.data; });
  std::vector<MemoryRange> merged;
  for (const MemoryRange &range : ranges) {
    // Neighbours are not merged: each is a copy within an allocation.
    if (!merged.empty() && range.data < merged.back().data + merged.back().bytes)
      merged.back().bytes =
          std::max(merged.back().bytes, size_t(range.data + range.bytes - merged.back().data));
    else
      merged.push_back(range);
  }
  return merged;
}

std::vector<MemoryRange> TuningLaunch::changedMemory() const { return memory(false); }
std::vector<MemoryRange> TuningLaunch::allMemory() const { return memory(true); }

std::vector<MemoryRange> TuningLaunch::clearedMemory(const KernelInfo &kernel) const {
  std::vector<MemoryRange> ranges;
  for (const std::string &name : kernel.resetToZero)
    if (const TuningArgument *argument = find(name); argument && argument->memory.bytes != 0)
      ranges.push_back(argument->memory);
  return ranges;
}

LaunchFacts TuningLaunch::facts(const std::vector<ArgumentSpec> &types) const {
  LaunchFacts facts;
  facts.types = types;
  for (const TuningArgument &argument : arguments) {
    if (argument.integer)
      facts.integers.emplace_back(argument.name, *argument.integer);
    if (argument.isPointer)
      facts.arraySizes.emplace_back(argument.name,
                                    int64_t(argument.memory.bytes / argument.elementBytes));
  }
  return facts;
}

BenchLaunch TuningLaunch::here(const tilec_device_launch &launch) const {
  BenchLaunch result;
  llvm::copy(launch.cluster, result.cluster.begin());
  result.isProgrammatic = launch.flags & TILEC_LAUNCH_PROGRAMMATIC;
  result.isCooperative = launch.flags & TILEC_LAUNCH_COOPERATIVE;
  result.stream = launch.stream;
  result.arguments = [this](const tilecrt::KernelMetadata &) -> tilecrt::Result<ArgumentBytes> {
    ArgumentBytes values;
    for (const TuningArgument &argument : arguments) {
      const char *bytes = static_cast<const char *>(argument.value.data);
      values.emplace_back(bytes, bytes + argument.value.size);
    }
    return values;
  };
  return result;
}

IsolatedLaunch TuningLaunch::isolated(RunDevice &device, const tilec_device_launch &launch,
                                      const KernelInfo &kernel) const {
  std::vector<MemoryRange> ranges = allMemory();
  auto placeOf = [&](const char *address) {
    size_t i = 0;
    while (i + 1 < ranges.size() && !ranges[i].contains(address))
      ++i;
    return MemoryPlace{i, uint64_t(address - ranges[i].data)};
  };
  IsolatedLaunch result;
  llvm::copy(launch.cluster, result.cluster.begin());
  result.isProgrammatic = launch.flags & TILEC_LAUNCH_PROGRAMMATIC;
  result.isCooperative = launch.flags & TILEC_LAUNCH_COOPERATIVE;
  for (const MemoryRange &range : ranges) {
    IsolatedMemory &memory = result.memory.emplace_back();
    memory.bytes = range.bytes;
    memory.skew = unsigned(reinterpret_cast<uintptr_t>(range.data) % 256);
    memory.read = [&device, range, stream = launch.stream](char *to) -> tilecrt::Status {
      TILECRT_RETURN_IF_ERROR(device.download(to, range.data, range.bytes, stream));
      return device.synchronizeStream(stream);
    };
  }
  for (const MemoryRange &range : clearedMemory(kernel))
    result.cleared.emplace_back(placeOf(range.data), range.bytes);
  for (const TuningArgument &argument : arguments) {
    IsolatedArgument &added = result.arguments.emplace_back();
    added.name = argument.name;
    if (argument.isPointer && argument.address && argument.memory.bytes != 0)
      added.value = placeOf(argument.address);
    else
      added.value =
          std::string(static_cast<const char *>(argument.value.data), argument.value.size);
  }
  return result;
}

} // namespace tilec::api
