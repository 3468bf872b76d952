// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SavedMemory.h.

#include "tilec/Run/SavedMemory.h"

#include <cstring>

#include <sys/mman.h>

using llvm::StringRef;
using tilecrt::Result;
using tilecrt::Status;

namespace tilec {

namespace {

constexpr uint64_t pageBytes = 4096;
/// Between two buffers: a wrong index has to be large to meet another one.
constexpr uint64_t savedGapBytes = uint64_t(64) << 20;

uint64_t roundToPages(uint64_t bytes) { return (bytes + pageBytes - 1) / pageBytes * pageBytes; }

} // namespace

const SavedArgument *findArgument(const SavedLaunch &saved, StringRef name) {
  for (const SavedArgument &argument : saved.arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

SavedMemory::~SavedMemory() {
  if (base)
    munmap(base, size);
}

Status SavedMemory::reserve() {
  size = savedGapBytes;
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
  for (const SavedBuffer &buffer : saved.buffers) {
    // Where it was in its page: what was misaligned is so again.
    offsets.push_back(size + buffer.address % pageBytes);
    size += roundToPages(buffer.address % pageBytes + buffer.bytes) + savedGapBytes;
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

Status SavedMemory::fill() {
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

uint64_t SavedMemory::nowhere(uint64_t address) const {
  return reinterpret_cast<uintptr_t>(base) + pageBytes + address % pageBytes;
}

Result<std::vector<char>> SavedMemory::valueOf(const tilecrt::KernelMetadata &kernel,
                                               const tilecrt::KernelArgument &argument) const {
  const SavedArgument *known = findArgument(saved, argument.name);
  if (!known)
    return tilecrt::invalidArgument("kernel '" + kernel.name + "' takes an argument '" +
                                    argument.name + "' that the saved launch does not have");
  if (known->bytes.size() != argument.sizeBytes)
    return tilecrt::invalidArgument("argument '" + argument.name + "' ('" + argument.type +
                                    "') takes " + std::to_string(argument.sizeBytes) +
                                    " bytes, the saved launch has " +
                                    std::to_string(known->bytes.size()));
  std::vector<char> value(known->bytes.begin(), known->bytes.end());
  if (argument.kind == tilecrt::ArgumentKind::pointer) {
    uint64_t address = 0;
    std::memcpy(&address, value.data(), sizeof address);
    if (known->place)
      address = reinterpret_cast<uintptr_t>(at(*known->place));
    else if (address != 0)
      address = nowhere(address);
    std::memcpy(value.data(), &address, sizeof address);
  }
  return value;
}

/// Whether the kernel has no way to write to a buffer.
bool SavedMemory::isReadOnly(uint32_t buffer, const tilecrt::KernelMetadata &kernel) const {
  bool isConst = false;
  for (const tilecrt::KernelArgument &argument : kernel.arguments) {
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

std::vector<tilecrt::sim::Buffer>
SavedMemory::listBuffers(const tilecrt::KernelMetadata &kernel) const {
  std::vector<tilecrt::sim::Buffer> buffers;
  // Without any buffer, accesses would be trusted.
  if (saved.buffers.empty())
    buffers.push_back({nullptr, 0, "", false});
  for (size_t i = 0; i < saved.buffers.size(); ++i)
    buffers.push_back({places[i], saved.buffers[i].bytes, saved.buffers[i].name,
                       isReadOnly(uint32_t(i), kernel)});
  return buffers;
}

std::vector<explain::Argument> describeArguments(const SavedLaunch &saved) {
  std::vector<explain::Argument> list;
  for (const SavedArgument &argument : saved.arguments) {
    if (argument.name == tilecrt::timelineArgument)
      continue;
    uint64_t bytes =
        argument.place ? saved.buffers[argument.place->buffer].bytes - argument.place->offset : 0;
    list.push_back(describeArgument(argument.name, argument.type, argument.bytes, bytes));
  }
  return list;
}

} // namespace tilec
