// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a saved launch in this process. Every buffer has its exact size, the alignment that
// it had, and nothing around it; pointers into one buffer point into one again.

#ifndef TILEC_RUN_SAVEDMEMORY_H
#define TILEC_RUN_SAVEDMEMORY_H

#include "tilec/Driver/SavedLaunch.h"
#include "tilec/Run/ExplainLaunch.h"

namespace tilec {

/// The buffers lie in one reserved range of addresses, far from each other; only their own pages
/// are memory. A pointer that pointed to nothing known points into the first gap.
class SavedMemory {
public:
  /// The launch outlives its memory.
  explicit SavedMemory(const SavedLaunch &launch) : saved(launch) {}
  SavedMemory(const SavedMemory &) = delete;
  SavedMemory &operator=(const SavedMemory &) = delete;
  ~SavedMemory();

  tilecrt::Status reserve();
  /// The contents as they were saved, with the addresses of now.
  tilecrt::Status fill();
  char *at(const SavedPlace &place) const { return places[place.buffer] + place.offset; }

  /// The bytes of a kernel's argument, found by its name: the source may have been changed.
  tilecrt::Result<std::vector<char>> valueOf(const tilecrt::KernelMetadata &kernel,
                                             const tilecrt::KernelArgument &argument) const;
  /// What a kernel may touch.
  std::vector<tilecrt::sim::Buffer> listBuffers(const tilecrt::KernelMetadata &kernel) const;

private:
  /// An address where there is nothing, with the low bits of another.
  uint64_t nowhere(uint64_t address) const;
  bool isReadOnly(uint32_t buffer, const tilecrt::KernelMetadata &kernel) const;

  const SavedLaunch &saved;
  char *base = nullptr;
  uint64_t size = 0;
  std::vector<char *> places;
};

/// The saved argument of that name, or null.
const SavedArgument *findArgument(const SavedLaunch &saved, llvm::StringRef name);

/// A saved launch, to be made again and again.
class SavedLaunchRepeat final : public MemoryLaunch {
public:
  explicit SavedLaunchRepeat(const SavedLaunch &saved) : memory(saved) {}
  tilecrt::Status reserve() { return memory.reserve(); }

protected:
  tilecrt::Status restore() override { return memory.fill(); }
  tilecrt::Result<std::vector<char>> valueOf(const tilecrt::KernelMetadata &kernel,
                                             const tilecrt::KernelArgument &argument) override {
    return memory.valueOf(kernel, argument);
  }
  std::vector<tilecrt::sim::Buffer> buffersFor(const tilecrt::KernelMetadata &kernel) override {
    return memory.listBuffers(kernel);
  }

private:
  SavedMemory memory;
};

/// The arguments of a saved launch for a report.
std::vector<explain::Argument> describeArguments(const SavedLaunch &saved);

} // namespace tilec

#endif // TILEC_RUN_SAVEDMEMORY_H
